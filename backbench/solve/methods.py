"""The conjugate gradient methods, each written once for all paths of the solver.

With the residual r = y - A·x, z = M·r (M: preconditioner; without one z is r) and the direction d = z at the start,
every step is

    q = A·d,   alpha = numerator / (d·q),   x += alpha d,   r -= alpha q,   z = M·r,   d = z + beta d

and the methods differ in `numerator` and `beta` alone. In exact arithmetic they agree; in floats 'CG-adaptive' takes
both from the vectors at hand, so that errors of earlier steps are not carried along in a scalar.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol


class Space(Protocol):
    """The operations on vectors and scalars that a method needs; a vector may be a batch of vectors."""

    def dot(self, u: Any, v: Any) -> Any:
        """Real part of the inner product, conjugating `u`."""

    def divide(self, numerator: Any, denominator: Any) -> Any:
        """Quotient of scalars; examples that have ended may have the denominator 0."""


@dataclass
class State:
    """The vectors and scalars of a recursion."""

    x: Any
    r: Any
    z: Any  # the same object as r without a preconditioner
    d: Any
    q: Any = None
    residual2: Any = None  # r·r
    rho: Any = None  # r·z
    curvature: Any = None  # d·q
    x_bound: float = 0  # of the norm of x, from above
    d_bound: float = 0  # of the norm of d


@dataclass(frozen=True)
class Method:
    """The two scalars in which the methods differ.

    Attributes:
        numerator: Of the step length, from the state that the step starts from.
        beta: Share of the old direction in the new one, from the state after the step. May update `State.rho`.
    """

    numerator: Callable[[Space, State], Any]
    beta: Callable[[Space, State], Any]


def r_dot_z(space: Space, s: State) -> Any:
    """The value of `State.rho` for the vectors at hand."""
    return s.residual2 if s.z is s.r else space.dot(s.r, s.z)


def _cg_numerator(space: Space, s: State) -> Any:
    return s.rho


def _cg_beta(space: Space, s: State) -> Any:
    before, s.rho = s.rho, r_dot_z(space, s)
    return space.divide(s.rho, before)


def _adaptive_numerator(space: Space, s: State) -> Any:
    return space.dot(s.d, s.r)


def _adaptive_beta(space: Space, s: State) -> Any:
    return space.divide(space.dot(s.q, s.z), -s.curvature)


METHODS = {
    # J. R. Shewchuk, "An introduction to the conjugate gradient method without the agonizing pain", 1994
    "CG": Method(_cg_numerator, _cg_beta),
    # M. R. Hestenes, E. Stiefel, "Methods of conjugate gradients for solving linear systems", 1952,
    # doi 10.6028/jres.049.044, formulas (3:2) there
    "CG-adaptive": Method(_adaptive_numerator, _adaptive_beta),
}
AUTO = "CG-adaptive"


def find_method(name: str) -> tuple[str, Method]:
    """The name that results carry and the method.

    Raises:
        NotImplementedError: For an unknown name, naming the known ones.
    """
    chosen = AUTO if isinstance(name, str) and name == "auto" else name
    if not isinstance(chosen, str) or chosen not in METHODS:
        known = ", ".join(map(repr, ["auto", *METHODS]))
        raise NotImplementedError(f"linear_solve has no method {name!r}. Known methods: {known}.")
    return chosen, METHODS[chosen]
