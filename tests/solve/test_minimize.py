"""Minimization: right minima, true statuses, and trajectories that belong to their points, on every library."""

from __future__ import annotations

import numpy as np
import pytest

from backbench import NUMPY, SYMPY, Status, Trajectory, UnsupportedOperation, get_backend, precision, with_gradient
from backbench.backend import is_installed

METHODS = ["GD", "CG", "BFGS", "L-BFGS-B", "Newton-CG", "TNC", "SLSQP", "trust-constr"]
MONOTONE = ["GD", "CG", "BFGS", "L-BFGS-B", "Newton-CG"]
WEIGHTS, CENTRES = [1.0, 10.0], [[1.0, -2.0], [0.5, 3.0]]


@pytest.fixture(params=["numpy", "torch", "jax", "tensorflow"])
def b(request):
    if not is_installed(request.param):
        pytest.skip(f"{request.param} is not installed: pip install 'backbench[{request.param}]'")
    return get_backend(request.param)


def bowl(b):
    """The sum of w (x - c)² for each example; at (0, 0) it is 41 and 90.25."""
    w, c = b.to_float(WEIGHTS), b.to_float(CENTRES)
    return lambda x: b.sum(b.mul(w, b.pow(b.sub(x, c), 2)), -1)


def rosenbrock(b, x):
    head, tail = x[:, :-1], x[:, 1:]
    return b.sum(b.add(b.mul(100, b.pow(b.sub(tail, b.mul(head, head)), 2)), b.pow(b.sub(1, head), 2)), -1)


def numpy_rosenbrock(x):
    return np.sum(100 * (x[:, 1:] - x[:, :-1] ** 2) ** 2 + (1 - x[:, :-1]) ** 2, -1)


def numpy_slope(x):
    slope, inner = np.zeros_like(x), x[:, 1:] - x[:, :-1] ** 2
    slope[:, :-1] = -400 * x[:, :-1] * inner - 2 * (1 - x[:, :-1])
    slope[:, 1:] += 200 * inner
    return slope


ROSENBROCK = with_gradient(numpy_rosenbrock, numpy_slope)


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("method", METHODS)
def test_the_trajectory_tells_the_whole_way(b, method, bits):
    with precision(bits):
        x0, f = b.zeros((2, 2)), bowl(b)
        trajectory = b.minimize(method, f, x0, [1e-8, 1e-8], [200, 200], True)
        losses = [b.numpy(f(state.x)) for state in trajectory]
    assert isinstance(trajectory, Trajectory) and len(trajectory) > 2
    first, last = trajectory[0], trajectory[-1]
    np.testing.assert_array_equal(b.numpy(first.x), 0)
    np.testing.assert_array_equal(b.numpy(first.residual), [41, 90.25])
    np.testing.assert_array_equal(b.numpy(first.iterations), 0)
    assert first.status == [Status.RUNNING] * 2
    np.testing.assert_allclose(b.numpy(last.x), CENTRES, atol=1e-3)
    np.testing.assert_allclose(b.numpy(last.residual), 0, atol=1e-5)
    assert last.status == [Status.CONVERGED] * 2 and all("tolerance" in text for text in last.message)
    np.testing.assert_allclose(trajectory.loss, losses, rtol=1e-5)
    if method in MONOTONE:
        assert (np.diff(trajectory.loss, axis=0) <= 1e-12).all()
    assert (np.diff(trajectory.iterations, axis=0) >= 0).all()
    assert (np.diff([b.numpy(state.function_evaluations) for state in trajectory], axis=0) >= 0).all()
    assert b.dtype(last.x).precision == b.dtype(last.residual).precision == bits
    before = trajectory[-2]  # the last state comes once
    assert not (
        np.array_equal(b.numpy(last.x), b.numpy(before.x))
        and b.numpy(before.iterations).max() == b.numpy(last.iterations).max()
    )
    np.testing.assert_array_equal(b.numpy(x0), 0)


