"""Sparse matrices in the library's own format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..features import optional

if TYPE_CHECKING:
    from .values import Tensor


class Sparse:
    """Construction and inspection of sparse matrices."""

    @optional
    def sparse_coo_tensor(self, indices: tuple | list, values: Tensor, shape: tuple) -> Tensor:
        """A sparse matrix from coordinates; duplicates add up.

        Args:
            indices: (2, nnz), or a tuple (rows, columns), or (nnz, 2) where nnz is not 2.
            values: (nnz,)
            shape: (rows, columns)
        """
        raise NotImplementedError

    @optional
    def csr_matrix(self, column_indices: Tensor, row_pointers: Tensor, values: Tensor, shape: tuple) -> Tensor:
        """A sparse matrix in compressed rows: (nnz,) column indices and values, (rows + 1,) row pointers."""
        raise NotImplementedError

    @optional
    def csc_matrix(self, column_pointers: Tensor, row_indices: Tensor, values: Tensor, shape: tuple) -> Tensor:
        """A sparse matrix in compressed columns: (columns + 1,) column pointers, (nnz,) row indices and values."""
        raise NotImplementedError

    @optional
    def coordinates(self, tensor: Tensor) -> tuple[tuple[Any, Any], Any]:
        """((row indices, column indices), values) of a sparse matrix, each of shape (nnz,)."""
        raise NotImplementedError
