"""What `compare` measures: values, errors against 50 digits or a backend, at each precision."""

import math
import time
from fractions import Fraction

import mpmath
import numpy as np
import pytest

import backbench
from backbench import NUMPY, compare, softmax
from backbench.backend.choice import is_installed, known_names

NUMERIC = [name for name in known_names() if is_installed(name) and name != "sympy"]


def test_a_sum_with_cancellation_loses_what_its_precision_cannot_hold():
    found = compare(lambda b, x: b.sub(b.add(1e8, x), 1e8), 1.0)
    for backend in NUMERIC:
        assert math.isnan(found[backend, 16].max_ulp_error)  # 1e8 is inf in float16
        assert float(found[backend, 32].value) == 0.0
        assert found[backend, 32].max_absolute_error == 1.0
        assert found[backend, 32].max_ulp_error == 2.0**23
        assert found[backend, 64].max_absolute_error == 0.0
    assert found["sympy", "exact"].value.item() == 1
    assert [float(found.reference)] == [1.0]


@pytest.mark.parametrize("formulation", ["plain", "shifted", "pairwise"])
def test_formulations_of_softmax_differ_where_exp_overflows(formulation):
    found = compare(lambda b, x: softmax(b, x, -1, formulation), [1000.0, 999.0, 0.0])
    for backend in NUMERIC:
        for bits in (16, 32, 64):
            cell = found[backend, bits]
            assert cell.dtype == f"float{bits}"
            if formulation == "plain":
                assert np.isnan(cell.absolute_error[0]) and math.isnan(cell.max_absolute_error)
            else:
                assert cell.max_absolute_error < np.finfo(cell.dtype).eps
    assert found["sympy", "exact"].max_ulp_error == 0


def test_the_reference_is_the_value_at_the_exact_binary_input():
    found = compare(lambda b, x: b.mul(x, 3), 0.1)
    true = Fraction(0.1) * 3
    with mpmath.workdps(60):
        assert abs(found.reference.item() - mpmath.mpf(true.numerator) / true.denominator) < mpmath.mpf("1e-49")
    assert found["sympy", "exact"].value.item() == backbench.exact([true])[0]
    assert found["sympy", "exact"].max_absolute_error == 0
    for bits in (16, 32, 64):
        value = float(found["numpy", bits].value)
        assert found["numpy", bits].max_absolute_error == pytest.approx(float(abs(Fraction(value) - true)), rel=1e-15)


def test_the_error_holds_what_rounding_the_input_does():
    found = compare(lambda b, x: b.mul(x, 1), 0.1, backends="numpy", precisions=16)
    rounded = Fraction(float(np.float16(0.1)))
    assert found["numpy", 16].max_absolute_error == float(abs(rounded - Fraction(0.1)))
    assert 0 < found["numpy", 16].max_ulp_error <= 0.5


def test_inputs_too_large_for_float16_become_inf():
    found = compare(lambda b, x: b.mul(x, 1), [1e5, 1.0])
    for backend in NUMERIC:
        assert found[backend, 16].value.tolist() == [math.inf, 1.0]
        assert found[backend, 16].absolute_error.tolist() == [math.inf, 0.0]
        assert found[backend, 32].max_absolute_error == 0.0


def test_inf_minus_inf_is_nan_and_right():
    found = compare(lambda b, x: b.sub(x, x), [math.inf, -math.inf, math.nan, 2.0])
    for cell in found.cells:
        assert cell.max_absolute_error == cell.max_ulp_error == 0.0
    assert np.isnan(found["numpy", 32].value[:3]).all()


def test_precision_none_keeps_the_types_of_the_inputs():
    half, double = np.float16([0.5]), np.float64([0.25])
    found = compare(lambda b, x: b.mul(x, 2), half, precisions=(None, 64), backends=NUMERIC)
    assert {found[name, None].dtype for name in NUMERIC} == {"float16"}
    assert {found[name, 64].dtype for name in NUMERIC} == {"float64"}
    assert compare(lambda b, x: b.mul(x, 2), double, precisions=None)["numpy", None].dtype == "float64"
    assert compare(lambda b, x: b.mul(x, 2), 0.25, precisions=None)["numpy", None].dtype == "float64"


