"""The static picture of a `TrajectoryView`, by matplotlib: for reports, and for places without JavaScript."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .trajectory_page import picture_of
from .trajectory_problems import Field, Plane, Problem
from .trajectory_runs import Run

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..plot import Picture

MOST_MARKED = 40
FARTHEST = 1e8  # matplotlib loses its way with larger coordinates


def draw(problem: Problem, runs: Sequence[Run], states: Sequence[int]) -> Picture:
    """The ways of the runs and what they measured.

    Args:
        problem: What was solved.
        runs: The runs; those that could not run are left out.
        states: Number of the emphasised state of each run.

    Returns:
        A picture of 9.6 by 4.4 inches; 12 by 4 with a field.
    """
    from ..plot import Picture

    shown = [(run, state) for run, state in zip(runs, states, strict=True) if run.measures is not None]
    if isinstance(problem, Field):
        figure = Picture(12, 4)
        solution, residual, chart = figure.subplots(1, 3, width_ratios=(1, 1, 1.25))
        if shown:
            _draw_field(solution, residual, problem, *shown[0])
        _draw_measures(chart, shown, "‖y − A·x‖", 0.0)
        return figure
    assert isinstance(problem, Plane)
    figure = Picture(9.6, 4.4)
    plane, chart = figure.subplots(1, 2, width_ratios=(1, 1.15))
    lowest = _draw_plane(plane, problem, shown)
    _draw_measures(chart, shown, "f − f*" if problem.minima else "f − smallest f", lowest)
    return figure


def _draw_plane(axes: Axes, problem: Plane, shown: Sequence[tuple[Run, int]]) -> float:
    domain, lines = picture_of(problem, [run for run, _ in shown])
    shades = np.linspace(0.55, 0.85, max(1, len(lines.levels)))
    for level, start, count in lines.lines:
        axes.plot(*lines.points[start : start + count].T, color=str(shades[level]), linewidth=0.7)
    for run, state in shown:
        if run.x is None:
            continue
        style = _style(run, len(run.x))
        path = np.clip(run.x, -FARTHEST, FARTHEST)
        axes.plot(*path.T, **style, linewidth=1.6)
        axes.plot(*path[state], **style | {"marker": "o", "markersize": 9, "markeredgecolor": "black"})
    for minimum in problem.minima:
        axes.plot(*minimum, "k+", markersize=10, markeredgewidth=1.5)
    axes.set(xlim=domain[:2], ylim=domain[2:], xlabel="x₁", ylabel="x₂", aspect="equal")
    axes.set_title(problem.formula, fontsize=9)
    values = [value for run, _ in shown if run.measures is not None for value in run.measures[:, 3]]
    return 0.0 if problem.minima else min([lines.lowest, *(value for value in values if np.isfinite(value))])


def _draw_field(solution: Axes, residual: Axes, problem: Field, run: Run, state: int) -> None:
    assert run.x is not None
    x = run.x[state]
    for axes, values, title in ((solution, x, "field"), (residual, problem.y - problem.matrix @ x, "residual")):
        largest = float(np.max(np.abs(values), where=np.isfinite(values), initial=0)) or 1.0
        grid = values.reshape(problem.size, problem.size)
        image = axes.imshow(grid, cmap="RdBu_r", vmin=-largest, vmax=largest, origin="lower", extent=(0, 1, 0, 1))
        axes.figure.colorbar(image, ax=axes, shrink=0.8)
        axes.set(title=f"{title} of {run.method}, step {state}", xlabel="x₁", ylabel="x₂")


def _draw_measures(axes: Axes, shown: Sequence[tuple[Run, int]], label: str, lowest: float) -> None:
    from ..plot import for_log_axis

    axes.set(xlabel="iteration", ylabel=label, yscale="log")
    axes.locator_params(axis="x", integer=True)
    for run, _ in shown:
        if run.measures is None:
            continue
        with np.errstate(invalid="ignore"):
            values = run.measures[:, 3] - lowest
        axes.plot(
            run.measures[:, 0],
            for_log_axis(values),
            **_style(run, len(values)),
            label=run.label,
        )
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    if shown:
        axes.legend(frameon=False, fontsize=8)


def _style(run: Run, states: int) -> dict[str, Any]:
    """Colour, dash and, unless they would hide the line, markers."""
    from ..plot import COLORS, DASHES, MARKERS

    marker = MARKERS[run.style] if states <= MOST_MARKED else None
    return {"color": COLORS[run.style], "linestyle": DASHES[run.style], "marker": marker, "markersize": 4}
