"""The TensorFlow backend: eager and symbolic tensors, variables, tapes, graphs by tf.function, CPU and GPU."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from .choice import register
from .context import default_backend, get_precision
from .contract.values import Tensor
from .devices import ComputeDevice, host_cpu
from .dtypes import DType
from .features import MissingLibrary
from .functions import as_outputs, check_loop_values
from .library import LibraryBackend, as_shape

# Else it tells of processors and options at each start, and sums in other orders on other processors.
for _name, _value in {"TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "0"}.items():
    os.environ.setdefault(_name, _value)
try:
    import tensorflow as tf

    from . import tensorflow_namespace as xp
except ModuleNotFoundError as error:
    if error.name != "tensorflow":
        raise
    raise MissingLibrary("TensorFlow", "tensorflow") from error


class TensorflowBackend(LibraryBackend):
    """Tensors of TensorFlow. Small and unsigned integers, which it hardly computes with, go through int64."""

    xp: Any = xp

    def __init__(self) -> None:
        super().__init__("tensorflow")
        self._generator: tf.random.Generator | None = None
        self._tape: tf.GradientTape | None = None  # the last one: it keeps all that it has recorded

    # --- devices and random numbers ---------------------------------------------------------------------------------

    def _devices(self) -> list[ComputeDevice]:
        devices = [host_cpu(self, "/CPU:0")]
        for index, found in enumerate(tf.config.list_physical_devices("GPU")):
            details = tf.config.experimental.get_device_details(found)
            devices.append(
                ComputeDevice(self, details.get("device_name", found.name), "GPU", -1, -1, "CUDA", f"/GPU:{index}")
            )
        return devices

    def seed(self, seed: int) -> None:
        self._generator = tf.random.Generator.from_seed(seed)

    @property
    def _random(self) -> Any:
        if self._generator is None:
            self._generator = tf.random.Generator.from_non_deterministic_state()
        return self._generator

    def random_uniform(self, shape: Any, low: Any, high: Any, dtype: DType | None) -> Tensor:
        dtype = dtype or self.float_type
        if dtype.kind is int:
            return self.cast(self._random.uniform(as_shape(shape), low, high, tf.int64), dtype)
        unit = self._random.uniform(as_shape(shape), dtype=tf.float64)
        return self.cast(low + (high - low) * unit, dtype)

    def random_normal(self, shape: Any, dtype: DType) -> Tensor:
        return self.cast(self._random.normal(as_shape(shape), dtype=tf.float64), dtype or self.float_type)

    # --- values -----------------------------------------------------------------------------------------------------

    def is_module(self, obj: Any) -> bool:
        return isinstance(obj, tf.Module)

    def is_native(self, x: Any) -> bool:
        return isinstance(x, (tf.Tensor, tf.Variable, tf.SparseTensor))

    def from_array(self, array: np.ndarray) -> Tensor:
        with tf.device(self.get_default_device().ref):
            return tf.constant(array)

    def as_tensor(self, x: Any, convert_external: bool = True) -> Tensor:
        return tf.convert_to_tensor(x) if isinstance(x, tf.Variable) else super().as_tensor(x, convert_external)

    def from_coordinates(self, rows: np.ndarray, columns: np.ndarray, values: Tensor, shape: tuple) -> Tensor:
        order = np.lexsort((columns, rows))
        pairs = np.stack([rows[order], columns[order]], axis=1).astype(np.int64)
        values = tf.gather(values, order)
        if len(pairs):
            unique, inverse = np.unique(pairs, axis=0, return_inverse=True)
            values = self.cast(
                tf.math.unsorted_segment_sum(self.as_accumulator(values), inverse.ravel(), len(unique)),
                self.dtype(values),
            )
            pairs = unique
        return tf.SparseTensor(pairs, values, shape)

    def coordinates(self, tensor: Any) -> tuple[tuple[Any, Any], Any]:
        tensor = self.as_tensor(tensor)
        if not isinstance(tensor, tf.SparseTensor):
            raise TypeError("tensorflow.coordinates: the tensor is dense. Use nonzero for its entries.")
        return (tensor.indices[:, 0], tensor.indices[:, 1]), tensor.values

    def is_available(self, tensor: Tensor) -> bool:
        return not self.is_native(tensor) or hasattr(tensor, "numpy") or isinstance(tensor, tf.SparseTensor)

    def numpy(self, tensor: Tensor) -> np.ndarray:
        tensor = self.as_tensor(tensor)
        if not self.is_available(tensor):
            raise TypeError(
                "tensorflow.numpy: this value is not known yet, the function is being compiled. Compute with methods "
                "of the backend instead; TENSORFLOW.is_available(x) tells beforehand."
            )
        self.dtype(tensor)  # names types that NumPy does not have
        self.note_reading()
        dense = tf.sparse.to_dense(tf.sparse.reorder(tensor)) if isinstance(tensor, tf.SparseTensor) else tensor
        return np.asarray(dense.numpy())

    def to_dlpack(self, tensor: Tensor) -> Any:
        return self.as_tensor(tensor)

    def from_dlpack(self, capsule: Any) -> Tensor:
        if isinstance(capsule, np.ndarray) and not capsule.flags.c_contiguous:
            raise ValueError("tensorflow.from_dlpack: TensorFlow has no strides. Use convert(x, 'tensorflow').")
        given = capsule.__dlpack__() if hasattr(capsule, "__dlpack__") else capsule
        return tf.experimental.dlpack.from_dlpack(given)

    def copy(self, tensor: Tensor, only_mutable: bool = False) -> Tensor:
        tensor = self.as_tensor(tensor)
        return tensor if only_mutable or isinstance(tensor, tf.SparseTensor) else tf.identity(tensor)

    def dtype(self, array: Tensor) -> DType:
        if not self.is_native(array):
            return super().dtype(array)
        if array.dtype == tf.bfloat16 or not array.dtype.is_numpy_compatible:
            name = array.dtype.name
            raise TypeError(f"tensorflow: {name} is no type of the workbench. Cast it first: tf.cast(x, 'float32').")
        return DType.from_numpy(array.dtype.as_numpy_dtype)

    def native_type(self, dtype: DType) -> Any:
        return tf.as_dtype(dtype.to_numpy())

    def converted(self, x: Tensor, native_type: Any) -> Tensor:
        return tf.cast(x, native_type)

    def shape(self, tensor: Any) -> Any:
        tensor = self.as_tensor(tensor)
        return tf.shape(tensor)

    def variable(self, value: Tensor) -> Tensor:
        return tf.Variable(self.as_inexact(value))

    def stop_gradient(self, value: Tensor) -> Tensor:
        return tf.stop_gradient(self.as_tensor(value))

    # --- operations -------------------------------------------------------------------------------------------------

    def erf(self, x: Any) -> Tensor:
        x = self.as_inexact(x)
        far = tf.constant(10, x.dtype)  # erf is ±1 from there on; TensorFlow gives NaN for infinity
        return tf.math.erf(tf.maximum(tf.minimum(x, far), -far))

    def pow(self, base: Any, exp: Any) -> Tensor:
        base, exp = self.auto_cast(base, exp)
        if self.dtype(exp).kind is int and self.is_available(exp) and bool((self.numpy(exp) < 0).any()):
            raise ValueError("tensorflow.pow: integers to negative integer powers are no integers. Cast to float.")
        return xp.pow(base, exp)

    def quantile(self, x: Any, quantiles: Any) -> Tensor:
        x = self.as_inexact(x)
        wide = self.as_accumulator(x)
        ordered = xp.permute_dims(xp.sort(wide), (wide.shape.rank - 1, *range(wide.shape.rank - 1)))
        last = ordered.shape[0] - 1
        place = np.asarray(self.numpy(quantiles), np.float64) * last
        lower = np.floor(place).astype(int)
        below, above = (tf.gather(ordered, np.minimum(at, last)) for at in (lower, lower + 1))
        share = tf.cast((place - lower).reshape(place.shape + (1,) * (wide.shape.rank - 1)), wide.dtype)
        between = tf.where(share == 0, below, below + (above - below) * share)
        lost = tf.math.is_nan(ordered[-1])
        return self.cast(tf.where(lost, tf.constant(np.nan, wide.dtype), between), self.dtype(x))

    def gather(self, x: Any, indices: Any, axis: int = 0) -> Tensor:
        x, indices = self.as_tensor(x), self.as_tensor(indices)
        length = x.shape[axis]
        self.check_indices("gather", indices, length)
        indices = xp._wide(indices)
        return tf.gather(x, tf.where(indices < 0, indices + length, indices), axis=axis)

    def multi_slice(self, tensor: Any, slices: tuple) -> Tensor:
        self.check_slices(tensor, slices)
        return super().multi_slice(tensor, slices)

    def pad(self, value: Any, pad_width: Any, mode: str = "constant", constant_values: Any = 0) -> Any:
        value = self.as_tensor(value)
        if mode != "constant":
            return self.pad_by_positions(value, pad_width, mode)
        common = self.common_type(value, constant_values)
        if common.kind is not self.dtype(value).kind:
            value = self.cast(value, common)
        return tf.pad(
            value, [list(width) for width in pad_width], constant_values=tf.cast(constant_values, value.dtype)
        )

    def scatter_rows(self, base: Tensor, rows: Tensor, values: Tensor, mode: str) -> Tensor:
        function = tf.tensor_scatter_nd_add if mode == "add" else tf.tensor_scatter_nd_update
        return function(base, rows[:, None], values)

    def matmul(self, A: Any, b: Any) -> Tensor:
        A = self.as_tensor(A)
        if not isinstance(A, tf.SparseTensor):
            return super().matmul(A, b)
        b = self.as_tensor(b)
        self.check_matmul(A, b)
        dtype = self.combine_types(self.dtype(A), self.dtype(b))
        A, b = (self.as_accumulator(self.cast(x, dtype)) for x in (A, b))
        columns = tf.transpose(tf.reshape(b, (-1, b.shape[-1])))
        product = tf.transpose(tf.sparse.sparse_dense_matmul(A, columns))
        return self.cast(tf.reshape(product, (*b.shape[:-1], A.shape[0])), dtype)

    # --- differentiation and compilation ----------------------------------------------------------------------------

    def differentiate(self, f: Callable[..., Any], tensors: list, wrt: tuple | list) -> tuple[tuple, Sequence]:
        for i in set(wrt):
            tensors[i] = tf.identity(tensors[i])
        inputs = [tensors[i] for i in wrt]
        with tf.GradientTape() as tape, self.watched() as left:
            tape.watch(inputs)
            outputs = as_outputs(f(*tensors))
            loss = tf.reduce_sum(self.as_loss(outputs[0]))
        found = tape.gradient(loss, inputs)
        if left and all(slope is None for slope in found):
            raise self.has_left()
        return outputs, [tf.zeros_like(x) if slope is None else slope for slope, x in zip(found, inputs, strict=True)]

    def custom_gradient(
        self, f: Callable[..., Any], gradient: Callable[..., Any], *, with_inputs: bool = False
    ) -> Callable[..., Any]:
        @tf.custom_gradient
        def function(*args: Any) -> Any:
            result = f(*args)

            def backward(*slopes: Any) -> Any:
                before = (args, as_outputs(result)) if with_inputs else ()
                return gradient(*before, *slopes)

            return result, backward

        return functools.wraps(f)(lambda *args: function(*map(self.as_tensor, args)))

    @contextmanager
    def record_gradients(self, xs: tuple | list, persistent: bool = False) -> Iterator[None]:
        with tf.GradientTape(persistent=persistent) as tape:
            tape.watch(list(xs))
            yield
        self._tape = tape

    def gradients(self, y: Tensor, xs: tuple | list, grad_y: Any) -> tuple:
        if self._tape is None:
            raise RuntimeError("tensorflow.gradients: nothing was recorded. Compute y within record_gradients(xs).")
        slope = None if grad_y is None else self.as_tensor(grad_y)
        return tuple(self._tape.gradient(y, list(xs), slope, unconnected_gradients="zero"))

    def jit_compile(self, f: Callable[..., Any]) -> Callable[..., Any]:
        compiled: dict[Any, Callable[..., Any]] = {}

        @functools.wraps(f)
        def call(*args: Any) -> Any:
            leaves = tf.nest.flatten(args)
            places = [i for i, x in enumerate(leaves) if hasattr(x, "dtype")]
            constants = {i: x for i, x in enumerate(leaves) if i not in places}
            # 1, 1.0 and True, 0.0 and -0.0 are equal, but not the same argument
            static = tuple((i, type(x), repr(x) if isinstance(x, float) else x) for i, x in constants.items())
            structure = str(tf.nest.map_structure(lambda x: 0, args))
            key = (get_precision(), default_backend(), self.get_default_device(), structure, static)
            if key not in compiled:  # a constant without a hash is refused by Python here

                def traced(*given: Tensor) -> Any:
                    tensors = dict(zip(places, given, strict=True))
                    whole = [tensors[i] if i in tensors else constants[i] for i in range(len(leaves))]
                    return f(*tf.nest.pack_sequence_as(args, whole))

                compiled[key] = tf.function(traced, autograph=False)
            try:
                return compiled[key](*(self.as_tensor(leaves[i]) for i in places))
            except tf.errors.OperatorNotAllowedInGraphError as error:
                name = getattr(f, "__name__", "f")
                raise TypeError(
                    f"tensorflow.jit_compile: {name} needs a value, in an `if`, a loop or an index, that is not known "
                    "while it is compiled. Use where, select or while_loop of the backend instead."
                ) from error

        return call

    def while_loop(self, loop: Callable[..., Any], values: tuple) -> tuple:
        values = check_loop_values(self, values, None)
        while all(self.is_available(value) for value in values):
            if not np.any(self.numpy(values[0])):
                return values
            values = check_loop_values(self, loop(*values), values)
        start = tuple(map(self.as_tensor, values))
        return tuple(
            tf.while_loop(
                lambda *state: tf.reduce_any(state[0]),
                lambda *state: tuple(map(self.as_tensor, check_loop_values(self, loop(*state), state))),
                start,
            )
        )


TENSORFLOW = TensorflowBackend()
register(TENSORFLOW)
