"""Arrays of symbols that tell when a function needs their value, instead of going on with one branch of an `if`.

To Python a symbol is true and different from 0. A function that is called once to record what it computes would so
take one branch of `if x:` or `if x == 0:` for good. The arrays given to it therefore have no truth value; comparing
them gives relations, and what the backend makes of them is an array of the same kind.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import sympy
from sympy import Expr
from sympy.logic.boolalg import Boolean

from . import sympy_arrays
from .sympy_values import free_symbols

_COMPARISONS: dict[np.ufunc, Callable[..., Any]] = {
    np.equal: sympy_arrays.equal,
    np.not_equal: sympy_arrays.not_equal,
    np.greater: sympy_arrays.greater,
    np.greater_equal: sympy_arrays.greater_equal,
    np.less: sympy_arrays.less,
    np.less_equal: sympy_arrays.less_equal,
}
_NEEDING_TRUTH = frozenset(
    [
        *(np.logical_and, np.logical_or, np.logical_xor, np.logical_not),
        *(np.any, np.all, np.where, np.select, np.piecewise, np.nonzero, np.flatnonzero, np.count_nonzero, np.argwhere),
        *(np.array_equal, np.array_equiv, np.isin, np.extract, np.compress),
    ]
)
_SIGNS_OF_A_VALUE_NEEDED = (
    "truth value of Relational",
    "ufunc",
    "Cannot convert",
    "can't convert",
    "must be real number",
    "__round__",
)
"""Parts of the messages of SymPy's, NumPy's and Python's type errors for symbols in the place of numbers."""


class NeedsValue(TypeError):
    """The value of a symbol is needed. The message says what for, and the way out."""


def _needs_value(operation: str, reason: Any) -> NeedsValue:
    return NeedsValue(
        f"{operation}: the function needs the value of a symbol, which has none ({reason}). "
        "Instead of `if` and comparisons of Python use b.select(x, threshold, below, above) or b.where(...); "
        "instead of functions such as np.exp, math.exp and float those of the backend, b.exp(x)."
    )


@contextmanager
def needing_no_value(operation: str) -> Iterator[None]:
    """In this block, errors of SymPy, NumPy and Python about symbols in the place of numbers become `NeedsValue`."""
    try:
        yield
    except NeedsValue:
        raise
    except TypeError as error:
        if not any(sign in str(error) for sign in _SIGNS_OF_A_VALUE_NEEDED):
            raise
        raise _needs_value(operation, error) from error


class RecordedArray(np.ndarray):
    """An object array of expressions whose truth is asked for in vain, unless there are no symbols in it.

    An element of it is such an array of rank 0; `item()`, `tolist()` and `flat` give bare expressions.
    """

    def _needs_value(self, what: str) -> NeedsValue:
        return _needs_value("sympy", f"{what} {self.tolist()!s:.80}")

    def _decided(self, what: str) -> np.ndarray:
        if free_symbols(self.flat):
            raise self._needs_value(what)
        return self.view(np.ndarray)

    def __bool__(self) -> bool:
        return bool(self._decided("the truth value of"))

    def __float__(self) -> float:
        return float(self._decided("float of"))

    def __int__(self) -> int:
        return int(self._decided("int of"))

    def __complex__(self) -> complex:
        return complex(self._decided("complex of"))

    def __index__(self) -> int:
        return int(self._decided("an index"))

    def _sympy_(self) -> Any:
        return self.item() if self.ndim == 0 else sympy.Array(bare(self))

    def __getitem__(self, key: Any) -> Any:
        for part in key if isinstance(key, tuple) else (key,):
            if isinstance(part, RecordedArray):
                raise part._needs_value("an index")
        return recorded(self.view(np.ndarray)[key])

    def nonzero(self) -> Any:
        """Needs the values, as `np.nonzero`."""
        return np.nonzero(self)

    def astype(self, dtype: Any, *args: Any, **kwargs: Any) -> Any:
        """As for every array, except to bool, which needs the values."""
        if np.dtype(dtype).kind == "b":
            raise self._needs_value("the truth value of")
        return super().astype(dtype, *args, **kwargs)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if ufunc in _NEEDING_TRUTH:
            raise self._needs_value(f"numpy.{ufunc.__name__} of")
        function = _COMPARISONS.get(ufunc) if method == "__call__" else None
        if function is not None:
            return recorded(function(*bare(inputs)))
        return recorded(getattr(ufunc, method)(*bare(inputs), **bare(kwargs)))

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if function in _NEEDING_TRUTH:
            raise self._needs_value(f"numpy.{function.__name__} of")
        return recorded(function(*bare(args), **bare(kwargs)))


def recorded(values: Any) -> Any:
    """Object arrays and expressions, also in tuples and lists, as `RecordedArray`; other things as they are."""
    if isinstance(values, Expr | Boolean):
        values = np.array(values, object)
    if isinstance(values, np.ndarray) and values.dtype == object:
        return values.view(RecordedArray)
    return type(values)(map(recorded, values)) if type(values) in (tuple, list) else values


def bare(values: Any) -> Any:
    """Recorded arrays, also in tuples, lists and dicts, as plain arrays; other things as they are."""
    if isinstance(values, RecordedArray):
        return values.view(np.ndarray)
    if type(values) is dict:
        return {key: bare(value) for key, value in values.items()}
    return type(values)(map(bare, values)) if type(values) in (tuple, list) else values


def is_recorded(values: Any) -> bool:
    """Whether the values are a `RecordedArray`, or tuples or lists with one in them."""
    return isinstance(values, RecordedArray) or (type(values) in (tuple, list) and any(map(is_recorded, values)))


def keeping_record(method: Callable[..., Any]) -> Callable[..., Any]:
    """The method, which for recorded arrays returns recorded ones.

    Its own work is done on plain arrays, unless it calls functions it was given: these get what was given.
    """

    @functools.wraps(method)
    def keeping(self: Any, *args: Any, **kwargs: Any) -> Any:
        if any(map(callable, args)) or not is_recorded([*args, *kwargs.values()]):
            return method(self, *args, **kwargs)
        return recorded(method(self, *bare(args), **bare(kwargs)))

    return keeping
