"""`compile`: from a function or from expressions to a `Program`."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from sympy import Basic, Expr, MatrixBase, Symbol
from sympy.logic.boolalg import Boolean

from ..backend.sympy_backend import SYMPY
from ..backend.sympy_recording import needing_no_value, recorded
from .naming import name_shared
from .program import Input, Output, Program, element_indices
from .unevaluated import unevaluated


def compile(f: Any, inputs: Mapping[str, Any] | Sequence[Symbol], *, name: str = "f") -> Program:
    """Makes a `Program` of a function of arrays, or of SymPy expressions.

    A function is called once with the backend SYMPY and arrays of symbols. What it computes is recorded as it is
    written: nothing is simplified, so the program computes what the function computes on numbers, also NaN and ±inf.

    Args:
        f: A function f(b, *arrays) that computes with the methods of the backend b and returns an array, or a tuple of
            arrays. Or one expression, a list or array of them (one output), or a tuple of these (several outputs).
        inputs: For a function the names and shapes of its arrays, in order: {'x': (3,), 't': ()}. The elements of x are
            the symbols x_0, x_1, x_2; an array of shape () is a symbol of its own name. For expressions their symbols.
        name: Name of the program and of the function that it becomes.

    Returns:
        The program.

    Raises:
        TypeError: When f is neither, when it returns no arrays, or when it needs the value of a symbol, as `if x > 0`
            and `np.exp(x)` do. Expressions taken out of the arrays, by `x.item()` or `x.tolist()`, are SymPy's own:
            comparing these with `==` tells whether they are written the same, without an error.
        ValueError: For bad shapes, a name twice, or symbols in the expressions which are no inputs.

    Example:
        >>> import backbench, sympy
        >>> program = backbench.compile(lambda b, x, y: b.sum(b.mul(x, y)), {'x': (2,), 'y': (2,)}, name='dot')
        >>> float(program.to_python()([1., 2.], [3., 4.]))
        11.0
        >>> a, b = sympy.symbols('a b')
        >>> backbench.compile([a / b, a - b], [a, b]).to_python()(6., 3.)
        array([2., 3.])
    """
    if not isinstance(name, str) or not name:
        raise ValueError(f"compile: the name of a program is a text such as 'softmax', not {name!r}.")
    if isinstance(f, Basic | MatrixBase | list | tuple | np.ndarray):
        arguments, results = _given_symbols(inputs), f
    elif callable(f):
        arguments = _new_symbols(inputs)
        results = _traced(f, arguments)
    else:
        raise TypeError(f"compile: f is a function f(b, *arrays) or SymPy expressions, not {type(f).__name__}.")
    outputs = [_output(result) for result in (results if isinstance(results, tuple) else (results,))]
    return _cut(name, arguments, outputs, isinstance(results, tuple))


def _given_symbols(inputs: Any) -> tuple[Input, ...]:
    is_several = isinstance(inputs, Iterable) and not isinstance(inputs, str)
    symbols = list(inputs) if is_several else [inputs]
    for symbol in symbols:
        if not isinstance(symbol, Symbol):
            hint = "Give the shapes of inputs {'x': (3,)} only together with a function f(b, x)."
            raise TypeError(f"compile: the inputs of expressions are SymPy symbols, not {symbol!r}. {hint}")
    if len(set(symbols)) < len(symbols):
        raise ValueError(f"compile: a symbol stands twice among the inputs {symbols}.")
    return tuple(Input(symbol.name, (), (symbol,)) for symbol in symbols)


def _new_symbols(inputs: Any) -> tuple[Input, ...]:
    if not isinstance(inputs, Mapping):
        hint = "such as {'x': (3,), 't': ()}"
        raise TypeError(f"compile: a function needs the names and shapes of its inputs, {hint}, not {inputs!r}.")
    shapes = {name: _shape(name, shape) for name, shape in inputs.items()}
    taken = {name for name, shape in shapes.items() if not shape}
    arguments = []
    for name, shape in shapes.items():
        names = [name] if not shape else []
        for index in element_indices(shape) if shape else ():
            element = "_".join([name, *map(str, index)])
            while element in taken:
                element += "_"
            names.append(element)
        taken.update(names)
        arguments.append(Input(name, shape, tuple(map(Symbol, names))))
    return tuple(arguments)


def _shape(name: Any, shape: Any) -> tuple[int, ...]:
    if not isinstance(name, str) or not name:
        raise TypeError(f"compile: names of inputs are texts, not {name!r}.")
    try:
        sizes = (operator.index(shape),) if not isinstance(shape, Iterable) else tuple(map(operator.index, shape))
    except TypeError:
        sizes = (-1,)
    if any(size < 0 for size in sizes):
        raise ValueError(f"compile: the shape of input '{name}' is a tuple of sizes such as (3,) or (), not {shape!r}.")
    return sizes


def _traced(f: Callable[..., Any], arguments: Iterable[Input]) -> Any:
    """What f returns for arrays of symbols, computed as it is written."""
    arrays = []
    for argument in arguments:
        array = np.empty(argument.shape, object)
        array[...] = np.reshape(np.array(argument.symbols, object), argument.shape)
        arrays.append(recorded(array))
    with unevaluated(), needing_no_value("compile"):
        return f(SYMPY, *arrays)


def _output(result: Any) -> Output:
    if isinstance(result, MatrixBase):
        result = np.array(result.tolist(), object)
    array = SYMPY.as_tensor(result)
    for expression in array.flat:
        if not isinstance(expression, Expr | Boolean):
            raise TypeError(f"compile: {expression!r} of type {type(expression).__name__} is no expression of numbers.")
    return Output(array.shape, tuple(array.flat))


def _cut(name: str, arguments: tuple[Input, ...], outputs: Sequence[Output], returns_tuple: bool) -> Program:
    """The program, with assignments for what is used more than once."""
    expressions = [expression for output in outputs for expression in output.expressions]
    symbols = [symbol for argument in arguments for symbol in argument.symbols]
    blocks, written = name_shared(expressions, symbols)
    rest = iter(written)
    outputs = [Output(output.shape, tuple(next(rest) for _ in output.expressions)) for output in outputs]
    return Program(name, arguments, blocks, tuple(outputs), returns_tuple)
