"""The commonest reason why conjugate gradients do not converge, looked for afterwards."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..backend.scipy_sparse import is_sparse
from .problem import Problem, is_explicit
from .result import SolveResult

if TYPE_CHECKING:
    from ..backend.base import Backend

HINT = "A is not symmetric (Hermitian), which conjugate gradients need."


def name_asymmetry(b: Backend, problem: Problem, result: SolveResult) -> SolveResult:
    """Adds a sentence to the message of each example that did not converge and whose matrix is not symmetric.

    Args:
        b: Backend that solved.
        problem: What was to be solved; a callable A cannot be looked at.
        result: The last state.
    """
    if not is_explicit(problem.lin) or all(status.converged for status in result.status):
        return result
    shared = not isinstance(problem.lin, list) and problem.lin.ndim == 2
    wrong = [_is_asymmetric(b, A) for A in ([problem.lin] if shared else problem.lin)] * (
        len(result.status) if shared else 1
    )
    message = [
        f"{text} {HINT}" if bad and not status.converged else text
        for text, bad, status in zip(result.message, wrong, result.status, strict=True)
    ]
    return replace(result, message=message)


def _is_asymmetric(b: Backend, matrix: Any) -> bool:
    """Whether entries differ from their mirror images by more than the rounding of float32 data."""
    A = matrix.tocsr() if is_sparse(matrix) else np.asarray(b.numpy(matrix))
    if A.dtype.kind not in "fc":
        A = A.astype(np.float64)
    with np.errstate(invalid="ignore"):  # what is not finite has been named already, and compares as False
        return bool(abs(A - A.conj().T).max() > 1e-5 * abs(A).max())
