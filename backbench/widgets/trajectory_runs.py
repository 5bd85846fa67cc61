"""The runs of a `TrajectoryView`: one method on one problem, and what it measured in each state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from ..backend import Backend, UnsupportedOperation, with_gradient
from ..solve.result import SolveResult, Status, Trajectory
from .trajectory_problems import Field, Function, Plane, Problem

RTOL = 1e-6  # of linear solvers
ATOL = 1e-6  # of minimizers, for the gradient
MOST_EXACT = 64  # unknowns: fractions get longer in every step

WORDS = {
    Status.RUNNING: "running",
    Status.CONVERGED: "converged",
    Status.MAX_ITERATIONS: "limit reached",
    Status.TIME_LIMIT: "out of time",
    Status.STOPPED: "stopped",
    Status.STAGNATED: "stagnated",
    Status.BREAKDOWN: "broke down",
    Status.NON_FINITE: "not finite",
    Status.DIVERGED: "diverged",
}


@dataclass(frozen=True, eq=False)
class Run:
    """One line in the pictures, one row in the table.

    Attributes:
        id: Stays the same when the same method runs again; kept runs have ids of their own.
        label: For people.
        style: Index of colour, marker and dash.
        trajectory: All states, or None where the method cannot run.
        reason: Why it cannot run.
        detail: What tells its problem from others of that name.
        x: States in float64, (states, unknowns).
        measures: (states, 4), float64: iteration, f or NaN, norm of gradient or residual, f above the smallest value or
            norm of the residual.
    """

    id: str
    method: str
    label: str
    style: int
    kept: bool = False
    trajectory: Trajectory | None = None
    reason: str = ""
    detail: str = ""
    x: np.ndarray | None = None
    measures: np.ndarray | None = None

    @property
    def last(self) -> SolveResult | None:
        """The last state."""
        return self.trajectory[-1] if self.trajectory else None

    def keep(self, number: int) -> Run:
        """The same run, to stay while others come and go."""
        return replace(self, id=f"kept-{number}", kept=True, label=self.label + self.detail)


def label_of(method: str, backend: str, precision: int | str) -> str:
    """What a run is called.

    Example:
        >>> label_of("CG", "numpy", 64), label_of("CG", "sympy", "exact")
        ('CG on numpy, float64', 'CG on sympy, exact')
    """
    return f"{method} on {backend}, {precision if precision == 'exact' else f'float{precision}'}"


def solve(
    problem: Problem,
    method: str,
    b: Backend,
    start: list[float],
    max_iter: int,
    callback: Callable[[SolveResult], object] | None,
    stop: Callable[[], bool] = lambda: False,
) -> Trajectory:
    """Runs a method in the current precision.

    Args:
        problem: What is solved.
        method: One of its methods.
        b: Backend.
        start: First state.
        max_iter: Limit of iterations.
        callback: As that of the solvers.
        stop: Asked before each evaluation of a function; True ends the run.

    Raises:
        UnsupportedOperation: When the backend cannot run it.
    """
    is_exact = b.name == "sympy"
    if not problem.is_linear(method):
        if is_exact:
            reason = "minimizers look for an end that only floats have"
            way_out = "Choose CG, or another backend." if problem.matrix is not None else "Choose another backend."
            raise UnsupportedOperation("sympy", method, reason, way_out)
        f = _objective(problem, b, stop)
        return _all_states(b.minimize(method, f, np.array([start]), ATOL, max_iter, True, callback=callback))
    if is_exact and len(start) > MOST_EXACT:
        reason = f"fractions of {len(start)} unknowns would grow without end"
        raise UnsupportedOperation("sympy", method, reason, "Choose a smaller problem, or another backend.")
    A, y, x0 = problem.matrix, np.array([problem.y]), np.array([start])
    if is_exact:
        from ..backend.sympy_backend import exact

        A, y, x0 = exact(A.tolist()), exact(y.tolist()), exact(x0.tolist())
    rtol = 0 if is_exact else RTOL
    return _all_states(b.linear_solve(method, A, y, x0, rtol, 0, max_iter, True, callback=callback))


def _all_states(result: SolveResult | Trajectory) -> Trajectory:
    assert isinstance(result, Trajectory)  # since it was asked for
    return result


def _objective(problem: Problem, b: Backend, stop: Callable[[], bool]) -> Callable[..., Any]:
    assert isinstance(problem, Plane)
    f, gradient = problem.f, problem.gradient

    def value(x: Any) -> Any:
        if stop():
            raise StopIteration
        return f(b, x, *problem.parameters)

    if b.name == "jax" and not problem.python:  # a function of the user's may not be one that can be compiled
        compiled, slope = _compiled(b, problem.f)
        f, gradient = (lambda b, *args: compiled(*args)), (lambda b, *args: slope(*args)[0])
    elif gradient is None or "functional_gradient" not in b.approximate:
        return value
    return with_gradient(value, lambda x: gradient(b, x, *problem.parameters))


@lru_cache(maxsize=16)
def _compiled(b: Backend, f: Function) -> tuple[Function, Function]:
    compiled = b.jit_compile(lambda x, *parameters: f(b, x, *parameters))
    return compiled, b.functional_gradient(compiled, (0,), get_output=False)


def measured(run: Run, problem: Problem, b: Backend, trajectory: Trajectory) -> Run:
    """The run with its trajectory, and what the pictures show of it, in float64."""
    x = np.array([np.asarray(b.numpy(state.x), np.float64)[0] for state in trajectory])
    iterations = trajectory.iterations[:, 0].astype(np.float64)
    if isinstance(problem, Field):
        norm = trajectory.residual_norm[:, 0]
        columns = [iterations, np.full(len(x), np.nan), norm, norm]
    else:
        assert isinstance(problem, Plane)
        columns = [iterations, problem.value(x), problem.slope(x), problem.excess(x)]
    return replace(run, trajectory=trajectory, x=x, measures=np.stack(columns, axis=1))
