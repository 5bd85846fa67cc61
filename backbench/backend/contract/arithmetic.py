"""Arithmetic, comparisons and logic of two numbers, with NumPy's broadcasting, after `auto_cast`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..features import optional

if TYPE_CHECKING:
    from .values import Tensor


class Arithmetic:
    """Operations of two numbers. Symbols may be compared too: the results are then relations."""

    @optional
    def equal(self, x: Any, y: Any) -> Tensor:
        """Whether x == y, after `auto_cast`.

        Example:
            >>> b.equal([1, 2], 2)
            array([False,  True])
        """
        raise NotImplementedError

    @optional
    def not_equal(self, x: Any, y: Any) -> Tensor:
        """Whether x != y, after `auto_cast`.

        Example:
            >>> b.not_equal([1, 2], 2)
            array([ True, False])
        """
        raise NotImplementedError

    @optional
    def greater_than(self, x: Any, y: Any) -> Tensor:
        """Whether x > y, after `auto_cast`.

        Example:
            >>> b.greater_than([1, 2], 1)
            array([False,  True])
        """
        raise NotImplementedError

    @optional
    def greater_or_equal(self, x: Any, y: Any) -> Tensor:
        """Whether x >= y, after `auto_cast`.

        Example:
            >>> b.greater_or_equal([1, 2], 2)
            array([False,  True])
        """
        raise NotImplementedError

    @optional
    def less_than(self, x: Any, y: Any) -> Tensor:
        """Whether x < y, after `auto_cast`.

        Example:
            >>> b.less_than([1, 2], 2)
            array([ True, False])
        """
        raise NotImplementedError

    @optional
    def less_or_equal(self, x: Any, y: Any) -> Tensor:
        """Whether x <= y, after `auto_cast`.

        Example:
            >>> b.less_or_equal([1, 2], 1)
            array([ True, False])
        """
        raise NotImplementedError

    @optional
    def add(self, a: Any, b: Any) -> Tensor:
        """The sum a + b, after `auto_cast`.

        Example:
            >>> b.add([1, 2], 0.5)
            array([1.5, 2.5], dtype=float32)
        """
        raise NotImplementedError

    @optional
    def sub(self, a: Any, b: Any) -> Tensor:
        """The difference a - b, after `auto_cast`.

        Example:
            >>> b.sub([1, 2], 1)
            array([0, 1])
        """
        raise NotImplementedError

    @optional
    def mul(self, a: Any, b: Any) -> Tensor:
        """The product a · b, after `auto_cast`.

        Example:
            >>> b.mul([1, 2], 3)
            array([3, 6])
        """
        raise NotImplementedError

    @optional
    def div(self, numerator: Any, denominator: Any) -> Tensor:
        """The quotient numerator / denominator, a float also for integers, after `auto_cast`.

        Example:
            >>> b.div([7, -7], 2)
            array([ 3.5, -3.5], dtype=float32)
        """
        raise NotImplementedError

    @optional
    def pow(self, base: Any, exp: Any) -> Tensor:
        """The power base ** exp, after `auto_cast`.

        Example:
            >>> b.pow([2, 3], 2)
            array([4, 9])
        """
        raise NotImplementedError

    @optional
    def mod(self, dividend: Any, divisor: Any) -> Tensor:
        """The remainder of `floordiv`; it has the sign of the divisor, after `auto_cast`.

        Example:
            >>> b.mod([7, -7], 4)
            array([3, 1])
        """
        raise NotImplementedError

    @optional
    def floordiv(self, a: Any, b: Any) -> Tensor:
        """The quotient a / b, rounded down, after `auto_cast`.

        Example:
            >>> b.floordiv([7, -7], 4)
            array([ 1, -2])
        """
        raise NotImplementedError

    @optional
    def and_(self, a: Any, b: Any) -> Tensor:
        """Logical and of bools, bitwise and of integers, after `auto_cast`.

        Example:
            >>> b.and_([True, True], False)
            array([False, False])
        """
        raise NotImplementedError

    @optional
    def or_(self, a: Any, b: Any) -> Tensor:
        """Logical or of bools, bitwise or of integers, after `auto_cast`.

        Example:
            >>> b.or_([True, False], False)
            array([ True, False])
        """
        raise NotImplementedError

    @optional
    def xor(self, a: Any, b: Any) -> Tensor:
        """Exclusive or of bools, bitwise of integers, after `auto_cast`.

        Example:
            >>> b.xor([True, False], True)
            array([False,  True])
        """
        raise NotImplementedError

    @optional
    def maximum(self, a: Any, b: Any) -> Tensor:
        """The larger one; NaN where one is NaN, after `auto_cast`.

        Example:
            >>> b.maximum([1, 5], 3)
            array([3, 5])
        """
        raise NotImplementedError

    @optional
    def minimum(self, a: Any, b: Any) -> Tensor:
        """The smaller one; NaN where one is NaN, after `auto_cast`.

        Example:
            >>> b.minimum([1, 5], 3)
            array([1, 3])
        """
        raise NotImplementedError

    @optional
    def arctan2(self, y: Any, x: Any) -> Tensor:
        """The angle of the point (x, y) in radians, from -π to π, after `auto_cast`.

        Example:
            >>> b.arctan2([0], 1)
            array([0.], dtype=float32)
        """
        raise NotImplementedError
