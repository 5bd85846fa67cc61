"""Time from a key press in TrajectoryView to the last change on the page, in JupyterLab in Chromium.

    python benchmarks/trajectory_latency.py

Prints the times of a step, which does not ask the kernel, and of a new solve of a problem of two unknowns.
"""

import statistics
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Locator, sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.widget_latency import TIME_ONE_MOVE
from tests.browser.conftest import CHROMIUM_FLAGS, write_notebook
from tests.browser.lab import LabPage, find_chromium, running_lab
from tests.browser.trajectory_page import TrajectoryPage

PROMISED_MS = {"step": 20, "new solve": 80}
MOVES = 10
CELL = "from backbench.widgets import TrajectoryView\nTrajectoryView('quadratic', methods=['CG', 'GD'])"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        root, settings = Path(folder, "served"), Path(folder, "settings")
        root.mkdir()
        settings.mkdir()
        write_notebook(root / "latency.ipynb", (CELL,))
        with running_lab(root, settings) as lab:
            browser = playwright.chromium.launch(executable_path=find_chromium(), args=CHROMIUM_FLAGS)
            lab_page = LabPage.open_in(browser, lab)
            lab_page.open("latency.ipynb")
            lab_page.run_all()
            view = TrajectoryPage(lab_page)
            view.steps.press("Home")
            report("step", [time_one_move(view, view.steps) for _ in range(MOVES + 1)])
            report("new solve", [time_one_move(view, view.start) for _ in range(MOVES + 1)])
            browser.close()


def report(what: str, times: list[float]) -> None:
    times = times[1:]  # the first one warms up
    median = statistics.median(times)
    print(f"{what}, key press to last visual change in ms: {', '.join(f'{time:.0f}' for time in times)}")
    verdict = "kept" if median < PROMISED_MS[what] else "NOT kept"
    print(f"median {median:.0f}, worst {max(times):.0f}: {verdict}, the promise of {PROMISED_MS[what]} ms")


def time_one_move(view: TrajectoryPage, control: Locator) -> float:
    control.focus()
    view.page.evaluate(f"root => {{ window.move = ({TIME_ONE_MOVE})(root); }}", view.root.element_handle())
    view.page.keyboard.press("ArrowRight")
    return float(view.page.evaluate("() => window.move"))


if __name__ == "__main__":
    main()
