"""Numbers as expressions of SymPy, and expressions without symbols as numbers, however large they are.

SymPy computes with exponents of any size, but not in any time: to evaluate exp(exp(10**10)) it needs all digits of
exp(10**10). Here nothing takes long whose value a double cannot tell from ±inf or 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import sympy
from sympy import Basic, Expr, Float, Integer, Pow, Rational, S, sympify
from sympy.logic.boolalg import Boolean

FLOAT_DIGITS = 17
WORKING_DIGITS = 30
_MOST_DIGITS = 700
"""Enough for differences of numbers near 1 that are as small as the smallest double."""
LARGEST_EXPONENT = 4096
"""In base 2. Numbers beyond that, which no double comes near, are as ±inf in functions that grow with them."""
_SPECIAL: dict[Basic, float] = {
    S.Infinity: float("inf"),
    S.NegativeInfinity: -float("inf"),
    S.NaN: float("nan"),
    S.ComplexInfinity: float("nan"),
}


def is_scalar(x: Any) -> bool:
    """Whether x is one number or expression."""
    return isinstance(x, bool | int | float | complex | Fraction | Decimal | Expr | Boolean) or hasattr(x, "_mpf_")


def from_number(x: Any) -> Basic:
    """The SymPy scalar of a number.

    Integers and integer-valued floats become `Integer`, other floats `Float` with the 17 digits that give the same
    double back (all digits of longer floats), complex numbers a + b·I.

    Raises:
        TypeError: For strings and whatever else is no number.
    """
    if hasattr(x, "item"):
        x = x.item()
    if isinstance(x, Expr | Boolean):
        return x
    if isinstance(x, str | bytes):
        raise TypeError(
            f"Strings are no tensors: {x!r}. Use sympy.Symbol({x!r}) for a symbol, backbench.exact for '1/3'."
        )
    if isinstance(x, bool):
        return S.true if x else S.false
    if isinstance(x, float | np.longdouble):
        return _from_float(x)
    if isinstance(x, complex | np.clongdouble):
        return from_number(x.real) + from_number(x.imag) * S.ImaginaryUnit
    if isinstance(x, int | Fraction | Decimal) or hasattr(x, "_mpf_"):
        return sympify(x, strict=True)
    raise TypeError(f"sympy: {x!r:.80} of type {type(x).__name__} is no number.")


def _from_float(x: float | np.longdouble) -> Expr:
    if not np.isfinite(x):
        return sympify(float(x))
    if x.is_integer():
        return Integer(int(x))
    if isinstance(x, float):
        return Float(x, FLOAT_DIGITS)
    return Float(Rational(*x.as_integer_ratio()), precision=np.finfo(x.dtype).nmant + 1)


def rational(x: Any) -> Expr:
    """The exact number of the shortest decimal that stands for x: 1/10 for 0.1.

    Raises:
        TypeError: For texts and objects that are no number.
    """
    if isinstance(x, np.ndarray):
        x = x[()]
    if isinstance(x, complex | np.complexfloating):
        return rational(x.real) + rational(x.imag) * S.ImaginaryUnit
    if isinstance(x, float | np.floating | Float):
        text = str(x) if isinstance(x, np.floating) else repr(float(x))
        return Rational(text) if np.isfinite(float(x)) else sympify(float(x))
    if isinstance(x, str | Decimal):
        try:
            return Rational(str(x))
        except (TypeError, ValueError, ZeroDivisionError) as error:
            raise TypeError(f"exact: {x!r} is no number. Write '1/3', '0.25', '2e-3' or '7'.") from error
    scalar = from_number(x)
    return Integer(scalar == S.true) if scalar in (S.true, S.false) else scalar


def free_symbols(values: Iterable[Basic]) -> list[str]:
    """The names of the symbols in some expressions, sorted."""
    return sorted({str(symbol) for value in values for symbol in value.free_symbols})


def as_bool(condition: Basic) -> bool:
    """The truth value of a decided condition.

    Raises:
        TypeError: When it depends on symbols.
    """
    if condition not in (S.true, S.false):
        raise TypeError(f"sympy: whether {condition} depends on symbols. Use select or where, which need not know.")
    return bool(condition)


def to_number(x: Basic) -> bool | int | float | complex:
    """The value of an expression without symbols, floats rounded once to the nearest double."""
    if not isinstance(x, Expr):
        return as_bool(x)
    if x.is_Integer:
        return int(x)
    if x.is_Rational or x.is_Float:
        return nearest_float(x)
    if x in _SPECIAL:
        return _SPECIAL[x]
    with sympy.evaluate(True):
        value = _bounded(x, {}).evalf(WORKING_DIGITS, maxn=_MOST_DIGITS)
        real, imaginary = value.as_real_imag()
    if imaginary != 0:
        return complex(nearest_float(real), nearest_float(imaginary))
    if real in _SPECIAL:
        return _SPECIAL[real]
    return nearest_float(real) if real.is_Number else float("nan")


def as_float(value: int | float | complex) -> float | complex:
    """A number as a float, ±inf where it is too large; complex numbers as they are."""
    return nearest_float(Integer(value)) if isinstance(value, int) else value


def nearest_float(number: sympy.Number) -> float:
    """The double nearest to a rational number or Float; ±inf where that is too large."""
    if number.is_Float and abs(exponent(number)) > LARGEST_EXPONENT:  # as a ratio of integers it might fill the memory
        size = float("inf") if exponent(number) > 0 else 0.0
        return -size if number < 0 else size
    exact = Rational(number)
    try:
        return exact.p / exact.q  # Python rounds the quotient of two integers once
    except OverflowError:
        return float("inf") if exact.p > 0 else -float("inf")


def exponent(number: sympy.Number) -> int:
    """The number e for which |number| is about 2**e, 0 for 0."""
    if number.is_Float:
        _, mantissa, scale, bits = number._mpf_
        return scale + bits if mantissa else 0
    return abs(number.p).bit_length() - number.q.bit_length() if number.is_Rational else 0


def limit_of(function: type[Basic], *args: Basic) -> Basic | None:
    """The value of a function of a number that is too large to go on with exactly; None where it is not.

    That of exp is oo or 0, a sine is NaN, as those of ±inf are.
    """
    rule = _LIMITS.get(function)
    if rule is None or not all(arg.is_number for arg in args):
        return None
    real, imaginary = _parts(args[-1] if function is Pow else args[0])
    if function is sympy.Mod:
        return _limit_of_remainder(real, *args)
    if max(exponent(real), exponent(imaginary)) <= LARGEST_EXPONENT:
        return None
    return rule(real, *args) if imaginary == 0 else S.NaN


def _parts(x: Expr) -> tuple[Expr, Expr]:
    return (x, S.Zero) if x.is_Number else x.evalf(FLOAT_DIGITS).as_real_imag()


def _limit_of_remainder(size: Expr, a: Expr, b: Expr) -> Basic | None:
    divisor, _ = _parts(b)
    if exponent(size) > LARGEST_EXPONENT:
        return S.NaN
    if max(exponent(divisor), -exponent(size)) > LARGEST_EXPONENT:  # the quotient is next to 0, or just below
        return a if (size > 0) == (divisor > 0) else b
    return None


def _limit_of_power(real: Expr, base: Expr, power: Expr) -> Basic:
    size = base.evalf(WORKING_DIGITS)
    if not size.is_Float or size < 0:
        return S.NaN
    if not (size > 1 or size < 1):
        return S.One
    return S.Infinity if (size > 1) == (real > 0) else S.Zero


_LIMITS: dict[type[Basic], Callable[..., Basic | None]] = {
    sympy.exp: lambda real, x: S.Infinity if real > 0 else S.Zero,
    sympy.sinh: lambda real, x: S.Infinity if real > 0 else S.NegativeInfinity,
    sympy.cosh: lambda real, x: S.Infinity,
    Pow: _limit_of_power,
    **dict.fromkeys((sympy.floor, sympy.ceiling), lambda real, x: x),
    sympy.tanh: lambda real, x: S.One if real > 0 else S.NegativeOne,
    sympy.Mod: _limit_of_remainder,
    **dict.fromkeys((sympy.sin, sympy.cos, sympy.tan), lambda real, x: S.NaN),
}


def _bounded(x: Basic, known: dict[int, Basic]) -> Basic:
    """An expression without symbols with the limits of its functions in their places, from the leaves up."""
    if not x.args:
        return x
    if id(x) not in known:
        args = [_bounded(arg, known) for arg in x.args]
        limit = limit_of(type(x), *args)
        is_same = all(new is old for new, old in zip(args, x.args, strict=True))
        known[id(x)] = limit if limit is not None else x if is_same else x.func(*args)
    return known[id(x)]
