"""A `Program` as a Python function: generated source text, executed once, and kept for the reader."""

from __future__ import annotations

import builtins
import itertools
import keyword
import linecache
import re
import textwrap
import unicodedata
import weakref
from collections.abc import Callable, Iterator
from typing import Any

from sympy import Symbol
from sympy.logic.boolalg import Boolean

from .mpmath_code import MpmathCode
from .program import Input, Program, element_indices
from .python_code import NumpyCode

LIBRARIES: dict[str, tuple[type[NumpyCode], str]] = {
    "numpy": (NumpyCode, "import numpy as np"),
    "mpmath": (MpmathCode, "import numpy as np\nfrom backbench.symbolic import mpmath_functions as mp"),
}
LINE_LENGTH = 100
INDENT = "    "
RESERVED = frozenset(
    [
        "__debug__",
        "np",
        "mp",
        "reduce",
        "total",
        "erf",
        "erfc",
        "dtype",
        "points",
        "values",
        "v",
        "isinstance",
        "int",
        "float",
        "complex",
        "bool",
        "object",
        "any",
        "TypeError",
        "ValueError",
    ]
)
"""Names that the generated code uses itself, and the one that Python keeps without calling it a keyword."""

_serial = itertools.count(1)


def to_python(program: Program, library: str = "numpy") -> Callable[..., Any]:
    """The compiled function, see `Program.to_python`."""
    if library not in LIBRARIES:
        raise ValueError(f"Unknown library {library!r}. Known: {', '.join(LIBRARIES)}.")
    name = identifier(program.name, set(RESERVED))
    source = _Source(program, library).text(name)
    file = f"<backbench {name} {next(_serial)}>"
    namespace: dict[str, Any] = {"__name__": file}
    exec(builtins.compile(source, file, "exec"), namespace)
    function = namespace[name]
    function.source = source
    # for tracebacks and inspect.getsource, as long as the function lives
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    weakref.finalize(function, linecache.cache.pop, file, None)
    return function


def identifier(name: str, taken: set[str]) -> str:
    """A name that Python allows for a variable and that is not taken; it is added to those."""
    # Python reads identifiers in this normal form, so two names may be one to it
    word = re.sub(r"\W", "_", unicodedata.normalize("NFKC", name))
    if not word.isidentifier():
        word = f"_{word}"
    while keyword.iskeyword(word) or word in taken:
        word += "_"
    taken.add(word)
    return word


