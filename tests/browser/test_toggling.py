"""The notebooks on backends as their reader goes through them: each library and precision, with its numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, expect

from backbench import get_backend
from backbench.backend import is_installed, known_names
from backbench.widgets import TrajectoryView
from backbench.widgets.softmax_numbers import measure
from backbench.widgets.softmax_page import draw
from tests.browser.bar_page import BarPage, Choice
from tests.browser.lab import NOTEBOOK, LabPage
from tests.browser.trajectory_page import TrajectoryPage

INSTALLED = [name for name in known_names() if is_installed(name)]
CHOICES = [(name, bits) for name in INSTALLED for bits in (("exact",) if name == "sympy" else ("16", "32", "64"))]
SOFTMAX_INPUTS = (0.1, 0.2, 0.4)  # of notebook 01


@pytest.fixture
def first(lab_page: LabPage) -> Iterator[BarPage]:
    """Notebook 01, all cells run."""
    lab_page.open("notebooks/01_backends_and_precision.ipynb")
    lab_page.run_all()
    yield BarPage(lab_page)
    assert lab_page.errors() == []


@pytest.fixture
def second(lab_page: LabPage) -> Iterator[LabPage]:
    """Notebook 02, all cells run."""
    lab_page.open("notebooks/02_conjugate_gradient.ipynb")
    lab_page.run_all()
    yield lab_page
    assert lab_page.errors() == []


def choose(bar: Choice, backend: str, precision: str) -> None:
    bar.backend.select_option(backend)
    bar.precision(precision).click()  # `check` would be disturbed by the answer to the backend, which may come later
    expect(bar.precision(precision)).to_be_checked()


def resting_box(place: Locator) -> dict[str, float]:
    """Where something is once it does not move any more: pictures below and above come in after the cells have run."""
    place.scroll_into_view_if_needed()
    box = place.bounding_box()
    for _ in range(50):
        place.page.wait_for_timeout(200)
        before, box = box, place.bounding_box()
        if box is not None and box == before:
            return dict(box)
    raise AssertionError(f"it moves on: {box}")


def press_keys_of_the_notebook(lab_page: LabPage, view: Locator) -> None:
    """In command mode `d d` deletes the cell; in a view it must not."""
    cells = lab_page.cells()
    controls = view.locator("input, select, button, [tabindex='0']")
    for i in range(controls.count()):
        if controls.nth(i).is_visible() and controls.nth(i).is_enabled():
            controls.nth(i).focus()
            for key in ("d", "d"):
                lab_page.page.keyboard.press(key)
    assert lab_page.cells() == cells


def test_the_softmax_of_notebook_01_is_that_of_each_library_and_precision(first: BarPage) -> None:
    chart = first.view.root.locator(".bb-chart svg")
    pictures: dict[str, set[str]] = {}
    for name, bits in [*CHOICES, ("numpy", "32")]:
        choose(first.bar, name, bits)
        on = {"numpy": "", "sympy": ""}.get(name, f" on {name}")
        word = "exact:" if bits == "exact" else f"float{bits}{on}, shifted"
        expect(first.summary).to_contain_text(word)
        with get_backend("numpy" if name == "sympy" else name):
            shown = draw(measure(SOFTMAX_INPUTS, "shifted"), bits if bits == "exact" else int(bits))
        expect(first.summary).to_have_text(shown["summary"])
        rows = first.table.locator("tr")
        for unit, exact in enumerate(shown["exact"]):
            texts = rows.nth(unit).locator("td")
            expect(texts.nth(0)).to_have_text(exact)
            for column, width in enumerate(("16", "32", "64"), 1):
                numbers = shown["columns"][width]
                parts = (numbers["value"][unit], numbers["absolute"][unit], numbers["ulp"][unit])
                expect(texts.nth(column)).to_have_text("".join(parts))
        pictures.setdefault(name, set()).add(chart.inner_html())
        expect(rows.first.locator(".bb-chosen")).to_have_count(1)
    assert {name: len(seen) for name, seen in pictures.items()} == {
        name: 1 if name == "sympy" else 3 for name in INSTALLED
    }
    press_keys_of_the_notebook(first.lab_page, first.bar.root)
    press_keys_of_the_notebook(first.lab_page, first.view.root)


def test_the_ways_of_notebook_02_are_those_of_each_library_and_precision(second: LabPage) -> None:
    bar, bowl = Choice(second.page.locator(f"{NOTEBOOK} .bb-view").first), TrajectoryPage(second)
    pictures: dict[str, set[str]] = {}
    for name, bits in [*CHOICES, ("numpy", "64")]:
        choose(bar, name, bits)
        expected = TrajectoryView(backend=name, precision=bits if bits == "exact" else int(bits))
        assert expected.wait(60)
        expect(bowl.rows).to_have_count(2)
        for run in expected.runs:
            row = bowl.run(f"^{re.escape(run['label'])}$")
            expect(row).to_contain_text(run["sentence"] if run["ran"] else run["reason"])
            if run["ran"]:
                expect(row.locator(".bb-number").first).to_have_text(f"{run['iterations']:,}")
        expect(bowl.steps).to_have_attribute("max", str(max(run["states"] for run in expected.runs) - 1))
        pictures.setdefault(name, set()).add(bowl.picture())
    assert {name: len(seen) for name, seen in pictures.items()} == {
        name: 1 if name == "sympy" else 3 for name in INSTALLED
    }
    press_keys_of_the_notebook(second, bar.root)
    press_keys_of_the_notebook(second, bowl.root)


def test_the_membrane_of_notebook_02_is_solved_by_each_library_and_precision(second: LabPage) -> None:
    bar = Choice(second.page.locator(f"{NOTEBOOK} .bb-view").first)
    membrane = TrajectoryPage(second, 1)
    rows = {}
    for name, bits in CHOICES:
        bar.root.scroll_into_view_if_needed()
        choose(bar, name, bits)
        membrane.root.scroll_into_view_if_needed()
        expected = TrajectoryView("poisson", ["CG"], backend=name, precision=bits if bits == "exact" else int(bits))
        assert expected.wait(60)
        (run,) = expected.runs
        expect(membrane.run(f"^{re.escape(run['label'])}$")).to_contain_text(
            run["sentence"] if run["ran"] else run["reason"]
        )
        rows[name, bits] = run["iterations"] if run["ran"] else None, membrane.picture()
    for name in INSTALLED:
        if name != "sympy":
            assert len({rows[name, bits] for bits in ("16", "32", "64")}) == 3
    assert rows["sympy", "exact"][0] is None


def test_the_start_of_notebook_02_is_dragged_and_its_steps_are_walked_by_keyboard(second: LabPage) -> None:
    bowl, page = TrajectoryPage(second), second.page
    numbers, picture = bowl.rows.all_inner_texts(), bowl.picture()
    box = resting_box(bowl.start)
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 120, box["y"] + 60, steps=8)
    page.mouse.up()
    expect(bowl.field("start x₁")).not_to_have_value("-2")
    bowl.wait_for_another_picture(picture)
    page.wait_for_timeout(300)  # the last move is told a frame later
    x0 = [float(bowl.field(f"start {x}").input_value()) for x in ("x₁", "x₂")]
    assert x0[0] > -1.5 and x0[1] < 1.4
    expected = TrajectoryView(x0=x0)
    assert expected.wait(60)
    for run in expected.runs:
        expect(bowl.run(f"^{run['label']}$")).to_contain_text(run["sentence"])
    assert bowl.rows.all_inner_texts() != numbers

    bowl.run("^CG").click()
    x = expected.trajectories["CG"].x[:, 0]
    bowl.steps.focus()
    seen = set()
    for key, step in (("Home", 0), ("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1)):
        page.keyboard.press(key)
        expect(bowl.live).to_contain_text(f"Step {step} of")
        spoken = bowl.live.inner_text().replace("−", "-")
        place = re.search(r"at \((\S+), (\S+)\)", spoken)
        assert place is not None
        assert [float(part) for part in place.groups()] == pytest.approx(x[step].tolist(), abs=2e-3, rel=2e-3)
        seen.add(bowl.root.locator(".bb-pictures").inner_html())
    assert len(seen) == 3


def test_a_long_solve_in_notebook_02_is_stopped(second: LabPage) -> None:
    bar, bowl = Choice(second.page.locator(f"{NOTEBOOK} .bb-view").first), TrajectoryPage(second)
    if is_installed("torch"):
        bar.backend.select_option("torch")  # some 4000 steps of gradient descent take seconds there
    bowl.type("max. iterations", "100000")
    bowl.select("Problem").select_option("rosenbrock")
    bowl.method("CG").uncheck()
    expect(bowl.button("Stop")).to_be_enabled()
    bowl.button("Stop").click()
    expect(bowl.run("^GD")).to_contain_text("Stopped by the caller")
    expect(bowl.button("Stop")).to_be_disabled()
    bowl.select("Problem").select_option("quadratic")
    expect(bowl.run("^GD")).to_contain_text("Converged")
