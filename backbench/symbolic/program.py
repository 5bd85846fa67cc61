"""`Program`: a function of arrays as named scalar expressions, the one intermediate form that all printers read."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from sympy import Basic, Symbol

from .unevaluated import unevaluated


@dataclass(frozen=True)
class Input:
    """An argument of the function: a name, a shape, and one symbol per element in C order."""

    name: str
    shape: tuple[int, ...]
    symbols: tuple[Symbol, ...]


@dataclass(frozen=True)
class Output:
    """A result of the function: a shape and one expression per element in C order."""

    shape: tuple[int, ...]
    expressions: tuple[Basic, ...]


@dataclass(frozen=True)
class Assignment:
    """symbol = expression."""

    symbol: Symbol
    expression: Basic


@dataclass(frozen=True)
class Block:
    """Consecutive assignments of one kind, such as the exponentials e_0, e_1, ... of a softmax."""

    name: str
    assignments: tuple[Assignment, ...]


@dataclass(frozen=True)
class Program:
    """What `backbench.compile` makes of a function or of expressions.

    Each expression in it is used once; what is used more often is computed in an assignment and has a name. So its size
    grows with the number of operations, not with the size of the expressions written out.

    Attributes:
        name: The name of the function.
        inputs: Its arguments.
        blocks: Assignments in the order of computation, one block for each kind of them.
        outputs: Its results, written in symbols of inputs and assignments.
        returns_tuple: Whether the function gives its outputs as a tuple, or its only one as it is.

    Example:
        >>> import backbench
        >>> program = backbench.compile(lambda b, x: backbench.softmax(b, x), {'x': (3,)}, name='softmax')
        >>> program
        Program softmax(x: (3,)) -> (3,) with 5 assignments
        >>> program.to_python()([0., 0., 0.])
        array([0.33333333, 0.33333333, 0.33333333])
    """

    name: str
    inputs: tuple[Input, ...]
    blocks: tuple[Block, ...]
    outputs: tuple[Output, ...]
    returns_tuple: bool = False

    @property
    def assignments(self) -> tuple[Assignment, ...]:
        """All assignments in the order of computation."""
        return tuple(assignment for block in self.blocks for assignment in block.assignments)

    def expressions(self) -> Iterator[Basic]:
        """All expressions: those of the assignments, then those of the outputs."""
        for assignment in self.assignments:
            yield assignment.expression
        for output in self.outputs:
            yield from output.expressions

    def to_latex(self, entry: int | tuple[int, ...] | None = None) -> str:
        r"""The formulas in LaTeX, for MathJax, at most about 4000 characters whatever the size of the program.

        Args:
            entry: Index of one element of the (first) output, for its formula alone.

        Raises:
            IndexError: When there is no such element.

        Example:
            >>> import backbench
            >>> program = backbench.compile(lambda b, x: backbench.softmax(b, x), {'x': (3,)})
            >>> print(program.to_latex(entry=0))
            f\left(x\right)_{0} = \frac{e^{x_{0} - m}}{s}
        """
        from .to_latex import to_latex

        return to_latex(self, entry)

    def to_python(self, library: str = "numpy") -> Callable[..., Any]:
        """The function as Python code, compiled. Its source is in the attribute `source`.

        Args:
            library: 'numpy': every input is an array of its own shape and any further axes, which are points that the
                function is evaluated at: x of shape (3,) is given as (3, *points), a scalar input as (*points). Outputs
                have the shape (*shape, *points). Floating point inputs keep their type.
                'mpmath': evaluates at one point with the precision of `mpmath.mp` at the time of the call, and gives
                object arrays of `mpmath.mpf`.

        Raises:
            UnsupportedOperation: For functions that the library does not have.
            ValueError: For an unknown library.

        The function raises a TypeError for arguments that are no numbers: texts, symbols, integers beyond 64 bits
        (which 'mpmath' takes). It raises a ValueError for arrays of another shape.

        Example:
            >>> import backbench, sympy
            >>> x = sympy.Symbol('x')
            >>> f = backbench.compile((x + 1) / 3, [x]).to_python()
            >>> print(f(2.0), f(np.array([0.5, 2.0])))
            1.0 [0.5 1. ]
        """
        from .to_python import to_python

        return to_python(self, library)

    def _repr_latex_(self) -> str:
        return rf"$\displaystyle {self.to_latex()}$"

    def __repr__(self) -> str:
        arguments = ", ".join(f"{given.name}: {given.shape}" for given in self.inputs)
        results = ", ".join(str(output.shape) for output in self.outputs)
        count = len(self.assignments)
        return f"Program {self.name}({arguments}) -> {results} with {count} assignment{'' if count == 1 else 's'}"

    def __reduce__(self) -> tuple[Any, ...]:
        # SymPy rebuilds nodes when it loads them; without this they would be evaluated then, and x - x become 0
        return _load, (pickle.dumps([getattr(self, field.name) for field in fields(self)]),)


def _load(data: bytes) -> Program:
    with unevaluated():
        return Program(*pickle.loads(data))


def element_indices(shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The indices of all elements of an array in C order."""
    return list(np.ndindex(*shape))
