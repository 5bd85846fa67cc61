"""`TrajectoryView` in a real JupyterLab: what is chosen, dragged and stepped changes numbers and picture."""

import re

import pytest
from playwright.sync_api import expect

from backbench.backend.choice import is_installed, known_names
from tests.browser.conftest import write_notebook
from tests.browser.lab import Lab, LabPage
from tests.browser.trajectory_page import TrajectoryPage

TOUCHY_CELLS = (
    """\
from backbench.widgets import TrajectoryView

def touchy(b, x):
    if len(x) == 1 and float(b.numpy(x)[0, 0]) > 3:
        raise ValueError("too far")
    return b.sum((x - 1) ** 2, -1)

TrajectoryView(touchy, methods=["BFGS"], x0=[2.0, 1.5])""",
)


@pytest.fixture
def plane(trajectory_page: LabPage) -> TrajectoryPage:
    """CG and GD on a quadratic function of condition 10, run just now."""
    return TrajectoryPage(trajectory_page)


def test_problems_have_pictures_of_their_own(plane: TrajectoryPage) -> None:
    seen = [plane.picture()]
    for problem in ("rosenbrock", "himmelblau", "beale", "poisson", "quadratic"):
        plane.select("Problem").select_option(problem)
        plane.wait_for_another_picture(seen[-1])
        assert plane.picture() not in seen[1:]
        seen.append(plane.picture())
    assert plane.lab_page.errors() == []


def test_methods_come_and_go(plane: TrajectoryPage) -> None:
    plane.method("BFGS").check()
    expect(plane.run("^BFGS")).to_have_count(1)
    plane.method("GD").uncheck()
    expect(plane.run("GD")).to_have_count(0)
    assert plane.lab_page.errors() == []


def test_a_worse_condition_takes_more_iterations_of_gradient_descent(plane: TrajectoryPage) -> None:
    before, row = plane.picture(), plane.run("GD").inner_text()
    plane.condition.focus()
    plane.page.keyboard.press("ArrowRight")
    plane.wait_for_another_picture(before)
    expect(plane.field("condition number")).not_to_have_value("10")
    assert plane.run("GD").inner_text() != row


@pytest.mark.parametrize("name", [name for name in known_names() if is_installed(name)])
def test_each_backend_and_precision_runs(plane: TrajectoryPage, name: str) -> None:
    plane.select("Backend").select_option(name)
    for precision in ("exact",) if name == "sympy" else ("16", "32", "64"):
        plane.precision(precision).check()
        expect(plane.run(f"CG.*{precision}")).to_contain_text(re.compile(name, re.IGNORECASE))
        assert plane.picture()
    assert plane.lab_page.errors() == []


def test_the_start_is_dragged(plane: TrajectoryPage) -> None:
    before = plane.picture()
    box = plane.start.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    plane.page.mouse.move(x, y)
    plane.page.mouse.down()
    plane.page.mouse.move(x + 100, y + 50, steps=10)
    plane.page.mouse.up()
    plane.wait_for_another_picture(before)
    expect(plane.field("start x₁")).not_to_have_value("-2")
    assert plane.lab_page.errors() == []


def test_the_start_is_moved_by_keys(plane: TrajectoryPage) -> None:
    before, place = plane.picture(), plane.start.get_attribute("aria-valuetext")
    plane.start.focus()
    plane.page.keyboard.press("Shift+ArrowRight")
    plane.wait_for_another_picture(before)
    assert plane.start.get_attribute("aria-valuetext") != place


def test_a_start_that_is_no_number_is_refused_in_words(plane: TrajectoryPage) -> None:
    plane.type("start x₁", "far")
    expect(plane.notice).to_contain_text("far")
    expect(plane.field("start x₁")).to_have_value("far")
    plane.type("start x₁", "0.5")
    expect(plane.notice).to_have_text("")
    expect(plane.start).to_have_attribute("aria-valuetext", re.compile(r"^x₁ = 0\.5,"))


def test_steps_by_keyboard(plane: TrajectoryPage) -> None:
    last = plane.last_step()
    assert last > 1
    plane.steps.focus()
    for key, step in (("Home", 0), ("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", last)):
        plane.page.keyboard.press(key)
        assert plane.step() == step
        expect(plane.live).to_contain_text(f"Step {step} of {last}:")


