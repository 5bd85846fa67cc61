"""Gradients on NumPy: by differences, or exact where a function brings its own."""

from __future__ import annotations

import numpy as np
import pytest

from backbench import NUMPY, precision, with_gradient


def rosenbrock(x):
    return NUMPY.sum(100 * (x[..., 1:] - x[..., :-1] ** 2) ** 2 + (1 - x[..., :-1]) ** 2, -1)


def rosenbrock_gradient(x):
    slope = np.zeros_like(x)
    slope[..., :-1] += -400 * x[..., :-1] * (x[..., 1:] - x[..., :-1] ** 2) - 2 * (1 - x[..., :-1])
    slope[..., 1:] += 200 * (x[..., 1:] - x[..., :-1] ** 2)
    return slope


def test_differences_are_computed_in_double_and_given_in_the_precision():
    x = np.array([[-1.2, 1.0, 0.5], [0.3, 2.0, -1.0]])
    for bits, tolerance in [(64, 1e-9), (32, 1e-5)]:
        with precision(bits):
            loss, slope = NUMPY.functional_gradient(rosenbrock, (0,), get_output=True)(x)
        assert slope.dtype == f"float{bits}" and loss.shape == (2,)
        np.testing.assert_allclose(slope, rosenbrock_gradient(x), rtol=tolerance, atol=tolerance)
    assert "functional_gradient" in NUMPY.approximate


def test_outputs_come_first_and_gradients_in_the_order_asked_for():
    def f(x, y):
        return NUMPY.sum(x * y), x + y

    with precision(64):
        result = NUMPY.functional_gradient(f, (1, 0), get_output=True)([1.0, 2.0], [3.0, 5.0])
    assert len(result) == 4
    for found, expected in zip(result, (13, [4, 7], [1, 2], [3, 5]), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-11)


def test_an_exact_gradient_is_used_and_the_function_not_called_for_it():
    calls = []

    def f(x):
        calls.append(x)
        return rosenbrock(x)

    x = np.array([[-1.2, 1.0]])
    with precision(64):
        exact = with_gradient(f, rosenbrock_gradient)
        np.testing.assert_array_equal(exact(x), rosenbrock(x))
        (slope,) = NUMPY.functional_gradient(exact, (0,), get_output=False)(x)
    np.testing.assert_array_equal(slope, rosenbrock_gradient(x))
    assert len(calls) == 1 and exact.__name__ == "f"


def test_gradients_of_the_wrong_number_are_an_error():
    f = with_gradient(lambda x, y: NUMPY.sum(x * y), lambda x, y: y)
    with pytest.raises(ValueError, match="1 tensors for 2 arguments"):
        NUMPY.functional_gradient(f, (0,), get_output=False)([1.0], [2.0])
    with pytest.raises(TypeError, match="complex"):
        NUMPY.functional_gradient(lambda z: NUMPY.abs(z), (0,), get_output=False)(1j)


@pytest.mark.parametrize(
    ("wrt", "error"), [(0, TypeError), ((0.0,), TypeError), ((3,), IndexError), ((-1,), IndexError)]
)
def test_arguments_that_do_not_exist_are_named(wrt, error):
    with pytest.raises(error, match="wrt"):
        NUMPY.functional_gradient(lambda x: NUMPY.sum(x), wrt, get_output=False)([1.0])
