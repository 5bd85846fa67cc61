"""The SymPy backend: expressions and exact numbers through the same operations as numbers."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import sympy
from sympy import Float, Integer, Rational, S, Symbol, exp, log

from backbench import SYMPY, DType, UnsupportedOperation, exact, precision, with_gradient
from backbench.backend.sympy_nodes import Maximum, Select

x, y, z = sympy.symbols("x y z")
VECTOR = np.array([x, y, z], object)


def is_object_array(value) -> bool:
    return type(value) is np.ndarray and value.dtype == object and all(isinstance(v, sympy.Basic) for v in value.flat)


class TestValues:
    def test_numbers_become_exact_or_keep_all_digits(self):
        values = SYMPY.as_tensor(
            [1, 2.0, 0.1 + 0.2, True, -1e300, 5e-324, float("inf"), Fraction(1, 3), Decimal("0.5"), 2 + 0.5j]
        )
        assert [type(v) for v in values[:3]] == [sympy.core.numbers.One, Integer, Float]
        assert (
            str(values[2]) == "0.30000000000000004"
            and float(values[2]) == 0.1 + 0.2
            and values[2] == Float(0.1 + 0.2, 17)
        )
        assert (
            values[3] == S.true and float(values[4]) == -1e300 and float(values[5]) == 5e-324 and values[6] == sympy.oo
        )
        assert values[7] == Rational(1, 3) and float(values[8]) == 0.5 and complex(values[9]) == 2 + 0.5j

    @pytest.mark.parametrize("value", [x, 1, 0.5, np.float32(1), np.array(3), np.array(x, object), sympy.pi])
    def test_rank_0_is_an_array_too(self, value):
        tensor = SYMPY.as_tensor(value)
        assert is_object_array(tensor) and tensor.shape == ()
        for result in (
            SYMPY.exp(value),
            SYMPY.add(value, 1),
            SYMPY.sum([value]),
            SYMPY.max([value, 2]),
            SYMPY.unstack([value])[0],
        ):
            assert is_object_array(result) and result.shape == ()

    def test_tensors(self):
        assert SYMPY.as_tensor(VECTOR) is VECTOR and SYMPY.dtype(VECTOR) == DType(object)
        assert (
            SYMPY.is_tensor(VECTOR, only_native=True)
            and not SYMPY.is_tensor(x, only_native=True)
            and SYMPY.is_tensor(x)
        )
        assert (
            SYMPY.is_tensor([[x, 1], [0.5, y]])
            and SYMPY.is_tensor(np.ones(2))
            and not SYMPY.is_tensor(np.ones(2), True)
        )
        assert not SYMPY.is_tensor("x") and not SYMPY.is_tensor([x, "y"]) and not SYMPY.is_tensor(None)
        assert SYMPY.as_tensor(sympy.Matrix([[x, y]])).shape == (1, 2)
        assert SYMPY.as_tensor([VECTOR, VECTOR]).shape == (2, 3) and SYMPY.as_tensor(
            [np.array(x, object), 1]
        ).shape == (2,)
        assert SYMPY.as_tensor(0.5, convert_external=False) == 0.5
        for wrong in ("x", ["x"], np.array(["x"]), None, object(), {}):
            with pytest.raises(TypeError):
                SYMPY.as_tensor(wrong)

    def test_back_to_numpy(self):
        assert SYMPY.numpy([1, 2]).dtype == np.int64 and SYMPY.numpy(SYMPY.greater_than([1, 2], 1)).tolist() == [
            False,
            True,
        ]
        values = SYMPY.numpy([Rational(1, 3), sympy.pi, exp(1000), -sympy.oo, S.NaN, Float(0.1, 17), 10**400])
        assert values.dtype == np.float64
        np.testing.assert_array_equal(values, [1 / 3, np.pi, np.inf, -np.inf, np.nan, 0.1, np.inf])
        assert SYMPY.numpy(sympy.sqrt(-2)).dtype == np.complex128 and SYMPY.numpy(S.Half).shape == ()
        with pytest.raises(ValueError, match="depend on the symbols x, y"):
            SYMPY.numpy([x + y, 1])
        assert not SYMPY.is_available(VECTOR) and SYMPY.is_available([sympy.pi])
        assert SYMPY.numpy(np.array([1.5])).tolist() == [1.5]

    @pytest.mark.parametrize(
        ("value", "number"),
        [
            (0.1, Rational(1, 10)),
            (np.float32(0.1), Rational(1, 10)),
            (np.array(0.3), Rational(3, 10)),
            ("1/3", Rational(1, 3)),
            ("0.25", Rational(1, 4)),
            (Fraction(2, 7), Rational(2, 7)),
            (Decimal("0.1"), Rational(1, 10)),
            (-1e-30, Rational(-1, 10**30)),
            (2**70, Integer(2**70)),
            (Float(0.1, 17), Rational(1, 10)),
            (x, x),
            (True, S.One),
            (0.5j, sympy.I / 2),
            (float("-inf"), -sympy.oo),
        ],
        ids=str,
    )
    def test_exact(self, value, number):
        result = exact(value)
        assert result.shape == () and result.dtype == object and result[()] == number and not result[()].has(Float)
        assert exact([[value, 1]]).shape == (1, 2) and exact([[value, 1]])[0, 0] == number

    def test_exact_of_arrays_and_of_no_numbers(self):
        assert exact(np.float32([0.1, 2.5])).tolist() == [Rational(1, 10), Rational(5, 2)]
        assert exact(np.array(["1/3"])).tolist() == [Rational(1, 3)]
        for wrong in ("one", None, [object()]):
            with pytest.raises(TypeError):
                exact(wrong)

    def test_casts(self):
        assert SYMPY.cast([1.5, -1.5, x], DType(int, 32)).tolist()[:2] == [1, -1]
        assert SYMPY.numpy(SYMPY.cast([0, 2], DType(bool))).tolist() == [False, True]
        assert SYMPY.cast(exact([0.1]), DType(float, 32))[0] == Rational(1, 10) and SYMPY.to_float([S.true])[0] == 1
        copy = SYMPY.copy(VECTOR)
        assert copy is not VECTOR and (copy == VECTOR).all()


class TestOperations:
    @pytest.mark.parametrize("precision_", [32, 64])
    def test_exact_arithmetic_whatever_the_precision(self, precision_):
        with precision(precision_):
            assert SYMPY.div(1, 3)[()] == Rational(1, 3) and SYMPY.mean([1, 2])[()] == Rational(3, 2)
            assert (
                SYMPY.std([1, 3])[()] == 1
                and SYMPY.sqrt(2)[()] == sympy.sqrt(2)
                and SYMPY.sum(exact([0.1] * 10))[()] == 1
            )
            assert SYMPY.linspace(0, 1, 4).tolist() == [0, Rational(1, 3), Rational(2, 3), 1]
            assert SYMPY.zeros((2,)).tolist() == [0, 0] and SYMPY.ones(2, DType(bool)).tolist() == [S.true] * 2

    def test_creation(self):
        assert (
            SYMPY.range(3).tolist() == [0, 1, 2]
            and float(SYMPY.range(1, 2, 0.25)[1]) == 1.25
            and is_object_array(SYMPY.range(2))
        )
        assert SYMPY.range(Integer(2)).tolist() == [0, 1] and SYMPY.zeros_like(VECTOR).tolist() == [0, 0, 0]
        first, second = SYMPY.meshgrid(VECTOR, [1, 2])
        assert first.shape == second.shape == (3, 2) and first[2, 1] == z and second[2, 1] == 2

    def test_functions_of_symbols(self):
        assert SYMPY.exp(VECTOR).tolist() == [exp(x), exp(y), exp(z)] and SYMPY.exp(0)[()] == 1
        assert (
            SYMPY.log1p(x)[()] == log(1 + x) and SYMPY.expm1(x)[()] == exp(x) - 1 and SYMPY.erf(x)[()] == sympy.erf(x)
        )
        assert SYMPY.softplus(x)[()] == log(1 + exp(x)) and SYMPY.sigmoid(x)[()] == 1 / (1 + exp(-x))
        assert SYMPY.arctan2(x, y)[()] == sympy.atan2(x, y) and SYMPY.mod(x, 2)[()] == sympy.Mod(x, 2)
        assert SYMPY.conj(sympy.I)[()] == -sympy.I and SYMPY.clip(5, 1, 3)[()] == 3

    def test_tails_of_floats(self):
        np.testing.assert_allclose(
            SYMPY.numpy(SYMPY.logsigmoid([-800.5, -40.5, 40.5, 800.0])), NUMPY64_LOGSIGMOID, rtol=1e-12, atol=1e-300
        )
        np.testing.assert_allclose(SYMPY.numpy(SYMPY.expm1([1e-20])), [1e-20], rtol=1e-15)
        np.testing.assert_allclose(SYMPY.numpy(SYMPY.log_softmax([0.5, -800.0], 0)), [0, -800.5], rtol=1e-12)

    def test_comparisons_and_choices(self):
        assert SYMPY.greater_than(VECTOR, 0).tolist() == [x > 0, y > 0, z > 0]
        assert SYMPY.equal([1, x], [1, x]).tolist() == [S.true, S.true] and SYMPY.not_equal(S.NaN, S.NaN)[()] == S.true
        assert SYMPY.less_than(S.NaN, 1)[()] == S.false and SYMPY.less_or_equal(Rational(1, 3), 0.34)[()] == S.true
        assert SYMPY.where([True, False], x, y).tolist() == [x, y]
        assert SYMPY.where(SYMPY.greater_than(x, 0), x, 0)[()] == sympy.Piecewise((x, x > 0), (0, True))
        assert SYMPY.select(VECTOR, 0, 0, VECTOR).tolist() == [Select(s, 0, 0, s) for s in (x, y, z)]
        assert SYMPY.and_(SYMPY.greater_than(x, 0), True)[()] == (x > 0) and SYMPY.or_(6, 3)[()] == 7
        assert SYMPY.any([False, True])[()] == S.true and SYMPY.all([[True, False]], axis=1).tolist() == [S.false]
        assert SYMPY.divide_no_nan([1, 1], [0, 2]).tolist() == [0, S.Half]
        assert SYMPY.add(SYMPY.greater_than([1, 3], 2), 1).tolist() == [1, 2]
        assert SYMPY.isnan([S.NaN, 1]).tolist() == [S.true, S.false] and SYMPY.isfinite([sympy.oo, 1]).tolist() == [
            S.false,
            S.true,
        ]
        with pytest.raises(TypeError, match="connects two conditions"):
            SYMPY.and_(x, y)
        with pytest.raises(TypeError, match="depends on symbols"):
            SYMPY.nonzero(VECTOR)

    def test_extrema(self):
        assert SYMPY.max(VECTOR)[()] == Maximum(x, y, z) and SYMPY.stabilizer([VECTOR, VECTOR], -1).shape == (2, 1)
        assert SYMPY.min([[3, 1], [2, 5]], axis=0).tolist() == [2, 1] and SYMPY.maximum(x, 1)[()] == Maximum(x, 1)
        with pytest.raises(ValueError, match="nothing has no maximum"):
            SYMPY.max([])

    def test_structure(self):
        matrix = SYMPY.stack([VECTOR, VECTOR])
        for result, expected in [
            (SYMPY.transpose(matrix, (1, 0)), (3, 2)),
            (SYMPY.concat([VECTOR, [1]], 0), (4,)),
            (SYMPY.reshape(matrix, (3, -1)), (3, 2)),
            (SYMPY.tile(VECTOR, (2, 2)), (2, 6)),
            (SYMPY.expand_dims(VECTOR, 0, 2), (1, 1, 3)),
            (SYMPY.pad(VECTOR, [[1, 2]]), (6,)),
            (SYMPY.flip(matrix, (0, 1)), (2, 3)),
            (SYMPY.gather(VECTOR, [2, 0]), (2,)),
            (SYMPY.boolean_mask(VECTOR, [True, False, True]), (2,)),
            (SYMPY.multi_slice(matrix, (0, 1)), ()),
            (SYMPY.batch_gather(matrix, 1), (1, 3)),
            (SYMPY.nonzero([[0, 5], [6, 0]]), (2, 2)),
            (SYMPY.cumsum(matrix, 1), (2, 3)),
            (SYMPY.logsumexp(matrix, 1, keepdims=True), (2, 1)),
        ]:
            assert is_object_array(result) and result.shape == expected
        assert SYMPY.cumsum(VECTOR, 0)[2] == x + y + z and SYMPY.pad([x], [[1, 0]])[0] == 0

    @pytest.mark.parametrize(
        ("equation", "shapes"),
        [
            ("ij,jk->ik", [(2, 3), (3, 2)]),
            ("ij,kj", [(2, 3), (2, 3)]),
            ("ii->i", [(3, 3)]),
            ("ii", [(3, 3)]),
            ("ijj->ji", [(2, 3, 3)]),
            ("...ij,...jk->...ik", [(2, 2, 3), (3, 2)]),
            ("i...->...", [(2, 3)]),
            ("...i,i", [(2, 3), (3,)]),
            ("i,j,k->kij", [(2,), (3,), (2,)]),
            ("ij->", [(2, 3)]),
            ("a...b,c...->b...c", [(2, 3, 4), (2, 3)]),
        ],
    )
    def test_products_agree_with_numbers(self, equation, shapes):
        random = np.random.default_rng(1)
        arrays = [random.integers(-5, 5, shape) for shape in shapes]
        np.testing.assert_array_equal(SYMPY.numpy(SYMPY.einsum(equation, *arrays)), np.einsum(equation, *arrays))

    def test_matrix_products(self):
        random = np.random.default_rng(2)
        A, b = random.integers(-5, 5, (3, 4)), random.integers(-5, 5, (2, 4))
        np.testing.assert_array_equal(SYMPY.numpy(SYMPY.matmul(A, b)), b @ A.T)
        np.testing.assert_array_equal(SYMPY.numpy(SYMPY.matmul(A, b[0])), A @ b[0])
        np.testing.assert_array_equal(SYMPY.numpy(SYMPY.matmul([A, -A], b)), np.stack([A @ b[0], -A @ b[1]]))
        B = random.integers(-5, 5, (4, 2, 3))
        np.testing.assert_array_equal(
            SYMPY.numpy(SYMPY.tensordot(A, (0, 1), B, (2, 0))), np.tensordot(A, B, ((0, 1), (2, 0)))
        )
        assert SYMPY.matmul([[x, 1], [0, y]], [1, 2]).tolist() == [x + 2, 2 * y]
        with pytest.raises(ValueError, match="do not fit"):
            SYMPY.matmul(A, [1, 2])
        with pytest.raises(ValueError):
            SYMPY.einsum("ij,jk->ik", A, A)

    def test_softmax_has_no_maximum(self):
        result = SYMPY.softmax(VECTOR, 0)
        assert result[0] == 1 / (1 + exp(y - x) + exp(z - x)) and not any(
            entry.has(sympy.Max, Maximum) for entry in result
        )
        assert SYMPY.numpy(SYMPY.sum(SYMPY.softmax(np.arange(6).reshape(2, 3), 1), 1)) == pytest.approx([1, 1])


NUMPY64_LOGSIGMOID = [-800.5, -40.5, -2.5767571091549807e-18, 0.0]


class TestAsWritten:
    def test_nothing_is_simplified(self):
        with sympy.evaluate(False):
            difference, product = SYMPY.sub(x, x)[()], SYMPY.mul(0, x)[()]
            total = SYMPY.sum([x, 0.5, x])[()]
            floats = SYMPY.add(0.1, 0.2)[()]
        assert difference != 0 and difference.args[0] is x and product.is_Mul and total.args.count(x) == 2
        assert floats.is_Add and len(floats.args) == 2

    def test_exact_identities_are_applied(self):
        with sympy.evaluate(False):
            assert SYMPY.exp(0)[()] is S.One and SYMPY.add(x, 0)[()] is x and SYMPY.mul(1, x)[()] is x
            assert SYMPY.div(x, 1)[()] is x and SYMPY.pow(x, 1)[()] is x and SYMPY.div(2, 4)[()] == S.Half
            assert SYMPY.add(exact("1/3"), exact("1/6"))[()] == S.Half and SYMPY.greater_than(2, 1)[()] is S.true

    def test_negations_are_shared(self):
        with sympy.evaluate(False):
            result = SYMPY.sub(np.array([[x], [y]], object), np.array([z], object))
        assert result[0, 0].args[1] is result[1, 0].args[1]

    def test_nodes_are_expressions_of_sympy(self):
        with sympy.evaluate(False):
            value = SYMPY.tanh(SYMPY.div(SYMPY.sub(x, y), SYMPY.sqrt(y)))[()]
        assert value.subs({x: 3, y: 1}) == sympy.tanh(2) and value.diff(x).subs({x: 1, y: 1}) == 1
        assert value == sympy.tanh((x - y) / sympy.sqrt(y), evaluate=False).func(
            value.args[0]
        ) and "tanh" in sympy.latex(value)


class TestDerivatives:
    def test_gradients_are_exact(self):
        f = SYMPY.functional_gradient(lambda a, b: SYMPY.sum(SYMPY.mul(SYMPY.mul(a, a), b)), (0, 1), get_output=True)
        value, by_a, by_b = f([1, 2], VECTOR[:2])
        assert value[()] == x + 4 * y and by_a.tolist() == [2 * x, 4 * y] and by_b.tolist() == [1, 4]
        (at_expression,) = SYMPY.functional_gradient(lambda a: SYMPY.exp(a), (0,), False)([x + y, 0])
        assert at_expression.tolist() == [exp(x + y), 1]

    @pytest.mark.parametrize(
        ("name", "point", "slope"),
        [
            ("softplus", 0, S.Half),
            ("abs", -3, -1),
            ("sigmoid", 0, Rational(1, 4)),
            ("relu", -1, 0),
            ("relu", 2, 1),
            ("max", 0, S.Half),
        ],
    )
    def test_of_functions_with_kinks(self, name, point, slope):
        functions = {"relu": lambda a: SYMPY.select(a, 0, 0, a), "max": lambda a: SYMPY.maximum(a, 0)}
        f = functions.get(name, lambda a: getattr(SYMPY, name)(a))
        assert SYMPY.functional_gradient(f, (0,), False)(point)[0][()] == slope

    def test_outputs_beside_the_loss_and_given_gradients(self):
        loss, other, slope = SYMPY.functional_gradient(lambda a: (SYMPY.mul(a, a), SYMPY.add(a, 1)), (0,), True)([3])
        assert (loss[0], other[0], slope[0]) == (9, 4, 6)
        own = with_gradient(lambda a: SYMPY.sum(a), lambda a: SYMPY.mul(7, a))
        assert SYMPY.functional_gradient(own, (0,), False)([2])[0].tolist() == [14]

    def test_without_a_formula(self):
        with pytest.raises(TypeError, match="with_gradient"):
            SYMPY.functional_gradient(lambda a: sympy.Function("g")(a[()]), (0,), False)(x)


class TestLoopsAndGaps:
    def test_while_loop_with_decided_conditions(self):
        go, n, total = SYMPY.while_loop(
            lambda go, n, total: (SYMPY.less_than(n, 3), SYMPY.add(n, 1), SYMPY.add(total, SYMPY.div(1, n))),
            (True, SYMPY.as_tensor(1), SYMPY.as_tensor(0)),
        )
        assert total[()] == Rational(11, 6) and n[()] == 4 and go[()] == S.false
        with pytest.raises(ValueError, match="symbols x"):
            SYMPY.while_loop(lambda go: (go,), (SYMPY.greater_than(x, 0),))

    def test_linear(self):
        assert SYMPY.linear([[2, 0], [0, x]], [[1, 1]]).tolist() == [[2, x]]
        assert SYMPY.linear(lambda v: SYMPY.mul(2, v), [[1, y]]).tolist() == [[2, 2 * y]]

    @pytest.mark.parametrize(
        "name", ["random_normal", "fft", "conv", "jit_compile", "sparse_coo_tensor", "grid_sample", "argmax", "round"]
    )
    def test_what_symbols_cannot_do_is_said(self, name):
        assert not SYMPY.supports(name)
        with pytest.raises(UnsupportedOperation, match=f"'sympy' does not support '{name}': .*[a-z]\\. .+"):
            getattr(SYMPY, name)()

    def test_what_networks_need_is_there(self):
        names = """softmax log_softmax logsumexp softplus logsigmoid sigmoid select stabilizer functional_gradient
            matmul tensordot einsum where while_loop linear linear_solve divide_no_nan clip erf"""
        for name in names.split():
            assert SYMPY.supports(name), name
        assert Symbol("x") in SYMPY.logsumexp(VECTOR, 0)[()].free_symbols


def test_the_gradient_of_a_division_by_zero_is_zero():
    def f(x, y):
        return SYMPY.sum(SYMPY.divide_no_nan(x, y))

    value, by_x, by_y = SYMPY.functional_gradient(f, (0, 1), get_output=True)([1, 0, -2], [0, 0, 4])
    assert SYMPY.numpy(value) == -0.5
    assert SYMPY.numpy(by_x).tolist() == [0, 0, 0.25]
    assert SYMPY.numpy(by_y).tolist() == [0, 0, 0.125]
