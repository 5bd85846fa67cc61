"""Expressions as Python code for NumPy.

The code computes what the expression says in IEEE arithmetic: a quotient is a division, a difference a subtraction,
floats have all their digits, NaN and ±inf go through as they do in array code, and nothing raises. Parts without any
variable are Python numbers, which take the type of the arrays they meet.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import sympy
from sympy import Add, Basic, Expr, Integer, Mul, Piecewise, Pow, Rational, S, Symbol
from sympy.core.relational import Relational
from sympy.logic import boolalg

from ..backend.features import UnsupportedOperation
from ..backend.sympy_nodes import Maximum, Minimum, Select
from ..backend.sympy_values import nearest_float
from .code_text import (
    AND,
    ATOM,
    COMPARISON,
    ONE,
    OR,
    POWER,
    PRODUCT,
    SIGN,
    XOR,
    ZERO,
    Code,
    negative,
    pairwise,
    product,
)
from .patterns import is_reciprocal, match_stable
from .python_names import COMPARISONS, CONSTANTS, FUNCTIONS, RECIPROCALS

CONNECTIVES: dict[type[Basic], tuple[str, int]] = {
    boolalg.And: ("&", AND),
    boolalg.Xor: ("^", XOR),
    boolalg.Or: ("|", OR),
}

LARGEST_INTEGER = 2**53
LONGEST_FRACTION = 24

LONGEST_SUM, GROUP = 8, 4
"""In sums of up to 8 terms each term goes through 3 additions; longer ones are compensated, by groups of 4."""

TOTAL = '''def total(*terms):
    """The sum of the terms; what each addition rounds off is added at the end (Ogita, Rump, Oishi 2005)."""
    result, lost = terms[0], 0.0
    for term in terms[1:]:
        before, result = result, result + term
        added = result - before
        lost = lost + ((before - (result - added)) + (term - added))
    return np.where(np.isfinite(result), result + lost, result)'''
"""Algorithm Sum2 of T. Ogita, S. M. Rump, S. Oishi, "Accurate sum and dot product", doi 10.1137/030601818."""


class NoCode(UnsupportedOperation):
    """A function of SymPy that cannot be written as Python code."""

    def __init__(self, library: str, function: str) -> None:
        reason = f"there is no code for it in {library}'s functions"
        way_out = "Write it with functions that have some, for example by expression.rewrite(...) or expression.doit()."
        super().__init__("sympy", function, reason, way_out)

    def __str__(self) -> str:
        return f"to_python cannot write SymPy's '{self.operation}': {self.reason}. {self.way_out}"


class NumpyCode:
    """Writes expressions for NumPy.

    Args:
        names: What symbols are called in the code.

    Attributes:
        imports: Import statements that the code needs besides that of NumPy.
        helpers: Functions that it needs.
        is_complex: Whether there are complex numbers in it.
    """

    library: ClassVar[str] = "numpy"
    prefix: ClassVar[str] = "np"

    def __init__(self, names: dict[Symbol, str]) -> None:
        self.names = names
        self._variables = {symbol: Code(name, ATOM, False) for symbol, name in names.items()}
        self.imports: set[str] = set()
        self.helpers: set[str] = set()
        self.is_complex = False

    def write(self, expression: Basic) -> Code:
        """The code of an expression.

        Raises:
            UnsupportedOperation: For functions that the library does not have.
        """
        stable = match_stable(expression)
        if stable is not None:
            return self.stable(stable.name, self.write(stable.operand))
        name = _WRITERS.get(type(expression)) or next(filter(None, map(_WRITERS.get, type(expression).__mro__)), None)
        if name is not None:
            return getattr(self, name)(expression)
        raise NoCode(self.library, type(expression).__name__)

    def symbol(self, symbol: Symbol) -> Code:
        """A variable."""
        return self._variables[symbol]

    def declare_constant(self, symbol: Symbol) -> None:
        """From now on the value of this variable is a Python number."""
        self._variables[symbol] = Code(self.names[symbol], ATOM, True)

    # ---- numbers

    def integer(self, number: Integer) -> Code:
        """An integer; the nearest float where floats do not have it."""
        if abs(number.p) > LARGEST_INTEGER:
            return self.floating(number)
        return Code(str(number.p), ATOM if number.p >= 0 else SIGN, True)

    def fraction(self, number: Rational) -> Code:
        """A ratio of two integers; the nearest float where that is shorter."""
        text = f"{number.p}/{number.q}"
        return self.floating(number) if len(text) > LONGEST_FRACTION else Code(text, PRODUCT, True)

    def floating(self, number: sympy.Number) -> Code:
        """The shortest decimal that gives the nearest double back."""
        value = nearest_float(number)
        text = repr(value).replace("inf", f"{self.prefix}.inf")
        return Code(text, SIGN if text.startswith("-") else ATOM, True)

    def constant(self, number: Expr) -> Code:
        """A number that has a name."""
        sign = "-" if number is S.NegativeInfinity else ""
        return Code(f"{sign}{self.prefix}.{CONSTANTS[number]}", SIGN if sign else ATOM, True)

    def imaginary_unit(self, number: Expr) -> Code:
        """The square root of -1."""
        self.is_complex = True
        return Code("1j", ATOM, True)

    # ---- arithmetic

    def sum(self, expression: Add) -> Code:
        """A sum, added up in pairs, pairs of pairs and so on; a long one of groups of terms, with compensation."""
        terms = [self.signed(term) for term in expression.args]
        if len(terms) <= LONGEST_SUM or all(code.is_constant for _, code in terms):
            return pairwise(terms)
        return self.long_sum([pairwise(terms[i : i + GROUP]) for i in range(0, len(terms), GROUP)])

    def long_sum(self, groups: Sequence[Code]) -> Code:
        """A sum whose error does not grow with its length."""
        self.helpers.add(TOTAL)
        return Code(f"total({', '.join(code.text for code in groups)})", ATOM, False)

    def signed(self, expression: Expr) -> tuple[bool, Code]:
        """Whether the expression is written with a minus sign in front, and the code without that."""
        if expression.is_Number and expression.is_extended_negative:
            return True, self.write(-expression)
        if type(expression) is Mul:
            return self._signed_product(expression)
        return False, self.write(expression)

    def product(self, expression: Mul) -> Code:
        """A product or quotient."""
        is_negative, code = self._signed_product(expression)
        return negative(code) if is_negative else code

    def _signed_product(self, expression: Mul) -> tuple[bool, Code]:
        is_negative = False
        factors: list[Code] = []
        divisors: list[Code] = []
        for arg in expression.args:
            if arg.is_Number and arg.is_extended_negative:
                is_negative, arg = not is_negative, -arg
            if arg is S.One:
                continue
            if arg.is_Pow and _is_negative(arg.args[1]):
                divisors.append(self._power(arg.args[0], -arg.args[1]))
            elif arg.is_Rational and arg.p == 1 and arg.q <= LARGEST_INTEGER:
                divisors.append(self.write(Integer(arg.q)))
            elif arg.is_Number:
                factors.insert(0, self.write(arg))
            else:
                factors.append(self.write(arg))
        numerator = product(factors)
        return is_negative, self.divide(numerator, product(divisors)) if divisors else numerator

    def divide(self, numerator: Code, denominator: Code) -> Code:
        """A quotient. Python numbers raise an exception when divided by 0, NumPy's do not."""
        is_constant = numerator.is_constant and denominator.is_constant
        if is_constant and not _is_plain_nonzero(denominator.text):
            return self.call("divide", numerator, denominator)
        return Code(f"{numerator.within(PRODUCT)} / {denominator.within(SIGN)}", PRODUCT, is_constant)

    def power(self, expression: Pow) -> Code:
        """A power, root or reciprocal."""
        base, exponent = expression.args
        if _is_negative(exponent):
            return self.divide(ONE, self._power(base, -exponent))
        return self._power(base, exponent)

    def _power(self, base: Expr, exponent: Expr) -> Code:
        if exponent is S.One:
            return self.write(base)
        if exponent is S.Half:
            return self.call("sqrt", self.write(base))
        if base is S.Exp1:
            return self.call("exp", self.write(exponent))
        return self.raised(self.write(base), self.write(exponent))

    def raised(self, base: Code, exponent: Code) -> Code:
        """Base ** exponent."""
        if base.is_constant and exponent.is_constant:
            return self.call("float_power", base, exponent)
        return Code(f"{base.within(ATOM)}**{exponent.within(SIGN)}", POWER, False)

    # ---- functions

    def call(self, function: str, *arguments: Code) -> Code:
        """A call of a function of the library."""
        return self.value(f"{self.prefix}.{function}({', '.join(code.text for code in arguments)})", arguments)

    def value(self, text: str, parts: Sequence[Code]) -> Code:
        """What a call gives. Without a variable in it, it is made a Python number, which has no type of its own."""
        is_constant = all(code.is_constant for code in parts)
        return Code(f"{text}.item()" if is_constant else text, ATOM, is_constant)

    def function(self, expression: Expr) -> Code:
        """A function that the library has."""
        return self.call(FUNCTIONS[type(expression)], *map(self.write, expression.args))

    def floor(self, expression: Expr) -> Code:
        """Rounding down; of a quotient by the function for both at once, which differs for infinite numbers."""
        argument = expression.args[0]
        if type(argument) is Mul and len(argument.args) == 2 and is_reciprocal(argument.args[1]):
            return self.call("floor_divide", self.write(argument.args[0]), self.write(argument.args[1].args[0]))
        return self.call("floor", self.write(argument))

    def reciprocal(self, expression: Expr) -> Code:
        """One over a function that the library has."""
        return self.divide(ONE, self.call(RECIPROCALS[type(expression)], *map(self.write, expression.args)))

    def stable(self, name: str, operand: Code) -> Code:
        """log(1 + exp(u)), log(1 + u) or exp(u) - 1 with all digits."""
        return self.call("logaddexp", ZERO, operand) if name == "softplus" else self.call(name, operand)

    def part(self, expression: Expr) -> Code:
        """The real or imaginary part."""
        argument = self.write(expression.args[0])
        name = "real" if type(expression) is sympy.re else "imag"
        text = f"({argument.text})" if argument.is_constant else argument.within(ATOM)
        return Code(f"{text}.{name}", ATOM, argument.is_constant)

    def error_function(self, expression: Expr) -> Code:
        """The error function erf, or erfc."""
        name = type(expression).__name__
        self.imports.add(f"from scipy.special import {name}")
        argument = self.write(expression.args[0])
        return self.value(f"{name}({argument.text})", [argument])

    def extremum(self, expression: Expr) -> Code:
        """The largest or smallest of several values; NaN when one is NaN."""
        name = "maximum" if isinstance(expression, Maximum | sympy.Max) else "minimum"
        arguments = list(map(self.write, expression.args))
        if len(arguments) == 2:
            return self.call(name, *arguments)
        self.imports.add("from functools import reduce")
        return self.value(f"reduce(np.{name}, ({', '.join(code.text for code in arguments)}))", arguments)

    # ---- conditions and choices

    def boolean(self, expression: Basic) -> Code:
        """True or false, as a value that the operators & | ~ work with."""
        return Code(f"np.{bool(expression)}_", ATOM, True)

    def comparison(self, expression: Relational) -> Code:
        """A comparison."""
        operator, function = COMPARISONS[type(expression)]
        left, right = map(self.write, expression.args)
        if left.is_constant and right.is_constant:
            return Code(f"np.{function}({left.text}, {right.text})", ATOM, True)
        return Code(f"{left.within(OR)} {operator} {right.within(OR)}", COMPARISON, False)

    def connective(self, expression: Basic) -> Code:
        """And, or, exclusive or."""
        operator, binding = CONNECTIVES[type(expression)]
        parts = list(map(self.write, expression.args))
        text = f" {operator} ".join(code.within(binding) for code in parts)
        return Code(text, binding, all(code.is_constant for code in parts))

    def negation(self, expression: Basic) -> Code:
        """Not."""
        condition = self.write(expression.args[0])
        return Code(f"~{condition.within(SIGN)}", SIGN, condition.is_constant)

    def where(self, condition: Code, x: Code, y: Code) -> Code:
        """X where the condition holds, else y."""
        return self._chosen(f"np.where({condition.text}, {x.text}, {y.text})", [condition], [x, y])

    def _chosen(self, text: str, conditions: Sequence[Code], values: Sequence[Code]) -> Code:
        code = self.value(text, [*conditions, *values])
        if not code.is_constant and all(value.is_constant for value in values):
            return Code(f"{text}.astype(dtype)", ATOM, False)  # of Python numbers alone it would be int64 or float64
        return code

    def select(self, expression: Select) -> Code:
        """`above` where x > threshold, `below` elsewhere, NaN where x is NaN."""
        x, _, below, above = map(self.write, expression.args)
        is_above = self.write(Basic.__new__(sympy.Gt, *expression.args[:2]))
        is_nan = Code(f"{self.prefix}.isnan({x.text})", ATOM, x.is_constant)
        return self.where(is_above, above, self.where(is_nan, x, below))

    def piecewise(self, expression: Piecewise) -> Code:
        """The value of the first condition that holds; NaN where none does."""
        pairs = [(self.write(value), condition) for value, condition in expression.args]
        default = self.constant(S.NaN)
        if pairs[-1][1] == S.true:
            default = pairs.pop()[0]
        return self.first_of([(value, self.write(condition)) for value, condition in pairs], default)

    def first_of(self, pairs: Sequence[tuple[Code, Code]], default: Code) -> Code:
        """The value of the first (value, condition) whose condition holds."""
        if len(pairs) < 3:
            for value, condition in reversed(pairs):
                default = self.where(condition, value, default)
            return default
        values, conditions = zip(*pairs, strict=True)
        tests, choices = (", ".join(code.text for code in codes) for codes in (conditions, values))
        return self._chosen(f"np.select([{tests}], [{choices}], {default.text})", conditions, [*values, default])

    def if_then_else(self, expression: boolalg.ITE) -> Code:
        """A choice between two conditions."""
        test, yes, no = expression.args
        otherwise = boolalg.Not(
            test, evaluate=False
        )  # evaluated, not(x > 0) would become x <= 0: another thing for NaN
        chosen = [boolalg.And(*pair, evaluate=False) for pair in ((test, yes), (otherwise, no))]
        return self.write(boolalg.Or(*chosen, evaluate=False))


