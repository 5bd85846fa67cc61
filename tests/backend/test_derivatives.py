"""Jacobians, Hessians, custom gradients and tapes against known derivatives, on every library."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

from backbench import SYMPY, UnsupportedOperation, precision

X, Y = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[5.0, 6.0], [7.0, 8.0]])


@pytest.fixture(autouse=True)
def _double():
    with precision(64):
        yield


def cubes(b):
    return lambda x, y: b.sum(b.mul(b.mul(x, x), b.mul(x, y)), -1)


def test_jacobians_of_several_arguments(backend):
    f = lambda x, y: (backend.mul(backend.sin(x), backend.sum(y)), x)  # noqa: E731
    value, rest, by_x, by_y = backend.jacobian(f, (0, 1), True)([1.0, 2.0], [3.0, 5.0, 7.0])
    np.testing.assert_allclose(backend.numpy(value), 15 * np.sin([1, 2]))
    assert backend.numpy(rest).tolist() == [1, 2]
    np.testing.assert_allclose(backend.numpy(by_x), np.diag(15 * np.cos([1, 2])), atol=1e-8)
    np.testing.assert_allclose(backend.numpy(by_y), np.outer(np.sin([1, 2]), np.ones(3)), atol=1e-8)
    (of_matrix,) = backend.jacobian(lambda x: backend.transpose(x, (1, 0)), (0,), False)(X)
    assert backend.staticshape(of_matrix) == (2, 2, 2, 2)
    np.testing.assert_allclose(backend.numpy(of_matrix), np.einsum("il,jk->ijkl", np.eye(2), np.eye(2)), atol=1e-8)


def test_hessians_for_each_example(backend):
    loss, by_x, by_y, H = backend.hessian(cubes(backend), (0, 1), True, True)(X, Y)
    np.testing.assert_allclose(backend.numpy(loss), np.sum(X**3 * Y, -1))
    np.testing.assert_allclose(backend.numpy(by_x), 3 * X**2 * Y, rtol=1e-8)
    np.testing.assert_allclose(backend.numpy(by_y), X**3, rtol=1e-8)
    of_each = lambda rows: np.array([np.diag(row) for row in rows])  # noqa: E731
    for i, j, expected in ((0, 0, 6 * X * Y), (0, 1, 3 * X**2), (1, 0, 3 * X**2), (1, 1, 0 * X)):
        np.testing.assert_allclose(backend.numpy(H[i][j]), of_each(expected), rtol=1e-5, atol=1e-5)
    (alone,) = backend.hessian(cubes(backend), (0,), False, False)(X, Y)
    np.testing.assert_allclose(backend.numpy(alone), of_each(6 * X * Y), rtol=1e-5, atol=1e-5)
    with pytest.raises(ValueError, match=r"expected \(batch, ...\)"):
        backend.hessian(cubes(backend), (0,), False, False)(1.0, 2.0)


@pytest.mark.filterwarnings("ignore:The .grad attribute")  # of Dynamo, which hides it where warnings are no errors
def test_compiled_derivatives(backend):
    if not backend.supports("jit_compile"):
        with pytest.raises(UnsupportedOperation, match="jit_compile"):
            backend.jit_compile_grad(cubes(backend), (0,), False)
        return
    x, y = backend.as_tensor(X), backend.as_tensor(Y)
    loss, slope = backend.jit_compile_grad(cubes(backend), (0,), True)(x, y)
    np.testing.assert_allclose(backend.numpy(loss), np.sum(X**3 * Y, -1))
    np.testing.assert_allclose(backend.numpy(slope), 3 * X**2 * Y)
    (H,) = backend.jit_compile_hessian(cubes(backend), (0,), False, False)(x, y)
    np.testing.assert_allclose(backend.numpy(H), [np.diag(row) for row in 6 * X * Y], atol=1e-12)


def test_custom_gradients(backend):
    tenfold = backend.custom_gradient(lambda x: backend.mul(x, x), lambda d: 10 * d)
    assert backend.numpy(tenfold(np.array([3.0]))).tolist() == [9]
    (slope,) = backend.functional_gradient(tenfold, (0,), False)(np.array([1.0, 3.0]))
    assert backend.numpy(slope).tolist() == [10, 10]
    product = backend.custom_gradient(
        lambda x, y: backend.mul(x, y), lambda inputs, outputs, d: (d * inputs[1] * 2, d * outputs[0]), with_inputs=True
    )
    by_x, by_y = backend.functional_gradient(product, (0, 1), False)(np.array([1.0, 3.0]), np.array([2.0, 5.0]))
    assert [backend.numpy(s).tolist() for s in (by_x, by_y)] == [[4, 10], [2, 15]]
    if "functional_gradient" not in backend.approximate:  # it holds within other functions too
        outer = lambda x: backend.sum(backend.mul(3, tenfold(x)))  # noqa: E731
        assert backend.numpy(backend.functional_gradient(outer, (0,), False)(np.array([1.0]))[0]).tolist() == [30]


def test_tapes(backend):
    if not backend.supports("record_gradients"):
        with pytest.raises(UnsupportedOperation, match="record_gradients"):
            backend.record_gradients([])
        return
    x, other = backend.variable([1.0, 2.0]), backend.variable([5.0])
    with backend.record_gradients([x, other], persistent=True):
        y = backend.sum(backend.mul(x, x))
    for _ in range(2):
        by_x, by_other = backend.gradients(y, [x, other], None)
        assert backend.numpy(by_x).tolist() == [2, 4] and backend.numpy(by_other).tolist() == [0]
    assert backend.numpy(backend.gradients(y, [x], backend.as_tensor(3.0))[0]).tolist() == [6, 12]


def test_symbols():
    x, y = sympy.symbols("x y")
    (J,) = SYMPY.jacobian(lambda v: SYMPY.mul(v, v), (0,), False)([x, y])
    assert J.tolist() == [[2 * x, 0], [0, 2 * y]]
    (H,) = SYMPY.hessian(lambda v: SYMPY.sum(SYMPY.pow(v, 3), -1), (0,), False, False)([[x, y]])
    assert H.tolist() == [[[6 * x, 0], [0, 6 * y]]]
