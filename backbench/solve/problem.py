"""Checks and brings into one form what a caller of `linear_solve` gives."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, replace
from fractions import Fraction
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from ..backend.dtypes import DType
from ..backend.scipy_sparse import is_sparse
from .watch import Limits, Stop

if TYPE_CHECKING:
    from ..backend.base import Backend


@dataclass(frozen=True)
class Problem:
    """A checked batch of linear systems.

    Attributes:
        lin: A callable, a matrix (n, n), a tensor (batch, n, n), or a list with one matrix (n, n) per example.
        preconditioner: As `lin`, or None.
        y: (batch, n), native.
        x0: (batch, n), native.
        limits: One for each example.
        dtype: Common type of all values: float, complex or object.
    """

    lin: Any
    preconditioner: Any
    y: Any
    x0: Any
    limits: list[Limits]
    dtype: DType


def check_problem(
    b: Backend,
    lin: Any,
    y: Any,
    x0: Any,
    rtol: Any,
    atol: Any,
    max_iter: Any,
    preconditioner: Any,
    time_limit: float | None,
    stop: Stop | None = None,
) -> Problem:
    """Checks shapes and values before anything starts; the arguments are those of `linear_solve`.

    Raises:
        ValueError: Naming the argument, what it is and what was expected.
    """
    y = _vectors(b, "y", y)
    batch, size = b.staticshape(y)
    if size == 0:
        raise ValueError(f"linear_solve: y has shape ({batch}, 0), so there is no unknown to solve for.")
    x0 = _vectors(b, "x0", x0)
    if b.staticshape(x0) != (batch, size):
        raise ValueError(
            f"linear_solve: x0 has shape {b.staticshape(x0)}, expected that of y, which is (batch, n) = {batch, size}."
        )
    lin = _operator(b, "lin", lin, batch, size)
    if preconditioner is not None:
        preconditioner = _operator(b, "preconditioner", preconditioner, batch, size)
    deadline = check_deadline("linear_solve", time_limit)
    exact = b.dtype(y).kind is object
    limits = [
        Limits(*values, deadline, stop)
        for values in zip(
            _tolerances(b, "rtol", rtol, batch, exact),
            _tolerances(b, "atol", atol, batch, exact),
            _counts(b, "max_iter", max_iter, batch),
            strict=True,
        )
    ]
    dtypes = [b.dtype(y), b.dtype(x0), *_dtypes(b, lin), *_dtypes(b, preconditioner)]
    return Problem(lin, preconditioner, y, x0, limits, common_type(b, *dtypes))


def common_type(b: Backend, *dtypes: DType) -> DType:
    """The type to solve in: of the current precision, or the widest one where that is None."""
    combined = b.combine_types(*dtypes)
    return combined if combined.kind in (float, complex, object) else b.float_type


def _vectors(b: Backend, name: str, value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        rows = [_tensor(b, name, row) for row in value]
        shapes = {b.staticshape(row) for row in rows}
        if shapes == {()}:
            hint = f"A single vector becomes a batch by [{name}]."
            raise ValueError(f"linear_solve: {name} is a list of {len(rows)} numbers, expected (batch, n). {hint}")
        if len(shapes) != 1 or len(next(iter(shapes))) != 1:
            raise ValueError(
                f"linear_solve: {name} is a list of {len(rows)} entries with the shapes {sorted(shapes)}, "
                "expected vectors of one shape (n,)."
            )
        return b.stack(rows)
    value = _tensor(b, name, value)
    shape = b.staticshape(value)
    if len(shape) != 2:
        hint = f" A single vector becomes a batch by {name}[None]." if len(shape) == 1 else ""
        raise ValueError(f"linear_solve: {name} has shape {shape}, expected (batch, n).{hint}")
    if b.dtype(value).kind not in (bool, int, float, complex, object):
        raise ValueError(f"linear_solve: {name} has the type {b.dtype(value)}, expected numbers.")
    return value


def _tensor(b: Backend, name: str, value: Any) -> Any:
    try:
        return b.as_tensor(value)
    except (TypeError, ValueError) as error:
        expected = "vectors of numbers" if name in ("y", "x0") else "a matrix of numbers or a callable"
        raise ValueError(f"linear_solve: {name} is {value!r:.80}, expected {expected}. ({error})") from error


def with_native_matrices(b: Backend, problem: Problem) -> Problem:
    """The problem with sparse matrices in the library's own format, made once and not in every product."""

    def native(operator: Any) -> Any:
        if isinstance(operator, list):
            return [native(matrix) for matrix in operator]
        return b.as_tensor(operator) if is_sparse(operator) and b.is_tensor(operator) else operator

    return replace(problem, lin=native(problem.lin), preconditioner=native(problem.preconditioner))


def is_explicit(operator: Any) -> bool:
    """Whether an operator is given by its numbers or not at all, and not by a function."""
    return operator is None or is_sparse(operator) or not callable(operator)


def _is_linear_operator(value: Any) -> bool:
    module = sys.modules.get("scipy.sparse.linalg")
    return module is not None and isinstance(value, module.LinearOperator)


