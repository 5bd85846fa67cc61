"""A `BackendBar` on a page above a `SoftmaxView` that follows it."""

from playwright.sync_api import Locator

from tests.browser.lab import NOTEBOOK, LabPage


class Choice:
    """The controls of one view."""

    def __init__(self, root: Locator) -> None:
        self.root = root
        self.backend = root.get_by_role("combobox", name="Backend", exact=True)
        self.device = root.get_by_role("combobox", name="Device", exact=True)

    def precision(self, name: str) -> Locator:
        return self.root.get_by_role("group", name="Precision", exact=True).get_by_role("radio", name=name, exact=True)


class BarPage:
    """The notebook with the bar above the view."""

    def __init__(self, lab_page: LabPage) -> None:
        self.lab_page = lab_page
        self.page = lab_page.page
        self.bar, self.view = (Choice(self.page.locator(f"{NOTEBOOK} .bb-view").nth(i)) for i in range(2))
        self.view.root.locator("mjx-container").first.wait_for()
        self.summary = self.view.root.get_by_role("status")
        self.table = self.view.root.locator(".bb-table tbody")
