"""What `TrajectoryView` sends to its page: numbers as bytes, the table of runs, and a table for static pages."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from .trajectory_contours import Contours, Domain, contours, enclosing
from .trajectory_problems import Field, Plane, Problem
from .trajectory_runs import WORDS, Run

LARGEST = 1e6  # of coordinates that can be chosen
FARTHEST = 1e30  # where a run that flies away is drawn: float32 holds it


def page_of(problem: Problem, runs: Sequence[Run]) -> dict[str, Any]:
    """The traits `landscape`, `contours`, `runs`, `paths`, `measures` and `fields`.

    Args:
        problem: What is solved.
        runs: In the order of the table.
    """
    ran = [run for run in runs if run.trajectory is not None]
    starts = np.cumsum([0, *(len(run.measures) for run in ran if run.measures is not None)])
    first = {run.id: int(start) for run, start in zip(ran, starts, strict=False)}
    shown: dict[str, Any] = {"runs": [_row(run, first.get(run.id, 0)) for run in runs]}
    measures = np.concatenate([np.empty((0, 4)), *(run.measures for run in ran if run.measures is not None)])
    if isinstance(problem, Field):
        shown |= _field(problem, ran) | {"contours": b"", "paths": b""}
    else:
        assert isinstance(problem, Plane)
        domain, lines = picture_of(problem, runs)
        points = np.concatenate([np.empty((0, 2)), *(run.x for run in ran if run.x is not None)])
        # below the smallest value of the contours there may still be that of a run
        lowest = lines.lowest if problem.minima else min([lines.lowest, *_finite(measures[:, 3])])
        with np.errstate(over="ignore", invalid="ignore"):
            measures[:, 3] -= lowest
        shown |= {
            "landscape": _landscape(problem, domain, lines),
            "contours": lines.points.astype("<f4").tobytes(),
            "paths": np.clip(points, -FARTHEST, FARTHEST).astype("<f4").tobytes(),
            "fields": b"",
        }
    # iteration, value on the axis, f, norm
    return shown | {"measures": measures[:, [0, 3, 1, 2]].astype("<f8").tobytes()}


def picture_of(problem: Plane, runs: Sequence[Run]) -> tuple[Domain, Contours]:
    """The square to draw and the contour lines in it."""
    domain = enclosing(problem, [run.x for run in runs if run.x is not None])
    return domain, contours(problem, domain)


def _finite(values: np.ndarray) -> list[float]:
    return values[np.isfinite(values)].tolist()


def _row(run: Run, start: int) -> dict[str, Any]:
    row: dict[str, Any] = {"id": run.id, "label": run.label, "method": run.method, "kept": run.kept, "style": run.style}
    last = run.last
    if last is None or run.measures is None:
        return row | {"ran": False, "reason": run.reason, "states": 0, "start": start}
    status = last.status[0]
    return row | {
        "ran": True,
        "reason": "",
        "states": len(run.measures),
        "start": start,
        "iterations": int(last.iterations[0]),
        "evaluations": int(last.function_evaluations[0]),
        "status": status.name,
        "word": WORDS[status],
        "good": status.converged,
        "sentence": last.message[0],
    }


def _landscape(problem: Plane, domain: Domain, lines: Contours) -> dict[str, Any]:
    return {
        "kind": "plane",
        "domain": list(domain),
        "levels": list(lines.levels),
        "lines": [list(line) for line in lines.lines],
        "minima": [list(minimum) for minimum in problem.minima],
        "formula": problem.formula,
        "loss_label": "f − f*" if problem.minima else "f − smallest f",
        "residual_label": "‖∇f‖",
    }


def _field(problem: Field, ran: Sequence[Run]) -> dict[str, Any]:
    """Solution and residual of each state, (n, n) each; the first row is the lowest."""
    parts = [np.empty((0, 2 * problem.size**2))]
    for run in ran:
        if run.x is not None:
            residual = problem.y - (problem.matrix @ run.x.T).T
            parts.append(np.concatenate([run.x, residual], axis=1))
    values = np.clip(np.concatenate(parts), -FARTHEST, FARTHEST)
    n = problem.size**2
    return {
        "landscape": {
            "kind": "field",
            "size": problem.size,
            "formula": problem.formula,
            "loss_label": "",
            "residual_label": "‖y − A·x‖",
            "field_range": _range(values[:, :n]),
            "residual_range": _range(values[:, n:]),
        },
        "fields": values.astype("<f4").tobytes(),
    }


def _range(values: np.ndarray) -> list[float]:
    largest = float(np.max(np.abs(values[np.isfinite(values)]), initial=0)) or 1.0
    return [-largest, largest]


def static_html(problem: Problem, runs: Sequence[Run], is_solving: bool = False) -> str:
    """The runs as a plain table, for places without JavaScript or a kernel."""
    note = "It was being solved when this was saved. " if is_solving else ""
    rows = "".join(
        f"<tr><th scope='row'>{escape(run.label)}</th>"
        + (
            f"<td>{int(run.last.iterations[0])}</td><td>{escape(WORDS[run.last.status[0]])}</td>"
            f"<td>{escape(run.last.message[0])}</td></tr>"
            if run.last is not None
            else f"<td>–</td><td>cannot run</td><td>{escape(run.reason)}</td></tr>"
        )
        for run in runs
    )
    return (
        f"<table><caption>{escape(problem.formula)}. {note}Run this cell to get the controls.</caption>"
        "<thead><tr><th>run</th><th>iterations</th><th>status</th><th>what happened</th></tr></thead>"
        f"<tbody>{rows}</tbody></table>"
    )


def check_point(values: Sequence[float]) -> list[float]:
    """A start point as two finite floats.

    Raises:
        ValueError: It is none.
    """
    try:
        point = [float(value) for value in values]
    except (TypeError, ValueError):
        point = []
    if len(point) != 2 or not all(abs(value) <= LARGEST for value in point):
        raise ValueError(f"A start point has two finite numbers, at most {LARGEST:,.0f}, not {values!r:.80}.")
    return point
