"""Numbers and expressions: what is a tensor, exact numbers, and numbers larger than any double."""

from __future__ import annotations

import time
from decimal import Decimal
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy

from backbench import SYMPY, NoBackendFound, choose_backend, exact

x = sympy.Symbol("x")
TENSORS = {
    "mutable matrix": sympy.Matrix([[x, 1]]),
    "immutable matrix": sympy.ImmutableMatrix([[x, 1]]),
    "matrix symbol": sympy.MatrixSymbol("A", 2, 2),
    "array of SymPy": sympy.Array([x, 1]),
    "mutable array of SymPy": sympy.MutableDenseNDimArray([x, 1]),
    "tuple of SymPy": sympy.Tuple(x, 1),
    "expression": x + 1,
    "condition": x > 0,
    "true": sympy.true,
    "range": range(3),
    "nested": [range(2), (x, 1)],
    "empty": [],
    "long double": np.longdouble(1),
    "long doubles": np.array([0.1, 2], np.longdouble),
    "long complex": np.array([0.5 + 2j], np.clongdouble),
    "fraction": Fraction(1, 3),
    "decimal": Decimal("0.1"),
    "mpf": mpmath.mpf("0.5"),
    "object array": np.array([x, 1, 0.5], object),
    "object array of arrays": np.array([np.array(x, object), 1], object),
}
NO_TENSORS = {
    "set of SymPy": sympy.FiniteSet(1),
    "interval": sympy.Interval(0, 1),
    "sets in a list": [sympy.FiniteSet(1), 1],
    "sets in an array": np.array([sympy.FiniteSet(1)], object),
    "matrix of unknown size": sympy.MatrixSymbol("A", x, 2),
    "text": "x",
    "bytes": b"x",
    "texts": np.array(["x"]),
    "date": np.datetime64("2000"),
    "none": None,
    "none in an array": np.array([None, x], object),
    "set": {1},
    "dict": {},
    "ragged": [[1], [1, 2]],
    "class": sympy.Symbol,
    "generator": (i for i in range(2)),
}


@pytest.mark.parametrize("value", TENSORS.values(), ids=TENSORS)
def test_tensors_can_be_chosen_for_and_converted(value):
    choose_backend(x)
    assert SYMPY.is_tensor(value)
    tensor = SYMPY.as_tensor(value)
    assert tensor.dtype == object and all(isinstance(v, sympy.Expr | sympy.logic.boolalg.Boolean) for v in tensor.flat)
    assert SYMPY.is_tensor(choose_backend(value, prefer_default=True).as_tensor(value)) or tensor.size == 0


@pytest.mark.parametrize("value", NO_TENSORS.values(), ids=NO_TENSORS)
def test_what_cannot_be_converted_is_no_tensor(value):
    assert not SYMPY.is_tensor(value)
    with pytest.raises((TypeError, ValueError)):
        SYMPY.as_tensor(value)
    with pytest.raises(NoBackendFound):
        choose_backend(value, x)


def test_long_doubles_keep_their_digits():
    third = np.longdouble(1) / 3
    (value,) = SYMPY.as_tensor([third])
    assert sympy.Rational(value) == sympy.Rational(*third.as_integer_ratio())
    assert SYMPY.as_tensor(np.longdouble("inf"))[()] == sympy.oo and exact(np.longdouble("0.1"))[()] == sympy.Rational(
        1, 10
    )


@pytest.mark.parametrize(
    "value", ["1/0", ["1/2", "1/0"], "0/0", "", "inf", Decimal("nan"), sympy.FiniteSet(1), "1/2/3"]
)
def test_exact_names_what_is_no_number(value):
    with pytest.raises(TypeError, match="is no number"):
        exact(value)


def exp_of_exp(value):
    return SYMPY.exp(SYMPY.exp(value))


