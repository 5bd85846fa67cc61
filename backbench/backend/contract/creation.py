"""New tensors. Floats have the current precision unless a type is given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..dtypes import DType
from ..features import optional

if TYPE_CHECKING:
    from .values import Tensor


class Creation:
    """Constants, ranges and random numbers."""

    @optional
    def zeros(self, shape: Any, dtype: DType | None = None) -> Tensor:
        """Zeros.

        Args:
            shape: An int or a sequence of ints.
            dtype: The float type of the current precision when left out.

        Example:
            >>> b.zeros((2,), DType(int, 32))
            array([0, 0], dtype=int32)
        """
        raise NotImplementedError

    @optional
    def ones(self, shape: Any, dtype: DType | None = None) -> Tensor:
        """Ones, see `zeros`.

        Example:
            >>> b.ones(2)
            array([1., 1.], dtype=float32)
        """
        raise NotImplementedError

    @optional
    def zeros_like(self, tensor: Tensor) -> Tensor:
        """Zeros in the shape and type of `tensor`.

        Example:
            >>> b.zeros_like(np.ones(2))
            array([0., 0.])
        """
        raise NotImplementedError

    @optional
    def ones_like(self, tensor: Tensor) -> Tensor:
        """Ones in the shape and type of `tensor`.

        Example:
            >>> b.ones_like([5, 6])
            array([1, 1])
        """
        raise NotImplementedError

    @optional
    def range(self, start: Any, limit: Any = None, delta: Any = 1, dtype: DType = DType(int, 32)) -> Tensor:
        """Numbers from `start` (0 when `limit` is left out) to before `limit` in steps of `delta`, shape (n,).

        Example:
            >>> b.range(3)
            array([0, 1, 2], dtype=int32)
        """
        raise NotImplementedError

    @optional
    def linspace(self, start: Any, stop: Any, number: int) -> Tensor:
        """Equally spaced floats, both ends included, shape (number,).

        Example:
            >>> b.linspace(0, 1, 3)
            array([0. , 0.5, 1. ], dtype=float32)
        """
        raise NotImplementedError

    @optional
    def meshgrid(self, *coordinates: Any) -> list:
        """Grids of 1-D coordinates, the first one along the first axis ('ij' indexing); all of shape (n1, n2, ...).

        Example:
            >>> [x.shape for x in b.meshgrid([1, 2, 3], [4, 5])]
            [(3, 2), (3, 2)]
        """
        raise NotImplementedError

    @optional
    def random_uniform(self, shape: Any, low: Any, high: Any, dtype: DType | None) -> Tensor:
        """Random numbers from `low` (included) to `high` (excluded), integers or floats by `dtype`.

        Example:
            >>> b.seed(0)
            >>> x = b.random_uniform((100,), -1, 1, None)
            >>> bool(np.all((x >= -1) & (x < 1))), x.dtype
            (True, dtype('float32'))
        """
        raise NotImplementedError

    @optional
    def random_normal(self, shape: Any, dtype: DType) -> Tensor:
        """Random numbers of the standard normal distribution.

        Example:
            >>> b.random_normal((2, 3), DType(float, 64)).shape
            (2, 3)
        """
        raise NotImplementedError