_WRITERS: dict[type[Basic], str] = {
    Symbol: "symbol",
    Integer: "integer",
    Rational: "fraction",
    sympy.Float: "floating",
    Add: "sum",
    Mul: "product",
    Pow: "power",
    Select: "select",
    sympy.floor: "floor",
    Piecewise: "piecewise",
    sympy.re: "part",
    sympy.im: "part",
    sympy.erf: "error_function",
    sympy.erfc: "error_function",
    type(S.ImaginaryUnit): "imaginary_unit",
    boolalg.BooleanTrue: "boolean",
    boolalg.BooleanFalse: "boolean",
    boolalg.Not: "negation",
    boolalg.ITE: "if_then_else",
    **dict.fromkeys((Maximum, Minimum, sympy.Max, sympy.Min), "extremum"),
    **dict.fromkeys(map(type, CONSTANTS), "constant"),
    **dict.fromkeys(FUNCTIONS, "function"),
    **dict.fromkeys(RECIPROCALS, "reciprocal"),
    **dict.fromkeys(COMPARISONS, "comparison"),
    **dict.fromkeys(CONNECTIVES, "connective"),
}
"""The method of `NumpyCode` that writes a class of expressions."""


def _is_plain_nonzero(text: str) -> bool:
    return text.replace(".", "", 1).isdecimal() and float(text) != 0


def _is_negative(exponent: Expr) -> bool:
    return bool(exponent.is_Number and exponent.is_extended_negative)
