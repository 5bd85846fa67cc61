"""`TrajectoryView` on the kernel's side: what it solves, sends, keeps and stops."""

from __future__ import annotations

import gc
import threading
import time

import numpy as np
import pytest
import traitlets
from greenlet import greenlet

from backbench import SYMPY, MissingLibrary
from backbench.backend import is_installed
from backbench.widgets import BackendBar, TrajectoryView
from backbench.widgets.trajectory_problems import PROBLEMS
from backbench.widgets.trajectory_worker import Worker


def rows(view):
    assert view.wait(60)
    assert view.error == {}
    return {run["id"]: run for run in view.runs}


def living_greenlets() -> int:
    gc.collect()
    found = [thing for thing in gc.get_objects() if issubclass(type(thing), greenlet)]
    return sum(bool(thing) and thing.parent is not None for thing in found)  # without that of the thread itself


def slow(b, x):
    time.sleep(0.003)
    return (1 - x[:, 0]) ** 2 + 100 * (x[:, 1] - x[:, 0] ** 2) ** 2  # gradient descent needs thousands of steps


@pytest.mark.parametrize("backend", ["numpy", "torch", "jax", "tensorflow"])
@pytest.mark.parametrize("problem", [name for name in PROBLEMS if name != "poisson"])
def test_every_method_reaches_a_minimum_on_every_library(problem, backend):
    if not is_installed(backend):
        pytest.skip(f"{backend} is not installed: pip install 'backbench[{backend}]'")
    methods = PROBLEMS[problem](10.0).methods
    view = TrajectoryView(problem, methods, backend=backend, max_iter=500)
    found = rows(view)
    assert list(found) == list(methods) and all(run["ran"] for run in found.values())
    minima = np.array(PROBLEMS[problem](10.0).minima)
    for method, run in found.items():
        assert run["label"] == f"{method} on {backend}, float64"
        end = np.asarray(view.trajectories[method].x)[-1, 0]
        if run["good"]:
            assert np.linalg.norm(minima - end, axis=1).min() < 1e-4
        else:
            assert method == "GD" and run["status"] == "MAX_ITERATIONS"


@pytest.mark.parametrize("backend", ["numpy", "torch", "jax", "tensorflow"])
def test_the_poisson_equation_is_sent_as_fields(backend):
    if not is_installed(backend):
        pytest.skip(f"{backend} is not installed: pip install 'backbench[{backend}]'")
    view = TrajectoryView("poisson", ["CG"], backend=backend)
    run, problem = rows(view)["CG"], PROBLEMS["poisson"](10.0)
    fields = np.frombuffer(view.fields, "<f4").reshape(run["states"], 2, problem.size**2)
    np.testing.assert_array_equal(fields[0], [np.zeros(problem.size**2), problem.y.astype("f4")])
    np.testing.assert_allclose(problem.matrix @ fields[-1, 0], problem.y, atol=1e-5)
    assert run["good"] and view.paths == b"" and view.landscape["size"] == problem.size


def test_what_is_sent_is_the_trajectory():
    view = TrajectoryView("rosenbrock", ["BFGS", "GD"], max_iter=40)
    found = rows(view)
    paths = np.frombuffer(view.paths, "<f4").reshape(-1, 2)
    measures = np.frombuffer(view.measures, "<f8").reshape(-1, 4)
    for method, run in found.items():
        part = slice(run["start"], run["start"] + run["states"])
        trajectory = view.trajectories[method]
        np.testing.assert_array_equal(paths[part], trajectory.x[:, 0].astype("f4"))
        np.testing.assert_array_equal(measures[part, 0], trajectory.iterations[:, 0])
        np.testing.assert_allclose(measures[part, 1], trajectory.loss[:, 0], rtol=1e-12)
        np.testing.assert_array_equal(paths[part][0], np.float32([-1.2, 1.0]))
    lines = view.landscape["lines"]
    points = np.frombuffer(view.contours, "<f4").reshape(-1, 2)
    assert lines and lines[-1][1] + lines[-1][2] == len(points)


def test_fractions_end_exactly_and_say_what_they_cannot():
    view = TrajectoryView("quadratic", ["CG", "GD"], backend="sympy", precision="exact", condition=1000)
    found = rows(view)
    assert found["CG"]["iterations"] == 2 and found["CG"]["good"]
    last = view.trajectories["CG"][-1]
    assert SYMPY.numpy(last.residual).tolist() == [[0, 0]]
    assert not found["GD"]["ran"] and "GD" in found["GD"]["reason"] and "another backend" in found["GD"]["reason"]
    view.problem = "poisson"
    assert "fractions of 576 unknowns" in rows(view)["CG"]["reason"]


