r"""A `Program` as formulas in LaTeX, short enough to be read: what is long is abridged before it is printed."""

from __future__ import annotations

import operator
import re
from dataclasses import dataclass

from sympy import Add, Basic, Float, Integer, Mul, Rational, Symbol
from sympy.functions.elementary.piecewise import ExprCondPair
from sympy.printing.latex import LatexPrinter

from ..backend.sympy_values import nearest_float
from .latex_names import LatexNames, latex_names
from .naming import rebuilt
from .program import Block, Output, Program, element_indices

LONGEST = 4000
LONGEST_INTEGER = 20
SHORT = 9
BETWEEN_FACTORS = "\0"
BEFORE_NUMBER = rf"{BETWEEN_FACTORS}(?=(?:\\text)?[{{ ]*\d)|(?<=[\d}}]){BETWEEN_FACTORS}(?=\\frac{{\d)"
"""Where a space between factors is not enough: in a 2 the number looks like an index."""
DOTS, AND_SO_ON = Symbol(r"\cdots"), Symbol(r"\dots")


@dataclass(frozen=True)
class _Measure:
    """How much is shown.

    Attributes:
        units: Longest row of things of one kind (assignments, terms, outputs) that is written out.
        nodes: Largest expression that is written out.
        characters: Longest formula.
        rows: Largest number of rows.
    """

    units: int
    nodes: int
    characters: int
    rows: int


MEASURES = (_Measure(8, 150, 900, 16), _Measure(4, 40, 150, 10), _Measure(2, 12, 60, 6))
"""Tried in this order until the result is not too long; the last one always fits."""


def to_latex(program: Program, entry: int | tuple[int, ...] | None = None) -> str:
    """The formulas, see `Program.to_latex`."""
    names = latex_names(program)
    for measure in MEASURES:
        writer = _Writer(program, names, measure)
        text = writer.everything() if entry is None else writer.entry(entry)
        if len(text) <= LONGEST:
            break
    return text


class _Writer:
    def __init__(self, program: Program, names: LatexNames, measure: _Measure) -> None:
        self.program = program
        self.measure = measure
        self.names = names
        self.printer = _Printer(names.symbols)
        self.short = {
            assignment.symbol: assignment.expression
            for block in program.blocks
            if block.name in ("e", "d")
            for assignment in block.assignments
            if _size(assignment.expression, SHORT) < SHORT
        }
        """What is put in where it is used, rather than named."""

    def everything(self) -> str:
        """Assignments and results, one below the other."""
        widest = max([len(block.assignments) for block in self.program.blocks] + [0])
        outputs = max([len(output.expressions) for output in self.program.outputs] + [0])
        if max(widest, outputs) > self.measure.units:
            self.short = {}
        rows = [row for block in self.program.blocks for row in self._block(block)]
        if len(rows) > self.measure.rows:
            rows = [*rows[: self.measure.rows - 2], r"& \;\, \vdots", rows[-1]]
        results = [f"{self._name(i)} &= {self._array(output)}" for i, output in enumerate(self.program.outputs)]
        if len(results) > self.measure.rows:
            results = [*results[: self.measure.rows - 2], r"& \;\, \vdots", results[-1]]
        return r"\begin{aligned} " + r" \\ ".join([*rows, *results]) + r" \end{aligned}"

    def entry(self, entry: int | tuple[int, ...]) -> str:
        """One element of the output."""
        output = self.program.outputs[0]
        indices = element_indices(output.shape)
        try:
            index = tuple(map(operator.index, entry if isinstance(entry, tuple | list) else (entry,)))
        except TypeError:
            index = (-1,)
        if len(index) == 1 and len(output.shape) != 1 and 0 <= index[0] < len(indices):
            index = indices[index[0]]
        if index not in indices:
            raise IndexError(f"{self.program.name} has no entry {entry!r}; the shape of its output is {output.shape}.")
        subscript = f"_{{{', '.join(map(str, index))}}}" if index else ""
        return f"{self._name(0)}{subscript} = {self._formula(output.expressions[indices.index(index)])}"

    def _block(self, block: Block) -> list[str]:
        named = [entry for entry in block.assignments if entry.symbol not in self.short]
        if len(named) <= self.measure.units:
            return [f"{self.printer.doprint(entry.symbol)} &= {self._formula(entry.expression)}" for entry in named]
        first, last = (
            (self.printer.doprint(entry.symbol), self._formula(entry.expression)) for entry in (named[0], named[-1])
        )
        return [rf"{first[0]} &= {first[1]}, \;\dots,\; {last[0]} = {last[1]}"]

    def _name(self, number: int) -> str:
        """The left side of a result, such as softmax(x)."""
        label = self.names.function
        if len(self.program.outputs) > 1:
            label += f"^{{({number + 1})}}"
        given = list(self.names.inputs)
        if len(given) > self.measure.units:
            given = [*given[:2], r"\dots", given[-1]]
        return rf"{label}\left({', '.join(given)}\right)"

    def _array(self, output: Output) -> str:
        if not output.shape:
            return self._formula(output.expressions[0])
        entries = output.expressions
        columns = output.shape[1] if len(output.shape) == 2 and max(output.shape) <= self.measure.units // 2 else 1
        if len(entries) > max(self.measure.units, columns * columns):
            lines = [*map(self._formula, entries[:2]), r"\vdots", self._formula(entries[-1])]
        else:
            cells = [rf"\displaystyle {self._formula(entry)}" for entry in entries]
            lines = [" & ".join(cells[i : i + columns]) for i in range(0, len(cells), max(columns, 1))]
        return r"\begin{bmatrix} " + r" \\[4pt] ".join(lines) + r" \end{bmatrix}"

    def _formula(self, expression: Basic) -> str:
        text = self.printer.doprint(_Abridged(self.measure, self.short).of(expression))
        return text if len(text) <= self.measure.characters else r"\dots"


