"""SoftmaxView on pages of different widths: every number and every notice can be read, and nothing moves."""

from itertools import product

import pytest
from playwright.sync_api import expect

from backbench.widgets.formats import format_number, parse_number
from tests.browser.softmax_page import SoftmaxPage

pytestmark = pytest.mark.browser

WIDTHS = (1400, 1000, 700)
LONG_NUMBERS = (
    ("1", "2", "0.5"),
    ("9.5", "2", "-3"),
    ("-1.7976931348623157e308", "600", "0.3333333333333333"),
    ("0", "-700.123456789012", "-9.123456789012345"),
    ("-22999", "0", "-99.99"),
    ("inf", "1e39", "0.1"),
)

# Pairs of texts in one row of the table, or two of its heads, of which the left one reaches into the right one.
OVERLAPS = """node => [...node.querySelectorAll('.bb-table tr')].flatMap(row => {
  const reach = cell => [...cell.querySelectorAll('*'), cell].flatMap(part =>
    [...part.childNodes].filter(child => child.nodeType === 3 && child.data).map(text => {
      const range = document.createRange();
      range.selectNodeContents(text);
      return range.getBoundingClientRect().right;
    })).reduce((most, right) => Math.max(most, right), 0);
  const clips = cell => getComputedStyle(cell).overflowX === 'hidden';
  const cells = [...row.cells];
  return cells.slice(0, -1).flatMap((cell, i) => {
    const right = clips(cell) ? Math.min(reach(cell), cell.getBoundingClientRect().right) : reach(cell);
    const next = cells[i + 1].getBoundingClientRect().left + parseFloat(getComputedStyle(cells[i + 1]).paddingLeft);
    return right <= next ? [] : [[cell.innerText, cells[i + 1].innerText, right - next]];
  });
})"""
PLACES = """node =>
  [...node.querySelectorAll('.bb-row, .bb-field, input[type=range], h4, legend, table, svg, .bb-formula')]
  .map(part => { const { x, y, width, height } = part.getBoundingClientRect(); return [x, y, width, height]; })"""
# All of the text lies inside its box, inside the view, and on top.
IS_FULLY_VISIBLE = """node => {
  const range = document.createRange();
  range.selectNodeContents(node);
  const view = node.closest('.bb-view').getBoundingClientRect();
  return node.scrollHeight <= node.clientHeight && [...range.getClientRects()].every(box =>
    box.left >= view.left && box.right <= view.right
      && [box.left + 1, box.right - 1].every(x => document.elementFromPoint(x, box.top + box.height / 2) === node));
}"""


@pytest.fixture(params=["sidebar open", "sidebar closed"])
def wide_view(view: SoftmaxPage, request: pytest.FixtureRequest) -> SoftmaxPage:
    sidebar = view.page.locator("#jp-left-stack")
    expect(sidebar).to_be_visible()
    if request.param == "sidebar closed":
        view.lab_page.select_cell(0)
        view.page.keyboard.press("Control+b")
        expect(sidebar).to_be_hidden()
    return view


def resize(view: SoftmaxPage, width: int) -> None:
    view.page.set_viewport_size({"width": width, "height": 1000})
    # two frames: JupyterLab resizes its panels in the first
    view.page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    view.root.locator(".bb-bar").scroll_into_view_if_needed()


def test_no_number_runs_into_its_neighbour(wide_view):
    view = wide_view
    for formulation, numbers in product(("shifted", "plain"), LONG_NUMBERS):
        view.choose("Formulation", formulation)
        for unit, text in enumerate(numbers):
            view.type(unit, text)
            expect(view.root.locator(".bb-table tbody th").nth(unit).locator(".bb-value")).to_have_text(
                format_number(parse_number(text))
            )
        for width in WIDTHS:
            resize(view, width)
            assert view.root.evaluate(OVERLAPS) == [], (width, formulation, numbers)
            # what does not fit can be scrolled to
            view.root.locator(".bb-table").evaluate("node => (node.scrollLeft = node.scrollWidth)")
            last = view.cell(0, 64).bounding_box()
            box = view.root.locator(".bb-table").bounding_box()
            assert last["x"] + last["width"] <= box["x"] + box["width"] + 1, width
            assert view.root.evaluate("node => node.scrollWidth <= node.clientWidth"), width
            view.root.locator(".bb-table").evaluate("node => (node.scrollLeft = 0)")


@pytest.mark.parametrize("units", [3, 12])
def test_a_complaint_is_read_in_full_and_moves_nothing(wide_view, units):
    view = wide_view
    view.units.fill(str(units))
    view.units.press("Enter")
    expect(view.root.locator(".bb-row")).to_have_count(units)
    view.type(units - 1, "-1.2345678901234567e-308")
    for width in WIDTHS:
        resize(view, width)
        view.field(units - 1).focus()  # the last row, which may have to be scrolled to
        before = view.root.evaluate(PLACES)
        for junk in ("junk", "1e400", "9" * 400, "j" * 60, "1," + "5" * 60):
            view.type(units - 1, junk)
            expect(view.notice).to_contain_text(junk[:15])
            assert view.notice.evaluate(IS_FULLY_VISIBLE), (width, junk)
            assert view.root.evaluate(PLACES) == before, (width, junk)
        view.field(units - 1).press("Escape")
        expect(view.notice).to_be_empty()
        view.units.fill("65")
        view.units.press("Enter")
        expect(view.notice).to_contain_text("Units: From 2 to 64")
        assert view.notice.evaluate(IS_FULLY_VISIBLE), width
        view.units.press("Escape")
        expect(view.notice).to_be_empty()
        assert view.root.evaluate(PLACES) == before, width
