"""Preconditioners change the way, not the result."""

import numpy as np
import pytest
import scipy.sparse as sp

from backbench import NUMPY, Status, precision


def solve(method, lin, y, preconditioner, **options):
    with precision(options.get("bits", 64)):
        return NUMPY.linear_solve(
            method, lin, y, 0 * y, options.get("rtol", 1e-9), 0, 2000, False, preconditioner=preconditioner
        )


@pytest.fixture
def stiff():
    """Badly scaled, so that the diagonal is a good preconditioner."""
    rng = np.random.default_rng(0)
    scale = np.logspace(0, 3, 60)
    G = rng.standard_normal((60, 60))
    return scale[:, None] * (G @ G.T / 60 + np.eye(60)) * scale


@pytest.mark.parametrize("form", ["dense", "sparse", "callable", "list", "lin is a callable"])
def test_jacobi_saves_iterations(method, stiff, form):
    y = np.random.default_rng(1).standard_normal((2, 60)) * np.logspace(0, 3, 60)
    inverse = 1 / np.diag(stiff)
    lin = (lambda x: x @ stiff.T) if form == "lin is a callable" else stiff
    M = {
        "dense": np.diag(inverse),
        "sparse": sp.diags_array(inverse),
        "list": [np.diag(inverse)] * 2,
        "callable": lambda r: r * inverse,
        "lin is a callable": np.diag(inverse),
    }[form]
    plain, better = (solve(method, lin, y, m) for m in (None, M))
    assert better.converged.all()
    assert (4 * better.iterations < plain.iterations).all()
    np.testing.assert_allclose(better.x, np.linalg.solve(stiff, y.T).T, rtol=1e-5)


def test_the_exact_inverse_needs_one_step(method, definite):
    A = definite(20)
    result = solve(method, A, np.ones((3, 20)), np.linalg.inv(A))
    assert result.iterations.tolist() == [1, 1, 1] and result.converged.all()


def test_a_preconditioner_in_low_precision(method, definite):
    A = definite(20)
    result = solve(method, A, np.ones((1, 20)), np.diag(1 / np.diag(A)), bits=16, rtol=1e-2)
    assert result.x.dtype == np.float16 and result.converged.all()


@pytest.mark.parametrize("M", [np.zeros((20, 20)), np.diag([1.0, -1.0] * 10)])
def test_useless_preconditioners_break_down_or_do_no_harm(method, definite, M):
    result = solve(method, definite(20), np.ones((1, 20)), M)
    assert result.status[0] in (Status.BREAKDOWN, Status.CONVERGED)
    assert np.isfinite(result.x).all()
