"""Reference values, errors, and how accurate the compiled softmax is."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

import backbench
from backbench import compile
from backbench.accuracy import absolute_error, reference, ulp_error

UNITS = 64
SOFTMAX = compile(lambda b, x: backbench.softmax(b, x, 0, "shifted"), {"x": (UNITS,)}, name="softmax")
LOG_SOFTMAX = compile(lambda b, x: b.log_softmax(x, 0), {"x": (UNITS,)}, name="log_softmax")
softmax, log_softmax = SOFTMAX.to_python(), LOG_SOFTMAX.to_python()


def check(x):
    exact = reference(SOFTMAX, x, digits=40)
    assert absolute_error(softmax(x), exact).max() <= 5e-16
    logs = log_softmax(x)
    error = absolute_error(logs, reference(LOG_SOFTMAX, x, digits=40))
    assert (error <= 1e-15 * np.maximum(1, np.abs(np.where(np.isfinite(logs), logs, 0)))).all()


logits = st.floats(-1e4, 1e4) | st.floats(-1, 1) | st.floats(-40, 0) | st.just(-np.inf)


@settings(max_examples=60, deadline=None)
@given(st.lists(logits, min_size=UNITS, max_size=UNITS).filter(lambda x: max(x) > -np.inf))
def test_softmax_of_any_logits(x):
    check(np.array(x))


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 2**32 - 1), st.floats(0, 45), st.sampled_from([0.0, 0.1, 1.0, 5.0, 1e3]), st.integers(0, UNITS - 1)
)
def test_softmax_with_one_large_unit(seed, distance, spread, cut):
    random = np.random.default_rng(seed)
    x = -np.abs(random.normal(distance, spread, UNITS))
    x[random.permutation(UNITS)[:cut]] = -np.inf
    x[random.integers(UNITS)] = 0
    check(x + random.uniform(-100, 100))


def test_reference_at_the_binary_value_of_the_inputs():
    program = compile(lambda b, x, w: b.mul(w, x), {"x": (2,), "w": ()})
    with mpmath.workdps(60):
        exact = [
            [mpmath.mpf(0.1) * mpmath.mpf(3.3), mpmath.mpf(0.2) * mpmath.mpf(3.3)],
            [mpmath.mpf(0.7) * 2, mpmath.mpf(0.5) * 2],
        ]
        values = reference(program, np.array([[0.1, 0.7], [0.2, 0.5]]), np.array([3.3, 2.0]))
        assert values.shape == (2, 2)
        for i in range(2):
            for j in range(2):
                assert abs(values[i, j] - exact[j][i]) < mpmath.mpf(10) ** -49


def test_reference_with_infinite_logits():
    x = np.full(UNITS, -np.inf)
    x[:2] = [0.0, np.log(3.0)]
    values = reference(SOFTMAX, x)
    assert float(values[0]) == pytest.approx(0.25) and float(values[1]) == pytest.approx(0.75)
    assert all(value == 0 for value in values[2:])
    pairwise = compile(lambda b, x: backbench.softmax(b, x, 0, "pairwise"), {"x": (3,)})
    values = reference(pairwise, [-np.inf, -np.inf, 0.0])
    assert mpmath.isnan(values[0]) and mpmath.isnan(values[1]) and values[2] == 1
    plain = compile(lambda b, x: backbench.softmax(b, x, 0, "plain"), {"x": (2,)})
    assert float(reference(plain, [1e4, 0.0])[0]) == 1  # 50 digits do not overflow


def test_reference_of_several_outputs_and_wrong_inputs():
    program = compile(lambda b, x, y: (b.add(x, y), b.exp(y)), {"x": (2,), "y": ()})
    total, power = reference(program, np.ones((2, 3)), np.zeros(3))
    assert total.shape == (2, 3) and power.shape == (3,) and (power == 1).all()
    with pytest.raises(ValueError, match=r"takes 2 inputs \(x, y\), not 1"):
        reference(program, [1.0, 2.0])
    with pytest.raises(ValueError, match="x has shape"):
        reference(program, [1.0], 1.0)


def test_special_values_have_no_error_when_they_agree():
    values = np.array([np.nan, np.inf, -np.inf, np.nan, np.inf, 1.0, np.inf, 1.0])
    exact = np.array(
        [mpmath.nan, mpmath.inf, -mpmath.inf, mpmath.mpf(1), mpmath.mpf(1), mpmath.inf, -mpmath.inf, mpmath.nan], object
    )
    expected = [0, 0, 0, np.nan, np.inf, np.inf, np.inf, np.nan]
    np.testing.assert_array_equal(absolute_error(values, exact), expected)
    np.testing.assert_array_equal(ulp_error(values, exact), expected)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("value", [1.0, 0.3, -7.25, 6e4, 6.2e-5, 1e-7, 0.0])
def test_ulp_is_the_spacing_of_the_type(dtype, value):
    number = dtype(value)
    spacing = float(np.spacing(np.abs(number)))
    with mpmath.workdps(400):
        exact = np.array(mpmath.mpf(float(number)) + mpmath.mpf(spacing) / 4, object)
    assert ulp_error(number, exact) == 0.25
    assert absolute_error(number, exact) == spacing / 4
    assert ulp_error(number, np.array(mpmath.mpf(float(number)), object)) == 0


def test_errors_broadcast_and_take_integers():
    assert ulp_error(1, np.array([mpmath.mpf(1), mpmath.mpf(1) + mpmath.mpf(2) ** -52], object)).tolist() == [0, 1]
    x = sympy.Symbol("x")
    exact = reference(compile(1 / (3 + x), [x]), np.array([0.0, 1.0]))
    assert ulp_error(np.array([1 / 3, 0.25]), exact).max() < 0.5
