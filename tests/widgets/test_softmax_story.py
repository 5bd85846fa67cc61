"""The sentences under the numbers: every NaN has a cause, and the cause is the right one."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from backbench.widgets.following import FLOATS as PRECISIONS
from backbench.widgets.softmax_numbers import FORMULATIONS, measure
from backbench.widgets.softmax_page import draw
from backbench.widgets.softmax_story import explain, summary

INF = math.inf


@pytest.mark.parametrize(
    ("values", "formulation", "sentence"),
    [
        ((1e4, 0.0), "plain", "exp(10000) overflows float16, float32 and float64"),
        ((1e4, 0.0), "plain", "(largest exponents 11.1, 88.7 and 709.8): inf/inf = NaN."),
        ((12.0, 0.0), "plain", "exp(12) overflows float16 (largest exponent 11.1): inf/inf = NaN. The other outputs"),
        ((12.0, 0.0), "plain", "The other outputs are divided by inf and become 0."),
        ((11.0, 11.0), "plain", "No exponential overflows float16, but their sum does"),
        ((-1000.0, -1000.0), "plain", "exp(-1000), is 0 in float16, float32 and float64: 0/0 = NaN."),
        ((-INF, 0.0, -INF), "pairwise", "x_0 and x_2 are -inf in float16, float32 and float64"),
        ((1e5, 2e5), "pairwise", "x_0 and x_1 are inf in float16, and the pairwise form subtracts them: inf - inf"),
        ((1e5, 0.0), "shifted", "The maximum itself is infinite in float16"),
        ((1e5, 0.0), "shifted", "x_0 is beyond the largest number of float16, 65504"),
        ((0.0, -20.0), "shifted", "1 output is 0 in float16: too small"),
        ((math.nan, 0.0), "shifted", "Every output divides by a sum over all inputs"),
        ((-INF, -INF), "plain", "Every exponential is 0, and 0/0 = NaN."),
        ((-INF, -INF), "shifted", "The maximum is -inf as well, and subtracting it gives -inf - (-inf) = NaN."),
        ((-INF, -INF), "pairwise", "subtracts them from each other: -inf - (-inf) = NaN."),
        ((INF, 0.0), "plain", "inf/inf = NaN. The other outputs are divided by inf and become 0."),
        ((INF, INF), "plain", "exp(inf) is inf, and inf/inf = NaN."),
        ((INF, 0.0), "shifted", "inf - inf = NaN, which the sum brings to every output."),
        ((INF, 0.0), "pairwise", "it gives 1, the limit when only this input grows"),
        ((INF, INF, 0.0), "pairwise", "inf - inf = NaN. The other outputs are divided by inf and become 0."),
        ((INF, 1e5), "pairwise", "x_1 is beyond the largest number of float16"),
        ((1.0, 2.0), "plain", "Nothing overflows: the largest exponential is exp(2) = 7.39."),
        ((1.0, 2.0), "shifted", "Nothing overflows: the maximum is subtracted first"),
        ((1.0, 2.0), "pairwise", "Nothing goes wrong"),
    ],
)
def test_the_cause_is_named(values, formulation, sentence):
    assert sentence in " ".join(explain(measure(values, formulation)))


SPECIAL = st.sampled_from([0.0, INF, -INF, math.nan, 1e4, -1e4, 1e5, -1e5, 1e39, -1e39, 1e300])


@given(st.lists(st.floats(-30, 30) | SPECIAL, min_size=2, max_size=5), st.sampled_from(FORMULATIONS))
@example([-1e5, -1e5], "shifted")
@example([-1e300, -INF], "plain")
def test_every_nan_is_explained_and_no_nan_is_invented(values, formulation):
    result = measure(values, formulation)
    text = " ".join(explain(result))
    undefined = "Softmax has no value here because" in summary(result, 64)
    assert undefined == (math.isnan(sum(values)) or INF in values or max(values) == -INF)
    if not undefined:
        for bits, column in result.columns.items():
            named = any(f"float{bits}" in sentence for sentence in explain(result) if "= NaN" in sentence)
            assert named == bool(np.isnan(column.outputs).any()), (bits, text)


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ((INF, 2.0, 0.5), "x_0 is +inf"),
        ((INF, 2.0, INF), "x_0 and x_2 are +inf"),
        ((0.0, math.nan, INF), "x_1 is NaN"),
        ((-INF, -INF, -INF), "all inputs are -inf"),
    ],
)
def test_where_softmax_has_no_value_nothing_is_counted_and_no_error_is_told(values, formulation, reason):
    result = measure(values, formulation)
    for bits in PRECISIONS:
        line = summary(result, bits)
        assert line.endswith(f". Softmax has no value here because {reason}."), line
        assert "lost" not in line and "rror" not in line and "ulp" not in line
        texts = draw(result, bits)["columns"][str(bits)]
        assert (texts["absolute"], texts["ulp"]) == (["–"] * 3, [""] * 3)
    assert draw(result, 64)["exact"] == ["no value"] * 3


def test_the_outputs_without_a_value_are_shown_as_they_are():
    assert "pairwise: 1.000, 0, 0. Softmax" in summary(measure((INF, 2.0, 0.5), "pairwise"), 64)
    assert "plain: NaN, 0, 0. Softmax" in summary(measure((INF, 2.0, 0.5), "plain"), 64)
    assert "shifted: NaN, NaN, NaN. Softmax" in summary(measure((INF, 2.0, 0.5), "shifted"), 64)


def test_a_true_value_below_all_floats_is_0_without_an_unreadable_number():
    drawing = draw(measure((1e4, 0.0), "shifted"), 64)
    assert drawing["columns"]["64"]["ulp"] == ["0 ulp", "0 ulp"]
    assert drawing["exact"][1].endswith("e-4343")
    drawing = draw(measure((1e39, 250.0, 0.0), "plain"), 64)
    assert drawing["exact"] == ["1", "≈ 0, below 1e-9999", "≈ 0, below 1e-9999"]
    assert draw(measure((0.0, -250.0), "shifted"), 32)["columns"]["32"]["ulp"][1] == "< 0.01 ulp"


def test_the_summary_tells_the_chosen_precision_in_one_line():
    result = measure((1.0, 2.0, 0.5), "shifted")
    assert summary(result, 16).startswith("float16, shifted: 0.231, 0.628, 0.140. Largest error 1.1e-04 (")
    assert summary(measure((1e4, 0.0), "plain"), 64) == "float64, plain: NaN, 0. 1 of 2 outputs is lost to NaN."
    many = summary(measure([0.0] * 63 + [5.0], "shifted"), 64)
    assert many.startswith("float64, shifted: the largest of 64 outputs is 0.702, unit 63. Largest error ")
