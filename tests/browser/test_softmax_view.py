"""SoftmaxView in a real JupyterLab: the controls work by mouse and keyboard, and nothing reaches the notebook below."""

import time

import pytest
from playwright.sync_api import expect

from tests.browser.lab import NOTEBOOK
from tests.browser.softmax_page import SoftmaxPage

pytestmark = pytest.mark.browser


def test_a_slider_changes_numbers_errors_and_chart(view):
    value, errors, chart = view.value(0, 64), view.errors(0, 64), view.root.locator(".bb-chart svg").inner_html()
    assert value.startswith("0.2312238976221490")
    view.slider(0).focus()
    view.page.keyboard.press("ArrowRight")
    expect(view.cell(0, 64)).not_to_contain_text(value)
    assert view.field(0).input_value() == "1.1"
    assert view.value(0, 64).startswith("0.24947")
    assert view.errors(0, 64) != errors
    assert view.root.locator(".bb-chart svg").inner_html() != chart
    assert view.lab_page.errors() == []


def test_typed_numbers_reach_the_formulas_of_every_precision(view):
    view.choose("Formulation", "plain")
    view.type(0, "1e4")
    expect(view.cell(0, 64)).to_contain_text("NaN")
    assert view.value(1, 64) == "0"
    expect(view.story).to_contain_text("exp(10000) overflows float16, float32 and float64")
    view.choose("Formulation", "shifted")
    expect(view.cell(0, 64)).not_to_contain_text("NaN")
    assert view.value(0, 64) == "1"
    view.choose("Formulation", "pairwise")
    view.type(0, "-inf")
    view.type(1, "-inf")
    expect(view.cell(0, 32)).to_contain_text("NaN")
    expect(view.cell(1, 32)).to_contain_text("NaN")
    assert view.value(2, 32) == "1"
    expect(view.story).to_contain_text("x_0 and x_1 are -inf")
    assert view.lab_page.errors() == []


@pytest.mark.parametrize(("text", "kept"), [("4.5", "4.5"), ("-inf", "-inf"), ("1e4", "10000")])
def test_a_slider_moved_right_after_typing_does_not_undo_it(view, text, kept):
    view.field(0).evaluate("(field, text) => (field.value = text)", text)
    other = view.slider(1).element_handle()
    # in one go, as when someone leaves the field by a press on the other slider
    view.field(0).evaluate(
        """(field, slider) => {
            field.dispatchEvent(new Event('change'));
            slider.value = 3;
            slider.dispatchEvent(new Event('input'));
        }""",
        other,
    )
    head = view.root.locator(".bb-table tbody tr th")
    expect(head.nth(1)).to_contain_text("3")
    expect(head.nth(0)).to_contain_text(kept)
    assert view.field(0).input_value() == kept


def test_formulation_changes_formulas_and_code_and_precision_the_emphasis(view):
    formula, code = view.formula(), view.root.locator("code").last.inner_text()
    view.choose("Formulation", "pairwise")
    expect(view.root.locator("code").last).not_to_have_text(code)
    view.wait_for_another_formula(formula)
    assert "bb-chosen" in (view.cell(0, 64).get_attribute("class") or "")
    view.choose("Precision", "float16")
    assert "bb-chosen" in (view.cell(0, 16).get_attribute("class") or "")
    assert "bb-chosen" not in (view.cell(0, 64).get_attribute("class") or "")


def test_junk_is_answered_beside_the_field_and_the_old_value_stays(view):
    before = view.value(1, 64)
    view.type(1, "two")
    expect(view.notice).to_have_text("x_1: “two” is not a number. Try 1.5, 1e4, -inf or nan. Still using 2.")
    assert view.field(1).get_attribute("aria-invalid") == "true"
    assert view.value(1, 64) == before
    view.type(1, "3")
    expect(view.notice).to_have_text("")
    expect(view.cell(1, 64)).not_to_contain_text(before)


def test_units_can_be_added_and_one_entry_shown(view):
    units = view.root.get_by_role("spinbutton", name="Units")
    units.fill("12")
    units.press("Enter")
    expect(view.root.locator(".bb-table tbody tr")).to_have_count(12)
    entry = view.root.get_by_role("combobox", name="Formula to show")
    named = view.formula()
    entry.select_option("entry 11")
    view.wait_for_another_formula(named)
    units.fill("65")
    units.press("Enter")
    expect(view.notice).to_have_text("Units: From 2 to 64 units. Still showing 12.")
    expect(view.root.locator(".bb-table tbody tr")).to_have_count(12)
    assert view.lab_page.errors() == []