def test_half_precision_stalls_and_says_so():
    run = rows(TrajectoryView("quadratic", ["CG"], precision=16))["CG"]
    assert run["status"] == "STAGNATED" and "attainable" in run["sentence"]


def test_a_change_of_state_solves_anew_and_the_same_state_does_not():
    view = TrajectoryView("quadratic", ["CG"])
    assert view.wait(10)
    drawn = view.drawn
    view.x0 = [0.5, 0.5]
    assert view.wait(10) and view.drawn == drawn + 1
    np.testing.assert_array_equal(np.frombuffer(view.paths, "<f4")[:2], [0.5, 0.5])
    view.x0 = [0.5, 0.5]
    view.step = 1
    assert view.wait(10) and view.drawn == drawn + 1


def test_another_problem_brings_its_own_start_and_methods():
    view = TrajectoryView("quadratic", ["CG-adaptive"])
    view.keep()
    view.problem = "himmelblau"
    assert view.x0 == [-0.5, -1.0] and view.methods == ["CG", "GD"]
    assert set(rows(view)) == {"CG", "GD"}


def test_clearing_while_another_problem_is_solved_draws_nothing_of_the_old_one():
    view = TrajectoryView("quadratic", ["CG", "CG-adaptive"])
    view.wait(10)
    view.set_state({"problem": "poisson"})
    view._on_message(view, {"clear": True}, [])
    assert set(rows(view)) == {"CG", "CG-adaptive"} and view.landscape["kind"] == "field"


def test_runs_are_kept_compared_and_removed():
    view = TrajectoryView("quadratic", ["CG", "GD"])
    assert view.wait(10)
    view.keep()
    view.precision = 32
    found = rows(view)
    assert [run["kept"] for run in found.values()] == [False, False, True, True]
    assert len({run["style"] for run in found.values()}) == 4
    assert "float64" in found["kept-1"]["label"] and "condition 10" in found["kept-1"]["label"]
    view.remove("kept-1")
    assert set(rows(view)) == {"CG", "GD", "kept-2"}
    view.remove()
    assert set(rows(view)) == {"CG", "GD"}
    for _ in range(12):
        view.keep()
        view.wait(10)
    assert len(view.runs) <= 12 and "room for 12 runs" in view.complaints["kept"]


def test_a_long_solve_tells_how_far_it_is_and_is_stopped():
    view = TrajectoryView(slow, ["GD"], [-1.0, 1.0], max_iter=100_000)
    deadline = time.monotonic() + 10
    while not view.progress and time.monotonic() < deadline:
        time.sleep(0.01)
    assert "GD on numpy" in view.progress["text"] and 0 < view.progress["fraction"] < 1
    view.stop()
    run = rows(view)["GD"]
    assert run["status"] == "STOPPED" and run["word"] == "stopped" and 0 < run["iterations"] < 100_000
    assert view.progress == {}


def test_a_change_during_a_solve_stops_it_and_its_result_is_dropped():
    view = TrajectoryView(slow, ["GD"], [-1.0, 1.0], max_iter=100_000)
    drawn = view.drawn
    view.max_iter = 2
    run = rows(view)["GD"]
    assert view.drawn == drawn + 1 and run["iterations"] == 2 and run["status"] == "MAX_ITERATIONS"


def test_an_error_in_the_users_function_is_shown_and_the_view_stays_usable():
    def broken(b, x):
        if abs(float(b.numpy(x)[0, 0])) > 5:
            raise ZeroDivisionError("too far")
        return b.sum(x**2, -1)

    view = TrajectoryView(broken, ["BFGS"], [1.0, 1.0])
    assert rows(view)["BFGS"]["good"]
    view.set_state({"x0": [9.0, 0.0]})
    assert view.wait(10)
    assert view.error["message"] == "ZeroDivisionError: too far" and "broken" in view.error["traceback"]
    view.set_state({"x0": [2.0, 0.0]})
    assert rows(view)["BFGS"]["good"]


def test_an_error_that_comes_only_while_contours_are_drawn_is_shown():
    def small_batches_only(b, x):
        if len(x) > 1000:
            raise MemoryError("too many points")
        return b.sum(x**2, -1)

    view = TrajectoryView(small_batches_only, ["BFGS"], [1.0, 1.0])
    assert view.wait(10)
    assert view.error["message"] == "MemoryError: too many points"


