"""The JAX backend: arrays that nobody can write to, differentiation and compilation by tracing, CPU, GPU and TPU."""

from __future__ import annotations

import functools
import logging
import os
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .choice import register
from .context import default_backend, get_precision
from .contract.reductions import check_axis
from .contract.values import Tensor
from .devices import ComputeDevice, host_cpu
from .dtypes import DType
from .features import MissingLibrary
from .functions import FunctionWithGradient, as_outputs, check_loop_values, check_wrt
from .library import LibraryBackend, as_shape

try:
    import jax
    import jax.numpy as jnp
except ModuleNotFoundError as error:
    if error.name != "jax":
        raise
    raise MissingLibrary("JAX", "jax") from error

_TRACING_ERRORS = (
    jax.errors.ConcretizationTypeError,
    jax.errors.TracerArrayConversionError,
    jax.errors.TracerIntegerConversionError,
    jax.errors.TracerBoolConversionError,
)


def _enable_64_bits() -> None:
    """Lets JAX compute in 64 bits, for the whole process: switched on around single calls it silently gives float32."""
    if os.environ.get("BACKBENCH_JAX_X64") != "0" and not jax.config.jax_enable_x64:
        jax.config.update("jax_enable_x64", True)
        logging.getLogger("backbench").info("JAX computes in 64 bits from now on. BACKBENCH_JAX_X64=0 prevents that.")


