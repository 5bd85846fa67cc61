"""Formulations of softmax that people compare: equal in mathematics, different on a computer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from .base import Backend
from .choice import get_backend
from .contract.reductions import check_axis

Formulation = Literal["plain", "shifted", "pairwise"]


def softmax(b: Backend | str, x: Any, axis: int = -1, formulation: Formulation = "shifted") -> Any:
    """exp(x) / sum of exp(x) along an axis, written with the operations of any backend.

    Args:
        b: The backend to compute with, or its name.
        x: Numbers or expressions.
        axis: Axis of the units.
        formulation: 'plain' as above: overflows for large x. 'shifted' by the maximum: n exponentials, none overflows.
            'pairwise': 1 / sum over j of exp(x_j - x_i), which needs no maximum: n(n - 1) exponentials, NaN where two x
            are -inf.

    Returns:
        Tensor of the shape of x.

    Raises:
        ValueError: For another formulation.

    Example:
        >>> softmax(b, [0., 1000.], formulation='plain'), softmax(b, [0., 1000.], formulation='pairwise')
        (array([ 0., nan], dtype=float32), array([0., 1.], dtype=float32))
    """
    if formulation not in FORMULATIONS:
        raise ValueError(f"Unknown formulation {formulation!r} of softmax. Known: {', '.join(FORMULATIONS)}.")
    b = get_backend(b)
    x = b.as_inexact(x)
    return FORMULATIONS[formulation](b, x, check_axis(b, "softmax", axis, b.staticshape(x)))


def _plain(b: Backend, x: Any, axis: int) -> Any:
    exponentials = b.exp(x)
    return b.div(exponentials, b.sum(exponentials, axis, keepdims=True))


def _shifted(b: Backend, x: Any, axis: int) -> Any:
    exponentials = b.exp(b.sub(x, b.stabilizer(x, axis)))
    return b.div(exponentials, b.sum_of_shifted(exponentials, axis))


def _pairwise(b: Backend, x: Any, axis: int) -> Any:
    units = b.shape(x)[axis]
    others = b.expand_dims(x, axis)
    itself = b.expand_dims(x, axis + 1)
    # the difference of a unit and itself is 0 by definition: computed, it would be NaN for infinite x
    position = b.range(units)
    same = b.equal(b.expand_dims(position, 0), b.expand_dims(position, 1))
    same = b.reshape(same, (*[1] * axis, units, units, *[1] * (b.ndims(x) - axis - 1)))
    differences = b.where(same, 0, b.sub(others, itself))
    return b.div(1, b.sum(b.exp(differences), axis + 1))


FORMULATIONS: dict[str, Callable[[Backend, Any, int], Any]] = {
    "plain": _plain,
    "shifted": _shifted,
    "pairwise": _pairwise,
}
