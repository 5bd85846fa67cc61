"""Minimization: `minimize` checks the input before anything starts, and chooses the method."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np

from ..backend.context import precision
from .objective import Objective
from .problem import check_callback, check_deadline
from .progress import Task
from .result import SolveResult, Trajectory

if TYPE_CHECKING:
    from ..backend.base import Backend

SCIPY_METHODS = ("CG", "BFGS", "L-BFGS-B", "Newton-CG", "TNC", "SLSQP", "trust-constr")
WITH_BOUNDS = ("L-BFGS-B", "TNC", "SLSQP", "trust-constr")


def minimize(
    b: Backend,
    method: str,
    f: Callable[..., Any],
    x0: Any,
    atol: Any,
    max_iter: Any,
    trj: bool,
    *,
    bounds: Any = None,
    callback: Callable[[SolveResult], object] | None = None,
    time_limit: float | None = None,
) -> SolveResult | Trajectory:
    """Minimizes f for each row of x0; `Backend.minimize` documents the arguments.

    Example:
        >>> from backbench import NUMPY
        >>> result = minimize(NUMPY, 'GD', lambda x: NUMPY.sum((x - 1) ** 2, -1), [[0., 3.]], 1e-3, 100, False)
        >>> result.x.round(2), result.converged
        (array([[1., 1.]], dtype=float32), array([ True]))
    """
    name = _find_method(method)
    task = _check(b, name, f, x0, atol, max_iter, trj, bounds, callback, time_limit)
    if name == "GD":
        from .descent import descend as run
    else:
        from .scipy_methods import minimize_with_scipy as run
    # the points keep their type whatever it was decided by: the widest input, when the precision is None
    with np.errstate(all="ignore"), nullcontext() if b.precision else precision(task.dtype.precision):
        states = run(task)
    return Trajectory(states, b) if trj else states[-1]


def _find_method(method: str) -> str:
    known = ("GD", *SCIPY_METHODS)
    for name in known:
        if isinstance(method, str) and method.lower() == name.lower():
            return name
    raise NotImplementedError(f"minimize has no method {method!r}. Known methods: {', '.join(map(repr, known))}.")


def _check(
    b: Backend,
    method: str,
    f: Any,
    x0: Any,
    atol: Any,
    max_iter: Any,
    trj: bool,
    bounds: Any,
    callback: Callable[[SolveResult], object] | None,
    time_limit: float | None,
) -> Task:
    if not callable(f):
        raise ValueError(f"minimize: f is {f!r:.80}, expected a function of points (batch, n).")
    try:
        x0 = b.copy(b.as_inexact(x0), only_mutable=True)
    except (TypeError, ValueError) as error:
        raise ValueError(f"minimize: x0 is {x0!r:.80}, expected numbers of shape (batch, n). ({error})") from error
    shape, dtype = tuple(b.staticshape(x0)), b.dtype(x0)
    if len(shape) != 2 or 0 in shape[1:]:
        hint = " A single point becomes a batch by x0[None]." if len(shape) == 1 else ""
        raise ValueError(f"minimize: x0 has shape {shape}, expected (batch, n).{hint}")
    if dtype.kind is not float:
        raise ValueError(f"minimize: x0 has the type {dtype}, expected real numbers.")
    batch, size = shape
    tolerances = _per_example(b, "atol", atol, batch)
    limits = _per_example(b, "max_iter", max_iter, batch)
    if not (np.isfinite(tolerances).all() and (tolerances >= 0).all()):
        raise ValueError(f"minimize: atol is {atol!r:.80}, expected finite numbers that are not negative.")
    are_counts = np.isfinite(limits) & (limits >= 0) & (limits == np.floor(limits))
    if isinstance(max_iter, bool) or not are_counts.all():
        raise ValueError(f"minimize: max_iter is {max_iter!r:.80}, expected whole numbers that are not negative.")
    check_callback("minimize", callback)
    deadline = check_deadline("minimize", time_limit)
    box = None if bounds is None else _check_bounds(method, bounds, np.asarray(b.numpy(x0)))
    objective = Objective(b, f, batch, size, dtype, box)
    limits = np.minimum(limits, 2.0**62).astype(int)
    return Task(b, method, objective, x0, dtype, tolerances, limits, box, callback, deadline, trj)


def _per_example(b: Backend, name: str, value: Any, batch: int) -> np.ndarray:
    try:
        array = np.asarray(b.numpy(value) if b.is_tensor(value, only_native=True) else value, np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"minimize: {name} is {value!r:.80}, expected a number or one per example.") from error
    if array.shape not in ((), (batch,)):
        raise ValueError(f"minimize: {name} has shape {array.shape}, expected a number or (batch,) = ({batch},).")
    return np.broadcast_to(array, (batch,)).copy()


def _check_bounds(method: str, bounds: Any, x0: np.ndarray) -> np.ndarray:
    """The bounds as (n, 2): those of scipy.optimize.Bounds, or pairs with None where there is none.

    They are rounded to the type of x0, in which all points are.
    """
    if method not in WITH_BOUNDS:
        raise ValueError(f"minimize: {method} has no bounds. Methods with bounds: {', '.join(WITH_BOUNDS)}.")
    if hasattr(bounds, "lb"):
        try:
            pairs = np.stack(np.broadcast_arrays(bounds.lb, bounds.ub, x0[0])[:2], axis=-1).astype(float)
        except ValueError as error:
            raise ValueError(f"minimize: bounds are {bounds!r:.80}, expected one for each parameter.") from error
    else:
        try:
            pairs = np.array(
                [(-np.inf if lo is None else lo, np.inf if hi is None else hi) for lo, hi in bounds], float
            )
        except (TypeError, ValueError) as error:
            raise ValueError(f"minimize: bounds are {bounds!r:.80}, expected a pair for each parameter.") from error
    if pairs.shape != (x0.shape[1], 2):
        raise ValueError(f"minimize: bounds have shape {pairs.shape}, expected (n, 2) = {x0.shape[1], 2}.")
    if not (pairs[:, 0] <= pairs[:, 1]).all():
        raise ValueError("minimize: a lower bound is above its upper bound, or NaN.")
    with np.errstate(over="ignore"):
        pairs = pairs.astype(x0.dtype).astype(np.float64)
    if ((x0 < pairs[:, 0]) | (x0 > pairs[:, 1])).any():
        raise ValueError("minimize: x0 is outside the bounds. Start inside, for example with clip(x0, lower, upper).")
    return pairs
