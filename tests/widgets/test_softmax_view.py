"""`SoftmaxView` by its values: what is shown is what NumPy computes, and the state can be set from either side."""

import json
import math

import mpmath
import numpy as np
import pytest
import traitlets

from backbench import NUMPY, get_backend, precision, softmax
from backbench.widgets import SoftmaxView
from backbench.widgets.following import FLOATS as PRECISIONS
from backbench.widgets.formats import format_exact
from backbench.widgets.softmax_numbers import FORMULATIONS

INF = math.inf


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize(
    "values", [(1.0, 2.0, 0.5), (1e4, -1e4, 3.0), (-INF, 0.25, -INF, 1.0), tuple(np.linspace(-5, 5, 64))]
)
def test_the_numbers_are_those_of_numpy(values, formulation):
    view = SoftmaxView(values, formulation=formulation)
    for bits in PRECISIONS:
        with precision(bits):
            expected = softmax(NUMPY, np.array(values), formulation=formulation)
        column = view.measurement.columns[bits]
        assert column.outputs.dtype == f"float{bits}"
        np.testing.assert_array_equal(column.outputs, expected)
        shown = np.array(view.drawing["columns"][str(bits)]["value"], dtype=f"float{bits}")
        np.testing.assert_array_equal(shown, expected)


def test_the_precision_of_the_surrounding_code_does_not_reach_the_view():
    with precision(16):
        view = SoftmaxView([1.0, 2.0, 0.5])
    assert [view.measurement.columns[bits].outputs.dtype for bits in PRECISIONS] == ["float16", "float32", "float64"]


def test_the_errors_are_distances_to_the_true_values():
    view = SoftmaxView([1.0, 2.0, 0.5])
    with mpmath.workdps(50):
        powers = [mpmath.exp(x) for x in view.values]
        for bits, column in view.measurement.columns.items():
            for i, y in enumerate(column.outputs):
                true = powers[i] / sum(powers)
                distance = abs(mpmath.mpf(float(y)) - true)
                assert column.absolute[i] == pytest.approx(float(distance), rel=1e-6)
                spacing = float(np.spacing(np.dtype(f"float{bits}").type(float(true))))
                assert column.ulp[i] == pytest.approx(float(distance) / spacing, rel=1e-6)
    assert view.measurement.columns[16].absolute.max() > 1e-5 > 1e-9 > view.measurement.columns[64].absolute.max()


def test_overflow_and_nan_are_shown_as_they_are():
    plain = SoftmaxView([1e4, 0.0], formulation="plain")
    assert plain.drawing["columns"]["64"]["value"] == ["NaN", "0"]
    assert plain.drawing["columns"]["64"]["absolute"][0] == "NaN"
    assert plain.drawing["heights"]["64"] == [None, 0.0]
    pairwise = SoftmaxView([0.0, -INF, -INF], formulation="pairwise")
    assert pairwise.drawing["columns"]["64"]["value"] == ["1", "NaN", "NaN"]
    assert pairwise.drawing["exact"] == ["1", "0", "0"]
    pairwise.formulation = "shifted"
    assert pairwise.drawing["columns"]["64"]["value"] == ["1", "0", "0"]


def test_what_is_sent_to_the_page_is_json_for_every_input():
    view = SoftmaxView([INF, -INF, math.nan, 1e300], formulation="plain")
    state = {name: value for name, value in view.get_state().items() if name not in ("_esm", "_css")}
    assert json.loads(json.dumps(state, allow_nan=False))["values"] == ["inf", "-inf", "nan", 1e300]


def test_formulas_and_code_follow_formulation_and_units_only():
    view = SoftmaxView([1.0, 2.0, 0.5], formulation="plain")
    shown = view.formula.value, view.source
    view.values, view.precision = (1.0, 2.0, INF), 16
    assert (view.formula.value, view.source) == shown
    view.formulation = "pairwise"
    pairwise = view.formula.value, view.source
    assert pairwise[0] != shown[0]
    assert pairwise[1] != shown[1]
    view.resize(4)
    assert view.formula.value != pairwise[0]
    assert "x_{3}" in view.formula.value
    assert "x_3" in view.source or "x[3]" in view.source


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_formulas_stay_readable_in_size_and_one_entry_can_be_asked_for(formulation):
    view = SoftmaxView(np.zeros(64), formulation=formulation)
    assert 0 < len(view.formula.value) < 10_000
    whole = view.formula.value
    view.entry = 63
    assert view.formula.value != whole
    assert "63" in view.formula.value
    view.resize(8)
    assert view.entry is None


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_the_generated_python_runs_and_agrees(formulation):
    view = SoftmaxView([1.0, -3.0, 0.5], formulation=formulation)
    scope: dict = {}
    exec(view.source, scope)
    outputs = scope["softmax"](np.array(view.values))
    np.testing.assert_allclose(outputs, view.measurement.columns[64].outputs, rtol=1e-15)


@pytest.mark.parametrize("values", [[1.0, 2.0, 0.5], [1e4, -INF, 0.1, math.nan], [INF, 1 / 3]])
@pytest.mark.parametrize("bits", PRECISIONS)
def test_the_code_for_a_view_gives_the_same_numbers_and_the_same_view(values, bits):
    view = SoftmaxView(values, formulation="pairwise", precision=bits, entry=1)
    scope: dict = {}
    exec(view.code, scope)
    np.testing.assert_array_equal(scope["y"], view.measurement.columns[bits].outputs)
    assert scope["y"].dtype == f"float{bits}"
    assert scope["view"].state == view.state