class JaxBackend(LibraryBackend):
    """Arrays and tracers of JAX. The first use switches JAX to 64 bits unless BACKBENCH_JAX_X64=0 is set.

    With BACKBENCH_JAX_X64=0 integers without a type of their own have 32 bits, and asking for 64 raises.
    """

    xp = jnp

    def __init__(self) -> None:
        _enable_64_bits()
        super().__init__("jax")
        self._key: Any = None
        self._key_lock = threading.Lock()

    # --- devices and random numbers ---------------------------------------------------------------------------------

    def _devices(self) -> list[ComputeDevice]:
        return [self._describe(device) for device in jax.devices()]

    def _describe(self, device: Any) -> ComputeDevice:
        if device.platform == "cpu":
            return host_cpu(self, device)
        memory = (device.memory_stats() or {}).get("bytes_limit", -1)
        return ComputeDevice(self, str(device), device.platform.upper(), memory, -1, device.device_kind, device)

    def placement(self) -> dict[str, Any]:
        device = self.get_default_device().ref
        return {} if device == jax.devices()[0] else {"device": device}

    def block_until_ready(self, values: Any) -> Any:
        return jax.block_until_ready(values)

    def seed(self, seed: int) -> None:
        with self._key_lock:
            self._key = jax.random.key(seed)

    def _next_key(self) -> Any:
        # in a function that is being compiled, too, the key is a number: the same one in each of its calls
        with self._key_lock, jax.ensure_compile_time_eval():
            if self._key is None:
                self._key = jax.random.key(int.from_bytes(os.urandom(4), "little"))
            self._key, key = jax.random.split(self._key)
        return key

    def random_uniform(self, shape: Any, low: Any, high: Any, dtype: DType | None) -> Tensor:
        dtype = dtype or self.float_type
        shape, native = as_shape(shape), self.native_type(dtype)
        if dtype.kind is int:
            return jax.random.randint(self._next_key(), shape, low, high, native)
        return jax.random.uniform(self._next_key(), shape, native, low, high)

    def random_normal(self, shape: Any, dtype: DType) -> Tensor:
        return jax.random.normal(self._next_key(), as_shape(shape), self.native_type(dtype or self.float_type))

    # --- values -----------------------------------------------------------------------------------------------------

    def is_module(self, obj: Any) -> bool:
        return False

    def is_native(self, x: Any) -> bool:
        if isinstance(x, jax.Array):
            return not jnp.issubdtype(x.dtype, jax.dtypes.extended)  # keys of random numbers are arrays too
        return (type(x).__module__ or "").startswith("jax.experimental.sparse")

    @property
    def widest(self) -> int:
        return 64 if jax.config.jax_enable_x64 else 32

    def from_array(self, array: np.ndarray) -> Tensor:
        # JAX copies when it likes to, in the background: wait, so that the source may be written to afterwards
        copied = jnp.array(array, dtype=array.dtype, copy=True, **self.placement())
        return copied.block_until_ready() if self.is_available(copied) else copied

    def _copied(self, array: Any, keep_width: bool) -> Tensor:
        if array.dtype == np.int64 and self.widest == 32:
            narrow = array.astype(np.int32)
            array = narrow if np.array_equal(narrow, array) else array  # what does not fit is refused, not cut
        return super()._copied(array, keep_width)

    def auto_cast(self, *tensors: Any) -> list:
        if self.widest == 32:
            tensors = tuple(self.as_tensor(x, convert_external=False) for x in tensors)
        return super().auto_cast(*tensors)

    def from_coordinates(self, rows: np.ndarray, columns: np.ndarray, values: Tensor, shape: tuple) -> Tensor:
        from jax.experimental.sparse import BCOO

        return BCOO((values, jnp.asarray(np.stack([rows, columns], axis=1))), shape=shape).sum_duplicates()

    def coordinates(self, tensor: Any) -> tuple[tuple[Any, Any], Any]:
        tensor = self.as_tensor(tensor)
        if isinstance(tensor, jax.Array):
            raise TypeError("jax.coordinates: the tensor is dense. Use nonzero for its entries.")
        from jax.experimental.sparse import BCOO

        entries = (tensor if isinstance(tensor, BCOO) else BCOO.fromdense(tensor.todense())).sum_duplicates()
        return (entries.indices[:, 0], entries.indices[:, 1]), entries.data

    def is_available(self, tensor: Tensor) -> bool:
        return not isinstance(tensor, jax.core.Tracer)

    def numpy(self, tensor: Tensor) -> np.ndarray:
        tensor = self.as_tensor(tensor)
        if not self.is_available(tensor):
            raise TypeError(
                "jax.numpy: this value is not known yet, the function is being compiled or differentiated. Compute "
                "with methods of the backend instead; JAX.is_available(x) tells beforehand."
            )
        self.dtype(tensor)  # names types that NumPy does not have
        return np.asarray(tensor.todense() if hasattr(tensor, "todense") else tensor)

    def to_dlpack(self, tensor: Tensor) -> Any:
        return self.as_tensor(tensor)

    def from_dlpack(self, capsule: Any) -> Tensor:
        return jnp.from_dlpack(capsule)

    def copy(self, tensor: Tensor, only_mutable: bool = False) -> Tensor:
        tensor = self.as_tensor(tensor)
        return tensor if only_mutable else jnp.array(tensor, copy=True)

    def dtype(self, array: Tensor) -> DType:
        if not self.is_native(array):
            return super().dtype(array)
        if array.dtype == jnp.bfloat16:
            raise TypeError("jax: bfloat16 is no type of the workbench. Cast it first: x.astype('float32').")
        return DType.from_numpy(array.dtype)

    def native_type(self, dtype: DType) -> Any:
        if self.widest == 32 and (dtype.bits == 128 or (dtype.bits == 64 and dtype.kind is not complex)):
            raise TypeError(f"jax has no {dtype} while BACKBENCH_JAX_X64=0 is set. Unset it, or use 32 bits.")
        return dtype.to_numpy()

    def converted(self, x: Tensor, native_type: Any) -> Tensor:
        return x.astype(native_type)

    def stop_gradient(self, value: Tensor) -> Tensor:
        return jax.lax.stop_gradient(self.as_tensor(value))

    # --- operations -------------------------------------------------------------------------------------------------

    def abs(self, x: Any) -> Tensor:
        x = self.as_result(x)
        if self.dtype(x).kind is not float:
            return jnp.abs(x)
        return x * jax.lax.stop_gradient(jnp.sign(x))  # jnp.abs has the slope 1 at 0, of all slopes

    def ceil(self, x: Any) -> Tensor:
        x = self.as_result(x)
        return x if self.dtype(x).kind in (bool, int) else jnp.ceil(x)

    def floor(self, x: Any) -> Tensor:
        x = self.as_result(x)
        return x if self.dtype(x).kind in (bool, int) else jnp.floor(x)

    def pow(self, base: Any, exp: Any) -> Tensor:
        base, exp = self.auto_cast(base, exp)
        if self.dtype(exp).kind is int and self.is_available(exp) and bool((exp < 0).any()):
            raise ValueError("jax.pow: integers to negative integer powers are no integers. Cast to float first.")
        return jnp.pow(base, exp)

    def erf(self, x: Any) -> Tensor:
        return jax.scipy.special.erf(self.as_inexact(x))

    def quantile(self, x: Any, quantiles: Any) -> Tensor:
        x = self.as_inexact(x)
        wide = self.as_accumulator(x)
        return self.cast(jnp.quantile(wide, self.cast(quantiles, self.dtype(wide)), axis=-1), self.dtype(x))

    def gather(self, x: Any, indices: Any, axis: int = 0) -> Tensor:
        x, indices = self.as_tensor(x), self.as_tensor(indices)
        self.check_indices("gather", indices, x.shape[check_axis(self, "gather", axis, x.shape)])
        return jnp.take(x, indices, axis=axis)

    def multi_slice(self, tensor: Any, slices: tuple) -> Tensor:
        self.check_slices(tensor, slices)
        return super().multi_slice(tensor, slices)

    def scatter_rows(self, base: Tensor, rows: Tensor, values: Tensor, mode: str) -> Tensor:
        place = base.at[rows]
        return place.add(values) if mode == "add" else place.set(values)

    def matmul(self, A: Any, b: Any) -> Tensor:
        A = self.as_tensor(A)
        if isinstance(A, jax.Array):
            return super().matmul(A, b)
        A, b = self.auto_cast(A, b)
        self.check_matmul(A, b)
        dtype = self.dtype(b)
        A, b = self.as_accumulator(A), self.as_accumulator(b)
        return self.cast(jnp.moveaxis(A @ jnp.moveaxis(b, -1, 0), 0, -1), dtype)

    # --- differentiation and compilation ----------------------------------------------------------------------------

    def functional_gradient(self, f: Callable[..., Any], wrt: tuple | list, get_output: bool) -> Callable[..., Any]:
        if isinstance(f, _Compiled):
            check_wrt(self, wrt)
            return f.gradient(tuple(wrt), get_output)
        return super().functional_gradient(f, wrt, get_output)

    def differentiate(self, f: Callable[..., Any], tensors: list, wrt: tuple | list) -> tuple[tuple, Sequence]:
        positions = sorted(set(wrt))
        if not positions:
            return as_outputs(f(*tensors)), ()

        def loss(*chosen: Any) -> tuple:
            replaced = dict(zip(positions, chosen, strict=True))
            outputs = as_outputs(f(*(replaced.get(i, x) for i, x in enumerate(tensors))))
            return jnp.sum(self.as_loss(outputs[0])), outputs

        gradient = jax.value_and_grad(loss, tuple(range(len(positions))), has_aux=True)
        (_, outputs), slopes = gradient(*(tensors[i] for i in positions))
        # of complex arguments JAX gives the conjugate of what the contract says
        by_position = dict(zip(positions, map(jnp.conj, slopes), strict=True))
        return outputs, [by_position[i] for i in wrt]

    def jacobian(self, f: Callable[..., Any], wrt: tuple | list, get_output: bool) -> Callable[..., Any]:
        if isinstance(f, FunctionWithGradient):
            return super().jacobian(f, wrt, get_output)
        check_wrt(self, wrt)

        def derivatives(*args: Any) -> tuple:
            check_wrt(self, wrt, len(args))
            tensors = [self.as_tensor(x) for x in args]
            for i in wrt:
                tensors[i] = self.as_inexact(tensors[i])

            def first(*args: Any) -> tuple:
                outputs = as_outputs(f(*args))
                return self.as_loss(outputs[0]), outputs

            found, outputs = jax.jacrev(first, tuple(wrt), has_aux=True)(*tensors)
            return (*(outputs if get_output else ()), *found)

        return derivatives

    def custom_gradient(
        self, f: Callable[..., Any], gradient: Callable[..., Any], *, with_inputs: bool = False
    ) -> Callable[..., Any]:
        function = jax.custom_vjp(f)

        def forward(*args: Any) -> tuple:
            result = f(*args)
            return result, (args, as_outputs(result))

        def backward(saved: tuple, slopes: Any) -> tuple:
            before = saved if with_inputs else ()
            return as_outputs(gradient(*before, *as_outputs(slopes)))

        function.defvjp(forward, backward)

        @functools.wraps(f)
        def call(*args: Any) -> Any:
            return function(*map(self.as_tensor, args))

        return call

    def jit_compile(self, f: Callable[..., Any]) -> Callable[..., Any]:
        return _Compiled(self, f)

    def while_loop(self, loop: Callable[..., Any], values: tuple) -> tuple:
        values = check_loop_values(self, values, None)
        while all(self.is_available(value) for value in values):
            if not np.any(self.numpy(self.as_tensor(values[0]))):
                return values
            values = check_loop_values(self, loop(*values), values)

        def go_on(state: tuple) -> Tensor:
            return jnp.any(state[0])

        def step(state: tuple) -> tuple:
            new = tuple(map(self.as_tensor, check_loop_values(self, loop(*state), state)))
            before, after = ([(self.dtype(x), x.shape) for x in each] for each in (state, new))
            if before != after:
                raise TypeError(
                    f"jax.while_loop: while it is compiled, a loop cannot change types or shapes, but it made {after} "
                    f"of {before}. Cast in the loop, or start with values of that type."
                )
            return new

        return jax.lax.while_loop(go_on, step, tuple(map(self.as_tensor, values)))


