"""Softmax and its relatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..context import precision
from ..dtypes import DType
from ..features import needs
from .reductions import check_axis

if TYPE_CHECKING:
    from ..base import Backend
    from .values import Tensor


class Neural:
    """Functions that networks are made of."""

    @needs("max")
    def stabilizer(self: Backend, x: Any, axis: int) -> Tensor:
        """The maximum along an axis, which stays with size 1: exp(x - stabilizer) does not overflow.

        Example:
            >>> b.stabilizer([1, 2, 3], -1)
            array([3])
        """
        return self.max(x, axis, keepdims=True)

    @needs("stabilizer", "exp", "sum")
    def softmax(self: Backend, x: Any, axis: int) -> Tensor:
        """exp(x) / sum of exp(x) along an axis, computed without overflow. NaN throughout where all are -inf.

        `backbench.softmax` offers the other formulations.

        Example:
            >>> b.softmax([0., 1000., 1000.], -1)
            array([0. , 0.5, 0.5], dtype=float32)
        """
        return self._at_least_single(self._softmax, x, axis)

    def _softmax(self: Backend, x: Tensor, axis: int) -> Tensor:
        exponentials = self.exp(self.sub(x, self.stabilizer(x, axis)))
        return self.div(exponentials, self.sum_of_shifted(exponentials, axis))

    @needs("sum")
    def sum_of_shifted(self: Backend, exponentials: Any, axis: int) -> Tensor:
        """Sum along an axis, which stays, of exponentials whose largest is 1.

        That one is added last: the sum of the others is rounded to their own size, not to that of 1. Symbols have no
        largest one and are added up as they are.

        Example:
            >>> b.sum_of_shifted([1., 0.5], -1)
            array([1.5], dtype=float32)
        """
        if not self.supports("argmax"):
            return self.sum(exponentials, axis, keepdims=True)
        return self.add(1, self._rest_of_shifted(self.as_inexact(exponentials), axis))

    def _rest_of_shifted(self: Backend, exponentials: Tensor, axis: int) -> Tensor:
        """The sum without the largest exponential, which is 1; NaN where that is NaN."""
        shape = [1] * self.ndims(exponentials)
        shape[axis] = self.shape(exponentials)[axis]
        position = self.reshape(self.range(shape[axis]), tuple(shape))
        is_largest = self.equal(position, self.argmax(exponentials, axis, keepdims=True))
        return self.sum(self.where(is_largest, self.sub(exponentials, 1), exponentials), axis, keepdims=True)

    @needs("stabilizer", "exp", "sum", "log1p", "argmax", "where")
    def log_softmax(self: Backend, x: Any, axis: int) -> Tensor:
        """log(softmax(x)), finite wherever x is, with full precision also where softmax is nearly 0 or 1.

        Example:
            >>> b.log_softmax([0., -20.], -1).round(12)
            array([-2.061e-09, -2.000e+01], dtype=float32)
        """
        return self._at_least_single(self._log_softmax, x, axis)

    def _log_softmax(self: Backend, x: Tensor, axis: int) -> Tensor:
        shifted = self.sub(x, self.stabilizer(x, axis))
        return self.sub(shifted, self.log1p(self._rest_of_shifted(self.exp(shifted), axis)))

    @needs("stabilizer", "exp", "sum", "log1p", "argmax", "where")
    def logsumexp(self: Backend, x: Any, axis: int, keepdims: bool = False) -> Tensor:
        """log(sum of exp(x)) along an axis, without overflow. -inf where all are -inf.

        Example:
            >>> b.logsumexp([1000., 1000.], -1)
            np.float32(1000.6932)
        """
        result = self._at_least_single(self._logsumexp, x, axis)
        return result if keepdims else self.max(result, axis)  # of one value: drops the axis

    def _logsumexp(self: Backend, x: Tensor, axis: int) -> Tensor:
        largest = self.stabilizer(x, axis)
        is_finite = self.isfinite(largest)
        # an infinite maximum is the result; shifting by it would give inf - inf
        shift = self.where(is_finite, largest, 0)
        rest = self._rest_of_shifted(self.exp(self.sub(x, shift)), axis)
        return self.where(is_finite, self.add(shift, self.log1p(rest)), largest)

    def _at_least_single(self: Backend, function: Callable[[Tensor, int], Tensor], x: Any, axis: int) -> Tensor:
        """function(x, axis), computed in float32 when x is float16."""
        x = self.as_inexact(x)
        axis = check_axis(self, function.__name__.lstrip("_"), axis, self.staticshape(x))
        dtype = self.dtype(x)
        if dtype.precision != 16:
            return function(x, axis)
        with precision(None):
            return self.cast(function(self.cast(x, DType(float, 32)), axis), dtype)
