"""`ArrayBackend`: what can be written once for every library with an array namespace `xp`.

`xp` follows the Python array API standard (numpy >= 2, jax.numpy; PyTorch through array-api-compat). Only functions of
`xp` are called here, never methods of tensors.
"""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable, Iterable
from typing import Any

from .array_sampling import ArraySampling
from .base import Backend
from .context import get_precision
from .contract.arrangement import PAD_MODES
from .contract.reductions import Axis, check_axis
from .contract.values import Tensor
from .devices import ComputeDevice
from .dtypes import DType

_NUMBER_TYPES: dict[type, type] = {kind: kind for kind in (bool, int, float, complex)}


def _function(name: str, xp_name: str | None = None, of_floats: bool = False) -> Any:
    """A method that applies one function of the namespace to a tensor, to a floating point one if asked for."""

    def method(self: ArrayBackend, x: Any) -> Tensor:
        return getattr(self.xp, xp_name or name)(self.as_inexact(x) if of_floats else self.as_result(x))

    method.__name__ = name
    return method


class ArrayBackend(ArraySampling, Backend):
    """The contract on an array namespace. Subclasses set `xp` and add types, devices and what differs."""

    xp: Any

    def __init__(self, name: str, default_device: ComputeDevice | None = None) -> None:
        super().__init__(name, default_device)
        self._common_types: dict[tuple, DType] = {}

    def auto_cast(self, *tensors: Any) -> list:
        # what the promotion table says for these types is remembered: looking it up takes longer than small operations
        try:
            key = (get_precision(), *[getattr(x, "dtype", None) or _NUMBER_TYPES[type(x)] for x in tensors])
        except KeyError:  # sequences, whose types only their elements tell
            return super().auto_cast(*tensors)
        common = self._common_types.get(key)
        if common is None:
            common = self.common_type(*tensors)
            if all(type(x) in _NUMBER_TYPES or self.is_tensor(x, only_native=True) for x in tensors):
                self._common_types[key] = common  # the type of a foreign object array does not tell what is in it
        return [self.cast(x, common) for x in tensors]

    def native_type(self, dtype: DType) -> Any:
        """The library's own object for a type."""
        return dtype.to_numpy()

    def staticshape(self, tensor: Any) -> tuple:
        shape = getattr(tensor, "shape", None)
        return tuple(self.as_tensor(tensor).shape if shape is None else shape)

    def as_result(self, x: Any) -> Tensor:
        """`x` as tensor in the type that results have under the current precision."""
        return self.auto_cast(x)[0]

    def as_inexact(self, x: Any) -> Tensor:
        x = self.auto_cast(x)[0]
        return self.cast(x, self.float_type) if self.dtype(x).kind in (bool, int) else x

    def as_accumulator(self, x: Tensor) -> Tensor:
        """float16 as float32, everything else as it is: half precision is too coarse to add up in."""
        return self.cast(x, DType(float, 32)) if self.dtype(x) == DType(float, 16) else x

    def placement(self) -> dict[str, Any]:
        """Arguments of the namespace's creation functions that put a new tensor on the default device."""
        return {}

    def zeros(self, shape: Any, dtype: DType | None = None) -> Tensor:
        return self.xp.zeros(shape, dtype=self.native_type(dtype or self.float_type), **self.placement())

    def ones(self, shape: Any, dtype: DType | None = None) -> Tensor:
        return self.xp.ones(shape, dtype=self.native_type(dtype or self.float_type), **self.placement())

    def zeros_like(self, tensor: Any) -> Tensor:
        return self.xp.zeros_like(self.as_tensor(tensor))

    def ones_like(self, tensor: Any) -> Tensor:
        return self.xp.ones_like(self.as_tensor(tensor))

    def range(self, start: Any, limit: Any = None, delta: Any = 1, dtype: DType = DType(int, 32)) -> Tensor:
        first, end = (0, start) if limit is None else (start, limit)
        return self.xp.arange(first, end, delta, dtype=self.native_type(dtype), **self.placement())

    def linspace(self, start: Any, stop: Any, number: int) -> Tensor:
        return self.xp.linspace(start, stop, number, dtype=self.native_type(self.float_type), **self.placement())

    def meshgrid(self, *coordinates: Any) -> list:
        return list(self.xp.meshgrid(*map(self.as_tensor, coordinates), indexing="ij"))

    sqrt = _function("sqrt", of_floats=True)
    exp = _function("exp", of_floats=True)
    expm1 = _function("expm1", of_floats=True)
    log = _function("log", of_floats=True)
    log1p = _function("log1p", of_floats=True)
    log2 = _function("log2", of_floats=True)
    log10 = _function("log10", of_floats=True)
    sin = _function("sin", of_floats=True)
    arcsin = _function("arcsin", "asin", of_floats=True)
    sinh = _function("sinh", of_floats=True)
    arcsinh = _function("arcsinh", "asinh", of_floats=True)
    cos = _function("cos", of_floats=True)
    arccos = _function("arccos", "acos", of_floats=True)
    cosh = _function("cosh", of_floats=True)
    arccosh = _function("arccosh", "acosh", of_floats=True)
    tan = _function("tan", of_floats=True)
    arctan = _function("arctan", "atan", of_floats=True)
    tanh = _function("tanh", of_floats=True)
    arctanh = _function("arctanh", "atanh", of_floats=True)
    abs = _function("abs")
    sign = _function("sign")
    round = _function("round")
    ceil = _function("ceil")
    floor = _function("floor")
    isfinite = _function("isfinite")
    isnan = _function("isnan")
    real = _function("real")
    imag = _function("imag")
    conj = _function("conj")

    def equal(self, x: Any, y: Any) -> Tensor:
        return self.xp.equal(*self.auto_cast(x, y))

    def not_equal(self, x: Any, y: Any) -> Tensor:
        return self.xp.not_equal(*self.auto_cast(x, y))

    def greater_than(self, x: Any, y: Any) -> Tensor:
        return self.xp.greater(*self.auto_cast(x, y))

    def greater_or_equal(self, x: Any, y: Any) -> Tensor:
        return self.xp.greater_equal(*self.auto_cast(x, y))

    def less_than(self, x: Any, y: Any) -> Tensor:
        return self.xp.less(*self.auto_cast(x, y))

    def less_or_equal(self, x: Any, y: Any) -> Tensor:
        return self.xp.less_equal(*self.auto_cast(x, y))

    def add(self, a: Any, b: Any) -> Tensor:
        return self.xp.add(*self.auto_cast(a, b))

    def sub(self, a: Any, b: Any) -> Tensor:
        a, b = self.auto_cast(a, b)
        if self.dtype(a).kind is bool:
            raise TypeError(f"{self.name}.sub: bools have no difference. Use xor, or cast them to integers.")
        return self.xp.subtract(a, b)

    def mul(self, a: Any, b: Any) -> Tensor:
        return self.xp.multiply(*self.auto_cast(a, b))

    def div(self, numerator: Any, denominator: Any) -> Tensor:
        return self.xp.divide(*map(self.as_inexact, self.auto_cast(numerator, denominator)))

    def pow(self, base: Any, exp: Any) -> Tensor:
        return self.xp.pow(*self.auto_cast(base, exp))

    def mod(self, dividend: Any, divisor: Any) -> Tensor:
        return self.xp.remainder(*self._divisible("mod", dividend, divisor))

    def floordiv(self, a: Any, b: Any) -> Tensor:
        return self.xp.floor_divide(*self._divisible("floordiv", a, b))

    def _divisible(self, operation: str, a: Any, b: Any) -> list:
        a, b = self.auto_cast(a, b)
        if self.dtype(b).kind is int and self.is_available(b) and builtins.bool(self.xp.any(self.xp.equal(b, 0))):
            raise ZeroDivisionError(f"{self.name}.{operation}: integer division by zero. Floats would give inf or NaN.")
        return [a, b]

    def and_(self, a: Any, b: Any) -> Tensor:
        return self.xp.bitwise_and(*self.auto_cast(a, b))

    def or_(self, a: Any, b: Any) -> Tensor:
        return self.xp.bitwise_or(*self.auto_cast(a, b))

    def xor(self, a: Any, b: Any) -> Tensor:
        return self.xp.bitwise_xor(*self.auto_cast(a, b))

    def maximum(self, a: Any, b: Any) -> Tensor:
        return self.xp.maximum(*self.auto_cast(a, b))

    def minimum(self, a: Any, b: Any) -> Tensor:
        return self.xp.minimum(*self.auto_cast(a, b))

    def arctan2(self, y: Any, x: Any) -> Tensor:
        return self.xp.atan2(*map(self.as_inexact, self.auto_cast(y, x)))

    def where(self, condition: Any, x: Any = None, y: Any = None) -> Any:
        condition = self.cast(condition, DType(bool))
        if x is None and y is None:
            return tuple(self.xp.nonzero(condition))
        if x is None or y is None:
            raise ValueError(f"{self.name}.where: give both x and y, or none of them for the indices.")
        return self.xp.where(condition, *self.auto_cast(x, y))

    def sum(self, value: Any, axis: Axis = None, keepdims: bool = False) -> Tensor:
        return self._accumulate(self.xp.sum, value, axis, keepdims)

    def prod(self, value: Any, axis: Axis = None, keepdims: bool = False) -> Tensor:
        return self._accumulate(self.xp.prod, value, axis, keepdims)

    def _accumulate(self, function: Callable[..., Any], value: Any, axis: Axis, keepdims: bool) -> Tensor:
        x = self.as_result(value)
        dtype = self.dtype(x)
        if dtype.kind in (bool, int):  # unsigned ones keep their sign
            dtype = DType(int, self.widest, signed=dtype.signed)
            return function(self.cast(x, dtype), axis=_axes(axis), keepdims=keepdims)
        return self.cast(function(self.as_accumulator(x), axis=_axes(axis), keepdims=keepdims), dtype)

    def mean(self, value: Any, axis: Axis = None, keepdims: bool = False) -> Tensor:
        x = self.as_inexact(value)
        return self.cast(self._mean(self.as_accumulator(x), axis, keepdims), self.dtype(x))

    def _mean(self, x: Tensor, axis: Axis, keepdims: bool) -> Tensor:
        total = self.xp.sum(x, axis=_axes(axis), keepdims=keepdims)
        return self.xp.divide(total, self.size(x) // max(1, self.size(total)))

    def std(self, x: Any, axis: Axis = None, keepdims: bool = False) -> Tensor:
        x = self.as_inexact(x)
        wide = self.as_accumulator(x)
        distance = self.xp.abs(self.xp.subtract(wide, self._mean(wide, axis, True)))
        variance = self._mean(self.xp.multiply(distance, distance), axis, keepdims)
        return self.cast(self.xp.sqrt(variance), DType(float, self.dtype(x).precision or 0))

    def max(self, x: Any, axis: Axis = None, keepdims: bool = False) -> Tensor:
        return self._extremum("max", x, axis, keepdims)

    def min(self, x: Any, axis: Axis = None, keepdims: bool = False) -> Tensor:
        return self._extremum("min", x, axis, keepdims)

    def _extremum(self, name: str, value: Any, axis: Axis, keepdims: bool) -> Tensor:
        x = self.as_result(value)
        shape = self.staticshape(x)
        axes = builtins.range(len(shape)) if axis is None else axis if isinstance(axis, (tuple, list)) else (axis,)
        if builtins.any(shape[check_axis(self, name, i, shape)] == 0 for i in axes):
            raise ValueError(f"{self.name}.{name}: nothing has no {name}imum; the shape is {shape}, the axis {axis}.")
        return getattr(self.xp, name)(x, axis=_axes(axis), keepdims=keepdims)

    def any(self, boolean_tensor: Any, axis: Axis = None, keepdims: bool = False) -> Tensor:
        return self.xp.any(self.cast(boolean_tensor, DType(bool)), axis=_axes(axis), keepdims=keepdims)

    def all(self, boolean_tensor: Any, axis: Axis = None, keepdims: bool = False) -> Tensor:
        return self.xp.all(self.cast(boolean_tensor, DType(bool)), axis=_axes(axis), keepdims=keepdims)

    def cumsum(self, x: Any, axis: int) -> Tensor:
        return self._accumulate(
            lambda values, axis, keepdims: self.xp.cumulative_sum(values, axis=axis), x, axis, False
        )

    def argmax(self, x: Any, axis: int | None = None, keepdims: bool = False) -> Tensor:
        return self.xp.argmax(self.as_tensor(x), axis=axis, keepdims=keepdims)

    def argmin(self, x: Any, axis: int | None = None, keepdims: bool = False) -> Tensor:
        return self.xp.argmin(self.as_tensor(x), axis=axis, keepdims=keepdims)

    def sort(self, x: Any, axis: int = -1) -> Tensor:
        return self.xp.sort(self.as_result(x), axis=axis)

    def argsort(self, x: Any, axis: int = -1) -> Tensor:
        return self.xp.argsort(self.as_tensor(x), axis=axis, stable=True)

    def transpose(self, tensor: Any, axes: tuple | list) -> Tensor:
        return self.xp.permute_dims(self.as_tensor(tensor), tuple(axes))

    def stack(self, values: Any, axis: int = 0) -> Tensor:
        return self.xp.stack(self.auto_cast(*values), axis=axis)

    def concat(self, values: Any, axis: int) -> Tensor:
        return self.xp.concat(self.auto_cast(*values), axis=axis)

    def unstack(self, tensor: Any, axis: int = 0, keepdims: bool = False) -> tuple:
        tensor = self.as_tensor(tensor)
        axis = check_axis(self, "unstack", axis, self.staticshape(tensor))
        length = self.staticshape(tensor)[axis]
        before = (slice(None),) * axis
        return tuple(tensor[(*before, slice(i, i + 1) if keepdims else i)] for i in builtins.range(length))

    def reshape(self, value: Any, shape: Any) -> Tensor:
        return self.xp.reshape(self.as_tensor(value), tuple(shape) if isinstance(shape, Iterable) else (shape,))

    def flip(self, value: Any, axes: tuple | list) -> Tensor:
        return self.xp.flip(self.as_tensor(value), axis=_axes(axes))

    def tile(self, value: Any, multiples: tuple | list) -> Tensor:
        return self.xp.tile(self.as_tensor(value), tuple(multiples))

    def expand_dims(self, a: Any, axis: int = 0, number: int = 1) -> Tensor:
        a = self.as_tensor(a)
        shape = self.staticshape(a)
        if not -len(shape) - 1 <= axis <= len(shape):
            raise ValueError(f"{self.name}.expand_dims: axis {axis} is out of range for a tensor of shape {shape}.")
        before = axis if axis >= 0 else len(shape) + 1 + axis
        return self.reshape(a, (*shape[:before], *[1] * number, *shape[before:]))

    def pad(self, value: Any, pad_width: Any, mode: str = "constant", constant_values: Any = 0) -> Any:
        if mode not in PAD_MODES:
            return NotImplemented
        value = self.as_tensor(value)
        if mode != "constant":
            return self.xp.pad(value, pad_width, mode=PAD_MODES[mode])
        common = self.common_type(value, constant_values)
        if common.kind is not self.dtype(value).kind:  # 0.5 around integers makes floats of them
            value = self.cast(value, common)
        return self.xp.pad(value, pad_width, constant_values=constant_values)

    def multi_slice(self, tensor: Any, slices: tuple) -> Tensor:
        parts = tuple(part if isinstance(part, slice) else operator.index(self.numpy(part).item()) for part in slices)
        return self.as_tensor(tensor)[parts]

    def batch_gather(self, tensor: Any, batches: Any) -> Tensor:
        return self.gather(tensor, [batches] if self.ndims(batches) == 0 else batches)

    def gather(self, x: Any, indices: Any, axis: int = 0) -> Tensor:
        return self.xp.take(self.as_tensor(x), self.as_tensor(indices), axis=axis)

    def boolean_mask(self, x: Any, mask: Any, axis: int = 0) -> Tensor:
        length = self.staticshape(x)[check_axis(self, "boolean_mask", axis, self.staticshape(x))]
        if self.staticshape(mask) != (length,):
            shapes = f"the mask has shape {self.staticshape(mask)}, axis {axis} of x has length {length}"
            raise ValueError(f"{self.name}.boolean_mask: {shapes}.")
        return self.gather(x, self.where(mask)[0], axis)

    def nonzero(self, values: Any) -> Tensor:
        return self.xp.stack(self.xp.nonzero(self.as_tensor(values)), axis=-1)

    def matmul(self, A: Any, b: Any) -> Tensor:
        A, b = self.auto_cast(A, b)
        self.check_matmul(A, b)
        dtype = self.dtype(A)
        A, b = self.as_accumulator(A), self.as_accumulator(b)
        if self.ndims(A) == 2:
            product = self.xp.matmul(b, self.xp.permute_dims(A, (1, 0)))
        else:
            product = self.xp.matmul(A, b[..., None])[..., 0]
        return self.cast(product, dtype)

    def check_matmul(self, A: Any, b: Any) -> None:
        """Raises a ValueError unless the shapes of A and b fit together in `matmul`."""
        matrix, vector = tuple(A.shape), tuple(b.shape)
        fits = len(matrix) in (2, 3) and len(vector) in (1, 2) and matrix[-1] == vector[-1]
        if not fits or (
            len(matrix) == 3 and len(vector) == 2 and 1 not in (matrix[0], vector[0]) and matrix[0] != vector[0]
        ):
            expected = "A is (rows, columns) or (batch, rows, columns), b is (batch, columns) or (columns,)"
            hint = "The plain matrix product is einsum('ij,jk->ik', A, b)."
            raise ValueError(f"{self.name}.matmul: shapes {matrix} and {vector} do not fit: {expected}. {hint}")

    def tensordot(self, a: Any, a_axes: tuple | list, b: Any, b_axes: tuple | list) -> Tensor:
        a, b = self.auto_cast(a, b)
        product = self.xp.tensordot(self.as_accumulator(a), self.as_accumulator(b), axes=(tuple(a_axes), tuple(b_axes)))
        return self.cast(product, self.dtype(a))

    def einsum(self, equation: str, *tensors: Any) -> Tensor:
        operands = self.auto_cast(*tensors)
        product = self.xp.einsum(equation, *map(self.as_accumulator, operands))
        return self.cast(product, self.dtype(operands[0]))


def _axes(axis: Axis) -> int | tuple | None:
    return tuple(axis) if isinstance(axis, list) else axis
