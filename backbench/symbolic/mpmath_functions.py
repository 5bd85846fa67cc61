"""Real functions of mpmath that treat NaN, ±inf and arguments outside of their domain as NumPy does, so none raises.

Code generated for mpmath calls these; numbers are `mpmath.mpf`, the precision is that of `mpmath.mp` at the time of the
call.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
from mpmath import mp, mpc, mpf
from sympy import Float, Rational

__all__ = ["mpc", "mpf"]

Number = Any
"""mpf or mpc, and Python's int where it stands in the code."""

inf, nan = mpf("inf"), mpf("nan")


def numbers(values: Any, shape: tuple[int, ...], name: str) -> np.ndarray:
    """The exact values of numbers or an array of them as an object array of mpf.

    Args:
        values: Numbers: int, float, NumPy's, Fraction, mpf.
        shape: The shape that they must have.
        name: What the argument is called, for the error message.

    Raises:
        TypeError: For texts, symbols and whatever else is no number.
        ValueError: For another shape.

    Example:
        >>> numbers([0.5, 1], (2,), 'x')
        array([mpf('0.5'), mpf('1.0')], dtype=object)
    """
    array = np.asarray(values, object)
    if array.shape != shape:
        raise ValueError(f"{name} has shape {array.shape}; needed is {shape}, one point at a time.")
    result = np.empty(shape, object)
    for index in np.ndindex(*shape):
        result[index] = _exact(array[index], name)
    return result


def number(value: Number) -> Number:
    """An int, mpf or mpc as mpf or mpc."""
    return mp.mpmathify(value)


def _exact(value: Any, name: str) -> Number:
    if isinstance(value, Rational):
        return mpf(value.p) / value.q
    if isinstance(value, mpf | mpc):
        return value
    if isinstance(value, Fraction):
        return mpf(value.numerator) / value.denominator
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, complex):
        return mpc(value)
    if isinstance(value, int | float | np.floating | Float):
        return mpf(value)
    raise TypeError(f"{name} takes numbers, not {value!r:.80} of type {type(value).__name__}.")


def __getattr__(name: str) -> Any:
    # constants of the current precision, by the names NumPy has for them
    constants = {"pi": mpmath.pi, "e": mpmath.e, "euler_gamma": mpmath.euler}
    if name in constants:
        return +constants[name]
    raise AttributeError(name)


def _is_nan(x: Number) -> bool:
    return bool(mpmath.isnan(x))


def _real(function: Callable[..., Number], poles: dict[int, Number] | None = None) -> Callable[..., Number]:
    """A function of real numbers: NaN for NaN and where mpmath's value is complex, the given values at poles."""

    def real(*args: Number) -> Number:
        if any(map(_is_nan, args)):
            return nan
        if poles and args[0] in poles:
            return poles[args[0]]
        value = function(*args)
        is_outside = isinstance(value, mpc) and not any(isinstance(arg, mpc) for arg in args)
        return nan if is_outside else value

    real.__name__ = getattr(function, "__name__", "real")
    return real


exp = _real(mpmath.exp)
log = _real(mpmath.log, {0: -inf})
log1p = _real(mpmath.log1p, {-1: -inf})
log2 = _real(lambda x: mpmath.log(x) / mpmath.log(2), {0: -inf})
log10 = _real(mpmath.log10, {0: -inf})
expm1 = _real(mpmath.expm1)
sqrt = _real(mpmath.sqrt)
sinh, cosh, tanh = map(_real, (mpmath.sinh, mpmath.cosh, mpmath.tanh))
arcsin, arccos, arctan = map(_real, (mpmath.asin, mpmath.acos, mpmath.atan))
arcsinh, arccosh = map(_real, (mpmath.asinh, mpmath.acosh))
arctanh = _real(mpmath.atanh, {1: inf, -1: -inf})
erf, erfc = map(_real, (mpmath.erf, mpmath.erfc))
sign = _real(mpmath.sign)
conj = _real(mpmath.conj)
real, imag = map(_real, (mpmath.re, mpmath.im))


def _finite_only(function: Callable[[Number], Number], at_infinity: Callable[[Number], Number]) -> Callable:
    safe = _real(function)
    return lambda x: at_infinity(x) if mpmath.isinf(x) else safe(x)


sin, cos, tan = (_finite_only(function, lambda x: nan) for function in (mpmath.sin, mpmath.cos, mpmath.tan))
floor, ceil = (_finite_only(function, lambda x: x) for function in (mpmath.floor, mpmath.ceil))


def arctan2(y: Number, x: Number) -> Number:
    """The angle of the point (x, y)."""
    if mpmath.isinf(x) and mpmath.isinf(y):
        y, x = mpmath.sign(y), mpmath.sign(x)
    return _real(mpmath.atan2)(y, x)


def abs(x: Number) -> Number:
    """The absolute value."""
    return mpmath.fabs(x)


def softplus(x: Number) -> Number:
    """log(1 + exp(x))."""
    return x if x == inf else log1p(exp(x))


def divide(a: Number, b: Number) -> Number:
    """A / b with a/0 = ±inf and 0/0 = NaN; zero has no sign here."""
    if b != 0:
        return mpf(a) / b if isinstance(a, int) else a / b
    return nan if a == 0 or _is_nan(a) else inf if a > 0 else -inf


def power(base: Number, exponent: Number) -> Number:
    """Base ** exponent, NaN where that is not real."""
    if exponent == 0 or base == 1:
        return mpf(1)
    if _is_nan(base) or _is_nan(exponent):
        return nan
    if base == 0:
        return mpf(0) if exponent > 0 else inf
    if base == -1 and mpmath.isinf(exponent):
        return mpf(1)
    if mpmath.isinf(exponent):
        return inf if (mpmath.fabs(base) > 1) == (exponent > 0) else mpf(0)
    if base == -inf:
        is_odd = mpmath.isint(exponent) and exponent % 2 == 1
        size = inf if exponent > 0 else mpf(0)
        return -size if is_odd else size
    return _real(mpmath.power)(base, exponent)


def mod(a: Number, b: Number) -> Number:
    """The remainder with the sign of the divisor."""
    if _is_nan(a) or _is_nan(b) or b == 0 or mpmath.isinf(a):
        return nan
    if mpmath.isinf(b):
        return a if a == 0 or (a > 0) == (b > 0) else b
    return mp.mpmathify(a) % b


def floor_divide(a: Number, b: Number) -> Number:
    """The quotient rounded down."""
    if _is_nan(a) or _is_nan(b):
        return nan
    if mpmath.isinf(a):
        return nan if mpmath.isinf(b) or b != 0 else divide(a, b)
    if mpmath.isinf(b):
        return mpf(-1) if a != 0 and (a > 0) != (b > 0) else mpf(0)
    return floor(divide(a, b))


def heaviside(x: Number, at_zero: Number) -> Number:
    """0 for negative, 1 for positive numbers."""
    return nan if _is_nan(x) else at_zero if x == 0 else mpf(int(x > 0))


def maximum(*args: Number) -> Number:
    """The largest one, NaN when one is NaN."""
    return nan if any(map(_is_nan, args)) else max(map(mp.mpmathify, args))


def minimum(*args: Number) -> Number:
    """The smallest one, NaN when one is NaN."""
    return nan if any(map(_is_nan, args)) else min(map(mp.mpmathify, args))


def where(condition: bool, x: Number, y: Number) -> Number:
    """X if the condition holds, else y."""
    return x if condition else y


def isnan(x: Number) -> bool:
    """Whether x is NaN."""
    return _is_nan(x)