def test_code_can_be_copied(view):
    view.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    view.root.get_by_role("button", name="Code for this view").click()
    for title in ("Generated Python", "Python that opens this view"):
        view.root.get_by_role("button", name=f"Copy: {title}").click()
        code = view.root.get_by_role("region", name=title).locator("code").text_content()
        view.page.wait_for_function("async code => await navigator.clipboard.readText() === code", arg=code)


FOCUSABLE = ":is(input, select, button):enabled, textarea, summary, a[href], [tabindex='0']"
KEYS = (
    "d",
    "d",
    "a",
    "b",
    "x",
    "v",
    "y",
    "m",
    "j",
    "k",
    "ArrowDown",
    "ArrowDown",
    "ArrowUp",
    "ArrowLeft",
    "ArrowRight",
)


def test_no_key_pressed_in_the_view_reaches_the_notebook(view):
    show_code = view.root.get_by_role("button", name="Code for this view")
    show_code.click()
    cells = view.lab_page.cells()
    selected = view.lab_page.selected_cell()
    assert len(cells) >= 3
    tried = 0
    for control in view.root.locator(FOCUSABLE).all():
        if not control.is_visible():
            continue
        control.focus()
        where = control.evaluate("node => document.activeElement === node && node.outerHTML.slice(0, 200)")
        assert where, f"a control that takes no focus: {control}"
        for key in KEYS:
            view.page.keyboard.press(key)
        tried += 1
        assert view.lab_page.cells() == cells, where
        assert view.lab_page.selected_cell() == selected, where
    assert tried >= 15  # units, 2 x 3 radios, 3 x 2 inputs, entry, 3 buttons, and what scrolls


def test_the_notebook_has_its_keys_again_after_a_click_beside_a_cell(view):
    count = len(view.lab_page.cells())
    view.slider(0).click()
    view.lab_page.select_cell(0)
    view.page.keyboard.press("b")
    view.page.wait_for_function(
        "([selector, count]) => document.querySelectorAll(selector).length === count",
        arg=[f"{NOTEBOOK} .jp-Cell", count + 1],
    )


def test_save_works_from_within_the_view_and_the_saved_view_comes_back(lab_page):
    lab_page.open("saved.ipynb")
    lab_page.run_all()
    view = SoftmaxPage(lab_page)
    view.type(0, "3")
    expect(view.summary).to_contain_text("0.690")
    view.page.keyboard.press("Control+s")
    notebook = lab_page.lab.root / "saved.ipynb"
    deadline = time.monotonic() + 15
    while "application/vnd.jupyter.widget-view+json" not in notebook.read_text(encoding="utf-8"):
        assert time.monotonic() < deadline, "not saved"
        view.page.wait_for_timeout(100)
    cells = lab_page.cells()
    view.page.keyboard.press("d")
    view.page.keyboard.press("d")
    assert lab_page.cells() == cells

    lab_page.open("saved.ipynb")
    again = SoftmaxPage(lab_page)
    expect(again.summary).to_contain_text("0.690")
    again.slider(0).focus()
    again.page.keyboard.press("ArrowRight")
    expect(again.field(0)).to_have_value("3.1")
    expect(again.summary).not_to_contain_text("0.690")
    assert lab_page.errors() == []


def test_the_keyboard_alone_reaches_and_works_every_control(view):
    reached = []
    view.root.get_by_role("spinbutton", name="Units").focus()
    for _ in range(40):
        inside = view.root.evaluate("node => node.contains(document.activeElement)")
        if not inside:
            break
        name, *ring = view.page.evaluate(
            "() => { const node = document.activeElement;"
            " const { outlineStyle, outlineWidth } = getComputedStyle(node.type === 'radio' ? node.nextSibling : node);"
            " return [node.ariaLabel || node.value || node.textContent, outlineStyle, outlineWidth] }"
        )
        reached.append(name)
        assert ring[0] != "none" and ring[1] != "0px", reached[-1]
        view.page.keyboard.press("Tab")
    expected = {
        "shifted",
        "64",
        "Code for this view",
        "x_0, slider",
        "x_2, number",
        "Formula to show",
        "Copy: Generated Python",
    }
    assert expected <= set(reached)
    view.choice("Precision", "float64").focus()
    view.page.keyboard.press("ArrowLeft")
    expect(view.summary).to_contain_text("float32, shifted")
    view.choice("Formulation", "shifted").focus()
    view.page.keyboard.press("ArrowRight")
    expect(view.summary).to_contain_text("float32, pairwise")
    entry = view.root.get_by_role("combobox", name="Formula to show")
    entry.focus()
    view.page.keyboard.press("ArrowDown")
    expect(entry).to_have_value("0")
    show_code = view.root.get_by_role("button", name="Code for this view")
    show_code.focus()
    view.page.keyboard.press("Space")
    code = view.root.get_by_role("region", name="Python that opens this view")
    expect(code).to_contain_text('formulation="pairwise"')
    shown = view.root.get_by_role("button", name="Hide code", expanded=True)
    shown.click()
    expect(code).to_be_hidden()
    expect(show_code).to_have_attribute("aria-expanded", "false")


