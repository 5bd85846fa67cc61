"""Roots, exponentials, logarithms and angles of one number, with NumPy's broadcasting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..features import optional

if TYPE_CHECKING:
    from .values import Tensor


class Transcendental:
    """Functions whose results are floating point (or complex) also for integers."""

    @optional
    def sqrt(self, x: Any) -> Tensor:
        """Square root, NaN for negative numbers.

        Example:
            >>> b.sqrt([4, 2.25])
            array([2. , 1.5], dtype=float32)
        """
        raise NotImplementedError

    @optional
    def exp(self, x: Any) -> Tensor:
        """Exponential function; inf where it overflows.

        Example:
            >>> b.exp([0, 1000])
            array([ 1., inf], dtype=float32)
        """
        raise NotImplementedError

    @optional
    def expm1(self, x: Any) -> Tensor:
        """exp(x) - 1 without loss of digits near 0.

        Example:
            >>> b.expm1([1e-8])
            array([1.e-08], dtype=float32)
        """
        raise NotImplementedError

    @optional
    def log(self, x: Any) -> Tensor:
        """Natural logarithm; -inf at 0, NaN below.

        Example:
            >>> b.log([1, 0])
            array([  0., -inf], dtype=float32)
        """
        raise NotImplementedError

    @optional
    def log1p(self, x: Any) -> Tensor:
        """log(1 + x) without loss of digits near 0.

        Example:
            >>> b.log1p([1e-8])
            array([1.e-08], dtype=float32)
        """
        raise NotImplementedError

    @optional
    def log2(self, x: Any) -> Tensor:
        """Logarithm to base 2.

        Example:
            >>> b.log2([8])
            array([3.], dtype=float32)
        """
        raise NotImplementedError

    @optional
    def log10(self, x: Any) -> Tensor:
        """Logarithm to base 10.

        Example:
            >>> b.log10([1])
            array([0.], dtype=float32)
        """
        raise NotImplementedError

    @optional
    def sin(self, x: Any) -> Tensor:
        """Sine of an angle in radians.

        Example:
            >>> b.sin([0])
            array([0.], dtype=float32)
        """
        raise NotImplementedError

    @optional
    def arcsin(self, x: Any) -> Tensor:
        """Inverse sine in radians, NaN outside of [-1, 1].

        Example:
            >>> b.arcsin([0])
            array([0.], dtype=float32)
        """
        raise NotImplementedError

    @optional
    def sinh(self, x: Any) -> Tensor:
        """Hyperbolic sine.

        Example:
            >>> b.sinh([0])
            array([0.], dtype=float32)
        """
        raise NotImplementedError

    @optional
    def arcsinh(self, x: Any) -> Tensor:
        """Inverse hyperbolic sine.

        Example:
            >>> b.arcsinh([0])
            array([0.], dtype=float32)
        """
        raise NotImplementedError

    @optional
    def cos(self, x: Any) -> Tensor:
        """Cosine of an angle in radians.

        Example:
            >>> b.cos([0])
            array([1.], dtype=float32)
        """
        raise NotImplementedError

    @optional
    def arccos(self, x: Any) -> Tensor:
        """Inverse cosine in radians, NaN outside of [-1, 1].

        Example:
            >>> b.arccos([1])
            array([0.], dtype=float32)
        """
        raise NotImplementedError

    @optional
    def cosh(self, x: Any) -> Tensor:
        """Hyperbolic cosine.

        Example:
            >>> b.cosh([0])
            array([1.], dtype=float32)
        """
        raise NotImplementedError

    @optional
    def arccosh(self, x: Any) -> Tensor:
        """Inverse hyperbolic cosine, NaN below 1.

        Example:
            >>> b.arccosh([1])
            array([0.], dtype=float32)
        """
        raise NotImplementedError

    @optional
    def tan(self, x: Any) -> Tensor:
        """Tangent of an angle in radians.

        Example:
            >>> b.tan([0])
            array([0.], dtype=float32)
        """
        raise NotImplementedError

    @optional
    def arctan(self, x: Any) -> Tensor:
        """Inverse tangent in radians.

        Example:
            >>> b.arctan([0])
            array([0.], dtype=float32)
        """
        raise NotImplementedError

    @optional
    def tanh(self, x: Any) -> Tensor:
        """Hyperbolic tangent.

        Example:
            >>> b.tanh([0, 100])
            array([0., 1.], dtype=float32)
        """
        raise NotImplementedError

    @optional
    def arctanh(self, x: Any) -> Tensor:
        """Inverse hyperbolic tangent, ±inf at ±1, NaN outside.

        Example:
            >>> b.arctanh([0])
            array([0.], dtype=float32)
        """
        raise NotImplementedError

    @optional
    def erf(self, x: Any) -> Tensor:
        """Error function.

        Example:
            >>> b.erf([0])
            array([0.], dtype=float32)
        """
        raise NotImplementedError