def test_exact_values_are_rational_numbers():
    found = compare(lambda b, x: b.div(x, 3), [1.0, 0.5], backends=["sympy"])
    cell = found["sympy", "exact"]
    assert [str(value) for value in cell.value] == ["1/3", "1/6"]
    assert (cell.dtype, cell.max_absolute_error, cell.max_ulp_error) == ("exact", 0.0, 0.0)


def test_an_exact_value_midway_between_two_floats_has_no_error():
    cell = compare(lambda b, x: b.add(1, x), 2.0**-53)["sympy", "exact"]
    assert cell.max_absolute_error == cell.max_ulp_error == 0


def test_a_backend_can_be_the_reference():
    def largest(b, x):
        return b.argmax(x), b.max(x)

    found = compare(largest, [0.1, 0.7, 0.3], reference=NUMPY)
    assert found.reference_name == "numpy, 64 bits"
    place, value = found["numpy", 64].value
    assert (int(place), float(value)) == (1, 0.7)
    assert found["numpy", 64].max_absolute_error == 0
    assert found["numpy", 32].max_absolute_error == abs(float(np.float32(0.7)) - 0.7)
    assert "argmax" in found["sympy", "exact"].reason


def test_exact_values_can_be_the_reference_where_symbols_do_not_work():
    def distance(b, x):
        return b.sub(1, x) if b.numpy(x) < 1 else b.sub(x, 1)

    with pytest.raises(ValueError, match="with reference='sympy' its exact ones"):
        compare(distance, 0.1)
    found = compare(distance, 0.1, reference="sympy")
    assert found.reference_name == "sympy, exact"
    with mpmath.workdps(60):
        assert found.reference.item() == mpmath.mpf(1) - mpmath.mpf(0.1)
    assert found["numpy", 64].max_absolute_error < 1e-16 < found["numpy", 32].max_absolute_error


def test_several_outputs_have_several_errors():
    found = compare(lambda b, x: (b.sum(x), b.mul(x, x), b.greater_than(x, 1)), [0.5, 0.25], backends="numpy")
    total, squares, larger = found["numpy", 32].value
    assert total == 0.75 and squares.tolist() == [0.25, 0.0625] and larger.tolist() == [False, False]
    assert [error.tolist() for error in found["numpy", 32].ulp_error] == [0.0, [0.0, 0.0], [0.0, 0.0]]
    assert found["numpy", 32].dtype == "float32, bool"
    assert isinstance(found.reference, tuple) and len(found.reference) == 3


def test_integers_stay_integers_and_count_in_ones():
    found = compare(lambda b, x: b.floordiv(x, 2), [7, 8], backends="numpy", precisions=32)
    assert found["numpy", 32].value.tolist() == [3, 4] and found["numpy", 32].dtype == "int64"
    assert found["numpy", 32].max_ulp_error == 0

    cell = compare(lambda b, x: b.cast(x, backbench.DType(int, 32)), 2.5, backends="numpy", reference="numpy")
    assert cell["numpy", 32].max_ulp_error == 0


def test_tensors_of_any_backend_are_inputs():
    for name in NUMERIC:
        b = backbench.get_backend(name)
        with backbench.precision(64):
            x = b.as_tensor([0.1, 0.2])
        assert compare(lambda b, x: b.mul(x, 1), x, backends=[name])[name, 64].value.tolist() == [0.1, 0.2]


def test_nothing_is_left_behind():
    x = np.array([0.1, 0.2])
    before = (backbench.get_precision(), backbench.default_backend())

    def meddles(b, x):
        if isinstance(x, np.ndarray) and x.dtype != object:
            x *= 2
        return b.mul(x, 1)

    compare(meddles, x, reference="sympy")
    assert x.tolist() == [0.1, 0.2]
    assert (backbench.get_precision(), backbench.default_backend()) == before


def test_inside_the_function_backend_and_precision_are_those_of_the_cell():
    seen = []

    def looks(b, x):
        seen.append((backbench.default_backend().name, b.name, backbench.get_precision()))
        return b.mul(x, 1)

    compare(looks, 1.0, backends="numpy", precisions=(16, None), repeat=1)
    assert [entry for entry in seen if entry[1] == "numpy"] == [("numpy", "numpy", 16)] * 2 + [
        ("numpy", "numpy", None)
    ] * 2


def test_times_are_seconds_of_a_run():
    found = compare(lambda b, x: (time.sleep(0.02), b.mul(x, 1))[1], 1.0, backends="numpy", precisions=64, repeat=2)
    assert 0.02 <= found["numpy", 64].seconds < 1
