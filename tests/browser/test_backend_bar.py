"""`BackendBar` on a page, with a SoftmaxView that follows it."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from backbench.backend import is_installed, known_names
from tests.browser.bar_page import BarPage
from tests.browser.conftest import write_notebook
from tests.browser.lab import NOTEBOOK, Lab, LabPage

CELLS = (
    "before = 'this cell stands above the bar'",
    "from backbench.widgets import BackendBar, SoftmaxView\nbar = BackendBar()\nbar",
    "view = SoftmaxView(values=[1.0, 2.0, 0.5], bar=bar)\nview",
    "from backbench import default_backend, get_precision\nprint(default_backend(), get_precision())",
)
WITHOUT_TORCH = (
    """\
from backbench.widgets import BackendBar, SoftmaxView, following

installed = following.is_installed
following.is_installed = lambda name: name != "torch" and installed(name)
bar = BackendBar()
bar""",
    "SoftmaxView(values=[1.0, 2.0, 0.5], bar=bar)",
)
NUMERIC = [name for name in known_names() if name != "sympy" and is_installed(name)]


@pytest.fixture
def opened(lab: Lab, lab_page: LabPage) -> Iterator[BarPage]:
    write_notebook(lab.root / "bar.ipynb", CELLS)
    lab_page.open("bar.ipynb")
    lab_page.run_all()
    yield BarPage(lab_page)
    assert lab_page.errors() == []


def test_every_backend_and_precision_reaches_the_view_by_mouse(opened: BarPage) -> None:
    for name in NUMERIC:
        opened.bar.backend.select_option(name)
        shown = set()
        for bits in ("16", "32", "64"):
            opened.bar.precision(bits).check()
            expect(opened.summary).to_contain_text(f"float{bits}" + (f" on {name}" if name != "numpy" else ""))
            expect(opened.view.precision(bits)).to_be_checked()
            shown.add(opened.summary.inner_text())
        assert len(shown) == 3
        expect(opened.view.backend).to_have_value(name)
    opened.bar.backend.select_option("sympy")
    expect(opened.summary).to_contain_text("exact: 0.231, 0.629, 0.140")
    for choice in (opened.bar, opened.view):
        expect(choice.precision("exact")).to_be_checked()
        expect(choice.precision("16")).to_be_disabled()
    opened.bar.backend.select_option("numpy")
    expect(opened.summary).to_contain_text("float64, shifted")
    expect(opened.bar.precision("exact")).to_be_disabled()


def test_every_backend_and_precision_by_keyboard_and_no_key_reaches_the_cells(opened: BarPage) -> None:
    cells, press = opened.lab_page.cells(), opened.page.keyboard.press
    opened.bar.backend.focus()
    for name in [*known_names()[1:], *reversed(known_names()[:-1])]:
        press(
            "ArrowDown" if opened.bar.backend.input_value() in known_names()[: known_names().index(name)] else "ArrowUp"
        )
        expect(opened.bar.backend).to_have_value(name)
        expect(opened.view.backend).to_have_value(name)
        expect(opened.bar.precision("exact")).to_be_checked(checked=name == "sympy")
    press("Tab")
    expect(opened.bar.precision("32")).to_be_focused()
    for key, bits in (("ArrowRight", "64"), ("ArrowLeft", "32"), ("ArrowLeft", "16")):
        press(key)
        expect(opened.bar.precision(bits)).to_be_checked()
        expect(opened.summary).to_contain_text(f"float{bits}, shifted")
    for key in ("d", "d", "a", "b", "x", "m"):
        press(key)
    expect(opened.bar.precision("16")).to_be_checked()
    assert opened.lab_page.cells() == cells


def test_the_view_may_be_changed_alone_and_a_cell_that_runs_again_computes_once(opened: BarPage) -> None:
    before = opened.table.inner_text()
    opened.view.precision("16").check()
    expect(opened.summary).to_contain_text("float16")
    expect(opened.bar.precision("32")).to_be_checked()
    opened.lab_page.run_cell(2)
    fresh = BarPage(opened.lab_page)
    fresh.view.root.locator("mjx-container").first.wait_for()
    expect(fresh.summary).to_contain_text("float32")
    assert fresh.table.inner_text() == before
    fresh.bar.precision("64").check()
    expect(fresh.summary).to_contain_text("float64")
    # the view that the cell made before is still in the kernel, but follows no more; so are those of earlier tests
    code = "from ipywidgets.widgets.widget import _instances\n"
    code += "print([one.precision for one in _instances.values() if isinstance(one, SoftmaxView)][-2:])"
    opened.page.locator(f"{NOTEBOOK} .jp-Cell").nth(3).locator(".cm-content").fill(code)
    opened.lab_page.run_cell(3)
    printed = opened.page.locator(f"{NOTEBOOK} .jp-Cell").nth(3).locator(".jp-OutputArea-output")
    expect(printed).to_have_text("[16, 64]\n")


@pytest.mark.skipif(not is_installed("torch"), reason="pip install 'backbench[torch]'")
def test_a_library_that_takes_long_to_load_is_said_to_be_loading(lab: Lab, lab_page: LabPage) -> None:
    cells = ("from backbench.widgets import BackendBar", "BackendBar()")
    write_notebook(lab.root / "loading.ipynb", cells)
    lab_page.open("loading.ipynb")
    lab_page.run_all()
    row = lab_page.page.locator(f"{NOTEBOOK} .bb-view").first
    row.get_by_role("combobox", name="Backend", exact=True).select_option("torch")
    expect(row.locator(".bb-missing")).to_have_text("Loading torch…")
    expect(row.get_by_role("combobox", name="Device", exact=True)).to_contain_text("CPU", timeout=60_000)
    expect(row.locator(".bb-missing")).to_have_text("")


def test_the_choice_can_be_that_of_the_cells(opened: BarPage) -> None:
    printed = opened.page.locator(f"{NOTEBOOK} .jp-Cell").nth(3).locator(".jp-OutputArea-output")
    expect(printed).to_have_text("numpy 32\n")
    opened.bar.root.get_by_role("checkbox", name="Also for the cells").check()
    opened.bar.precision("16").check()
    expect(opened.summary).to_contain_text("float16")
    opened.lab_page.run_cell(3)
    expect(printed).to_have_text("numpy 16\n")


def test_a_library_that_is_not_installed_gives_the_command_and_moves_nothing(lab: Lab, lab_page: LabPage) -> None:
    write_notebook(lab.root / "without_torch.ipynb", WITHOUT_TORCH)
    lab_page.open("without_torch.ipynb")
    lab_page.run_all()
    opened = BarPage(lab_page)
    places = [choice.root.bounding_box() for choice in (opened.bar, opened.view)]
    for choice in (opened.bar, opened.view):
        expect(choice.backend.locator("option", has_text="torch (not installed)")).to_have_count(1)
        choice.backend.select_option("torch")
        alert = choice.root.locator(".bb-missing")
        expect(alert).to_have_text(
            "torch is not installed here. Still running on numpy. To add it, run in a terminal: "
            "pip install 'backbench[torch]'Copy then restart the kernel."
        )
        expect(choice.backend).to_have_value("numpy")
        expect(opened.summary).to_contain_text("float32, shifted")
    assert [choice.root.bounding_box() for choice in (opened.bar, opened.view)] == places
    opened.bar.precision("16").check()
    expect(opened.bar.root.locator(".bb-missing")).to_be_empty()
    expect(opened.summary).to_contain_text("float16")
    assert lab_page.errors() == []
