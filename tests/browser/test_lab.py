"""The instruments of the browser tests themselves: what they are to notice, they notice."""

import pytest
from playwright.sync_api import Browser

from tests.browser.lab import Lab, LabPage

pytestmark = pytest.mark.browser


def test_a_request_that_leaves_the_machine_and_an_error_in_the_console_are_noticed(browser: Browser, lab: Lab) -> None:
    watched = LabPage.open_in(browser, lab)
    watched.page.route("https://example.org/**", lambda route: route.abort())
    watched.page.goto("about:blank")
    assert watched.strangers == []
    watched.page.evaluate("fetch('https://example.org/library.js').catch(() => console.error('not loaded'))")
    watched.page.close()
    assert watched.strangers == ["https://example.org/library.js"]
    assert "not loaded" in watched.complaints


def test_an_error_in_a_cell_is_noticed(lab_page: LabPage) -> None:
    lab_page.open("failing.ipynb")
    lab_page.run_all()
    assert len(lab_page.errors()) == 1
    assert "ZeroDivisionError" in lab_page.errors()[0]
