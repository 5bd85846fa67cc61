"""The browser and the JupyterLab of the browser tests, started once for all of them."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.browser.lab import REPOSITORY, Lab, LabPage, find_chromium, running_lab
from tests.browser.softmax_page import SoftmaxPage

# No sandbox, as containers run as root; the others keep the browser's own services off the network.
CHROMIUM_FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"]
CHROMIUM_FLAGS += ["--disable-component-update", "--disable-sync", "--no-first-run"]

SOFTMAX_CELLS = (
    "before = 'this cell stands above the view'",
    "from backbench.widgets import SoftmaxView\nview = SoftmaxView(values=[1.0, 2.0, 0.5])\nview",
    "after = 'this cell stands below the view'",
)
BROKEN_CELLS = (
    """\
from backbench.widgets import SoftmaxView, softmax_view

measure = softmax_view.measure

def superstitious(values, formulation):
    if 13 in values:
        raise ArithmeticError("thirteen is bad luck")
    return measure(values, formulation)

softmax_view.measure = superstitious
SoftmaxView(values=[1.0, 2.0, 0.5])""",
)

TRAJECTORY_CELLS = (
    "before = 'this cell stands above the view'",
    "from backbench.widgets import TrajectoryView\nview = TrajectoryView('quadratic', methods=['CG', 'GD'])\nview",
    "after = 'this cell stands below the view'",
)
SLOW_CELLS = (
    """\
import time
from backbench.widgets import TrajectoryView

def sluggish(b, x):
    time.sleep(0.002)
    return (1 - x[:, 0]) ** 2 + 100 * (x[:, 1] - x[:, 0] ** 2) ** 2

TrajectoryView(sluggish, methods=["GD"], x0=[-1.0, 1.0], max_iter=2)""",
)


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    root = tmp_path_factory.mktemp("served")
    if (REPOSITORY / "notebooks").is_dir():
        shutil.copytree(REPOSITORY / "notebooks", root / "notebooks")
    write_notebook(root / "softmax.ipynb", SOFTMAX_CELLS)
    write_notebook(root / "saved.ipynb", SOFTMAX_CELLS)
    write_notebook(root / "kept.ipynb", SOFTMAX_CELLS)
    write_notebook(root / "broken.ipynb", BROKEN_CELLS)
    write_notebook(root / "trajectory.ipynb", TRAJECTORY_CELLS)
    write_notebook(root / "slow.ipynb", SLOW_CELLS)
    write_notebook(root / "failing.ipynb", ("1 / 0",))
    with running_lab(root, tmp_path_factory.mktemp("settings")) as running:
        yield running


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    chromium = find_chromium()
    if chromium is None:
        pytest.skip("No Chromium or Chrome found. Install one, or name it in BACKBENCH_CHROMIUM.")
    expect.set_options(timeout=15_000)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=chromium,
            args=CHROMIUM_FLAGS,
            ignore_default_args=["--hide-scrollbars"],  # they take room, as those of most people do
        )
        yield started
        started.close()


@pytest.fixture
def lab_page(browser: Browser, lab: Lab) -> Iterator[LabPage]:
    """A fresh page; the test fails if it asked for anything outside this machine or logged an error."""
    opened = LabPage.open_in(browser, lab)
    yield opened
    opened.page.close()
    assert opened.strangers == []
    assert opened.complaints == []


@pytest.fixture
def view(lab_page: LabPage) -> SoftmaxPage:
    """A `SoftmaxView` with three units, run just now."""
    lab_page.open("softmax.ipynb")
    lab_page.run_all()
    assert lab_page.errors() == []
    return SoftmaxPage(lab_page)


@pytest.fixture
def trajectory_page(lab_page: LabPage) -> LabPage:
    """A notebook with a `TrajectoryView` of a quadratic function, run just now."""
    lab_page.open("trajectory.ipynb")
    lab_page.run_all()
    assert lab_page.errors() == []
    return lab_page


@pytest.fixture
def slow_trajectory_page(lab_page: LabPage) -> LabPage:
    """A notebook with a `TrajectoryView` of a function that takes 2 ms a call, run just now."""
    lab_page.open("slow.ipynb")
    lab_page.run_all()
    assert lab_page.errors() == []
    return lab_page


def write_notebook(path: Path, sources: tuple[str, ...]) -> None:
    cells: list[dict[str, Any]] = [
        {
            "cell_type": "code",
            "id": f"cell-{i}",
            "execution_count": None,
            "metadata": {},
            "outputs": [],
            "source": source,
        }
        for i, source in enumerate(sources)
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(notebook), encoding="utf-8")
