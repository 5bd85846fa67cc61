"""Functions of SymPy scalars that build expressions either evaluated, as SymPy does, or exactly as written.

Inside `with sympy.evaluate(False)` the nodes are made directly: nothing is reordered, cancelled or compared, so the
expression computes what the same calls compute on numbers, and building it takes microseconds a node. Only exact
identities are applied there: x + 0, 1·x, x/1, x**1, exp(0) and arithmetic of rational numbers.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable

import sympy
from sympy import Add, Basic, Expr, Integer, Mul, Piecewise, Pow, Rational, S, sympify
from sympy.codegen import cfunctions
from sympy.core.parameters import global_parameters
from sympy.core.relational import Relational

from .sympy_nodes import Select
from .sympy_values import FLOAT_DIGITS, LARGEST_EXPONENT, WORKING_DIGITS, exponent, limit_of

_LARGEST_EXACT_EXPONENT = 64
_LARGEST_EXACT_POWER = 2**17
"""In bits. A power of exact numbers with more of them is computed with floats, of which the size is no matter."""


def _node(cls: type[Basic], *args: Expr) -> Expr:
    node = Basic.__new__(cls, *args)
    node.is_commutative = True
    return node


def sum_as_written(terms: Iterable[Expr]) -> Expr:
    """The sum of all terms as one node, without exact zeros."""
    terms = [term for term in terms if term is not S.Zero]
    if len(terms) < 2:
        return terms[0] if terms else S.Zero
    if all(term.is_Rational for term in terms):
        return functools.reduce(add, terms)
    return Add(*terms) if _evaluates() else _node(Add, *terms)


def product_as_written(factors: Iterable[Expr]) -> Expr:
    """The product of all factors, from left to right."""
    return functools.reduce(mul, factors, S.One)


def _evaluates() -> bool:
    return global_parameters.evaluate


def add(a: Expr, b: Expr) -> Expr:
    """A + b."""
    if _evaluates():
        return a + b
    if a is S.Zero:
        return b
    if b is S.Zero:
        return a
    if a.is_Rational and b.is_Rational:
        return Rational(a.p * b.q + b.p * a.q, a.q * b.q)
    return _node(Add, a, b)


def neg(a: Expr) -> Expr:
    """-a."""
    if _evaluates() or a.is_Number:
        return -a
    if a.is_Mul and len(a.args) == 2 and a.args[0] is S.NegativeOne:
        return a.args[1]
    return _node(Mul, S.NegativeOne, a)


def mul(a: Expr, b: Expr) -> Expr:
    """A · b."""
    if _evaluates():
        return a * b
    if a is S.One:
        return b
    if b is S.One:
        return a
    if a.is_Rational and b.is_Rational:
        return Rational(a.p * b.p, a.q * b.q)
    return _node(Mul, a, b)


def reciprocal(a: Expr) -> Expr:
    """1 / a."""
    return pow(a, S.NegativeOne)


def pow(base: Expr, power: Expr) -> Expr:
    """Base ** power."""
    if _evaluates():
        limit = limit_of(Pow, base, power)
        if limit is not None:
            return limit
        if power.is_Rational and _bits_of_power(base, power) > _LARGEST_EXACT_POWER:
            return base.evalf(WORKING_DIGITS + len(str(power.p))) ** power
        return base**power
    if power is S.One:
        return base
    if power is S.Zero:
        return S.One
    small = power.is_Integer and abs(power.p) <= _LARGEST_EXACT_EXPONENT
    if small and base.is_Rational and (base.p != 0 or power.p > 0):
        p, q = (base.p, base.q) if power.p > 0 else (base.q, base.p)
        return Rational(p ** abs(power.p), q ** abs(power.p))
    return _node(Pow, base, power)


def _bits_of_power(base: Expr, power: Rational) -> int:
    """How large the exact power of a number is; 0 for symbols, and where SymPy keeps it a formula."""
    if base.is_Float or base is S.Exp1 or base in (S.Zero, S.One, S.NegativeOne) or not base.is_number:
        return 0
    bits = max(abs(base.p), base.q).bit_length() if base.is_Rational else 1
    return bits * abs(power.p) // power.q


def function(cls: type[Expr]) -> Callable[..., Expr]:
    """The function that builds nodes of a SymPy function such as `sympy.tanh`."""
    nargs = cls.nargs

    def build(*args: Expr) -> Expr:
        if _evaluates():
            limit = limit_of(cls, *args)
            return cls(*args) if limit is None else limit
        for arg in args:
            # is remembered: asked later, SymPy would walk down all of a deep expression, recursively
            _ = arg.is_commutative
        node = Basic.__new__(cls, *args)
        node.nargs = nargs
        return node

    build.__name__ = cls.__name__
    return build


_exp, log = function(sympy.exp), function(sympy.log)
log2, log10 = function(cfunctions.log2), function(cfunctions.log10)
sin, cos, tan = function(sympy.sin), function(sympy.cos), function(sympy.tan)
asin, acos, atan, atan2 = function(sympy.asin), function(sympy.acos), function(sympy.atan), function(sympy.atan2)
sinh, cosh, tanh = function(sympy.sinh), function(sympy.cosh), function(sympy.tanh)
asinh, acosh, atanh = function(sympy.asinh), function(sympy.acosh), function(sympy.atanh)
erf, sign = function(sympy.erf), function(sympy.sign)
floor, ceil = function(sympy.floor), function(sympy.ceiling)
real, imag, conj = function(sympy.re), function(sympy.im), function(sympy.conjugate)
absolute, remainder = function(sympy.Abs), function(sympy.Mod)


def quotient(a: Expr, b: Expr) -> Expr:
    """A / b rounded down."""
    return floor(mul(a, reciprocal(b)))


def exp(x: Expr) -> Expr:
    """Exponential function; it is 1 at 0 in any case."""
    return S.One if x is S.Zero else _exp(x)


def sqrt(x: Expr) -> Expr:
    """The square root."""
    return pow(x, S.Half)


def log1p(x: Expr) -> Expr:
    """log(1 + x), which the printers recognize."""
    return _with_all_digits(lambda x: log(add(S.One, x)), x)


def expm1(x: Expr) -> Expr:
    """exp(x) - 1, which the printers recognize."""
    return _with_all_digits(lambda x: add(exp(x), S.NegativeOne), x)


def softplus(x: Expr) -> Expr:
    """log(1 + exp(x)), which the printers recognize."""
    return _with_all_digits(lambda x: log(add(S.One, exp(x))), x)


def sigmoid(x: Expr) -> Expr:
    """1 / (1 + exp(-x))."""
    return reciprocal(add(S.One, exp(neg(x))))


def _with_all_digits(build: Callable[[Expr], Expr], x: Expr) -> Expr:
    """build(x); at a Float by way of the exact number, for in Floats 1 + x would lose the digits of x."""
    if x.is_Float and _evaluates() and abs(exponent(x)) <= LARGEST_EXPONENT:
        return build(Rational(x)).evalf(FLOAT_DIGITS)
    return build(x)


def relation(cls: type[Relational], of_integers: Callable[[int, int], bool]) -> Callable[[Expr, Expr], Basic]:
    """The function that compares two expressions: true, false, or a relation where that is not decided."""

    def compare(a: Expr, b: Expr) -> Basic:
        if a.is_Rational and b.is_Rational:  # SymPy would ask for their signs, which takes a thousand times longer
            return S.true if of_integers(a.p * b.q, b.p * a.q) else S.false
        if a is S.NaN or b is S.NaN:
            return S.true if cls is sympy.Ne else S.false
        if _evaluates() or (a.is_Number and b.is_Number):
            return cls(a, b, evaluate=True)
        return Basic.__new__(cls, a, b)

    compare.__name__ = cls.__name__
    return compare


greater, greater_equal = relation(sympy.Gt, operator.gt), relation(sympy.Ge, operator.ge)
less, less_equal = relation(sympy.Lt, operator.lt), relation(sympy.Le, operator.le)
equal, not_equal = relation(sympy.Eq, operator.eq), relation(sympy.Ne, operator.ne)


def isnan(x: Expr) -> Basic:
    """Whether x is NaN: of a symbol the relation x != x, which holds for nothing else."""
    return S.true if x is S.NaN else S.false if x.is_number else sympy.Ne(x, x, evaluate=False)


def isfinite(x: Expr) -> Basic:
    """Whether x is neither infinite nor NaN: of a symbol the relation |x| < oo."""
    return sympify(x.is_finite is not False) if x.is_number else sympy.Lt(absolute(x), S.Infinity, evaluate=False)


def connective(cls: type[Basic], of_integers: Callable[[int, int], int]) -> Callable[[Basic, Basic], Basic]:
    """The function that connects two conditions, or the bits of two integers."""

    def connect(a: Basic, b: Basic) -> Basic:
        if isinstance(a, Integer) and isinstance(b, Integer):
            return Integer(of_integers(a.p, b.p))
        if isinstance(a, Expr) or isinstance(b, Expr):
            raise TypeError(f"sympy: {cls.__name__} connects two conditions or two integers, not {a} and {b}.")
        return cls(a, b)

    return connect


and_, or_, xor = (
    connective(sympy.And, operator.and_),
    connective(sympy.Or, operator.or_),
    connective(sympy.Xor, operator.xor),
)


def where(condition: Basic, x: Basic, y: Basic) -> Basic:
    """X where the condition holds, y elsewhere."""
    if condition in (S.true, S.false):
        return x if condition == S.true else y
    if not isinstance(x, Expr) and not isinstance(y, Expr):
        return sympy.ITE(condition, x, y)
    return Piecewise((as_number(x), condition), (as_number(y), S.true), evaluate=False)


def as_condition(x: Basic) -> Basic:
    """A condition as it is; a number as whether it is not 0."""
    return not_equal(x, S.Zero) if isinstance(x, Expr) else x


def as_number(x: Basic) -> Expr:
    """An expression as it is; a condition as 1 or 0."""
    return x if isinstance(x, Expr) else where(x, S.One, S.Zero)


def any_of(conditions: Iterable[Basic]) -> Basic:
    """Whether one condition holds."""
    return sympy.Or(*conditions)


def all_of(conditions: Iterable[Basic]) -> Basic:
    """Whether all conditions hold."""
    return sympy.And(*conditions)


def truncated(x: Expr) -> Expr:
    """X rounded towards 0."""
    return Select(x, S.Zero, ceil(x), floor(x))


def new_variable() -> Expr:
    """A real symbol, different from all others."""
    return sympy.Dummy("x", real=True)


def derivative(expression: Expr, symbol: Expr) -> Expr:
    """The derivative, exact except where the function jumps.

    Raises:
        TypeError: For functions that SymPy cannot differentiate.
    """
    slope = sympify(expression).diff(symbol)
    if slope.has(sympy.Derivative, sympy.Subs):
        raise TypeError(
            f"sympy: no formula for the derivative {slope}. Give one with backbench.with_gradient(f, gradient)."
        )
    return slope