@pytest.mark.parametrize("method", METHODS)
def test_an_example_that_has_ended_repeats_its_last_state(b, method):
    with precision(64):
        start = b.as_tensor([[1.0, -2.0], [9.0, 9.0]])
        trajectory = b.minimize(method, bowl(b), start, 1e-8, 200, True)
    assert trajectory[0].status[0] is Status.CONVERGED and trajectory.iterations[:, 0].max() == 0
    np.testing.assert_array_equal(b.numpy(trajectory.x)[:, 0], [CENTRES[0]] * len(trajectory))
    assert {int(state.function_evaluations[0]) for state in trajectory} == {int(trajectory[0].function_evaluations[0])}
    assert trajectory[-1].status == [Status.CONVERGED] * 2


@pytest.mark.parametrize("method", METHODS)
def test_a_batch_equals_its_examples_alone(method):
    starts = np.random.default_rng(1).uniform(-1, 1, (5, 3))
    with precision(64):
        together = NUMPY.minimize(method, ROSENBROCK, starts, 1e-8, 60, False)
        alone = [NUMPY.minimize(method, ROSENBROCK, start[None], 1e-8, 60, False) for start in starts]
    np.testing.assert_allclose(together.x, np.concatenate([r.x for r in alone]), rtol=1e-12)
    assert np.abs(together.iterations - np.concatenate([r.iterations for r in alone])).max() <= 1
    assert together.status == [r.status[0] for r in alone]


@pytest.mark.parametrize("method", METHODS)
def test_limits_hold_for_each_example(method):
    starts = np.random.default_rng(1).uniform(-1, 1, (3, 3))
    with precision(64):
        result = NUMPY.minimize(method, ROSENBROCK, starts, [1e-9, 1e3, 1e-9], [3, 50, 0], False)
    assert result.status == [Status.MAX_ITERATIONS, Status.CONVERGED, Status.MAX_ITERATIONS]
    np.testing.assert_array_equal(result.iterations, [3, 0, 0])
    assert not result.diverged.any()
    np.testing.assert_allclose(result.residual, numpy_rosenbrock(result.x), rtol=1e-12)


def test_the_numpy_gradient_by_differences_finds_the_same_minimum():
    with precision(64):
        result = NUMPY.minimize("BFGS", numpy_rosenbrock, np.zeros((2, 4)), 1e-7, 200, False)
    np.testing.assert_allclose(result.x, 1, atol=1e-6)


def test_the_function_is_called_once_a_round_for_the_whole_batch():
    calls = []

    def f(x):
        calls.append(x.shape)
        return numpy_rosenbrock(x)

    with precision(64):
        starts = np.random.default_rng(0).normal(size=(8, 4))
        result = NUMPY.minimize("L-BFGS-B", with_gradient(f, numpy_slope), starts, 1e-8, 100, False)
    assert set(calls) == {(8, 4)} and len(calls) == result.function_evaluations.max()


@pytest.mark.parametrize("method", ["GD", "L-BFGS-B"])
def test_losses_may_come_with_their_sum(b, method):
    with precision(64):
        plain = bowl(b)
        pair = b.minimize(method, lambda x: (b.sum(plain(x)), plain(x)), b.zeros((2, 2)), 1e-8, 200, False)
    np.testing.assert_allclose(b.numpy(pair.x), CENTRES, atol=1e-6)


@pytest.mark.parametrize("method", ["GD", "BFGS", "L-BFGS-B"])
def test_infinite_losses_on_the_way_are_stepped_back_from(b, method):
    with precision(64):  # x - log x has its minimum at 1 and is not finite for x < 0
        f = lambda x: b.sum(b.sub(x, b.log(x)), -1)  # noqa: E731
        result = b.minimize(method, f, b.as_tensor([[0.05], [3.0]]), 1e-7, 200, False)
    np.testing.assert_allclose(b.numpy(result.x), 1, atol=1e-6)
    assert result.status == [Status.CONVERGED] * 2


@pytest.mark.parametrize("record", [True, False])
@pytest.mark.parametrize("method", METHODS)
def test_a_function_without_bottom_ends_at_finite_numbers(b, method, record):
    with precision(64):  # -x⁴ overflows on the way; NaN from 0 on is no number however short the step
        falls = b.minimize(method, lambda x: b.mul(-1, b.sum(b.pow(x, 4), -1)), [[0.5, 0.5], [1, 2]], 1e-6, 60, record)
        ends = b.minimize(method, lambda x: b.sum(b.log(x), -1), [[0.5, 0.5]], 1e-6, 60, record)
    for result in (falls, ends):
        last = result[-1] if record else result
        assert not b.numpy(last.converged).any()
        assert np.isfinite(b.numpy(last.residual)).all() and np.isfinite(b.numpy(last.x)).all()
        if record:
            assert np.isfinite(result.loss).all()
    if method == "GD":
        assert (falls[-1] if record else falls).status == [Status.NON_FINITE] * 2


