"""Elementwise functions, reductions, structure and products on NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from scipy import sparse, special

from backbench import NUMPY, precision

INF, NAN = np.inf, np.nan
SAME_NAMES = [
    *("sqrt", "exp", "expm1", "log", "log1p", "log2", "log10", "sin", "arcsin", "sinh", "arcsinh", "cos", "arccos"),
    *("cosh", "arccosh", "tan", "arctan", "tanh", "arctanh", "sign", "ceil", "floor", "isfinite", "isnan", "conj"),
]


@pytest.fixture(autouse=True)
def _double():
    with precision(64):
        yield


@pytest.mark.parametrize(
    ("name", "reference"),
    [
        *((name, getattr(np, name)) for name in SAME_NAMES),
        ("round", np.rint),
        ("abs", np.abs),
        ("erf", special.erf),
        ("sigmoid", special.expit),
        ("softplus", lambda x: np.logaddexp(0, x)),
        ("logsigmoid", special.log_expit),
    ],
)
def test_functions_equal_their_reference_and_never_warn(name, reference):
    x = np.array([-1e308, -745.5, -2.5, -0.5, 0.0, 1e-300, 0.5, 1.0, 1.5, 800.0, 1e308, INF, -INF, NAN])
    with np.errstate(all="ignore"):
        expected = reference(x)
    np.testing.assert_allclose(getattr(NUMPY, name)(x), expected, rtol=1e-14, atol=1e-320)


def test_arithmetic_never_warns_for_ieee_results():
    x, y = np.array([1.0, 0.0, -1.0, 1e308]), np.array([0.0, 0.0, 0.0, 1e-308])
    np.testing.assert_array_equal(NUMPY.div(x, y), [INF, NAN, -INF, INF])
    np.testing.assert_array_equal(NUMPY.mul(x, 10)[-1], INF)
    np.testing.assert_array_equal(NUMPY.pow([-8.0, 0.0], [1 / 3, -1]), [NAN, INF])
    np.testing.assert_array_equal(NUMPY.mod(x, y)[:3], [NAN] * 3)
    np.testing.assert_array_equal(NUMPY.cast([1e300], NUMPY.dtype(np.float16(0))), [INF])
    with pytest.raises(ZeroDivisionError, match="floordiv"):
        NUMPY.floordiv([1, 2], [1, 0])


def test_integer_division_rounds_down():
    np.testing.assert_array_equal(NUMPY.floordiv([7, -7], 4), [1, -2])
    np.testing.assert_array_equal(NUMPY.mod([7, -7], 4), [3, 1])
    np.testing.assert_array_equal(NUMPY.mod([7.5, -7.5], 4), [3.5, 0.5])
    np.testing.assert_array_equal(NUMPY.round([0.5, 1.5, -0.5, 2.5]), [0, 2, 0, 2])


def test_choices_do_not_feel_the_other_branch():
    x = np.array([-1.0, 0.0, 1.0, np.e, NAN])
    np.testing.assert_allclose(NUMPY.select(x, 0, 0, NUMPY.log(x)), [0, 0, 0, 1, NAN], rtol=1e-12, atol=1e-15)
    y = NUMPY.add(NUMPY.log(x), NUMPY.pow(NUMPY.log(x), 2))
    np.testing.assert_allclose(NUMPY.select(x, 0, 0, y)[:3], [0, 0, 0])
    assert NUMPY.select(2.0, 0, 0, NUMPY.log(2.0)) == np.log(2)
    np.testing.assert_array_equal(NUMPY.divide_no_nan([1.0, 0.0, -2.0], [0.0, 0.0, 4.0]), [0, 0, -0.5])
    np.testing.assert_array_equal(NUMPY.where([1, 0], [1, 2], NAN), [1, NAN])
    np.testing.assert_array_equal(NUMPY.select([1, -1], 0, 10, 20), [20, 10])
    with pytest.raises(ValueError, match="where"):
        NUMPY.where([True], 1)


@pytest.mark.parametrize(
    ("name", "value"), [("sum", 0.0), ("prod", 1.0), ("mean", NAN), ("std", NAN), ("any", False), ("all", True)]
)
def test_reductions_of_nothing(name, value):
    np.testing.assert_equal(getattr(NUMPY, name)(np.zeros(0)), value)
    np.testing.assert_array_equal(getattr(NUMPY, name)(np.zeros((0, 3)), axis=0), [value] * 3)
    assert getattr(NUMPY, name)(np.zeros((3, 0)), axis=0).shape == (0,)
    np.testing.assert_equal(NUMPY.sum([]), 0.0)


@pytest.mark.parametrize("name", ["max", "min"])
def test_nothing_has_no_extremum(name):
    for x, axis in [(np.zeros(0), None), (np.zeros((0, 3)), 0), (np.zeros((2, 0)), (0, 1))]:
        with pytest.raises(ValueError, match=f"numpy.{name}"):
            getattr(NUMPY, name)(x, axis=axis)
    assert getattr(NUMPY, name)(np.zeros((0, 3)), axis=1).shape == (0,)
    assert np.isnan(getattr(NUMPY, name)([1.0, NAN]))


@pytest.mark.parametrize("name", ["sum", "prod", "mean", "std", "max", "min", "any", "all"])
@given(data=st.data())
def test_reductions_equal_numpy(name, data):
    x = data.draw(arrays(np.float64, array_shapes(max_dims=3, max_side=3), elements=st.floats(-10, 10)))
    axis = data.draw(st.sampled_from([None, 0, -1, tuple(range(x.ndim))]))
    keepdims = data.draw(st.booleans())
    reference = getattr(np, name)(x, axis=axis, keepdims=keepdims)
    result = getattr(NUMPY, name)(x, axis if axis is None or isinstance(axis, int) else list(axis), keepdims)
    np.testing.assert_allclose(result, reference, rtol=1e-12, atol=1e-12)
    assert NUMPY.is_tensor(result, only_native=True) and NUMPY.staticshape(result) == reference.shape


def test_a_full_reduction_is_a_tensor_of_rank_0():
    total = NUMPY.sum(np.ones((2, 3)))
    assert NUMPY.is_tensor(total, only_native=True) and NUMPY.staticshape(total) == () and NUMPY.ndims(total) == 0
    assert NUMPY.exp(total).shape == () and NUMPY.size(total) == 1


def test_orders_and_quantiles():
    x = np.array([[3.0, 1.0, NAN], [2.0, 5.0, 4.0]])
    np.testing.assert_array_equal(NUMPY.sort(x), [[1, 3, NAN], [2, 4, 5]])
    np.testing.assert_array_equal(NUMPY.argsort(x, axis=0), [[1, 0, 1], [0, 1, 0]])
    assert NUMPY.argmax(x[1]) == 1 and NUMPY.argmin(x[1:], axis=1, keepdims=True).shape == (1, 1)
    np.testing.assert_array_equal(NUMPY.quantile([[0.0, 1.0, 2.0]], 0.25), [0.5])
    np.testing.assert_array_equal(NUMPY.quantile([[0.0, 1.0, 2.0]], [0, 1]), [[0], [2]])


def test_structure():
    x = np.arange(24).reshape(2, 3, 4)
    assert NUMPY.transpose(x, (2, 0, 1)).shape == (4, 2, 3)
    np.testing.assert_array_equal(NUMPY.stack(NUMPY.unstack(x, 1), 1), x)
    np.testing.assert_array_equal(NUMPY.concat(NUMPY.unstack(x, -1, keepdims=True), -1), x)
    np.testing.assert_array_equal(NUMPY.flip(x, (0, 2)), x[::-1, :, ::-1])
    assert NUMPY.tile(x, (2, 1, 1, 1)).shape == (2, 2, 3, 4)
    assert [NUMPY.expand_dims(x, axis, 2).shape for axis in (0, 1, -1, -2)] == [
        (1, 1, 2, 3, 4),
        (2, 1, 1, 3, 4),
        (2, 3, 4, 1, 1),
        (2, 3, 1, 1, 4),
    ]
    with pytest.raises(ValueError, match="expand_dims"):
        NUMPY.expand_dims(x, 5)
    np.testing.assert_array_equal(NUMPY.multi_slice(x, (1, slice(0, 2), np.array(3))), x[1, 0:2, 3])
    np.testing.assert_array_equal(NUMPY.batch_gather(x, 1), x[[1]])
    np.testing.assert_array_equal(NUMPY.gather(x, [[2, 0]], axis=1), x[:, [[2, 0]]])
    np.testing.assert_array_equal(NUMPY.boolean_mask(x, [True, False, True], 1), x[:, [0, 2]])
    np.testing.assert_array_equal(NUMPY.nonzero([[0, 5], [6, 0]]), [[0, 1], [1, 0]])
    with pytest.raises(IndexError):
        NUMPY.gather(x, [9])
    with pytest.raises(ValueError, match="boolean_mask"):
        NUMPY.boolean_mask(x, [True], 1)


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("constant", [7, 7, 7, 7, 1, 2, 3, 7]),
        ("boundary", [1, 1, 1, 1, 1, 2, 3, 3]),
        ("periodic", [3, 1, 2, 3, 1, 2, 3, 1]),
        ("symmetric", [3, 3, 2, 1, 1, 2, 3, 3]),
        ("reflect", [1, 2, 3, 2, 1, 2, 3, 2]),
    ],
)
def test_padding(mode, expected):
    np.testing.assert_array_equal(NUMPY.pad([1, 2, 3], [[4, 1]], mode, 7), expected)
    assert NUMPY.pad([1, 2, 3], [[1, 1]], "mirror") is NotImplemented
    np.testing.assert_array_equal(NUMPY.pad([1, 2], [[1, 1]], constant_values=0.5), [0.5, 1, 2, 0.5])


def test_matmul_takes_a_batch_of_vectors():
    random = np.random.default_rng(0)
    A, batch = random.normal(size=(2, 3)), random.normal(size=(5, 3))
    expected = batch @ A.T
    for matrix in (A, sparse.csr_matrix(A), sparse.coo_array(A), A.tolist(), sparse.csc_matrix(A)):
        np.testing.assert_allclose(NUMPY.matmul(matrix, batch), expected)
        np.testing.assert_allclose(NUMPY.matmul(matrix, batch[0]), expected[0])
    each = random.normal(size=(5, 2, 3))
    np.testing.assert_allclose(NUMPY.matmul(each, batch), np.einsum("bij,bj->bi", each, batch))
    np.testing.assert_allclose(NUMPY.linear(list(each), batch), np.einsum("bij,bj->bi", each, batch))
    np.testing.assert_allclose(NUMPY.linear(lambda x: 2 * x, batch), 2 * batch)
    with precision(16):
        assert NUMPY.matmul(sparse.csr_matrix(A), batch).dtype == np.float16
    for matrix, vectors in [(A, batch.T), (each, batch[:2]), (A[0], batch), (sparse.csr_matrix(A), batch[:, :2])]:
        with pytest.raises(ValueError, match="matmul"):
            NUMPY.matmul(matrix, vectors)
    with pytest.raises(ValueError, match="2 matrices for 5 vectors"):
        NUMPY.linear([A, A], batch)


def test_no_operation_writes_into_its_inputs():
    x = np.arange(6.0).reshape(2, 3)
    x.flags.writeable = False
    before = x.copy()
    for name in ("exp", "softplus", "sum", "std", "sort", "to_float", "flatten", "max", "cumsum", "logsumexp"):
        arguments = (x, 0) if name in ("cumsum", "logsumexp") else (x,)
        getattr(NUMPY, name)(*arguments)
    np.testing.assert_array_equal(x, before)
    y = np.ones(2)
    assert not np.shares_memory(NUMPY.to_float(y), y)
    assert not np.shares_memory(NUMPY.copy(y), y) and NUMPY.copy(x, only_mutable=True) is x


def test_complex_numbers_are_not_cut_silently():
    z = np.array([3 + 4j])
    assert NUMPY.abs(z) == 5 and NUMPY.real(z) == 3 and NUMPY.imag(z) == 4 and NUMPY.conj(z) == 3 - 4j
    assert NUMPY.imag([1.0]) == 0 and NUMPY.std(z) == 0
    with pytest.raises(TypeError, match="real"):
        NUMPY.to_float(z)
    with pytest.raises(TypeError, match="abs"):
        NUMPY.to_int32(z)


def test_random_numbers_repeat_after_seeding():
    NUMPY.seed(7)
    first = NUMPY.random_uniform((3,), 0, 10, NUMPY.dtype(1)), NUMPY.random_normal((3,), NUMPY.float_type)
    NUMPY.seed(7)
    second = NUMPY.random_uniform((3,), 0, 10, NUMPY.dtype(1)), NUMPY.random_normal((3,), NUMPY.float_type)
    for a, b in zip(first, second, strict=True):
        np.testing.assert_array_equal(a, b)
    assert first[0].dtype == np.int64


def test_bad_axes_shapes_and_indices_are_named():
    x = np.ones((2, 3))
    for call in (lambda: NUMPY.unstack(x, 7), lambda: NUMPY.max(x, 3), lambda: NUMPY.boolean_mask(x, [True], 2)):
        with pytest.raises(IndexError, match=r"there is no axis \d in the shape \(2, 3\)"):
            call()
    with pytest.raises(IndexError, match="unstack"):
        NUMPY.unstack(1.0)
    with pytest.raises(TypeError):
        NUMPY.multi_slice(x, (1.7,))
    assert NUMPY.reshape(x, np.int64(6)).shape == (6,)


@pytest.mark.parametrize("operation", ["sum", "exp", "isfinite", "add"])
def test_sparse_matrices_are_taken_by_products_only(operation):
    arguments = (sparse.eye_array(2), *([1.0] if operation == "add" else []))
    with pytest.raises(TypeError, match="matmul, linear and linear_solve"):
        getattr(NUMPY, operation)(*arguments)
    np.testing.assert_array_equal(NUMPY.numpy(sparse.eye_array(2)), np.eye(2))
