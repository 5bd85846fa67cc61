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

_SHIFTS = {-2: 1 / 12, -1: -8 / 12, 1: 8 / 12, 2: -1 / 12}
"""Central differences of fourth order. Source: B. Fornberg (1988), doi 10.1090/S0025-5718-1988-0935077-0, table 1."""


class Objective:
    """A function from points (batch, n) to losses (batch,), evaluated for the whole batch at once.

    Args:
        b: Backend that computes.
        f: Gives the losses, or (their sum, losses).
        batch: Number of points.
        size: n.
        dtype: Type that the points have.

    Attributes:
        cost: Evaluations of f that one call takes for each example.
    """

    def __init__(self, b: Backend, f: Callable[..., Any], batch: int, size: int, dtype: DType) -> None:
        self.b, self.f, self.batch, self.size, self.dtype = b, f, batch, size, dtype
        differentiates = isinstance(f, FunctionWithGradient) or "functional_gradient" not in b.approximate
        self._gradient = b.functional_gradient(f, (0,), get_output=True) if differentiates else None
        self.cost = 1 if differentiates else 1 + len(_SHIFTS) * size

    def __call__(self, x: Any) -> tuple[Any, Any]:
        """The losses (batch,) and their gradients (batch, n), native."""
        if self._gradient is None:
            return self._losses(as_outputs(self.f(x))), self._differences(x)
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

    def _differences(self, x: Any) -> Any:
        """Gradients by differences in float64, one column of all points at a time: examples do not feel each other."""
        b = self.b
        point = np.asarray(b.numpy(x), np.float64)
        steps = np.finfo(np.float64).eps ** 0.2 * np.maximum(1, np.abs(point))
        slopes = np.zeros(point.shape)
        with precision(64):
            for column in range(self.size):
                for multiple, weight in _SHIFTS.items():
                    shifted = point.copy()
                    shifted[:, column] += multiple * steps[:, column]
                    losses = self._losses(as_outputs(self.f(b.as_tensor(shifted))))
                    slopes[:, column] += weight * np.asarray(b.numpy(losses), np.float64)
        return b.cast(b.as_tensor(slopes / steps), self.dtype)
