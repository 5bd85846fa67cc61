"""`BackendBar` by its values."""

import json

import pytest
import traitlets

from backbench import NUMPY, default_backend, get_precision, set_global_default_backend, set_global_precision
from backbench.widgets import BackendBar, backend_bar


@pytest.fixture(autouse=True)
def defaults():
    """The defaults of the package, before and after."""
    yield
    set_global_default_backend(NUMPY)
    set_global_precision(32)


def test_state_goes_round_through_json_the_constructor_and_the_setter():
    bar = BackendBar("sympy")
    stored = json.loads(json.dumps(bar.state))
    assert stored == {"backend": "sympy", "precision": "exact", "device": "", "for_cells": False}
    assert BackendBar(**stored).state == stored
    other = BackendBar(precision=16)
    other.state = stored
    assert other.state == stored
    other.state = {"backend": "numpy", "precision": 64}
    assert other.state == {**stored, "backend": "numpy", "precision": 64}
    with pytest.raises(traitlets.TraitError, match="no colour; it has backend, precision, device, for_cells"):
        other.state = {"colour": 1}
    with pytest.raises(TypeError, match="no colour"):
        BackendBar(colour=1)


def test_the_defaults_of_the_cells_change_only_when_asked_to():
    bar = BackendBar(precision=16)
    bar.precision = 64
    assert (default_backend(), get_precision()) == (NUMPY, 32)
    bar.for_cells = True
    assert get_precision() == 64
    bar.backend = "sympy"
    assert (default_backend().name, get_precision()) == ("sympy", 64)
    bar.state = {"backend": "numpy", "precision": 16}
    assert (default_backend(), get_precision()) == (NUMPY, 16)
    bar.for_cells = False
    bar.precision = 32
    assert get_precision() == 16


def test_a_new_bar_shows_the_same_and_is_readable_without_javascript():
    bar = BackendBar(precision=16)
    assert bar.summary == "numpy, float16."
    data, _ = bar._repr_mimebundle_()
    assert data["text/html"] == "<p>numpy, float16. Run this cell to get the controls.</p>"
    assert data["text/plain"] == "BackendBar(backend='numpy', precision=16, for_cells=False)"
    assert data["application/vnd.jupyter.widget-view+json"]["model_id"] == bar.model_id


def test_pictures_differ_by_choice_and_leave_no_figure_open():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    before = pyplot.get_fignums()
    bar = BackendBar(precision=16)
    picture = bar.to_png()
    bar.precision = 64
    assert bar.to_png().startswith(b"\x89PNG") and bar.to_png() != picture
    assert pyplot.get_fignums() == before


def test_everything_the_page_sends_is_answered_also_when_it_fails(monkeypatch):
    bar = BackendBar()
    answers = []
    monkeypatch.setattr(bar, "send", lambda content, buffers=None: answers.append(content))
    for state in ({"precision": 16}, {"precision": 16}, {"precision": 8}):
        bar.set_state(state)
    assert answers == [{"answered": {}}] * 3
    assert "TraitError" in bar.error["message"]
    bar.set_state({"precision": 64})
    assert bar.error == {}


def test_an_exception_in_a_callback_is_shown_and_later_updates_work(monkeypatch):
    bar = BackendBar(for_cells=True)
    with monkeypatch.context() as broken:
        broken.setattr(backend_bar, "set_global_precision", lambda bits: 1 / 0)
        bar.set_state({"precision": 16})
        assert bar.error["message"] == "ZeroDivisionError: division by zero"
        assert "Traceback (most recent call last)" in bar.error["traceback"]
    bar.set_state({"precision": 64})
    assert bar.error == {}
    assert get_precision() == 64