class _Source:
    """The source text of a program for one library."""

    def __init__(self, program: Program, library: str) -> None:
        self.program = program
        self.is_numpy = library == "numpy"
        writer, self.header = LIBRARIES[library]
        count = len(program.outputs)
        self.results = [f"out_{i}" for i in range(count)] if count > 1 else ["out"]
        taken = {*RESERVED, *self.results}
        self.parameters = [identifier(given.name, taken) for given in program.inputs]
        names: dict[Symbol, str] = {}
        for given, parameter in zip(program.inputs, self.parameters, strict=True):
            for symbol in given.symbols:
                names[symbol] = identifier(symbol.name, taken) if given.shape else parameter
        for assignment in program.assignments:
            names[assignment.symbol] = identifier(assignment.symbol.name, taken)
        self.writer = writer(names)

    def text(self, name: str) -> str:
        """The module: imports and one function of this name."""
        self._refusal = f"raise TypeError('{name} takes numbers: bool, int of at most 64 bits, float or complex.')"
        steps = "\n".join([*self._assignments(), *self._outputs()])
        inputs = self._numpy_inputs() if self.is_numpy else self._mpmath_inputs()
        body = [f'"""{self._summary(name)}"""', *inputs, *self._unpacking(), *self._containers()]
        if self.is_numpy and steps:
            steps = f"with np.errstate(all='ignore'):\n{textwrap.indent(steps, INDENT)}"
        results = ", ".join(self.results) + ("," if self.program.returns_tuple and len(self.results) == 1 else "")
        body += [*([steps] if steps else []), f"return {results}"]
        imports = "\n".join([self.header, *sorted(self.writer.imports)])
        functions = [*sorted(self.writer.helpers), f"def {name}({', '.join(self.parameters)}):\n"]
        functions[-1] += textwrap.indent("\n".join(body), INDENT)
        return "\n\n\n".join([imports, *functions]) + "\n"

    def _summary(self, name: str) -> str:
        points = self.is_numpy

        def described(shape: tuple[int, ...]) -> str:
            return f"({', '.join([*map(str, shape), *['*points'] * points])}{',' if len(shape) + points == 1 else ''})"

        given = ", ".join(
            f"{parameter} {described(entry.shape)}"
            for parameter, entry in zip(self.parameters, self.program.inputs, strict=True)
        )
        returned = ", ".join(described(output.shape) for output in self.program.outputs)
        return f"{name} of {given or 'nothing'}; returns {returned}."

    def _numpy_inputs(self) -> Iterator[str]:
        """Arguments as arrays of one floating point type, Python numbers having none of their own; their points."""
        inputs, names = self.program.inputs, self.parameters
        real = "1j" if self.writer.is_complex else "1.0"
        if not inputs:
            yield f"dtype = np.result_type({real})"
            yield "points = ()"
            return
        if len(inputs) == 1:
            yield f"{names[0]} = np.asarray({names[0]})"
            yield f"if {names[0]}.dtype.kind not in 'biufc':"
            yield f"    {self._refusal}"
            yield f"dtype = np.result_type({names[0]}, {real})"
            yield f"{names[0]} = {names[0]}.astype(dtype, copy=False)"
        else:
            given = ", ".join(names)
            yield f"values = ({given})"
            yield "values = [v if isinstance(v, (int, float, complex)) else np.asarray(v) for v in values]"
            yield "if any(np.asarray(v).dtype.kind not in 'biufc' for v in values):"
            yield f"    {self._refusal}"
            yield f"dtype = np.result_type({real}, *values)"
            yield f"{given} = (np.asarray(v, dtype) for v in values)"
        points = []
        for name, entry in zip(names, inputs, strict=True):
            axes = len(entry.shape)
            points.append(f"{name}.shape[{axes}:]" if axes else f"{name}.shape")
            if axes:
                yield f"if {name}.shape[:{axes}] != {entry.shape}:"
                sizes = ", ".join(map(str, entry.shape))
                yield f"    raise ValueError(f'{name} has shape {{{name}.shape}}; needed is ({sizes}, *points).')"
        yield f"points = {points[0]}" if len(points) == 1 else f"points = np.broadcast_shapes({', '.join(points)})"

    def _mpmath_inputs(self) -> Iterator[str]:
        for name, entry in zip(self.parameters, self.program.inputs, strict=True):
            yield f"{name} = mp.numbers({name}, {entry.shape}, '{name}'){'' if entry.shape else '.item()'}"

    def _unpacking(self) -> Iterator[str]:
        for name, entry in zip(self.parameters, self.program.inputs, strict=True):
            if entry.shape and entry.symbols:
                yield _wrapped(self._nested(entry), name)

    def _nested(self, entry: Input) -> str:
        """The symbols of an array as nested tuples, as Python unpacks it."""
        parts = [self.writer.names[symbol] for symbol in entry.symbols]
        for size in reversed(entry.shape):
            groups = [parts[i : i + size] for i in range(0, len(parts), size)]
            parts = [f"({', '.join(group)}{',' * (size == 1)})" for group in groups]
        return parts[0] if entry.shape[0] == 1 else parts[0][1:-1]

    def _assignments(self) -> Iterator[str]:
        for assignment in self.program.assignments:
            code = self.writer.write(assignment.expression)
            if code.is_constant:
                self.writer.declare_constant(assignment.symbol)
            yield _wrapped(self.writer.names[assignment.symbol], code.text)

    def _containers(self) -> Iterator[str]:
        definitions = {assignment.symbol: assignment.expression for assignment in self.program.assignments}
        for name, output in zip(self.results, self.program.outputs, strict=True):
            values = [definitions.get(value, value) for value in output.expressions]
            # SymPy's symbols are booleans too
            are_conditions = values and all(isinstance(v, Boolean) and not isinstance(v, Symbol) for v in values)
            dtype = "bool" if are_conditions else "dtype"
            if self.is_numpy:
                sizes = "".join(f"{size}, " for size in output.shape)
                yield f"{name} = np.empty({f'({sizes}*points)' if sizes else 'points'}, {dtype})"
            else:
                yield f"{name} = np.empty({output.shape}, object)"

    def _outputs(self) -> Iterator[str]:
        for name, output in zip(self.results, self.program.outputs, strict=True):
            for index, expression in zip(element_indices(output.shape), output.expressions, strict=True):
                code = self.writer.write(expression)
                text = code.text if self.is_numpy or not code.is_constant else f"mp.number({code.text})"
                yield _wrapped(f"{name}[{', '.join(map(str, index)) or '...'}]", text)


def _wrapped(target: str, value: str) -> str:
    """An assignment, in several lines where it is long."""
    line = f"{target} = {value}"
    if len(line) <= LINE_LENGTH:
        return line
    rows, row = [], ""
    text = target if len(target) > len(value) else value
    for word in text.split(" "):
        if row and len(row) + len(word) >= LINE_LENGTH:
            rows.append(row)
            row = word
        else:
            row = f"{row} {word}" if row else word
    block = "(\n" + "".join(f"    {row}\n" for row in [*rows, row]) + ")"
    return f"{block} = {value}" if text is target else f"{target} = {block}"
