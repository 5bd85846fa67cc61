"""Explicit matrices of the NumPy path: applied to one vector at a time."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

# DIA stores whole diagonals. Up to this multiple of the non-zeros it is still the faster format.
_DIAGONAL_FILL = 1.5
_BLOCK_ROWS = 256


class Matrix:
    """A dense or sparse matrix (n, n) in a working precision.

    Args:
        matrix: ndarray or scipy.sparse matrix.
        stored: Type that the values are rounded to, float16 included.
        working: Type to compute in, the same as `stored` except that it is float32 for float16, which has neither BLAS
            nor sparse matrices.
    """

    def __init__(self, matrix: Any, stored: np.dtype, working: np.dtype) -> None:
        self.sparse = not isinstance(matrix, np.ndarray)
        self.wide_type = np.result_type(working, np.float64)
        if self.sparse:
            csr = matrix.tocsr()
            if stored != working:
                csr = csr.astype(working)  # a copy: the caller's values stay as they are
                csr.data = csr.data.astype(stored).astype(working)
            self.matrix = _by_diagonals(csr.astype(working, copy=False))
        else:
            # C order whatever the caller's: the order of summation must not depend on how a batch was laid out.
            rounded = matrix.astype(stored, copy=False)
            self.matrix = np.ascontiguousarray(rounded, working)
        self.identical = self.wide_type == working

    def apply(self, vector: np.ndarray) -> np.ndarray:
        """A·vector as a new array."""
        return self.matrix @ vector

    def residual(self, y: np.ndarray, x: np.ndarray) -> np.ndarray:
        """The difference y - A·x in float64 or complex128.

        In the working precision it would carry the rounding errors of A·x, which near a solution are as large as the
        difference itself.
        """
        wide_x = x.astype(self.wide_type, copy=False)
        if self.sparse or self.identical:
            return y - self._wide @ wide_x
        product = np.empty(len(y), self.wide_type)
        for start in range(0, len(y), _BLOCK_ROWS):  # a copy of the whole matrix would double or triple the memory
            rows = slice(start, start + _BLOCK_ROWS)
            product[rows] = self.matrix[rows].astype(self.wide_type) @ wide_x
        return y - product

    @cached_property
    def _wide(self) -> Any:
        return self.matrix.astype(self.wide_type, copy=False)


def _by_diagonals(csr: Any) -> Any:
    """The matrix in DIA format where that is worth it: without column indices to read it is 1.4 times as fast."""
    size = csr.shape[0]
    rows = np.repeat(np.arange(size), np.diff(csr.indptr))
    diagonals = np.count_nonzero(np.bincount(csr.indices - rows + size))
    return csr.todia() if diagonals * size <= _DIAGONAL_FILL * csr.nnz else csr
