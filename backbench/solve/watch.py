"""Decides when an example has ended. Every path of the solver asks here, so that all mean the same by each status.

The class sees scalars only: floats, or SymPy numbers, on which every comparison is exact. It works on squared norms,
for the root of a rational number is not rational.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from .result import Status

# A residual this much (squared, in units of 1/eps) above its smallest value means a condition number beyond 100/eps:
# ‖r_k‖² ≤ cond(A)·‖r_j‖² for k > j in exact arithmetic, so valid ill-conditioned systems never get there.
FAR_ABOVE = 100.0
# The recursion may stay there for so many iterations before one looks whether the residual is really there.
PATIENCE = 100
# One looks whether A is singular once x is so large (squared) that its rounding errors are suspected to hide y.
SUSPICION = 1e4
# They do hide it from an eighth (squared) of its size: A is singular, or its condition number about 1/eps.
HIDING = 64
# By which (squared) the residual falls where there is progress all the same, as it is known more precisely than x is.
PROGRESS = 100
# How often the residual may fail to halve between two checks. Once can be bad luck close to the attainable accuracy.
STRIKES = 2
# Magnitudes of the first residual between which its square, and the much smaller squares that CG makes of it, neither
# over- nor underflow; and the largest start that scaling may lead to. By the bits of the stored type.
_COMFORT = {16: (2.0**-4, 2.0), 32: (2.0**-24, 2.0**36), 64: (2.0**-200, 2.0**300)}
_LARGEST_START = {16: 2.0**8, 32: 2.0**60, 64: 2.0**500}


def choose_scale(bits: int, residual: float, start: float) -> float:
    """The power of two by which to divide an example; 1 for those of usual size.

    Args:
        bits: Of the stored floating point type.
        residual: Largest magnitude in y - A·x0.
        start: Largest magnitude in x0.
    """
    low, high = _COMFORT[bits]
    if residual == 0 or not math.isfinite(residual) or low <= residual <= high:
        return 1.0
    return 2.0 ** (math.frexp(max(residual, start / _LARGEST_START[bits]))[1] - 1)


def is_finite(value: Any) -> bool:
    """Whether a float or SymPy number is neither NaN nor infinite; `math.isfinite` overflows on long rationals."""
    return bool(value - value == 0)


def scatter(size: int, dtype: Any) -> np.ndarray:
    """Factors (size,) from -1 to 1 that turn a vector out of any null space, always the same: multiples of a ratio."""
    return (2 * np.modf(np.arange(size) * 0.6180339887498949)[0] - 1).astype(dtype)


def square(norm: float, lost: float = 0) -> float:
    """The square of a norm, which is 0 for nothing but 0; a tolerance of 0 must not be met by an underflow.

    Args:
        norm: Of a residual.
        lost: Norm of what the residual lacks because it was too small to be scaled.
    """
    return norm * norm or (math.ulp(0.0) if norm or lost else 0.0)


class Stop:
    """A caller's wish to stop, which the solver looks at after every step."""

    def __init__(self) -> None:
        self.requested = False

    def ask(self, callback: Callable[[Any], object] | None, state: Any) -> None:
        """Shows a state to the caller's callback; StopIteration in it is the wish to stop."""
        if callback is None or self.requested:
            return
        try:
            callback(state)
        except StopIteration:
            self.requested = True


@dataclass(frozen=True)
class Limits:
    """What the caller asked for, for one example."""

    rtol: Any
    atol: Any
    max_iter: int
    deadline: float | None = None
    stop: Stop | None = None

    @property
    def out_of_time(self) -> bool:
        """Whether the time limit has passed."""
        return self.deadline is not None and perf_counter() >= self.deadline


@dataclass(frozen=True)
class Arithmetic:
    """Precision that the vectors of an example are stored in; eps = 0 for exact numbers."""

    eps: Any
    name: str
    tiny: float = 0  # distance of 0 to the next number
    residual_eps: Any = 0  # precision in which y - A·x is recomputed


