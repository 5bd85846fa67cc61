"""Sparse matrices on every library: built from coordinates and compressed, taken apart, and multiplied."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from backbench import precision

RANDOM = np.random.default_rng(0)
DENSE = RANDOM.normal(size=(4, 5)) * (RANDOM.random((4, 5)) < 0.5)
COO, CSR, CSC = sp.coo_array(DENSE), sp.csr_array(DENSE), sp.csc_array(DENSE)
WAYS = {
    "two arrays": lambda b: b.sparse_coo_tensor((COO.row, COO.col), COO.data, DENSE.shape),
    "(2, n)": lambda b: b.sparse_coo_tensor(np.stack([COO.row, COO.col]), COO.data, DENSE.shape),
    "(n, 2)": lambda b: b.sparse_coo_tensor(np.stack([COO.row, COO.col], 1), COO.data, DENSE.shape),
    "rows": lambda b: b.csr_matrix(CSR.indices, CSR.indptr, CSR.data, DENSE.shape),
    "columns": lambda b: b.csc_matrix(CSC.indptr, CSC.indices, CSC.data, DENSE.shape),
}


@pytest.mark.parametrize("bits", [16, 32, 64])
@pytest.mark.parametrize("way", WAYS)
def test_matrices_there_and_back(backend, way, bits):
    with precision(bits):
        matrix = WAYS[way](backend)
        np.testing.assert_allclose(backend.numpy(matrix), DENSE, rtol=1e-3)
        (rows, columns), values = backend.coordinates(matrix)
        expected = CSR.tocoo()
        np.testing.assert_array_equal(backend.numpy(rows), expected.row)
        np.testing.assert_array_equal(backend.numpy(columns), expected.col)
        np.testing.assert_allclose(backend.numpy(values), expected.data, rtol=1e-3)
        x = RANDOM.normal(size=(3, 5))
        for product in (backend.matmul(matrix, x), backend.linear(matrix, x)):
            np.testing.assert_allclose(backend.numpy(product), x @ DENSE.T, rtol=3e-2, atol=3e-2)
            assert backend.dtype(product).precision == bits
        np.testing.assert_allclose(backend.numpy(backend.matmul(matrix, x[0])), DENSE @ x[0], rtol=3e-2, atol=3e-2)


def test_duplicates_add_up_and_nothing_is_a_matrix_too(backend):
    doubled = backend.sparse_coo_tensor([[0, 0, 1], [1, 1, 0]], [1.0, 2.0, 5.0], (2, 2))
    assert backend.numpy(doubled).tolist() == [[0, 3], [5, 0]]
    assert backend.numpy(backend.coordinates(doubled)[1]).tolist() == [3, 5]
    nothing = np.zeros(0, int)
    assert backend.numpy(backend.sparse_coo_tensor((nothing, nothing), np.zeros(0), (2, 3))).tolist() == [[0] * 3] * 2


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda b: b.sparse_coo_tensor([[0], [5]], [1.0], (2, 2)), IndexError, "out of range"),
        (lambda b: b.sparse_coo_tensor([[0], [1]], [1.0, 2.0], (2, 2)), ValueError, "do not fit values"),
        (lambda b: b.sparse_coo_tensor([[0], [1]], [1.0], (2, 2, 2)), ValueError, "rows, columns"),
        (lambda b: b.csr_matrix([0], [0, 2], [1.0], (1, 2)), ValueError, "grow from 0 to 1"),
        (lambda b: b.csc_matrix([0, 1], [0], [1.0], (1, 2)), ValueError, "expected 3 numbers"),
        (lambda b: b.coordinates(np.eye(2)), TypeError, "nonzero"),
    ],
)
def test_what_is_no_sparse_matrix_is_named(backend, call, error, words):
    with pytest.raises(error, match=words):
        call(backend)


@pytest.mark.parametrize("method", ["CG", "CG-adaptive"])
def test_solvers_take_them(backend, method):
    line = sp.diags_array([-np.ones(9), 2 * np.ones(10), -np.ones(9)], offsets=[-1, 0, 1]).tocoo()
    with precision(64):
        matrix = backend.sparse_coo_tensor((line.row, line.col), line.data, (10, 10))
        result = backend.linear_solve(method, matrix, np.ones((1, 10)), np.zeros((1, 10)), 1e-10, 0, 50, False)
    np.testing.assert_allclose(backend.numpy(result.x)[0], np.linalg.solve(line.toarray(), np.ones(10)), rtol=1e-8)
