"""On SymPy the same methods run in rational numbers."""

import time
from fractions import Fraction

import numpy as np
import pytest
import sympy

from backbench import SYMPY, Status, Trajectory, exact

A = exact([[4, 1], [1, 3]])


def hilbert(size):
    return exact(np.array([[Fraction(1, i + j + 1) for j in range(size)] for i in range(size)], dtype=object))


@pytest.mark.parametrize("given_as", ["matrix", "callable", "list"])
def test_two_unknowns_take_two_steps_and_leave_nothing(method, given_as):
    lin = {"matrix": A, "callable": lambda x: x @ A.T, "list": [A]}[given_as]
    trajectory = SYMPY.linear_solve(method, lin, exact([[1, 2]]), exact([[2, 1]]), 0, 0, 50, True)
    assert isinstance(trajectory, Trajectory) and len(trajectory) == 3
    assert trajectory[1].x.tolist() == [[sympy.Rational(78, 331), sympy.Rational(112, 331)]]
    assert trajectory[2].x.tolist() == [[sympy.Rational(1, 11), sympy.Rational(7, 11)]]
    assert trajectory[2].residual.tolist() == [[0, 0]]
    assert trajectory[2].status == [Status.CONVERGED]
    assert trajectory.iterations.tolist() == [[0], [1], [2]]
    assert trajectory.residual_norm[0, 0] == pytest.approx(float(sympy.sqrt(73)))


@pytest.mark.parametrize("size", [1, 3, 5])
def test_at_most_n_steps_whatever_the_condition(method, size):
    y = exact([[1] * size, [Fraction(1, 3)] * size])
    result = SYMPY.linear_solve(method, hilbert(size), y, 0 * y, 0, 0, 50, False)
    assert all(value.is_Rational for value in result.x.flat)
    assert (result.residual == 0).all()
    assert max(result.iterations) <= size
    assert result.converged.all() and not result.diverged.any()
    assert ((result.x @ hilbert(size)) == y).all()


def test_a_zero_right_hand_side(method):
    result = SYMPY.linear_solve(method, A, exact([[0, 0], [1, 2]]), exact([[1, 1], [0, 0]]), 0, 0, 50, False)
    assert result.x.tolist() == [[0, 0], [sympy.Rational(1, 11), sympy.Rational(7, 11)]]
    assert [int(n) for n in result.iterations] == [0, 2]


def test_tolerances_are_compared_exactly(method):
    """With y = (10, 0) and rtol = 0.1 the tolerance is 1, which the start meets exactly, not by a hair less."""
    identity, y = exact([[1, 0], [0, 1]]), exact([[10, 0]])
    on_the_edge, beyond = exact([[9, 0]]), exact([[9 - Fraction(1, 10**30), 0]])
    met = SYMPY.linear_solve(method, identity, y, on_the_edge, 0.1, 0, 50, False)
    missed = SYMPY.linear_solve(method, identity, y, beyond, 0.1, 0, 50, False)
    assert [int(n) for n in (*met.iterations, *missed.iterations)] == [0, 1]


@pytest.mark.parametrize("rtol", [0.5, sympy.Rational(1, 2), Fraction(1, 2)])
def test_a_tolerance_ends_early(method, rtol):
    y = exact([[1, 2, 3]])
    result = SYMPY.linear_solve(method, hilbert(3), y, 0 * y, rtol, 0, 50, False)
    assert result.status == [Status.CONVERGED] and int(result.iterations[0]) < 3
    assert sum(r**2 for r in result.residual[0]) <= sympy.Rational(1, 4) * 14


def test_breakdown_and_limits(method):
    y = exact([[1, 0]])
    singular = SYMPY.linear_solve(method, exact([[1, 1], [1, 1]]), y, 0 * y, 0, 0, 50, False)
    assert singular.status == [Status.BREAKDOWN] and singular.diverged.all()
    limited = SYMPY.linear_solve(method, A, y, 0 * y, 0, 0, 1, False)
    assert limited.status == [Status.MAX_ITERATIONS]
    undefined = SYMPY.linear_solve(
        method, A, np.array([[sympy.nan, 0], [1, 2]], object), exact([[0, 0]] * 2), 0, 0, 9, False
    )
    assert undefined.status == [Status.NON_FINITE, Status.CONVERGED]