@pytest.mark.parametrize("method", METHODS)
def test_recording_changes_nothing_but_the_record(b, method):
    with precision(64):  # NaN below 0.7: the search meets it, and may come back from it
        wall = lambda x: b.where(b.less_than(b.sum(x, -1), 0.7), np.nan, b.sum(x * x, -1))  # noqa: E731
        start = [[0.5, 0.5], [0.6, 0.6]]
        recorded = b.minimize(method, wall, start, 1e-6, 40, True)[-1]
        plain = b.minimize(method, wall, start, 1e-6, 40, False)
    assert recorded.status == plain.status
    np.testing.assert_array_equal(b.numpy(recorded.x), b.numpy(plain.x))


@pytest.mark.parametrize("method", METHODS)
def test_what_is_watched_ends_as_what_is_not(method):
    starts = np.random.default_rng(3).uniform(-1, 1, (3, 3))
    with precision(64):
        plain = NUMPY.minimize(method, ROSENBROCK, starts, 1e-6, 150, False)
        for options in ({"callback": lambda state: None}, {"time_limit": 60}):
            watched = NUMPY.minimize(method, ROSENBROCK, starts, 1e-6, 150, False, **options)
            assert watched.status == plain.status and watched.message == plain.message
        assert NUMPY.minimize(method, ROSENBROCK, starts, 1e-6, 150, True)[-1].message == plain.message


@pytest.mark.parametrize("method", ["GD", "BFGS", "L-BFGS-B"])
def test_gradients_whose_squares_have_no_place_in_floats(method):
    with precision(64):
        large = with_gradient(lambda x: 1e200 * np.sum(x**2, -1), lambda x: 2e200 * x)
        assert NUMPY.minimize(method, large, [[1.0, 2.0]], 1.0, 0, False).message[0].find("‖∇f‖ = 4.47e+200") > 0
        small = with_gradient(lambda x: 1e-170 * np.sum(x, -1), lambda x: 1e-170 + 0 * x)
        result = NUMPY.minimize(method, small, [[1.0, 2.0]], 0, 3, False)
        assert "‖∇f‖ = 1.41e-170" in result.message[0] and (method != "GD" or not result.converged.any())
        if method == "GD":
            assert NUMPY.minimize(method, large, [[1.0, 2.0]], 1e190, 99, False).converged.all()


def test_success_by_another_test_than_the_gradient_names_it():
    square = with_gradient(lambda x: np.sum((x + 1) ** 2, -1), lambda x: 2 * (x + 1))
    with precision(64):
        bounded = NUMPY.minimize("L-BFGS-B", square, [[2.0, 3.0]], 1e-6, 50, False, bounds=[(0, 5)] * 2)
        slope = with_gradient(lambda x: np.sum(x, -1), np.ones_like)
        still = NUMPY.minimize("Newton-CG", slope, [[0.5, 0.5]], 1e-6, 50, False)
    assert bounded.status == [Status.CONVERGED] and "scipy’s own test of L-BFGS-B" in bounded.message[0]
    assert "PROJECTED GRADIENT" in bounded.message[0] and "‖∇f‖ = 2.83" in bounded.message[0]
    assert still.status == [Status.STAGNATED]  # scipy calls it a success, at the start of an endless slope


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("bounds", [[(0, 1), (0.1, 0.1)], [(0.3, None), (None, 0.1)], [(0, 1e-3), (0.0999, 0.1)]])
@pytest.mark.parametrize("method", ["L-BFGS-B", "TNC", "SLSQP"])
def test_a_function_that_ends_at_its_bounds_is_not_asked_beyond_them(method, bounds, bits):
    with precision(bits):
        low, high = np.array([[-np.inf if lo is None else lo, np.inf if hi is None else hi] for lo, hi in bounds]).T
        low, high = NUMPY.to_float(low), NUMPY.to_float(high)

        def f(x):
            assert (x >= low).all() and (x <= high).all(), x
            return np.sum((x - np.array([-1.0, 2.0])) ** 2, -1)

        start = np.clip([[0.2, 0.05]], low, high)
        result = NUMPY.minimize(method, f, start, 1e-6, 100, False, bounds=bounds)
    np.testing.assert_allclose(result.x, [[low[0], high[1]]], atol=1e-4)


