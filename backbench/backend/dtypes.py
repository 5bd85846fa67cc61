"""Data types common to all backends and the one table by which they are combined."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

_WIDTHS: dict[type, tuple[int, ...]] = {bool: (8,), int: (8, 16, 32, 64), float: (16, 32, 64), complex: (64, 128)}
_ORDER: dict[type, int] = {bool: 0, int: 1, float: 2, complex: 3, object: 4}


@dataclass(frozen=True)
class DType:
    """Type of the elements of a tensor, equal by value and hashable.

    Args:
        kind: One of `bool`, `int`, `float`, `complex`, `object`, `str`.
        bits: Width of one element in bits. Complex numbers count both parts: `DType(complex, 64)` holds two float32.
            May be left out for `bool` and `object`.
        signed: False for unsigned integers.

    Raises:
        ValueError: When no library has such a type.

    Example:
        >>> DType(float, 32).itemsize, DType(complex, 128).precision
        (4, 64)
        >>> DType.from_numpy(np.dtype('uint8'))
        DType(int, 8, signed=False)
    """

    kind: type
    bits: int = 0
    signed: bool = True
    _numpy: np.dtype[Any] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.kind in (bool, object) and self.bits == 0:
            object.__setattr__(self, "bits", 8 if self.kind is bool else 64)
        if self.kind in _WIDTHS and self.bits not in _WIDTHS[self.kind]:
            widths = ", ".join(map(str, _WIDTHS[self.kind]))
            raise ValueError(f"DType({self.kind.__name__}, {self.bits}) does not exist: bits must be one of {widths}.")
        if self.kind not in _WIDTHS and self.kind not in (object, str):
            raise ValueError(f"DType kind must be bool, int, float, complex, object or str, not {self.kind!r}.")
        if not self.signed and self.kind is not int:
            raise ValueError("Only integers can be unsigned.")
        if self.kind in _WIDTHS and self.kind is not bool:
            name = f"{'' if self.signed else 'u'}{self.kind.__name__}{self.bits}"
        else:
            name = f"U{self.bits // 32}" if self.kind is str else self.kind.__name__
        object.__setattr__(self, "_numpy", np.dtype(name))  # once: every cast asks for it

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return self.bits // 8

    @property
    def precision(self) -> int | None:
        """Bits of the floating point numbers in it, `None` when it has none."""
        return {float: self.bits, complex: self.bits // 2}.get(self.kind)

    def to_numpy(self) -> np.dtype[Any]:
        """The NumPy type with the same values."""
        return self._numpy

    @staticmethod
    def from_numpy(dtype: Any) -> DType:
        """The type with the same values as a NumPy type.

        Raises:
            TypeError: For types that tensors cannot have, such as dates and long doubles.
        """
        return _from_numpy(np.dtype(dtype))

    def __repr__(self) -> str:
        bits = "" if self.kind in (bool, object) else f", {self.bits}"
        return f"DType({self.kind.__name__}{bits}{'' if self.signed else ', signed=False'})"


def _from_numpy(dtype: np.dtype[Any]) -> DType:
    known = _FROM_NUMPY.get(dtype)
    if known is not None:
        return known
    if dtype.kind == "U":
        return DType(str, 8 * dtype.itemsize)
    native_order = dtype.newbyteorder("=")
    if native_order in _FROM_NUMPY:
        return _FROM_NUMPY[native_order]
    raise TypeError(f"Tensors cannot have the NumPy type '{dtype}'. Convert to float64 or int64 first.")


def _numeric_types() -> list[DType]:
    signed = [DType(kind, bits) for kind, widths in _WIDTHS.items() for bits in widths]
    return [*signed, *(DType(int, bits, signed=False) for bits in _WIDTHS[int]), DType(object)]


_FROM_NUMPY = {dtype.to_numpy(): dtype for dtype in _numeric_types()}


def is_numeric(dtype: np.dtype[Any]) -> bool:
    """Whether tensors can have this NumPy type."""
    return dtype.kind in "biufc" and (dtype in _FROM_NUMPY or dtype.newbyteorder("=") in _FROM_NUMPY)


def combine_types(*dtypes: DType, fp_precision: int | None) -> DType:
    """The type that the result of an operation on `dtypes` has: bool < int < float < complex < object.

    Args:
        *dtypes: At least one.
        fp_precision: Floats get these bits and complex numbers twice as many (at least 64), whatever the inputs.
            `None`: those of the widest floating point input.

    Raises:
        TypeError: When there is no such type: strings, or `uint64` with signed integers.

    Example:
        >>> combine_types(DType(int, 64), DType(float, 64), fp_precision=32)
        DType(float, 32)
        >>> combine_types(DType(int, 8, signed=False), DType(int, 8), fp_precision=32)
        DType(int, 16)
    """
    if not dtypes:
        raise TypeError("combine_types() needs at least one type.")
    if any(dtype.kind is str for dtype in dtypes):
        raise TypeError(f"Strings are no numbers: cannot combine {', '.join(map(repr, dtypes))}.")
    kind = max((dtype.kind for dtype in dtypes), key=_ORDER.__getitem__)
    if kind is int:
        return _combine_ints([dtype for dtype in dtypes if dtype.kind is int])
    if kind in (bool, object):
        return DType(kind)
    precision = fp_precision or max(dtype.precision or 0 for dtype in dtypes)
    return DType(float, precision) if kind is float else DType(complex, max(64, 2 * precision))


def _combine_ints(dtypes: list[DType]) -> DType:
    signed = max((dtype.bits for dtype in dtypes if dtype.signed), default=0)
    unsigned = max((dtype.bits for dtype in dtypes if not dtype.signed), default=0)
    if not unsigned or not signed:
        return DType(int, signed or unsigned, signed=bool(signed))
    if unsigned == 64:
        raise TypeError("uint64 and signed integers have no common integer type. Cast one of them first.")
    return DType(int, max(signed, 2 * unsigned))
