"""Gradients on NumPy: by differences, or exact where a function brings its own."""

from __future__ import annotations

import numpy as np
import pytest

from backbench import NUMPY, get_backend, precision, with_gradient


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


def test_a_step_against_a_complex_gradient_descends(backend):
    f = lambda z: backend.sum(backend.abs(z - (3 + 4j)) ** 2)  # noqa: E731
    with precision(64):
        loss, slope = backend.functional_gradient(f, (0,), get_output=True)([1 + 1j, 2 - 1j])
        lower = f(backend.sub([1 + 1j, 2 - 1j], backend.mul(0.25, slope)))
        (of_imag,) = backend.functional_gradient(lambda z: backend.imag(z), (0,), get_output=False)([1 + 1j])
    np.testing.assert_allclose(backend.numpy(slope), [-4 - 6j, -2 - 10j], rtol=1e-9)
    np.testing.assert_allclose(backend.numpy(of_imag), [1j], rtol=1e-9)
    np.testing.assert_allclose([float(loss), float(lower)], [39, 9.75], rtol=1e-9)


def test_a_value_that_leaves_the_library_is_told_and_a_constant_has_no_slope(backend):
    if backend is not NUMPY:
        with pytest.raises(TypeError, match=rf"^{backend.name}"):
            backend.functional_gradient(lambda x: NUMPY.sum(x * x), (0,), False)(backend.ones(2))
        with pytest.raises(TypeError, match=rf"^{backend.name}"):
            backend.minimize("BFGS", lambda x: NUMPY.sum((x - 1) ** 2, -1), [[0.0, 3.0]], 1e-6, 50, False)
    (slope,) = backend.functional_gradient(lambda x: backend.sum(backend.ones(2)), (0,), False)([1.0, 2.0])
    assert backend.numpy(slope).tolist() == [0, 0]


def test_gradients_within_inference_mode():
    torch = pytest.importorskip("torch")
    b = get_backend("torch")
    for mode in (torch.inference_mode, torch.no_grad):
        with mode():
            (slope,) = b.functional_gradient(lambda x: b.sum(x * x), (0,), False)(b.as_tensor([1.0, 3.0]))
            assert slope.tolist() == [2, 6]
            assert b.minimize("BFGS", lambda x: b.sum((x - 1) ** 2, -1), [[0.0, 3.0]], 1e-3, 50, False).converged.all()


def test_functions_may_write_into_what_they_get(backend):
    def f(x, y):
        if backend.name != "jax":  # whose arrays nobody can write to
            x += 0
            y -= 1
        return backend.sum(x * x) + backend.sum(y)

    x, y = backend.as_tensor([1.0, 3.0]), backend.as_tensor([1.0])
    total, slope, other = backend.functional_gradient(f, (0, 1), get_output=True)(x, y)
    np.testing.assert_allclose(backend.numpy(slope), [2, 6], rtol=1e-5)
    np.testing.assert_allclose(backend.numpy(other), [1], rtol=1e-5)
    assert (
        float(total) == (11 if backend.name == "jax" else 10)
        and backend.numpy(x).tolist() == [1, 3]
        and backend.numpy(y).tolist() == [1]
    )


@pytest.mark.parametrize("bits", [16, 32, 64])
def test_exact_gradients_have_the_type_of_the_precision(backend, bits):
    f = with_gradient(lambda x: backend.sum(x * x), lambda x: 2 * x)
    with precision(bits):
        _, slope = backend.functional_gradient(f, (0,), get_output=True)(np.array([1.0, 2.0]))
    assert backend.dtype(slope).precision == bits and backend.numpy(slope).tolist() == [2, 4]


