"""Products of tensors and signals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..features import optional

if TYPE_CHECKING:
    from .values import Tensor


class LinearAlgebra:
    """Matrix products, convolution and Fourier transforms. float16 is multiplied and added up in float32."""

    @optional
    def matmul(self, A: Any, b: Any) -> Tensor:
        """A matrix times each vector of a batch; the plain matrix product is `tensordot` or `einsum`.

        Args:
            A: (rows, columns), dense or sparse, or one per example (batch, rows, columns).
            b: (batch, columns), or one vector (columns,).

        Returns:
            (batch, rows), or (rows,).

        Example:
            >>> b.matmul([[1, 2], [3, 4]], [[1, 0], [0, 1]])
            array([[1, 3],
                   [2, 4]])
        """
        raise NotImplementedError

    @optional
    def tensordot(self, a: Any, a_axes: tuple | list, b: Any, b_axes: tuple | list) -> Tensor:
        """Sum of products over pairs of axes; the other axes of a come first, then those of b.

        Example:
            >>> b.tensordot([[1, 2], [3, 4]], (1,), [10, 1], (0,))
            array([12, 34])
        """
        raise NotImplementedError

    @optional
    def einsum(self, equation: str, *tensors: Any) -> Tensor:
        """Sum of products by Einstein's convention.

        Example:
            >>> b.einsum('ij,jk->ik', [[1, 2]], [[3], [4]])
            array([[11]])
        """
        raise NotImplementedError

    @optional
    def conv(self, value: Any, kernel: Any, zero_padding: bool = True) -> Tensor:
        """Cross-correlation of (batch, in, spatial...) and (batch, out, in, spatial...) in 1 to 3 dimensions."""
        raise NotImplementedError

    @optional
    def fft(self, x: Any, axes: tuple | list) -> Tensor:
        """Discrete Fourier transform over several axes, complex."""
        raise NotImplementedError

    @optional
    def ifft(self, k: Any, axes: tuple | list) -> Tensor:
        """Inverse of `fft`, complex."""
        raise NotImplementedError

    @optional
    def grid_sample(self, grid: Any, coordinates: Any, extrapolation: str) -> Tensor:
        """Linear interpolation in (batch, spatial..., channel) at (batch, instance..., vector) in index units."""
        raise NotImplementedError
