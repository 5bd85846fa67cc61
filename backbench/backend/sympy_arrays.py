"""Array functions on object arrays of SymPy expressions, by the names of the Python array API standard.

Structure comes from NumPy, whatever computes from `sympy_scalars`. Every function returns an object array, also of
rank 0.
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple
from sympy import Expr
from sympy.logic.boolalg import Boolean

from . import sympy_scalars as scalars
from .sympy_nodes import Maximum, Minimum, Select
from .sympy_values import as_bool, from_number

Array = Any
"""An object array of SymPy expressions and conditions."""
Axis = int | tuple | None


def as_array(x: Any) -> Array:
    """The object array of expressions of an array, a nested sequence or a number."""
    array = np.asarray(x) if isinstance(x, np.ndarray | np.generic) else np.asarray(x, object)
    if array.dtype != object or not _are_all(array, (Expr, Boolean)):
        return _each(from_number, array)
    return array


def _are_all(array: Array, kind: type | tuple[type, ...]) -> bool:
    """Whether all elements are instances of a class; they are of few types."""
    return builtins.all(issubclass(each, kind) for each in set(map(type, array.flat)))


def _each(function: Callable[..., Any], *arrays: Array) -> Array:
    """The function of each element, or of elements side by side; arrays broadcast."""
    with np.errstate(all="ignore"):  # NumPy looks for overflows of the processor, also those in SymPy's own arithmetic
        return np.asarray(np.frompyfunc(function, len(arrays), 1)(*arrays), object)


def as_numbers(x: Any) -> Array:
    """Conditions as 1 and 0, expressions as they are."""
    array = as_array(x)
    return array if _are_all(array, Expr) else _each(scalars.as_number, array)


def as_conditions(x: Any) -> Array:
    """Numbers as whether they are not 0, conditions as they are."""
    return _each(scalars.as_condition, as_array(x))


def elementwise(scalar_function: Callable[..., Any]) -> Callable[..., Array]:
    """The function of arrays that applies a function of scalars to their elements."""

    def function(*arrays: Any) -> Array:
        return _each(scalar_function, *map(as_numbers, arrays))

    return function


sqrt, exp, expm1, log, log1p = map(elementwise, (scalars.sqrt, scalars.exp, scalars.expm1, scalars.log, scalars.log1p))
log2, log10 = elementwise(scalars.log2), elementwise(scalars.log10)
sin, cos, tan = map(elementwise, (scalars.sin, scalars.cos, scalars.tan))
asin, acos, atan, atan2 = map(elementwise, (scalars.asin, scalars.acos, scalars.atan, scalars.atan2))
sinh, cosh, tanh = map(elementwise, (scalars.sinh, scalars.cosh, scalars.tanh))
asinh, acosh, atanh = map(elementwise, (scalars.asinh, scalars.acosh, scalars.atanh))
erf, abs, sign = map(elementwise, (scalars.erf, scalars.absolute, scalars.sign))
floor, ceil, trunc = map(elementwise, (scalars.floor, scalars.ceil, scalars.truncated))
real, imag, conj = map(elementwise, (scalars.real, scalars.imag, scalars.conj))
sigmoid, softplus, negative = map(elementwise, (scalars.sigmoid, scalars.softplus, scalars.neg))
isnan, isfinite = map(elementwise, (scalars.isnan, scalars.isfinite))
add, multiply, pow = map(elementwise, (scalars.add, scalars.mul, scalars.pow))
remainder, floor_divide = map(elementwise, (scalars.remainder, scalars.quotient))
maximum, minimum, select = map(elementwise, (Maximum, Minimum, Select))
equal, not_equal = map(elementwise, (scalars.equal, scalars.not_equal))
greater, greater_equal = map(elementwise, (scalars.greater, scalars.greater_equal))
less, less_equal = map(elementwise, (scalars.less, scalars.less_equal))


def subtract(a: Any, b: Any) -> Array:
    """A - b. Each element of b is negated once, however often it is broadcast, so that its negation is shared."""
    return add(a, negative(b))


def divide(a: Any, b: Any) -> Array:
    """A / b; reciprocals are shared as negations are in `subtract`."""
    return multiply(a, _each(scalars.reciprocal, as_numbers(b)))


def bitwise_and(a: Any, b: Any) -> Array:
    """Both conditions, or common bits of integers."""
    return _each(scalars.and_, as_array(a), as_array(b))


def bitwise_or(a: Any, b: Any) -> Array:
    """One of two conditions, or all bits of integers."""
    return _each(scalars.or_, as_array(a), as_array(b))


def bitwise_xor(a: Any, b: Any) -> Array:
    """Exactly one of two conditions, or bits in which integers differ."""
    return _each(scalars.xor, as_array(a), as_array(b))


def where(condition: Any, x: Any, y: Any) -> Array:
    """X where the condition holds, y elsewhere."""
    return _each(scalars.where, as_conditions(condition), as_array(x), as_array(y))


def reduction(function: Callable[[list], Any], prepare: Callable[[Any], Array]) -> Callable[..., Array]:
    """The function of arrays that applies a function of a list of scalars along axes."""

    def reduce(x: Any, axis: Axis = None, keepdims: bool = False) -> Array:
        array = prepare(x)
        axes = range(array.ndim) if axis is None else normalize_axis_tuple(axis, array.ndim)
        kept = [i for i in range(array.ndim) if i not in axes]
        shape = tuple(array.shape[i] for i in kept)
        count = math.prod(array.shape[i] for i in axes)
        rows = np.reshape(np.transpose(array, (*kept, *axes)), (math.prod(shape), count))
        result = np.empty(len(rows), object)
        for i, row in enumerate(rows):
            result[i] = function(list(row))
        sizes = tuple(1 if i in axes else size for i, size in enumerate(array.shape)) if keepdims else shape
        return np.reshape(result, sizes)

    return reduce


sum = reduction(scalars.sum_as_written, as_numbers)
prod = reduction(scalars.product_as_written, as_numbers)
max = reduction(lambda values: Maximum(*values), as_numbers)
min = reduction(lambda values: Minimum(*values), as_numbers)
any = reduction(scalars.any_of, as_conditions)
all = reduction(scalars.all_of, as_conditions)


def cumulative_sum(x: Any, axis: int) -> Array:
    """Sums of all elements up to each one."""
    return np.frompyfunc(scalars.add, 2, 1).accumulate(as_numbers(x), axis=axis, dtype=object)


def nonzero(x: Any) -> tuple[Array, ...]:
    """Indices of the elements that are not 0; all of them must be decided."""
    conditions = as_conditions(x)
    decided = np.empty(conditions.shape, bool)
    for index in np.ndindex(*conditions.shape):
        decided[index] = as_bool(conditions[index])
    return tuple(map(as_array, np.nonzero(decided)))


def take(x: Any, indices: Any, axis: int) -> Array:
    """Entries along an axis."""
    return np.asarray(np.take(as_array(x), np.asarray(indices).astype(np.int64), axis=axis), object)


def pad(x: Any, pad_width: Any, mode: Any = "constant", **arguments: Any) -> Array:
    """The array with margins, as `numpy.pad`."""
    return as_array(np.pad(as_array(x), pad_width, mode=mode, **arguments))


def linspace(start: Any, stop: Any, number: int) -> Array:
    """Equally spaced numbers, exact ones between exact ends."""
    fractions = [from_number(i) / builtins.max(number - 1, 1) for i in range(number)]
    return add(start, multiply(subtract(stop, start), as_array(fractions)))


def matmul(a: Array, b: Array) -> Array:
    """Products of (..., n, k) or (k,) with (..., k, m)."""
    product = sum(multiply(a[..., None], b[..., None, :, :]), axis=-2)
    return product[..., 0, :] if a.ndim == 1 else product


def tensordot(a: Array, b: Array, axes: tuple[tuple, tuple]) -> Array:
    """Sums of products over pairs of axes."""
    sides = []
    for array, summed in zip((a, b), axes, strict=True):
        last = normalize_axis_tuple(summed, array.ndim)
        kept = [i for i in range(array.ndim) if i not in last]
        shape = tuple(array.shape[i] for i in kept)
        count = math.prod(array.shape[i] for i in last)
        sides.append((shape, np.reshape(np.transpose(array, (*kept, *last)), (math.prod(shape), count))))
    (a_shape, rows), (b_shape, columns) = sides
    return np.reshape(sum(multiply(rows[:, None, :], columns[None, :, :]), axis=-1), (*a_shape, *b_shape))


def einsum(equation: str, *operands: Any) -> Array:
    """Sums of products by Einstein's convention, each sum as one expression."""
    arrays = [as_numbers(operand) for operand in operands]
    np.einsum(equation, *(np.zeros(array.shape, np.int8) for array in arrays))  # NumPy's errors for what does not fit
    given, arrow, wanted = equation.replace(" ", "").partition("->")
    labels = [_labels(term, array.ndim) for term, array in zip(given.split(","), arrays, strict=True)]
    flat = [label for row in labels for label in row]
    every = sorted(set(flat))
    hidden = [label for label in every if label.startswith("-")]
    if arrow:
        result = _labels(wanted, len(wanted.replace("...", "")) + len(hidden))
    else:
        result = [label for label in every if label in hidden or flat.count(label) == 1]
    order = [*result, *(label for label in every if label not in result)]
    product = as_array(1)
    for array, row in zip(arrays, labels, strict=True):
        product = multiply(product, _aligned(array, row, order))
    return sum(product, axis=tuple(range(len(result), len(order))))


