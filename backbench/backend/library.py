"""`LibraryBackend`: a library with tensors of its own, which gets all other values by way of NumPy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from .array import ArrayBackend
from .choice import NoBackendFound, choose_backend
from .contract.sparse import rows_and_columns
from .contract.values import Tensor
from .dtypes import DType
from .functions import FunctionWithGradient, check_loss, check_wrt, exact_gradient
from .numpy_backend import NUMPY
from .scipy_sparse import is_sparse

_NUMBERS = (bool, int, float, complex)
_READINGS: ContextVar[list[None] | None] = ContextVar("readings", default=None)


class LibraryBackend(ArrayBackend):
    """What libraries with tensors of their own have in common. Subclasses say what is native, and make tensors."""

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

    def check_indices(self, operation: str, indices: Tensor, length: int) -> None:
        """Raises an IndexError for an index out of range, where the library takes something else or has its own error.

        What is not known yet is not checked.
        """
        if self.is_available(indices):
            known = self.numpy(indices)
            if ((known >= length) | (known < -length)).any():
                raise IndexError(f"{self.name}.{operation}: an index is out of range for an axis of length {length}.")

    def check_slices(self, tensor: Any, slices: tuple) -> None:
        """`check_indices` for the integers in `multi_slice`."""
        for part, length in zip(slices, self.staticshape(tensor), strict=False):
            if not isinstance(part, slice):
                self.check_indices("multi_slice", self.as_tensor(part), length)

    def pad_by_positions(self, value: Tensor, pad_width: Any, mode: str) -> Any:
        """`pad` with entries of the tensor: NumPy's rules hold for positions as they do for values."""
        for axis, width in enumerate(pad_width):
            positions = NUMPY.pad(np.arange(value.shape[axis]), [width], mode)
            if positions is NotImplemented:
                return NotImplemented
            value = self.gather(value, positions, axis)
        return value

    def functional_gradient(self, f: Callable[..., Any], wrt: tuple | list, get_output: bool) -> Callable[..., Any]:
        check_wrt(self, wrt)
        if isinstance(f, FunctionWithGradient):
            return exact_gradient(self, f, wrt, get_output)

        def gradient(*args: Any) -> tuple:
            check_wrt(self, wrt, len(args))
            tensors = [self.as_tensor(x) for x in args]
            types = [self.dtype(self.as_inexact(tensors[i])) for i in wrt]
            for i in set(wrt):
                if self.dtype(tensors[i]).kind not in (float, complex):
                    tensors[i] = self.as_inexact(tensors[i])
            outputs, slopes = self.differentiate(f, tensors, wrt)
            return (*(outputs if get_output else ()), *(self.cast(s, t) for s, t in zip(slopes, types, strict=True)))

        return gradient

    def differentiate(self, f: Callable[..., Any], tensors: list, wrt: tuple | list) -> tuple[tuple, Sequence]:
        """The outputs of f at native tensors, and the gradients of the sum of the first by those in `wrt`.

        Args:
            f: As in `functional_gradient`.
            tensors: A list of its own; those in `wrt` are floating point or complex.
            wrt: Indices of tensors, checked.
        """
        raise NotImplementedError

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
