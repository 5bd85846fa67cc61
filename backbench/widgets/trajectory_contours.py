"""Contour lines of a function of two unknowns, and the square in which they are drawn."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from contourpy import LineType, contour_generator

from .trajectory_problems import Plane

POINTS = 101  # of the grid along a side
LEVELS = 14
_SHARE = 4  # the square grows by this part of its side
_FURTHEST = 2  # how many sides it grows at most: a run that flies away leaves the picture

Domain = tuple[float, float, float, float]


@dataclass(frozen=True, eq=False)
class Contours:
    """Contour lines of f − f*, or of f minus its smallest value in the picture where f* is not known.

    Attributes:
        levels: Values of the lines, growing.
        lines: For each line the index of its level, its first point, its number of points.
        points: x and y of all lines, one after the other, (points, 2), float32.
        lowest: What was subtracted from `Plane.excess`: 0, or the smallest value found on the grid.
    """

    levels: tuple[float, ...]
    lines: tuple[tuple[int, int, int], ...]
    points: np.ndarray
    lowest: float


def enclosing(problem: Plane, points: Iterable[np.ndarray]) -> Domain:
    """The square to draw: the problem's own, grown in steps of a quarter until it holds the points.

    The steps keep the picture still while a start is dragged; the limit keeps it readable when a run flies away.

    Args:
        problem: Whose domain is grown.
        points: Arrays (any, 2); what is not finite is left out.

    Example:
        >>> from backbench.widgets.trajectory_problems import quadratic_problem
        >>> enclosing(quadratic_problem(10.0), [np.array([[0.0, 0.0], [3.2, 0.0]])])
        (-3.0, 4.5, -3.75, 3.75)
    """
    x_min, x_max, y_min, y_max = problem.domain
    side = max(x_max - x_min, y_max - y_min)
    step = side / _SHARE
    found = np.concatenate([np.empty((0, 2)), *points])
    found = found[np.isfinite(found).all(axis=1)]

    def grow(low: float, high: float, values: np.ndarray) -> tuple[float, float]:
        below = max(0, low - values.min(initial=low)) / step
        above = max(0, values.max(initial=high) - high) / step
        most = _FURTHEST * _SHARE
        return low - step * min(most, math.ceil(below)), high + step * min(most, math.ceil(above))

    x_min, x_max = grow(x_min, x_max, found[:, 0])
    y_min, y_max = grow(y_min, y_max, found[:, 1])
    missing = (x_max - x_min) - (y_max - y_min)
    wider, higher = max(0, -missing) / 2, max(0, missing) / 2
    return x_min - wider, x_max + wider, y_min - higher, y_max + higher


@lru_cache(maxsize=32)
def contours(problem: Plane, domain: Domain) -> Contours:
    """Lines at levels that grow by a constant factor, so that the floor of a valley is seen beside its walls.

    Drawn are the lines of the root: linear interpolation is exact for the root of a quadratic function along rays from
    its minimum, and good near any other minimum. Regions where f is not finite have no lines.

    Args:
        problem: The function; kept, with its lines.
        domain: x_min, x_max, y_min, y_max.
    """
    x, y = np.linspace(*domain[:2], POINTS), np.linspace(*domain[2:], POINTS)
    values = problem.excess(np.stack(np.meshgrid(x, y), axis=-1))
    finite = np.isfinite(values)
    if not finite.any():
        return Contours((), (), np.empty((0, 2), np.float32), 0.0)
    lowest = 0.0 if problem.minima else float(values[finite].min())
    with np.errstate(invalid="ignore"):
        heights = np.sqrt(np.maximum(values - lowest, 0))
    levels = _levels(heights[finite])
    generator = contour_generator(x, y, np.ma.masked_invalid(heights), line_type=LineType.Separate)
    lines: list[tuple[int, int, int]] = []
    parts: list[np.ndarray] = []
    start = 0
    for index, level in enumerate(levels):
        for line in generator.lines(level):
            lines.append((index, start, len(line)))
            parts.append(np.asarray(line, np.float32))
            start += len(line)
    points = np.concatenate(parts) if parts else np.empty((0, 2), np.float32)
    return Contours(tuple(float(level**2) for level in levels), tuple(lines), points, lowest)


def _levels(heights: np.ndarray) -> np.ndarray:
    """Heights from that of the lowest hundredth of the picture to the top."""
    positive = heights[heights > 0]
    if not positive.size:
        return np.empty(0)
    low, high = float(np.quantile(positive, 0.003)), float(positive.max())
    if low >= high:
        return np.empty(0)
    return np.geomspace(max(low, high * 1e-5), high, LEVELS + 1)[:-1]
