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
        """Cross-correlation in 1 to 3 dimensions.

        Args:
            value: (batch, in, spatial...)
            kernel: (batch or 1, out, in, spatial...)
            zero_padding: Margins of zeros, k // 2 before and (k - 1) // 2 behind, so that the result has the size of
                the value. False: only where the kernel fits.

        Returns:
            (batch, out, spatial...)

        Raises:
            ValueError: For shapes that do not fit together.

        Example:
            >>> b.conv([[[1., 2., 4.]]], [[[[1., 1.]]]])
            array([[[1., 3., 6.]]], dtype=float32)
        """
        raise NotImplementedError

    @optional
    def fft(self, x: Any, axes: tuple | list) -> Tensor:
        """Discrete Fourier transform over several axes, complex.

        Example:
            >>> b.fft([1., 0., 0., 0.], (0,))
            array([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j], dtype=complex64)
        """
        raise NotImplementedError

    @optional
    def ifft(self, k: Any, axes: tuple | list) -> Tensor:
        """Inverse of `fft`, complex.

        Example:
            >>> b.ifft([4., 0., 0., 0.], (0,))
            array([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j], dtype=complex64)
        """
        raise NotImplementedError

    @optional
    def grid_sample(self, grid: Any, coordinates: Any, extrapolation: str) -> Tensor:
        """Linear interpolation between the values of a grid.

        Args:
            grid: (batch or 1, spatial..., channel)
            coordinates: (batch or 1, instance..., vector), in units of indices.
            extrapolation: Outside of the grid: 'zeros', 'boundary' (the nearest value), 'periodic', 'symmetric',
                'reflect' (without the outermost value), or 'undefined', here as 'boundary'.

        Returns:
            (batch, instance..., channel)

        Raises:
            ValueError: For an unknown extrapolation, and for shapes that do not fit together.

        Example:
            >>> b.grid_sample([[[10.], [20.]]], [[[0.5], [-3.]]], 'boundary')
            array([[[15.],
                    [10.]]], dtype=float32)
        """
        raise NotImplementedError
