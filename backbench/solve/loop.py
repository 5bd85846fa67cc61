"""Conjugate gradients written with backend methods only: any backend, any callable, the whole batch in every call.

Examples that have ended are frozen: their directions are zero, their states are not replaced, nothing is counted.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from ..backend.context import get_precision, precision
from ..backend.dtypes import DType
from ..backend.scipy_sparse import is_sparse
from .methods import Method, State, r_dot_z
from .problem import Problem, common_type, is_explicit, with_native_matrices
from .result import SolveResult, Status, norms
from .watch import Arithmetic, Watch, choose_scale, is_finite, scatter, square

if TYPE_CHECKING:
    from ..backend.base import Backend


class BatchSpace:
    """Vectors are tensors (batch, n) and scalars tensors (batch, 1).

    Args:
        b: Backend.
        is_complex: Whether the vectors are.
    """

    def __init__(self, b: Backend, is_complex: bool) -> None:
        self._b = b
        self._complex = is_complex

    def dot(self, u: Any, v: Any) -> Any:
        """Real part of the inner product of each example, conjugating `u`."""
        b = self._b
        product = b.real(b.mul(b.conj(u), v)) if self._complex else b.mul(u, v)
        return b.sum(product, axis=1, keepdims=True)

    def divide(self, numerator: Any, denominator: Any) -> Any:
        """Quotient, 0 where the denominator is 0: an example that has ended."""
        return self._b.divide_no_nan(numerator, denominator)


class BatchSolver:
    """The recursion of a whole batch.

    Args:
        b: Backend.
        name: Of the method, for the results.
        method: Entry of the table of methods.
        problem: Checked input.
        record: Whether to keep all states.
        callback: Sees each state but the last one.
    """

    def __init__(
        self,
        b: Backend,
        name: str,
        method: Method,
        problem: Problem,
        record: bool,
        callback: Callable[[SolveResult], object] | None = None,
    ) -> None:
        self.b, self.name, self.method, self.record = b, name, method, record
        self.problem = with_native_matrices(b, problem)
        self.callback = callback
        self.caller_precision = get_precision()
        self.batch, self.size = b.staticshape(problem.y)
        self.evaluations = np.zeros(self.batch, np.int32)
        self.status = [Status.RUNNING] * self.batch
        self.states: list[SolveResult] = []
        self._set_type(problem.dtype)

    def solve(self) -> list[SolveResult]:
        """Runs until all examples have ended; returns all states when recording, else the last one only."""
        if self.stored.kind is object:
            self._check_entries()
        usable = self._usable()
        product = self._apply_to_start(usable)
        if self.stored.kind is not object:  # a callable may turn real vectors into complex ones
            self._set_type(common_type(self.b, self.stored, self.b.dtype(product)))
        with precision(self.working.precision) if self.working.precision else nullcontext():
            self._start(product, usable)
            while Status.RUNNING in self.status:
                self._step()
                self._keep()
        return self.states

    # --- values -----------------------------------------------------------------------------------------------------

    def _set_type(self, stored: DType) -> None:
        self.stored = stored
        # float16 is only stored, as the squares of its numbers under- and overflow too early.
        self.working = DType(float, 32) if stored == DType(float, 16) else stored
        self.space = BatchSpace(self.b, stored.kind is complex)

    def _round(self, tensor: Any) -> Any:
        tensor = self.b.cast(tensor, self.stored)
        return tensor if self.stored == self.working else self.b.cast(tensor, self.working)

    def _apply(self, operator: Any, vectors: Any, name: str) -> Any:
        with precision(self.caller_precision):
            result = self.b.linear(operator, self.b.cast(vectors, self.stored))
        shape = None if result is None else tuple(self.b.staticshape(result))
        if shape != (self.batch, self.size):
            found = f"the shape {shape}" if shape is not None else "None"
            expected = f"expected (batch, n) = {self.batch, self.size}"
            raise ValueError(f"linear_solve: {name} returned {found}, {expected}.")
        if self.stored.kind is object:
            self._check_numbers(name, result)
        return result

    def _matrix_times(self, vectors: Any) -> Any:
        return self.b.cast(self._apply(self.problem.lin, vectors, "lin"), self.working)

    def _precondition(self, residual: Any) -> Any:
        if self.problem.preconditioner is None:
            return residual
        return self._round(self._apply(self.problem.preconditioner, residual, "preconditioner"))

    def _choose(self, flags: np.ndarray, yes: Any, no: Any) -> Any:
        """Examples with a flag from `yes`, the others from `no`."""
        if flags.all():
            return yes
        return self.b.where(self.b.as_tensor(flags[:, None]), yes, no) if flags.any() else no

    def _only(self, flags: np.ndarray, vectors: Any) -> Any:
        """Zeros for the examples without a flag."""
        return vectors if flags.all() else self._choose(flags, vectors, self.b.zeros_like(vectors))

    def _scalars(self, tensor: Any) -> list[Any]:
        """(batch, 1) as a list of floats or SymPy numbers."""
        if self.stored.kind is not object:
            return self.b.numpy(tensor)[:, 0].tolist()
        return list(tensor[:, 0])

    def _arithmetic(self, *tensors: Any) -> Arithmetic:
        bits = self.stored.precision
        if bits:
            unit, tiny = {16: (2.0**-11, 2.0**-24), 32: (2.0**-24, 2.0**-149), 64: (2.0**-53, 2.0**-1074)}[bits]
            return Arithmetic(unit, str(self.stored.to_numpy()), tiny, unit)
        arrays = [*tensors, *self._matrices(self.problem.lin)]
        inexact = any(getattr(entry, "is_Float", False) for array in arrays for entry in array.flat)
        eps = Fraction(1, 2**53) if inexact else Fraction(0)
        return Arithmetic(eps, f"{self.b.name}'s floats", residual_eps=eps)

    # --- numbers of SymPy -------------------------------------------------------------------------------------------

    def _matrices(self, operator: Any) -> list[np.ndarray]:
        """The numbers of an operator; none of a callable."""
        if operator is None or not is_explicit(operator):
            return []
        matrices = operator if isinstance(operator, list) else [operator]
        return [self.b.as_tensor(m.tocsr().data if is_sparse(m) else m) for m in matrices]

    def _check_entries(self) -> None:
        p = self.problem
        named = {"y": [p.y], "x0": [p.x0], "lin": self._matrices(p.lin)}
        for name, tensors in (named | {"preconditioner": self._matrices(p.preconditioner)}).items():
            for tensor in tensors:
                self._check_numbers(name, tensor)

    def _check_numbers(self, name: str, tensor: Any) -> None:
        """Lets rational numbers and floats pass. Others grow in every step until no comparison ends any more."""
        for entry in self.b.cast(self.b.as_tensor(tensor), DType(float, 64)).flat:
            if entry.is_Number or (entry.is_Atom and entry.is_infinite):  # NaN and infinities become a status
                continue
            symbols = ", ".join(sorted(map(str, entry.free_symbols)))
            found = f"the symbols {symbols}" if symbols else f"the entry {entry!s:.80}"
            way_out = "Put numbers in with .subs()" if symbols else "Make floats of real numbers with .evalf()"
            raise ValueError(
                f"linear_solve on {self.b.name}: {name} has {found}, but residuals can be compared with tolerances for "
                f"rational numbers and floats only. {way_out}, or give fractions with backbench.exact()."
            )

    # --- start ------------------------------------------------------------------------------------------------------

    def _usable(self) -> np.ndarray:
        """Which examples start with finite numbers."""
        if self.stored.kind is object:
            return np.ones(self.batch, bool)  # no callable is harmed by SymPy's nan
        y, x0 = (self.b.numpy(self.b.all(self.b.isfinite(v), axis=1)) for v in (self.problem.y, self.problem.x0))
        return y & x0

    def _apply_to_start(self, usable: np.ndarray) -> Any:
        x0 = self.b.cast(self.problem.x0, self.stored)
        self.evaluations += 1
        return self._apply(self.problem.lin, self._only(usable, x0), "lin")

    def _start(self, product: Any, usable: np.ndarray) -> None:
        b = self.b
        y, x = (self._round(v) for v in (self.problem.y, self.problem.x0))
        r = b.sub(y, b.cast(product, self.working))
        self.arithmetic = self._arithmetic(y, x, r)
        scales = self._find_scales(r, x)
        self.scale = None if all(scale == 1 for scale in scales) else self._column(scales)
        self.y, x, r = (v if self.scale is None else b.div(v, self.scale) for v in (y, x, r))
        r = self._round(r)
        self.s = State(x=x, r=r, z=r, d=r)
        self.fresh = np.ones(self.batch, bool)
        self.lost = self._find_lost()
        y2, residual2 = self._squares(self.y), self._residual_squares()
        self.watches = [Watch(y2[i], self.problem.limits[i], self.arithmetic, scales[i]) for i in range(self.batch)]
        for i, watch in enumerate(self.watches):
            self.status[i] = watch.start(residual2[i]) if usable[i] else Status.NON_FINITE
        ended = (Status.CONVERGED, Status.NON_FINITE)
        homogeneous = np.array([y2[i] == 0 and self.status[i] not in ended for i in range(self.batch)], bool)
        self._start_at_zero(homogeneous)
        self.best_x, self.best_r = self.s.x, self.s.r

    def _start_at_zero(self, homogeneous: np.ndarray) -> None:
        """Keeps the first state; then y = 0 gets its solution, so that there is no need to search for it."""
        s = self.s
        for i in np.flatnonzero(homogeneous):
            self.status[i] = Status.RUNNING
        self._keep()
        if not homogeneous.any():
            return
        s.x = self._choose(homogeneous, self.b.zeros_like(s.x), s.x)
        self._recompute(homogeneous)
        residual2 = self._residual_squares()
        for i in np.flatnonzero(homogeneous):
            self.status[i] = self.watches[i].start(residual2[i])
        if Status.RUNNING not in self.status:
            self._keep()

    def _find_scales(self, r: Any, x: Any) -> list[float]:
        if self.stored.precision is None:
            return [1] * self.batch
        largest = (self.b.numpy(self.b.max(self.b.abs(self._round(v)), axis=1)).tolist() for v in (r, x))
        return [choose_scale(self.stored.precision, *values) for values in zip(*largest, strict=True)]

    def _column(self, values: list[float]) -> Any:
        column = self.b.as_tensor(np.array(values)[:, None])
        return self.b.cast(column, DType(float, self.working.precision or 64))

    def _find_lost(self) -> np.ndarray:
        """Norms of what is missing from y because it was too small to be scaled."""
        if self.scale is None:
            return np.zeros(self.batch)
        return norms(self.b, self.b.sub(self._round(self.problem.y), self.b.mul(self.y, self.scale)))

    def _squares(self, vectors: Any) -> list[Any]:
        """Squared norms, exact on SymPy, else float64 without under- and overflow in the vectors' own type."""
        if self.stored.kind is object:
            return self._scalars(self.space.dot(vectors, vectors))
        return [square(float(norm)) for norm in norms(self.b, vectors)]

    def _residual_squares(self) -> list[Any]:
        """Of residuals that have to meet the tolerance before and after they are rounded for the caller."""
        squares = self._squares(self.s.r)
        if self.scale is None:
            return squares
        held = norms(self.b, self._held(self.s.r))
        return [max(a, square(float(norm), lost)) for a, norm, lost in zip(squares, held, self.lost, strict=True)]

    # --- the caller's units -----------------------------------------------------------------------------------------

    def _leave(self, vectors: Any) -> Any:
        """New vectors in the caller's units and type: infinite where they do not fit, rounded where too small."""
        return self.b.copy(self.b.cast(vectors if self.scale is None else self.b.mul(vectors, self.scale), self.stored))

    def _held(self, vectors: Any) -> Any:
        """The vectors as the caller gets them."""
        if self.scale is None:
            return vectors
        return self.b.div(self.b.cast(self._leave(vectors), self.working), self.scale)

    def _fits(self, vectors: Any) -> np.ndarray:
        """In which examples the caller's type holds the numbers."""
        if self.stored.kind is object:
            return np.ones(self.batch, bool)
        return self.b.numpy(self.b.all(self.b.isfinite(self._held(vectors)), axis=1))

    # --- steps ------------------------------------------------------------------------------------------------------

    def _step(self) -> None:
        b, s, space = self.b, self.s, self.space
        running = np.array([status is Status.RUNNING for status in self.status])
        self._restart(running & self.fresh)
        s.d = self._only(running, s.d)
        s.q = self._round(self._matrix_times(s.d))
        self.evaluations += running
        s.curvature = space.dot(s.d, s.q)
        alpha = space.divide(self.method.numerator(space, s), s.curvature)
        claims = self._look_ahead(running, alpha)
        able = running & [claim is None for claim in claims]
        alpha = self._only(able, alpha)
        r = self._round(b.sub(s.r, b.mul(alpha, s.q)))
        residual2 = space.dot(r, r)
        x = self._round(b.add(s.x, b.mul(alpha, s.d)))
        moved = self._look_back(able, claims, residual2, self._fits(x))
        s.x = self._choose(moved, x, s.x)
        s.r, s.residual2 = self._choose(moved, r, s.r), self._choose(moved, residual2, s.residual2)
        self.fresh = np.array([claim is not None for claim in claims])
        if (running & ~self.fresh).any():
            s.z = self._precondition(s.r)
            s.d = self._round(b.add(s.z, b.mul(self.method.beta(space, s), s.d)))
        if self.fresh.any():
            self._verify(claims)

    def _look_ahead(self, running: np.ndarray, alpha: Any) -> list[Status | None]:
        """What stands against the steps that are about to be made."""
        s = self.s
        plain = self.problem.preconditioner is None
        length2 = self._scalars(s.residual2 if plain else self.space.dot(s.d, s.d))
        curvature, step = self._scalars(s.curvature), self._scalars(alpha)
        claims: list[Status | None] = [None] * self.batch
        for i in np.flatnonzero(running):
            claims[i] = self.watches[i].curvature(curvature[i], length2[i])
            if claims[i] is None and step[i] == 0:
                claims[i] = Status.BREAKDOWN
        return claims

    def _look_back(self, able: np.ndarray, claims: list[Status | None], residual2: Any, fits: np.ndarray) -> np.ndarray:
        """Adds what the new residuals and solutions mean to `claims`; returns which examples make the step."""
        moved = able.copy()
        squares = self._scalars(residual2)
        for i in np.flatnonzero(able):
            if fits[i] and is_finite(squares[i]):
                claims[i] = self.watches[i].after_step(squares[i])
            else:
                claims[i], moved[i] = Status.NON_FINITE, False
        return moved

    def _restart(self, start: np.ndarray) -> None:
        """Makes the residual the direction of the examples that start, or start again after a refused claim."""
        if not start.any():
            return
        s = self.s
        old = State(**vars(s))
        s.z = self._precondition(s.r)
        s.residual2 = self.space.dot(s.r, s.r)
        s.rho = r_dot_z(self.space, s)
        s.d = s.z
        if old.rho is not None:
            s.residual2 = self._choose(start, s.residual2, old.residual2)
            s.rho, s.d = self._choose(start, s.rho, old.rho), self._choose(start, s.d, old.d)

    def _verify(self, claims: list[Status | None]) -> None:
        """Recomputes the residuals of the examples with a claim, and decides."""
        s = self.s
        s.x = self._choose(self.fresh, self._held(s.x), s.x)
        self._recompute(self.fresh)
        residual2 = self._residual_squares()
        noise2 = self._find_noise()
        better, worse = np.zeros(self.batch, bool), np.zeros(self.batch, bool)
        for i, claim in enumerate(claims):
            if claim is None:
                continue
            watch = self.watches[i]
            self.status[i] = watch.verify(claim, residual2[i], noise2[i])
            better[i], worse[i] = watch.improved, watch.falls_back
        self.best_x, self.best_r = self._choose(better, s.x, self.best_x), self._choose(better, s.r, self.best_r)
        s.x, s.r = self._choose(worse, self.best_x, s.x), self._choose(worse, self.best_r, s.r)

    def _find_noise(self) -> list[float]:
        """For `Watch.verify`; applies A only if an example is suspected to be singular."""
        if not self.arithmetic.eps:
            return [0.0] * self.batch
        sizes = norms(self.b, self.s.x)
        suspects = np.zeros(self.batch, bool)
        for i in np.flatnonzero(self.fresh):
            suspects[i] = self.watches[i].suspects(float(sizes[i]))
        if not suspects.any():
            return [0.0] * self.batch
        self.evaluations += suspects
        factors = self.b.cast(self.b.as_tensor(scatter(self.size, np.float64)), self.working)
        product = self._matrix_times(self._only(suspects, self._round(self.b.mul(self.s.x, factors))))
        return [square(float(norm)) for norm in norms(self.b, product)]

    def _recompute(self, flags: np.ndarray) -> None:
        """Replaces the recursion's residual by y - A·x."""
        s = self.s
        residual = self.b.sub(self.y, self._matrix_times(self._only(flags, s.x)))
        s.r = self._choose(flags, self._round(residual), s.r)
        self.evaluations += flags

    def _keep(self) -> None:
        b, s = self.b, self.s
        state = SolveResult.from_status(
            b, self.name, self._leave(s.x), self._leave(s.r),
            [watch.iterations for watch in self.watches],
            self.evaluations.tolist(),
            self.status,
            [watch.message(status) for watch, status in zip(self.watches, self.status, strict=True)],
        )  # fmt: skip
        if not self.record:
            self.states.clear()
        self.states.append(state)
        stop = self.problem.limits[0].stop if self.problem.limits else None
        if stop is not None and Status.RUNNING in self.status:
            stop.ask(self.callback, state)
