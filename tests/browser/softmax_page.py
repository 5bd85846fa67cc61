"""A `SoftmaxView` on a page, as someone at the keyboard sees and uses it."""

from playwright.sync_api import Locator, expect

from tests.browser.lab import NOTEBOOK, LabPage

PRECISIONS = (16, 32, 64)


class SoftmaxPage:
    """The first SoftmaxView of the open notebook."""

    def __init__(self, lab_page: LabPage) -> None:
        self.lab_page = lab_page
        self.page = lab_page.page
        self.root = self.page.locator(f"{NOTEBOOK} .bb-view").first
        self.root.scroll_into_view_if_needed()
        self.root.locator("mjx-container").first.wait_for()

    def slider(self, unit: int) -> Locator:
        return self.root.get_by_role("slider", name=f"x_{unit}, slider", exact=True)

    def field(self, unit: int) -> Locator:
        return self.root.get_by_role("textbox", name=f"x_{unit}, number", exact=True)

    def choice(self, group: str, name: str) -> Locator:
        segment = name.removeprefix("float")
        return self.root.get_by_role("group", name=group, exact=True).get_by_role("radio", name=segment, exact=True)

    def choose(self, group: str, name: str) -> None:
        """Choose a formulation or a precision, and wait until the summary speaks of it."""
        self.choice(group, name).check()
        expect(self.summary).to_contain_text(name)

    def type(self, unit: int, text: str) -> None:
        self.field(unit).fill(text)
        self.field(unit).press("Enter")

    @property
    def units(self) -> Locator:
        return self.root.get_by_role("spinbutton", name="Units", exact=True)

    @property
    def notice(self) -> Locator:
        """The line that speaks of refused input and of a kernel that is gone."""
        return self.root.locator(".bb-notice")

    @property
    def summary(self) -> Locator:
        return self.root.get_by_role("status")

    @property
    def story(self) -> Locator:
        return self.root.locator(".bb-story")

    def cell(self, unit: int, bits: int) -> Locator:
        """The table's cell of one unit and one precision: value, absolute error, ulp error."""
        return self.root.locator(".bb-table tbody tr").nth(unit).locator("td").nth(1 + PRECISIONS.index(bits))

    def value(self, unit: int, bits: int) -> str:
        return self.cell(unit, bits).locator(".bb-value").inner_text()

    def errors(self, unit: int, bits: int) -> list[str]:
        return self.cell(unit, bits).locator(".bb-errors span").all_inner_texts()

    def formula(self) -> str:
        """The formulas as they stand on the page."""
        return self.root.locator(".bb-formula").inner_html()

    def wait_for_another_formula(self, old: str) -> None:
        """Wait until MathJax has typeset formulas other than `old`."""
        formula = self.root.locator(".bb-formula").element_handle()
        changed = "([node, old]) => node.innerHTML !== old && node.querySelector('mjx-container')"
        self.page.wait_for_function(changed, arg=[formula, old])
