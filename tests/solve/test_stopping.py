"""Callbacks, clocks and errors end a solve, and nothing is left running."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pytest
from greenlet import greenlet

from backbench import NUMPY, Status, with_gradient
from backbench.backend import is_installed

A = np.diag(np.logspace(0, 3, 40))
Y = np.ones((2, 40))
METHODS = ["GD", "CG", "BFGS", "L-BFGS-B", "Newton-CG", "TNC", "SLSQP", "trust-constr"]


def valley(x):
    return np.sum(100 * (x[:, 1:] - x[:, :-1] ** 2) ** 2 + (1 - x[:, :-1]) ** 2, -1)


def living_greenlets() -> int:
    gc.collect()
    found = [thing for thing in gc.get_objects() if issubclass(type(thing), greenlet)]
    return sum(bool(thing) and thing.parent is not None for thing in found)  # without that of the thread itself


@pytest.mark.parametrize("matrix", [A, lambda x: x @ A], ids=["matrix", "callable"])
@pytest.mark.parametrize("batch", [1, 2])
def test_a_callback_sees_the_states_and_may_stop_a_linear_solve(matrix, batch):
    seen = []

    def callback(state):
        seen.append(state)
        if state.iterations.max() == 5:
            raise StopIteration

    result = NUMPY.linear_solve("CG", matrix, Y[:batch], 0 * Y[:batch], 1e-6, 0, 500, True, callback=callback)
    assert result[-1].status == [Status.STOPPED] * batch and not result[-1].converged.any()
    assert all("Stopped by the caller" in text for text in result[-1].message)
    assert [int(state.iterations[0]) for state in seen] == list(range(6))
    np.testing.assert_array_equal(seen[3].x, result[3].x)
    assert result[-1].iterations.max() == 6


@pytest.mark.parametrize("method", METHODS)
def test_a_callback_sees_the_states_and_may_stop_a_minimization(method):
    seen = []

    def callback(state):
        seen.append(state)
        if state.iterations.max() == 3:
            raise StopIteration

    before = living_greenlets()
    trajectory = NUMPY.minimize(method, valley, [[-1.0, 1.0, 0.5], [0.0, 2.0, 1.0]], 0, 500, True, callback=callback)
    assert trajectory[-1].status == [Status.STOPPED] * 2 and trajectory.iterations.max() in (3, 4)
    np.testing.assert_array_equal(seen[-1].x, trajectory[len(seen) - 1].x)
    np.testing.assert_allclose(trajectory.loss[-1], valley(trajectory[-1].x), rtol=1e-5)
    assert living_greenlets() == before


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("batch", [1, 3])
def test_the_clock_ends_a_minimization(method, batch):
    def slow(x):
        time.sleep(0.005)
        return valley(x)

    start = time.perf_counter()
    result = NUMPY.minimize(method, slow, np.zeros((batch, 3)), 0, 10**6, False, time_limit=0.2)
    assert time.perf_counter() - start < 2
    assert result.status == [Status.TIME_LIMIT] * batch
    np.testing.assert_allclose(result.residual, valley(result.x), rtol=1e-5)


@pytest.mark.parametrize("error", [ZeroDivisionError("in f"), KeyboardInterrupt()])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("batch", [1, 4])
def test_an_error_in_the_function_reaches_the_caller_and_leaves_nothing(method, batch, error):
    calls = 0

    def f(x):
        nonlocal calls
        calls += 1
        if calls == 4:
            raise error
        return valley(x)

    before, threads = living_greenlets(), threading.active_count()
    with pytest.raises(type(error)):
        NUMPY.minimize(method, with_gradient(f, lambda x: 2 * x + 1), np.zeros((batch, 3)), 0, 100, False)
    assert calls == 4
    assert living_greenlets() == before and threading.active_count() == threads


def test_filters_of_warnings_stay_those_of_their_owner():
    entered, leave = threading.Event(), threading.Event()

    def slow(x):
        entered.set()
        leave.wait(10)
        return valley(x)

    before = list(warnings.filters)
    f = with_gradient(slow, lambda x: 2 * x)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        thread = threading.Thread(target=lambda: NUMPY.minimize("L-BFGS-B", f, np.ones((2, 3)), 1, 5, False))
        thread.start()
        assert entered.wait(10)
    leave.set()
    thread.join()
    assert list(warnings.filters) == before


def test_a_hundred_runs_leave_nothing():
    before = living_greenlets()
    for _ in range(100):
        NUMPY.minimize("BFGS", with_gradient(lambda x: np.sum(x**2, -1), lambda x: 2 * x), np.ones((3, 2)), 1, 5, False)
    assert living_greenlets() == before


@pytest.mark.parametrize("name", ["torch", "jax", "tensorflow"])
def test_errors_on_other_libraries_end_the_process_too(name):
    if not is_installed(name):
        pytest.skip(f"{name} is not installed: pip install 'backbench[{name}]'")
    code = f"""
import threading
from backbench import get_backend
b = get_backend({name!r})
calls = []

def f(x):
    calls.append(x)
    if len(calls) == 3:
        raise ValueError('third call')
    return b.sum((x - 1) ** 4, -1)

def callback(state):
    raise KeyError('in the callback')

for method in {METHODS!r}:
    for options in ({{}}, {{'callback': callback}}):
        try:
            b.minimize(method, f, b.zeros((3, 2)), 0, 9, True, **options)
        except (ValueError, KeyError) as error:
            print('ended:', error)
    calls.clear()
assert threading.active_count() == 1
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["ended: third call", "ended: 'in the callback'"] * len(METHODS)


@pytest.mark.parametrize(
    "call",
    [
        "NUMPY.minimize('L-BFGS-B', raising, np.zeros((3, 2)), 0, 9, False)",
        "NUMPY.minimize('downhill', square, np.zeros((3, 2)), 0, 9, False)",
        "NUMPY.minimize('SLSQP', square, np.ones((3, 2)), 1e-6, 99, False); raise ValueError('done')",
        "NUMPY.minimize('trust-constr', square, np.ones((3, 2)), 1e-6, 99, False); raise ValueError('done')",
        "NUMPY.minimize('SLSQP', raising, np.zeros((3, 2)), 0, 9, False)",
        "NUMPY.minimize('trust-constr', raising, np.zeros((3, 2)), 0, 9, False)",
    ],
)
def test_the_process_ends_by_itself(call):
    code = f"""
import numpy as np
from backbench import NUMPY

def raising(x):
    raise ValueError('done')

def square(x):
    return np.sum(x ** 2, -1)

try:
    {call}
except (ValueError, NotImplementedError) as error:
    print('ended:', error)
"""
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("ended:") and ("done" in done.stdout or "downhill" in done.stdout)
    assert done.stderr == ""
