"""How far computed values are from the true ones: reference values with many digits, absolute errors, errors in ulp."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import mpmath
import numpy as np

if TYPE_CHECKING:
    from .symbolic.program import Program


def reference(program: Program, *inputs: Any, digits: int = 50) -> Any:
    """The values of a program at the exact binary values of its inputs.

    Args:
        program: What to compute.
        *inputs: One array for each input, as for `program.to_python()`: its own axes first, then any axes of points.
            NaN and ±inf are allowed.
        digits: Decimal digits to compute with.

    Returns:
        Object array of `mpmath.mpf` of shape (*shape, *points), or a tuple of them for several outputs.

    Raises:
        TypeError: For inputs that are no numbers.
        ValueError: For a wrong number or shape of inputs.

    Example:
        >>> import mpmath, sympy
        >>> x = sympy.Symbol('x')
        >>> program = compile(1 / (1 + x), [x])
        >>> print(mpmath.nstr(reference(program, 0.1)[()], 30))
        0.909090909090909086321392460227
    """
    if len(inputs) != len(program.inputs):
        names = ", ".join(given.name for given in program.inputs)
        raise ValueError(f"reference: {program.name} takes {len(program.inputs)} inputs ({names}), not {len(inputs)}.")
    arrays = []
    for given, value in zip(program.inputs, inputs, strict=True):
        array = np.asarray(value)
        if array.shape[: len(given.shape)] != given.shape:
            raise ValueError(f"reference: {given.name} has shape {array.shape}; needed is {given.shape} + points.")
        arrays.append(array)
    own_axes = [len(given.shape) for given in program.inputs]
    points = np.broadcast_shapes(*(array.shape[own:] for array, own in zip(arrays, own_axes, strict=True)))
    rows = [
        np.broadcast_to(
            array.reshape(given.shape + (1,) * (len(points) - array.ndim + own) + array.shape[own:]),
            given.shape + points,
        )
        for array, own, given in zip(arrays, own_axes, program.inputs, strict=True)
    ]
    function = program.to_python("mpmath")
    results = [np.empty(output.shape + points, object) for output in program.outputs]
    with mpmath.workdps(digits):
        for point in np.ndindex(*points):
            values = function(*(row[(..., *point)] for row in rows))
            for result, value in zip(results, values if isinstance(values, tuple) else (values,), strict=True):
                result[(..., *point)] = value
    return tuple(results) if program.returns_tuple else results[0]


def absolute_error(value: Any, reference: Any) -> np.ndarray:
    """|value - reference|, with all digits of the reference.

    0 where both are NaN or the same infinity, NaN where only the value is NaN, inf where only one is infinite.

    Args:
        value: Computed floats.
        reference: Object array of `mpmath.mpf`, of a shape that broadcasts against it.

    Returns:
        float64 array.

    Example:
        >>> import mpmath
        >>> absolute_error(np.array([0.1, np.inf]), np.array([mpmath.mpf(0.1), mpmath.inf], object))
        array([0., 0.])
    """
    return _errors(value, reference, lambda difference, exact: difference)


def ulp_error(value: Any, reference: Any) -> np.ndarray:
    """The error in units in the last place: |value - reference| / spacing of the value's type at the reference.

    The spacing is that of the binade the reference lies in; below the smallest normal number its spacing, above the
    largest finite number that one's. Special values are as in `absolute_error`.

    Args:
        value: Computed floats; their dtype (float16, float32, float64) decides the spacing.
        reference: Object array of `mpmath.mpf`.

    Returns:
        float64 array.

    Example:
        >>> import mpmath
        >>> ulp_error(np.float32([1.0]), np.array([mpmath.mpf(1) + mpmath.mpf(2) ** -24], object))
        array([0.5])
    """
    value = np.asarray(value)
    if value.dtype.kind != "f":
        value = value.astype(np.float64)
    facts = np.finfo(value.dtype)

    def in_ulp(difference: Any, exact: Any) -> Any:
        exponent = int(mpmath.frexp(exact)[1]) - 1 if exact else facts.minexp
        return mpmath.ldexp(difference, facts.nmant - min(max(exponent, facts.minexp), facts.maxexp - 1))

    return _errors(value, reference, in_ulp)


def _errors(value: Any, reference: Any, measure: Callable[[Any, Any], Any]) -> np.ndarray:
    values, exacts = np.broadcast_arrays(np.asarray(value), np.asarray(reference, object))
    errors = np.empty(values.shape)
    with mpmath.workdps(60):
        for index in np.ndindex(*values.shape):
            computed, exact = mpmath.mpf(float(values[index])), mpmath.mpmathify(exacts[index])
            if mpmath.isnan(computed) or mpmath.isnan(exact):
                errors[index] = 0.0 if mpmath.isnan(computed) and mpmath.isnan(exact) else np.nan
            elif mpmath.isinf(computed) or mpmath.isinf(exact):
                errors[index] = 0.0 if computed == exact else np.inf
            else:
                errors[index] = float(measure(mpmath.fabs(computed - exact), exact))
    return errors
