"""What counts as true, and how far a call is from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np

from ..accuracy import absolute_error, reference, ulp_error
from ..backend import Backend, UnsupportedOperation
from .result import EXACT, Cell
from .running import Run, as_floats, precision_of, run

Arrays = tuple[np.ndarray, ...]


def fifty_digits(f: Callable[..., Any], inputs: Arrays) -> Arrays:
    """What f returns for the exact binary values of its inputs, as object arrays of `mpmath.mpf`.

    Raises:
        ValueError: When f does not work with symbols.
    """
    from ..symbolic.trace import compile

    try:
        program = compile(f, {f"x{position}": x.shape for position, x in enumerate(inputs)})
        found = reference(program, *inputs)
    except Exception as error:
        exactly = "" if isinstance(error, UnsupportedOperation) else ", with reference='sympy' its exact ones"
        raise ValueError(
            f"compare: there is no reference with 50 digits, as the function does not work with symbols: {error} "
            f"Choose another one: with reference='numpy' NumPy's values at 64 bits count as true{exactly}."
        ) from error
    return found if isinstance(found, tuple) else (found,)


def values_of(backend: str | Backend, f: Callable[..., Any], inputs: Arrays) -> Arrays:
    """What f returns on a backend at 64 bits or exactly, as object arrays of `mpmath.mpf`."""
    from ..symbolic.trace import compile

    found = run(f, inputs, backend, precision_of(backend), repeat=0)
    if found.error is not None:
        raise found.error
    if found.precision == EXACT:
        outputs: tuple = reference(compile(found.outputs, []))
        return outputs
    return tuple(map(_as_mpf, found.outputs))


def _as_mpf(values: np.ndarray) -> np.ndarray:
    exacts = np.empty(values.shape, object)
    with mpmath.workdps(50):
        for index in np.ndindex(*values.shape):
            exacts[index] = mpmath.mpf(values[index].item())
    return exacts


def measured(call: Run, exacts: Arrays) -> Cell:
    """A cell with the errors of a call."""
    if call.error is not None:
        return Cell(call.backend, call.precision, error=call.error)
    shapes, needed = ([array.shape for array in arrays] for arrays in (call.outputs, exacts))
    if shapes != needed:
        error = ValueError(f"the result has the shape {_listed(shapes)}, the reference {_listed(needed)}")
        return Cell(call.backend, call.precision, error=error)
    pairs = list(zip(call.outputs, exacts, strict=True))
    absolute = tuple(_absolute(value, exact) for value, exact in pairs)
    ulp = tuple(map(_in_ulp, call.outputs, exacts, absolute))
    kinds = dict.fromkeys(EXACT if value.dtype == object else value.dtype.name for value in call.outputs)
    value, absolute_error, ulp_error = (
        arrays if call.returns_tuple else arrays[0] for arrays in (call.outputs, absolute, ulp)
    )
    return Cell(call.backend, call.precision, ", ".join(kinds), value, absolute_error, ulp_error, call.seconds)


def _absolute(value: np.ndarray, exact: np.ndarray) -> np.ndarray:
    if value.dtype != object:
        return absolute_error(value, exact)
    # An exact value may be midway between two floats: rounding it must not count as its error.
    value = as_floats(value).astype(np.float64)
    errors = absolute_error(value, exact)
    errors[value == exact.astype(np.float64)] = 0
    return errors


def _in_ulp(value: np.ndarray, exact: np.ndarray, absolute: np.ndarray) -> np.ndarray:
    if value.dtype.kind in "biu":
        return absolute
    if value.dtype != object:
        return ulp_error(value, exact)
    return np.where(absolute == 0, 0, ulp_error(as_floats(value).astype(np.float64), exact))


def _listed(shapes: list[tuple[int, ...]]) -> str:
    return str(shapes[0]) if len(shapes) == 1 else str(shapes)
