"""Conjugate gradients on NumPy with an explicit matrix: one example after the other.

One example's vectors stay in the cache, the whole batch's do not, so this is faster than batched operations, and an
ended example costs nothing. It also makes an example independent of its neighbours to the last bit.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .matrices import Matrix
from .methods import Method, State, r_dot_z
from .result import Status
from .watch import Arithmetic, Limits, Watch, choose_scale, is_finite, scatter, square


@dataclass
class Snapshot:
    """One state of one example, with memory of its own."""

    x: np.ndarray
    residual: np.ndarray
    iterations: int
    function_evaluations: int
    status: Status
    message: str


@dataclass
class Types:
    """Types of the vectors: float16 is stored, float32 is computed with; elsewhere they agree."""

    stored: np.dtype
    working: np.dtype
    bits: int = field(init=False)

    def __post_init__(self) -> None:
        self.bits = np.finfo(self.stored).bits

    @property
    def arithmetic(self) -> Arithmetic:
        """What the tests need to know of the stored type."""
        info = np.finfo(self.stored)
        return Arithmetic(float(info.eps) / 2, str(self.stored), float(info.smallest_subnormal), 2.0**-53)


class Units:
    """Between the units an example is solved in and those of the caller, in which its numbers have to be representable.

    Args:
        types: Of the vectors.
        scale: A power of two: the caller's numbers are divided by it, which rounds nothing unless it underflows.
    """

    def __init__(self, types: Types, scale: float) -> None:
        self._types, self._scale = types, scale
        self._room = float(np.finfo(types.stored).max) / scale / 2

    def enter(self, vector: np.ndarray) -> np.ndarray:
        """The caller's vector as a new one to solve with."""
        return vector.copy() if self._scale == 1 else vector / vector.dtype.type(self._scale)

    def leave(self, vector: np.ndarray) -> np.ndarray:
        """A new vector in the caller's units and type: infinite where it does not fit, rounded where too small."""
        return (vector if self._scale == 1 else vector * vector.dtype.type(self._scale)).astype(self._types.stored)

    def held(self, vector: np.ndarray) -> np.ndarray:
        """The vector as the caller gets it."""
        return vector if self._scale == 1 else self.enter(self.leave(vector).astype(vector.dtype))

    def fits(self, vector: np.ndarray, bound: float) -> bool:
        """Whether the caller's type holds the numbers of a vector.

        Args:
            vector: In the units of the solver.
            bound: An upper bound of its norm, which settles the question at once nearly always.
        """
        return bound < self._room or bool(np.isfinite(self.leave(vector)).all())


class RowSpace:
    """Vectors are ndarrays of one type and scalars Python floats. BLAS does what NumPy needs two passes for.

    Args:
        types: Of the vectors.
    """

    def __init__(self, types: Types) -> None:
        from scipy.linalg.blas import get_blas_funcs

        kind = "dotc" if types.working.kind == "c" else "dot"
        self._dot, self.axpy, self.scal = get_blas_funcs((kind, "axpy", "scal"), dtype=types.working)
        self._stored = types.stored if types.stored != types.working else None

    def dot(self, u: np.ndarray, v: np.ndarray) -> float:
        """Real part of the inner product, conjugating `u`."""
        return self._dot(u, v).real

    @staticmethod
    def divide(numerator: float, denominator: float) -> float:
        """Quotient; denominators of running examples are not 0."""
        return numerator / denominator

    def round(self, vector: np.ndarray) -> np.ndarray:
        """Rounds in place to the stored type; free where that is the working type."""
        if self._stored is not None:
            vector[:] = vector.astype(self._stored)
        return vector


