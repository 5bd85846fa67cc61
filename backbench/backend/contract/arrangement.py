"""Structure: axes, parts and order. Values and types stay as they are, except where tensors are joined."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..features import needs, optional

if TYPE_CHECKING:
    from ..base import Backend
    from .values import Tensor

PAD_MODES = {
    "constant": "constant",
    "boundary": "edge",
    "periodic": "wrap",
    "symmetric": "symmetric",
    "reflect": "reflect",
}
"""Our names of the padding modes and those of NumPy."""


class Arrangement:
    """Reshaping, joining, cutting and indexing."""

    @optional
    def transpose(self, tensor: Any, axes: tuple | list) -> Tensor:
        """Axes in the given order.

        Example:
            >>> b.transpose(b.zeros((1, 2, 3)), (2, 0, 1)).shape
            (3, 1, 2)
        """
        raise NotImplementedError

    @optional
    def stack(self, values: Any, axis: int = 0) -> Tensor:
        """Tensors of one shape along a new axis, in their common type.

        Example:
            >>> b.stack([[1, 2], [3, 4.5]])
            array([[1. , 2. ],
                   [3. , 4.5]], dtype=float32)
        """
        raise NotImplementedError

    @optional
    def concat(self, values: Any, axis: int) -> Tensor:
        """Tensors one after the other along an existing axis, in their common type.

        Example:
            >>> b.concat([[1, 2], [3]], 0)
            array([1, 2, 3])
        """
        raise NotImplementedError

    @optional
    def unstack(self, tensor: Any, axis: int = 0, keepdims: bool = False) -> tuple:
        """The slices along an axis.

        Example:
            >>> b.unstack([[1, 2], [3, 4]], axis=1)
            (array([1, 3]), array([2, 4]))
        """
        raise NotImplementedError

    @optional
    def reshape(self, value: Any, shape: Any) -> Tensor:
        """The same elements in another shape; one size may be -1.

        Example:
            >>> b.reshape(b.range(4), (2, -1))
            array([[0, 1],
                   [2, 3]], dtype=int32)
        """
        raise NotImplementedError

    @needs("reshape")
    def flatten(self: Backend, x: Any) -> Tensor:
        """All elements along one axis.

        Example:
            >>> b.flatten([[1, 2], [3, 4]])
            array([1, 2, 3, 4])
        """
        return self.reshape(x, (-1,))

    @optional
    def flip(self, value: Any, axes: tuple | list) -> Tensor:
        """The order along the axes reversed.

        Example:
            >>> b.flip([1, 2, 3], (0,))
            array([3, 2, 1])
        """
        raise NotImplementedError

    @optional
    def tile(self, value: Any, multiples: tuple | list) -> Tensor:
        """The tensor repeated along its axes; more multiples than axes make new outer axes.

        Example:
            >>> b.tile([1, 2], (2,))
            array([1, 2, 1, 2])
        """
        raise NotImplementedError

    @optional
    def expand_dims(self, a: Any, axis: int = 0, number: int = 1) -> Tensor:
        """`number` new axes of size 1 before the given one; negative axes count from behind the last one.

        Example:
            >>> b.expand_dims([1, 2], -1, 2).shape
            (2, 1, 1)
        """
        raise NotImplementedError

    @optional
    def pad(self, value: Any, pad_width: Any, mode: str = "constant", constant_values: Any = 0) -> Any:
        """The tensor with margins.

        Args:
            value: Any tensor.
            pad_width: [[lower, upper], ...], one pair per axis.
            mode: 'constant', 'boundary' (the outermost value), 'periodic', 'symmetric' or 'reflect' (without the
                outermost value). Margins may be wider than the tensor.
            constant_values: For 'constant'.

        Returns:
            The padded tensor; `NotImplemented` for any other mode.

        Example:
            >>> b.pad([1, 2, 3], [[1, 1]], 'periodic')
            array([3, 1, 2, 3, 1])
        """
        raise NotImplementedError

    @optional
    def multi_slice(self, tensor: Any, slices: tuple) -> Tensor:
        """`tensor[slices]`, each one a slice, an int or an integer tensor of rank 0.

        Example:
            >>> b.multi_slice([[1, 2], [3, 4]], (slice(None), 1))
            array([2, 4])
        """
        raise NotImplementedError

    @optional
    def batch_gather(self, tensor: Any, batches: Any) -> Tensor:
        """The chosen examples (entries of the first axis), an int or a list of ints; the axis stays.

        Example:
            >>> b.batch_gather([[1, 2], [3, 4]], 1)
            array([[3, 4]])
        """
        raise NotImplementedError

    @optional
    def gather(self, x: Any, indices: Any, axis: int = 0) -> Tensor:
        """Entries along an axis by integer indices; the axis is replaced by the axes of the indices.

        Raises:
            IndexError: For indices out of range.

        Example:
            >>> b.gather([10, 20, 30], [2, 0])
            array([30, 10])
        """
        raise NotImplementedError

    @optional
    def boolean_mask(self, x: Any, mask: Any, axis: int = 0) -> Tensor:
        """The entries along an axis for which the 1-D mask is true.

        Example:
            >>> b.boolean_mask([1, 2, 3], [True, False, True])
            array([1, 3])
        """
        raise NotImplementedError

    @optional
    def nonzero(self, values: Any) -> Tensor:
        """Indices of the elements other than 0, shape (nnz, ndim).

        Example:
            >>> b.nonzero([[0, 5], [6, 0]])
            array([[0, 1],
                   [1, 0]])
        """
        raise NotImplementedError

    @optional
    def batched_gather_nd(self, values: Any, indices: Any) -> Tensor:
        """Values of a grid at integer positions.

        Args:
            values: (batch or 1, spatial..., channel)
            indices: Integers (batch or 1, any..., number of spatial axes).

        Returns:
            (batch, any..., channel)

        Raises:
            IndexError: For an index out of range, negative ones included.
            ValueError: For shapes that do not fit together.

        Example:
            >>> b.batched_gather_nd([[[10], [20], [30]]], [[[2], [0]]])
            array([[[30],
                    [10]]])
        """
        raise NotImplementedError

    @optional
    def scatter(self, base_grid: Any, indices: Any, values: Any, mode: str) -> Tensor:
        """A copy of a grid with values put in at integer positions.

        Args:
            base_grid: (batch or 1, spatial..., channels)
            indices: Integers (batch or 1, n, number of spatial axes).
            values: (batch or 1, n or 1, channels or 1)
            mode: 'update' replaces, 'add' accumulates, duplicates too.

        Raises:
            IndexError: For an index out of range, negative ones included.
            ValueError: For an unknown mode, and for shapes that do not fit together.

        Example:
            >>> b.scatter(b.zeros((1, 3, 1)), [[[2], [2]]], [[[1.], [5.]]], 'add')[0, :, 0]
            array([0., 0., 6.], dtype=float32)
        """
        raise NotImplementedError
