"""Sparse matrices in the library's own format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..features import needs, optional

if TYPE_CHECKING:
    from ..base import Backend
    from .values import Tensor


class Sparse:
    """Construction and inspection of sparse matrices."""

    @optional
    def sparse_coo_tensor(self, indices: tuple | list, values: Any, shape: tuple) -> Tensor:
        """A sparse matrix from coordinates; duplicates add up.

        Args:
            indices: (2, nnz), or a tuple (rows, columns), or (nnz, 2) where nnz is not 2.
            values: (nnz,)
            shape: (rows, columns)

        Raises:
            ValueError: For shapes that do not fit together.
            IndexError: For an index out of range.

        Example:
            >>> b.numpy(b.sparse_coo_tensor([[0, 1, 1], [2, 0, 0]], [1., 2., 3.], (2, 3)))
            array([[0., 0., 1.],
                   [5., 0., 0.]], dtype=float32)
        """
        raise NotImplementedError

    @needs("sparse_coo_tensor")
    def csr_matrix(self: Backend, column_indices: Any, row_pointers: Any, values: Any, shape: tuple) -> Tensor:
        """A sparse matrix from compressed rows; a library that has no such format gets one of coordinates.

        Args:
            column_indices: (nnz,)
            row_pointers: (rows + 1,), where the entries of each row begin, and the number of all.
            values: (nnz,)
            shape: (rows, columns)

        Raises:
            ValueError: For shapes that do not fit together.
            IndexError: For an index out of range.

        Example:
            >>> b.numpy(b.csr_matrix([2, 0], [0, 1, 2], [1., 2.], (2, 3)))
            array([[0., 0., 1.],
                   [2., 0., 0.]], dtype=float32)
        """
        rows = uncompressed(self, "csr_matrix", row_pointers, column_indices, shape[0])
        return self.sparse_coo_tensor((rows, column_indices), values, shape)

    @needs("sparse_coo_tensor")
    def csc_matrix(self: Backend, column_pointers: Any, row_indices: Any, values: Any, shape: tuple) -> Tensor:
        """A sparse matrix from compressed columns; a library that has no such format gets one of coordinates.

        Args:
            column_pointers: (columns + 1,), where the entries of each column begin, and the number of all.
            row_indices: (nnz,)
            values: (nnz,)
            shape: (rows, columns)

        Raises:
            ValueError: For shapes that do not fit together.
            IndexError: For an index out of range.

        Example:
            >>> b.numpy(b.csc_matrix([0, 1, 1, 2], [1, 0], [2., 1.], (2, 3)))
            array([[0., 0., 1.],
                   [2., 0., 0.]], dtype=float32)
        """
        columns = uncompressed(self, "csc_matrix", column_pointers, row_indices, shape[1])
        return self.sparse_coo_tensor((row_indices, columns), values, shape)

    @optional
    def coordinates(self, tensor: Any) -> tuple[tuple[Any, Any], Any]:
        """((row indices, column indices), values) of a sparse matrix, each of shape (nnz,), sorted by rows.

        Raises:
            TypeError: For a dense tensor; `nonzero` is for those.

        Example:
            >>> b.coordinates(b.sparse_coo_tensor([[1, 0], [0, 2]], [2., 1.], (2, 3)))[1]
            array([1., 2.], dtype=float32)
        """
        raise NotImplementedError


def uncompressed(b: Backend, operation: str, pointers: Any, indices: Any, count: int) -> np.ndarray:
    """For each entry the row (column) to which it belongs, from where these begin.

    Raises:
        ValueError: When the pointers are none.
    """
    starts, entries = np.asarray(b.numpy(pointers)), np.shape(b.numpy(indices))[0]
    lengths = np.diff(starts)
    if starts.shape != (count + 1,) or starts[0] != 0 or starts[-1] != entries or (lengths < 0).any():
        raise ValueError(
            f"{b.name}.{operation}: pointers of shape {starts.shape} do not fit {count} lines with {entries} entries: "
            f"expected {count + 1} numbers that grow from 0 to {entries}."
        )
    return np.repeat(np.arange(count), lengths)


def rows_and_columns(b: Backend, indices: Any, values: Any, shape: Any) -> tuple[np.ndarray, np.ndarray]:
    """The coordinates of the entries of a sparse matrix, checked.

    Raises:
        ValueError: For shapes that do not fit together.
        IndexError: For an index out of range.
    """
    if len(shape) != 2:
        raise ValueError(f"{b.name}.sparse_coo_tensor: the shape is {tuple(shape)}, expected (rows, columns).")
    pair = (
        np.stack([b.numpy(b.as_tensor(part)) for part in indices]) if isinstance(indices, tuple) else b.numpy(indices)
    )
    if pair.ndim == 2 and pair.shape[0] != 2 and pair.shape[1] == 2:
        pair = pair.T
    count = tuple(b.staticshape(values))
    if pair.ndim != 2 or pair.shape[0] != 2 or count != (pair.shape[1],) or (pair.size and pair.dtype.kind not in "iu"):
        raise ValueError(
            f"{b.name}.sparse_coo_tensor: indices of shape {pair.shape} and type {pair.dtype} do not fit values of "
            f"shape {count}: expected integers (2, nnz) for (nnz,)."
        )
    if ((pair < 0) | (pair >= np.array(shape)[:, None])).any():
        raise IndexError(f"{b.name}.sparse_coo_tensor: an index is out of range for a matrix of shape {tuple(shape)}.")
    return pair[0].astype(np.int64), pair[1].astype(np.int64)
