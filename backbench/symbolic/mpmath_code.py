# ruff: noqa: D102 (NumpyCode says what each method writes)
"""Expressions as Python code for mpmath: one point at a time, with any number of digits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import sympy
from sympy import Basic, Expr, Integer, Rational
from sympy.core.relational import Relational

from ..backend.sympy_nodes import Maximum
from ..backend.sympy_values import LARGEST_EXPONENT, exponent, nearest_float
from .code_text import ATOM, COMPARISON, OR, PRODUCT, SIGN, SUM, Code
from .python_code import NumpyCode
from .python_names import COMPARISONS


class MpmathCode(NumpyCode):
    """Writes expressions for the functions of `mpmath_functions`, which treat NaN and ±inf as NumPy does."""

    library: ClassVar[str] = "mpmath"
    prefix: ClassVar[str] = "mp"

    def integer(self, number: Integer) -> Code:
        return Code(str(number.p), ATOM if number.p >= 0 else SIGN, True)

    def fraction(self, number: Rational) -> Code:
        return Code(f"mp.mpf({number.p}) / {number.q}", PRODUCT, True)

    def floating(self, number: sympy.Number) -> Code:
        if number.is_Float and abs(exponent(number)) > LARGEST_EXPONENT:
            return Code(f"mp.mpf({number._mpf_!r})", ATOM, True)
        value = nearest_float(number)
        if abs(value) < float("inf") and Rational(value) == Rational(number):
            return Code(f"mp.mpf({value!r})", ATOM, True)
        return self.fraction(Rational(number))

    def imaginary_unit(self, number: Expr) -> Code:
        return Code("mp.mpc(0, 1)", ATOM, True)

    def value(self, text: str, parts: Sequence[Code]) -> Code:
        return Code(text, ATOM, all(code.is_constant for code in parts))

    def divide(self, numerator: Code, denominator: Code) -> Code:
        return self.call("divide", numerator, denominator)

    def raised(self, base: Code, exponent: Code) -> Code:
        return self.call("power", base, exponent)

    def long_sum(self, groups: Sequence[Code]) -> Code:
        return Code(" + ".join(code.within(PRODUCT) for code in groups), SUM, False)

    def stable(self, name: str, operand: Code) -> Code:
        return self.call(name, operand)

    def error_function(self, expression: Expr) -> Code:
        return self.call(type(expression).__name__, self.write(expression.args[0]))

    def part(self, expression: Expr) -> Code:
        return self.call("real" if type(expression) is sympy.re else "imag", self.write(expression.args[0]))

    def extremum(self, expression: Expr) -> Code:
        name = "maximum" if isinstance(expression, Maximum | sympy.Max) else "minimum"
        return self.call(name, *map(self.write, expression.args))

    def boolean(self, expression: Basic) -> Code:
        return Code(str(bool(expression)), ATOM, True)

    def comparison(self, expression: Relational) -> Code:
        operator, _ = COMPARISONS[type(expression)]
        left, right = map(self.write, expression.args)
        text = f"{left.within(OR)} {operator} {right.within(OR)}"
        return Code(text, COMPARISON, left.is_constant and right.is_constant)

    def negation(self, expression: Basic) -> Code:
        condition = self.write(expression.args[0])
        return Code(f"(not {condition.within(COMPARISON)})", ATOM, condition.is_constant)

    def where(self, condition: Code, x: Code, y: Code) -> Code:
        return self.call("where", condition, x, y)

    def first_of(self, pairs: Sequence[tuple[Code, Code]], default: Code) -> Code:
        for value, condition in reversed(pairs):
            default = self.where(condition, value, default)
        return default