def test_every_control_has_a_name_for_screen_readers(view):
    session = view.page.context.new_cdp_session(view.page)
    root = session.send("Runtime.evaluate", {"expression": "document.querySelector('.bb-view')"})["result"]["objectId"]
    nodes = session.send("Accessibility.queryAXTree", {"objectId": root})["nodes"]
    names: dict[str, list[str]] = {}
    for node in nodes:
        if not node.get("ignored"):
            names.setdefault(node["role"]["value"], []).append(node.get("name", {}).get("value", ""))
    for role in ("slider", "textbox", "spinbutton", "radio", "combobox", "button", "group", "region", "image", "table"):
        assert names.get(role), role
        assert all(names[role]), (role, names[role])
    picture = view.root.get_by_role("img").first.get_attribute("aria-label")
    assert picture.startswith("Outputs by unit. float64, shifted: 0.231, 0.629, 0.140.")


def test_nothing_jumps_while_values_change(view):
    def places() -> list:
        return view.root.evaluate(
            "node => [...node.querySelectorAll('table, th, svg, .bb-formula, .bb-result, .bb-code, .bb-row, .bb-head')]"
            ".filter(n => n.offsetParent !== null || n.tagName === 'svg')"
            ".map(n => { const { x, y, width, height } = n.getBoundingClientRect(); return [x, y, width, height] })"
        )

    view.choose("Formulation", "plain")
    before = places()
    for text in ("10000", "-inf", "nan", "-100000", "0.3333333333333333", "9.9"):
        view.type(0, text)
        expect(view.root.locator(".bb-table tbody th").first).to_contain_text(text)
        assert places() == before, text
    view.type(0, "junk")
    expect(view.notice).to_contain_text("junk")
    assert places() == before


# Contrast of an element's text with the ground behind it, as WCAG 2 defines it (4.5 is enough for small text).
CONTRAST = """node => {
  const channels = css => css.match(/[\\d.]+/g).slice(0, 3).map(v => css.startsWith('color(') ? +v : v / 255);
  const linear = v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const luminance = css => channels(css).map(linear).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  let ground = node;
  while (/rgba\\(.*, 0\\)/.test(getComputedStyle(ground).backgroundColor)) ground = ground.parentElement;
  const pair = [getComputedStyle(node).color, getComputedStyle(ground).backgroundColor].map(luminance);
  return (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
}"""


def test_text_is_readable_in_both_themes(view):
    view.choose("Formulation", "plain")
    view.type(0, "1e4")
    expect(view.cell(0, 64)).to_contain_text("NaN")
    for theme in ("JupyterLab Dark", "JupyterLab Light"):
        view.lab_page.use_theme(theme)
        for place in (
            ".bb-summary",
            ".bb-story li",
            ".bb-value",
            ".bb-lost .bb-value",
            ".bb-errors",
            "legend",
            "caption",
        ):
            assert view.root.locator(place).first.evaluate(CONTRAST) >= 4.5, (theme, place)


def test_an_exception_in_a_callback_is_seen_on_the_page_and_survived(lab_page):
    lab_page.open("broken.ipynb")
    lab_page.run_all()
    assert lab_page.errors() == []
    view = SoftmaxPage(lab_page)
    before = view.value(0, 64)
    view.type(0, "13")
    alert = view.root.locator(".bb-alert")
    expect(alert).to_contain_text("ArithmeticError: thirteen is bad luck")
    assert alert.get_attribute("role") == "alert"
    assert not alert.locator("pre").is_visible()
    alert.locator("summary").click()
    expect(alert.locator("pre")).to_contain_text("Traceback (most recent call last)")
    assert view.value(0, 64) == before
    view.type(0, "3")
    expect(alert).to_be_hidden()
    expect(view.cell(0, 64)).not_to_contain_text(before)  # the numbers come in a message of their own


def test_running_the_cell_again_leaves_one_working_view(view):
    view.lab_page.run_cell(1)
    again = SoftmaxPage(view.lab_page)
    expect(view.page.locator(".bb-view")).to_have_count(1)
    again.slider(2).focus()
    view.page.keyboard.press("ArrowLeft")
    expect(again.root.locator(".bb-table tbody th").nth(2)).to_contain_text("0.4")
    assert view.lab_page.errors() == []
