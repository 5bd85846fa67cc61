"""SoftmaxView when its kernel is restarted, busy or gone: it never looks as if it agreed."""

import pytest
from playwright.sync_api import expect

from tests.browser.softmax_page import SoftmaxPage

pytestmark = pytest.mark.browser

RESTARTED = "The kernel was restarted: run this cell again."
SILENT = "No answer from the kernel yet. It may be busy. If it was stopped or restarted, run this cell again."

SAVED = "This view was saved without its kernel: run this cell to use it."


def kernel_menu(view: SoftmaxPage, command: str) -> None:
    view.page.click("li.lm-MenuBar-item >> text=/^Kernel$/")
    view.page.click(f"li.lm-Menu-item[data-command='kernelmenu:{command}']")


def test_a_restart_is_told_and_running_the_cell_again_mends_it(view):
    kernel_menu(view, "restart")
    view.page.click(".jp-Dialog button.jp-mod-accept")
    expect(view.notice).to_have_text(RESTARTED)
    assert view.notice.get_attribute("role") == "alert"
    for control in (view.slider(0), view.field(1), view.units, view.choice("Formulation", "plain")):
        expect(control).to_be_disabled()
    view.lab_page.wait_for_kernel()
    expect(view.notice).to_have_text(RESTARTED)
    view.lab_page.run_cell(1)
    again = SoftmaxPage(view.lab_page)
    expect(again.notice).to_be_empty()
    again.type(0, "3")
    expect(again.summary).to_contain_text("0.690")
    assert view.lab_page.errors() == []


def test_a_view_that_was_saved_with_the_notebook_says_that_it_has_no_kernel(lab_page):
    lab_page.open("kept.ipynb")
    lab_page.run_all()
    view = SoftmaxPage(lab_page)

    def keep_widgets() -> None:
        view.page.click("li.lm-MenuBar-item >> text=/^Settings$/")
        view.page.click("li.lm-Menu-item >> text=/^Save Widget State Automatically$/")

    keep_widgets()
    view.type(0, "3")
    expect(view.summary).to_contain_text("0.690")
    view.page.keyboard.press("Control+s")
    notebook = lab_page.lab.root / "kept.ipynb"
    view.page.wait_for_function("() => !document.querySelector('.lm-TabBar-tab.jp-mod-dirty')")
    assert "application/vnd.jupyter.widget-state+json" in notebook.read_text(encoding="utf-8")
    keep_widgets()
    kernel_menu(view, "restart")
    view.page.click(".jp-Dialog button.jp-mod-accept")
    lab_page.wait_for_kernel()
    lab_page.open("kept.ipynb")
    again = SoftmaxPage(lab_page)
    expect(again.summary).to_contain_text("0.690")
    expect(again.notice).to_have_text(SAVED)
    expect(again.slider(0)).to_be_disabled()


def test_a_busy_kernel_is_waited_for_aloud_and_the_change_arrives(view):
    before = view.value(0, 64)
    cell = view.page.locator(".jp-Notebook .jp-Cell").nth(2)
    cell.locator(".cm-content").click()
    view.page.keyboard.press("Control+a")
    view.page.keyboard.type("import time; time.sleep(6)")
    view.page.keyboard.press("Control+Enter")
    view.type(0, "3")
    view.page.wait_for_timeout(1000)
    expect(view.notice).to_be_empty()
    expect(view.notice).to_have_text(SILENT)
    assert view.value(0, 64) == before
    expect(view.summary).to_contain_text("0.690")
    expect(view.notice).to_be_empty()


def test_an_idle_kernel_that_answers_without_a_change_is_not_called_silent(view):
    view.type(0, "1.0")
    view.slider(0).focus()
    view.page.keyboard.press("ArrowRight")
    view.page.keyboard.press("ArrowLeft")
    view.page.wait_for_timeout(4000)
    expect(view.notice).to_be_empty()
    expect(view.field(0)).to_have_value("1")
