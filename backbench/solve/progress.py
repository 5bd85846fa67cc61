"""Where each example of a batch stands while it is minimized: its losses, counters, limits and status."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from ..backend.dtypes import DType
from .objective import Objective
from .result import SolveResult, Status
from .watch import Stop

if TYPE_CHECKING:
    from ..backend.base import Backend


_SMALL, _LARGE = 1e-280, 1e300  # between these squares are exact to all digits


@dataclass(frozen=True)
class Task:
    """Checked input of `minimize`.

    Attributes:
        x0: (batch, n), native, in the type of the results.
        atol: (batch,), float64.
        max_iter: (batch,), int.
        bounds: (n, 2) float64, infinite where there is none, or None.
        deadline: Time of `perf_counter`, or None.
    """

    b: Backend
    method: str
    objective: Objective
    x0: Any
    dtype: DType
    atol: np.ndarray
    max_iter: np.ndarray
    bounds: np.ndarray | None
    callback: Callable[[SolveResult], object] | None
    deadline: float | None
    record: bool


class Progress:
    """The batch from the start to the end.

    Args:
        task: What is to be done.

    Attributes:
        losses: Of the current points, (batch,), float64.
        gradient_norm: Of the current points, (batch,), float64.
        running: Which examples have not ended, (batch,), bool.
        tests: For each example, by what the method found that it has converged, where that is not ‖∇f‖ ≤ atol.
    """

    def __init__(self, task: Task) -> None:
        self.task, self.b = task, task.b
        self.batch = task.objective.batch
        self.status = [Status.RUNNING] * self.batch
        self.running = np.ones(self.batch, bool)
        self.iterations = np.zeros(self.batch, np.int32)
        self.evaluations = np.zeros(self.batch, np.int32)
        self.losses = np.zeros(self.batch)
        self.gradient_norm = np.zeros(self.batch)
        self.tests = [""] * self.batch
        self.states: list[SolveResult] = []
        self._stop = Stop()

    def evaluate(self, x: Any) -> tuple[np.ndarray, Any]:
        """Losses as float64 (batch,), and native gradients (batch, n), of the whole batch at x.

        Where f stops the solve they are NaN, and no example is running any more.
        """
        try:
            loss, gradient = self.task.objective(x)
        except StopIteration:
            self.end(self.running.copy(), Status.STOPPED)
            return np.full(self.batch, np.nan), self.b.mul(x, np.nan)
        self.evaluations += self.running * self.task.objective.cost
        return np.array(self.b.numpy(loss), np.float64), gradient

    def start(self) -> Any:
        """Looks at the start and returns its gradients; examples that begin at an optimum end there."""
        self.losses, gradient = self.evaluate(self.task.x0)
        self.gradient_norm = norms(self.b.numpy(gradient))
        self.end(~np.isfinite(self.losses) | ~np.isfinite(self.gradient_norm), Status.NON_FINITE)
        self.end(self.gradient_norm <= self.task.atol, Status.CONVERGED)
        self.end(self.task.max_iter == 0, Status.MAX_ITERATIONS)
        return gradient

    def end(self, flags: np.ndarray, status: Status) -> None:
        """Ends the running ones among the flagged examples."""
        for i in np.flatnonzero(self.running & flags) if np.count_nonzero(flags) else ():
            self.status[i] = status
            self.running[i] = False

    def check_limits(self) -> None:
        """Ends all examples when the time is over or the caller wants to stop."""
        if self._stop.requested:
            self.end(self.running.copy(), Status.STOPPED)
        elif self.task.deadline is not None and perf_counter() >= self.task.deadline:
            self.end(self.running.copy(), Status.TIME_LIMIT)

    def keep(self, x: Any, has_moved: bool = True) -> None:
        """Makes (x, losses) the current state; shows it to the callback unless it is the last one.

        Args:
            x: The points.
            has_moved: False: the state takes the place of the one before, at the same points.
        """
        is_last = not self.running.any()
        if self.task.record or is_last or self.task.callback is not None:
            state = self._state(x)
            if not self.task.record:
                self.states.clear()
            elif not has_moved:
                del self.states[-1:]
            self.states.append(state)
            if not is_last:
                self._stop.ask(self.task.callback, state)

    def _state(self, x: Any) -> SolveResult:
        b = self.b
        return SolveResult.from_status(
            b,
            self.task.method,
            b.copy(x),
            b.cast(b.as_tensor(self.losses.copy()), self.task.dtype),
            self.iterations.tolist(),
            self.evaluations.tolist(),
            self.status,
            [status.value if status is Status.RUNNING else self._message(i) for i, status in enumerate(self.status)],
        )

    def _message(self, i: int) -> str:
        count, atol = self.iterations[i], self.task.atol[i]
        after = f"after {count} iteration{'' if count == 1 else 's'}"
        reached = f"f = {self.losses[i]:.6g}, ‖∇f‖ = {self.gradient_norm[i]:.3g}"
        match self.status[i]:
            case Status.CONVERGED:
                if self.gradient_norm[i] <= atol:
                    return f"Converged {after}: {reached}, the tolerance is {atol:.3g}."
                return f"Converged {after}: {reached}, at the tolerance {atol:.3g} by {self.tests[i]}."
            case Status.NON_FINITE:
                return f"NaN or infinite values {after}: {reached}."
            case Status.STAGNATED:
                return f"Stagnated {after}: {reached}; f falls no further in this direction. Raise the precision."
            case Status.TIME_LIMIT:
                return f"Stopped by the time limit {after}: {reached}, the tolerance is {atol:.3g}."
            case Status.STOPPED:
                return f"Stopped by the caller {after}: {reached}, the tolerance is {atol:.3g}."
        return f"Stopped by max_iter {after}: {reached}, the tolerance is {atol:.3g}."


def norms(vectors: Any) -> np.ndarray:
    """Norms over the last axis, in float64. Squares that over- or underflow are taken of scaled numbers."""
    wide = np.asarray(vectors, np.float64)
    squares = np.einsum("ij,ij->i", wide, wide)
    if not np.count_nonzero((squares < _SMALL) | (squares > _LARGE)):  # nearly always; False for NaN
        return np.sqrt(squares)
    largest = np.max(np.abs(wide), axis=-1, initial=0)
    scale = np.where((largest > 0) & np.isfinite(largest), largest, 1)[:, None]
    return np.linalg.norm(wide / scale, axis=-1) * scale[:, 0]