def test_a_function_of_the_wrong_shape_is_told():
    view = TrajectoryView(lambda b, x: x, ["GD"])
    assert view.wait(10)
    assert "one loss for each example" in view.error["message"]


@pytest.mark.parametrize(
    ("field", "text", "words"),
    [
        ("x0_0", "far", "far"),
        ("x0_1", "inf", "finite"),
        ("max_iter", "0", "From 1"),
        ("condition", "2e6", "From 1 to 1e6"),
    ],
)
def test_typed_texts_that_cannot_be_are_answered_in_words(field, text, words):
    view = TrajectoryView("quadratic", ["CG"])
    state = view.state
    view._on_message(view, {"field": field, "text": text}, [])
    assert words in view.complaints[field] and "Still using" in view.complaints[field]
    assert view.state == state
    view._on_message(view, {"field": field, "text": "2"}, [])
    assert view.complaints == {} and view.state != state


def test_bad_arguments_are_told():
    for arguments in ({"problem": "saddle"}, {"methods": ["Downhill"]}, {"x0": [1.0]}, {"x0": [1.0, np.inf]}):
        with pytest.raises((traitlets.TraitError, ValueError), match=r"saddle|Downhill|two finite numbers"):
            TrajectoryView(**arguments)
    with pytest.raises(traitlets.TraitError):
        TrajectoryView(condition=0.5)
    with pytest.raises(TypeError, match="colour"):
        TrajectoryView(colour="red")


def test_a_missing_library_leaves_the_old_one(monkeypatch):
    monkeypatch.setattr("backbench.widgets.following.is_available", lambda name: name != "torch")
    view = TrajectoryView("quadratic", ["CG"])
    view.set_state({"backend": "torch"})
    assert view.backend == "numpy" and "backbench[torch]" in view.alert["command"]
    with pytest.raises(MissingLibrary):
        view.backend = "torch"


def test_the_view_follows_a_bar():
    bar = BackendBar(precision=32)
    view = TrajectoryView("quadratic", ["CG"], bar=bar)
    bar.precision = 16
    assert rows(view)["CG"]["label"] == "CG on numpy, float16"


def test_the_state_comes_back():
    view = TrajectoryView("beale", ["BFGS"], [2.0, 1.0], 32, max_iter=70, step=3)
    again = TrajectoryView(**view.state)
    assert again.state == view.state
    other = TrajectoryView()
    other.state = view.state
    assert other.state == view.state and rows(other)["BFGS"]["sentence"] == rows(view)["BFGS"]["sentence"]
    assert "TrajectoryView" in view.code and compile(view.code, "code", "exec")


@pytest.mark.parametrize("precision", [64, "exact"])
def test_the_code_of_the_view_gives_the_same_trajectory(precision):
    view = TrajectoryView(
        "quadratic", ["CG"], precision=precision, backend="sympy" if precision == "exact" else "numpy"
    )
    view.wait(10)
    names: dict = {}
    exec(view.code, names)
    assert len(names["trajectories"]["CG"]) == len(view.trajectories["CG"])
    assert names["view"].state == view.state and names["trajectories"].keys() == {"CG"}


@pytest.mark.parametrize("backend", ["numpy", "torch", "jax", "tensorflow"])
@pytest.mark.parametrize("problem", PROBLEMS)
def test_the_code_of_all_methods_leads_to_the_same_points(problem, backend):
    if not is_installed(backend):
        pytest.skip(f"{backend} is not installed: pip install 'backbench[{backend}]'")
    methods = PROBLEMS[problem](10.0).methods[:4]
    view = TrajectoryView(problem, methods, backend=backend, max_iter=30)
    rows(view)
    names: dict = {}
    exec(view.code, names)
    assert names["trajectories"].keys() == names["view"].trajectories.keys() == set(methods)
    for method, trajectory in view.trajectories.items():
        found = names["trajectories"][method]
        assert len(found) == len(trajectory)
        np.testing.assert_allclose(np.asarray(found.x), np.asarray(trajectory.x), rtol=1e-6, atol=1e-6)


def rosenbrock(b, x):
    return b.sum((x - 1) ** 4, -1)


def slope(b, x):
    return 4 * (x - 1) ** 3


