"""The functions of an array namespace that `ArrayBackend` calls, on TensorFlow.

`tf.experimental.numpy` has about half of them, and its own rules of promotion. Tensors come in here with their common
type already; what is left are other names, other arguments and types that single operations of TensorFlow lack.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

Axis = int | tuple | None
_SMALL = {tf.int8, tf.int16, tf.uint8, tf.uint16, tf.uint32}
_UNSIGNED = {tf.uint8, tf.uint16, tf.uint32, tf.uint64}


def _wide(x: tf.Tensor) -> tf.Tensor:
    """Integers that TensorFlow computes little with as int64, which holds them all; bools too."""
    return tf.cast(x, tf.int64) if x.dtype in _SMALL or x.dtype == tf.bool else x


def _through_wide(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, which is computed with int64 in place of smaller integers and gives their type again."""

    def call(x: tf.Tensor, *rest: Any, **options: Any) -> tf.Tensor:
        others = [_wide(y) if isinstance(y, tf.Tensor) else y for y in rest]
        return tf.cast(function(_wide(x), *others, **options), x.dtype)

    return call


def _of_numbers(function: Callable[[tf.Tensor], tf.Tensor]) -> Callable[[tf.Tensor], tf.Tensor]:
    """The function; whole numbers are what they are rounded to."""
    return lambda x: function(x) if x.dtype.is_floating else x


sqrt, exp, expm1, log, log1p = tf.sqrt, tf.exp, tf.math.expm1, tf.math.log, tf.math.log1p
sin, cos, tan, asin, acos, atan = tf.sin, tf.cos, tf.tan, tf.asin, tf.acos, tf.atan
sinh, cosh, tanh, asinh, acosh, atanh = tf.sinh, tf.cosh, tf.tanh, tf.asinh, tf.acosh, tf.atanh
ceil, floor = _of_numbers(tf.math.ceil), _of_numbers(tf.math.floor)
atan2, divide = tf.atan2, tf.math.divide
add, multiply = _through_wide(tf.add), _through_wide(tf.multiply)
subtract = _through_wide(tf.subtract)
floor_divide, remainder = _through_wide(tf.math.floordiv), _through_wide(tf.math.floormod)
bitwise_and = lambda a, b: tf.logical_and(a, b) if a.dtype == tf.bool else tf.bitwise.bitwise_and(a, b)  # noqa: E731
bitwise_or = lambda a, b: tf.logical_or(a, b) if a.dtype == tf.bool else tf.bitwise.bitwise_or(a, b)  # noqa: E731
bitwise_xor = lambda a, b: tf.math.logical_xor(a, b) if a.dtype == tf.bool else tf.bitwise.bitwise_xor(a, b)  # noqa: E731
equal, not_equal = tf.equal, tf.not_equal
where, stack, concat, broadcast_to = tf.where, tf.stack, tf.concat, tf.broadcast_to
zeros_like, ones_like, reshape = tf.zeros_like, tf.ones_like, tf.reshape


def maximum(a: tf.Tensor, b: tf.Tensor) -> tf.Tensor:
    return _extremum(tf.maximum, a, b)


def minimum(a: tf.Tensor, b: tf.Tensor) -> tf.Tensor:
    return _extremum(tf.minimum, a, b)


def _extremum(function: Callable[..., Any], a: tf.Tensor, b: tf.Tensor) -> tf.Tensor:
    """The function with a slope of a half by each where both are equal; TensorFlow gives all of it to the first."""
    if not a.dtype.is_floating:
        return _through_wide(function)(a, b)
    tie = tf.equal(a, b)
    halfway = tf.where(tie & tf.math.is_finite(a), b - a, tf.zeros_like(a)) / 2  # 0
    return tf.where(tie, a + halfway, function(a, b))


def tile(x: tf.Tensor, multiples: tuple) -> tf.Tensor:
    missing = len(multiples) - x.shape.rank
    x = tf.reshape(x, (*[1] * missing, *x.shape)) if missing > 0 else x
    return tf.tile(x, (*[1] * -missing, *multiples))


def log2(x: tf.Tensor) -> tf.Tensor:
    return tf.math.log(x) / tf.math.log(tf.constant(2, x.dtype))


