"""What solvers return: one state of a batch, the reason why each example ended there, and the way that led to it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any

import numpy as np

from ..backend.context import precision

if TYPE_CHECKING:
    from pandas import DataFrame

    from ..backend.base import Backend
    from ..plot import Picture


_MOST_SHOWN = 8


class Status(Enum):
    """Why an example ended. The value is a sentence that holds for all methods; `SolveResult.message` adds the numbers.

    Example:
        >>> Status.MAX_ITERATIONS.sentence
        'The limit of iterations was reached before the tolerance.'
        >>> Status.MAX_ITERATIONS.converged, Status.BREAKDOWN.diverged
        (False, True)
    """

    RUNNING = "The solver went on from this state."
    CONVERGED = "The tolerance is met, as the method measures it on the result itself."
    MAX_ITERATIONS = "The limit of iterations was reached before the tolerance."
    TIME_LIMIT = "The time limit was reached before the tolerance."
    STOPPED = "The caller asked to stop before the tolerance was reached."
    STAGNATED = "The tolerance is finer than the precision allows here; the best state that was found is returned."
    BREAKDOWN = "The method met a direction in which it cannot make a step: the problem is not of the kind it solves."
    NON_FINITE = "NaN or infinite values appeared; the best finite state is returned where there is one."
    DIVERGED = "The residual, or the solution, has grown beyond what a definite matrix explains in this precision."

    @property
    def sentence(self) -> str:
        """The meaning in one sentence."""
        return self.value

    @property
    def converged(self) -> bool:
        """Whether the result can be used as a solution."""
        return self is Status.CONVERGED

    @property
    def diverged(self) -> bool:
        """Whether more iterations could not have helped."""
        return self in (Status.BREAKDOWN, Status.NON_FINITE, Status.DIVERGED)


@dataclass(frozen=True, eq=False)
class SolveResult:
    """One state of a solver for a batch of independent examples; tensors are native to the backend that solved.

    Attributes:
        method: Name of the method that was used.
        x: Solutions (batch, n).
        residual: y - A·x (batch, n) for linear systems, the loss (batch,) at x for minimization.
        iterations: Steps taken (batch,), int32.
        function_evaluations: Applications of A or of the function, checks included (batch,), int32.
        converged: Whether the tolerance is met (batch,), bool.
        diverged: Whether the example failed for good (batch,), bool. Neither it nor `converged` is set by a limit.
        message: One sentence with numbers for each example.
        status: One `Status` for each example; `converged` and `diverged` follow from it.
    """

    method: str
    x: Any
    residual: Any
    iterations: Any
    function_evaluations: Any
    converged: Any
    diverged: Any
    message: list[str]
    status: list[Status] = field(default_factory=list)

    def __repr__(self) -> str:
        shown = [f"  {text}" for text in self.message[:_MOST_SHOWN]]
        hidden = len(self.message) - len(shown)
        return "\n".join([f"SolveResult of {self.method}:", *shown, *([f"  and {hidden} more"] if hidden else [])])

    @classmethod
    def from_status(
        cls,
        b: Backend,
        method: str,
        x: Any,
        residual: Any,
        iterations: Sequence[int],
        function_evaluations: Sequence[int],
        status: Sequence[Status],
        message: Sequence[str],
    ) -> SolveResult:
        """Makes the native tensors from the numbers that a solver keeps on the host.

        Args:
            b: Backend of `x` and `residual`.
            method: As the attribute.
            x: As the attribute.
            residual: As the attribute.
            iterations: One for each example.
            function_evaluations: One for each example.
            status: One for each example.
            message: One for each example.
        """
        return cls(
            method=method,
            x=x,
            residual=residual,
            iterations=b.as_tensor(np.array(iterations, np.int32)),
            function_evaluations=b.as_tensor(np.array(function_evaluations, np.int32)),
            converged=b.as_tensor(np.array([s.converged for s in status], np.bool_)),
            diverged=b.as_tensor(np.array([s.diverged for s in status], np.bool_)),
            message=list(message),
            status=list(status),
        )


class Trajectory(list[SolveResult]):
    """All states of a solver from the start to the result, each with its own memory and the counters of its moment.

    An example that ended early repeats its last state, so that every state has the whole batch.

    Example:
        >>> from backbench import NUMPY
        >>> A, y = [[4, 1], [1, 3]], [[1, 2]]
        >>> trajectory = NUMPY.linear_solve('CG', A, y, [[2, 1]], 1e-5, 0, 50, True)
        >>> len(trajectory), trajectory.x.shape
        (3, (3, 1, 2))
    """

    def __init__(self, states: Iterable[SolveResult], backend: Backend) -> None:
        super().__init__(states)
        self._backend = backend

    @property
    def x(self) -> Any:
        """All solutions (states, batch, n), in the precision in which they were computed."""
        return self._stack([state.x for state in self])

    @property
    def residual(self) -> Any:
        """All residuals (states, batch, n), in the precision in which they were computed."""
        return self._stack([state.residual for state in self])

    def _stack(self, tensors: list[Any]) -> Any:
        with precision(None):
            return self._backend.stack(tensors)

    @property
    def iterations(self) -> np.ndarray:
        """Steps taken as an int32 ndarray (states, batch), for tables and figures."""
        return np.array([self._backend.numpy(state.iterations) for state in self], np.int32)

    @property
    def loss(self) -> np.ndarray:
        """Losses of a minimization as a float64 ndarray (states, batch), for tables and figures.

        Raises:
            AttributeError: For a linear system, which has no loss.
        """
        if not self._minimizes:
            raise AttributeError("A linear system has no loss, it has a residual_norm.")
        return np.array([self._backend.numpy(state.residual) for state in self], np.float64)

    @property
    def _minimizes(self) -> bool:
        return len(self._backend.staticshape(self[0].residual)) == 1

    @property
    def residual_norm(self) -> np.ndarray:
        """Euclidean norms of the residuals as a float64 ndarray (states, batch), for tables and figures.

        Raises:
            AttributeError: For a minimization, which has no residual.
        """
        if self._minimizes:
            raise AttributeError("A minimization has no residual_norm, it has a loss.")
        return np.array([norms(self._backend, state.residual) for state in self])

    def to_dataframe(self) -> DataFrame:
        """One row for each state and example: counters, residual norm or loss, status."""
        import pandas as pd

        name = "loss" if self._minimizes else "residual_norm"
        measure = getattr(self, name)
        return pd.DataFrame(
            [
                {
                    "state": number,
                    "example": example,
                    "iterations": int(state.iterations[example]),
                    "function_evaluations": int(state.function_evaluations[example]),
                    name: measure[number, example],
                    "status": status.name,
                }
                for number, state in enumerate(self)
                for example, status in enumerate(state.status)
            ]
        )

    def plot(self) -> Picture:
        """Residual norm, or loss above the smallest one, over the iterations on a logarithmic axis."""
        from ..plot import plot_convergence

        if not self._minimizes:
            return plot_convergence(self.residual_norm, self.iterations, self[-1].method)
        above = self.loss - np.min(self.loss, axis=0, where=np.isfinite(self.loss), initial=np.inf)
        return plot_convergence(above, self.iterations, self[-1].method, "f − smallest f")


def norms(b: Backend, vectors: Any) -> np.ndarray:
    """Euclidean norms over the last axis in float64; in the tensor's own type squares could over- or underflow."""
    values = np.asarray(b.numpy(vectors))
    wide = values.astype(np.result_type(values, np.float64))
    largest = np.max(np.abs(wide), axis=-1, keepdims=True, initial=0)
    scale = np.where((largest > 0) & np.isfinite(largest), largest, 1)
    with np.errstate(all="ignore"):  # a norm may be infinite though no entry is
        return np.linalg.norm(wide / scale, axis=-1) * scale[..., 0]