@pytest.mark.parametrize("f", [rosenbrock, lambda b, x: b.sum(x**2, -1)])
@pytest.mark.parametrize("gradient", [None, slope])
def test_the_code_names_functions_of_the_users(f, gradient):
    view = TrajectoryView(f, ["GD", "BFGS"], [3.0, 2.0], domain=(0, 4, -1, 3), gradient=gradient)
    found = rows(view)
    names = {"f": f, "rosenbrock": rosenbrock, "slope": slope}
    exec(view.code, names)
    assert names["view"].state == view.state and names["view"].landscape["domain"] == [0, 4, -1, 3]
    assert len(names["trajectories"]["BFGS"]) == found["BFGS"]["states"]
    norms = np.frombuffer(view.measures, "<f8").reshape(-1, 4)[:, 3]
    assert np.isfinite(norms).all() == (gradient is not None)


def test_values_that_cannot_be_are_refused_and_change_nothing():
    view = TrajectoryView("quadratic", ["CG"])
    state = view.state
    for wrong in ({"condition": np.nan}, {"condition": "10"}, {"max_iter": True}, {"x0": 3}, {"x0": [1e300, 0]}, 3):
        with pytest.raises(traitlets.TraitError):
            view.state = wrong
        assert view.state == state
    for condition in (np.nan, np.inf, "10", None):
        with pytest.raises(traitlets.TraitError, match="from 1 to"):
            TrajectoryView(condition=condition)
    for domain in ("abcd", 3, (None,) * 4, (0, 0, 0, 1)):
        with pytest.raises(ValueError, match="domain is"):
            TrajectoryView(slow, ["GD"], domain=domain)
    with pytest.raises(TypeError, match="function of your own"):
        TrajectoryView("beale", domain=(0, 1, 0, 1))
    assert TrajectoryView("beale", ["BFGS"], np.array([1, 2])).x0 == [1.0, 2.0]


def test_the_states_of_a_function_that_writes_are_kept():
    def f(b, x):
        total = b.sum((x - 1) ** 2, -1)
        x *= 0
        return total

    view = TrajectoryView(f, ["GD"], [3.0, 2.0])
    assert rows(view)["GD"]["good"]
    np.testing.assert_array_equal(np.frombuffer(view.paths, "<f4")[:2], [3, 2])
    np.testing.assert_allclose(np.frombuffer(view.paths, "<f4")[-2:], [1, 1], atol=1e-4)


def test_functions_that_cannot_be_called_are_told_at_once():
    with pytest.raises(TypeError, match=r"calls f\(b, x\), the backend first, but <lambda>\(x\)"):
        TrajectoryView(lambda x: x)
    with pytest.raises(TypeError, match="TrajectoryView, gradient"):
        TrajectoryView(rosenbrock, gradient=lambda x: x)
    with pytest.raises(TypeError, match="expected a function"):
        TrajectoryView(3)
    with pytest.raises(TypeError, match="follows a BackendBar"):
        TrajectoryView(bar="numpy")
    view = TrajectoryView(lambda b, x: None, ["GD"])
    assert view.wait(10) and "returned None" in view.error["message"]
    assert list(TrajectoryView(methods="CG").methods) == ["CG"]


def test_a_state_is_set_as_a_whole_or_not_at_all():
    view = TrajectoryView("quadratic", ["CG"])
    view.keep()
    found, state, drawn = rows(view), view.state, view.drawn
    for wrong in ({"problem": "rosenbrock", "condition": -3}, {"methods": ["GD"], "x0": [1, 2, 3]}):
        with pytest.raises(traitlets.TraitError):
            view.state = wrong
        assert view.state == state and rows(view).keys() == found.keys()
    assert view.drawn == drawn
    view.state = {"x0": [0.5, 0.5], "problem": "beale", "methods": ["BFGS"], "max_iter": 7, "precision": 32}
    assert rows(view)["BFGS"]["label"] == "BFGS on numpy, float32" and view.drawn == drawn + 1
    assert view.state | {"x0": [0.5, 0.5], "problem": "beale", "max_iter": 7} == view.state


@pytest.mark.parametrize("backend", ["numpy", "torch", "jax", "tensorflow"])
def test_runs_that_fly_away_are_drawn_as_far_as_they_go(backend):
    if not is_installed(backend):
        pytest.skip(f"{backend} is not installed: pip install 'backbench[{backend}]'")
    for f in (lambda b, x: b.sum(x, -1), lambda b, x: -b.sum(x**4, -1), lambda b, x: b.sum(b.log(x), -1)):
        view = TrajectoryView(f, ["GD", "BFGS", "L-BFGS-B"], [1.0, 2.0], backend=backend, max_iter=60)
        assert not any(run["good"] and run["id"] == "GD" for run in rows(view).values())
        assert np.isfinite(np.frombuffer(view.paths, "<f4")).all()
        assert view.to_png()[:4] == b"\x89PNG"


