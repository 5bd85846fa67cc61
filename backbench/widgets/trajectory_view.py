"""`TrajectoryView`: what solvers did, step by step, several side by side."""

from __future__ import annotations

import threading
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import traitlets

from ..backend import UnsupportedOperation
from ..solve.result import SolveResult, Trajectory
from .assets import css, esm
from .following import Choice, Follows, entering
from .guard import LOCK, shows_errors
from .trajectory_code import python_lines
from .trajectory_page import check_point, page_of, static_html
from .trajectory_problems import Field, Function, Problem, own_problem
from .trajectory_runs import Run, label_of, measured, solve
from .trajectory_state import TrajectoryState, as_list, check_condition
from .trajectory_worker import Worker

MOST_RUNS, STYLES = 12, 6
PROGRESS_AFTER, PROGRESS_EVERY = 0.15, 0.1  # seconds


@dataclass(frozen=True)
class Request:
    """What is to be solved: all that a run depends on, as it was when it was asked for."""

    problem: Problem
    methods: tuple[str, ...]
    x0: tuple[float, ...]
    max_iter: int
    choice: Choice


class TrajectoryView(TrajectoryState):
    """Solvers on a problem of two unknowns or on a grid: their ways, what they measured, and how they ended.

    Solving happens on a thread of its own; a change while it runs stops it and starts again. Runs that are kept stay
    beside the new ones. Tolerances: 1e-6 times ‖y‖ for linear solvers, 1e-6 for the gradient of minimizers.

    Args:
        problem: `"quadratic"`, `"rosenbrock"`, `"himmelblau"`, `"beale"`, `"poisson"`, or a function f(b, x) of your
            own that maps a backend and points (batch, 2) to values (batch,). In `state` it is a name; the constructor
            needs the function itself.
        methods: Names of linear solvers or of methods of `minimize`; by default CG and GD where the problem has them.
        x0: Start, two numbers; by default the problem's own.
        precision: 16, 32, 64, or `"exact"` with the backend sympy.
        backend: Name of a backend.
        condition: Condition number of the quadratic function, 1 to 1e6.
        max_iter: Limit of iterations, up to 100,000.
        step: The state that is shown; -1 is the last one.
        gradient: Of a function of your own: gradient(b, x) maps the same to (batch, 2). NumPy uses it in place of
            differences, and its norm is shown.
        domain: x_min, x_max, y_min, y_max of the picture of a function of your own.
        bar: A `BackendBar` to follow.

    Raises:
        traitlets.TraitError: A trait cannot have that value.
        MissingLibrary: The library of the backend is not installed.
        TypeError: A function cannot be called as f(b, x), or an argument is unknown.

    Example:
        >>> view = TrajectoryView("quadratic", ["CG"], condition=100)
        >>> view.trajectories["CG"][-1].status[0].name, len(view.trajectories["CG"])
        ('CONVERGED', 3)
    """

    _esm = esm(
        "common.js", "backend_bar.js", "trajectory_drawing.js", "trajectory_plane.js", "trajectory_fields.js",
        "trajectory_measures.js", "trajectory_steps.js", "trajectory_runs.js", "trajectory_controls.js",
        "trajectory_view.js",
    )  # fmt: skip
    _css = css("common.css", "backend_bar.css", "trajectory_view.css", "trajectory_pictures.css")

    landscape = traitlets.Dict().tag(sync=True)
    contours = traitlets.Bytes().tag(sync=True)
    runs: traitlets.List[dict[str, Any]] = traitlets.List().tag(sync=True)
    paths = traitlets.Bytes().tag(sync=True)
    measures = traitlets.Bytes().tag(sync=True)
    fields = traitlets.Bytes().tag(sync=True)
    drawn = traitlets.Int(0).tag(sync=True)
    progress = traitlets.Dict().tag(sync=True)
    code = traitlets.Unicode().tag(sync=True)

    def __init__(
        self,
        problem: str | Function = "quadratic",
        methods: Sequence[str] | str | None = None,
        x0: Sequence[float] | None = None,
        precision: int | str = 64,
        backend: str = "numpy",
        *,
        condition: float = 10.0,
        max_iter: int = 500,
        step: int = -1,
        device: str = "",
        gradient: Function | None = None,
        domain: tuple[float, float, float, float] | None = None,
        bar: Follows | None = None,
        **widget: Any,
    ) -> None:
        self._worker = Worker()  # first, since a view that cannot be made is closed, too
        self._refuse_unknown(widget)
        self._runs: list[Run] = []
        self._kept: list[Run] = []
        self._number = 0
        self._solved: Request | None = None
        self._drawn_problem: Problem
        if not isinstance(problem, str):
            start = check_point(x0) if x0 is not None else [0.0, 0.0]
            self._own = own_problem(problem, gradient, (start[0], start[1]), domain)
            problem = self._own.name
        elif gradient is not None or domain is not None:
            raise TypeError("TrajectoryView: gradient and domain belong to a function of your own.")
        named = self._drawn_problem = self._named(problem, check_condition(condition))
        state = {
            "problem": problem,
            "condition": condition,
            "methods": self._default_methods(named) if methods is None else as_list(methods),
            "x0": list(named.start[:2]) if x0 is None else x0,
            "max_iter": max_iter,
            "step": step,
        }
        super().__init__(**state, backend=backend, precision=precision, device=device, **widget)
        self.problems = self._offer()
        if bar is not None:
            self.follow(bar)
        self.on_msg(self._on_message)
        self._is_made = self._ready = True
        self._refresh()
        self.wait(0.5)  # so that a short solve is there when the view is shown

    # --- solving ----------------------------------------------------------------------------------------------------

    @traitlets.observe(*(name for name in TrajectoryState.STATE if name != "step"))
    @shows_errors
    def _refresh(self, change: object = None) -> None:
        """Start a solve when the state asks for another one than the last."""
        if not self._ready:
            return
        wanted = Request(self._problem, tuple(self.methods), tuple(self.x0), self.max_iter, self.choice)
        if wanted == self._solved:
            return
        self._solved = wanted
        self.code = python_lines(self._problem, self.state)
        self._worker.start(lambda stop: self._work(stop, wanted))

    def _work(self, stop: threading.Event, wanted: Request) -> None:
        """On the worker's thread: solve, and show the result unless another one is wanted by now."""
        try:
            styles = [style for style in range(STYLES) if style not in {run.style for run in self._kept}]
            runs: list[Run] = []
            for number, method in enumerate(wanted.methods):
                if stop.is_set() and runs:  # what was not begun is not shown
                    break
                style = (styles or list(range(STYLES)))[number % (len(styles) or STYLES)]
                runs.append(self._run(stop, wanted, method, style))
                if wanted != self._solved:
                    return
            with LOCK:
                if wanted == self._solved:
                    self._runs, self._drawn_problem = runs, wanted.problem
                    self._draw()
        except BaseException as error:  # of the user's function, sys.exit() too: shown, and the view stays usable
            self._show_error(wanted, error)
            return
        finally:
            if self.progress and self._solved in (wanted, None):
                self.progress = {}

    def _run(self, stop: threading.Event, wanted: Request, method: str, style: int) -> Run:
        problem, max_iter = wanted.problem, wanted.max_iter
        label = label_of(method, wanted.choice.backend, wanted.choice.precision)
        run = Run(method, method, label, style, detail=problem.detail)
        if method not in problem.methods:
            return Run(run.id, method, run.label, style, reason=f"{method} does not solve this problem.")
        start = list(problem.start if isinstance(problem, Field) else wanted.x0)
        with entering(*wanted.choice) as b:
            try:
                trajectory = solve(
                    problem, method, b, start, max_iter, self._watch(stop, run.label, max_iter), stop.is_set
                )
            except UnsupportedOperation as error:
                return Run(run.id, method, run.label, style, reason=str(error))
            return measured(run, problem, b, trajectory)

    def _watch(self, stop: threading.Event, label: str, max_iter: int) -> Callable[[SolveResult], None]:
        """What a solver calls after each step: it ends the solve, and tells how far it is."""
        told = time.monotonic() + PROGRESS_AFTER - PROGRESS_EVERY

        def watch(state: SolveResult) -> None:
            nonlocal told
            if stop.is_set():
                raise StopIteration
            now = time.monotonic()
            if now - told < PROGRESS_EVERY:
                return
            told = now
            iterations = int(state.iterations[0])
            self.progress = {"text": f"{label}: iteration {iterations:,}", "fraction": iterations / max_iter}

        return watch

    def _show_error(self, wanted: Request, error: BaseException) -> None:
        with LOCK:
            if wanted == self._solved:
                text = "".join(traceback.format_exception(error))
                self.error = {"message": f"{type(error).__name__}: {error}", "traceback": text}

    def _draw(self) -> None:
        """Bring the page in line with the runs, in one message."""
        page = page_of(self._drawn_problem, [*self._runs, *self._kept])
        with self.hold_sync():
            for name, value in page.items():
                setattr(self, name, value)
            self.drawn += 1

    # --- for people at a keyboard of either kind --------------------------------------------------------------------

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until nothing is being solved; returns whether that came within the time."""
        return self._worker.wait(seconds)

    def stop(self) -> None:
        """Do what the button `Stop` does: the states reached so far are shown."""
        self._worker.stop()

    def keep(self) -> None:
        """Do what `Keep these runs` does: the runs stay while others come."""
        with LOCK:
            new = [run for run in self._runs if run.trajectory is not None]
            if len(self._kept) + 2 * len(new) > MOST_RUNS:
                self._complain("kept", f"There is room for {MOST_RUNS} runs: remove some of the kept ones first.")
                return
            self.withdraw("kept")
            for run in new:
                self._number += 1
                self._kept.append(run.keep(self._number))
            self._solved = None  # the current runs get styles of their own
        self._refresh()

    def remove(self, identity: str | None = None) -> None:
        """Remove a kept run, or all of them.

        Args:
            identity: `id` of a run in `runs`.
        """
        with LOCK:
            self._kept = [] if identity is None else [run for run in self._kept if run.id != identity]
            self.withdraw("kept")
            self._draw()

    @property
    def trajectories(self) -> dict[str, Trajectory]:
        """The trajectories by the `id` of their run, which is the method's name; waits until they are there."""
        self.wait()
        runs = [*self._runs, *self._kept]
        return {run.id: run.trajectory for run in runs if run.trajectory is not None}

    def to_png(self) -> bytes:
        r"""Draw the runs with matplotlib, for places without JavaScript; waits until they are there.

        Example:
            >>> TrajectoryView().to_png()[:4]
            b'\x89PNG'
        """
        from .trajectory_picture import draw

        self.wait()
        runs = [*self._runs, *self._kept]
        lengths = [len(run.measures) if run.measures is not None else 1 for run in runs]
        states = [length - 1 if self.step < 0 else min(self.step, length - 1) for length in lengths]
        return draw(self._drawn_problem, runs, states).to_png()

    def close(self) -> None:
        """Stop solving and take the view off the page."""
        self._solved, self._ready = None, False
        self._worker.discard()
        super().close()

    @shows_errors
    def _obey(self, content: dict[str, Any]) -> None:
        if "stop" in content:
            self.stop()
        elif "keep" in content:
            self.keep()
        elif "clear" in content:
            self.remove()
        elif "remove" in content:
            self.remove(content["remove"])
        elif "withdraw" in content:
            self.withdraw(content["withdraw"])
        else:
            self.enter(content["field"], content["text"])

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Take what the page sends; a value that cannot be is shown as an error and changes nothing."""
        if sync_data.keys() == {"step"}:  # nothing is solved, and no error of a solve is over
            self._accept(sync_data)
            self.send({"answered": {}})
        else:
            super().set_state(sync_data)

    def _static_html(self) -> str:
        return static_html(self._drawn_problem, [*self._runs, *self._kept], is_solving=not self.wait(0))
