"""Matrices with known behaviour."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import scipy.sparse as sp


@pytest.fixture(scope="session")
def poisson() -> Callable[[int], sp.csr_array]:
    def build(grid: int) -> sp.csr_array:
        ones = np.ones(grid)
        line = sp.diags_array([-ones[1:], 2 * ones, -ones[1:]], offsets=[-1, 0, 1])
        identity = sp.eye_array(grid)
        return sp.csr_array(sp.kron(identity, line) + sp.kron(line, identity))

    return build


@pytest.fixture(scope="session")
def definite() -> Callable[..., np.ndarray]:
    """Dense Hermitian positive definite matrices (n, n) with condition numbers below 100."""

    def build(size: int, seed: int = 0, is_complex: bool = False) -> np.ndarray:
        rng = np.random.default_rng(seed)
        G = rng.standard_normal((size, size))
        if is_complex:
            G = G + 1j * rng.standard_normal((size, size))
        return G @ G.conj().T / size + 0.25 * np.eye(size)

    return build


@pytest.fixture(params=["CG", "CG-adaptive"])
def method(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(params=["matrix", "callable"])
def given_as(request: pytest.FixtureRequest) -> Callable[[np.ndarray], object]:
    """The two ways to give one dense matrix, which take different paths on NumPy."""
    return (lambda A: A) if request.param == "matrix" else rowwise


def rowwise(A: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """A callable that rounds alike for any batch, which `x @ A.T` does not: BLAS orders sums by the shape."""
    A = np.asarray(A)

    def lin(x: np.ndarray) -> np.ndarray:
        with np.errstate(all="ignore"):
            return np.sum(A * x[:, None, :], axis=-1)

    return lin


@pytest.fixture(name="rowwise", scope="session")
def rowwise_fixture() -> Callable[[np.ndarray], Callable[[np.ndarray], np.ndarray]]:
    return rowwise
