"""Pieces of Python code, put together with as few parentheses as Python needs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

COMPARISON, OR, XOR, AND, SUM, PRODUCT, SIGN, POWER, ATOM = range(9)
"""How tightly Python's operators bind, the loosest first."""


class Code(NamedTuple):
    """Python code of an expression.

    Attributes:
        text: The code.
        binding: How tightly its outermost operator binds.
        is_constant: Whether there is no variable in it, so that its value is a Python number.
    """

    text: str
    binding: int
    is_constant: bool

    def within(self, binding: int) -> str:
        """The code as an operand of something that binds this tightly."""
        return f"({self.text})" if self.binding < binding else self.text


ONE, ZERO = Code("1", ATOM, True), Code("0", ATOM, True)


def negative(code: Code) -> Code:
    """With a minus sign."""
    return Code(f"-{code.within(PRODUCT)}", min(code.binding, SIGN), code.is_constant)


def product(factors: Sequence[Code]) -> Code:
    """The product of the factors from left to right, 1 of none."""
    if not factors:
        return ONE
    if len(factors) == 1:
        return factors[0]
    text = "*".join([factors[0].within(PRODUCT), *(code.within(SIGN) for code in factors[1:])])
    return Code(text, PRODUCT, all(code.is_constant for code in factors))


def pairwise(terms: Sequence[tuple[bool, Code]]) -> Code:
    """The sum of terms (is subtracted, code), added up in pairs, pairs of pairs and so on."""
    if len(terms) == 1:
        is_negative, code = terms[0]
        return negative(code) if is_negative else code
    if len(terms) == 2 and terms[0][0] and not terms[1][0]:
        terms = terms[::-1]  # b - a rather than -a + b
    middle = (len(terms) + 1) // 2
    left = pairwise(terms[:middle])
    if middle + 1 == len(terms):
        is_negative, right = terms[-1]
    else:
        is_negative, right = False, pairwise(terms[middle:])
    text = f"{left.within(SUM)} {'-' if is_negative else '+'} {right.within(PRODUCT)}"
    return Code(text, SUM, left.is_constant and right.is_constant)
