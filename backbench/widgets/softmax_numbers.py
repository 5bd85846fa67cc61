"""Softmax in three precisions beside its 50-digit values: the numbers that `SoftmaxView` shows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from ..accuracy import absolute_error, reference, ulp_error
from ..backend import Backend, default_backend, precision, softmax
from ..backend.formulations import Formulation
from ..symbolic.program import Program
from ..symbolic.trace import compile
from .following import precisions_of

FORMULATIONS: tuple[Formulation, ...] = ("plain", "shifted", "pairwise")


@dataclass(frozen=True)
class Column:
    """The outputs of one precision.

    Attributes:
        outputs: Softmax, shape (units,), of the precision's dtype.
        absolute: Absolute errors, shape (units,), float64.
        ulp: Errors in units in the last place of the precision, shape (units,), float64.
    """

    outputs: np.ndarray
    absolute: np.ndarray
    ulp: np.ndarray


@dataclass(frozen=True)
class Measurement:
    """Softmax of `values` by one formulation.

    Attributes:
        values: The inputs.
        formulation: `plain`, `shifted` or `pairwise`.
        backend: Name of the backend of the columns.
        exact: 50-digit values of softmax at the inputs, object array of `mpmath.mpf`, shape (units,).
        columns: The outputs and errors by precision; of those that the backend has.
    """

    values: tuple[float, ...]
    formulation: Formulation
    backend: str
    exact: np.ndarray
    columns: dict[int, Column]


@lru_cache(maxsize=64)
def softmax_program(formulation: Formulation, units: int) -> Program:
    """Compile softmax over `units` inputs; kept, because a view asks again whenever a user switches back.

    Example:
        >>> softmax_program("shifted", 3).name
        'softmax'
    """
    return compile(lambda b, x: softmax(b, x, formulation=formulation), {"x": (units,)}, name="softmax")


def measure(values: Sequence[float], formulation: Formulation) -> Measurement:
    """Compute softmax of `values` at every precision on the default backend, with its errors.

    The exact values come from the shifted form whichever `formulation` is measured: all three are the same function,
    and in exact arithmetic the shifted form alone also has a value where several inputs are -inf.

    Args:
        values: The inputs, shape (units,).
        formulation: One of `FORMULATIONS`.

    Returns:
        The outputs and errors.

    Example:
        >>> result = measure((0.0, 0.0), "pairwise")
        >>> result.columns[16].outputs
        array([0.5, 0.5], dtype=float16)
        >>> result.columns[64].ulp
        array([0., 0.])
    """
    x = np.asarray(values, dtype=np.float64)
    exact = reference(softmax_program("shifted", len(x)), x)
    b = default_backend()
    columns = {bits: _column(b, x, formulation, bits, exact) for bits in precisions_of(b)}
    return Measurement(tuple(values), formulation, b.name, exact, columns)


@lru_cache(maxsize=32)
def _softmax(b: Backend, formulation: Formulation) -> Callable[[np.ndarray], Any]:
    def f(x: Any) -> Any:
        return softmax(b, x, formulation=formulation)

    return b.jit_compile(f) if b.name == "jax" else f  # else JAX compiles each operation for each number of units


def _column(b: Backend, x: np.ndarray, formulation: Formulation, bits: int, exact: np.ndarray) -> Column:
    # The precision is entered here, around the call: a callback's thread does not see a cell's `with`.
    with precision(bits):
        outputs = b.numpy(_softmax(b, formulation)(x))
    return Column(outputs, absolute_error(outputs, exact), ulp_error(outputs, exact))
