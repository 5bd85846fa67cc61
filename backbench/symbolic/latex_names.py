r"""What inputs and symbols of a `Program` are called in LaTeX: any name is shown, and no two of them look alike."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sympy import Symbol
from sympy.printing.latex import translate

from .program import Input, Program, element_indices

LONGEST_NAME = 40
_SPECIAL = {
    **{sign: f"\\{sign}" for sign in "{}$&#%_"},
    "\\": r"{\backslash}",
    "^": r"{\wedge}",
    "~": r"{\sim}",
}
"""Signs that mean something in LaTeX. All stand in math mode: in \text MathJax would show the backslash of most."""


@dataclass(frozen=True)
class LatexNames:
    """Names in LaTeX.

    Attributes:
        function: Of the program.
        inputs: Of its inputs.
        symbols: Of the symbols in its expressions.
    """

    function: str
    inputs: tuple[str, ...]
    symbols: dict[Symbol, str]


def latex_names(program: Program) -> LatexNames:
    """The names of a program, its inputs and its symbols; a later one that looks like an earlier one gets a mark."""
    taken: set[str] = set()
    count: dict[str, int] = {}

    def distinct(text: str) -> str:
        name = text
        while name in taken:
            count[text] = count.get(text, 0) + 1
            name = f"{{{text}{_mark(count[text])}}}"
        taken.add(name)
        return name

    symbols: dict[Symbol, str] = {}
    inputs = []
    for given in program.inputs:
        inputs.append(distinct(_variable(given.name)))
        elements = [inputs[-1]] if not given.shape else map(distinct, _elements(inputs[-1], given))
        symbols.update(zip(given.symbols, elements, strict=True))
    for assignment in program.assignments:
        symbols[assignment.symbol] = distinct(_variable(assignment.symbol.name))
    return LatexNames(_function(program.name), tuple(inputs), symbols)


def _mark(number: int) -> str:
    return "'" * number if number < 4 else f"^{{({number})}}"


def _elements(name: str, given: Input) -> list[str]:
    base = name if name.startswith("{") or not re.search(r"[_^]", name) else f"{{{name}}}"
    return [f"{base}_{{{','.join(map(str, index))}}}" for index in element_indices(given.shape)]


def _variable(name: str) -> str:
    r"""`x_1` and `x1` with an index, `lambda` as \lambda; what is no word with indices as text."""
    parts = re.fullmatch(r"([A-Za-z]+)([0-9]*)((?:_[A-Za-z0-9]+)*)", name)
    if parts is None or len(name) > LONGEST_NAME:
        return _text(name)
    word, digits, rest = parts.groups()
    indices = ",".join(map(_word, filter(None, [digits, *rest.split("_")])))
    return _word(word) + (f"_{{{indices}}}" if indices else "")


def _word(word: str) -> str:
    text = translate(word)  # Greek letters, and accents such as that of xhat
    return word if r"\left" in text or "'" in text else text  # an xabs is not the absolute value of x


def _function(name: str) -> str:
    if re.fullmatch(r"\w", name, re.ASCII):
        return _text(name) if name in "_0123456789" else name
    if re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII) and len(name) <= LONGEST_NAME:
        return rf"\operatorname{{{name.replace('_', chr(92) + '_')}}}"
    return _text(name)


def _text(name: str) -> str:
    shown = "".join(sign if sign.isprintable() else " " for sign in name[:LONGEST_NAME])
    pieces = [_SPECIAL.get(piece) or rf"\text{{{piece}}}" for piece in re.findall(r"[^\\{}$&#%_^~]+|.", shown)]
    if not shown.strip():
        pieces = [r"\square"]
    if len(name) > LONGEST_NAME:
        pieces.append(r"\dots")
    return pieces[0] if len(pieces) == 1 else f"{{{''.join(pieces)}}}"
