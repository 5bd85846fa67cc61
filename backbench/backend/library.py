"""`LibraryBackend`: a library with tensors of its own, which gets all other values by way of NumPy."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from .array import ArrayBackend
from .choice import NoBackendFound, choose_backend
from .contract.sparse import rows_and_columns
from .contract.values import Tensor
from .dtypes import DType
from .functions import check_loss
from .numpy_backend import NUMPY
from .scipy_sparse import is_sparse

_NUMBERS = (bool, int, float, complex)
_READINGS: ContextVar[list[None] | None] = ContextVar("readings", default=None)


class LibraryBackend(ArrayBackend):
    """What PyTorch and JAX have in common. Subclasses say what is native, and make tensors of ndarrays."""

    def is_native(self, x: Any) -> bool:
        """Whether x is a tensor of the library itself, dense or sparse."""
        raise NotImplementedError

    def from_array(self, array: np.ndarray) -> Tensor:
        """A tensor on the default device from a C-ordered ndarray that nobody else has."""
        raise NotImplementedError

    def from_coordinates(self, rows: np.ndarray, columns: np.ndarray, values: Tensor, shape: tuple) -> Tensor:
        """The library's own sparse matrix from the coordinates and values (nnz,) of its entries."""
        raise NotImplementedError

    def is_tensor(self, x: Any, only_native: bool = False) -> bool:
        if self.is_native(x):
            return True
        if only_native:
            return False
        if isinstance(x, (tuple, list)):
            return all(self.is_tensor(entry) for entry in x)
        return NUMPY.is_tensor(x)

    def as_tensor(self, x: Any, convert_external: bool = True) -> Tensor:
        if self.is_native(x) or (not convert_external and isinstance(x, _NUMBERS)):
            return x
        if is_sparse(x):
            coo = x.tocoo()
            return self.from_coordinates(coo.row, coo.col, self.as_tensor(coo.data), coo.shape)
        if NUMPY.is_tensor(x):
            return self._copied(NUMPY.as_tensor(x), keep_width=self.precision is None and hasattr(x, "dtype"))
        if isinstance(x, (tuple, list)) and any(map(self._holds_native, x)):
            return self.stack([self.as_tensor(entry) for entry in x])
        try:
            source = choose_backend(x)
        except NoBackendFound:
            source = self
        if source is self:  # nobody's, or a module
            raise TypeError(f"{self.name}.as_tensor: {type(x).__name__} is no tensor: {x!r:.80}.")
        return self._copied(source.numpy(x), keep_width=self.precision is None)

    def _holds_native(self, x: Any) -> bool:
        return any(map(self._holds_native, x)) if isinstance(x, (tuple, list)) else self.is_native(x)

    def sparse_coo_tensor(self, indices: tuple | list, values: Any, shape: tuple) -> Tensor:
        values = self.as_result(values)
        return self.from_coordinates(*rows_and_columns(self, indices, values, shape), values, tuple(shape))

    @contextmanager
    def watched(self) -> Iterator[list[None]]:
        """A list that is not empty any more once a value that is being differentiated has been read in the block."""
        watch: list[None] = []
        token = _READINGS.set(watch)
        try:
            yield watch
        finally:
            _READINGS.reset(token)

    def note_reading(self) -> None:
        """Notes for `watched` that a value became one of NumPy's."""
        readings = _READINGS.get()
        if readings is not None:
            readings.append(None)

    def has_left(self) -> TypeError:
        """The error for a loss that does not depend on what was differentiated, because values were read on the way."""
        return TypeError(
            f"{self.name}.functional_gradient: the loss was not computed by {self.name}, its value left it on the way "
            "and has no gradient. Compute with methods of the same backend in the function."
        )

    def as_loss(self, output: Any) -> Tensor:
        """What a function that is differentiated returned first.

        Raises:
            TypeError: When it is complex, or not continuous.
        """
        loss = self.as_tensor(output)
        check_loss(self.name, self.dtype(loss))
        return loss

    def _copied(self, array: Any, keep_width: bool) -> Tensor:
        """The values as a tensor; floats get the current precision unless they are to keep their own."""
        dtype = DType.from_numpy(array.dtype)
        if not keep_width and dtype.kind in (float, complex):
            dtype = self.float_type if dtype.kind is float else self.complex_type
        self.native_type(dtype)  # says so when the library has no such type
        return self.from_array(np.array(array, dtype.to_numpy(), order="C"))

    def dtype(self, array: Tensor) -> DType:
        return NUMPY.dtype(array) if NUMPY.is_tensor(array) else self.dtype(self.as_tensor(array))

    def cast(self, x: Tensor, dtype: DType) -> Tensor:
        target = self.native_type(dtype)
        if not self.is_native(x):
            if NUMPY.is_tensor(x) and not is_sparse(x):  # with all digits: as_tensor would round to the precision
                return self._copied(NUMPY.cast(x, dtype), keep_width=True)
            x = self.as_tensor(x)
        if x.dtype == target:
            return x
        if dtype.kind not in (complex, bool) and self.dtype(x).kind is complex:
            kind = dtype.kind.__name__
            raise TypeError(f"{self.name}.cast: complex numbers are no {kind}s. Take real(x), imag(x) or abs(x).")
        return self.converted(x, target)

    def converted(self, x: Tensor, native_type: Any) -> Tensor:
        """A native tensor with elements of another type of the library."""
        raise NotImplementedError


def as_shape(shape: Any) -> tuple:
    """A shape as tuple; an int means one axis."""
    return tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