def _operator(b: Backend, name: str, value: Any, batch: int, size: int) -> Any:
    if is_sparse(value) or not (callable(value) or isinstance(value, (list, tuple))):
        value = value if is_sparse(value) else _tensor(b, name, value)
        shape = _shape(b, value)
        if shape not in ((size, size), (batch, size, size)):
            raise ValueError(
                f"linear_solve: {name} has shape {shape}, expected (n, n) = {size, size} or "
                f"(batch, n, n) = {batch, size, size}, for y has shape {batch, size}."
            )
        return value
    if _is_linear_operator(value):
        if value.shape != (size, size):
            raise ValueError(f"linear_solve: {name} has shape {value.shape}, expected (n, n) = {size, size}.")
        return lambda vectors: value.matmat(vectors.T).T  # it takes a batch of vectors as columns
    if callable(value):
        return value
    if not any(_is_matrix(b, entry) for entry in value):
        return _operator(b, name, _tensor(b, name, value), batch, size)  # nested numbers: one matrix or one per example
    matrices = [entry if is_sparse(entry) else _tensor(b, name, entry) for entry in value]
    if len(matrices) != batch:
        raise ValueError(
            f"linear_solve: {name} is a list of {len(matrices)} matrices, expected one per example ({batch})."
        )
    for number, matrix in enumerate(matrices):
        if _shape(b, matrix) != (size, size):
            raise ValueError(
                f"linear_solve: {name}[{number}] has shape {_shape(b, matrix)}, expected (n, n) = {size, size}."
            )
    return matrices


def _is_matrix(b: Backend, value: Any) -> bool:
    return is_sparse(value) or (b.is_tensor(value, only_native=True) and b.ndims(value) == 2)


def _shape(b: Backend, matrix: Any) -> tuple[int, ...]:
    return tuple(matrix.shape) if is_sparse(matrix) else tuple(b.staticshape(matrix))


def _dtypes(b: Backend, operator: Any) -> list[DType]:
    if operator is None or not is_explicit(operator):
        return []
    matrices = operator if isinstance(operator, list) else [operator]
    return [DType.from_numpy(matrix.dtype) if is_sparse(matrix) else b.dtype(matrix) for matrix in matrices]


def _per_example(b: Backend, name: str, value: Any, batch: int) -> list[Any]:
    native = b.is_tensor(value, only_native=True) and not isinstance(value, np.ndarray)
    try:
        array = np.asarray(b.numpy(value) if native else value)
    except ValueError as error:  # a ragged list
        raise ValueError(f"linear_solve: {name} is {value!r:.80}, expected a number or one per example.") from error
    if array.shape not in ((), (batch,)):
        raise ValueError(f"linear_solve: {name} has shape {array.shape}, expected a number or (batch,) = ({batch},).")
    return np.broadcast_to(array, (batch,)).tolist()


def _tolerances(b: Backend, name: str, value: Any, batch: int, exact: bool) -> list[Any]:
    return [_tolerance(name, entry, exact) for entry in _per_example(b, name, value, batch)]


def _tolerance(name: str, value: Any, exact: bool) -> Any:
    number = _float(value)
    if not 0 <= number < np.inf:
        raise ValueError(f"linear_solve: {name} is {value!r:.80}, expected finite numbers that are not negative.")
    if not exact:
        return number
    # 0.1 means 1/10 here: a tolerance is a decimal that somebody wrote, and rationals keep the comparison exact.
    try:
        return Fraction(repr(value) if isinstance(value, float) else str(value))
    except ValueError:  # sqrt(2), for example
        return Fraction(repr(number))


def _float(value: Any) -> float:
    """The value of a number, NaN for anything else."""
    try:
        return math.nan if isinstance(value, str | bytes) else float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def _counts(b: Backend, name: str, value: Any, batch: int) -> list[int]:
    return [_count(name, entry) for entry in _per_example(b, name, value, batch)]


def _count(name: str, value: Any) -> int:
    try:
        count = int(value)
    except (TypeError, ValueError, OverflowError):
        count = -1
    if count < 0 or count != value or isinstance(value, bool):
        raise ValueError(f"linear_solve: {name} is {value!r:.80}, expected whole numbers that are not negative.")
    return count


def check_callback(function: str, callback: Any) -> None:
    """Checks that a callback can be called.

    Raises:
        ValueError: Naming the function it was given to.
    """
    if callback is not None and not callable(callback):
        raise ValueError(f"{function}: callback is {callback!r:.80}, expected a function of a state, or None.")


def check_deadline(function: str, time_limit: float | None) -> float | None:
    """The time of `perf_counter` at which to stop, None for never.

    Raises:
        ValueError: For a limit that is no number of seconds, naming the function it was given to.
    """
    if time_limit is None:
        return None
    seconds = _float(time_limit)
    if not seconds >= 0:
        raise ValueError(f"{function}: time_limit is {time_limit!r:.80}, expected seconds or None.")
    return perf_counter() + seconds
