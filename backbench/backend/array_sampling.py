"""Convolution, Fourier transforms, and values on grids, written once for every array namespace."""

from __future__ import annotations

import builtins
import math
from itertools import product
from typing import Any

from .base import Backend
from .contract.values import Tensor
from .dtypes import DType

EXTRAPOLATIONS = ("undefined", "zeros", "boundary", "periodic", "symmetric", "reflect")
SCATTER_MODES = ("update", "add")
_INDEX = DType(int, 32)
_LETTERS = "xyz"


class ArraySampling(Backend):
    """What is made of slices, products and gathered entries. Subclasses may replace `correlate` by their own."""

    xp: Any

    def as_accumulator(self, x: Tensor) -> Tensor:
        """See `ArrayBackend`."""
        raise NotImplementedError

    # --- signals ----------------------------------------------------------------------------------------------------

    def conv(self, value: Any, kernel: Any, zero_padding: bool = True) -> Tensor:
        value, kernel = self.auto_cast(value, kernel)
        shape, window = self.staticshape(value), self.staticshape(kernel)
        self._check_conv(shape, window)
        dtype, axes = self.dtype(value), builtins.range(2, len(shape))
        if dtype.kind is bool:
            raise TypeError(
                f"{self.name}.conv: bools are not multiplied and added up. Cast them to integers or floats."
            )
        value, kernel = self.as_accumulator(value), self.as_accumulator(kernel)
        if zero_padding:
            margins = [(window[axis + 1] // 2, (window[axis + 1] - 1) // 2) for axis in axes]
            value = self.pad(value, [(0, 0), (0, 0), *margins])
        elif any(window[axis + 1] > shape[axis] for axis in axes):
            raise ValueError(
                f"{self.name}.conv: the kernel {window[3:]} is larger than the value {shape[2:]}. Pad it with zeros."
            )
        return self.cast(self.correlate(value, kernel), dtype)

    def _check_conv(self, shape: tuple, window: tuple) -> None:
        fits = 3 <= len(shape) <= 5 and len(window) == len(shape) + 1 and shape[1] == window[2]
        if not fits or (window[0] != shape[0] and 1 not in (window[0], shape[0])) or 0 in window[3:]:
            expected = "value is (batch, in, spatial...), kernel is (batch or 1, out, in, spatial...)"
            raise ValueError(f"{self.name}.conv: shapes {shape} and {window} do not fit: {expected}.")

    def correlate(self, value: Tensor, kernel: Tensor) -> Tensor:
        """The valid cross-correlation of (batch, in, spatial...) with (batch or 1, out, in, spatial...)."""
        shape, window = self.staticshape(value), self.staticshape(kernel)[3:]
        lengths = [n - k + 1 for n, k in zip(shape[2:], window, strict=True)]
        spatial = _LETTERS[: len(lengths)]
        total = None
        for offset in product(*map(builtins.range, window)):
            part = value[(slice(None), slice(None), *(slice(o, o + n) for o, n in zip(offset, lengths, strict=True)))]
            weights = kernel[(slice(None), slice(None), slice(None), *offset)]
            if weights.shape[0] == 1:
                term = self.xp.einsum(f"oi,bi{spatial}->bo{spatial}", weights[0], part)
            elif shape[0] == 1:
                term = self.xp.einsum(f"boi,i{spatial}->bo{spatial}", weights, part[0])
            else:
                term = self.xp.einsum(f"boi,bi{spatial}->bo{spatial}", weights, part)
            total = term if total is None else total + term
        assert total is not None  # a window is not empty
        return total

    def fft(self, x: Any, axes: tuple | list) -> Tensor:
        return self.xp.fft.fftn(self._as_complex(x), axes=self._fft_axes(x, axes))

    def ifft(self, k: Any, axes: tuple | list) -> Tensor:
        return self.xp.fft.ifftn(self._as_complex(k), axes=self._fft_axes(k, axes))

    def _as_complex(self, x: Any) -> Tensor:
        x = self.as_inexact(x)
        return self.cast(x, DType(complex, max(64, 2 * (self.dtype(x).precision or 0))))

    def _fft_axes(self, x: Any, axes: Any) -> tuple:
        shape = self.staticshape(x)
        found = tuple(axis % len(shape) if -len(shape) <= axis < len(shape) else axis for axis in axes)
        if not all(0 <= axis < len(shape) for axis in found) or len(set(found)) < len(found):
            raise ValueError(f"{self.name}.fft: axes are {tuple(axes)}, expected different axes of the shape {shape}.")
        return found

    # --- values on grids --------------------------------------------------------------------------------------------

    def batched_gather_nd(self, values: Any, indices: Any) -> Tensor:
        values, indices = self.as_tensor(values), self.as_tensor(indices)
        rows = self._rows("batched_gather_nd", self.staticshape(values), indices)
        shape, places = self.staticshape(values), self.staticshape(indices)
        batch, channels = max(shape[0], places[0]), shape[-1]
        flat = self.reshape(values, (shape[0], -1, channels))
        if places[0] == 1:
            found = self.gather(flat, rows[0], 1)
        elif shape[0] == 1:
            found = self.gather(flat[0], rows, 0)
        else:
            found = self.gather(self.reshape(flat, (-1, channels)), self._in_batch(rows, math.prod(shape[1:-1])), 0)
        return self.reshape(found, (batch, *places[1:-1], channels))

    def scatter(self, base_grid: Any, indices: Any, values: Any, mode: str) -> Tensor:
        if mode not in SCATTER_MODES:
            raise ValueError(f"{self.name}.scatter: mode is {mode!r}, expected one of {', '.join(SCATTER_MODES)}.")
        base, values = self.auto_cast(base_grid, values)
        indices = self.as_tensor(indices)
        shape, places, given = map(self.staticshape, (base, indices, values))
        rows = self._rows("scatter", shape, indices)
        batch, count, channels = max(shape[0], places[0], given[0] if given else 0), places[1], shape[-1]
        if len(given) != 3 or any(n not in (1, m) for n, m in zip(given, (batch, count, channels), strict=True)):
            expected = f"(batch, n, channels) = {batch, count, channels} or 1 in place of these"
            raise ValueError(f"{self.name}.scatter: values have the shape {given}, expected {expected}.")
        size = math.prod(shape[1:-1])
        base = self._broadcast(base, (batch, *shape[1:]))
        rows, values = self._broadcast(rows, (batch, count)), self._broadcast(values, (batch, count, channels))
        flat = self.reshape(base, (batch * size, channels))
        changed = self.scatter_rows(
            flat, self.reshape(self._in_batch(rows, size), (-1,)), self.reshape(values, (-1, channels)), mode
        )
        return self.reshape(changed, (batch, *shape[1:]))

    def scatter_rows(self, base: Tensor, rows: Tensor, values: Tensor, mode: str) -> Tensor:
        """A copy of base (rows, channels) with values (n, channels) put in, or added, at the rows (n,)."""
        raise NotImplementedError

    def _rows(self, operation: str, shape: tuple, indices: Tensor) -> Tensor:
        """Which entries of the flattened spatial axes the indices mean, (batch, any)."""
        places, spatial = self.staticshape(indices), shape[1:-1]
        if len(shape) < 3 or len(places) < 2 or places[-1] != len(spatial) or self.dtype(indices).kind is not int:
            raise ValueError(
                f"{self.name}.{operation}: indices of shape {places} and type {self.dtype(indices)} do not fit a grid "
                f"of shape {shape}: expected integers (batch, any..., {len(spatial)}) for (batch, spatial..., channel)."
            )
        if places[0] != shape[0] and 1 not in (places[0], shape[0]):
            raise ValueError(
                f"{self.name}.{operation}: the batch is {shape[0]} in the grid, {places[0]} in the indices."
            )
        if self.is_available(indices):
            known = self.numpy(indices)
            if builtins.bool(((known < 0) | (known >= list(spatial))).any()):
                raise IndexError(f"{self.name}.{operation}: an index is out of range for a grid of shape {spatial}.")
        strides = [math.prod(spatial[i + 1 :]) for i in builtins.range(len(spatial))]
        rows = sum((indices[..., i] * stride for i, stride in enumerate(strides)), start=0)
        return self.reshape(rows, (places[0], -1))

    def _in_batch(self, rows: Tensor, size: int) -> Tensor:
        """Rows of each example as rows of all examples, one after the other."""
        starts = self.range(0, self.staticshape(rows)[0], dtype=self.dtype(rows)) * size
        return rows + starts[:, None]

    def _broadcast(self, x: Tensor, shape: tuple) -> Tensor:
        return x if self.staticshape(x) == shape else self.xp.broadcast_to(x, shape)

    def grid_sample(self, grid: Any, coordinates: Any, extrapolation: str) -> Tensor:
        if extrapolation not in EXTRAPOLATIONS:
            known = ", ".join(EXTRAPOLATIONS)
            raise ValueError(f"{self.name}.grid_sample: extrapolation is {extrapolation!r}, expected one of {known}.")
        grid, coordinates = map(self.as_inexact, self.auto_cast(grid, coordinates))
        shape, places = self.staticshape(grid), self.staticshape(coordinates)
        spatial = shape[1:-1]
        if len(shape) < 3 or len(places) < 2 or places[-1] != len(spatial):
            raise ValueError(
                f"{self.name}.grid_sample: coordinates of shape {places} do not fit a grid of shape {shape}: expected "
                "(batch, instance..., vector) for (batch, spatial..., channel), the vector as long as there are axes."
            )
        dtype = self.dtype(grid)
        grid, coordinates = self.as_accumulator(grid), self.as_accumulator(coordinates)
        below, share, inside = zip(
            *(self._along_axis(coordinates[..., i], n, extrapolation) for i, n in enumerate(spatial)), strict=True
        )
        total = None
        for corner in product((0, 1), repeat=len(spatial)):
            weight, index = None, []
            for i, side in enumerate(corner):
                part = (share[i] if side else 1 - share[i]) * inside[i][side]
                weight = part if weight is None else weight * part
                index.append(below[i][side])
            assert weight is not None  # there is an axis
            term = self.batched_gather_nd(grid, self.xp.stack(index, axis=-1)) * weight[..., None]
            total = term if total is None else total + term
        return self.cast(total, dtype)

    def _along_axis(self, at: Tensor, n: int, extrapolation: str) -> tuple[Any, Tensor, Any]:
        """Both neighbours' indices, the share of the upper one, and factors that are 0 where there is no neighbour."""
        # functions of the namespace, which keep the type: those of the contract would round to the precision
        xp, dtype = self.xp, self.dtype(at)
        if extrapolation in ("boundary", "undefined"):
            at = self._limited(at, 0, n - 1)
        elif extrapolation == "zeros":
            at = self._limited(at, -1, n)
        lower = self.stop_gradient(xp.floor(at))
        whole = self.cast(xp.where(xp.isfinite(lower), lower, xp.zeros_like(lower)), _INDEX)
        sides = (whole, whole + 1)
        inside: tuple[Any, ...] = (1, 1)
        if extrapolation == "zeros":
            inside = tuple(self.cast((i >= 0) & (i < n), dtype) for i in sides)
        return tuple(self._entry(i, n, extrapolation) for i in sides), at - lower, inside

    def _limited(self, x: Tensor, low: float, high: float) -> Tensor:
        ones = self.xp.ones_like(x)
        return self.xp.minimum(self.xp.maximum(x, low * ones), high * ones)

    def _entry(self, i: Tensor, n: int, extrapolation: str) -> Tensor:
        if extrapolation == "periodic":
            return self.mod(i, n)
        if extrapolation == "symmetric":
            i = self.mod(i, 2 * n)
            return self.minimum(i, 2 * n - 1 - i)
        if extrapolation == "reflect":
            i = self.mod(i, max(1, 2 * n - 2))
            return self.minimum(i, max(1, 2 * n - 2) - i) if n > 1 else i
        return self._limited(i, 0, n - 1)
