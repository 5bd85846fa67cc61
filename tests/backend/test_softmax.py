"""Softmax and its relatives: masked, far apart, in half precision."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from backbench import NUMPY, precision, softmax

INF, NAN = np.inf, np.nan


@pytest.fixture(autouse=True)
def _double():
    with precision(64):
        yield


def test_masked_rows_stay_finite_and_a_row_without_any_unit_is_nan():
    x = np.array([[1.0, -INF, 2.0], [-INF, -INF, -INF], [0.5, 0.5, 0.5]])
    expected = [[0.2689414213699951, 0.0, 0.7310585786300049], [NAN] * 3, [1 / 3] * 3]
    np.testing.assert_allclose(NUMPY.softmax(x, -1), expected, rtol=1e-12, atol=1e-12)
    log = [[-1.3132616875182228, -INF, -0.3132616875182228], [NAN] * 3, [-1.0986122886681098] * 3]
    np.testing.assert_allclose(NUMPY.log_softmax(x, -1), log, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(NUMPY.logsumexp(x, -1), [2.3132616875182228, -INF, 0.5 + np.log(3)], rtol=1e-12)


def test_infinite_and_nan_logits_make_the_row_nan():
    for x in ([INF, 1.0], [NAN, 1.0], [INF, INF]):
        assert np.isnan(NUMPY.softmax(x, -1)).all()
        assert np.isnan(NUMPY.log_softmax(x, -1)).all()
    assert NUMPY.logsumexp([INF, 1.0], -1) == INF


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_axis_and_keepdims(axis):
    x = np.arange(6.0).reshape(2, 3)
    np.testing.assert_allclose(NUMPY.sum(NUMPY.softmax(x, axis), axis), 1)
    assert NUMPY.logsumexp(x, axis, keepdims=True).shape == NUMPY.stabilizer(x, axis).shape
    np.testing.assert_allclose(NUMPY.logsumexp(x, axis), np.log(np.sum(np.exp(x), axis)))


@pytest.mark.parametrize("bits", [16, None])
def test_half_precision_neither_overflows_nor_leaves_its_type(bits):
    with precision(bits):
        y = NUMPY.softmax(np.array([12, 11, 10], np.float16), -1)
        log = NUMPY.log_softmax(np.array([40000, -20000, 39968], np.float16), -1)
    assert y.dtype == log.dtype == np.float16
    np.testing.assert_allclose(y, [0.6652409557748219, 0.24472847105479764, 0.09003057317038046], atol=5e-4)
    np.testing.assert_allclose(log, [-1.2664165549094095e-14, -60000.0, -32.000000000000014], rtol=2e-3, atol=5e-4)


def test_tails_keep_their_digits():
    tiny = 4.248354255291589e-18
    x = np.array([-800.0, -40.0, 40.0, 800.0])
    np.testing.assert_allclose(NUMPY.logsigmoid(x), [-800.0, -40.0, -tiny, 0.0], rtol=1e-12, atol=1e-300)
    x = np.array([-40.0, 0.0, 15.0, 800.0])
    np.testing.assert_allclose(NUMPY.softplus(x), [tiny, np.log(2), 15.000000305902274, 800.0], rtol=1e-12, atol=1e-300)
    np.testing.assert_allclose(NUMPY.log_softmax([0.0, -800.0], -1), [0.0, -800.0], rtol=1e-12, atol=1e-300)
    np.testing.assert_allclose(NUMPY.log_softmax([0.0, -40.0], -1), [-tiny, -40.0], rtol=1e-12, atol=1e-300)
    np.testing.assert_allclose(NUMPY.sigmoid([-800.0, 0.0, 800.0]), [np.exp(-800.0), 0.5, 1.0], rtol=1e-12, atol=5e-324)
    np.testing.assert_array_equal(NUMPY.softplus([INF, -INF, NAN]), [INF, 0, NAN])


logits = st.lists(st.floats(-1e4, 1e4) | st.just(-INF), min_size=1, max_size=64).filter(lambda x: max(x) > -INF)


@given(logits)
@example([0.0] + [-22.861451551340323] * 63)  # one large term and many small ones, which together count
@example([0.0] + [-30.0] * 7)
def test_shifted_softmax_is_right_to_the_last_digits(x):
    with mpmath.workdps(50), precision(64):
        exponentials = [mpmath.exp(mpmath.mpf(v)) for v in x]
        total = mpmath.fsum(exponentials)
        for values in (softmax(NUMPY, x), NUMPY.softmax(x, -1)):
            assert all(abs(y - e / total) <= 5e-16 for y, e in zip(values.tolist(), exponentials, strict=True))
        for y, v in zip(NUMPY.log_softmax(x, -1).tolist(), x, strict=True):
            exact = v - mpmath.log(total)
            assert y == exact or abs(y - exact) <= 1e-15 * max(1, abs(exact))


@given(st.lists(st.floats(-300, 300), min_size=1, max_size=8))
def test_formulations_agree_where_none_overflows(x):
    with precision(64):
        shifted = softmax(NUMPY, x)
        for formulation in ("plain", "pairwise"):
            np.testing.assert_allclose(softmax(NUMPY, x, formulation=formulation), shifted, rtol=1e-12, atol=1e-300)


def test_formulations_differ_where_they_must():
    assert np.isnan(softmax(NUMPY, [1e4, 0.0], formulation="plain")).any()
    np.testing.assert_array_equal(softmax(NUMPY, [1e4, 0.0], formulation="pairwise"), [1, 0])
    assert np.isnan(softmax(NUMPY, [0.0, -INF, -INF], formulation="pairwise")).any()
    np.testing.assert_array_equal(softmax(NUMPY, [0.0, -INF, -INF], formulation="shifted"), [1, 0, 0])
    np.testing.assert_array_equal(softmax(NUMPY, [0.0, -INF], formulation="pairwise"), [1, 0])


@pytest.mark.parametrize("axis", [0, 1, -1, -2])
def test_pairwise_works_along_any_axis(axis):
    x = np.arange(12.0).reshape(3, 4)
    np.testing.assert_allclose(softmax(NUMPY, x, axis, "pairwise"), softmax(NUMPY, x, axis, "plain"))


@pytest.mark.parametrize("x", [[[1.0, 2.0]], 1.0])
@pytest.mark.parametrize("function", ["softmax", "log_softmax", "logsumexp", "plain", "shifted", "pairwise"])
def test_an_axis_that_does_not_exist_is_named(x, function):
    def call(axis):
        if hasattr(NUMPY, function):
            return getattr(NUMPY, function)(x, axis)
        return softmax("numpy", x, axis, function)

    for axis in (5, -3):
        with pytest.raises(ValueError, match=f"softmax.*axis {axis}|logsumexp.*axis {axis}"):
            call(axis)
    with pytest.raises(TypeError, match=r"axis is an integer, not \(0, 1\)"):
        call((0, 1))


def test_unknown_formulation_names_the_known_ones():
    with pytest.raises(ValueError, match="plain, shifted, pairwise"):
        softmax(NUMPY, [1.0], formulation="fast")
