"""The gradient methods of scipy.optimize.minimize, one greenlet for each example.

scipy's methods call the function where they please. Each example's solver runs in a greenlet, which switches to the
hub whenever it needs a value; once all of them wait, the hub evaluates the whole batch at once and wakes them. Threads
would do the same, slower, and could not be ended from outside.
"""

from __future__ import annotations

import re
import threading
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf, isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from .progress import Progress, Task, norms
from .result import SolveResult, Status

if TYPE_CHECKING:
    from greenlet import greenlet

_REMEMBERED = 50  # points of an example: more than a line search tries
_LARGEST = 2**31 - 1  # that scipy's compiled solvers can count to
_EVALUATION_LIMITED = ("L-BFGS-B", "TNC")  # by `maxfun`, which would strike before the limit of iterations


class _Halt(Exception):
    """Ends scipy's solver: at a limit, or because the caller wants to stop."""


class _Example:
    """One example: what scipy's solver calls, and what it has reached."""

    def __init__(self, number: int, x: np.ndarray, loss: float, gradient: np.ndarray) -> None:
        self.number = number
        self.x, self.loss, self.gradient = x, loss, gradient  # accepted
        self.best = (x, loss, gradient)  # with the smallest finite loss of all
        self.tried: deque[tuple[np.ndarray, float, np.ndarray]] = deque(maxlen=_REMEMBERED)  # since x was accepted
        self.starts = True
        self.iterations = 0
        self.moved = False  # since the last state was kept
        self.moved_last = False  # when a point was accepted the last time
        self.solver: greenlet | None = None

    def accept(self, x: np.ndarray, evaluate: Callable[[np.ndarray], tuple[float, np.ndarray]]) -> bool:
        """Makes x the current point; its loss is looked up, for it nearly always is the last point that was tried.

        Returns:
            Whether loss and gradient are finite there. If not, the current point stays.
        """
        wanted = x.tobytes()
        self.moved_last = False
        if self.x.tobytes() != wanted:
            for tried in reversed(self.tried):
                if tried[0].tobytes() == wanted:
                    break
            else:
                evaluate(x)
                tried = self.tried[-1]
            if not _is_finite(tried):
                return False
            self.x, self.loss, self.gradient = tried
            self.moved_last = True
        self.tried.clear()
        return True


def _is_finite(tried: tuple[np.ndarray, float, np.ndarray]) -> bool:
    return isfinite(tried[1]) and bool(np.isfinite(tried[2]).all())


