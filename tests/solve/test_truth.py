"""What a status claims holds when it is checked from outside, in a wider precision."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from backbench import NUMPY, Status, precision

METHODS = st.sampled_from(["CG", "CG-adaptive", "auto"])


def spd(seed: int, size: int, log_condition: float) -> np.ndarray:
    rng = np.random.default_rng(seed)
    Q = np.linalg.qr(rng.standard_normal((size, size)))[0]
    A = Q * np.logspace(0, log_condition, size) @ Q.T
    return (A + A.T) / 2


@settings(deadline=None, max_examples=100)
@given(
    METHODS,
    st.sampled_from([16, 32, 64]),
    st.integers(0, 10**6),
    st.integers(1, 25),
    st.floats(0, 4),
    st.floats(-9, -0.5),
    st.booleans(),
)
def test_converged_means_that_the_residual_is_small(method, bits, seed, size, log_condition, log_rtol, sparse):
    rng = np.random.default_rng(seed)
    stored = f"float{bits}"
    A = spd(seed, size, log_condition).astype(stored)
    y = rng.standard_normal((3, size)).astype(stored)
    x0 = rng.standard_normal((3, size)).astype(stored)
    lin = sp.csr_array(A.astype(np.float64)) if sparse else A
    with precision(bits):
        result = NUMPY.linear_solve(method, lin, y, x0, 10**log_rtol, 0, 400, False)
    assert result.x.dtype == stored
    wide_A, wide_y, wide_x = (v.astype(np.longdouble) for v in (A, y, result.x))
    norm = np.linalg.norm((wide_y - wide_x @ wide_A.T).astype(np.float64), axis=1)
    tolerance = 10**log_rtol * np.linalg.norm(y.astype(np.float64), axis=1)
    # Only float64 is checked in its own precision; it may be off by its rounding errors.
    slack = 1e-15 * np.linalg.norm(A.astype(np.float64), 2) * np.linalg.norm(result.x.astype(np.float64), axis=1)
    assert (norm[result.converged] <= (tolerance * (1 + 1e-6) + 10 * slack)[result.converged]).all()
    for i, status in enumerate(result.status):
        assert result.converged[i] == status.converged and result.diverged[i] == status.diverged
        if log_condition < np.log10(1 / np.finfo(stored).eps) - 1:
            assert not status.diverged, "a definite system of moderate condition"
        if log_rtol > np.log10(np.finfo(stored).eps) + log_condition + 1.5:
            assert status in (Status.CONVERGED, Status.MAX_ITERATIONS)


@settings(deadline=None, max_examples=25)
@given(METHODS, st.sampled_from([16, 32, 64]), st.integers(0, 10**6), st.integers(2, 20))
def test_the_reported_residual_belongs_to_the_reported_solution(method, bits, seed, size):
    A = spd(seed, size, 2).astype(f"float{bits}")
    y = np.random.default_rng(seed).standard_normal((2, size)).astype(A.dtype)
    for max_iter in (0, 1, 2, 200):
        with precision(bits):
            result = NUMPY.linear_solve(method, A, y, np.zeros_like(y), 0, 0, max_iter, False)
        x, matrix = result.x.astype(np.float64), A.astype(np.float64)
        expected = y.astype(np.float64) - x @ matrix.T
        rounding = (
            4 * np.finfo(A.dtype).eps * np.abs(expected)
            + size * 1e-15 * (np.abs(x) @ np.abs(matrix))
            + 1e-7 * (bits == 16)
        )
        assert (np.abs(result.residual - expected) <= rounding).all()


@pytest.mark.parametrize("bits", [16, 32, 64])
def test_stagnation_names_both_accuracies(method, given_as, definite, bits):
    A = definite(40).astype(f"float{bits}")
    y = np.ones((1, 40), A.dtype)
    with precision(bits):
        result = NUMPY.linear_solve(method, given_as(A), y, np.zeros_like(y), 1e-30, 0, 5000, False)
    assert result.status == [Status.STAGNATED]
    assert not result.converged.any() and not result.diverged.any()
    assert result.iterations[0] < 500
    assert f"precision of float{bits}" in result.message[0] and "attainable" in result.message[0]
    eps = np.finfo(A.dtype).eps
    assert np.linalg.norm(result.residual.astype(float)) < 20 * eps * np.linalg.norm(y.astype(float))


def test_a_tolerance_of_zero_is_met_where_arithmetic_is_exact(method, given_as):
    with precision(64):
        result = NUMPY.linear_solve(method, given_as(np.diag([2.0, 2.0])), [[2.0, 6.0]], [[0.0, 0]], 0, 0, 10, False)
    assert result.status == [Status.CONVERGED]
    np.testing.assert_array_equal(result.x, [[1, 3]])


def test_a_refused_claim_is_followed_by_refinement(method, poisson):
    """The recursion alone would end at 1.4e-12 and call it 1e-12."""
    A = poisson(32)
    y = np.random.default_rng(0).standard_normal((1, A.shape[0]))
    with precision(64):
        result = NUMPY.linear_solve(method, A, y, np.zeros_like(y), 1e-13, 0, 2000, False)
    assert result.status == [Status.CONVERGED]
    assert np.linalg.norm(y[0] - A @ result.x[0]) <= 1.001e-13 * np.linalg.norm(y)


def test_the_start_is_not_written_to(method, given_as, definite):
    y, x0 = np.ones((2, 9)), np.full((2, 9), 0.5)
    A = definite(9)
    keep = A.copy()
    with precision(64):
        NUMPY.linear_solve(method, given_as(A), y, x0, 1e-9, 0, 100, False)
        NUMPY.linear_solve(method, given_as(A), y[:1], x0[:1], 1e-9, 0, 100, False)
    assert (x0 == 0.5).all() and (y == 1).all() and np.array_equal(A, keep)


@pytest.mark.parametrize("bits, dtype", [(16, "float16"), (32, "float32"), (64, "float64"), (None, "float64")])
def test_results_have_the_current_precision(method, given_as, definite, bits, dtype):
    with precision(bits):
        y = np.ones((1, 4), np.float32)
        result = NUMPY.linear_solve(method, given_as(definite(4)), y, np.zeros((1, 4)), 1e-2, 0, 50, False)
    assert result.x.dtype == result.residual.dtype == dtype
    assert result.iterations.dtype == result.function_evaluations.dtype == np.int32
    assert result.converged.dtype == result.diverged.dtype == np.bool_
