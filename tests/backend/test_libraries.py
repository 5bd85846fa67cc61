"""NumPy, PyTorch and JAX give the same values, types and kinds of errors for the same calls."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse, special

from backbench import NUMPY, DType, choose_backend, precision

INF, NAN = np.inf, np.nan
POINTS = np.array([-745.5, -2.5, -0.5, 0.0, 1e-300, 0.5, 1.0, 1.5, 800.0, INF, -INF, NAN])
WITH_INFINITIES = [[1.0, -INF, 2.0], [-INF, -INF, -INF], [0.5, 0.5, 0.5]]


@pytest.fixture(autouse=True)
def _double():
    with precision(64):
        yield


def close(backend, result, expected, rtol=1e-12, atol=1e-300):
    np.testing.assert_allclose(backend.numpy(result), expected, rtol=rtol, atol=atol)


def test_all_of_them_support_the_same(backend):
    from backbench import Backend

    methods = [name for name in vars(type(NUMPY)).keys() | dir(Backend) if callable(getattr(Backend, name, None))]
    offered = [name for name in methods if not name.startswith("_") and NUMPY.supports(name)]
    assert len(offered) > 100
    assert [name for name in offered if not backend.supports(name)] == []


@pytest.mark.parametrize(
    ("name", "reference"),
    [
        *(
            (name, getattr(np, name))
            for name in ("sqrt", "exp", "expm1", "log", "log1p", "log2", "log10", "sin", "cos")
        ),
        *((name, getattr(np, name)) for name in ("tan", "arctan", "tanh", "sinh", "cosh", "arcsinh", "sign", "ceil")),
        *((name, getattr(np, name)) for name in ("floor", "isfinite", "isnan", "conj", "abs")),
        ("round", np.rint),
        ("erf", special.erf),
        ("sigmoid", special.expit),
        ("softplus", lambda x: np.logaddexp(0, x)),
        ("logsigmoid", special.log_expit),
    ],
)
def test_functions_equal_their_reference(backend, name, reference):
    with np.errstate(all="ignore"):
        expected = reference(POINTS)
    close(backend, getattr(backend, name)(POINTS), expected, rtol=1e-13)


def test_softmax_of_masked_rows(backend):
    softmax, log_softmax = (getattr(backend, name)(WITH_INFINITIES, -1) for name in ("softmax", "log_softmax"))
    close(backend, softmax, [[0.2689414213699951, 0, 0.7310585786300049], [NAN] * 3, [1 / 3] * 3])
    close(backend, log_softmax, [[-1.3132616875182228, -INF, -0.3132616875182228], [NAN] * 3, [-np.log(3)] * 3])


def test_half_precision_keeps_what_it_can_hold(backend):
    with precision(16):
        softmax = backend.softmax([12.0, 11.0, 10.0], -1)
        wide = backend.log_softmax([40000.0, -20000.0, 39968.0], -1)
        mean = backend.mean([40000.0] * 3)
    assert backend.dtype(softmax) == backend.dtype(wide) == backend.dtype(mean) == DType(float, 16)
    np.testing.assert_allclose(backend.numpy(softmax), [0.66524, 0.24473, 0.09003], atol=5e-4)
    np.testing.assert_allclose(backend.numpy(wide), [0, -60000, -32], rtol=2e-3, atol=5e-4)
    assert float(mean) == 40000


def test_tails_keep_their_digits(backend):
    close(backend, backend.logsigmoid([-800.0, -40.0, 40.0, 800.0]), [-800, -40, -4.248354255291589e-18, 0])
    expected = [4.248354255291589e-18, np.log(2), 15.000000305902274, 800]
    close(backend, backend.softplus([-40.0, 0.0, 15.0, 800.0]), expected)
    close(backend, backend.log_softmax([0.0, -800.0], -1), [0, -800])


def test_results_have_the_type_of_the_table(backend):
    ints, halves = np.array([7, -7], np.int32), np.array([1, 2], np.float16)
    for bits in (16, 32, 64):
        with precision(bits):
            kind = DType(float, bits)
            quotient = backend.div(ints, np.array([2, 2], np.int32))
            close(backend, quotient, [3.5, -3.5])
            results = [quotient, backend.add(ints, 0.5), backend.add(np.ones(2), halves), backend.mean(ints)]
            results += [backend.where([True, False], halves, np.ones(2)), backend.stack([halves, np.ones(2)])]
            assert {backend.dtype(result) for result in results} == {kind}
            assert backend.complex_type == DType(complex, max(64, 2 * bits))
            assert backend.dtype(backend.to_complex([1])) == backend.complex_type
    with precision(None):
        single = np.ones(2, np.float32)
        assert backend.dtype(backend.add(single, 0.5)) == DType(float, 32)
        assert backend.dtype(backend.add(single, np.ones(2))) == DType(float, 64)
    assert backend.dtype(backend.sum(np.ones(2, np.int8))) == DType(int, 64)
    flags = backend.einsum("ij,jk->ik", [[True, False], [False, False]], [[True, False], [True, True]])
    assert backend.dtype(flags) == DType(bool) and backend.numpy(flags).tolist() == [[True, False], [False, False]]
    total = backend.tensordot(np.array([16777217, 2]), (0,), np.array([1, 1]), (0,))
    assert int(total) == 16777219 and backend.dtype(total) == DType(int, 64)
    assert backend.dtype(backend.add([True], [True])) == DType(bool)
    with pytest.raises(TypeError, match="no difference"):
        backend.sub([True], [True])


def test_64_bits_are_64_bits(backend):
    assert float(backend.sub(backend.add(backend.as_tensor(1), 1e-12), 1)) == 1.000088900582341e-12
    assert int(backend.add(backend.to_int64([2**40]), 1)[0]) == 2**40 + 1
    thirds = []
    for bits in (16, 32, 64):
        with precision(bits):
            thirds.append(float(backend.div(backend.to_float(1), backend.to_float(3))))
    assert thirds == [0.333251953125, 0.3333333432674408, 1 / 3]


def test_empty_and_full_reductions(backend):
    for name, value in (("sum", 0), ("prod", 1), ("mean", NAN), ("any", False), ("all", True)):
        np.testing.assert_equal(backend.numpy(getattr(backend, name)(np.zeros(0))), value)
    assert backend.numpy(backend.sum(np.zeros((0, 3)), axis=0)).tolist() == [0, 0, 0]
    for name in ("max", "min"):
        with pytest.raises(ValueError, match=f"{backend.name}.{name}"):
            getattr(backend, name)(np.zeros(0))
    total = backend.sum(np.ones((2, 3)))
    assert backend.is_tensor(total, only_native=True) and backend.staticshape(total) == ()


def test_numeric_conventions(backend):
    close(backend, backend.std([1, 2, 3, 4]), 1.118033988749895)
    close(backend, backend.round([0.5, 1.5, 2.5, -0.5, -1.5]), [0, 2, 2, 0, -2])
    close(backend, backend.mod([-2.1, 7.0], [1.0, -3.0]), [0.9, -2.0])
    quotient = backend.floordiv([-7, 7], [2, -2])
    assert backend.numpy(quotient).tolist() == [-4, -4] and backend.dtype(quotient).kind is int
    for operation in (backend.floordiv, backend.mod):
        with pytest.raises(ZeroDivisionError, match=backend.name):
            operation([1, 2], [1, 0])
    with pytest.raises(ValueError, match="negative integer powers"):
        backend.pow([2, 3], [-1, 1])


def test_structure(backend):
    x = np.arange(24).reshape(2, 3, 4)
    equal = lambda result, expected: np.testing.assert_array_equal(backend.numpy(result), expected)  # noqa: E731
    equal(backend.transpose(x, (2, 0, 1)), x.transpose(2, 0, 1))
    equal(backend.flip(x, (0, 2)), x[::-1, :, ::-1])
    equal(backend.tile(x, (2, 1, 1, 1)), np.tile(x, (2, 1, 1, 1)))
    equal(backend.multi_slice(x, (1, slice(None, None, -2), np.array(3))), x[1, ::-2, 3])
    equal(backend.gather(x, [[2, 0]], axis=1), x[:, [[2, 0]]])
    equal(backend.gather(x, [-1], axis=-1), x[..., [-1]])
    equal(backend.boolean_mask(x, [True, False, True], 1), x[:, [0, 2]])
    equal(backend.nonzero([[0, 5], [6, 0]]), [[0, 1], [1, 0]])
    equal(backend.sort([[3.0, 1.0, 2.0]]), [[1, 2, 3]])
    equal(backend.argsort([2, 1, 2, 1]), [1, 3, 0, 2])
    equal(backend.argmax([False, True]), 1)
    equal(backend.cumsum(x, -1), np.cumsum(x, -1))
    close(
        backend, backend.quantile(np.float32([[1, 2, 3, 4], [10, 20, 30, 50]]), [0.25, 0.9]), [[1.75, 17.5], [3.7, 44]]
    )
    close(backend, backend.quantile([[0.0, 1.0, 2.0]], 0.25), [0.5])
    with pytest.raises(IndexError):
        backend.gather(x, [9])
    with pytest.raises(IndexError):
        backend.multi_slice(x, (5,))


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
def test_padding(backend, mode, expected):
    assert backend.numpy(backend.pad([1, 2, 3], [[4, 1]], mode, 7)).tolist() == expected
    assert backend.pad([1, 2, 3], [[1, 1]], "mirror") is NotImplemented


def test_products(backend):
    random = np.random.default_rng(0)
    A, batch = random.normal(size=(3, 3)), random.normal(size=(5, 3))
    for matrix in (A, sparse.csr_matrix(A), A.tolist()):
        close(backend, backend.matmul(matrix, batch), batch @ A.T)
        close(backend, backend.matmul(matrix, batch[0]), A @ batch[0])
    each = random.normal(size=(5, 3, 3))
    close(backend, backend.linear(list(each), batch), np.einsum("bij,bj->bi", each, batch))
    with pytest.raises(ValueError, match="matmul"):
        backend.matmul(A, batch.T)


def test_complex_numbers_are_not_cut_silently(backend):
    z = np.array([3 + 4j])
    for name, value in (("abs", 5), ("real", 3), ("imag", 4), ("conj", 3 - 4j)):
        close(backend, getattr(backend, name)(z), [value])
    close(backend, backend.imag([1.0]), [0])
    for cast in (backend.to_float, backend.to_int32):
        with pytest.raises(TypeError, match="abs"):
            cast(z)


def test_gradients(backend):
    divide = backend.functional_gradient(lambda x, y: backend.sum(backend.divide_no_nan(x, y)), (0, 1), True)
    value, by_x, by_y = divide(backend.as_tensor([1.0, 0.0, -2.0]), backend.as_tensor([0.0, 0.0, 4.0]))
    assert float(value) == -0.5
    if backend.name != "numpy":  # differences mean nothing at a divisor of 0
        close(backend, by_x, [0, 0, 0.25])
        close(backend, by_y, [0, 0, 0.125])
    f = lambda x, y: (backend.sum(backend.mul(backend.sin(x), y), -1), backend.cos(x))  # noqa: E731
    loss, other, slope, again = backend.functional_gradient(f, (1, 0), True)([[0.5, 1.0]], [[2, 3]])
    close(backend, loss, [2 * np.sin(0.5) + 3 * np.sin(1.0)])
    close(backend, other, np.cos([[0.5, 1.0]]))
    close(backend, slope, np.sin([[0.5, 1.0]]), rtol=1e-9)
    close(backend, again, [[2, 3]] * np.cos([[0.5, 1.0]]), rtol=1e-9)
    (constant,) = backend.functional_gradient(lambda x: backend.sum([1.0, 2.0]), (0,), False)([1.0, 2.0])
    assert backend.numpy(constant).tolist() == [0, 0]
    with pytest.raises(IndexError, match="does not exist"):
        backend.functional_gradient(lambda x: x, (1,), False)([1.0])


def test_random_numbers_repeat_after_seeding(backend):
    draws = []
    for _ in range(2):
        backend.seed(7)
        draws.append(
            (backend.random_uniform((3,), 0, 10, DType(int, 64)), backend.random_normal((3,), DType(float, 64)))
        )
    for first, second in zip(*draws, strict=True):
        np.testing.assert_array_equal(backend.numpy(first), backend.numpy(second))
    uniform = backend.numpy(backend.random_uniform((100,), -1, 1, None))
    assert uniform.min() >= -1 and uniform.max() < 1 and uniform.std() > 0.3


def test_devices(backend):
    (cpu,) = backend.list_devices("CPU")
    assert backend.set_default_device(cpu) and backend.get_default_device() == cpu
    with pytest.warns(RuntimeWarning, match="no device of type 'TPU'"):
        assert backend.set_default_device("TPU") is False
    assert backend.block_until_ready(backend.ones(2)) is not None


def test_quantiles_of_infinities_of_nan_and_of_many_values(backend):
    x = [[1.0, -INF, 2.0, 4.0, INF], [1.0, NAN, 2.0, 3.0, 4.0]]
    close(backend, backend.quantile(x, [0.25, 0.625]), [[1, NAN], [3, NAN]])
    close(backend, backend.quantile([[0.5, 3.0, 3.0, -1.0]], [0.5, 0.25]), [[1.75], [0.125]])
    close(backend, backend.quantile([4.0, 1.0, 2.0], 0.75), 3)
    many = np.arange(2**24 + 1, dtype=np.float32)
    with precision(32):
        close(backend, backend.quantile(many, 0.5), 2**23, rtol=1e-7)


def test_what_is_a_tensor(backend):
    x = backend.ones(2)
    assert backend.is_tensor(x, only_native=True) and choose_backend(x, 1.0) is backend
    assert choose_backend(x, np.ones(2)) in (backend, NUMPY)
    for number in (np.bool_(True), True, 1.5, [1, 2]):
        assert backend.is_tensor(number)
    for other in ("text", None, {}, ["a"]):
        assert not backend.is_tensor(other)
        with pytest.raises(TypeError):
            backend.as_tensor(other) if other is not None else backend.as_tensor("text")
    nested = backend.as_tensor([[x[0], 2.0], [3.0, x[1]]])
    assert backend.numpy(nested).tolist() == [[1, 2], [3, 1]]
    assert backend.numpy(backend.add([[x[0], x[1]]], 1)).tolist() == [[2, 2]]
    with backend as b:
        assert choose_backend(1.5) is b and choose_backend(True) is b and choose_backend(np.bool_(True)) is b


def test_inputs_are_not_written_to(backend):
    x = np.arange(6.0).reshape(2, 3)
    x.flags.writeable = False
    before = x.copy()
    for name in ("exp", "softplus", "sum", "std", "sort", "to_float", "flatten", "max"):
        getattr(backend, name)(x)
    np.testing.assert_array_equal(x, before)
