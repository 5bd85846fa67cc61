"""The PyTorch backend: dense and sparse tensors, automatic differentiation, compilation by Dynamo, CPU and CUDA."""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from .choice import register
from .contract.values import Tensor
from .devices import ComputeDevice, host_cpu
from .dtypes import DType
from .features import MissingLibrary
from .functions import as_outputs, check_loop_values
from .library import LibraryBackend, as_shape

try:
    import torch
    from array_api_compat import torch as xp
    from torch.utils._pytree import tree_map

    from .torch_compile import compiled_by_signature
except ModuleNotFoundError as error:
    if error.name != "torch":
        raise
    raise MissingLibrary("PyTorch", "torch") from error

_TYPES = {
    DType(kind, bits): getattr(torch, f"{kind.__name__}{bits}")
    for kind, widths in {int: (8, 16, 32, 64), float: (16, 32, 64), complex: (64, 128)}.items()
    for bits in widths
}
_TYPES |= {DType(int, bits, signed=False): getattr(torch, f"uint{bits}") for bits in (8, 16, 32, 64)}
_TYPES[DType(bool)] = torch.bool
_FROM_TORCH = {native: dtype for dtype, native in _TYPES.items()}
_WIDE = DType(int, 64)
_PERSISTENT: ContextVar[bool] = ContextVar("persistent", default=False)