def test_whole_numbers_have_no_gradient_and_nothing_asked_for_gives_nothing(backend):
    for f in (lambda x: backend.greater_than(backend.sum(x), 0), lambda x: backend.to_int32(backend.sum(x))):
        with pytest.raises(TypeError, match="jumps"):
            backend.functional_gradient(f, (0,), False)([1.0, 2.0])
    assert backend.functional_gradient(lambda x: backend.sum(x), (), False)([1.0, 2.0]) == ()
    assert [float(y) for y in backend.functional_gradient(lambda x: backend.sum(x), (), True)([1.0, 2.0])] == [3]
    with pytest.raises(TypeError, match="lack a `return`"):
        backend.functional_gradient(lambda x: (), (0,), False)([1.0])
    with pytest.raises(TypeError, match="with_gradient: gradient is None"):
        with_gradient(lambda x: x, None)


def test_loops_that_give_no_values_are_told(backend):
    for loop, values in ((lambda go: None, (True,)), (lambda go: (), (True,)), (lambda go: (go, go), (True,))):
        with pytest.raises(TypeError, match="while_loop: expected a tuple with 1 values"):
            backend.while_loop(loop, values)
    with pytest.raises(TypeError, match="a condition and the values"):
        backend.while_loop(lambda: (), ())


def test_slopes_at_kinks_and_in_the_middle_are_the_same_on_all(backend):
    if backend is NUMPY:
        pytest.skip("differences of functions with kinks are of one side or the other")
    points = [-2.0, 0.0, 0.5]
    expected = {
        "abs": [-1, 0, 1],
        "sign": [0, 0, 0],
        "sigmoid": [0.10499358540350652, 0.25, 0.2350037122015945],
        "softplus": [0.11920292202211755, 0.5, 0.6224593312018546],
        "logsigmoid": [0.8807970779778823, 0.5, 0.3775406687981454],
        "tanh": [0.07065082485316443, 1, 0.7864477329659274],
    }
    with precision(64):
        for name, slopes in expected.items():
            (found,) = backend.functional_gradient(lambda x, name=name: getattr(backend, name)(x), (0,), False)(points)
            np.testing.assert_allclose(backend.numpy(found), slopes, rtol=1e-12, atol=1e-15, err_msg=name)
        for function in (backend.maximum, backend.minimum):
            (found,) = backend.functional_gradient(lambda x, f=function: f(x, 0), (0,), False)([0.0])
            assert backend.numpy(found).tolist() == [0.5]
        result = backend.minimize(
            "BFGS", lambda x: backend.sum(backend.softplus(4 * x) - x, -1), [[0.0]], 1e-8, 99, False
        )
    np.testing.assert_allclose(backend.numpy(result.x), [[-np.log(3) / 4]], rtol=1e-6)


def test_a_complex_loss_is_refused(backend):
    with pytest.raises(TypeError, match=rf"{backend.name}.*loss is complex.*real\(x\)"):
        backend.functional_gradient(lambda z: backend.sum(z), (0,), get_output=False)([1j])


def test_an_exact_gradient_and_its_function_may_write_into_what_they_get():
    def f(x):
        x -= 1
        return np.sum(x**2, -1)

    def slope(x):
        x -= 1
        return 2 * x

    x = np.array([[3.0, 2.0]])
    with precision(64):
        loss, gradient = NUMPY.functional_gradient(with_gradient(f, slope), (0,), get_output=True)(x.copy())
        result = NUMPY.minimize("GD", f, x, 1e-6, 50, False)
        exact = NUMPY.minimize("BFGS", with_gradient(f, slope), x, 1e-6, 50, False)
    assert loss.tolist() == [5] and gradient.tolist() == [[4, 2]] and x.tolist() == [[3, 2]]
    for each in (result, exact):
        np.testing.assert_allclose(each.x, 1, atol=1e-6)
        np.testing.assert_allclose(each.residual, 0, atol=1e-10)


@pytest.mark.parametrize(
    ("wrt", "error"), [(0, TypeError), ((0.0,), TypeError), ((3,), IndexError), ((-1,), IndexError)]
)
def test_arguments_that_do_not_exist_are_named(wrt, error):
    with pytest.raises(error, match="wrt"):
        NUMPY.functional_gradient(lambda x: NUMPY.sum(x), wrt, get_output=False)([1.0])