def test_a_film_ends_at_the_last_step(plane: TrajectoryPage) -> None:
    plane.button("First step").click()
    plane.button("Play").focus()
    plane.page.keyboard.press("Space")
    expect(plane.button("Pause")).to_be_focused()
    expect(plane.steps).to_have_value(str(plane.last_step()), timeout=40_000)
    expect(plane.button("Play")).to_be_focused()
    expect(plane.live).to_contain_text(f"Step {plane.last_step()} of")


def test_kept_runs_stay_beside_new_ones_until_they_are_removed(plane: TrajectoryPage) -> None:
    runs = plane.rows.count()
    plane.button("Keep these runs").click()
    plane.precision("16").check()
    expect(plane.rows).to_have_count(2 * runs)
    plane.root.get_by_role("button", name=re.compile("^Remove")).first.click()
    expect(plane.rows).to_have_count(2 * runs - 1)
    plane.button("Clear kept runs").click()
    expect(plane.rows).to_have_count(runs)
    assert plane.lab_page.errors() == []


def test_the_row_that_is_chosen_is_the_one_spoken_of(plane: TrajectoryPage) -> None:
    plane.run("GD").get_by_role("button", name="GD").first.press("Enter")
    expect(plane.live).to_contain_text("GD")
    plane.run("CG").click()
    expect(plane.live).to_contain_text("CG")


def test_keys_leave_the_cells_alone(plane: TrajectoryPage) -> None:
    plane.lab_page.select_cell(1)
    cells = plane.lab_page.cells()
    selected = plane.lab_page.selected_cell()
    focusable = plane.root.locator("input, select, button, [tabindex='0']")
    for i in range(focusable.count()):
        control = focusable.nth(i)
        if not control.is_visible() or control.is_disabled():
            continue
        control.focus()
        for key in ("d", "d", "a", "b", "x", "ArrowDown"):
            plane.page.keyboard.press(key)
        assert plane.lab_page.cells() == cells
        assert plane.lab_page.selected_cell() == selected


def test_the_code_of_the_view_is_shown_in_both_themes(plane: TrajectoryPage) -> None:
    for theme in ("JupyterLab Dark", "JupyterLab Light"):
        plane.lab_page.use_theme(theme)
        colors = (
            "node => [getComputedStyle(node).color, getComputedStyle(node.closest('.jp-Notebook')).backgroundColor]"
        )
        ink, ground = (re.findall(r"[\d.]+", color)[:3] for color in plane.live.evaluate(colors))
        assert abs(sum(map(float, ink)) - sum(map(float, ground))) > 300  # dark on light, or light on dark
    plane.button("Code for this view").click()
    code = plane.root.locator("pre").first
    expect(code).to_contain_text('NUMPY.linear_solve("CG", A, y')
    plane.precision("16").check()
    expect(code).to_contain_text("precision(16)")
    plane.button("Hide code").click()
    expect(code).to_be_hidden()


def test_an_error_of_a_function_is_shown_with_its_traceback(lab: Lab, lab_page: LabPage) -> None:
    write_notebook(lab.root / "touchy.ipynb", TOUCHY_CELLS)
    lab_page.open("touchy.ipynb")
    lab_page.run_all()
    view = TrajectoryPage(lab_page)
    view.type("start x₁", "9")
    alert = view.root.locator(".bb-alert")
    expect(alert).to_contain_text("ValueError: too far")
    expect(alert).to_contain_text("in touchy")
    view.type("start x₁", "1.5")
    expect(alert).to_be_hidden()
    expect(view.run("BFGS")).to_contain_text("Converged")
    assert lab_page.errors() == []


def test_a_long_solve_is_stopped(slow_trajectory_page: LabPage) -> None:
    view = TrajectoryPage(slow_trajectory_page)
    view.type("max. iterations", "100000")
    expect(view.button("Stop")).to_be_enabled()
    view.button("Stop").click()
    expect(view.button("Stop")).to_be_disabled()
    expect(view.rows.first).to_contain_text(re.compile("stopped", re.IGNORECASE))
    assert slow_trajectory_page.errors() == []
