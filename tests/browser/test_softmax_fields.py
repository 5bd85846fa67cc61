"""The fields of SoftmaxView at the keyboard: nothing typed is lost, and what cannot be is said and stays."""

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


@pytest.mark.parametrize(("start", "presses"), [(3, 20), (20, 30)])
def test_a_key_held_down_in_units_loses_no_step(view, start, presses):
    view.units.fill(str(start))
    view.units.press("Enter")
    expect(view.root.locator(".bb-row")).to_have_count(start)
    for _ in range(presses):
        view.page.keyboard.press("ArrowUp")
    expect(view.units).to_have_value(str(start + presses))
    expect(view.root.locator(".bb-table tbody tr")).to_have_count(start + presses)
    expect(view.units).to_have_value(str(start + presses))
    assert view.lab_page.errors() == []


def test_units_are_whole_and_bring_their_numbers_back(view):
    view.type(2, "-7")
    for text, rows in (("2.5", 3), ("2", 2), ("4", 4)):
        view.units.fill(text)
        view.units.press("Enter")
        expect(view.root.locator(".bb-row")).to_have_count(rows)
        if text == "2.5":
            expect(view.notice).to_contain_text("Units: “2.5” is not a whole number. From 2 to 64 units.")
            expect(view.units).to_have_value("2.5")
    expect(view.notice).to_be_empty()
    assert [view.field(unit).input_value() for unit in range(4)] == ["1", "2", "-7", "0"]


def test_junk_and_its_complaint_stay_while_something_else_is_changed(view):
    view.type(0, "garb")
    expect(view.notice).to_contain_text("x_0: “garb” is not a number")
    view.choose("Formulation", "plain")
    view.choose("Precision", "float16")
    view.slider(1).focus()
    view.page.keyboard.press("ArrowRight")
    expect(view.root.locator(".bb-table tbody th").nth(1)).to_contain_text("2.1")
    view.units.fill("4")
    view.units.press("Enter")
    expect(view.root.locator(".bb-row")).to_have_count(4)
    assert view.field(0).input_value() == "garb"
    assert view.field(0).get_attribute("aria-invalid") == "true"
    expect(view.notice).to_contain_text("x_0: “garb” is not a number. Try 1.5, 1e4, -inf or nan. Still using 1.")

    view.type(3, "2,5")  # the field with the focus comes first
    expect(view.notice).to_contain_text("x_3: “2,5” is not a number. Decimals take a point: 2.5.")
    view.field(0).focus()
    expect(view.notice).to_contain_text("x_0: “garb”")
    described = view.field(0).get_attribute("aria-describedby")
    assert described and described == view.notice.get_attribute("id")

    view.type(0, "3")
    expect(view.field(0)).to_have_attribute("aria-invalid", "false")
    expect(view.notice).to_contain_text("x_3")
    view.slider(3).focus()
    view.page.keyboard.press("ArrowRight")
    expect(view.notice).to_be_empty()
    expect(view.field(3)).to_have_value("0.1")
    assert view.field(0).input_value() == "3"


def test_escape_restores_the_number_that_is_in_use(view):
    view.field(0).fill("77")
    view.field(0).press("Escape")
    assert view.field(0).input_value() == "1"
    view.type(1, "junk")
    expect(view.notice).to_contain_text("junk")
    view.field(1).press("Escape")
    expect(view.field(1)).to_have_value("2")
    expect(view.notice).to_be_empty()
    expect(view.field(1)).to_have_attribute("aria-invalid", "false")
    view.units.fill("65")
    view.units.press("Escape")
    assert view.units.input_value() == "3"
    view.units.fill("65")
    view.units.press("Enter")
    expect(view.notice).to_contain_text("Units: From 2 to 64 units. Still showing 3.")
    view.units.press("Escape")
    expect(view.units).to_have_value("3")
    expect(view.notice).to_be_empty()
    view.choose("Formulation", "plain")
    assert [view.field(unit).input_value() for unit in range(3)] == ["1", "2", "0.5"]


def test_arrow_keys_step_the_number_like_the_slider(view):
    field = view.field(0)
    field.focus()
    for keys, value in (
        (["ArrowUp"], "1.1"),
        (["ArrowUp", "ArrowUp"], "1.3"),
        (["ArrowDown"] * 14, "-0.1"),
        (["Shift+ArrowUp"], "0.9"),
        (["Shift+ArrowDown"] * 3, "-2.1"),
        (["ArrowUp"] * 30, "0.9"),
    ):
        for key in keys:
            view.page.keyboard.press(key)
        assert field.input_value() == value
    expect(view.root.locator(".bb-table tbody th").first).to_contain_text("0.9")
    assert view.slider(0).input_value() == "0.9"
    field.fill("3")  # a number that was not taken over yet counts
    view.page.keyboard.press("ArrowUp")
    expect(view.root.locator(".bb-table tbody th").first).to_contain_text("3.1")
    for text in ("-inf", "1e300"):
        view.type(0, text)
        view.page.keyboard.press("ArrowUp")
        expect(view.root.locator(".bb-table tbody th").first).to_contain_text(text.replace("1e3", "1e+3"))
    assert view.lab_page.errors() == []
