"""The notebooks with a SoftmaxView, in a real JupyterLab: run all cells, use the view, and nothing goes wrong."""

import pytest
from playwright.sync_api import expect

from tests.browser.lab import LabPage
from tests.browser.softmax_page import SoftmaxPage

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("notebook", ["00_start_here", "03_softmax_two_ways"])
def test_the_notebook_runs_and_its_view_works(lab_page: LabPage, notebook: str) -> None:
    lab_page.open(f"notebooks/{notebook}.ipynb")
    lab_page.run_all()
    assert lab_page.errors() == []
    view = SoftmaxPage(lab_page)
    cells = lab_page.cells()

    formula = view.formula()
    other = "plain" if view.choice("Formulation", "pairwise").is_checked() else "pairwise"
    view.choose("Formulation", other)
    view.wait_for_another_formula(formula)
    for name in ("float16", "float32", "float64"):
        view.choose("Precision", name)

    before, errors = view.value(0, 64), view.errors(0, 64)
    view.type(0, "1.5")
    expect(view.slider(0)).to_have_value("1.5")
    view.slider(0).focus()
    lab_page.page.keyboard.press("ArrowRight")
    expect(view.field(0)).to_have_value("1.6")
    expect(view.cell(0, 64)).not_to_contain_text(before)
    assert view.errors(0, 64) != errors

    view.choose("Formulation", "plain")
    view.type(0, "1e4")
    expect(view.cell(0, 64)).to_contain_text("NaN")
    expect(view.story).to_contain_text("exp(10000) overflows")
    view.choose("Formulation", "shifted")
    view.type(0, "-inf")
    expect(view.cell(0, 64).locator(".bb-value")).to_have_text("0")
    expect(view.cell(0, 64)).not_to_contain_text("NaN")

    view.slider(0).focus()
    for key in ("d", "d", "ArrowDown", "ArrowUp", "a", "b"):
        lab_page.page.keyboard.press(key)
    assert lab_page.cells() == cells
    assert lab_page.errors() == []