def solve_row(
    method: Method,
    space: RowSpace,
    types: Types,
    A: Matrix,
    M: Matrix | None,
    y: np.ndarray,
    x0: np.ndarray,
    limits: Limits,
    record: Callable[[Snapshot], None] | None,
) -> Snapshot:
    """Solves one example.

    Args:
        method: Entry of the table of methods.
        space: Operations for `types`.
        types: Of the vectors.
        A: The matrix.
        M: Preconditioner, or None.
        y: (n,), in the working type; not written to.
        x0: (n,), in the working type; not written to.
        limits: Tolerances and limits.
        record: Called with every state but the last one.

    Returns:
        The last state.
    """
    residual = A.residual(y, x0)
    evaluations = 1
    # The largest residual is infinite where the stored type cannot hold it.
    scale = choose_scale(types.bits, _largest(residual.astype(types.stored)), _largest(x0))
    units = Units(types, scale)
    given, y, residual = y, units.enter(y), residual / scale
    lost = 0.0 if scale == 1 else _norm(given - y * y.dtype.type(scale))
    y_norm = _norm(y)
    watch = Watch(square(y_norm), limits, types.arithmetic, scale)
    s = State(x=units.enter(x0), r=space.round(residual.astype(types.working)), z=None, d=None)

    def snapshot(status: Status) -> Snapshot:
        return Snapshot(
            units.leave(s.x), units.leave(s.r), watch.iterations, evaluations, status, watch.message(status)
        )

    def square_of(residual: np.ndarray) -> float:
        """Of a residual that has to meet the tolerance before and after it is rounded for the caller."""
        return square(max(_norm(residual), _norm(units.held(s.r))), lost)

    status = watch.start(square_of(residual))
    if y_norm == 0 and status not in (Status.CONVERGED, Status.NON_FINITE):
        if record:
            record(snapshot(Status.RUNNING))
        s.x[:] = 0  # the solution, so there is no need to search for it
        residual = A.residual(y, s.x)
        evaluations += 1
        s.r = space.round(residual.astype(types.working))
        status = watch.start(square_of(residual))
    best = (s.x.copy(), s.r.copy())
    fresh = True
    while status is Status.RUNNING:
        if record:
            record(snapshot(status))
        if fresh:
            s.z = s.r if M is None else space.round(M.apply(s.r))
            s.d = s.z.copy()
            s.residual2 = space.dot(s.r, s.r)
            s.rho = r_dot_z(space, s)
            s.x_bound, s.d_bound = _norm(s.x), _norm(s.d)
        claim = _step(method, space, units, s, A, M, watch)
        evaluations += 1
        fresh = claim is not None
        if claim is None:
            continue
        s.x = units.held(s.x)
        residual = A.residual(y, s.x)
        evaluations += 1
        s.r = space.round(residual.astype(types.working))
        # Without an entry in its column a sparse matrix does not notice an infinite x.
        residual2 = square_of(residual) if np.isfinite(s.x).all() else math.inf
        noise2 = 0.0
        if watch.suspects(_norm(s.x)):
            noise2 = square(_norm(A.apply(scatter(len(s.x), s.x.dtype) * s.x)))
            evaluations += 1
        status = watch.verify(claim, residual2, noise2)
        if watch.improved:
            best = (s.x.copy(), s.r.copy())
        elif watch.falls_back:
            s.x, s.r = best
    return snapshot(status)


def _step(
    method: Method, space: RowSpace, units: Units, s: State, A: Matrix, M: Matrix | None, watch: Watch
) -> Status | None:
    """One step in place; returns a claim to be verified, or None to go on."""
    s.q = space.round(A.apply(s.d))
    s.curvature = space.dot(s.d, s.q)
    trouble = watch.curvature(s.curvature, s.residual2 if M is None else space.dot(s.d, s.d))
    if trouble is not None:
        return trouble
    alpha = method.numerator(space, s) / s.curvature
    if alpha == 0:
        return Status.BREAKDOWN
    space.round(space.axpy(s.q, s.r, a=-alpha))
    s.residual2 = space.dot(s.r, s.r)
    if not is_finite(s.residual2):
        return Status.NON_FINITE  # before x is touched
    space.round(space.axpy(s.d, s.x, a=alpha))
    s.x_bound += abs(alpha) * s.d_bound
    if not units.fits(s.x, s.x_bound):
        return Status.NON_FINITE
    claim = watch.after_step(s.residual2)
    if claim is not None:
        return claim
    s.z = s.r if M is None else space.round(M.apply(s.r))
    beta = method.beta(space, s)
    space.scal(beta, s.d)
    space.round(space.axpy(s.z, s.d))
    s.d_bound = math.sqrt(s.residual2 if M is None else space.dot(s.z, s.z)) + abs(beta) * s.d_bound
    return None


def _norm(vector: np.ndarray) -> float:
    from scipy.linalg.blas import get_blas_funcs

    return float(get_blas_funcs("nrm2", (vector,))(vector))  # does not overflow


def _largest(vector: np.ndarray) -> float:
    return float(np.max(np.abs(vector)))


def as_types(stored: Any) -> Types:
    """The types for vectors that are stored as `stored`."""
    stored = np.dtype(stored)
    return Types(stored, np.dtype(np.float32) if stored == np.float16 else stored)