def test_a_start_that_is_not_finite_is_told(b):
    result = b.minimize("GD", bowl(b), b.as_tensor([[np.nan, 0], [0, 0]]), 1e-3, 200, False)
    assert result.status[0] is Status.NON_FINITE and result.status[1] is Status.CONVERGED
    assert b.numpy(result.diverged).tolist() == [True, False]


def test_descent_that_cannot_go_on_has_stagnated():
    with precision(32):  # 1e4 hides what is left of the bowl
        result = NUMPY.minimize("GD", lambda x: 1e4 + np.sum([1, 7] * (x - 1) ** 2, -1), [[3.0, 0.0]], 0, 1000, False)
    assert result.status == [Status.STAGNATED] and "Stagnated" in result.message[0]
    np.testing.assert_allclose(result.x, 1, atol=0.05)


@pytest.mark.parametrize("method", ["L-BFGS-B", "TNC", "SLSQP", "trust-constr"])
def test_bounds_hold(method):
    f = with_gradient(lambda x: np.sum((x - 3) ** 2, -1), lambda x: 2 * (x - 3))
    with precision(64):
        result = NUMPY.minimize(method, f, np.zeros((2, 2)), 1e-8, 200, False, bounds=[(None, 1), (0, 5)])
    np.testing.assert_allclose(result.x, [[1, 3]] * 2, atol=1e-3)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"x0": [0.0, 1.0]}, r"x0\[None\]"),
        ({"x0": "zero"}, "x0"),
        ({"x0": [[1j]]}, "real numbers"),
        ({"atol": -1}, "atol"),
        ({"atol": [1, 2, 3]}, "atol has shape"),
        ({"max_iter": 1.5}, "max_iter"),
        ({"f": 3}, "f is 3"),
        ({"bounds": [(0, 1)] * 2}, "GD has no bounds"),
        ({"method": "TNC", "bounds": [(0, 1)]}, r"expected \(n, 2\)"),
        ({"method": "TNC", "bounds": [(2, 1)] * 2}, "above"),
        ({"method": "TNC", "bounds": [(1, 2)] * 2}, "outside the bounds"),
        ({"f": lambda x: np.sum(x)}, "one loss for each example"),
        ({"f": lambda x: x}, "one loss for each example"),
        ({"time_limit": -1}, "time_limit"),
        ({"time_limit": "soon"}, "minimize: time_limit"),
        ({"max_iter": True}, "max_iter"),
        ({"callback": 3}, "minimize: callback is 3"),
    ],
)
def test_bad_arguments_are_named_before_anything_starts(change, words):
    arguments = {"method": "GD", "f": lambda x: np.sum(x**2, -1), "x0": [[0.0, 0.5]] * 2, "atol": 0, "max_iter": 5}
    with pytest.raises(ValueError, match=words):
        NUMPY.minimize(**(arguments | {"trj": False} | change))


def test_gradient_descent_finds_its_step_at_any_scale(b):
    scale = 1e-9
    with precision(64):
        f = with_gradient(lambda x: b.sum((x / scale) ** 2, -1), lambda x: 2 * x / scale**2)
        result = b.minimize("GD", f, [[scale, 2 * scale], [1.0, 1.0]], 1e-3, 200, False)
    assert result.status == [Status.CONVERGED] * 2
    np.testing.assert_allclose(b.numpy(result.x), 0, atol=1e-20)


@pytest.mark.parametrize("method", METHODS)
def test_a_solve_that_is_stopped_at_once_has_its_start_once(b, method):
    def stop(state):
        raise StopIteration

    for options in ({"time_limit": 0}, {"callback": stop}):
        with precision(64):
            trajectory = b.minimize(method, bowl(b), b.zeros((2, 2)), 1e-8, 50, True, **options)
        starts = [state for state in trajectory if not b.numpy(state.iterations).any()]
        assert len(starts) == 1 and trajectory[-1].status[0] in (Status.TIME_LIMIT, Status.STOPPED)