def log10(x: tf.Tensor) -> tf.Tensor:
    return tf.math.log(x) / tf.math.log(tf.constant(10, x.dtype))


def abs(x: tf.Tensor) -> tf.Tensor:
    return (
        x
        if x.dtype in _UNSIGNED or x.dtype == tf.bool
        else _through_wide(tf.abs)(x)
        if x.dtype.is_integer
        else tf.abs(x)
    )


def sign(x: tf.Tensor) -> tf.Tensor:
    return _through_wide(tf.sign)(x) if x.dtype.is_integer or x.dtype == tf.bool else tf.sign(x)


def round(x: tf.Tensor) -> tf.Tensor:
    if x.dtype.is_complex:
        return tf.complex(tf.round(tf.math.real(x)), tf.round(tf.math.imag(x)))
    return tf.round(x) if x.dtype.is_floating else x


def isfinite(x: tf.Tensor) -> tf.Tensor:
    if x.dtype.is_complex:
        return tf.math.is_finite(tf.math.real(x)) & tf.math.is_finite(tf.math.imag(x))
    return tf.math.is_finite(x) if x.dtype.is_floating else tf.ones_like(x, tf.bool)


def isnan(x: tf.Tensor) -> tf.Tensor:
    if x.dtype.is_complex:
        return tf.math.is_nan(tf.math.real(x)) | tf.math.is_nan(tf.math.imag(x))
    return tf.math.is_nan(x) if x.dtype.is_floating else tf.zeros_like(x, tf.bool)


def real(x: tf.Tensor) -> tf.Tensor:
    return tf.math.real(x)


def imag(x: tf.Tensor) -> tf.Tensor:
    return tf.math.imag(x) if x.dtype.is_complex else tf.zeros_like(x)


def conj(x: tf.Tensor) -> tf.Tensor:
    return tf.math.conj(x) if x.dtype.is_complex else x


def pow(base: tf.Tensor, exponent: tf.Tensor) -> tf.Tensor:
    return _through_wide(tf.pow)(base, exponent) if base.dtype.is_integer else tf.pow(base, exponent)


def greater(a: tf.Tensor, b: tf.Tensor) -> tf.Tensor:
    return tf.greater(_wide(a), _wide(b))


def greater_equal(a: tf.Tensor, b: tf.Tensor) -> tf.Tensor:
    return tf.greater_equal(_wide(a), _wide(b))


def less(a: tf.Tensor, b: tf.Tensor) -> tf.Tensor:
    return tf.less(_wide(a), _wide(b))


def less_equal(a: tf.Tensor, b: tf.Tensor) -> tf.Tensor:
    return tf.less_equal(_wide(a), _wide(b))


def sum(x: tf.Tensor, axis: Axis = None, keepdims: bool = False) -> tf.Tensor:
    return tf.reduce_sum(x, axis, keepdims)


def prod(x: tf.Tensor, axis: Axis = None, keepdims: bool = False) -> tf.Tensor:
    return tf.reduce_prod(x, axis, keepdims)


def max(x: tf.Tensor, axis: Axis = None, keepdims: bool = False) -> tf.Tensor:
    return _through_wide(tf.reduce_max)(x, axis=axis, keepdims=keepdims)


def min(x: tf.Tensor, axis: Axis = None, keepdims: bool = False) -> tf.Tensor:
    return _through_wide(tf.reduce_min)(x, axis=axis, keepdims=keepdims)


def any(x: tf.Tensor, axis: Axis = None, keepdims: bool = False) -> tf.Tensor:
    return tf.reduce_any(x, axis, keepdims)


def all(x: tf.Tensor, axis: Axis = None, keepdims: bool = False) -> tf.Tensor:
    return tf.reduce_all(x, axis, keepdims)


def cumulative_sum(x: tf.Tensor, axis: int) -> tf.Tensor:
    return tf.cumsum(x, axis)


def argmax(x: tf.Tensor, axis: int | None = None, keepdims: bool = False) -> tf.Tensor:
    return _arg(tf.argmax, x, axis, keepdims)


def argmin(x: tf.Tensor, axis: int | None = None, keepdims: bool = False) -> tf.Tensor:
    return _arg(tf.argmin, x, axis, keepdims)