class _Abridged:
    """Shortens one expression, and puts short definitions in."""

    def __init__(self, measure: _Measure, short: dict[Symbol, Basic]) -> None:
        self.units = measure.units
        self.left = measure.nodes
        self.short = short

    def of(self, expression: Basic) -> Basic:
        """The expression with dots in the place of what is too much."""
        expression = self.short.get(expression, expression)
        self.left -= 1
        if not expression.args:
            return expression
        if self.left < len(expression.args) and not isinstance(expression, ExprCondPair):
            return AND_SO_ON
        args = expression.args
        if len(args) > self.units:
            between = DOTS if isinstance(expression, Add | Mul) else AND_SO_ON
            args = (*args[:2], ExprCondPair(DOTS, DOTS) if isinstance(args[0], ExprCondPair) else between, args[-1])
        return rebuilt(expression, [self.of(arg) for arg in args])


def _size(expression: Basic, limit: int) -> int:
    """The number of nodes, at most the limit."""
    size = 1
    for arg in expression.args:
        if size >= limit:
            break
        size += _size(arg, limit - size)
    return min(size, limit)


class _Printer(LatexPrinter):
    """SymPy's printer, with all digits of numbers, with given names, and with a dot before numbers behind factors."""

    def __init__(self, names: dict[Symbol, str]) -> None:
        super().__init__({"order": "none", "symbol_names": names, "mul_symbol": BETWEEN_FACTORS})

    def doprint(self, expr: Basic) -> str:
        """The expression in LaTeX."""
        return re.sub(BETWEEN_FACTORS, " ", re.sub(BEFORE_NUMBER, r" \\cdot ", super().doprint(expr)))

    def _print_Float(self, number: Float) -> str:
        # all 17 digits if need be, where SymPy prints 15
        digits, _, exponent = repr(nearest_float(number)).partition("e")
        if digits.endswith("inf"):
            return digits.replace("inf", r"\infty")
        return digits if not exponent else rf"{digits} \cdot 10^{{{int(exponent)}}}"

    def _print_Integer(self, number: Integer) -> str:
        return str(number) if len(str(number)) <= LONGEST_INTEGER else self._print_Float(number)

    def _print_Rational(self, number: Rational) -> str:
        is_long = max(len(str(number.p)), len(str(number.q))) > LONGEST_INTEGER
        return self._print_Float(number) if is_long else super()._print_Rational(number)

    def _print_Symbol(self, symbol: Symbol, style: str = "plain") -> str:
        return symbol.name if symbol in (DOTS, AND_SO_ON) else super()._print_Symbol(symbol, style)
