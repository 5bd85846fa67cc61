"""Convolution, Fourier transforms and values on grids against SciPy, on every library and precision."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import ndimage, signal

from backbench import NUMPY, DType, precision

TOLERANCE = {16: 2e-2, 32: 2e-5, 64: 1e-12}
KERNELS = [((7,), (3,)), ((7,), (4,)), ((5, 6), (3, 2)), ((4, 5, 3), (2, 3, 1))]


@pytest.fixture(params=[16, 32, 64])
def bits(request):
    with precision(request.param):
        yield request.param


def drawn(*shape):
    return np.random.default_rng(0).normal(size=shape)


def correlated(value, kernel, zero_padding):
    """The same by scipy.signal.correlate, one channel after the other."""
    size = kernel.shape[3:]
    margins = [(k // 2, (k - 1) // 2) if zero_padding else (0, 0) for k in size]
    value = np.pad(value, [(0, 0), (0, 0), *margins])
    return np.array(
        [
            [
                sum(
                    signal.correlate(value[b, i], kernel[b % len(kernel), o, i], "valid") for i in range(value.shape[1])
                )
                for o in range(kernel.shape[1])
            ]
            for b in range(len(value))
        ]
    )


@pytest.mark.parametrize("zero_padding", [True, False])
@pytest.mark.parametrize("batch", [1, 2])
@pytest.mark.parametrize(("shape", "size"), KERNELS)
def test_convolution(backend, bits, shape, size, batch, zero_padding):
    value, kernel = drawn(2, 3, *shape), drawn(batch, 4, 3, *size)
    result = backend.conv(value, kernel, zero_padding)
    tolerance = 10 * TOLERANCE[bits]
    np.testing.assert_allclose(backend.numpy(result), correlated(value, kernel, zero_padding), tolerance, tolerance)
    assert backend.dtype(result) == DType(float, bits)


def test_convolution_of_other_numbers(backend):
    value, kernel = (5 * drawn(2, 3, 5, 4)).astype(int), (5 * drawn(1, 2, 3, 2, 3)).astype(int)
    whole = backend.conv(value, kernel)
    np.testing.assert_array_equal(backend.numpy(whole), correlated(value, kernel, True))
    assert backend.dtype(whole) == DType(int, 64)
    with precision(64):
        complex_value = value + 2j * value
        result = backend.conv(complex_value, kernel.astype(float))
        np.testing.assert_allclose(backend.numpy(result), correlated(complex_value, kernel, True))
        shared = backend.conv(value[:1].astype(float), np.concatenate([kernel, -kernel]).astype(float))
        np.testing.assert_allclose(backend.numpy(shared[1]), -backend.numpy(shared[0]))


@pytest.mark.parametrize(
    ("value", "kernel"),
    [((2, 3, 5), (1, 4, 2, 3)), ((2, 3, 5), (3, 4, 3, 3)), ((2, 3), (1, 4, 3)), ((2, 3, 5), (1, 4, 3, 0))],
)
def test_shapes_that_do_not_convolve_are_named(backend, value, kernel):
    with pytest.raises(ValueError, match=rf"{backend.name}.conv: shapes .* do not fit"):
        backend.conv(np.ones(value), np.ones(kernel))


def test_a_kernel_that_is_larger_than_the_value(backend):
    with pytest.raises(ValueError, match="larger than the value"):
        backend.conv(np.ones((1, 1, 2)), np.ones((1, 1, 1, 3)), zero_padding=False)


def test_fourier_transforms(backend, bits):
    x = drawn(3, 4, 5).astype(f"float{bits}")
    for axes in ((0,), (-1,), (0, 2), (1, -3), ()):
        k = backend.fft(x, axes)
        tolerance = 1e-12 if bits == 64 else 1e-4
        expected = np.fft.fftn(x.astype(float), axes=axes) if axes else x
        np.testing.assert_allclose(backend.numpy(k), expected, tolerance, tolerance)
        np.testing.assert_allclose(backend.numpy(backend.ifft(k, axes)), x, tolerance, tolerance)
        assert backend.dtype(k) == backend.complex_type == backend.dtype(backend.ifft(k, axes))
    with pytest.raises(ValueError, match="axes are"):
        backend.fft(x, (3,))


@pytest.mark.parametrize(
    ("extrapolation", "mode"),
    [
        ("zeros", "grid-constant"),
        ("boundary", "nearest"),
        ("periodic", "grid-wrap"),
        ("symmetric", "reflect"),
        ("reflect", "mirror"),
    ],
)
def test_sampling_is_that_of_scipy(backend, bits, extrapolation, mode):
    grid, coordinates = drawn(2, 5, 4, 3), np.random.default_rng(1).uniform(-7, 9, (2, 11, 2))
    rounded = coordinates.astype(f"float{bits}").astype(float)
    expected = [
        np.stack([ndimage.map_coordinates(grid[b, ..., c], rounded[b].T, order=1, mode=mode) for c in range(3)], -1)
        for b in range(2)
    ]
    result = backend.grid_sample(grid, coordinates, extrapolation)
    np.testing.assert_allclose(backend.numpy(result), expected, rtol=20 * TOLERANCE[bits], atol=20 * TOLERANCE[bits])
    assert backend.dtype(result) == DType(float, bits)
    one = backend.grid_sample(grid[:1], coordinates, extrapolation)
    assert backend.staticshape(one) == (2, 11, 3)


def test_sampling_inside_at_the_edge_and_nowhere(backend):
    grid = [[[10.0], [20.0], [40.0]]]
    with precision(64):
        inside = [[[0.5], [0.0], [2.0], [1.25]]]
        for extrapolation in ("undefined", "zeros", "boundary", "periodic", "symmetric", "reflect"):
            values = backend.numpy(backend.grid_sample(grid, inside, extrapolation))[0, :, 0]
            np.testing.assert_allclose(values, [15, 10, 40, 25])
        outside = backend.grid_sample(grid, [[[np.nan], [np.inf], [-np.inf]]], "boundary")
        np.testing.assert_array_equal(backend.numpy(outside)[0, :, 0], [np.nan, 40, 10])
        assert backend.numpy(backend.grid_sample([[[7.0]]], [[[5.0], [-2.5]]], "reflect"))[0, :, 0].tolist() == [7, 7]
    with pytest.raises(ValueError, match="extrapolation is 'wrap'"):
        backend.grid_sample(grid, inside, "wrap")
    with pytest.raises(ValueError, match="do not fit"):
        backend.grid_sample(grid, [[[0.5, 1]]], "zeros")


def test_gathering_and_scattering(backend, bits):
    grid, indices = drawn(2, 5, 4, 3), np.random.default_rng(1).integers(0, 4, (2, 6, 2))
    expected = [grid[b][tuple(indices[b].T)] for b in range(2)]
    np.testing.assert_allclose(backend.numpy(backend.batched_gather_nd(grid, indices)), expected, rtol=2e-2)
    for batches in itertools.product((1, 2), repeat=3):
        base, places, values = grid[: batches[0]], indices[: batches[1]], drawn(batches[2], 6, 3)
        for mode in ("add", "update"):
            result = backend.numpy(backend.scatter(base, places, values, mode))
            wanted = NUMPY.scatter(base, places, values, mode)
            assert result.shape == wanted.shape == (max(batches), 5, 4, 3)
            if mode == "add":
                np.testing.assert_allclose(result, wanted, rtol=2e-2, atol=2e-2)


def test_duplicates_and_types_of_scattering(backend):
    zeros = np.zeros((1, 3, 1), int)
    added = backend.scatter(zeros, [[[2], [2], [0]]], [[[1], [5], [7]]], "add")
    assert backend.numpy(added)[0, :, 0].tolist() == [7, 0, 6] and backend.dtype(added).kind is int
    put = backend.scatter(zeros, [[[2]]], [[[1.5]]], "update")
    assert backend.numpy(put)[0, :, 0].tolist() == [0, 0, 1.5]
    one = backend.scatter(np.zeros((2, 3, 2)), [[[1], [2]]], [[[4.0]]], "add")
    assert backend.numpy(one).tolist() == [[[0, 0], [4, 4], [4, 4]]] * 2
    assert zeros.sum() == 0


def test_what_cannot_be_gathered_or_scattered_is_named(backend):
    grid = np.zeros((1, 3, 1))
    for indices in ([[[3]]], [[[-1]]]):
        with pytest.raises(IndexError, match="out of range"):
            backend.batched_gather_nd(grid, indices)
        with pytest.raises(IndexError, match="out of range"):
            backend.scatter(grid, indices, [[[1.0]]], "add")
    with pytest.raises(ValueError, match="mode is 'mean'"):
        backend.scatter(grid, [[[0]]], [[[1.0]]], "mean")
    with pytest.raises(ValueError, match="expected integers"):
        backend.batched_gather_nd(grid, [[[0.5]]])
    with pytest.raises(ValueError, match="values have the shape"):
        backend.scatter(grid, [[[0]]], [1.0], "add")


def test_gradients_of_sampling_and_convolution(backend):
    if backend is NUMPY:
        pytest.skip("compared with its differences here")
    grid, at, kernel = drawn(1, 4, 3, 1), np.array([[[0.3, 1.6], [2.2, 0.4]]]), drawn(1, 1, 1, 2, 2)

    def f(b):
        return lambda g, c, k: b.sum(
            b.grid_sample(b.conv(b.transpose(g, (0, 3, 1, 2)), k)[..., None][0], c, "zeros") ** 2
        )

    with precision(64):
        found = backend.functional_gradient(f(backend), (0, 1, 2), False)(grid, at, kernel)
        expected = NUMPY.functional_gradient(f(NUMPY), (0, 1, 2), False)(grid, at, kernel)
    for slope, wanted in zip(found, expected, strict=True):
        np.testing.assert_allclose(backend.numpy(slope), wanted, rtol=1e-6, atol=1e-7)