def _arg(function: Callable[..., Any], x: tf.Tensor, axis: int | None, keepdims: bool) -> tf.Tensor:
    x = _wide(x)
    found = function(tf.reshape(x, [-1]), 0) if axis is None else function(x, axis)
    if not keepdims:
        return found
    return tf.reshape(found, [1] * x.shape.rank) if axis is None else tf.expand_dims(found, axis)


def sort(x: tf.Tensor, axis: int = -1) -> tf.Tensor:
    order = argsort(x, axis)
    return tf.experimental.numpy.take_along_axis(x, order, axis)


def argsort(x: tf.Tensor, axis: int = -1, stable: bool = True) -> tf.Tensor:
    if not x.dtype.is_floating:
        return tf.argsort(_wide(x), axis, stable=True)
    # TensorFlow puts NaN anywhere: by value first, then NaN behind all others
    lost = tf.math.is_nan(x)
    by_value = tf.argsort(tf.where(lost, tf.constant(float("inf"), x.dtype), x), axis, stable=True)
    take = tf.experimental.numpy.take_along_axis
    behind = tf.argsort(tf.cast(take(lost, by_value, axis), tf.int32), axis, stable=True)
    return take(by_value, behind, axis)


def permute_dims(x: tf.Tensor, axes: Sequence[int]) -> tf.Tensor:
    return tf.transpose(x, axes)


def flip(x: tf.Tensor, axis: Axis = None) -> tf.Tensor:
    axes = range(x.shape.rank) if axis is None else (axis,) if isinstance(axis, int) else axis
    return tf.reverse(x, list(axes)) if axes else x


def take(x: tf.Tensor, indices: tf.Tensor, axis: int) -> tf.Tensor:
    return tf.gather(x, indices, axis=axis)


def nonzero(x: tf.Tensor) -> tuple:
    return tuple(tf.unstack(tf.where(x if x.dtype == tf.bool else tf.not_equal(x, 0)), axis=1))


def zeros(shape: Any, dtype: Any) -> tf.Tensor:
    return tf.zeros(shape, dtype)


def ones(shape: Any, dtype: Any) -> tf.Tensor:
    return tf.ones(shape, dtype)


def arange(start: Any, stop: Any, step: Any, dtype: Any) -> tf.Tensor:
    return tf.cast(tf.range(start, stop, step), dtype)


def linspace(start: Any, stop: Any, number: int, dtype: Any) -> tf.Tensor:
    return tf.cast(tf.linspace(tf.cast(start, tf.float64), tf.cast(stop, tf.float64), number), dtype)


def meshgrid(*coordinates: tf.Tensor, indexing: str) -> list:
    return tf.meshgrid(*coordinates, indexing=indexing)


def matmul(a: tf.Tensor, b: tf.Tensor) -> tf.Tensor:
    if a.shape.rank == 1:
        return matmul(a[None], b)[..., 0, :]
    if b.shape.rank < a.shape.rank:
        b = tf.reshape(b, (*[1] * (a.shape.rank - b.shape.rank), *b.shape))
    return _through_wide(tf.matmul)(a, b)


def tensordot(a: tf.Tensor, b: tf.Tensor, axes: tuple) -> tf.Tensor:
    return _through_wide(tf.tensordot)(a, b, axes=axes)


def einsum(equation: str, *tensors: tf.Tensor) -> tf.Tensor:
    return tf.cast(tf.einsum(equation, *map(_wide, tensors)), tensors[0].dtype)


class fft:
    """The functions of `xp.fft`, which TensorFlow has for the last axis only."""

    @staticmethod
    def fftn(x: tf.Tensor, axes: tuple) -> tf.Tensor:
        return _along(tf.signal.fft, x, axes)

    @staticmethod
    def ifftn(x: tf.Tensor, axes: tuple) -> tf.Tensor:
        return _along(tf.signal.ifft, x, axes)


def _along(transform: Callable[..., Any], x: tf.Tensor, axes: tuple) -> tf.Tensor:
    for axis in axes:
        order = [i for i in range(x.shape.rank) if i != axis] + [axis]
        back = [order.index(i) for i in range(x.shape.rank)]
        x = tf.transpose(transform(tf.transpose(x, order)), back)
    return x
