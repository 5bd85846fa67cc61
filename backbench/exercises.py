"""Exercises of the notebooks: each check computes with the answer and says why it is right or wrong."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from numbers import Integral, Real
from typing import Any

import numpy as np

from .backend import NUMPY, default_backend, get_backend, precision, softmax


@dataclass(frozen=True)
class Verdict:
    """What a check found: `right` is None while there is no answer yet."""

    right: bool | None
    reason: str

    @property
    def word(self) -> str:
        """The verdict in words."""
        return {True: "✓ Right", False: "✗ Not yet", None: "… Your turn"}[self.right]

    def __repr__(self) -> str:
        return f"{self.word}. {self.reason}"

    def _repr_html_(self) -> str:
        colour = {True: "#0072b2", False: "#d55e00", None: "#777777"}[self.right]  # Okabe-Ito, and a word beside it
        style = f"border-left: 4px solid {colour}; padding: 0.4em 0.8em"
        return f'<div role="status" style="{style}"><b>{self.word}.</b> {escape(self.reason)}</div>'


def check(exercise: str, answer: Any) -> Verdict:
    """Checks an answer to an exercise of the notebooks.

    Args:
        exercise: Its name, as the notebook gives it.
        answer: A number, matrix or function, as the exercise asks for; `...` while there is none.

    Raises:
        ValueError: For an unknown exercise, listing the known ones.

    Example:
        >>> from backbench.exercises import check
        >>> check('vanishing power', 5)
        ✗ Not yet. 1 + 2**-5 is 1.03125 in float16, which is more than 1.
    """
    if exercise not in _CHECKS:
        raise ValueError(f"Unknown exercise {exercise!r}. Known: {', '.join(_CHECKS)}.")
    if answer is ...:
        return Verdict(None, "Replace the three dots by your answer and run the cell again.")
    return _CHECKS[exercise](answer)


def _vanishing_power(answer: Any) -> Verdict:
    if not isinstance(answer, Integral) or not 0 < int(answer) < 100:
        return Verdict(False, "The answer is a whole number between 1 and 100.")
    answer = int(answer)

    def sum_in_half(n: int) -> float:
        with precision(16):
            return float(NUMPY.add(1.0, 2.0**-n))

    if sum_in_half(answer) > 1:
        return Verdict(False, f"1 + 2**-{answer} is {sum_in_half(answer)} in float16, which is more than 1.")
    if sum_in_half(answer - 1) == 1:
        return Verdict(False, f"2**-{answer} vanishes, but 2**-{answer - 1} does so too: there is a smaller n.")
    reason = "float16 stores 10 bits behind the point: 2**-11 is half of the last one, and the tie goes to 1."
    return Verdict(True, reason)


def _two_steps(answer: Any) -> Verdict:
    sympy_backend = get_backend("sympy")
    try:
        matrix = np.array(answer)
    except ValueError:  # rows of different lengths
        matrix = np.array(None)
    if matrix.dtype.kind not in "iuf" or not np.isfinite(matrix).all():
        return Verdict(False, "The answer is a 3x3 matrix of finite real numbers: a list of three rows.")
    if matrix.shape != (3, 3):
        return Verdict(False, f"The matrix must be 3x3, this one has the shape {matrix.shape}.")
    if not np.array_equal(matrix, matrix.T):
        return Verdict(False, "The matrix is not symmetric: conjugate gradients need A[i][j] = A[j][i].")
    if np.linalg.eigvalsh(matrix).min() <= 0:
        return Verdict(False, "The matrix is not positive definite: it has an eigenvalue that is not above 0.")
    from .backend.sympy_backend import exact

    start, y = exact([[0, 0, 0]]), exact([[1, 2, 3]])
    result = sympy_backend.linear_solve("CG", exact(matrix.tolist()), y, start, 0, 0, 10, False)
    steps = int(result.iterations[0])
    if steps != 2:
        return Verdict(False, f"In exact arithmetic this takes {steps} step{'s' if steps > 1 else ''}.")
    reason = "CG needs one step for each distinct eigenvalue that the right-hand side has a part in: here two."
    return Verdict(True, reason)


def _largest_logit(answer: Any) -> Verdict:
    if not isinstance(answer, Real) or not math.isfinite(answer):
        return Verdict(False, "The answer is a finite number.")
    answer = float(answer)
    limit = math.log(65504)
    if answer > limit + 0.1:
        return Verdict(
            False, f"exp({answer:.6g}) is above 65504, the largest float16: it is inf, and inf / inf is NaN."
        )
    if answer < limit - 0.1:
        return Verdict(
            False, f"The softmax is finite at {answer:.6g}, but also at {answer + 0.1:.6g}: go closer to the limit."
        )
    reason = f"The limit is ln 65504 = {limit:.4f}. In float64 it is ln 1.8e308 = 709.8."
    with precision(16):
        if not np.all(np.isfinite(softmax(NUMPY, [answer, 0.0], formulation="plain"))):
            rounded = float(NUMPY.to_float(answer))
            reason += (
                f" To the last digit: x is rounded to float16 first, yours to {rounded}, and that is just too large."
            )
    return Verdict(True, reason)


def _own_softmax(answer: Any) -> Verdict:
    if not callable(answer):
        return Verdict(False, "The answer is a function of the backend and x.")
    points = ([0.1, 0.2, 0.3], [1e4, 0.0, -1e4], [0.0, -np.inf, -np.inf])
    with precision(64):
        expected = [softmax(NUMPY, x) for x in points]
        for x, right in zip(points, expected, strict=True):
            try:
                result = answer(NUMPY, np.array(x))
            except Exception as error:  # whatever a student's function does wrong is part of the verdict
                return Verdict(False, f"At x = {x} it stops with {type(error).__name__}: {error}")
            if result is None:
                return Verdict(False, "It gives None: is there a return?")
            if np.shape(result) != (3,):
                return Verdict(False, f"For three numbers it gives a result of shape {np.shape(result)}, not (3,).")
            if not np.max(np.abs(result - right)) < 1e-15:
                given, wanted = np.round(result, 4).tolist(), np.round(right, 4).tolist()
                return Verdict(False, f"At x = {x} it gives {given}, right is {wanted}.")
    from .symbolic.trace import compile

    try:
        compiled = compile(answer, {"x": (3,)}).to_python()
    except Exception as error:
        return Verdict(False, f"On numbers it is right, but on symbols it stops with {type(error).__name__}: {error}")
    for x, right in zip(points, expected, strict=True):
        result = compiled(np.array(x))
        if not np.max(np.abs(result - right)) < 1e-15:
            given = np.round(result, 4).tolist()
            return Verdict(False, f"On numbers it is right, but compiled from symbols it gives {given} at x = {x}.")
    return Verdict(True, "Right on numbers and on symbols, for logits far apart and for units that are masked by -inf.")


def _lost_number(answer: Any) -> Verdict:
    if not isinstance(answer, Real) or not 0 < float(answer) < 1:
        return Verdict(False, "The answer is a number between 0 and 1.")
    rest = {}
    for bits in (32, 64):
        with precision(bits):
            rest[bits] = float(NUMPY.sub(NUMPY.add(1.0, float(answer)), 1.0))
    if rest[32] != 0:
        return Verdict(False, f"float32 still has something of it: (1 + x) - 1 is {rest[32]:.4g} there.")
    if rest[64] == 0:
        return Verdict(False, "It is lost in float64 too: x is below half the distance from 1 to the next float64.")
    reason = "float32 rounds 1 + x to 1 up to x = 2**-24 = 6.0e-8, float64 only up to 2**-53 = 1.1e-16."
    return Verdict(True, f"{reason} Of yours, float64 keeps {rest[64]:.17g}.")


def _small_difference(answer: Any) -> Verdict:
    if not callable(answer):
        return Verdict(False, "The answer is a function of the backend and x.")
    from .accuracy import reference, ulp_error
    from .symbolic.trace import compile

    b, x = default_backend(), np.array([1.0, 1e3, 1e6])
    right = reference(compile(lambda b, x: b.sub(b.sqrt(b.add(x, 1)), b.sqrt(x)), {"x": (3,)}), x)
    with precision(32):
        try:
            result = b.numpy(answer(b, b.as_tensor(x)))
        except Exception as error:  # whatever a student's function does wrong is part of the verdict
            return Verdict(False, f"On {b.name} it stops with {type(error).__name__}: {error}")
    if result.shape != (3,):
        return Verdict(False, f"For three numbers it gives a result of shape {result.shape}, not (3,).")
    if result.dtype != np.float32:
        return Verdict(False, f"Its result is {result.dtype}, not float32: compute with the methods of b only.")
    if not np.all(np.isfinite(result)):
        return Verdict(False, f"On {b.name} in float32 it gives {result.tolist()}.")
    errors = ulp_error(result, right)
    worst = int(np.argmax(errors))
    found = f"In float32 on {b.name}, at x = {x[worst]:g}: {result[worst]:.7g} for {float(right[worst]):.7g}"
    if errors[worst] > 4:
        return Verdict(False, f"{found}, which is {errors[worst]:.3g} ulp away.")
    reason = f"No difference of nearly equal numbers is left: the largest error is {errors[worst]:.2g} ulp."
    return Verdict(True, reason)


def _one_step(answer: Any) -> Verdict:
    from .backend.sympy_backend import exact

    start = answer if isinstance(answer, (list, tuple)) else np.asarray(answer).tolist()
    if not isinstance(start, (list, tuple)) or len(start) != 2 or not all(isinstance(x, Real) for x in start):
        return Verdict(False, "The answer is a point: two numbers, such as [1, 0].")
    if not all(math.isfinite(x) for x in start):
        return Verdict(False, "The answer is two finite numbers.")
    A, y = exact([[2, 1], [1, 2]]), exact([[3, 0]])
    result = get_backend("sympy").linear_solve("CG", A, y, exact([list(start)]), 0, 0, 10, False)
    steps = int(result.iterations[0])
    if steps == 0:
        return Verdict(False, "That is the solution itself: no step is left to make.")
    if steps > 1:
        return Verdict(False, f"From {list(start)} it takes {steps} steps in exact arithmetic.")
    reason = "From here the residual is an eigenvector of A: the steepest way down leads straight to the minimum."
    return Verdict(True, reason)


def _fewest_bits(answer: Any) -> Verdict:
    if not isinstance(answer, Integral) or answer not in (16, 32, 64):
        return Verdict(False, "The answer is 16, 32 or 64.")
    n = 32
    A, y = 2 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1), np.sin(7 * np.linspace(0, 1, n))[None]
    ends: dict[int, Any] = {}
    for bits in (16, 32, 64):
        with precision(bits):
            ends[bits] = NUMPY.linear_solve("CG", A, y, np.zeros((1, n)), 1e-4, 0, 500, False)
    if not ends[int(answer)].converged[0]:
        return Verdict(False, f"In float{answer}: {ends[int(answer)].message[0]}")
    if any(ends[bits].converged[0] for bits in (16, 32) if bits < int(answer)):
        return Verdict(False, f"float{answer} reaches it, but fewer bits do too.")
    condition = np.linalg.cond(A)
    products = f"times float16's rounding unit {condition * 2**-11:.2g}, times float32's {condition * 2**-24:.1e}"
    return Verdict(True, f"The condition number is {condition:.0f}; {products}: only the latter is below 1e-4.")


_CHECKS: dict[str, Callable[[Any], Verdict]] = {
    "vanishing power": _vanishing_power,
    "two steps": _two_steps,
    "largest logit": _largest_logit,
    "lost number": _lost_number,
    "small difference": _small_difference,
    "one step": _one_step,
    "fewest bits": _fewest_bits,
    "own softmax": _own_softmax,
}
