"""Rounding, parts of numbers and choices, with NumPy's broadcasting.

Floating point results have the type of the current precision (see `combine_types()`). IEEE values such as
exp(1000) = inf are results like others: nothing warns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..features import needs, optional

if TYPE_CHECKING:
    from ..base import Backend
    from .values import Tensor


class Elementwise:
    """Functions of one number, and choices between several."""

    @optional
    def abs(self, x: Any) -> Tensor:
        """Absolute value; of complex numbers the modulus, a float.

        Example:
            >>> b.abs([-2, 3])
            array([2, 3])
        """
        raise NotImplementedError

    @optional
    def sign(self, x: Any) -> Tensor:
        """-1, 0 or 1 in the type of x; of complex numbers x / |x|.

        Example:
            >>> b.sign([-2, 0, 3])
            array([-1,  0,  1])
        """
        raise NotImplementedError

    @optional
    def round(self, x: Any) -> Tensor:
        """The nearest integer, halves to the even one, in the type of x.

        Example:
            >>> b.round([0.5, 1.5])
            array([0., 2.], dtype=float32)
        """
        raise NotImplementedError

    @optional
    def ceil(self, x: Any) -> Tensor:
        """The next integer above, in the type of x.

        Example:
            >>> b.ceil([0.2])
            array([1.], dtype=float32)
        """
        raise NotImplementedError

    @optional
    def floor(self, x: Any) -> Tensor:
        """The next integer below, in the type of x.

        Example:
            >>> b.floor([0.2])
            array([0.], dtype=float32)
        """
        raise NotImplementedError

    @optional
    def isfinite(self, x: Any) -> Tensor:
        """Whether x is neither inf nor NaN.

        Example:
            >>> b.isfinite([1., np.inf])
            array([ True, False])
        """
        raise NotImplementedError

    @optional
    def isnan(self, x: Any) -> Tensor:
        """Whether x is NaN.

        Example:
            >>> b.isnan([1., np.nan])
            array([False,  True])
        """
        raise NotImplementedError

    @optional
    def real(self, x: Any) -> Tensor:
        """The real part.

        Example:
            >>> b.real([1 + 2j])
            array([1.], dtype=float32)
        """
        raise NotImplementedError

    @optional
    def imag(self, x: Any) -> Tensor:
        """The imaginary part; zeros for real numbers.

        Example:
            >>> b.imag([1 + 2j])
            array([2.], dtype=float32)
        """
        raise NotImplementedError

    @optional
    def conj(self, x: Any) -> Tensor:
        """The complex conjugate.

        Example:
            >>> b.conj([1 + 2j])
            array([1.-2.j], dtype=complex64)
        """
        raise NotImplementedError

    @needs("maximum", "minimum")
    def clip(self: Backend, x: Any, minimum: Any, maximum: Any) -> Tensor:
        """x, limited to [minimum, maximum]; all three broadcast against each other.

        Example:
            >>> b.clip([0, 5, 10], 1, 6)
            array([1, 5, 6])
        """
        x, minimum, maximum = self.auto_cast(x, minimum, maximum)
        return self.minimum(self.maximum(x, minimum), maximum)

    @optional
    def where(self, condition: Any, x: Any = None, y: Any = None) -> Any:
        """Take x where the condition holds, else y; the other is not felt. With the condition alone: its indices.

        Example:
            >>> b.where([True, False], 1, 0.5)
            array([1. , 0.5], dtype=float32)
            >>> b.where([False, True])
            (array([1]),)
        """
        raise NotImplementedError

    @needs("where", "equal", "div")
    def divide_no_nan(self: Backend, x: Any, y: Any) -> Tensor:
        """The quotient x / y, and 0 where y is 0; where a library differentiates, the gradient is finite there too.

        Example:
            >>> b.divide_no_nan([1, 0, -2], [0, 0, 4])
            array([ 0. ,  0. , -0.5], dtype=float32)
        """
        x, y = self.auto_cast(x, y)
        is_zero = self.equal(y, 0)
        # the divisor is replaced before the division, since gradients also flow through the branch that is not taken
        return self.where(is_zero, 0, self.div(x, self.where(is_zero, 1, y)))

    @needs("where", "greater_than", "isnan")
    def select(self: Backend, x: Any, threshold: Any, below: Any, above: Any) -> Tensor:
        """`above` where x > threshold, `below` elsewhere, NaN where x is NaN; all four broadcast.

        Every piecewise function can be written with it, on numbers and on expressions.

        Example:
            >>> b.select([-1., 0., 2.], 0, 0, b.log([-1., 0., 2.]))
            array([0.       , 0.       , 0.6931472], dtype=float32)
        """
        x, below, above = self.auto_cast(x, below, above)
        return self.where(self.isnan(x), x, self.where(self.greater_than(x, threshold), above, below))

    @needs("exp", "abs", "minimum", "div")
    def sigmoid(self: Backend, x: Any) -> Tensor:
        """1 / (1 + exp(-x)), finite for any finite x.

        Example:
            >>> b.sigmoid([0, -1000])
            array([0.5, 0. ], dtype=float32)
        """
        x = self.as_inexact(x)
        # neither exponential overflows, and exp(x) keeps its digits for very negative x
        return self.div(self.exp(self.minimum(x, 0)), self.add(1, self.exp(self.sub(0, self.abs(x)))))

    @needs("exp", "log1p", "abs", "maximum")
    def softplus(self: Backend, x: Any) -> Tensor:
        """log(1 + exp(x)), to full precision in both tails.

        Example:
            >>> b.softplus([-1000., 0., 1000.])
            array([0.000000e+00, 6.931472e-01, 1.000000e+03], dtype=float32)
        """
        x = self.as_inexact(x)
        return self.add(self.maximum(x, 0), self.log1p(self.exp(self.sub(0, self.abs(x)))))

    @needs("softplus")
    def logsigmoid(self: Backend, x: Any) -> Tensor:
        """log(sigmoid(x)), to full precision in both tails.

        Example:
            >>> b.logsigmoid([-800., 0.])
            array([-8.000000e+02, -6.931472e-01], dtype=float32)
        """
        return self.sub(0, self.softplus(self.sub(0, self.as_inexact(x))))