def test_a_result_is_within_its_bounds(b):
    for method in ("L-BFGS-B", "TNC", "SLSQP", "trust-constr"):
        result = b.minimize(method, bowl(b), b.zeros((2, 2)), 1e-6, 200, False, bounds=[(0, 0), (0, 2)])
        x = b.numpy(result.x)
        assert (x[:, 0] == 0).all() and (x[:, 1] >= 0).all() and (x[:, 1] <= 2).all()
    import scipy.optimize

    with pytest.raises(ValueError, match="one for each parameter"):
        b.minimize("TNC", bowl(b), b.zeros((2, 2)), 1e-6, 9, False, bounds=scipy.optimize.Bounds([0] * 3, [1] * 3))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("calls", [0, 3])
def test_a_function_may_stop_the_solve_itself(b, method, calls):
    count = 0

    def f(x):
        nonlocal count
        count += 1
        if count > calls:
            raise StopIteration
        return rosenbrock(b, x)

    with precision(64):
        trajectory = b.minimize(method, f, [[-1.2, 1.0], [0.5, 0.0]], 1e-8, 100, True)
    last = trajectory[-1]
    assert last.status == [Status.STOPPED] * 2 and "Stopped by the caller" in last.message[0]
    assert np.isfinite(b.numpy(last.x)).all()
    if calls and "functional_gradient" not in b.approximate:
        losses = b.numpy(rosenbrock(b, last.x))
        np.testing.assert_allclose(b.numpy(last.residual), losses, rtol=1e-6)


def test_a_function_without_return_is_told(b):
    for f in (lambda x: None, with_gradient(lambda x: b.sum(x, -1), lambda x: None)):
        with pytest.raises(TypeError, match="returned None"):
            b.minimize("GD", f, [[1.0, 2.0]], 1e-3, 5, False)


def test_runs_without_numbers_have_a_picture():
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for f in (lambda x: np.sum(x * np.nan, -1), lambda x: -np.sum(x, -1), lambda x: -np.sum(x**4, -1)):
            picture = NUMPY.minimize("GD", f, [[1.0, 2.0]], 1e-5, 2000, True).plot()
            assert picture.to_png()[:4] == b"\x89PNG"


def test_an_unknown_method_and_a_backend_without_gradients_are_told_before_the_function_is_called():
    def never(x):
        raise AssertionError("called")

    with pytest.raises(NotImplementedError, match=r"'Nelder-Mead'.*'GD', 'CG', 'BFGS'"):
        NUMPY.minimize("Nelder-Mead", never, [[0.0]], 0, 5, False)
    with pytest.raises(UnsupportedOperation, match="minimize"):
        SYMPY.minimize("GD", never, [[0.0]], 0, 5, False)
    assert NUMPY.supports("minimize") and not SYMPY.supports("minimize")


@pytest.mark.parametrize("method", METHODS)
def test_a_limit_beyond_all_counting_is_no_limit(method):
    f = with_gradient(lambda x: np.sum((x - 1) ** 2, -1), lambda x: 2 * (x - 1))
    result = NUMPY.minimize(method, f, np.zeros((2, 2)), 1e-3, 10**25, False)
    assert result.status == [Status.CONVERGED] * 2
    assert NUMPY.minimize(method, f, np.zeros((0, 2)), 1e-3, 10, False).status == []


def test_tables_and_pictures_are_of_losses():
    trajectory = NUMPY.minimize("GD", lambda x: np.sum(x**2, -1), [[1.0], [2.0]], 1e-3, 50, True)
    table = trajectory.to_dataframe()
    assert {"state", "example", "iterations", "loss", "status"} <= set(table.columns)
    assert trajectory.plot().axes[0].get_ylabel() == "f − smallest f"
    with pytest.raises(AttributeError, match="it has a loss"):
        _ = trajectory.residual_norm
    with pytest.raises(AttributeError, match="residual_norm"):
        _ = NUMPY.linear_solve("CG", np.eye(2), [[1, 2]], [[0, 0]], 1e-5, 0, 5, True).loss
