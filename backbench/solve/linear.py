"""Systems of linear equations: `linear_solve` checks the input, looks the method up, and chooses the path."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import repeat
from typing import TYPE_CHECKING, Any

import numpy as np

from .loop import BatchSolver
from .matrices import Matrix
from .methods import Method, find_method
from .problem import Problem, check_callback, check_problem, is_explicit
from .result import SolveResult, Trajectory
from .rows import RowSpace, Snapshot, as_types, solve_row
from .symmetry import name_asymmetry
from .watch import Stop

if TYPE_CHECKING:
    from ..backend.base import Backend


def linear_solve(
    b: Backend,
    method: str,
    lin: Any,
    y: Any,
    x0: Any,
    rtol: Any,
    atol: Any,
    max_iter: Any,
    trj: bool,
    *,
    preconditioner: Any = None,
    time_limit: float | None = None,
    callback: Callable[[SolveResult], object] | None = None,
) -> SolveResult | Trajectory:
    """Solves A·x = y for each example of a batch by conjugate gradients.

    An example has converged when ‖y - A·x‖ ≤ max(rtol·‖y‖, atol) for the residual recomputed from x. On NumPy with
    explicit matrices the examples are solved one by one, so that each gives the same bits in any batch; else every
    application of A sees the whole batch.

    Args:
        b: Backend that computes.
        method: 'CG', 'CG-adaptive', or 'auto', which chooses 'CG-adaptive'.
        lin: A, symmetric (Hermitian) and definite: a dense or sparse matrix (n, n), one per example as (batch, n, n) or
            as a list, or a callable from (batch, n) to (batch, n).
        y: Right-hand sides (batch, n), or a list of vectors (n,).
        x0: Start (batch, n); it is not written to.
        rtol: Relative tolerance, a number or (batch,).
        atol: Absolute tolerance, a number or (batch,).
        max_iter: Limit of iterations, an integer or (batch,).
        trj: Whether to return all states from the first to the last one.
        preconditioner: Approximates the inverse of A; given as `lin`, symmetric and definite too.
        time_limit: Seconds after which the states reached are returned.
        callback: Called with the state of the batch after each step but the last one; StopIteration in it ends the
            solve with the states reached. It makes examples with explicit matrices go hand in hand, as others do.

    Returns:
        The result, or with `trj` all states as a `Trajectory`. Values have the float type of the current precision,
        with precision None that of the widest input. On SymPy rational numbers stay rational.

    Raises:
        NotImplementedError: For an unknown method.
        ValueError: For arguments that do not fit, naming the argument.

    Example:
        >>> from backbench import NUMPY
        >>> result = linear_solve(NUMPY, 'CG', [[4, 1], [1, 3]], [[1, 2]], [[0, 0]], 1e-5, 0, 50, False)
        >>> result.x
        array([[0.09090909, 0.6363636 ]], dtype=float32)
        >>> result.status
        [<Status.CONVERGED: 'The tolerance is met, as the method measures it on the result itself.'>]
    """
    name, chosen = find_method(method)
    check_callback("linear_solve", callback)
    stop = None if callback is None else Stop()
    problem = check_problem(b, lin, y, x0, rtol, atol, max_iter, preconditioner, time_limit, stop)
    one_by_one = b.name == "numpy" and is_explicit(problem.lin) and is_explicit(problem.preconditioner)
    if one_by_one and (stop is None or len(problem.limits) == 1):
        states = _solve_rows(b, name, chosen, problem, trj, stop, callback)
    else:
        states = BatchSolver(b, name, chosen, problem, trj, callback).solve()
    states[-1] = name_asymmetry(b, problem, states[-1])
    return Trajectory(states, b) if trj else states[-1]


def _solve_rows(
    b: Backend,
    name: str,
    method: Method,
    problem: Problem,
    record: bool,
    stop: Stop | None,
    callback: Callable[[SolveResult], object] | None,
) -> list[SolveResult]:
    types = as_types(problem.dtype.to_numpy())
    space = RowSpace(types)

    def each(operator: Any) -> Iterable[Matrix | None]:
        """One matrix for each example; examples with the same one share it."""
        if operator is None:
            return repeat(None, len(problem.limits))
        if isinstance(operator, list) or operator.ndim == 3:
            return (Matrix(matrix, types.stored, types.working) for matrix in operator)
        return repeat(Matrix(operator, types.stored, types.working), len(problem.limits))

    histories: list[list[Snapshot]] = []
    with np.errstate(all="ignore"):  # what is not finite becomes a status
        y, x0 = (v.astype(types.stored).astype(types.working, order="C") for v in (problem.y, problem.x0))
        for A, M, row, start, limits in zip(
            each(problem.lin), each(problem.preconditioner), y, x0, problem.limits, strict=True
        ):
            assert A is not None
            history: list[Snapshot] = []

            def show(snapshot: Snapshot, history: list[Snapshot] = history) -> None:
                if record:
                    history.append(snapshot)
                if stop is not None:
                    stop.ask(callback, _assemble(b, name, [snapshot], problem.y.shape))

            keep = show if stop is not None else history.append if record else None
            history.append(solve_row(method, space, types, A, M, row, start, limits, keep))
            histories.append(history)
    length = max(map(len, histories), default=1)
    return [_assemble(b, name, [h[min(k, len(h) - 1)] for h in histories], problem.y.shape) for k in range(length)]


def _assemble(b: Backend, name: str, examples: list[Snapshot], shape: tuple[int, ...]) -> SolveResult:
    def stack(vectors: list[np.ndarray]) -> np.ndarray:
        return np.stack(vectors) if vectors else np.zeros(shape)

    return SolveResult.from_status(
        b,
        name,
        stack([e.x for e in examples]),
        stack([e.residual for e in examples]),
        [e.iterations for e in examples],
        [e.function_evaluations for e in examples],
        [e.status for e in examples],
        [e.message for e in examples],
    )
