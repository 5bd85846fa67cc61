"""Values: what is a tensor, what type does it have, and how does it get another one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..context import get_precision, precision
from ..dtypes import DType, combine_types
from ..features import optional

if TYPE_CHECKING:
    from ..base import Backend

Tensor = Any
"""A native array of one library."""

_NUMBER_TYPES = {bool, int, float, complex}


class Values:
    """Tensors, their types and conversions."""

    @optional
    def is_module(self, obj: Any) -> bool:
        """Whether `obj` is a network (module, layer) of this backend's library."""
        raise NotImplementedError

    @optional
    def is_tensor(self, x: Any, only_native: bool = False) -> bool:
        """Whether `x` is a tensor of this backend.

        Args:
            x: Anything.
            only_native: False: also what the backend can take for one: numbers, and sequences of these.

        Example:
            >>> b.is_tensor([1, 2]), b.is_tensor([1, 2], only_native=True), b.is_tensor('1')
            (True, False, False)
        """
        raise NotImplementedError

    @optional
    def as_tensor(self, x: Any, convert_external: bool = True) -> Tensor:
        """The native tensor of `x`.

        Args:
            x: A native tensor (returned unchanged), number, sequence, or tensor of another library. Of the others,
                floats get the current precision; integers stay integers.
            convert_external: False leaves Python numbers which the backend can use.

        Raises:
            TypeError: For strings and whatever else is no tensor.

        Example:
            >>> b.as_tensor([1, 0.5])
            array([1. , 0.5], dtype=float32)
        """
        raise NotImplementedError

    @optional
    def is_available(self, tensor: Tensor) -> bool:
        """Whether the value can be read now: False while tracing and for expressions with free symbols.

        Example:
            >>> b.is_available(b.zeros((2,)))
            True
        """
        raise NotImplementedError

    @optional
    def numpy(self, tensor: Tensor) -> np.ndarray:
        """The values as an ndarray of the same shape and type; an ndarray of numbers is returned as it is.

        Example:
            >>> b.numpy(b.as_tensor([1, 2]))
            array([1, 2])
        """
        raise NotImplementedError

    def adopt(self: Backend, array: np.ndarray) -> Tensor:
        """The values of an ndarray in its own precision; the memory is shared where both libraries may write to it.

        Example:
            >>> x = np.ones(2)
            >>> b.adopt(x) is x
            True
        """
        with precision(None):
            return self.as_tensor(array)

    @optional
    def to_dlpack(self, tensor: Tensor) -> Any:
        """An object with the DLPack protocol that shares the memory of `tensor`; `from_dlpack` of any library takes it.

        Source: the Python array API standard, https://data-apis.org/array-api/latest/design_topics/data_interchange.html

        Example:
            >>> b.from_dlpack(b.to_dlpack(np.ones(2)))
            array([1., 1.])
        """
        raise NotImplementedError

    @optional
    def from_dlpack(self, capsule: Any) -> Tensor:
        """The tensor in an object with the DLPack protocol, without a copy; `convert` decides about sharing safely."""
        raise NotImplementedError

    @optional
    def copy(self, tensor: Tensor, only_mutable: bool = False) -> Tensor:
        """A tensor with the same values in memory of its own.

        Args:
            tensor: Any tensor of this backend.
            only_mutable: True: tensors that nobody can write to are returned as they are.

        Example:
            >>> x = b.zeros((2,))
            >>> b.copy(x) is x
            False
        """
        raise NotImplementedError

    @optional
    def dtype(self, array: Tensor) -> DType:
        """The type of the elements.

        Example:
            >>> b.dtype(b.zeros((2,))), b.dtype(True)
            (DType(float, 32), DType(bool))
        """
        raise NotImplementedError

    @optional
    def cast(self, x: Tensor, dtype: DType) -> Tensor:
        """`x` with elements of another type; unchanged when it has that type already.

        Example:
            >>> b.cast([0.5, 2.0], DType(int, 32))
            array([0, 2], dtype=int32)
        """
        raise NotImplementedError

    def to_float(self: Backend, x: Tensor) -> Tensor:
        """`x` (bool, int, float) in the float type of the current precision; a tensor that can be written to is copied.

        Raises:
            TypeError: For complex numbers: choose `real`, `imag` or `abs`.

        Example:
            >>> b.to_float([1, 2])
            array([1., 2.], dtype=float32)
        """
        x = self.as_tensor(x)
        dtype = self.dtype(x)
        if dtype.kind is complex:
            raise TypeError(f"{self.name}.to_float: complex numbers are no floats. Take real(x), imag(x) or abs(x).")
        return self.copy(x, only_mutable=True) if dtype == self.float_type else self.cast(x, self.float_type)

    def to_int32(self: Backend, x: Tensor) -> Tensor:
        """`x` as 32-bit integers, rounded towards zero.

        Example:
            >>> b.to_int32([1.7, -1.7])
            array([ 1, -1], dtype=int32)
        """
        return self.cast(x, DType(int, 32))

    def to_int64(self: Backend, x: Tensor) -> Tensor:
        """`x` as 64-bit integers, rounded towards zero.

        Example:
            >>> b.to_int64([2**40])
            array([1099511627776])
        """
        return self.cast(x, DType(int, 64))

    def to_complex(self: Backend, x: Tensor) -> Tensor:
        """`x` in the complex type of the current precision.

        Example:
            >>> b.to_complex([1])
            array([1.+0.j], dtype=complex64)
        """
        return self.cast(x, self.complex_type)

    def combine_types(self, *dtypes: DType) -> DType:
        """The type of the result of an operation on these types under the current precision.

        Example:
            >>> b.combine_types(DType(int, 64), DType(float, 64))
            DType(float, 32)
        """
        return combine_types(*dtypes, fp_precision=get_precision())

    def auto_cast(self: Backend, *tensors: Any) -> list:
        """All values as tensors of their common type under the current precision.

        Python numbers have no width of their own: they only raise the kind, so `int8 + 1` stays int8.

        Example:
            >>> [str(x.dtype) for x in b.auto_cast(np.ones(2), np.ones(2, np.int64), 0.5)]
            ['float32', 'float32', 'float32']
        """
        common = self.common_type(*tensors)
        return [self.cast(x, common) for x in tensors]

    def common_type(self: Backend, *tensors: Any) -> DType:
        """The type that `auto_cast` gives these values.

        Example:
            >>> b.common_type(np.ones(2, np.int8), 1), b.common_type(np.ones(2, np.int8), 0.5)
            (DType(int, 8), DType(float, 32))
        """
        # a Python number's type says its kind only; np.float64 is a subclass of float, hence `type(x)`
        strong = [self.dtype(x) for x in tensors if type(x) not in _NUMBER_TYPES]
        kinds = {type(x) for x in tensors} & _NUMBER_TYPES
        weak = [dtype for kind in kinds if (dtype := self._weak_type(kind, strong)) is not None]
        return self.combine_types(*strong, *weak)

    def _weak_type(self: Backend, kind: type, strong: list[DType]) -> DType | None:
        """What a Python number of this kind adds to the types of the tensors beside it, if anything."""
        order = [bool, int, float, complex, object]
        if any(order.index(dtype.kind) >= order.index(kind) for dtype in strong if dtype.kind in order):
            return None
        widest = max((dtype.precision or 0 for dtype in strong), default=0)
        if kind is complex and widest:
            return DType(complex, max(64, 2 * widest))
        own = {bool: DType(bool), int: DType(int, self.widest), float: self.float_type, complex: self.complex_type}
        return own[kind]

    def as_inexact(self: Backend, x: Any) -> Tensor:
        """`x` as floating point or complex tensor in the type that results have under the current precision.

        Example:
            >>> b.as_inexact([1, 2])
            array([1., 2.], dtype=float32)
        """
        x = self.as_tensor(x)
        dtype = self.dtype(x)
        return self.cast(x, self.float_type if dtype.kind in (bool, int) else self.combine_types(dtype))

    def shape(self: Backend, tensor: Tensor) -> tuple:
        """The shape, as far as it is known now.

        Example:
            >>> b.shape([[1, 2, 3]])
            (1, 3)
        """
        return self.staticshape(tensor)

    @optional
    def staticshape(self, tensor: Tensor) -> tuple:
        """The shape as a tuple of ints, `None` where it is not known yet.

        Example:
            >>> b.staticshape(b.sum([[1, 2, 3]]))
            ()
        """
        raise NotImplementedError

    def ndims(self: Backend, tensor: Tensor) -> int:
        """The number of axes.

        Example:
            >>> b.ndims([[1, 2, 3]])
            2
        """
        return len(self.staticshape(tensor))

    def size(self: Backend, array: Tensor) -> int:
        """The number of elements.

        Example:
            >>> b.size([[1, 2, 3]])
            3
        """
        return int(np.prod(self.staticshape(array)))

    @optional
    def variable(self, value: Tensor) -> Tensor:
        """A tensor which gradients can be recorded for."""
        raise NotImplementedError

    @optional
    def stop_gradient(self, value: Tensor) -> Tensor:
        """The same values, constant for differentiation."""
        raise NotImplementedError
