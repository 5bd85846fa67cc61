"""Generated Python computes what the backend computes on numbers: NaN, ±inf, types, shapes, digits."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from sympy import Rational, S

import backbench
from backbench import NUMPY, UnsupportedOperation, compile, precision
from backbench.backend.sympy_nodes import Maximum, Minimum, Select

x, y, z = sympy.symbols("x y z")
AWKWARD = np.array([-np.inf, -1000.0, -2.5, -1.0, -0.3, 0.0, 1e-300, 0.3, 1.0, 2.0, 710.0, np.inf, np.nan])


def source(expression, *symbols) -> str:
    f = compile(expression, list(symbols) or sorted(expression.free_symbols, key=str)).to_python()
    return next(line.split(" = ", 1)[1] for line in f.source.splitlines() if line.lstrip().startswith("out[...]"))


def method(name):
    return lambda b, *tensors: getattr(b, name)(*tensors)


ONE_NUMBER = """exp expm1 log log1p log2 log10 sqrt sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh
    arctanh erf abs sign floor ceil sigmoid softplus logsigmoid isnan isfinite"""
TWO_NUMBERS = """add sub mul div pow mod floordiv maximum minimum divide_no_nan arctan2
    equal not_equal greater_than greater_or_equal less_than less_or_equal"""
ONE, TWO = ({name: method(name) for name in names.split()} for names in (ONE_NUMBER, TWO_NUMBERS))
TWO |= {
    "select": lambda b, x, y: b.select(x, y, b.log(b.sub(0, x)), b.sqrt(x)),
    "where": lambda b, x, y: b.where(b.greater_than(x, y), b.log(x), b.div(1, y)),
    "clip": lambda b, x, y: b.clip(x, -1.5, y),
    "connectives": lambda b, x, y: b.or_(
        b.and_(b.greater_than(x, 0), b.less_than(y, 1)), b.xor(b.isnan(x), b.isnan(y))
    ),
    "nested": lambda b, x, y: b.div(b.sub(x, b.sub(y, x)), b.mul(b.sub(0, x), b.div(y, b.sub(0, x)))),
}


@pytest.mark.parametrize("name", ONE)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_functions_of_one_number(name, dtype):
    with np.errstate(all="ignore"):
        values = AWKWARD.astype(dtype)
    result = compile(ONE[name], {"x": ()}).to_python()(values)
    with precision(None):
        expected = ONE[name](NUMPY, values)
    assert result.dtype == (bool if expected.dtype == bool else dtype)
    tolerance = 8 * float(np.finfo(dtype).eps)
    np.testing.assert_allclose(result, expected, rtol=tolerance, atol=1e-300 if dtype == np.float64 else 1e-7)


@pytest.mark.parametrize("name", TWO)
def test_functions_of_two_numbers(name):
    a, b = (grid.ravel() for grid in np.meshgrid(AWKWARD, AWKWARD))
    f = compile(TWO[name], {"x": (), "y": ()}).to_python()
    with precision(64):
        expected = TWO[name](NUMPY, a, b)
    np.testing.assert_allclose(f(a, b), expected, rtol=1e-14)
    assert f(a, b).dtype == expected.dtype
    for i in range(0, len(a), 7):
        np.testing.assert_allclose(f(float(a[i]), b[i]), expected[i], rtol=1e-14)


@pytest.mark.parametrize("formulation", ["plain", "shifted", "pairwise"])
@given(
    st.lists(
        st.sampled_from([-np.inf, -1e4, -745.0, -1.0, 0.0, 0.5, 710.0, 1e4, np.inf, np.nan]), min_size=3, max_size=3
    )
)
def test_softmax_with_special_values(formulation, values):
    program = PROGRAMS[formulation]
    with precision(64):
        expected = backbench.softmax(NUMPY, np.array(values), -1, formulation)
    np.testing.assert_allclose(program(values), expected, rtol=1e-14, atol=1e-300)


PROGRAMS = {
    name: compile(lambda b, x, name=name: backbench.softmax(b, x, -1, name), {"x": (3,)}).to_python()
    for name in ("plain", "shifted", "pairwise")
}


def test_logits_far_apart_in_the_pairwise_form():
    f = compile(lambda b, x: b.softmax(x, 0), {"x": (3,)}).to_python()
    far, near = [1000.0, 0.0, -1000.0], [0.1, 0.2, 0.3]
    assert f(far).tolist() == [1, 0, 0]
    np.testing.assert_allclose(f(near), [0.3006096053557273, 0.3322249935333472, 0.36716540111092544], rtol=1e-12)
    for values in (far, near):
        points = f(np.repeat(np.array(values)[:, None], 5, 1))
        assert points.shape == (3, 5) and (points == f(values)[:, None]).all()


def test_tails():
    def values(function, numbers):
        return compile(function, {"x": ()}).to_python()(np.array(numbers))

    tiny = 4.248354255291589e-18
    np.testing.assert_allclose(
        values(lambda b, x: b.logsigmoid(x), [-800.0, -40.0, 40.0, 800.0]),
        [-800, -40, -tiny, 0],
        rtol=1e-12,
        atol=1e-300,
    )
    np.testing.assert_allclose(
        values(lambda b, x: b.softplus(x), [-40.0, 0.0, 15.0, 800.0]),
        [tiny, 0.6931471805599453, 15.000000305902274, 800.0],
        rtol=1e-12,
    )
    both = compile(lambda b, x: (b.softplus(x), b.exp(x), b.add(1, b.exp(x))), {"x": ()}).to_python()
    assert both(800.0) == (800, np.inf, np.inf)  # that exp(x) has a name does not spoil softplus
    assert compile(lambda b, x: b.log_softmax(x, 0), {"x": (2,)}).to_python()([0.0, -800.0]).tolist() == [0, -800]


@pytest.mark.parametrize(
    ("expression", "code"),
    [
        (x / y, "x / y"),
        (x - y, "x - y"),
        (1 / x, "1 / x"),
        (-x, "-x"),
        (x / 3, "x / 3"),
        (Rational(2, 3) * x, "2/3*x"),
        (x + Rational(1, 3), "1/3 + x"),
        (-2 * x * y / z, "-2*x*y / z"),
        (x / (y * z), "x / (y*z)"),
        (x**-2, "1 / x**2"),
        (1 / sympy.sqrt(x), "1 / np.sqrt(x)"),
        (x**y, "x**y"),
        ((-2) ** x, "(-2)**x"),
        (sympy.pi * x + S.Exp1, "np.e + np.pi*x"),
        (S.Infinity * x, "np.inf*x"),
        (S.NaN + 0, "np.nan"),
        (S.ComplexInfinity, "np.nan"),
        (10**400 * x, "np.inf*x"),
        (10**20 * x, "1e+20*x"),
        (sympy.Float(0.1) * x, "0.1*x"),
        (sympy.Float(0.1 + 0.2, 17) * x, "0.30000000000000004*x"),
        (sympy.exp(1) ** x, "np.exp(x)"),
        (sympy.sqrt(2) * x, "x*np.sqrt(2).item()"),
        (sympy.Heaviside(x), "np.heaviside(x, 1/2)"),
        (sympy.sec(x), "1 / np.cos(x)"),
        (Maximum(x, y, 1), "reduce(np.maximum, (1, x, y))"),
        (Minimum(x, y), "np.minimum(x, y)"),
        (Select(x, 0, 0, x), "np.where(x > 0, x, np.where(np.isnan(x), x, 0))"),
        (sympy.Piecewise((1, x > 0), (0, True)), "np.where(x > 0, 1, 0).astype(dtype)"),
        (sympy.And(x > 0, y < 1), "(x > 0) & (y < 1)"),
        (x + y + z + x**2 + y**2 - 3, "x - 3 + y + (z + x**2 + y**2)"),
    ],
)
def test_readable_code(expression, code):
    assert source(expression) == code


NUMERIC_CASES = {
    sympy.Piecewise((x, x > 1), (x**2, x < -1)): lambda v: np.select([v > 1, v < -1], [v, v**2], np.nan),
    sympy.Piecewise((1, x > 2), (2, x > 1), (3, x > 0), (4, True)): lambda v: np.select(
        [v > 2, v > 1, v > 0], [1.0, 2, 3], 4
    ),
    sympy.Max(x, 0): lambda v: np.maximum(v, 0),
    sympy.Min(x, -x, 1): lambda v: np.minimum(np.minimum(v, -v), 1),
    sympy.Abs(x) + sympy.sign(x): lambda v: np.abs(v) + np.sign(v),
    sympy.Mod(x, 3): lambda v: np.mod(v, 3),
    sympy.floor(x) + sympy.ceiling(x): lambda v: np.floor(v) + np.ceil(v),
    sympy.ITE(x > 0, x > 1, x < -1): lambda v: np.where(v > 0, v > 1, v < -1),
    sympy.Not(sympy.Eq(x, 1)): lambda v: v != 1,
    sympy.Xor(x > 0, x > 1): lambda v: (v > 0) ^ (v > 1),
    sympy.cbrt(x): lambda v: v ** (1 / 3),
    x**x: lambda v: v**v,
    sympy.erf(x) + sympy.erfc(x): lambda v: np.where(np.isnan(v), np.nan, 1),
    sympy.sinh(x) / sympy.cosh(x): lambda v: np.sinh(v) / np.cosh(v),
    sympy.log(x, 2) + sympy.log(3): lambda v: np.log(v) / np.log(2) + np.log(3),
    sympy.csch(x): lambda v: 1 / np.sinh(v),
}


@pytest.mark.parametrize("expression", NUMERIC_CASES, ids=str)
def test_expressions_of_users(expression):
    f = compile(expression, [x]).to_python()
    with np.errstate(all="ignore"):
        expected = NUMERIC_CASES[expression](AWKWARD)
    np.testing.assert_allclose(f(AWKWARD), expected, rtol=1e-14)
    for value, one in zip(AWKWARD, expected, strict=True):
        np.testing.assert_allclose(f(float(value)), one, rtol=1e-14)
        np.testing.assert_allclose(f(value), one, rtol=1e-14)
    assert f(np.float32([0.5])).dtype == (bool if f(0.5).dtype == bool else np.float32)


@pytest.mark.parametrize(
    "expression",
    [sympy.zeta(x), sympy.Function("g")(x), sympy.Integral(sympy.exp(x * y), (y, 0, x)).subs(y, 1)],
    ids=str,
)
def test_functions_without_code_are_named(expression):
    program = compile(expression + 0 * y, sorted(expression.free_symbols | {x, y}, key=str))
    for library in ("numpy", "mpmath"):
        with pytest.raises(
            UnsupportedOperation, match=f"'{type(expression).__name__}': .* {library}.*rewrite"
        ) as error:
            program.to_python(library)
        assert "Backend" not in str(error.value)


def test_unknown_library():
    with pytest.raises(ValueError, match="Known: numpy, mpmath"):
        compile(x, [x]).to_python("fortran")


@pytest.mark.parametrize(
    "weight", [0.1 + 0.2, 1 / 3, 0.1, 1e-300, 5e-324, 1.7976931348623157e308, 2.0**60 + 2.0**8, -math.pi]
)
def test_weights_keep_all_digits(weight):
    by_hand = compile(x * sympy.Float(weight, 17), [x]).to_python()
    for f in (compile(lambda b, x: b.mul(weight, x), {"x": ()}).to_python(), by_hand):
        assert float(f(1.0)).hex() == weight.hex()
    traced = compile(lambda b, x: b.sum(b.mul([weight, 0.5], x)), {"x": (2,)}).to_python()
    assert float(traced([1.0, 0.0])).hex() == weight.hex()
    assert repr(abs(weight)) in by_hand.source


def test_a_difference_in_the_last_digit_is_seen():
    w = 0.1 + 0.2
    traced = compile(lambda b, x: b.mul(b.sub(b.mul(w, x), 0.3), 2**54), {"x": ()}).to_python()
    evaluated = compile((w * x - 0.3) * 2**54, [x]).to_python()
    assert traced(1.0) == 1 and evaluated(1.0) == 1


@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(-1e3, 1e3))
def test_any_weight_and_bias(weight, bias):
    f = compile(lambda b, x: b.add(b.mul(weight, x), bias), {"x": ()}).to_python()
    with np.errstate(all="ignore"):
        assert f(1.25) == np.float64(weight) * 1.25 + bias


@pytest.mark.parametrize("fraction", ["1/3", "-22/7", "1/10", f"{10**30 + 1}/{3 * 10**30}", f"{10**400}/3", "3/8"])
def test_rational_numbers_are_rounded_once(fraction):
    number = Rational(fraction)
    try:
        expected = number.p / number.q
    except OverflowError:
        expected = math.inf
    assert compile(number + 0 * y, [x]).to_python()(1.0) == expected


class TestBranchesNotTaken:
    """What is computed in the branch that is not chosen must not be felt."""

    CASES = (
        ("log", lambda b, x: b.select(x, 0, 0, b.log(x)), [-1.0, 0.0, 1.0, math.e], [0, 0, 0, 1]),
        (
            "shared",
            lambda b, x: b.select(x, 0, 0, b.add(b.log(x), b.mul(b.log(x), b.log(x)))),
            [-1.0, 0.0, 2.0],
            [0, 0, 1.1736001944781467],
        ),
        ("division", lambda b, x: b.select(b.abs(x), 0, 7, b.div(1, x)), [0.0, 2.0, -4.0], [7, 0.5, -0.25]),
        ("overflow", lambda b, x: b.select(x, 0, b.sub(b.exp(x), 1), x), [1e4, -1e4, 0.0], [1e4, -1, 0]),
        ("where", lambda b, x: b.where(b.greater_than(x, 0), b.pow(x, 0.5), 0), [-4.0, 4.0], [0, 2]),
    )

    @pytest.mark.parametrize(("f", "values", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
    def test_arrays_scalars_and_floats(self, f, values, expected):
        compiled = compile(f, {"x": ()}).to_python()
        np.testing.assert_allclose(compiled(np.array(values)), expected, rtol=1e-12, atol=1e-15)
        for value, one in zip(values, expected, strict=True):
            for number in (value, np.float64(value), np.array(value)):
                np.testing.assert_allclose(compiled(number), one, rtol=1e-12, atol=1e-15)

    def test_names_in_both_branches(self):
        program = compile(lambda b, x: (b.select(x, 0, 0, b.log(x)), b.log(x)), {"x": ()})
        assert len(program.assignments) == 1
        chosen, log = program.to_python()(np.array([-1.0, 1.0]))
        assert chosen.tolist() == [0, 0] and np.isnan(log[0])


class TestConstants:
    def test_constant_outputs_have_the_shape_of_the_points(self):
        f = compile([sympy.tanh(sympy.Float(0.5))], [x]).to_python()
        expected = np.full((1, 4), 0.46211715726000974)
        np.testing.assert_allclose(f(np.array([-1.0, 0, 1, 2])), expected, rtol=1e-12)
        assert f(np.ones(4)).dtype == np.float64 and f(np.ones(4, np.float32)).dtype == np.float32
        assert compile(sympy.Float(0.5), [x]).to_python()(np.ones((2, 4))).shape == (2, 4)
        assert compile(sympy.Float(0.5), [x]).to_python()(1.0).shape == ()

    def test_weights_of_zero(self):
        f = compile(lambda b, x: b.tanh(b.add(b.matmul(np.zeros((1, 1)), x), [0.5])), {"x": (1,)}).to_python()
        np.testing.assert_allclose(f(np.array([[-1.0, 0, 1, 2]])), np.full((1, 4), 0.46211715726000974), rtol=1e-12)

    def test_inputs_that_are_not_used(self):
        f = compile([x, S.One, y], [x, y, z]).to_python()
        assert f(np.ones((4, 1)), np.ones(3), 5.0).shape == (3, 4, 3)

    @pytest.mark.parametrize(
        ("f", "expected"),
        [
            (lambda b: b.div(1.0, 0.0), np.inf),
            (lambda b: b.div(0.0, b.sub(0.5, 0.5)), np.nan),
            (lambda b: b.pow(b.sub(0.5, 0.5), -1.5), np.inf),
            (lambda b: b.log(b.sub(0.5, 0.5)), -np.inf),
            (lambda b: b.mul(b.exp(700.5), 1e10), np.inf),
            (lambda b: b.pow(10.5, 400.5), np.inf),
            (lambda b: b.maximum(b.exp(1.5), 0.5), np.exp(1.5)),
            (lambda b: b.select(b.exp(0.5), 1, 2, 3), 3),
            (lambda b: b.where(b.greater_than(b.exp(0.5), 2), 1, b.sqrt(2)), np.sqrt(2)),
        ],
    )
    def test_numbers_alone(self, f, expected):
        np.testing.assert_allclose(
            compile(lambda b, x: f(b), {"x": ()}).to_python()(np.float32(1)), np.float32(expected)
        )
        shared = compile(lambda b, x: b.div(b.mul(f(b), f(b)), b.mul(f(b), f(b))), {"x": ()}).to_python()
        with np.errstate(all="ignore"):
            np.testing.assert_allclose(shared(1.0), np.float64(expected) ** 2 / np.float64(expected) ** 2)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.longdouble, np.complex64])
def test_floats_keep_their_type(dtype):
    def f(b, x, w):
        t = b.exp(b.mul(b.div(x, 3), np.pi))
        return b.stack(
            [b.add(b.mul(t, t), b.mul(w, 0.1)), b.sum(b.stack([t] * 20)), b.softplus(x)][: 2 if complex_ else 3]
        )

    complex_ = np.dtype(dtype).kind == "c"
    compiled = compile(f, {"x": (), "w": ()}).to_python()
    assert compiled(np.ones(3, dtype), np.ones(3, dtype)).dtype == dtype
    assert compiled(np.ones(3, dtype), 0.5).dtype == dtype
    assert compiled(dtype(1), dtype(1)).dtype == dtype


@pytest.mark.parametrize(
    "values", [[1, 2, 4], np.array([1, 2, 4], np.int8), [True, True, False], np.array([1, 2, 4], np.uint64)]
)
def test_integers_become_floats(values):
    f = compile(lambda b, x: b.div(1, b.pow(x, 2)), {"x": (3,)}).to_python()
    with np.errstate(all="ignore"):
        expected = 1 / np.asarray(values, float) ** 2
    assert f(values).dtype == np.float64 and f(values).tolist() == expected.tolist()
    assert compile(lambda b, x: b.sum(x), {"x": ()}).to_python()(3).dtype == np.float64


def test_complex_numbers_in_expressions():
    f = compile(sympy.exp(sympy.I * x), [x]).to_python()
    np.testing.assert_allclose(f(np.array([0.5, 1.0])), np.exp(1j * np.array([0.5, 1.0])))
    parts = compile([sympy.re(x), sympy.im(x), sympy.conjugate(x)], [x]).to_python()
    np.testing.assert_allclose(parts(2 + 3j), [2, 3, 2 - 3j])


def test_inputs_are_not_written_to():
    values = np.ones((3, 2))
    values.flags.writeable = False
    assert (compile(lambda b, x: b.softmax(x, 0), {"x": (3,)}).to_python()(values) == 1 / 3).all() and (
        values == 1
    ).all()


def test_points_broadcast():
    f = compile(lambda b, x, t: b.mul(x, t), {"x": (2,), "t": ()}).to_python()
    result = f(np.arange(6.0).reshape(2, 3, 1), np.arange(4.0))
    assert result.shape == (2, 3, 4) and result[1, 2, 3] == 15
    with pytest.raises(ValueError, match="x has shape"):
        f(np.ones(3), 1.0)


def test_mpmath_computes_with_the_digits_of_the_moment():
    f = compile(lambda b, x: b.mul(b.div(1, 3), b.exp(b.mul(0.1, x))), {"x": ()}).to_python("mpmath")
    with mpmath.workdps(40):
        expected = mpmath.exp(mpmath.mpf(0.1) * 2) / 3
        assert abs(f(2)[()] - expected) < mpmath.mpf(10) ** -38


@pytest.mark.parametrize("name", [*ONE, *TWO])
def test_mpmath_has_the_same_special_values(name):
    function, arguments = (ONE[name], 1) if name in ONE else (TWO[name], 2)
    program = compile(function, dict.fromkeys(["x", "y"][:arguments], ()))
    numeric, exact = program.to_python(), program.to_python("mpmath")
    for a in AWKWARD:
        for b in AWKWARD if arguments == 2 else [0.0]:
            values = [a, b][:arguments]
            value, reference = float(numeric(*values)), exact(*values)[()]
            if np.isfinite(value):
                assert float(reference) == pytest.approx(value, rel=1e-9, abs=1e-280), values
            else:
                overflows = mpmath.isfinite(reference) and abs(reference) > 1e308
                assert overflows or float(reference) == value or (np.isnan(value) and mpmath.isnan(reference)), values
