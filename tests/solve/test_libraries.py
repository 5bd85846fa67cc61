"""Solvers on PyTorch and JAX end as they do on NumPy: the same status, iterations within 1, results to 1e-10."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from backbench import NUMPY, SYMPY, Status, exact, get_backend, precision
from backbench.backend import is_installed

RANDOM = np.random.default_rng(5)
G = RANDOM.standard_normal((6, 6))
SPD = G @ G.T / 6 + np.eye(6)
C = RANDOM.standard_normal((4, 4)) + 1j * RANDOM.standard_normal((4, 4))
LINE = sp.csr_array(sp.diags_array([-np.ones(19), 2 * np.ones(20), -np.ones(19)], offsets=[-1, 0, 1]))
LINEAR = {
    "two unknowns": ([[4, 1], [1, 3]], [[1, 2]]),
    "a batch": (SPD, RANDOM.standard_normal((3, 6))),
    "a matrix for each example": (np.stack([SPD, 2 * SPD + np.eye(6)]), np.ones((2, 6))),
    "a list of matrices": ([SPD, np.diag([1.0, 2, 3, 4, 5, 6])], np.ones((2, 6))),
    "sparse": (LINE, np.sin(np.arange(20.0))[None]),
    "a function": (lambda x: 3 * x, np.ones((2, 4))),
    "one right-hand side is zero": ([[4, 1], [1, 3]], [[0, 0], [1, 2]]),
    "complex Hermitian": (C @ C.conj().T + 4 * np.eye(4), np.ones((1, 4)) + 1j),
    "ill-conditioned": (np.diag(np.logspace(0, 5, 5)), np.ones((1, 5))),
    "singular": (np.diag([1.0, 0.0]), [[1.0, 1.0]]),
    "indefinite": ([[1.0, 2.0], [2.0, 1.0]], [[1.0, -1.0]]),
}


def bowl(b, x, weights):
    return b.sum(b.mul(b.to_float(weights), b.mul(b.sub(x, 1), b.sub(x, 1))), -1)


MINIMIZED = {
    **{
        f"a bowl of condition {c}": (lambda b, x, c=c: bowl(b, x, [1, c]), [[3.0, 2.0], [-1.0, 0.5]])
        for c in (1, 2, 10, 50)
    },
    "three unknowns": (lambda b, x: bowl(b, x, [1, 4, 9]), [[0.0, 0.0, 3.0]]),
    "at the minimum": (lambda b, x: bowl(b, x, [1, 2]), [[1.0, 1.0]]),
    "a quartic": (lambda b, x: b.sum(b.pow(b.sub(x, 1), 4), -1), [[3.0, 0.0]]),
    "x - log x": (lambda b, x: b.sum(b.sub(x, b.log(x)), -1), [[0.05], [3.0]]),
    "a cosine": (lambda b, x: b.sum(b.cos(x), -1), [[2.0, 4.0]]),
    "not finite": (lambda b, x: b.sum(b.log(x), -1), [[-1.0]]),
}


@pytest.fixture(params=["torch", "jax", "tensorflow"])
def library(request):
    if not is_installed(request.param):
        pytest.skip(f"{request.param} is not installed: pip install 'backbench[{request.param}]'")
    return get_backend(request.param)


@pytest.fixture(autouse=True)
def _double():
    with precision(64):
        yield


def assert_alike(b, result, expected):
    assert result.status == expected.status
    assert np.abs(b.numpy(result.iterations) - expected.iterations).max() <= 1
    assert b.is_tensor(result.x, only_native=True) and b.dtype(result.x) == NUMPY.dtype(expected.x)
    ended = [status is Status.CONVERGED for status in result.status]
    np.testing.assert_allclose(b.numpy(result.x)[ended], expected.x[ended], rtol=0, atol=1e-10)
    np.testing.assert_allclose(b.numpy(result.residual)[ended], expected.residual[ended], rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("problem", LINEAR)
@pytest.mark.parametrize("method", ["CG", "CG-adaptive"])
def test_linear_systems(library, method, problem):
    A, y = LINEAR[problem]
    result, expected = (
        b.linear_solve(method, A, y, np.zeros_like(y, np.result_type(np.asarray(y), 1.0)), 1e-11, 0, 100, False)
        for b in (library, NUMPY)
    )
    assert_alike(library, result, expected)


@pytest.mark.parametrize("method", ["CG", "CG-adaptive"])
def test_snapshots_of_two_steps(library, method):
    x0 = library.as_tensor([[2.0, 1.0]])
    trajectory = library.linear_solve(method, [[4, 1], [1, 3]], [[1, 2]], x0, [1e-10], [0], [50], True)
    x = [[2, 1], [0.23564954682779457, 0.338368580060423], [1 / 11, 7 / 11]]
    np.testing.assert_allclose(library.numpy(trajectory.x)[:, 0], x, rtol=1e-9)
    residual = [[-8, -3], [-0.2809667673716012, 0.7492447129909365], [0, 0]]
    np.testing.assert_allclose(library.numpy(trajectory.residual)[:, 0], residual, rtol=1e-9, atol=1e-9)
    assert trajectory.iterations.tolist() == [[0], [1], [2]] and library.numpy(x0).tolist() == [[2, 1]]


@pytest.mark.parametrize("problem", MINIMIZED)
def test_gradient_descent(library, problem):
    from backbench import with_gradient

    f, x0 = MINIMIZED[problem]
    reference = get_backend("torch" if is_installed("torch") else "jax")
    derivative = reference.functional_gradient(lambda x: f(reference, x), (0,), False)
    on_numpy = with_gradient(lambda x: f(NUMPY, x), lambda x: reference.numpy(derivative(reference.as_tensor(x))[0]))
    result = library.minimize("GD", lambda x: f(library, x), x0, 1e-9, 400, False)
    expected = NUMPY.minimize("GD", on_numpy, x0, 1e-9, 400, False)
    assert_alike(library, result, expected)


def as_fractions(values):
    """The shortest decimals of floats as exact numbers; functions as they are."""
    if isinstance(values, list) and sp.issparse(values[0]) | isinstance(values[0], np.ndarray):
        return [as_fractions(value) for value in values]
    dense = values.toarray() if sp.issparse(values) else values
    return values if callable(values) else exact(np.asarray(dense).tolist())


@pytest.mark.parametrize("problem", [problem for problem in LINEAR if "complex" not in problem])
@pytest.mark.parametrize("method", ["CG", "CG-adaptive"])
def test_fractions_agree_exactly(method, problem):
    A, y = LINEAR[problem]
    start = np.zeros_like(y, np.result_type(np.asarray(y), 1.0))
    floats = NUMPY.linear_solve(method, A, y, start, 1e-13, 0, 100, False)
    zeros = exact(np.zeros(np.shape(y), int).tolist())
    result = SYMPY.linear_solve(method, as_fractions(A), as_fractions(y), zeros, 0, 0, 100, False)
    unknowns = np.shape(y)[1]
    for i, status in enumerate(floats.status):
        if status is Status.CONVERGED:
            assert result.status[i] is Status.CONVERGED and int(result.iterations[i]) <= unknowns
            assert all(entry == 0 for entry in result.residual[i])
            np.testing.assert_allclose(
                SYMPY.numpy(result.x[i]).astype(start.dtype), floats.x[i], rtol=1e-10, atol=1e-12
            )
        else:
            assert result.status[i] is not Status.CONVERGED