class Watch:
    """The tests of one example from the start to the verdict.

    The conjugate gradient recursion for the residual drifts away from y - A·x. So the recursion only ever *claims*
    convergence (`after_step`); the claim is accepted or refused by `verify`, which sees the recomputed residual. After
    a refusal the method starts again from the true residual, which is iterative refinement. When that brings no more
    progress the example has stagnated.

    Args:
        y2: Squared norm of the right-hand side.
        limits: Tolerances and limits.
        arithmetic: Precision of the vectors.
        scale: The example is solved for y / scale; only the messages speak of the caller's units.
    """

    __slots__ = (
        "_claim2",
        "_far",
        "_far_above",
        "_positive",
        "_singular",
        "_smallest2",
        "_start2",
        "_strikes",
        "arithmetic",
        "attainable2",
        "best2",
        "falls_back",
        "improved",
        "iterations",
        "limits",
        "norm",
        "residual2",
        "scale",
        "tolerance2",
        "verified2",
        "y2",
    )

    def __init__(self, y2: Any, limits: Limits, arithmetic: Arithmetic, scale: float = 1) -> None:
        relative2, absolute2 = y2 * limits.rtol * limits.rtol, y2 * 0 + (limits.atol / scale) * (limits.atol / scale)
        self.y2 = y2
        self.limits = limits
        self.arithmetic = arithmetic
        self.scale = scale
        # SymPy's nan refuses to be compared.
        self.tolerance2 = absolute2 if is_finite(y2) and absolute2 > relative2 else relative2
        self._claim2: Any = None
        self._far_above = FAR_ABOVE / arithmetic.eps if arithmetic.eps else None
        self._far = 0
        self._positive: bool | None = None
        self._singular = False
        self._smallest2: Any = None
        self._start2: Any = None
        self._strikes = 0
        self.iterations = 0
        self.norm: Any = 0  # of A, from below
        self.residual2: Any = None
        self.verified2: Any = None
        self.attainable2 = 0.0
        self.best2: Any = None  # smallest residual of a state that was checked
        self.improved = self.falls_back = False

    def start(self, residual2: Any) -> Status:
        """The status of the initial state.

        Args:
            residual2: Squared norm of y - A·x0.
        """
        self.residual2 = self.best2 = self._start2 = residual2
        if not is_finite(residual2):
            return Status.NON_FINITE
        self._begin(residual2)
        if residual2 <= self.tolerance2:
            return Status.CONVERGED
        return self._limit() or Status.RUNNING

    def curvature(self, value: Any, length2: Any) -> Status | None:
        """Looks at d·A·d before the step is made; returns what is wrong with it.

        Negative definite matrices are as good as positive ones: with -A and -y the iterates are the same.

        Args:
            value: d·A·d
            length2: Squared norm of the residual, or of d with a preconditioner; value / length2 is at most ‖A‖.
        """
        if not is_finite(value):
            return Status.NON_FINITE
        if self._positive is None:
            self._positive = bool(value > 0)
        if value == 0 or bool(value > 0) != self._positive:
            return Status.BREAKDOWN
        if self.arithmetic.eps and length2 > 0:
            self.norm = max(self.norm, abs(value / length2))
        return None

    def after_step(self, residual2: Any) -> Status | None:
        """Looks at the recursion's residual; returns a claim that `verify` has to decide on, or None to go on."""
        self.iterations += 1
        if residual2 < self._smallest2:
            self._smallest2, self._far = residual2, 0
        elif self._far_above is not None:
            self._far = self._far + 1 if residual2 > self._far_above * self._smallest2 else 0
            if self._far >= PATIENCE:
                return Status.DIVERGED
        if residual2 <= self._claim2:
            return Status.CONVERGED
        return self._limit()

    def suspects(self, x_norm: float) -> bool:
        """Whether x has grown so large that its rounding errors may hide y. Call it before `verify`."""
        eps = float(self.arithmetic.eps)
        spacing = eps * x_norm + self.arithmetic.tiny / self.scale
        attainable = float(self.norm) * spacing + eps * float(self.y2) ** 0.5
        self.attainable2 = attainable * attainable
        return eps > 0 and SUSPICION * self.attainable2 > max(self.y2, self._start2)

    def verify(self, claim: Status, residual2: Any, noise2: float) -> Status:
        """Decides with the recomputed residual. RUNNING means: start again from it.

        Afterwards `improved` says whether this is the best state so far, and `falls_back` whether the example ends with
        that best state instead of this one: the last state of a recursion that failed can be of any size.

        Args:
            claim: What ended the recursion.
            residual2: Squared norm of y - A·x, recomputed for the x that would be returned.
            noise2: Squared norm of A times the scattered x, which tells what A makes of errors as large as x; 0 where
                `suspects` saw no need.
        """
        status = self._judge(claim, residual2, noise2)
        self.improved = is_finite(residual2) and not self._singular and bool(residual2 < self.best2)
        if self.improved:
            self.best2 = residual2
        self.falls_back = not self.improved and (status.diverged or status is Status.STAGNATED)
        self.residual2 = self.best2 if self.falls_back else residual2
        return status

    def _judge(self, claim: Status, residual2: Any, noise2: float) -> Status:
        if not is_finite(residual2):
            return Status.NON_FINITE
        size2 = max(self.y2, self._start2) if noise2 else 0
        hidden = [
            bool(eps and HIDING * noise2 * eps * eps > size2)
            for eps in (self.arithmetic.residual_eps, self.arithmetic.eps)
        ]
        if residual2 <= self.tolerance2 and not hidden[0]:
            return Status.CONVERGED
        if hidden[0] or (hidden[1] and PROGRESS * residual2 > size2):
            self._singular = True
            return Status.DIVERGED
        if claim is Status.BREAKDOWN:
            # Rounding alone, for example an underflow, breaks the recursion where there is nothing left to gain.
            return Status.STAGNATED if self.verified2 is not None or residual2 <= self.attainable2 else claim
        lost = claim is Status.DIVERGED and residual2 <= self._far_above * self._start2  # the recursion, but not x
        if claim is not Status.CONVERGED and not lost:
            return claim
        if self.verified2 is not None and 4 * residual2 > self.verified2:
            self._strikes += 1
        if self.verified2 is None or residual2 < self.verified2:
            self.verified2 = residual2
        if self._strikes >= STRIKES:
            return Status.STAGNATED
        self._begin(residual2)
        return self._limit() or Status.RUNNING

    def _begin(self, residual2: Any) -> None:
        self._smallest2, self._far = residual2, 0
        # Below a fraction of its first size (or of y's, for A·x is as large) the recursion only counts rounding errors,
        # whatever the tolerance: time to look.
        size2 = residual2 if residual2 >= self.y2 else self.y2
        noise2 = size2 * (self.arithmetic.eps / 4) * (self.arithmetic.eps / 4)
        self._claim2 = self.tolerance2 if self.tolerance2 >= noise2 else noise2

    def _limit(self) -> Status | None:
        if self.iterations >= self.limits.max_iter:
            return Status.MAX_ITERATIONS
        if self.limits.stop is not None and self.limits.stop.requested:
            return Status.STOPPED
        return Status.TIME_LIMIT if self.limits.out_of_time else None

    def message(self, status: Status) -> str:
        """The sentence of a status with the numbers of this example, in the caller's units."""
        after = f"after {self.iterations} iteration{'' if self.iterations == 1 else 's'}"
        if status is Status.RUNNING:
            return f"Running {after}."
        if status is Status.NON_FINITE:
            if self.best2 is None or not is_finite(self.best2):
                return "NaN or infinite values at the start, in A, y or x0."
            return f"NaN or infinite values {after}: A is not finite, or x left the range of {self.arithmetic.name}."
        achieved, wanted = self._norm(self.residual2), self._norm(self.tolerance2)
        reached = f"‖y - A·x‖ = {achieved}, {wanted} was asked for"
        if status is Status.CONVERGED:
            return f"Converged {after}: ‖y - A·x‖ = {achieved} is at most {wanted}."
        if status is Status.STAGNATED:
            attainable = self._norm(min(self.attainable2, float(self.residual2)))  # the estimate is an upper bound
            # With less than one digit of y explained, the system may have no solution at all.
            doubt = "; if that does not help, A is singular" if PROGRESS * self.residual2 > self.y2 else ""
            return (
                f"Stagnated at the precision of {self.arithmetic.name} {after}: {reached}, about {attainable} is "
                f"attainable. Raise the precision or the tolerance{doubt}."
            )
        if status is Status.BREAKDOWN:
            why = "d·A·d = 0 or changed its sign, so A (or the preconditioner) is singular or indefinite"
            return f"Broke down {after}: {why}. {reached}."
        if status is Status.DIVERGED and self._singular:
            why = f"x grew until its rounding errors hid y, so A is singular in {self.arithmetic.name}, or nearly so"
            return f"Diverged {after}: {why}. Check A, or raise the precision. With the best x {reached}."
        if status is Status.DIVERGED:
            return f"Diverged {after}: the residual is far above its smallest value and did not recover. {reached}."
        if status is Status.TIME_LIMIT:
            return f"Stopped by the time limit {after}: {reached}."
        if status is Status.STOPPED:
            return f"Stopped by the caller {after}: {reached}."
        return f"Stopped by max_iter {after}: {reached}."

    def _norm(self, square: Any) -> str:
        return f"{float(square) ** 0.5 * self.scale:.3g}"
