"""One call of a function on one backend at one precision: its inputs, its outputs, its time."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ..backend import Backend, choose_backend, get_backend, precision
from ..backend.dtypes import DType
from .result import EXACT, Precision

_SECONDS_TO_SPEND = 0.5  # on the timed runs of one call


@dataclass(frozen=True)
class Run:
    """What a call returned: ndarrays, for SymPy of expressions; or what it raised.

    Attributes:
        backend: Name of the backend.
        precision: 16, 32, 64, None or 'exact'.
        outputs: The arrays.
        returns_tuple: Whether the function returned them as a tuple, or its only one as it is.
        seconds: The shortest of the timed runs; NaN without one.
        error: What was raised.
    """

    backend: str
    precision: Precision
    outputs: tuple[np.ndarray, ...] = ()
    returns_tuple: bool = False
    seconds: float = math.nan
    error: Exception | None = None


def name_of(backend: str | Backend) -> str:
    """The name of a backend, whose library may be missing."""
    return backend if isinstance(backend, str) else backend.name


def precision_of(backend: str | Backend) -> Precision:
    """The highest precision of a backend, which for SymPy is the only one."""
    return EXACT if name_of(backend) == "sympy" else 64


def as_numbers(value: Any, position: int) -> np.ndarray:
    """An input as an ndarray of real numbers.

    Raises:
        TypeError: When it is none.
    """
    is_foreign = hasattr(value, "shape") and not isinstance(value, np.ndarray | np.generic)
    array = np.asarray(choose_backend(value).numpy(value) if is_foreign else value)
    if array.dtype.kind not in "biuf":
        kind = "complex numbers" if array.dtype.kind == "c" else f"a {type(value).__name__} of type {array.dtype}"
        raise TypeError(f"compare: inputs are arrays of real numbers; input {position} is {kind}: {value!r:.80}.")
    DType.from_numpy(array.dtype)  # says so when no backend has the type
    return array


def run(
    f: Callable[..., Any], inputs: tuple[np.ndarray, ...], backend: str | Backend, bits: Precision, repeat: int
) -> Run:
    """Calls f once to see what it returns, then up to `repeat` times (0 is allowed) to see how long it takes.

    Whatever is raised on the way, be it that the library is missing, is part of the answer.
    """
    name = name_of(backend)
    try:
        b = get_backend(backend)
        with precision(64 if bits == EXACT else bits), b:  # type: ignore[arg-type]
            tensors = [_exactly(b, x) if bits == EXACT else b.as_tensor(_rounded(x, bits)) for x in inputs]
            result = f(b, *tensors)
            if result is None:
                raise TypeError("compare: the function returned None, expected numbers: it may lack a `return`.")
            outputs = tuple(_output(b, y, bits) for y in (result if isinstance(result, tuple) else (result,)))
            seconds = _shortest(lambda: b.block_until_ready(f(b, *tensors)), repeat)
    except Exception as error:
        return Run(name, bits, error=error)
    return Run(name, bits, outputs, isinstance(result, tuple), seconds)


def _rounded(x: np.ndarray, bits: Precision) -> np.ndarray:
    """Floats in the type of a precision, in memory of their own; integers as they are."""
    with np.errstate(all="ignore"):  # what is too large becomes inf
        return x.astype(f"float{bits}") if bits is not None and x.dtype.kind == "f" else x.copy()


def _exactly(b: Backend, x: np.ndarray) -> Any:
    """The rational numbers that floats are, bit by bit."""
    if x.dtype.kind != "f":
        return b.as_tensor(x)
    from ..backend.sympy_backend import exact

    numbers = [Fraction(*v.as_integer_ratio()) if math.isfinite(v) else v for v in map(float, x.flat)]
    return exact(np.array(numbers, object).reshape(x.shape))


def _output(b: Backend, y: Any, bits: Precision) -> np.ndarray:
    array = b.as_tensor(y) if bits == EXACT else b.numpy(b.as_tensor(y))
    if (as_floats(array) if bits == EXACT else array).dtype.kind not in "biuf":
        raise TypeError("compare: the result is complex. Compare real numbers made of it, by b.real, b.imag or b.abs.")
    return np.array(array)


def as_floats(expressions: np.ndarray) -> np.ndarray:
    """Expressions without symbols as the nearest numbers."""
    return get_backend("sympy").numpy(expressions)


def _shortest(call: Callable[[], Any], repeat: int) -> float:
    times: list[float] = []
    while len(times) < repeat and sum(times) < _SECONDS_TO_SPEND:
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times, default=math.nan)
