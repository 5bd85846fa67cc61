"""The examples of a batch are independent: of each other's values, tolerances and ends."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.linalg import aslinearoperator

from backbench import NUMPY, precision

TOLERANCES = np.array([1e-1, 1e-3, 1e-5, 1e-8])


def solve(method, lin, y, x0, rtol, max_iter=500, trj=False):
    with precision(64):
        return NUMPY.linear_solve(method, lin, y, x0, rtol, 0, max_iter, trj)


@settings(deadline=None, max_examples=40)
@given(
    st.sampled_from(["CG", "CG-adaptive"]),
    st.sampled_from(["float16", "float32", "float64", "complex64", "complex128"]),
    st.sampled_from(["dense", "fortran", "one per example", "csr", "banded", "list"]),
    st.integers(1, 40),
    st.integers(0, 10**6),
)
def test_with_matrices_an_example_is_the_same_to_the_last_bit_in_any_batch(method, dtype, kind, size, seed):
    rng = np.random.default_rng(seed)
    batch = 5
    G = rng.standard_normal((batch, size, size))
    if dtype.startswith("complex"):
        G = G + 1j * rng.standard_normal((batch, size, size))
    As = (G @ G.conj().swapaxes(1, 2) / size + 0.5 * np.eye(size)).astype(dtype)
    shared = As[0]
    if kind == "banded":
        shared = (np.diag(np.full(size, 3)) - np.eye(size, k=1) - np.eye(size, k=-1)).astype(dtype)
    wide = shared.astype(np.result_type(dtype, np.float32))  # scipy.sparse has no float16
    lin, alone = {
        "dense": (shared, lambda i: shared),
        "fortran": (np.asfortranarray(As), lambda i: As[i : i + 1].copy()),
        "one per example": (As, lambda i: As[i]),
        "csr": (sp.csr_array(wide), lambda i: sp.csr_array(wide)),
        "banded": (sp.csr_array(wide), lambda i: sp.csr_array(wide)),
        "list": (list(As), lambda i: [As[i]]),
    }[kind]
    y = rng.standard_normal((batch, size)).astype(dtype)
    x0 = rng.standard_normal((batch, size)).astype(dtype)
    rtol = 10.0 ** rng.uniform(-6, -1, batch)
    max_iter = rng.integers(0, 60, batch)
    with precision(None):
        together = NUMPY.linear_solve(method, lin, y, x0, rtol, 0, max_iter, False)
        for i in range(batch):
            one = slice(i, i + 1)
            single = NUMPY.linear_solve(method, alone(i), y[one], x0[one], rtol[i], 0, max_iter[i], False)
            for field in ("x", "residual", "iterations", "function_evaluations"):
                a, b = getattr(together, field)[one], getattr(single, field)
                assert a.dtype == b.dtype and a.tobytes() == b.tobytes(), field
            assert together.status[i] == single.status[0] and together.message[i] == single.message[0]


def test_with_callables_an_example_agrees_to_twelve_digits(method, poisson):
    A = poisson(16)
    y = np.random.default_rng(0).standard_normal((4, 256))
    lin = lambda x: (A @ x.T).T  # noqa: E731
    together = solve(method, lin, y, 0 * y, TOLERANCES)
    for i in range(4):
        single = solve(method, lin, y[i : i + 1], 0 * y[:1], TOLERANCES[i])
        np.testing.assert_allclose(together.x[i], single.x[0], rtol=1e-12, atol=1e-12 * np.abs(single.x).max())
        assert abs(int(together.iterations[i]) - int(single.iterations[0])) <= 1


def test_every_example_has_its_own_tolerance(method, poisson):
    """A comparison of (batch, 1) with (batch,) would run all of them to the strictest tolerance."""
    A = poisson(24)
    y = np.tile(np.random.default_rng(0).standard_normal(576), (4, 1))
    for lin in (A, lambda x: (A @ x.T).T):
        iterations = solve(method, lin, y, 0 * y, TOLERANCES).iterations
        alone = [int(solve(method, lin, y[:1], 0 * y[:1], rtol).iterations[0]) for rtol in TOLERANCES]
        assert iterations.tolist() == alone
        assert (np.diff(iterations) > 0).all()


def test_every_example_has_its_own_limit_and_absolute_tolerance(method, given_as, definite):
    y = np.ones((3, 30))
    with precision(64):
        result = NUMPY.linear_solve(method, given_as(definite(30)), y, 0 * y, 0, [1e-1, 1e-4, 1e-9], [99, 99, 5], False)
    assert result.iterations[0] < result.iterations[1]
    assert result.iterations[2] == 5
    assert (np.linalg.norm(result.residual, axis=1)[:2] <= [1e-1, 1e-4]).all()


def test_the_paths_for_matrices_and_callables_agree(method, definite, rowwise):
    A = definite(25)
    y = np.random.default_rng(5).standard_normal((3, 25))
    a, b = (solve(method, lin, y, 0 * y, 1e-9) for lin in (A, rowwise(A)))
    np.testing.assert_allclose(a.x, b.x, rtol=1e-6)
    assert (np.abs(a.iterations - b.iterations) <= 1).all()


def test_a_callable_sees_the_whole_batch_and_ended_examples_as_zeros(method, definite):
    A = definite(20)
    y = np.random.default_rng(2).standard_normal((3, 20))
    seen = []

    def lin(x):
        seen.append(x.copy())
        return x @ A.T

    result = solve(method, lin, y, 0 * y, [0.5, 1e-3, 1e-9])
    assert {x.shape for x in seen} == {(3, 20)}
    assert len(seen) > result.function_evaluations[2] - 1
    assert (seen[-1][0] == 0).all()


@pytest.mark.parametrize("batch", [1, 3])
def test_a_callable_is_called_as_often_as_counted(method, definite, rowwise, batch):
    times_A = rowwise(definite(12))
    y = np.tile(np.arange(1.0, 13), (batch, 1))
    calls = 0

    def lin(x):
        nonlocal calls
        calls += 1
        return times_A(x)

    for rtol, max_iter in ((1e-8, 100), (1e-8, 3), (0.0, 400), (1e-8, 0)):
        calls = 0
        result = solve(method, lin, y, 0 * y, rtol, max_iter)
        assert result.function_evaluations.tolist() == [calls] * batch


@pytest.mark.parametrize(
    "form", ["nested lists", "list of vectors", "coo", "csc", "dia", "matrix class", "integers", "bool"]
)
def test_all_forms_of_input(method, form):
    A, y = np.array([[4.0, 1], [1, 3]]), np.array([[1.0, 2], [5, 0]])
    expected = np.linalg.solve(A, y.T).T
    lin, rhs = {
        "nested lists": ([[4, 1], [1, 3]], [[1, 2], [5, 0]]),
        "list of vectors": (A, [y[0], y[1]]),
        "coo": (sp.coo_array(A), y),
        "csc": (sp.csc_array(A), y),
        "dia": (sp.dia_array(A), y),
        "matrix class": (sp.csr_matrix(A), y),
        "integers": (A.astype(np.int8), y.astype(np.int64)),
        "bool": (np.eye(2, dtype=bool), y),
    }[form]
    expected = y if form == "bool" else expected
    np.testing.assert_allclose(solve(method, lin, rhs, np.zeros((2, 2), np.int32), 1e-12).x, expected, rtol=1e-10)


def test_lists_of_sparse_matrices(method, poisson):
    matrices = [poisson(6) * k for k in (1.0, 2.0, 7.0)]
    y = np.ones((3, 36))
    result = solve(method, matrices, y, 0 * y, 1e-10)
    np.testing.assert_allclose(result.x[0], 7 * result.x[2], rtol=1e-8)
    assert result.converged.all()


def test_an_empty_sparse_matrix(method):
    result = solve(method, sp.csr_array((3, 3)), np.eye(3)[:1], np.zeros((1, 3)), 1e-8)
    assert result.diverged.all()


@pytest.mark.parametrize("batch", [1, 2, 5])
def test_linear_operators_of_scipy(method, definite, batch):
    """Called directly they would take a square batch for a matrix of columns, and solve something else."""
    A = np.diag([1.0, 2.0]) @ definite(2) @ np.diag([1.0, 2.0])
    y = np.random.default_rng(0).standard_normal((batch, 2))
    result = solve(method, aslinearoperator(A), y, 0 * y, 1e-12)
    np.testing.assert_allclose(result.x, np.linalg.solve(A, y.T).T, rtol=1e-9)
