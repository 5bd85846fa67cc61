"""Callbacks of a view: each change computes once, nothing piles up, and a failure is seen and survived."""

import threading
import warnings

import ipywidgets
import pytest

from backbench.widgets import SoftmaxView, softmax_view


@pytest.fixture
def computed(monkeypatch):
    """The inputs of every computation, in order."""
    inputs = []
    measure = softmax_view.measure

    def counted(values, formulation):
        inputs.append((values, formulation))
        return measure(values, formulation)

    monkeypatch.setattr(softmax_view, "measure", counted)
    return inputs


def from_page(view, **state):
    """Set traits as the page does."""
    view.set_state(state)
    assert view.error == {}


def test_running_the_cell_again_does_not_make_a_move_compute_twice(computed):
    for _ in range(3):
        view = SoftmaxView([1.0, 2.0])
    computed.clear()
    for x in (5, 5, 7):
        from_page(view, values=[x, 2.0])
    assert computed == [((5.0, 2.0), "shifted"), ((7.0, 2.0), "shifted")]


@pytest.mark.parametrize("same", [[1, "nan"], ["1", "NaN"], [1.0, float("nan")], ["1e0", " nan "]])
def test_the_same_values_compute_nothing(computed, same):
    view = SoftmaxView([1.0, "nan"])
    computed.clear()
    from_page(view, values=same)
    view.values = same
    view.enter(1, "nan")
    view.resize(2)
    from_page(view, formulation="shifted", precision=64)
    assert computed == []


def test_another_precision_or_entry_shows_what_is_already_computed(computed):
    view = SoftmaxView([1.0, 2.0])
    computed.clear()
    from_page(view, precision=16)
    from_page(view, entry=1)
    assert computed == []
    assert view.drawing["precision"] == 16


def test_several_traits_at_once_compute_once(computed):
    view = SoftmaxView([1.0, 2.0])
    computed.clear()
    from_page(view, values=[3, 4, 5], formulation="plain", precision=32)
    view.state = {"values": [1, 1, 1], "formulation": "pairwise", "precision": 16}
    assert computed == [((3.0, 4.0, 5.0), "plain"), ((1.0, 1.0, 1.0), "pairwise")]


def test_internal_traits_of_the_widget_compute_nothing(computed):
    view = SoftmaxView([1.0, 2.0])
    computed.clear()
    view.layout.width = "50%"
    view.add_class("wide")
    view.tooltip = "softmax"
    assert computed == []


def test_one_change_is_one_message_to_the_page(monkeypatch):
    view = SoftmaxView([1.0, 2.0])
    sent = []
    monkeypatch.setattr(view, "send_state", lambda key=None: sent.append(set(key)))
    from_page(view, values=[1.5, 2.0])
    assert sent == [{"drawing", "code"}]


def test_text_fields_keep_the_old_value_and_say_why():
    view = SoftmaxView([1.0, 2.0])
    view._handle_custom_msg({"unit": 1, "text": "two"}, [])
    assert view.values == (1.0, 2.0)
    assert view.complaints == {"1": "“two” is not a number. Try 1.5, 1e4, -inf or nan. Still using 2."}
    view._handle_custom_msg({"unit": 0, "text": ""}, [])
    assert view.complaints["0"] == "The field is empty. Try 1.5, 1e4, -inf or nan. Still using 1."
    view._handle_custom_msg({"unit": 1, "text": "1e4"}, [])
    assert view.values == (1.0, 1e4)
    assert set(view.complaints) == {"0"}, "x_0 is still not what was typed there"
    view._handle_custom_msg({"unit": 0, "text": "1"}, [])
    assert view.complaints == {}, "the number may be the one in use"
    view._handle_custom_msg({"units": "100"}, [])
    assert view.complaints == {"units": "From 2 to 64 units. Still showing 2."}
    view._handle_custom_msg({"units": "3"}, [])
    assert view.values == (1.0, 1e4, 0.0)
    assert view.complaints == {}
    assert view.error == {}


def test_a_complaint_stays_until_its_field_is_corrected_taken_back_or_overtaken():
    view = SoftmaxView([1.0, 2.0, 3.0, 4.0])
    for unit in range(4):
        view._handle_custom_msg({"unit": unit, "text": "junk"}, [])
    view._handle_custom_msg({"units": "2.5"}, [])
    assert view.complaints["units"] == "“2.5” is not a whole number. From 2 to 64 units. Still showing 4."
    from_page(view, formulation="plain")
    from_page(view, precision=16)
    assert set(view.complaints) == {"0", "1", "2", "3", "units"}
    from_page(view, values=[1.0, 2.5, 3.0, 4.0])
    assert set(view.complaints) == {"0", "2", "3", "units"}
    view._handle_custom_msg({"withdraw": "0"}, [])
    assert set(view.complaints) == {"2", "3", "units"}
    view.resize(3)
    assert set(view.complaints) == {"2"}


