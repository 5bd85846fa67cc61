"""What `minimize` minimizes: a function of a batch of points, with its gradient, checked and counted."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..backend.context import precision
from ..backend.dtypes import DType
from ..backend.functions import FunctionWithGradient, as_outputs

if TYPE_CHECKING:
    from ..backend.base import Backend

_CENTRAL = ((-2, 1 / 12), (-1, -8 / 12), (1, 8 / 12), (2, -1 / 12), (0, 0))
_FORWARD = ((1, 4), (2, -3), (3, 4 / 3), (4, -1 / 4), (0, -25 / 12))
"""Multiples of the step and weights for slopes of fourth order. The last pair is that of the point itself.
Source: B. Fornberg (1988), doi 10.1090/S0025-5718-1988-0935077-0, tables 1 and 2."""
_SIDE_STEPS = 4


class Objective:
    """A function from points (batch, n) to losses (batch,), evaluated for the whole batch at once.

    Args:
        b: Backend that computes.
        f: Gives the losses, or (their sum, losses).
        batch: Number of points.
        size: n.
        dtype: Type that the points have.
        bounds: (n, 2) float64, or None. Where differences are taken, f is not called outside of them.

    Attributes:
        cost: Evaluations of f that one call takes for each example.
    """

    def __init__(
        self,
        b: Backend,
        f: Callable[..., Any],
        batch: int,
        size: int,
        dtype: DType,
        bounds: np.ndarray | None = None,
    ) -> None:
        self.b, self.f, self.batch, self.size, self.dtype, self.bounds = b, f, batch, size, dtype, bounds
        differentiates = isinstance(f, FunctionWithGradient) or "functional_gradient" not in b.approximate
        self._gradient = b.functional_gradient(f, (0,), get_output=True) if differentiates else None
        differences = _SIDE_STEPS * size + (bounds is not None)
        self.cost = 1 if differentiates else 1 + differences

    def __call__(self, x: Any) -> tuple[Any, Any]:
        """The losses (batch,) and their gradients (batch, n), native."""
        if self._gradient is None:
            point = np.array(self.b.numpy(x), np.float64)
            # f may write into what it gets
            return self._losses(as_outputs(self.f(self.b.copy(x)))), self._differences(point)
        *outputs, gradient = self._gradient(x)
        if self.b.staticshape(gradient) != (self.batch, self.size):
            shape = self.b.staticshape(gradient)
            raise ValueError(
                f"minimize on {self.b.name}: the gradient of f has the shape {shape}, expected that of x, "
                f"(batch, n) = {self.batch, self.size}."
            )
        return self._losses(tuple(outputs)), self.b.copy(gradient, only_mutable=True)

    def _losses(self, outputs: tuple) -> Any:
        """The loss of each example: the first output, or the second where the first is their sum."""
        first = self.b.as_tensor(outputs[0])
        loss = self.b.as_tensor(outputs[1]) if len(outputs) == 2 and self.b.ndims(first) == 0 else first
        shape = tuple(self.b.staticshape(loss))
        if shape == () and self.batch == 1:
            return self.b.reshape(loss, (1,))
        if shape != (self.batch,):
            raise ValueError(
                f"minimize on {self.b.name}: f gave the shape {shape} for points of shape {self.batch, self.size}, "
                f"expected one loss for each example, (batch,) = ({self.batch},): sum over the last axis only."
            )
        if self.b.dtype(loss).kind not in (bool, int, float):
            raise TypeError(f"minimize on {self.b.name}: f gave losses of {self.b.dtype(loss)}, expected real numbers.")
        return loss

    def _differences(self, point: np.ndarray) -> Any:
        """Gradients by differences in float64, one column of all points at a time: examples do not feel each other."""
        steps = np.finfo(np.float64).eps ** 0.2 * np.maximum(1, np.abs(point))
        central = np.ones(point.shape, bool)
        slopes = np.zeros(point.shape)
        with precision(64):
            if self.bounds is not None:
                central, steps = self._within_bounds(point, steps)
                slopes += np.where(central, _CENTRAL[-1][1], _FORWARD[-1][1]) * self._values(point)[:, None]
            for column in range(self.size):
                for (multiple, weight), (side_multiple, side_weight) in zip(_CENTRAL, _FORWARD, strict=True):
                    if multiple == 0:
                        continue
                    shifted, is_central = point.copy(), central[:, column]
                    shifted[:, column] += np.where(is_central, multiple, side_multiple) * steps[:, column]
                    slopes[:, column] += np.where(is_central, weight, side_weight) * self._values(shifted)
        with np.errstate(divide="ignore", invalid="ignore"):
            slopes = np.where(steps == 0, 0, slopes / steps)
        return self.b.cast(self.b.as_tensor(slopes), self.dtype)

    def _values(self, point: np.ndarray) -> np.ndarray:
        losses = self._losses(as_outputs(self.f(self.b.as_tensor(point.copy()))))
        return np.asarray(self.b.numpy(losses), np.float64)

    def _within_bounds(self, point: np.ndarray, steps: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Where there is room to both sides, and the steps: negative where there is more below, 0 where none is."""
        assert self.bounds is not None
        below, above = point - self.bounds[:, 0], self.bounds[:, 1] - point
        central = np.minimum(below, above) >= 2 * steps
        room = np.maximum(below, above) / _SIDE_STEPS
        aside = np.minimum(steps, room) * np.where(above >= below, 1, -1)
        return central, np.where(central, steps, aside)