def _labels(term: str, ndim: int) -> list[str]:
    """One label for each axis. Those of an ellipsis are numbered from behind, where they are aligned."""
    before, dots, after = term.partition("...")
    hidden = ndim - len(before) - len(after)
    return [*before, *(f"-{999 - i}" for i in reversed(range(hidden if dots else 0))), *after]


def _aligned(array: Array, labels: list[str], order: list[str]) -> Array:
    """The array with its axes in the given order, of size 1 where it has none; equal labels are a diagonal."""
    labels = list(labels)
    for label in sorted(set(labels)):
        while labels.count(label) > 1:
            first = labels.index(label)
            second = labels.index(label, first + 1)
            array = np.diagonal(array, axis1=first, axis2=second)
            labels = [*(other for i, other in enumerate(labels) if i not in (first, second)), label]
    present = [label for label in order if label in labels]
    array = np.transpose(array, [labels.index(label) for label in present])
    return array[tuple(slice(None) if label in labels else None for label in order)]


def variables(shape: tuple[int, ...]) -> Array:
    """New real symbols, different from all others."""
    array = np.empty(shape, object)
    for index in np.ndindex(*shape):
        array[index] = scalars.new_variable()
    return array


def derivatives(expression: Any, by: Array) -> Array:
    """The derivatives of one expression by each symbol of an array."""
    return _each(lambda symbol: scalars.derivative(expression, symbol), by)


def substituted(x: Array, replacements: dict) -> Array:
    """The expressions with others in the place of their symbols."""
    return _each(lambda entry: entry.xreplace(replacements), x)


stack, concat, reshape, flip, tile = np.stack, np.concatenate, np.reshape, np.flip, np.tile
permute_dims, meshgrid = np.transpose, np.meshgrid
