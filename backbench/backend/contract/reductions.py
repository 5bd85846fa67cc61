"""Reductions over one, several or all axes."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from ..features import optional

if TYPE_CHECKING:
    from ..base import Backend
    from .values import Tensor

Axis = int | tuple | list | None
"""None means all axes; a full reduction gives a tensor of rank 0."""


def check_axis(b: Backend, operation: str, axis: Any, shape: tuple) -> int:
    """The number of an axis from 0, also for one that counts from the end.

    Raises:
        TypeError: When it is no integer.
        numpy.exceptions.AxisError: When there is no such axis; a ValueError and an IndexError.
    """
    try:
        number = operator.index(axis)
    except TypeError:
        raise TypeError(f"{b.name}.{operation}: axis is an integer, not {axis!r}.") from None
    if not -len(shape) <= number < len(shape):
        raise np.exceptions.AxisError(f"{b.name}.{operation}: there is no axis {axis} in the shape {shape}.")
    return number % len(shape)


class Reductions:
    """Sums, extrema and orders. float16 is accumulated in float32, integers in int64."""

    @optional
    def sum(self, value: Any, axis: Axis = None, keepdims: bool = False) -> Tensor:
        """Sum; 0 of nothing.

        Example:
            >>> b.sum([[1, 2], [3, 4]], axis=0)
            array([4, 6])
        """
        raise NotImplementedError

    @optional
    def prod(self, value: Any, axis: Axis = None, keepdims: bool = False) -> Tensor:
        """Product; 1 of nothing.

        Example:
            >>> b.prod([[1, 2], [3, 4]], axis=1)
            array([ 2, 12])
        """
        raise NotImplementedError

    @optional
    def mean(self, value: Any, axis: Axis = None, keepdims: bool = False) -> Tensor:
        """Arithmetic mean, a float also of integers; NaN of nothing.

        Example:
            >>> b.mean([1, 2])
            np.float32(1.5)
        """
        raise NotImplementedError

    @optional
    def std(self, x: Any, axis: Axis = None, keepdims: bool = False) -> Tensor:
        """Standard deviation of the population: the root of the mean squared distance from the mean.

        Example:
            >>> b.std([1, 3])
            np.float32(1.0)
        """
        raise NotImplementedError

    @optional
    def max(self, x: Any, axis: Axis = None, keepdims: bool = False) -> Tensor:
        """Largest value; NaN when one is NaN.

        Raises:
            ValueError: Of nothing.

        Example:
            >>> b.max([[1, 2], [3, 4]], axis=-1, keepdims=True)
            array([[2],
                   [4]])
        """
        raise NotImplementedError

    @optional
    def min(self, x: Any, axis: Axis = None, keepdims: bool = False) -> Tensor:
        """Smallest value; NaN when one is NaN.

        Raises:
            ValueError: Of nothing.

        Example:
            >>> b.min([[1, 2], [3, 4]])
            np.int64(1)
        """
        raise NotImplementedError

    @optional
    def any(self, boolean_tensor: Any, axis: Axis = None, keepdims: bool = False) -> Tensor:
        """Whether one is true; False of nothing.

        Example:
            >>> b.any([[False, True], [False, False]], axis=1)
            array([ True, False])
        """
        raise NotImplementedError

    @optional
    def all(self, boolean_tensor: Any, axis: Axis = None, keepdims: bool = False) -> Tensor:
        """Whether all are true; True of nothing.

        Example:
            >>> b.all([True, False])
            np.False_
        """
        raise NotImplementedError

    @optional
    def cumsum(self, x: Any, axis: int) -> Tensor:
        """Sums of all elements up to each one along an axis.

        Example:
            >>> b.cumsum([1, 2, 3], 0)
            array([1, 3, 6])
        """
        raise NotImplementedError

    @optional
    def quantile(self, x: Any, quantiles: Any) -> Tensor:
        """Quantiles over the last axis with linear interpolation.

        Args:
            x: (..., n)
            quantiles: Between 0 and 1, a sequence or a number.

        Returns:
            (quantiles, ...); a single number drops the leading axis.

        Example:
            >>> b.quantile([[0., 1., 2.]], [0.25, 0.5])
            array([[0.5],
                   [1. ]], dtype=float32)
        """
        raise NotImplementedError

    @optional
    def argmax(self, x: Any, axis: int | None = None, keepdims: bool = False) -> Tensor:
        """Index of the first largest value, in the flattened tensor when no axis is given.

        Example:
            >>> b.argmax([[1, 9, 9]], axis=1)
            array([1])
        """
        raise NotImplementedError

    @optional
    def argmin(self, x: Any, axis: int | None = None, keepdims: bool = False) -> Tensor:
        """Index of the first smallest value, see `argmax`.

        Example:
            >>> b.argmin([[5, 1, 9]], axis=1)
            array([1])
        """
        raise NotImplementedError

    @optional
    def sort(self, x: Any, axis: int = -1) -> Tensor:
        """The values in ascending order along an axis, NaN last.

        Example:
            >>> b.sort([3, 1, 2])
            array([1, 2, 3])
        """
        raise NotImplementedError

    @optional
    def argsort(self, x: Any, axis: int = -1) -> Tensor:
        """The indices that sort along an axis; equal values keep their order.

        Example:
            >>> b.argsort([3, 1, 2])
            array([1, 2, 0])
        """
        raise NotImplementedError