@pytest.mark.parametrize("text", ["2.5", "", "many", "nan", "inf", "1", "65", "-3", "1e400"])
def test_a_number_of_units_that_cannot_be_is_complained_about(computed, text):
    view = SoftmaxView([1.0, 2.0])
    computed.clear()
    view._handle_custom_msg({"units": text}, [])
    assert view.complaints["units"].endswith("From 2 to 64 units. Still showing 2.")
    assert (view.values, view.error, computed) == ((1.0, 2.0), {}, [])


def test_units_that_come_back_have_their_numbers_again():
    view = SoftmaxView([1.0, 2.0, 3.0, 4.0])
    view.enter(3, "nan")
    view.resize(2)
    view.enter(1, "7")
    view.resize(3)
    assert view.values == (1.0, 7.0, 3.0)
    view.resize(2)
    view.resize(5)
    assert view.state["values"] == [1.0, 7.0, 3.0, "nan", 0.0]


def test_everything_the_page_sends_is_answered_also_when_it_fails_or_changes_nothing(monkeypatch):
    view = SoftmaxView([1.0, 2.0])
    answers = []
    monkeypatch.setattr(view, "send", lambda content, buffers=None: answers.append(content))
    messages = [{"unit": 0, "text": "junk"}, {"units": "3"}, {"withdraw": "0"}, {"unit": 9, "text": "1"}]
    for message in messages:
        view._handle_custom_msg(message, [])
    assert answers == [{"answered": message} for message in messages]
    answers.clear()
    for state in ({"values": view.state["values"]}, {"precision": 8}, {"formulation": "plain"}):
        view.set_state(state)
    assert answers == [{"answered": {}}] * 3


def test_what_the_page_should_never_send_is_shown_and_changes_nothing():
    view = SoftmaxView([1.0, 2.0])
    drawn = view.drawing
    for wrong in ({"values": [1.0, "two"]}, {"values": [1.0]}, {"formulation": "sideways"}, {"precision": 8}):
        view.set_state(wrong)
        assert "two" in view.error["message"] or "TraitError" in view.error["message"]
        assert view.state["values"] == [1.0, 2.0]
        assert view.drawing == drawn
    from_page(view, values=[1.0, 3.0])
    assert view.drawing["inputs"] == ["1", "3"]


def test_an_exception_in_a_callback_is_shown_and_later_updates_work(monkeypatch):
    view = SoftmaxView([1.0, 2.0])
    with monkeypatch.context() as broken:
        broken.setattr(softmax_view, "measure", lambda values, formulation: 1 / 0)
        view.set_state({"values": [3.0, 2.0]})
        assert view.error["message"] == "ZeroDivisionError: division by zero"
        assert "Traceback (most recent call last)" in view.error["traceback"]
        assert "test_view_callbacks.py" in view.error["traceback"]
        assert view.drawing["inputs"] == ["1", "2"]
        view._handle_custom_msg({"unit": 0, "text": "junk"}, [])
        assert "ZeroDivisionError" in view.error["message"], "the numbers are still not those of the inputs"
    from_page(view, values=[3.0, 2.0])
    assert view.drawing["inputs"] == ["3", "2"]


def test_callbacks_that_overlap_end_in_one_consistent_view():
    view = SoftmaxView([0.0, 0.0])
    starts = threading.Barrier(4)
    failures = []

    def moves(unit):
        starts.wait()
        for step in range(25):
            view.set_state({"values": [step, unit]})
            view.set_state({"formulation": ("plain", "shifted", "pairwise")[step % 3]})
            if view.error:
                failures.append(view.error["message"])

    threads = [threading.Thread(target=moves, args=(unit,)) for unit in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert view.drawing["inputs"] == [f"{x:g}" for x in view.values]
    assert view.formulation in view.drawing["summary"]


def test_a_hundred_moves_and_thirty_pictures_leave_no_figure_open():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    before = pyplot.get_fignums()
    view = SoftmaxView([0.0, 1.0, 2.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for step in range(100):
            from_page(view, values=[step / 10, 1.0, 2.0])
            if step < 30:
                view.to_png()
    assert pyplot.get_fignums() == before


def test_moves_make_no_further_widgets():
    view = SoftmaxView([0.0, 1.0, 2.0])
    before = len(ipywidgets.widgets.widget._instances)
    for step in range(30):
        from_page(view, values=[step, 1.0, 2.0], formulation=("plain", "shifted", "pairwise")[step % 3])
        view.resize(2 + step % 5)
    assert len(ipywidgets.widgets.widget._instances) == before
