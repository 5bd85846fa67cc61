"""Expressions that are computed as a whole: written out, they would lose digits or overflow."""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Add, Basic, Expr, S, exp, log


@dataclass(frozen=True)
class Stable:
    """An expression that libraries have a stable function for.

    Attributes:
        name: 'softplus' for log(1 + exp(u)), 'log1p' for log(1 + u), 'expm1' for exp(u) - 1.
        operand: The expression u.
    """

    name: str
    operand: Expr


def match_stable(expression: Basic) -> Stable | None:
    """The stable function that computes the expression, if there is one."""
    kind = type(expression)
    if kind is log:
        rest = _other_term(expression.args[0], S.One)
        if rest is not None:
            return Stable("softplus", rest.args[0]) if type(rest) is exp else Stable("log1p", rest)
    elif kind is Add:
        rest = _other_term(expression, S.NegativeOne)
        if rest is not None and type(rest) is exp:
            return Stable("expm1", rest.args[0])
    return None


def _other_term(expression: Expr, term: Expr) -> Expr | None:
    """The other one of the two terms of a sum of which one is `term`."""
    if type(expression) is not Add or len(expression.args) != 2:
        return None
    first, second = expression.args  # 1 and -1 are single objects in SymPy
    return second if first is term else first if second is term else None


def is_negation(expression: Basic) -> bool:
    """Whether the expression is -u, a product of -1 and one factor."""
    return expression.is_Mul and len(expression.args) == 2 and expression.args[0] is S.NegativeOne


def is_reciprocal(expression: Basic) -> bool:
    """Whether the expression is 1/u."""
    return expression.is_Pow and expression.args[1] is S.NegativeOne
