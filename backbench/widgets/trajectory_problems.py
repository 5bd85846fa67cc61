"""What `TrajectoryView` solves: functions of two unknowns with known minima, and a Poisson equation on a grid.

The functions are written with the operators that all libraries share, so that each backend runs, and differentiates,
the same lines. NumPy does not differentiate; it uses the gradients given beside them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from ..backend import NUMPY, Backend, precision
from ..backend.functions import check_takes

Function = Callable[..., Any]
LINEAR = ("CG", "CG-adaptive")
MINIMIZERS = ("GD", "L-BFGS-B", "BFGS", "CG", "Newton-CG")
FIELD_SIZE = 24


@dataclass(frozen=True, eq=False, kw_only=True)
class Problem:
    """What all problems have.

    Attributes:
        name: By which the view knows it.
        label: For people.
        formula: In plain text.
        methods: That can solve it; those of `LINEAR` solve `matrix`·x = `y` where there is a matrix.
        start: First state: two numbers, or one for each unknown of a field.
        matrix: Symmetric positive definite, dense or of scipy.sparse, or None.
        y: Right-hand side, (n,), float64.
        python: What a function of the user's is called in code; empty for the others.
        detail: Added to the label of a run that is kept, where problems of one name differ.
    """

    name: str
    label: str
    formula: str
    methods: tuple[str, ...]
    start: tuple[float, ...]
    matrix: Any = None
    y: np.ndarray | None = None
    python: str = ""
    detail: str = ""

    def is_linear(self, method: str) -> bool:
        """Whether the method solves the linear system, by `linear_solve`; the others minimize."""
        return self.matrix is not None and method in LINEAR


@dataclass(frozen=True, eq=False, kw_only=True)
class Plane(Problem):
    """A function of two unknowns, drawn as contour lines.

    Attributes:
        f: Maps the backend, points (batch, 2) and the parameters to (batch,).
        gradient: Maps the same to (batch, 2), or None where it is not known.
        parameters: Arrays that f depends on; apart from it, so that it is compiled once for all of them.
        domain: x_min, x_max, y_min, y_max of the picture: a square.
        minima: Where it is known to be smallest; empty where that is not known.
        expression: f in Python, of x1 and x2; empty for a function of the user's.
    """

    f: Function
    gradient: Function | None
    domain: tuple[float, float, float, float]
    minima: tuple[tuple[float, float], ...] = ()
    expression: str = ""
    parameters: tuple[np.ndarray, ...] = ()

    def value(self, points: np.ndarray) -> np.ndarray:
        """Values in float64: points (..., 2) -> (...)."""
        with precision(64), np.errstate(all="ignore"):  # what is not finite is not drawn
            # a copy: the function may write into what it gets
            values = np.asarray(self.f(NUMPY, points.reshape(-1, 2).copy(), *self.parameters), np.float64)
        if values.shape != (points.size // 2,):
            raise ValueError(
                f"{self.name}: f(b, x) gave the shape {values.shape} for {points.size // 2} points; "
                "it maps (batch, 2) to (batch,)."
            )
        return values.reshape(points.shape[:-1])

    def excess(self, points: np.ndarray) -> np.ndarray:
        """Values above the smallest one, without the cancellation of that subtraction: (..., 2) -> (...).

        Where the smallest value is not known, f itself.
        """
        if self.matrix is None:
            return self.value(points)  # the known minima of those without a matrix have the value 0
        away = points - np.array(self.minima[0])
        with np.errstate(all="ignore"):
            return 0.5 * np.einsum("...i,ij,...j->...", away, self.matrix, away)

    def slope(self, points: np.ndarray) -> np.ndarray:
        """Norm of the gradient in float64: (batch, 2) -> (batch,); NaN where the gradient is not known."""
        if self.gradient is None:
            return np.full(len(points), math.nan)
        with precision(64), np.errstate(all="ignore"):
            return np.hypot(*np.asarray(self.gradient(NUMPY, points.copy(), *self.parameters), np.float64).T)


@dataclass(frozen=True, eq=False, kw_only=True)
class Field(Problem):
    """A linear system whose unknowns are values on a square grid.

    Attributes:
        size: Grid points along a side.
    """

    size: int


def quadratic(b: Backend, x: Any, A: Any, y: Any) -> Any:
    """½ xᵀA x − yᵀx for each x of a batch (batch, n)."""
    return b.sum(x * (b.linear(b.to_float(A), x) / 2 - b.to_float(y)), axis=1)


def quadratic_gradient(b: Backend, x: Any, A: Any, y: Any) -> Any:
    """A x − y."""
    return b.linear(b.to_float(A), x) - b.to_float(y)


def rosenbrock(b: Backend, x: Any) -> Any:
    """The curved valley of H. H. Rosenbrock (1960), doi 10.1093/comjnl/3.3.175. Minimum 0 at (1, 1)."""
    x1, x2 = x[:, 0], x[:, 1]
    return (1 - x1) ** 2 + 100 * (x2 - x1**2) ** 2


def rosenbrock_gradient(b: Backend, x: Any) -> Any:
    """Derivatives of `rosenbrock`."""
    x1, x2 = x[:, 0], x[:, 1]
    return b.stack([2 * (x1 - 1) - 400 * x1 * (x2 - x1**2), 200 * (x2 - x1**2)], axis=1)


def himmelblau(b: Backend, x: Any) -> Any:
    """Four minima of the value 0. D. M. Himmelblau, Applied Nonlinear Programming, McGraw-Hill (1972)."""
    x1, x2 = x[:, 0], x[:, 1]
    return (x1**2 + x2 - 11) ** 2 + (x1 + x2**2 - 7) ** 2


def himmelblau_gradient(b: Backend, x: Any) -> Any:
    """Derivatives of `himmelblau`."""
    x1, x2 = x[:, 0], x[:, 1]
    first, second = x1**2 + x2 - 11, x1 + x2**2 - 7
    return b.stack([4 * x1 * first + 2 * second, 2 * first + 4 * x2 * second], axis=1)


def beale(b: Backend, x: Any) -> Any:
    """E. M. L. Beale (1958), as problem 5 of Moré, Garbow, Hillstrom (1981), doi 10.1145/355934.355936.

    Minimum 0 at (3, 0.5).
    """
    x1, x2 = x[:, 0], x[:, 1]
    return (1.5 - x1 * (1 - x2)) ** 2 + (2.25 - x1 * (1 - x2**2)) ** 2 + (2.625 - x1 * (1 - x2**3)) ** 2


def beale_gradient(b: Backend, x: Any) -> Any:
    """Derivatives of `beale`."""
    x1, x2 = x[:, 0], x[:, 1]
    r1, r2, r3 = 1.5 - x1 * (1 - x2), 2.25 - x1 * (1 - x2**2), 2.625 - x1 * (1 - x2**3)
    by_x1 = -2 * (r1 * (1 - x2) + r2 * (1 - x2**2) + r3 * (1 - x2**3))
    by_x2 = 2 * x1 * (r1 + 2 * r2 * x2 + 3 * r3 * x2**2)
    return b.stack([by_x1, by_x2], axis=1)


@lru_cache(maxsize=64)
def quadratic_problem(condition: float) -> Plane:
    """A quadratic function whose matrix has the eigenvalues 1 and `condition`, along axes turned by a 3-4-5 triangle.

    Its entries are short decimals, so that floats of all widths and rational numbers mean (almost) the same matrix.

    Example:
        >>> quadratic_problem(10.0).matrix
        array([[ 6.76, -4.32],
               [-4.32,  4.24]])
    """
    k = condition
    A = np.round([[0.64 * k + 0.36, 0.48 - 0.48 * k], [0.48 - 0.48 * k, 0.36 * k + 0.64]], 12)
    y = np.round(A @ [1.0, 0.5], 12)
    return Plane(
        name="quadratic",
        label="Quadratic function",
        formula=f"f(x) = ½ xᵀA x − yᵀx, where A has the eigenvalues 1 and {k:,.10g}",
        methods=(*LINEAR, "GD", "L-BFGS-B", "BFGS"),
        start=(-2.0, 1.5),
        matrix=A,
        y=y,
        f=quadratic,
        gradient=quadratic_gradient,
        parameters=(A, y),
        domain=(-3.0, 3.0, -3.0, 3.0),
        minima=(_solution(A, y),),
        expression=_quadratic_text(A, y),
        detail=f", condition {k:g}",
    )


def _quadratic_text(A: np.ndarray, y: np.ndarray) -> str:
    (a, b), (_, c) = A.tolist()
    p, q = y.tolist()
    return f"({a!r} * x1**2 + {c!r} * x2**2) / 2 + {b!r} * x1 * x2 - {p!r} * x1 - {q!r} * x2".replace("- -", "+ ")


def _solution(A: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """A⁻¹y of two unknowns, rounded once."""
    (a, b), (_, c) = [[Fraction(float(entry)) for entry in row] for row in A]
    p, q = (Fraction(float(entry)) for entry in y)
    return float((c * p - b * q) / (a * c - b * b)), float((a * q - b * p) / (a * c - b * b))


@lru_cache(maxsize=1)
def poisson_problem() -> Field:
    """−Δu = g on the unit square with u = 0 on its border: five-point differences, multiplied by the squared spacing.

    g is a narrow source and a broad sink, so that u has both signs.

    Example:
        >>> poisson_problem().matrix.shape
        (576, 576)
    """
    from scipy import sparse

    n = FIELD_SIZE
    second = sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(n, n))
    one = sparse.eye_array(n)
    A = (sparse.kron(second, one) + sparse.kron(one, second)).tocsr()
    spacing = 1 / (n + 1)
    across, up = np.meshgrid(*[spacing * np.arange(1, n + 1)] * 2)
    source = 120 * np.exp(-((across - 0.3) ** 2 + (up - 0.65) ** 2) / (2 * 0.06**2))
    sink = 45 * np.exp(-((across - 0.68) ** 2 + (up - 0.36) ** 2) / (2 * 0.11**2))
    return Field(
        name="poisson",
        label="Poisson equation",
        formula=f"−Δu = g on a grid of {n} × {n} points, u = 0 on the border",
        methods=LINEAR,
        start=(0.0,) * n**2,
        matrix=A,
        y=spacing**2 * (source - sink).ravel(),
        size=n,
    )


_ROSENBROCK = Plane(
    name="rosenbrock",
    label="Rosenbrock’s valley",
    formula="f(x) = (1 − x₁)² + 100 (x₂ − x₁²)²",
    methods=MINIMIZERS,
    start=(-1.2, 1.0),  # Rosenbrock's own
    f=rosenbrock,
    gradient=rosenbrock_gradient,
    domain=(-2.0, 2.0, -1.0, 3.0),
    minima=((1.0, 1.0),),
    expression="(1 - x1) ** 2 + 100 * (x2 - x1**2) ** 2",
)
_HIMMELBLAU = Plane(
    name="himmelblau",
    label="Himmelblau’s four minima",
    formula="f(x) = (x₁² + x₂ − 11)² + (x₁ + x₂² − 7)²",
    methods=MINIMIZERS,
    start=(-0.5, -1.0),
    f=himmelblau,
    gradient=himmelblau_gradient,
    domain=(-5.0, 5.0, -5.0, 5.0),
    minima=(
        (3.0, 2.0),
        (-2.8051180869527448, 3.1313125182505730),
        (-3.7793102533777469, -3.2831859912861694),
        (3.5844283403304917, -1.8481265269644036),
    ),
    expression="(x1**2 + x2 - 11) ** 2 + (x1 + x2**2 - 7) ** 2",
)
_BEALE = Plane(
    name="beale",
    label="Beale’s function",
    formula="f(x) = (1.5 − x₁(1 − x₂))² + (2.25 − x₁(1 − x₂²))² + (2.625 − x₁(1 − x₂³))²",
    methods=MINIMIZERS,
    start=(1.0, 1.0),  # as in Moré, Garbow, Hillstrom
    f=beale,
    gradient=beale_gradient,
    domain=(-1.0, 4.0, -2.5, 2.5),
    minima=((3.0, 0.5),),
    expression="(1.5 - x1 * (1 - x2)) ** 2 + (2.25 - x1 * (1 - x2**2)) ** 2 + (2.625 - x1 * (1 - x2**3)) ** 2",
)

PROBLEMS: dict[str, Callable[[float], Problem]] = {
    "quadratic": quadratic_problem,
    "rosenbrock": lambda condition: _ROSENBROCK,
    "himmelblau": lambda condition: _HIMMELBLAU,
    "beale": lambda condition: _BEALE,
    "poisson": lambda condition: poisson_problem(),
}
"""How to make the problem of a name; only the quadratic function has a condition number."""

LABELS = {
    "quadratic": "Quadratic function",
    "rosenbrock": _ROSENBROCK.label,
    "himmelblau": _HIMMELBLAU.label,
    "beale": _BEALE.label,
    "poisson": "Poisson equation",
}


def own_problem(
    f: Function,
    gradient: Function | None,
    start: tuple[float, float],
    domain: tuple[float, float, float, float] | None,
) -> Plane:
    """A function of the user's as a problem.

    Args:
        f: Maps the backend and points (batch, 2) to (batch,).
        gradient: Maps the same to (batch, 2). Without it libraries differentiate f; NumPy takes differences.
        start: First state.
        domain: x_min, x_max, y_min, y_max of the picture; by default 2.5 to all sides of the start.

    Raises:
        ValueError: The domain is none.
        TypeError: The functions do not take (b, x).
    """
    check_takes("TrajectoryView", f, 1)
    if gradient is not None:
        check_takes("TrajectoryView, gradient", gradient, 1)
    name = getattr(f, "__name__", "f").replace("<lambda>", "f")
    x, y = start
    try:
        box = tuple(map(float, domain)) if domain is not None else (x - 2.5, x + 2.5, y - 2.5, y + 2.5)
    except (TypeError, ValueError):
        box = ()
    if len(box) != 4 or not all(map(math.isfinite, box)) or box[0] >= box[1] or box[2] >= box[3]:
        raise ValueError(f"TrajectoryView: domain is {domain!r:.80}, expected (x_min, x_max, y_min, y_max).")
    return Plane(
        name=name if name not in PROBLEMS else f"own {name}",
        label=f"Your function {name}",
        formula=f"{name}(x), your own function",
        methods=MINIMIZERS,
        start=start,
        f=f,
        gradient=gradient,
        domain=(box[0], box[1], box[2], box[3]),
        python=name if name.isidentifier() else "f",
    )
