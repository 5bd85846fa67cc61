"""Numbers as people type and read them."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from backbench.widgets.formats import (
    format_error,
    format_exact,
    format_number,
    format_output,
    format_ulp,
    parse_count,
    parse_number,
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e4", 1e4),
        ("-1e4", -1e4),
        (" 2.5 ", 2.5),
        (".5", 0.5),
        ("inf", math.inf),
        ("-inf", -math.inf),
        ("+Infinity", math.inf),
        ("−∞", -math.inf),
        ("−3", -3.0),
        (3, 3.0),
        (np.float32(0.5), 0.5),
    ],
)
def test_numbers_are_read(text, value):
    assert parse_number(text) == value


@pytest.mark.parametrize("text", ["nan", "NaN", " nan ", float("nan"), np.float16("nan")])
def test_every_nan_is_the_same_object_so_that_a_repeated_one_counts_as_equal(text):
    assert parse_number(text) is parse_number("nan")


@pytest.mark.parametrize("junk", ["", "  ", "abc", "1..2", "1e", "--1", "1 2", "x_0", "0x10", "1e999", None, True, [1]])
def test_junk_is_rejected_with_a_sentence(junk):
    with pytest.raises(ValueError, match=r"is not a number|is empty|larger than float64"):
        parse_number(junk)


def test_a_decimal_comma_is_answered_with_the_right_spelling():
    with pytest.raises(ValueError, match=r"“2,75” is not a number. Decimals take a point: 2\.75"):
        parse_number("2,75")


@given(st.floats())
def test_inputs_are_written_so_that_they_read_back_to_the_same_number(value):
    back = parse_number(format_number(value))
    assert back == value or (math.isnan(back) and math.isnan(value))


@given(st.sampled_from([np.float16, np.float32, np.float64]), st.floats(0, 1))
def test_outputs_are_written_with_enough_digits_for_their_precision(dtype, value):
    value = dtype(value)
    assert dtype(format_output(value)) == value


def test_a_float16_is_not_written_with_the_digits_of_a_float64():
    assert format_output(np.float16(0.1)) == "0.1"
    assert format_output(np.float64(np.float16(0.1))) == "0.0999755859375"


def test_dots_tell_cut_digits_from_complete_ones():
    assert format_exact(mpmath.mpf("0.5")) == "0.5"
    assert format_exact(mpmath.mpf(0)) == "0"
    with mpmath.workdps(50):
        assert format_exact(mpmath.mpf(1) / 3) == "0." + 18 * "3" + "…"
        tiny = format_exact(mpmath.exp(-10000))
    assert tiny == "1.135483865314…e-4343"
    with mpmath.workdps(50):
        assert format_exact(1 - mpmath.mpf(10) ** -30) == "0." + 18 * "9" + "…"
        assert format_exact(1 - mpmath.mpf(10) ** -48) == "1"
    assert format_exact(mpmath.nan) == "no value"


def test_an_exact_value_too_small_for_four_digits_of_exponent_says_so():
    with mpmath.workdps(50):
        assert format_exact(mpmath.exp(-23000)).endswith("…e-9989")
        for exponent in (-23100, -1e39, -1e300):
            assert format_exact(mpmath.exp(exponent)) == "≈ 0, below 1e-9999"


def test_errors_are_short():
    assert [format_error(e) for e in (0.0, 1.23e-16, math.nan, math.inf)] == ["0", "1.2e-16", "NaN", "inf"]
    assert [format_ulp(e) for e in (0.0, 0.5, 12345.6, math.nan, math.inf)] == ["0", "0.50", "1.2e4", "NaN", "inf"]
    assert [format_ulp(e) for e in (5e-324, 7.6e-111, 0.0099, 0.01)] == ["< 0.01"] * 3 + ["0.01"]


@pytest.mark.parametrize(("text", "count"), [("12", 12), (" 3 ", 3), ("1e1", 10), ("2.0", 2), (5, 5), ("-3", -3)])
def test_whole_numbers_are_read(text, count):
    assert parse_count(text) == count


@pytest.mark.parametrize("text", ["2.5", "abc", "nan", "inf", "1e400", 2.5, None])
def test_no_number_is_made_whole_silently(text):
    with pytest.raises(ValueError, match=f"“{text}” is not a whole number"):
        parse_count(text)
    with pytest.raises(ValueError, match="empty"):
        parse_count(" ")


@pytest.mark.parametrize("junk", ["j" * 500, "1," + "5" * 500, "9" * 500])
def test_a_complaint_repeats_only_the_beginning_of_a_long_text(junk):
    with pytest.raises(ValueError, match="…") as complaint:
        parse_number(junk)
    assert len(str(complaint.value)) < 95