def test_state_goes_round_through_json_the_constructor_and_the_setter():
    view = SoftmaxView([1e4, -INF, math.nan], formulation="pairwise", precision=16, entry=2)
    stored = json.loads(json.dumps(view.state, allow_nan=False))
    place = {"precision": 16, "backend": "numpy", "device": ""}
    assert stored == {"values": [1e4, "-inf", "nan"], "formulation": "pairwise", "entry": 2, **place}
    assert SoftmaxView(**stored).state == stored
    other = SoftmaxView()
    other.state = stored
    assert other.state == stored
    assert other.drawing == view.drawing
    other.state = {"precision": 32}
    assert other.state == {**stored, "precision": 32}
    with pytest.raises(traitlets.TraitError, match=r"no colour; it has values, formulation"):
        other.state = {"colour": 1}


@pytest.mark.parametrize(
    "wrong",
    [
        {"values": [1.0]},
        {"values": [0.0] * 65},
        {"values": ["many", 1]},
        {"values": "12"},
        {"values": 3.0},
        {"values": [[1, 2], [3, 4]]},
        {"formulation": "sideways"},
        {"precision": 8},
    ],
)
def test_wrong_state_raises_in_python_and_changes_nothing(wrong):
    view = SoftmaxView([1.0, 2.0])
    state = view.state
    with pytest.raises(traitlets.TraitError):
        view.state = wrong
    assert view.state == state
    with pytest.raises(traitlets.TraitError):
        SoftmaxView(**wrong)


def test_unknown_arguments_are_named():
    with pytest.raises(
        TypeError, match="SoftmaxView has no colour; it has values, formulation, precision, entry, backend, device and"
    ):
        SoftmaxView([1, 2], colour="blue")
    assert SoftmaxView([1, 2], layout={"width": "50%"}).layout.width == "50%"


def test_pictures_and_static_forms():
    view = SoftmaxView([1e4, 0.5], formulation="plain")
    picture = view.to_png()
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    view.values = (0.0, 0.5)
    assert view.to_png() != picture
    data, _ = view._repr_mimebundle_()
    assert data["application/vnd.jupyter.widget-view+json"]["model_id"] == view.model_id
    assert data["text/plain"] == "SoftmaxView(values=[0.0, 0.5], formulation='plain', precision=64, backend='numpy')"
    assert "0.3775406687981454" in data["text/html"]
    assert data["text/html"].count("<tr>") == 3


def test_units_that_do_not_exist_are_refused_and_late_messages_ignored():
    view = SoftmaxView(values=[1.0, 2.0, 3.0])
    for unit in (3, -1):
        with pytest.raises(IndexError, match="there is no unit"):
            view.enter(unit, "1")
    view._handle_custom_msg({"unit": 9, "text": "5"}, [])
    assert view.values == (1.0, 2.0, 3.0) and view.error == {}


def test_numbers_of_python_that_are_no_floats():
    assert SoftmaxView(precision=64.0).state["precision"] == 64
    assert isinstance(SoftmaxView(precision=32.0).precision, int)
    with pytest.raises(traitlets.TraitError, match="332 digits"):
        SoftmaxView(values=[2**1100, 1])


@pytest.mark.parametrize("name", ["torch", "jax", "tensorflow"])
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_the_numbers_are_those_of_the_backend(name, formulation):
    pytest.importorskip(name)
    view = SoftmaxView([1e4, -INF, 3.0, 0.1], formulation=formulation, backend=name, precision=32)
    b = get_backend(name)
    for bits in PRECISIONS:
        with precision(bits):
            expected = b.numpy(softmax(b, np.array(view.values), formulation=formulation))
        assert view.measurement.columns[bits].outputs.dtype == f"float{bits}"
        np.testing.assert_array_equal(view.measurement.columns[bits].outputs, expected)
    assert f"float32 on {name}, {formulation}: " in view.drawing["summary"]
    assert f", on {name}. Run" in view._repr_mimebundle_()[0]["text/html"]
    scope: dict = {}
    exec(view.code, scope)
    np.testing.assert_array_equal(b.numpy(scope["y"]), view.measurement.columns[32].outputs)
    assert scope["view"].state == view.state


def test_another_backend_measures_again_and_the_symbolic_one_emphasises_the_true_values():
    view = SoftmaxView([1.0, 2.0, 0.5])
    measured = view.measurement
    view.backend = "sympy"
    assert view.state["precision"] == "exact"
    assert view.measurement is not measured or view.measurement.backend == "numpy"
    assert view.drawing["precision"] == "exact"
    assert view.drawing["summary"] == "exact: 0.231, 0.629, 0.140. The columns of floats beside it are numpy’s."
    scope: dict = {}
    exec(view.code, scope)
    assert [format_exact(y) for y in scope["y"]] == view.drawing["exact"]
    assert scope["view"].state == view.state
    assert view.to_png().startswith(b"\x89PNG")
    view.values = np.linspace(0, 1, 12)
    assert view.to_png().startswith(b"\x89PNG")
    view.values = (INF, 0.0)
    assert view.drawing["summary"].startswith("exact: Softmax has no value here because x_0 is +inf.")


def test_results_that_a_library_flushes_to_zero_are_not_called_too_small():
    pytest.importorskip("jax")
    story = SoftmaxView([0.0, -95.0], backend="jax").drawing["story"]
    flushed = [sentence for sentence in story if "float32" in sentence]
    assert flushed == [
        "1 output is 0 in float32: jax makes results 0 that are below the smallest normal number, 1.2e-38."
    ]
    assert not any("float32" in sentence for sentence in SoftmaxView([0.0, -95.0]).drawing["story"])