def test_floats_on_sympy_stagnate_at_their_precision(method):
    y = SYMPY.as_tensor([[0.1, 0.7, 0.3]])
    result = SYMPY.linear_solve(
        method, SYMPY.as_tensor([[4.1, 1, 0], [1, 3.3, 1], [0, 1, 2.7]]), y, 0 * y, 0, 0, 99, False
    )
    assert result.status[0] in (Status.STAGNATED, Status.CONVERGED)
    assert max(abs(float(r)) for r in result.residual.flat) < 1e-15


@pytest.mark.parametrize("where", ["lin", "y"])
def test_symbols_are_named(method, where):
    a = sympy.Symbol("a")
    lin = np.array([[a, 0], [0, 1]], object) if where == "lin" else A
    y = np.array([[a if where == "y" else 1, 1]], object)
    with pytest.raises(ValueError, match=r"symbols a.*subs"):
        SYMPY.linear_solve(method, lin, y, exact([[0, 0]]), 0, 0, 50, False)


@pytest.mark.parametrize("entry", [sympy.pi, sympy.sqrt(2), 1 + sympy.I, sympy.exp(1), sympy.log(3) / 7], ids=str)
@pytest.mark.parametrize("where", ["lin", "y", "x0", "preconditioner", "callable"])
def test_numbers_that_cannot_be_compared_quickly_are_named_at_once(method, where, entry):
    arrays = {name: exact([[1, 0], [0, 3]]) for name in ("lin", "preconditioner")}
    arrays |= {name: exact([[1, 2]]) for name in ("y", "x0")}
    if where == "callable":
        factor, arrays["lin"], name = entry, lambda x: x * factor, "lin"
    else:
        arrays[where][0, 0], name = entry, where
    A, y, x0, M = (arrays[key] for key in ("lin", "y", "x0", "preconditioner"))
    start = time.perf_counter()
    with pytest.raises(ValueError, match=rf"sympy: {name} has the entry .*evalf\(\).*backbench\.exact\(\)"):
        SYMPY.linear_solve(method, A, y, x0, 0, 0, 10, False, preconditioner=M)
    assert time.perf_counter() - start < 5


def test_irrational_numbers_as_floats_are_solved_in_time(method):
    A = np.array([[sympy.pi.evalf(), 0], [0, 3]], object)
    y = np.array([[sympy.sqrt(2).evalf(), 2]], object)
    result = SYMPY.linear_solve(method, A, y, exact([[0, 0]]), 0, 0, 10, False, time_limit=5)
    assert [float(x) for x in result.x[0]] == pytest.approx([2**0.5 / np.pi, 2 / 3])
    assert result.status[0] in (Status.CONVERGED, Status.STAGNATED)


def test_an_irrational_tolerance_counts_as_its_float(method):
    y = exact([[1, 2]])
    result = SYMPY.linear_solve(method, A, y, 0 * y, sympy.sqrt(2) / 2, 0, 50, False)
    assert result.status == [Status.CONVERGED] and int(result.iterations[0]) == 1


@pytest.mark.parametrize("call", ["linear_solve", "conjugate_gradient", "conjugate_gradient_adaptive"])
@pytest.mark.parametrize("given_as", ["matrix", "callable"])
def test_exact_solutions_while_expressions_are_built_as_written(call, given_as):
    with sympy.evaluate(False):
        name = ("CG",) if call == "linear_solve" else ()
        lin = A if given_as == "matrix" else lambda x: x @ A
        result = getattr(SYMPY, call)(*name, lin, [[1, 2]], [[0, 0]], 0, 0, 50, False)
        assert (sympy.Symbol("a") * 1).args != ()  # it is still off afterwards
    assert result.status == [Status.CONVERGED]
    assert result.x.tolist() == [[sympy.Rational(1, 11), sympy.Rational(7, 11)]]


def test_the_table_and_the_figure_take_rationals(method):
    trajectory = SYMPY.linear_solve(method, A, exact([[1, 2]]), exact([[2, 1]]), 0, 0, 50, True)
    assert trajectory.to_dataframe().residual_norm.tolist()[-1] == 0
    assert "exactly 0" in trajectory.plot().axes[0].get_legend_handles_labels()[1]
