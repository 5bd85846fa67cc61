"""The NumPy backend: always there, the default, and the reference for the others."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import numpy as np

from .array import ArrayBackend
from .choice import NoBackendFound, choose_backend
from .contract.arithmetic import Arithmetic
from .contract.elementwise import Elementwise
from .contract.linalg import LinearAlgebra
from .contract.neural import Neural
from .contract.reductions import Reductions
from .contract.sparse import rows_and_columns
from .contract.transcendental import Transcendental
from .contract.values import Tensor
from .devices import ComputeDevice, host_cpu
from .dtypes import DType, is_numeric
from .functions import FunctionWithGradient, as_outputs, check_wrt, difference_gradient, exact_gradient
from .scipy_sparse import is_sparse

_NUMBERS = (bool, int, float, complex)


def _plain(array: np.ndarray) -> np.ndarray:
    """The values of a subclass of ndarray, such as np.matrix, whose products mean something else."""
    if isinstance(array, np.ma.MaskedArray):
        if np.ma.is_masked(array):
            raise TypeError(
                "numpy.as_tensor: a masked array has no value where it is masked. Take array.filled(value)."
            )
        return np.asarray(array.data)
    return np.asarray(array)


class NumpyBackend(ArrayBackend):
    """Arrays and scalars of NumPy and sparse matrices of SciPy, on the CPU."""

    xp = np
    approximate = frozenset({"functional_gradient"})

    def __init__(self) -> None:
        super().__init__("numpy")
        self._generator: np.random.Generator | None = None

    def _devices(self) -> list[ComputeDevice]:
        return [host_cpu(self)]

    def seed(self, seed: int) -> None:
        self._generator = np.random.default_rng(seed)

    @property
    def _random(self) -> np.random.Generator:
        if self._generator is None:  # made when needed: loading numpy.random takes 10 ms
            self._generator = np.random.default_rng()
        return self._generator

    def is_module(self, obj: Any) -> bool:
        return False

    def is_tensor(self, x: Any, only_native: bool = False) -> bool:
        if isinstance(x, (np.ndarray, np.generic)) or is_sparse(x):
            return is_numeric(x.dtype)
        if only_native:
            return False
        if isinstance(x, (tuple, list)):
            return all(self.is_tensor(entry) for entry in x)
        return isinstance(x, (*_NUMBERS, range))

    def as_tensor(self, x: Any, convert_external: bool = True) -> Tensor:
        if self.is_tensor(x, only_native=True) or (not convert_external and isinstance(x, _NUMBERS)):
            return x if type(x) is np.ndarray or not isinstance(x, np.ndarray) else _plain(x)
        is_sequence = isinstance(x, (*_NUMBERS, tuple, list, range))
        array = np.asarray(x) if is_sequence else self._foreign(x)
        if array.dtype.kind == "O" and is_sequence:
            if self.is_tensor(x):
                raise OverflowError(f"numpy.as_tensor: there are integers beyond 64 bits in {x!r:.80}.")
            array = self._foreign(x)
        if not is_numeric(array.dtype):
            raise TypeError(f"numpy.as_tensor: {array.dtype} values are no tensor of numbers: {x!r:.80}.")
        keeps_type = array.dtype.kind not in "fc" or (self.precision is None and not is_sequence)
        return (
            array if keeps_type else self.cast(array, self.complex_type if array.dtype.kind == "c" else self.float_type)
        )

    def _foreign(self, x: Any) -> np.ndarray:
        """The values of another library's tensor."""
        try:
            return choose_backend(x).numpy(x)
        except NoBackendFound:
            if hasattr(x, "__array__"):
                return np.asarray(x)
            raise TypeError(f"numpy.as_tensor: {type(x).__name__} is no tensor: {x!r:.80}.") from None

    def is_available(self, tensor: Tensor) -> bool:
        return True

    def numpy(self, tensor: Tensor) -> np.ndarray:
        tensor = self.as_tensor(tensor)
        return tensor.toarray() if is_sparse(tensor) else np.asarray(tensor)

    def to_dlpack(self, tensor: Tensor) -> Any:
        return self.numpy(tensor)

    def from_dlpack(self, capsule: Any) -> Tensor:
        return np.from_dlpack(capsule)

    def copy(self, tensor: Tensor, only_mutable: bool = False) -> Tensor:
        if type(tensor) is np.ndarray and tensor.dtype.kind in "fc" and tensor.flags.writeable:
            return tensor.copy()
        tensor = self.as_tensor(tensor)
        is_mutable = is_sparse(tensor) or (isinstance(tensor, np.ndarray) and tensor.flags.writeable)
        return tensor.copy() if is_mutable or not only_mutable else tensor

    def dtype(self, array: Tensor) -> DType:
        return DType.from_numpy(self.as_tensor(array).dtype)

    def cast(self, x: Tensor, dtype: DType) -> Tensor:
        target = dtype.to_numpy()
        if type(x) is np.ndarray and x.dtype is target:  # nearly always, so it must not cost anything
            return x
        if isinstance(x, (*_NUMBERS, tuple, list)) and self.is_tensor(x):
            x = self._exactly(x, dtype)
        elif type(x) is not np.ndarray:
            x = self.as_tensor(x)
            if is_sparse(x):
                only = "only matmul, linear and linear_solve take sparse matrices"
                raise TypeError(f"numpy: {only}. numpy.numpy(x) makes a dense array.")
        if x.dtype == target:
            return x
        if not is_numeric(x.dtype):
            x = self.as_tensor(x)
        if x.dtype.kind == "c" and dtype.kind not in (complex, bool):
            kind = dtype.kind.__name__
            raise TypeError(f"numpy.cast: complex numbers are no {kind}s. Take real(x), imag(x) or abs(x).")
        with np.errstate(all="ignore"):
            return x.astype(target)

    @staticmethod
    def _exactly(x: Any, dtype: DType) -> np.ndarray:
        """Python numbers as an array that keeps all their digits; `as_tensor` rounds to the current precision."""
        array = np.asarray(x)
        if dtype.kind is not int or array.dtype.kind not in "iuO":
            return array
        try:
            return np.asarray(x, dtype.to_numpy())
        except OverflowError as error:
            way_out = "Cast the tensor beside it to a wider type first"
            raise OverflowError(f"numpy: {x!r:.80} does not fit into {dtype}. {way_out}.") from error

    def stop_gradient(self, value: Tensor) -> Tensor:
        return self.as_tensor(value)

    def random_uniform(self, shape: Any, low: Any, high: Any, dtype: DType | None) -> Tensor:
        dtype = dtype or self.float_type
        if dtype.kind is int:
            return self._random.integers(low, high, shape, dtype.to_numpy())
        return self.cast(self._random.uniform(low, high, shape), dtype)

    def random_normal(self, shape: Any, dtype: DType) -> Tensor:
        return self.cast(self._random.standard_normal(shape), dtype or self.float_type)

    def erf(self, x: Any) -> Tensor:
        from scipy.special import erf

        x = self.as_inexact(x)
        return self.cast(erf(x), self.dtype(x))  # SciPy has none for float16

    def quantile(self, x: Any, quantiles: Any) -> Tensor:
        x = self.as_inexact(x)
        return self.cast(np.quantile(self.as_accumulator(x), quantiles, axis=-1), self.dtype(x))

    def correlate(self, value: Tensor, kernel: Tensor) -> Tensor:
        windows = np.lib.stride_tricks.sliding_window_view(
            value, kernel.shape[3:], tuple(builtins.range(2, value.ndim))
        )
        d = value.ndim - 2
        if kernel.shape[0] == 1:  # one product of matrices
            taps = tuple(builtins.range(d))
            product = np.tensordot(windows, kernel[0], ((1, *(2 + d + i for i in taps)), (1, *(2 + i for i in taps))))
            return np.moveaxis(product, -1, 1)
        letters, inner = "xyz"[:d], "uvw"[:d]
        return np.einsum(f"bi{letters}{inner},boi{inner}->bo{letters}", windows, kernel, optimize=True)

    def scatter_rows(self, base: Tensor, rows: Tensor, values: Tensor, mode: str) -> Tensor:
        result = np.array(base)
        if mode == "add":
            np.add.at(result, rows, values)
        else:
            result[rows] = values
        return result

    def sparse_coo_tensor(self, indices: tuple | list, values: Any, shape: tuple) -> Tensor:
        from scipy.sparse import coo_array

        values = self._storable(values)
        matrix = coo_array((values, rows_and_columns(self, indices, values, shape)), shape=tuple(shape))
        matrix.sum_duplicates()
        return matrix

    def csr_matrix(self, column_indices: Any, row_pointers: Any, values: Any, shape: tuple) -> Tensor:
        return super().csr_matrix(column_indices, row_pointers, values, shape).tocsr()

    def csc_matrix(self, column_pointers: Any, row_indices: Any, values: Any, shape: tuple) -> Tensor:
        return super().csc_matrix(column_pointers, row_indices, values, shape).tocsc()

    def _storable(self, values: Any) -> np.ndarray:
        """Values as a type that scipy.sparse has: float16 as float32."""
        return self.as_accumulator(np.asarray(self.as_result(values)))

    def coordinates(self, tensor: Any) -> tuple[tuple[Any, Any], Any]:
        if not is_sparse(tensor):
            raise TypeError("numpy.coordinates: the tensor is dense. Use nonzero for its entries.")
        matrix = tensor.tocsr().sorted_indices().tocoo()
        return (matrix.row, matrix.col), matrix.data

    def matmul(self, A: Any, b: Any) -> Tensor:
        if not is_sparse(A):
            return super().matmul(A, b)
        b = self.as_tensor(b)
        self.check_matmul(A, b)
        dtype = self.combine_types(self.dtype(A), self.dtype(b))
        # scipy.sparse has no float16
        kind = DType(float, 32).to_numpy() if dtype == DType(float, 16) else dtype.to_numpy()
        product = A.astype(kind, copy=False) @ b.astype(kind, copy=False).T
        return self.cast(np.ascontiguousarray(product.T), dtype)

    def functional_gradient(self, f: Callable[..., Any], wrt: tuple | list, get_output: bool) -> Callable[..., Any]:
        check_wrt(self, wrt)
        if isinstance(f, FunctionWithGradient):
            return exact_gradient(self, f, wrt, get_output)
        return difference_gradient(self, f, wrt, get_output)

    def custom_gradient(
        self, f: Callable[..., Any], gradient: Callable[..., Any], *, with_inputs: bool = False
    ) -> Callable[..., Any]:
        def slope(*args: Any) -> Any:
            outputs = as_outputs(f(*args))
            ones = self.ones_like(outputs[0]), *map(self.zeros_like, outputs[1:])  # of the sum of the first output
            return gradient(args, outputs, *ones) if with_inputs else gradient(*ones)

        return FunctionWithGradient(f, slope)


def _quiet(backend: type[NumpyBackend], *themes: type) -> None:
    """Wraps the operations of these themes: inf and NaN by the rules of IEEE 754 are results, not warnings."""
    for name in (name for theme in themes for name in vars(theme)):
        method = getattr(backend, name)
        if callable(method) and not name.startswith("__") and not getattr(method, "is_lacking", False):
            setattr(backend, name, np.errstate(all="ignore")(method))


_quiet(NumpyBackend, Arithmetic, Transcendental, Elementwise, Reductions, LinearAlgebra, Neural)

NUMPY = NumpyBackend()
