"""A `TrajectoryView` on a page, as someone at the keyboard sees and uses it."""

import re

from playwright.sync_api import Locator

from tests.browser.lab import NOTEBOOK, LabPage

PICTURE = """root =>
  [...root.querySelectorAll('.bb-pictures .bb-ahead')].map(path => path.getAttribute('d')).join('|')
  + [...root.querySelectorAll('.bb-square canvas')].map(canvas => canvas.toDataURL()).join('|')"""


class TrajectoryPage:
    """A TrajectoryView of the open notebook, by default the first."""

    def __init__(self, lab_page: LabPage, number: int = 0) -> None:
        self.lab_page = lab_page
        self.page = lab_page.page
        self.root = self.page.locator(f"{NOTEBOOK} .bb-trajectory").nth(number)
        self.root.scroll_into_view_if_needed()
        self.rows.first.wait_for()

    def button(self, name: str) -> Locator:
        return self.root.get_by_role("button", name=name, exact=True)

    def select(self, name: str) -> Locator:
        return self.root.get_by_role("combobox", name=name, exact=True)

    def method(self, name: str) -> Locator:
        return self.root.get_by_role("checkbox", name=name, exact=True)

    def precision(self, name: str) -> Locator:
        return self.root.get_by_role("group", name="Precision", exact=True).get_by_role("radio", name=name, exact=True)

    def field(self, name: str) -> Locator:
        return self.root.get_by_role("textbox", name=name, exact=True)

    def type(self, name: str, text: str) -> None:
        self.field(name).fill(text)
        self.field(name).press("Enter")

    @property
    def notice(self) -> Locator:
        return self.root.locator(".bb-notice")

    @property
    def condition(self) -> Locator:
        return self.root.get_by_role("slider", name="Condition number, slider", exact=True)

    @property
    def steps(self) -> Locator:
        return self.root.get_by_role("slider", name="Step", exact=True)

    @property
    def start(self) -> Locator:
        return self.root.get_by_role("slider", name=re.compile("^Start point"))

    @property
    def live(self) -> Locator:
        return self.root.locator(".bb-live")

    @property
    def rows(self) -> Locator:
        return self.root.locator(".bb-runs tbody tr")

    def run(self, label: str) -> Locator:
        """The rows of the table whose runs match a pattern."""
        return self.rows.filter(has=self.page.get_by_role("button", name=re.compile(label)))

    def step(self) -> int:
        return int(self.steps.input_value())

    def last_step(self) -> int:
        return int(self.steps.get_attribute("max") or 0)

    def picture(self) -> str:
        """The lines of all runs and the pixels of the fields, as text to compare."""
        return str(self.root.evaluate(PICTURE))

    def wait_for_another_picture(self, old: str) -> None:
        arguments = [self.root.element_handle(), old]
        self.page.wait_for_function(f"([root, old]) => ({PICTURE})(root) !== old", arg=arguments)