class TorchBackend(LibraryBackend):
    """Tensors of PyTorch. It computes with unsigned integers of 8 bits only; wider ones can be held and cast."""

    xp: Any = xp

    def __init__(self) -> None:
        super().__init__("torch")
        self._generators: dict[Any, torch.Generator] = {}

    # --- devices and random numbers ---------------------------------------------------------------------------------

    def _devices(self) -> list[ComputeDevice]:
        devices = [host_cpu(self, torch.device("cpu"))]
        for index in builtins.range(torch.cuda.device_count() if torch.cuda.is_available() else 0):
            found = torch.cuda.get_device_properties(index)
            ref = torch.device("cuda", index)
            devices.append(
                ComputeDevice(self, found.name, "GPU", found.total_memory, found.multi_processor_count, "CUDA", ref)
            )
        return devices

    def placement(self) -> dict[str, Any]:
        return {"device": self.get_default_device().ref}

    def block_until_ready(self, values: Any) -> Any:
        if torch.cuda.is_available():
            torch.cuda.synchronize()
        return values

    def seed(self, seed: int) -> None:
        self._generators = {}
        self._random.manual_seed(seed)

    @property
    def _random(self) -> torch.Generator:
        device = self.get_default_device().ref
        if device not in self._generators:
            self._generators[device] = torch.Generator(device)
            self._generators[device].seed()
        return self._generators[device]

    def random_uniform(self, shape: Any, low: Any, high: Any, dtype: DType | None) -> Tensor:
        dtype = dtype or self.float_type
        options: dict[str, Any] = {"generator": self._random, **self.placement()}
        if dtype.kind is int:
            return self.cast(torch.randint(low, high, as_shape(shape), dtype=torch.int64, **options), dtype)
        unit = torch.rand(as_shape(shape), dtype=torch.float64, **options)
        return self.cast(low + (high - low) * unit, dtype)

    def random_normal(self, shape: Any, dtype: DType) -> Tensor:
        options: dict[str, Any] = {"generator": self._random, **self.placement()}
        return self.cast(torch.randn(as_shape(shape), dtype=torch.float64, **options), dtype or self.float_type)

    # --- values -----------------------------------------------------------------------------------------------------

    def is_module(self, obj: Any) -> bool:
        return isinstance(obj, torch.nn.Module)

    def is_native(self, x: Any) -> bool:
        return isinstance(x, torch.Tensor)

    def from_array(self, array: np.ndarray) -> Tensor:
        tensor, device = torch.from_numpy(array), self.get_default_device().ref
        return tensor if device.type == "cpu" else tensor.to(device)

    def from_coordinates(self, rows: np.ndarray, columns: np.ndarray, values: Tensor, shape: tuple) -> Tensor:
        indices = torch.from_numpy(np.stack([rows, columns]).astype(np.int64))
        return torch.sparse_coo_tensor(indices, values, shape, check_invariants=False).coalesce()

    def coordinates(self, tensor: Any) -> tuple[tuple[Any, Any], Any]:
        tensor = self.as_tensor(tensor)
        if tensor.layout is torch.strided:
            raise TypeError("torch.coordinates: the tensor is dense. Use nonzero for its entries.")
        entries = tensor.to_sparse_coo().coalesce()
        rows, columns = entries.indices()
        return (rows, columns), entries.values()

    def is_available(self, tensor: Tensor) -> bool:
        return not (torch.compiler.is_compiling() or torch._C._functorch.is_functorch_wrapped_tensor(tensor))

    def numpy(self, tensor: Tensor) -> np.ndarray:
        tensor = self.as_tensor(tensor)
        if tensor.dtype not in _FROM_TORCH:
            raise TypeError(f"torch.numpy: NumPy has no {tensor.dtype}. Cast it first: x.to(torch.float32).")
        if tensor.requires_grad:
            self.note_reading()
        dense = tensor if tensor.layout is torch.strided else tensor.to_dense()
        return dense.detach().resolve_conj().resolve_neg().cpu().numpy()

    def adopt(self, array: np.ndarray) -> Tensor:
        # PyTorch counts strides in elements, forwards
        has_torch_strides = all(step >= 0 and step % array.itemsize == 0 for step in array.strides)
        may_share = array.flags.writeable and has_torch_strides and array.dtype.isnative
        if may_share and self.get_default_device().device_type == "CPU":
            return torch.from_numpy(array)
        return super().adopt(array)

    def to_dlpack(self, tensor: Tensor) -> Any:
        return self.as_tensor(tensor).detach()

    def from_dlpack(self, capsule: Any) -> Tensor:
        # PyTorch ends the whole process when it meets a stride that runs backwards
        if isinstance(capsule, np.ndarray) and any(step < 0 for step in capsule.strides):
            raise ValueError("torch.from_dlpack: PyTorch has no negative strides. Use backbench.convert(x, 'torch').")
        return torch.from_dlpack(capsule)

    def copy(self, tensor: Tensor, only_mutable: bool = False) -> Tensor:
        return self.as_tensor(tensor).clone()

    def dtype(self, array: Tensor) -> DType:
        native = getattr(array, "dtype", None)
        if native in _FROM_TORCH:
            return _FROM_TORCH[native]
        if isinstance(array, torch.Tensor):
            raise TypeError(f"torch: {native} is no type of the workbench. Cast it first: x.to(torch.float32).")
        return super().dtype(array)

    def native_type(self, dtype: DType) -> Any:
        if dtype not in _TYPES:
            raise TypeError(f"torch has no type {dtype}.")
        return _TYPES[dtype]

    def converted(self, x: Tensor, native_type: Any) -> Tensor:
        return x.to(native_type)

    def variable(self, value: Tensor) -> Tensor:
        return self.as_inexact(value).detach().clone().requires_grad_(True)

    def stop_gradient(self, value: Tensor) -> Tensor:
        return self.as_tensor(value).detach()

    # --- operations -------------------------------------------------------------------------------------------------

    def _of_integers(self, x: Any, function: Callable[[Tensor], Tensor]) -> Tensor:
        """function(x); bools, which PyTorch has few functions for, are counted as integers in it."""
        x = self.as_result(x)
        if x.dtype is torch.bool:
            return function(x.to(torch.uint8)).to(torch.bool)
        return function(x)

    def abs(self, x: Any) -> Tensor:
        return self._of_integers(x, torch.abs)

    def round(self, x: Any) -> Tensor:
        x = self.as_result(x)
        if x.dtype.is_complex:
            return torch.complex(torch.round(x.real), torch.round(x.imag))
        return torch.round(x) if x.dtype.is_floating_point else x

    def ceil(self, x: Any) -> Tensor:
        return self._of_integers(x, self.xp.ceil)

    def floor(self, x: Any) -> Tensor:
        return self._of_integers(x, self.xp.floor)

    def imag(self, x: Any) -> Tensor:
        x = self.as_result(x)
        return torch.imag(x) if x.dtype.is_complex else torch.zeros_like(x)

    def pow(self, base: Any, exp: Any) -> Tensor:
        base, exp = self.auto_cast(base, exp)
        if not base.dtype.is_floating_point and not base.dtype.is_complex and builtins.bool((exp < 0).any()):
            raise ValueError("torch.pow: integers to negative integer powers are no integers. Cast to float first.")
        return self.xp.pow(base, exp)

    def erf(self, x: Any) -> Tensor:
        return torch.special.erf(self.as_inexact(x))

    def quantile(self, x: Any, quantiles: Any) -> Tensor:
        x = self.as_inexact(x)
        wide = self.as_accumulator(x)
        # torch.quantile refuses more than 2**24 values
        ordered = torch.sort(wide, dim=-1).values.movedim(-1, 0)  # NaN comes last
        last = ordered.shape[0] - 1
        place = self.cast(quantiles, DType(float, 64)).to(wide.device) * last
        lower = place.floor()
        below, above = (ordered[at.to(torch.int64)] for at in (lower, (lower + 1).clamp(max=last)))
        share = (place - lower).to(wide.dtype).reshape(place.shape + (1,) * (x.ndim - 1))
        # infinite neighbours: their difference is NaN, where one of them is asked for by itself
        between = torch.where(share == 0, below, torch.lerp(below, above, share))
        return self.cast(torch.where(ordered[-1].isnan(), torch.nan, between), self.dtype(x))

    def argmax(self, x: Any, axis: int | None = None, keepdims: bool = False) -> Tensor:
        return self.xp.argmax(self._sortable(x), axis=axis, keepdims=keepdims)

    def argmin(self, x: Any, axis: int | None = None, keepdims: bool = False) -> Tensor:
        return self.xp.argmin(self._sortable(x), axis=axis, keepdims=keepdims)

    def _sortable(self, x: Any) -> Tensor:
        x = self.as_tensor(x)
        return x.to(torch.uint8) if x.dtype is torch.bool else x

    def gather(self, x: Any, indices: Any, axis: int = 0) -> Tensor:
        x, indices = self.as_tensor(x), self.as_tensor(indices)
        axis = axis % max(1, x.ndim)
        return x[(*[slice(None)] * axis, indices.to(torch.int64))]

    def multi_slice(self, tensor: Any, slices: tuple) -> Tensor:
        tensor, parts = self.as_tensor(tensor), list(slices)
        for axis, part in enumerate(parts):
            if isinstance(part, slice) and (part.step or 1) < 0:  # PyTorch has no negative steps
                positions = list(builtins.range(tensor.shape[axis])[part])
                tensor, parts[axis] = self.gather(tensor, positions, axis), slice(None)
        return super().multi_slice(tensor, tuple(parts))

    def pad(self, value: Any, pad_width: Any, mode: str = "constant", constant_values: Any = 0) -> Any:
        value = self.as_tensor(value)
        if mode != "constant":
            return self.pad_by_positions(value, pad_width, mode)
        common = self.common_type(value, constant_values)
        if common.kind is not self.dtype(value).kind:
            value = self.cast(value, common)
        shape = [length + lower + upper for length, (lower, upper) in zip(value.shape, pad_width, strict=True)]
        padded = torch.full(shape, constant_values, dtype=value.dtype, device=value.device)
        inside = tuple(slice(lower, lower + n) for n, (lower, _) in zip(value.shape, pad_width, strict=True))
        padded[inside] = value
        return padded

    def scatter_rows(self, base: Tensor, rows: Tensor, values: Tensor, mode: str) -> Tensor:
        return base.index_put((rows.to(torch.int64),), values, accumulate=mode == "add")

    def correlate(self, value: Tensor, kernel: Tensor) -> Tensor:
        if kernel.shape[0] > 1 or not (value.dtype.is_floating_point or value.dtype.is_complex):
            return super().correlate(value, kernel)
        function = (torch.nn.functional.conv1d, torch.nn.functional.conv2d, torch.nn.functional.conv3d)[value.ndim - 3]
        return function(value, kernel[0])

    # --- products ---------------------------------------------------------------------------------------------------

    def as_accumulator(self, x: Tensor) -> Tensor:
        # bools have no product in PyTorch; whether their sum is 0 tells what it would be
        return self.cast(x, _WIDE) if x.dtype is torch.bool else super().as_accumulator(x)

    def matmul(self, A: Any, b: Any) -> Tensor:
        A = self.as_tensor(A)
        if A.layout is torch.strided:
            return super().matmul(A, b)
        A, b = self.auto_cast(A, b)
        self.check_matmul(A, b)
        columns = self.as_accumulator(b).reshape(-1, b.shape[-1]).T
        product = torch.sparse.mm(self.as_accumulator(A), columns).T
        return self.cast(product.reshape(*b.shape[:-1], A.shape[0]), self.dtype(b))

    # --- differentiation and compilation ----------------------------------------------------------------------------

    def differentiate(self, f: Callable[..., Any], tensors: list, wrt: tuple | list) -> tuple[tuple, Sequence]:
        nested = any(x.requires_grad for x in tensors)  # inside another differentiation
        with torch.inference_mode(False), torch.enable_grad():
            for i in set(wrt):
                x = tensors[i].clone() if tensors[i].is_inference() else tensors[i]
                tensors[i] = x if x.requires_grad else x.detach().requires_grad_(True)
            inputs = [tensors[i] for i in wrt]
            with self.watched() as left:
                outputs = as_outputs(f(*(x.clone() for x in tensors)))  # f may write into what it gets
            loss = self.as_loss(outputs[0]).sum()
            if loss.requires_grad:
                found = torch.autograd.grad(loss, inputs, create_graph=nested, allow_unused=True)
            elif left:
                raise self.has_left()
            else:  # f does not depend on any of them
                found = (None,) * len(inputs)
        slopes = [torch.zeros_like(x) if slope is None else slope for slope, x in zip(found, inputs, strict=True)]
        if not nested:
            outputs = tuple(y.detach() if isinstance(y, torch.Tensor) else y for y in outputs)
        return outputs, slopes

    def custom_gradient(
        self, f: Callable[..., Any], gradient: Callable[..., Any], *, with_inputs: bool = False
    ) -> Callable[..., Any]:
        class Custom(torch.autograd.Function):
            @staticmethod
            def forward(ctx: Any, *inputs: Tensor) -> Any:
                result = f(*inputs)
                outputs = as_outputs(result)
                ctx.save_for_backward(*inputs, *outputs)
                ctx.count = len(inputs)
                return result

            @staticmethod
            def backward(ctx: Any, *slopes: Tensor) -> Any:
                saved = ctx.saved_tensors
                before = (saved[: ctx.count], saved[ctx.count :]) if with_inputs else ()
                return gradient(*before, *slopes)

        @functools.wraps(f)
        def call(*args: Any) -> Any:
            return Custom.apply(*map(self.as_tensor, args))

        return call

    @contextmanager
    def record_gradients(self, xs: tuple | list, persistent: bool = False) -> Iterator[None]:
        for x in xs:
            if not (isinstance(x, torch.Tensor) and (x.dtype.is_floating_point or x.dtype.is_complex)):
                raise TypeError(f"torch.record_gradients: {x!r:.80} is no floating point tensor of PyTorch.")
            if not x.requires_grad:
                x.requires_grad_(True)
        _PERSISTENT.set(persistent)
        with torch.enable_grad():
            yield

    def gradients(self, y: Tensor, xs: tuple | list, grad_y: Any) -> tuple:
        slope = torch.ones_like(y) if grad_y is None else self.as_tensor(grad_y)
        found = torch.autograd.grad(y, tuple(xs), slope, retain_graph=_PERSISTENT.get(), allow_unused=True)
        return tuple(torch.zeros_like(x) if s is None else s for s, x in zip(found, xs, strict=True))

    def jit_compile(self, f: Callable[..., Any]) -> Callable[..., Any]:
        compiled = compiled_by_signature(f)

        @functools.wraps(f)
        def call(*args: Any) -> Any:
            self.get_default_device()  # Dynamo cannot look at the machine
            return compiled(*tree_map(lambda x: self.as_tensor(x) if isinstance(x, np.ndarray) else x, args))

        return call

    # Dynamo does not look into differentiation: what is differentiated is compiled instead
    def jit_compile_grad(self, f: Callable[..., Any], wrt: tuple | list, get_output: bool) -> Callable[..., Any]:
        return self.functional_gradient(self.jit_compile(f), wrt, get_output)

    def jit_compile_hessian(
        self, f: Callable[..., Any], wrt: tuple | list, get_output: bool, get_gradient: bool
    ) -> Callable[..., Any]:
        return self.hessian(f, wrt, get_output, get_gradient)  # and refuses what is being differentiated already

    def while_loop(self, loop: Callable[..., Any], values: tuple) -> tuple:
        values = check_loop_values(self, values, None)
        while torch.any(self.as_tensor(values[0])):  # a tensor as condition: Dynamo goes on after a break here
            values = check_loop_values(self, loop(*values), values)
        return values


TORCH = TorchBackend()
register(TORCH)