class _Compiled:
    """A function that JAX compiles for each new signature of its arguments; its gradients are compiled, too."""

    def __init__(self, b: JaxBackend, f: Callable[..., Any]) -> None:
        functools.update_wrapper(self, f)
        self.b, self.f = b, f
        self.compiled: dict[Any, Callable[..., Any]] = {}
        self.gradients: dict[Any, Callable[..., Any]] = {}

    def gradient(self, wrt: tuple, get_output: bool) -> Callable[..., Any]:
        """The compiled `functional_gradient`, always the same for the same arguments."""
        if (wrt, get_output) not in self.gradients:
            compiled = _Compiled(self.b, self.b.functional_gradient(self.f, wrt, get_output))
            # lists would be constants, compiled in
            self.gradients[wrt, get_output] = lambda *args: compiled(*map(self.b.as_tensor, args))
        return self.gradients[wrt, get_output]

    def __call__(self, *args: Any) -> Any:
        leaves, structure = jax.tree.flatten(args)
        tensors = {i: self.b.as_tensor(x) for i, x in enumerate(leaves) if hasattr(x, "dtype")}
        constants = {i: x for i, x in enumerate(leaves) if i not in tensors}
        # 1, 1.0 and True, 0.0 and -0.0 are equal, but not the same argument
        static = tuple((i, type(x), repr(x) if isinstance(x, float) else x) for i, x in constants.items())
        key = (get_precision(), default_backend(), self.b.get_default_device(), structure, static)
        if key not in self.compiled:  # a constant without a hash is refused by Python here

            def traced(given: dict[int, Tensor]) -> Any:
                whole = [given[i] if i in given else constants[i] for i in range(len(leaves))]
                return self.f(*jax.tree.unflatten(structure, whole))

            self.compiled[key] = jax.jit(traced)
        try:
            return self.compiled[key](tensors)
        except _TRACING_ERRORS as error:
            name = getattr(self.f, "__name__", "f")
            raise TypeError(
                f"jax.jit_compile: {name} needs a value, in an `if`, a loop or an index, that is not known while "
                "it is compiled. Use where, select or while_loop of the backend instead."
            ) from error


JAX = JaxBackend()
register(JAX)