class _Hub:
    """Evaluates the points of all examples at once."""

    def __init__(self, task: Task) -> None:
        self.task, self.run = task, Progress(task)
        gradient = np.asarray(task.b.numpy(self.run.start()), np.float64)
        start = np.array(task.b.numpy(task.x0), np.float64)
        self.points = start.copy()
        losses = self.run.losses.tolist()
        self.examples = [_Example(i, start[i], losses[i], gradient[i]) for i in range(self.run.batch)]
        self.losses, self.gradients = losses, gradient
        self.round = start

    def evaluate(self, example: _Example, x: np.ndarray) -> tuple[float, np.ndarray]:
        """What scipy calls: the loss and the gradient at x, after the others of the batch have asked for theirs."""
        i = example.number
        if example.starts:  # scipy's first question, answered already
            example.starts = False
            if np.array_equal(example.x, x):
                return example.loss, example.gradient.copy()
        self.points[i] = x
        if example.solver is None:
            self.evaluate_round()
        else:
            example.solver.parent.switch()
        if not self.run.running[i]:
            raise _Halt
        loss, gradient = self.losses[i], self.gradients[i]
        tried = (self.round[i], loss, gradient)
        example.tried.append(tried)
        if -inf < loss < example.best[1]:
            example.best = tried
        return loss, gradient.copy()

    def evaluate_round(self) -> None:
        """Keeps a state when an example has moved on, looks at the limits, and calls f once for the whole batch."""
        if any(example.moved for example in self.examples):
            self.keep()
        self.run.check_limits()
        if not self.run.running.any():
            return
        b = self.task.b
        x = b.cast(b.as_tensor(self.points.copy()), self.task.dtype)
        losses, gradient = self.run.evaluate(x)
        self.losses, self.gradients = losses.tolist(), np.asarray(b.numpy(gradient), np.float64)
        self.round = self.points.copy()

    def keep(self, is_last: bool = False) -> None:
        """Hands the current points of all examples to `Progress`."""
        run, b = self.run, self.task.b
        if not (is_last or self.task.record or self.task.callback):
            return
        run.losses = np.array([example.loss for example in self.examples])
        shape = self.points.shape  # also of no example at all
        gradients = np.array([example.gradient for example in self.examples]).reshape(shape)
        run.gradient_norm = norms(gradients)
        run.iterations[:] = [example.iterations for example in self.examples]
        has_moved = any(example.moved for example in self.examples)
        for example in self.examples:
            example.moved = False
        x = np.array([example.x for example in self.examples]).reshape(shape)
        run.keep(b.cast(b.as_tensor(x), self.task.dtype), has_moved)

    def curvature(self, example: _Example, x: np.ndarray, direction: np.ndarray) -> np.ndarray:
        """The Hessian at x times a direction, by a difference of gradients; scipy's own step is for float64 only."""
        known = x.tobytes() == example.x.tobytes()
        gradient = example.gradient if known else self.evaluate(example, x)[1]
        unit = float(np.finfo(self.task.dtype.to_numpy()).eps)
        length = np.sqrt(unit) * (1 + np.linalg.norm(x)) / max(float(np.linalg.norm(direction)), np.finfo(float).tiny)
        _, there = self.evaluate(example, x + length * direction)
        return (there - gradient) / length

    def solve(self, example: _Example) -> None:
        """Runs scipy's solver for one example."""
        from scipy.optimize import minimize

        task, i = self.task, example.number

        def end(status: Status) -> None:
            self.run.end(np.arange(self.run.batch) == i, status)

        def step(x: np.ndarray, state: Any = None) -> None:  # trust-constr gives two arguments
            example.iterations += 1
            example.moved = True
            example.accept(x, lambda x: self.evaluate(example, x))
            if task.method == "TNC" and example.iterations >= max_iter:  # it has no such limit of its own
                end(Status.MAX_ITERATIONS)
                raise _Halt

        max_iter = min(int(task.max_iter[i]), _LARGEST)
        # scipy spends microseconds on a callback: without one, the last step is all that is known afterwards
        needs_steps = task.record or task.callback or task.deadline is not None or task.method in ("TNC", "Newton-CG")
        options: dict[str, Any] = {} if task.method == "TNC" else {"maxiter": max_iter}
        if task.method in _EVALUATION_LIMITED:
            options["maxfun"] = min(1000 * (1 + max_iter), _LARGEST)
        extra = {"hessp": lambda x, p: self.curvature(example, x, p)} if task.method == "Newton-CG" else {}
        try:
            with np.errstate(all="ignore"):
                result = minimize(
                    lambda x: self.evaluate(example, x),
                    example.x.copy(),
                    method=task.method,
                    jac=True,
                    tol=float(task.atol[i]),
                    bounds=task.bounds,
                    callback=step if needs_steps else None,
                    options=options,
                    **extra,
                )
            last_tried = example.tried[-1] if example.tried else None
            example.iterations = max(example.iterations, int(result.nit))
            finite = True
            x = np.array(result.x) if task.bounds is None else np.clip(result.x, *task.bounds.T)
            if not np.array_equal(x, example.x):
                example.moved = True
                finite = example.accept(x, lambda x: self.evaluate(example, x))
        except _Halt:
            return
        if not finite:
            self.return_to_best(example)
            end(Status.NON_FINITE)
        elif result.success:
            # Newton-CG stands still, and says that it has succeeded, where f has no curvature
            is_newton = task.method == "Newton-CG"
            still = is_newton and not example.moved_last and self.downhill(example) > task.atol[i]
            end(Status.STAGNATED if still else Status.CONVERGED)
            self.run.tests[i] = f"scipy’s own test of {task.method}: {result.message.strip().rstrip('.')}"
        elif result.nit >= max_iter:
            end(Status.MAX_ITERATIONS)
        else:
            end(Status.STAGNATED if last_tried is None or _is_finite(last_tried) else Status.NON_FINITE)

    def return_to_best(self, example: _Example) -> None:
        """Takes the best point that was met, unless it is one outside of the bounds or without a gradient."""
        x, loss, gradient = example.best
        low, high = (-np.inf, np.inf) if self.task.bounds is None else self.task.bounds.T
        if _is_finite(example.best) and np.all((low <= x) & (x <= high)):
            example.x, example.loss, example.gradient = x, loss, gradient

    def downhill(self, example: _Example) -> float:
        """How far a step of the length of the gradient leads within the bounds; 0 at an optimum."""
        low, high = (-np.inf, np.inf) if self.task.bounds is None else self.task.bounds.T
        return float(np.linalg.norm(np.clip(example.x - example.gradient, low, high) - example.x))


_SILENT = ("ignore", None, Warning, re.compile(r"scipy\."), 0)
_silent = 0
_lock = threading.Lock()


@contextmanager
def _silence() -> Iterator[None]:
    """No warnings of scipy's solvers in the block: what they tell is in the status.

    `warnings.catch_warnings` belongs to the process: of two blocks on two threads that overlap, the one that ends last
    would put back the filters of the other one for good. This puts in one filter, and takes out that one.
    """
    global _silent
    filters: Any = warnings.filters
    with _lock:
        _silent += 1
        if _SILENT not in filters:
            filters.insert(0, _SILENT)
    try:
        yield
    finally:
        with _lock:
            _silent -= 1
            filters = warnings.filters
            while not _silent and _SILENT in filters:
                filters.remove(_SILENT)


def minimize_with_scipy(task: Task) -> list[SolveResult]:
    """Runs a method of scipy.optimize.minimize for every example, with one evaluation of the batch a round.

    Args:
        task: Checked input; `atol` is scipy's `tol`.

    Returns:
        All states when recording, else the last one.
    """
    with _silence():
        hub = _Hub(task)
        hub.keep(is_last=not hub.run.running.any())
        waiting = [example for example in hub.examples if hub.run.running[example.number]]
        if waiting:
            hub.solve(waiting[0]) if hub.run.batch == 1 else _run_together(hub, waiting)
            hub.keep(is_last=True)  # with the final statuses
    return hub.run.states


def _run_together(hub: _Hub, examples: list[_Example]) -> None:
    from greenlet import GreenletExit, greenlet

    solvers = [greenlet(hub.solve) for _ in examples]
    try:
        for example, solver in zip(examples, solvers, strict=True):
            example.solver = solver
            solver.switch(example)
        while waiting := [solver for solver in solvers if not solver.dead]:
            hub.evaluate_round()
            for solver in waiting:
                solver.switch()
    finally:
        for example, solver in zip(examples, solvers, strict=True):
            example.solver = None
            if solver:  # after an exception: it is still in the middle of scipy's code
                solver.throw(GreenletExit)