def test_stop_also_stops_what_waits():
    view = TrajectoryView(slow, ["GD"], [-1.0, 1.0], max_iter=100_000)
    view.max_iter = 50_000
    view.stop()
    assert view.wait(5) and rows(view)["GD"]["status"] == "STOPPED"
    view.max_iter = 3
    assert rows(view)["GD"]["status"] == "MAX_ITERATIONS"


def test_kept_runs_tell_their_own_condition():
    view = TrajectoryView("quadratic", ["CG"], condition=10)
    view.wait(10)
    view.keep()
    view.condition = 1000
    view.wait(10)
    view.keep()
    labels = {run["label"] for run in rows(view).values() if run["kept"]}
    assert labels == {"CG on numpy, float64, condition 10", "CG on numpy, float64, condition 1000"}


def test_a_view_that_is_closed_solves_no_more():
    view = TrajectoryView("quadratic", ["CG"])
    view.wait(10)
    drawn = view.drawn
    view.close()
    view.condition = 20
    assert view.wait(10) and view.drawn == drawn


def test_an_exit_in_the_users_function_is_shown():
    def leave(b, x):
        raise SystemExit("enough")

    view = TrajectoryView(leave, ["GD"])
    assert view.wait(10) and view.error["message"] == "SystemExit: enough"
    assert "TrajectoryView(leave" in view.code


def test_stop_does_not_wait_for_the_end_of_a_step():
    def very_slow(b, x):
        time.sleep(0.3 if len(x) == 1 else 0)
        return (1 - x[:, 0]) ** 2 + 100 * (x[:, 1] - x[:, 0] ** 2) ** 2

    view = TrajectoryView(very_slow, ["GD"], [-1.2, 1.0])  # by differences: nine values a trial, several trials a step
    time.sleep(3)
    start = time.monotonic()
    view.stop()
    assert view.wait(10) and time.monotonic() - start < 1
    assert rows(view)["GD"]["status"] == "STOPPED"


def test_there_is_room_for_so_many_runs_only():
    view = TrajectoryView("quadratic", ["CG", "GD"])
    for _ in range(8):
        assert view.wait(10)
        view.keep()
    assert sum(run["kept"] for run in rows(view).values()) == 10 and "room for 12" in view.complaints["kept"]
    view.remove("kept-3")
    assert "kept" not in view.complaints


def test_places_without_javascript_get_a_picture_and_a_table():
    for problem in ("quadratic", "poisson"):
        view = TrajectoryView(problem, ["CG"])
        assert view.to_png()[:4] == b"\x89PNG"
        data, _ = view._repr_mimebundle_()
        assert "CG on numpy, float64" in data["text/html"] and "converged" in data["text/html"]


def test_a_hundred_changes_leave_nothing():
    from matplotlib import pyplot

    before = living_greenlets()
    view = TrajectoryView("quadratic", ["CG", "BFGS"])
    view.wait(10)
    installed = [name for name in ("numpy", "torch", "jax", "tensorflow") if is_installed(name)]
    problems = list(PROBLEMS)
    for step in range(100):  # most of them come while the one before is being solved
        view.x0 = [step / 50, 1.0]
        if step % 3 == 0:
            view.backend = installed[step % len(installed)]
        if step % 4 == 0:
            view.precision = (16, 32, 64)[step % 3]
        if step % 5 == 0:
            view.problem = problems[step // 5 % len(problems)]
        if step % 10 == 0:
            view.keep()
            assert view.wait(60)
    assert view.wait(60) and view.error == {}
    view.to_png()
    deadline = time.monotonic() + 5
    while any(thread.name == "backbench-solver" for thread in threading.enumerate()) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not any(thread.name == "backbench-solver" for thread in threading.enumerate())
    assert living_greenlets() == before
    assert pyplot.get_fignums() == []


def test_closing_a_view_ends_its_solve():
    view = TrajectoryView(slow, ["GD"], [-1.0, 1.0], max_iter=100_000)
    view.close()
    assert view.wait(5)


def test_a_worker_does_the_newest_job_only():
    worker, done = Worker(), []
    begun, release = threading.Event(), threading.Event()

    def first(stop):
        begun.set()
        release.wait(5)
        done.append(("first", stop.is_set()))

    worker.start(first)
    assert begun.wait(5)
    worker.start(lambda stop: done.append("second"))
    worker.start(lambda stop: done.append("third"))
    release.set()
    assert worker.wait(5)
    assert done == [("first", True), "third"]