HUGE = {
    "exp": (lambda: SYMPY.exp([1e10, -1e10, 1e300]), [np.inf, 0, np.inf]),
    "exp of a fraction": (lambda: SYMPY.exp(1e10 + 0.5), np.inf),
    "exp of exp": (lambda: exp_of_exp(1e10), np.inf),
    "exp of exp of a fraction": (lambda: exp_of_exp(1e10 + 0.5), np.inf),
    "exp of exp of exp": (lambda: SYMPY.exp(exp_of_exp([600.5, 1e300])), [np.inf, np.inf]),
    "exp of -exp": (lambda: SYMPY.exp(SYMPY.sub(0, SYMPY.exp(1e10))), 0),
    "exp of i exp": (lambda: SYMPY.exp(SYMPY.mul(sympy.I, SYMPY.exp(1e10))), np.nan),
    "log of exp": (lambda: SYMPY.log(SYMPY.exp([1e10, 1e300])), [1e10, 1e300]),
    "log of exp of exp": (lambda: SYMPY.log(exp_of_exp(1e10)), np.inf),
    "log1p": (lambda: SYMPY.log1p([SYMPY.exp(1e10), exp_of_exp(1e10)]), [1e10, np.inf]),
    "expm1": (lambda: SYMPY.expm1([1e10, -1e10, SYMPY.exp(-1e10), exact("1e-200")]), [np.inf, -1, 0, 1e-200]),
    "softplus": (lambda: SYMPY.softplus([1e10, -1e10, 1e300]), [1e10, 0, 1e300]),
    "sigmoid": (lambda: SYMPY.sigmoid([1e10, -1e10]), [1, 0]),
    "pow": (lambda: SYMPY.pow([10.0, 0.5, -2.0, 1.0, 0.0], 1e10), [np.inf, 0, np.inf, 1, 0]),
    "negative pow": (lambda: SYMPY.pow(10.0, -1e10), 0),
    "odd pow": (lambda: SYMPY.pow(-2.0, 1e10 + 1), -np.inf),
    "pow near 1": (lambda: SYMPY.pow(exact("1.0000000001"), 10**10), float(np.exp(1e10 * np.log1p(1e-10)))),
    "pow of a root": (lambda: SYMPY.pow(SYMPY.sqrt(2), 1e10), np.inf),
    "pow of exp": (lambda: SYMPY.pow([2, exact("1/2"), 1], SYMPY.exp(1e10)), [np.inf, 0, 1]),
    "product of powers": (lambda: SYMPY.mul(SYMPY.pow(10.0, 1e10), SYMPY.pow(10.0, 1e10)), np.inf),
    "log of pow": (lambda: SYMPY.log(SYMPY.pow(10.0, 1e10)), 1e10 * np.log(10)),
    "softmax": (lambda: SYMPY.softmax([1e10, 0], 0), [1, 0]),
    "log_softmax": (lambda: SYMPY.log_softmax([1e10, 0], 0), [0, -1e10]),
    "sinh cosh tanh": (
        lambda: SYMPY.stack([SYMPY.sinh(SYMPY.exp(1e10)), SYMPY.cosh(-1e10), SYMPY.tanh(SYMPY.exp(1e10))]),
        [np.inf, np.inf, 1],
    ),
    "sin": (lambda: SYMPY.sin(SYMPY.exp([1e10, 1e300])), [np.nan, np.nan]),
    "floor and mod": (
        lambda: SYMPY.stack([SYMPY.floor(SYMPY.exp(1e10)), SYMPY.ceil(exp_of_exp(9)), SYMPY.mod(SYMPY.exp(1e10), 3)]),
        [np.inf, np.inf, np.nan],
    ),
    "mod": (
        lambda: SYMPY.mod([SYMPY.exp(-1e10), SYMPY.sub(0, SYMPY.exp(-1e10)), 3, -3], [3, 3, SYMPY.exp(1e10), 2]),
        [0, 3, 3, 1],
    ),
    "comparisons": (
        lambda: SYMPY.stack(
            [SYMPY.maximum(exp_of_exp(1e10), 1), SYMPY.select(exp_of_exp(1e10), 0, 1, 2), SYMPY.greater_than(1, -1)]
        ),
        [np.inf, 2, 1],
    ),
    "nodes of SymPy": (
        lambda: [
            sympy.exp(sympy.exp(sympy.Integer(10**10))),
            sympy.Pow(2, sympy.exp(sympy.Integer(10**10)), evaluate=False),
            1 / (1 + sympy.exp(sympy.exp(sympy.Integer(10**10)))),
        ],
        [np.inf, np.inf, 0],
    ),
    "integers and ratios": (lambda: [10**400, -(10**400), sympy.Rational(1, 10**400)], [np.inf, -np.inf, 0]),
}


@pytest.mark.parametrize(("build", "expected"), HUGE.values(), ids=HUGE)
def test_numbers_beyond_all_doubles_are_inf_or_0_at_once(build, expected):
    start = time.process_time()
    value = SYMPY.numpy(build())
    assert time.process_time() - start < 2
    np.testing.assert_allclose(np.asarray(value, float), expected, rtol=1e-15)


def test_large_exact_powers_stay_exact():
    assert SYMPY.pow(3, 2000)[()] == 3**2000 and SYMPY.pow(exact("2/3"), -500)[()] == sympy.Rational(3, 2) ** 500
    assert SYMPY.pow(x, 10**10)[()] == x ** (10**10) and SYMPY.exp(10**10)[()] == sympy.exp(10**10)
