"""Trajectories show every state as it was."""

import numpy as np
import pytest

from backbench import NUMPY, SolveResult, Status, Trajectory, precision

A = np.array([[4.0, 1], [1, 3]])


def solve(method, lin, y, x0, trj=True, **options):
    with precision(64):
        return NUMPY.linear_solve(method, lin, y, x0, options.get("rtol", 1e-10), 0, options.get("max_iter", 50), trj)


def test_the_two_steps_of_a_small_system(method, given_as):
    x0 = np.array([[2.0, 1]])
    trajectory = solve(method, given_as(A), [[1, 2]], x0)
    assert isinstance(trajectory, Trajectory) and isinstance(trajectory, list) and len(trajectory) == 3
    step = 73 / 331  # r·r / r·A·r for r = (-8, -3)
    expected = [[[2, 1]], [[2 - 8 * step, 1 - 3 * step]], [[1 / 11, 7 / 11]]]
    np.testing.assert_allclose(trajectory.x, expected, rtol=1e-12)
    np.testing.assert_allclose(trajectory.residual, [1, 2] - np.array(expected) @ A, rtol=1e-9, atol=1e-12)
    assert trajectory.iterations.tolist() == [[0], [1], [2]]
    assert [state.function_evaluations.tolist() for state in trajectory] == [[1], [2], [4]]
    assert [state.status for state in trajectory] == [[Status.RUNNING], [Status.RUNNING], [Status.CONVERGED]]
    assert [state.converged.tolist() for state in trajectory] == [[False], [False], [True]]
    np.testing.assert_array_equal(x0, [[2, 1]])


def test_states_share_no_memory(method, given_as, definite):
    y, x0 = np.ones((3, 8)), np.zeros((3, 8))
    trajectory = solve(method, given_as(definite(8)), y, x0, rtol=[1e-1, 1e-4, 1e-8])
    arrays = [
        a for state in trajectory for a in (state.x, state.residual, state.iterations, state.function_evaluations)
    ]
    arrays += [y, x0]
    assert not any(np.shares_memory(a, b) for i, a in enumerate(arrays) for b in arrays[:i])


def test_every_residual_belongs_to_its_state(method, given_as, definite):
    matrix = definite(10)
    y = np.random.default_rng(0).standard_normal((2, 10))
    for state in solve(method, given_as(matrix), y, y):
        np.testing.assert_allclose(state.residual, y - state.x @ matrix.T, atol=1e-12)


def test_the_last_state_is_the_result_and_recording_changes_nothing(method, given_as, definite):
    y = np.random.default_rng(0).standard_normal((4, 20))
    y[2] = 0
    for max_iter in (0, 1, 7, 200):
        options = {"rtol": [1e-2, 1e-5, 1e-5, 0], "max_iter": max_iter}
        trajectory = solve(method, given_as(definite(20)), y, y[::-1], **options)
        result = solve(method, given_as(definite(20)), y, y[::-1], trj=False, **options)
        for field in ("x", "residual", "iterations", "function_evaluations"):
            np.testing.assert_array_equal(getattr(trajectory[-1], field), getattr(result, field))
        assert trajectory[-1].status == result.status and trajectory[-1].message == result.message
        np.testing.assert_array_equal(trajectory[0].x, y[::-1])
        assert trajectory[0].iterations.tolist() == [0] * 4
        assert len(trajectory) == max(result.iterations) + 1 + (max_iter == 0)  # y = 0 jumps to its solution


def test_ended_examples_repeat_their_last_state(method, given_as, definite):
    y = np.ones((3, 20))
    trajectory = solve(method, given_as(definite(20)), y, 0 * y, rtol=[1e-1, 1e-8, 1e-4])
    final = trajectory[-1]
    for k, state in enumerate(trajectory):
        np.testing.assert_array_equal(state.iterations, np.minimum(k, final.iterations))
        for example in np.flatnonzero(k >= final.iterations):
            np.testing.assert_array_equal(state.x[example], final.x[example])
            assert state.function_evaluations[example] == final.function_evaluations[example]
            assert state.status[example] is final.status[example]
            assert state.message[example] == final.message[example]


def test_a_start_that_is_the_solution_is_one_state(method, given_as):
    trajectory = solve(method, given_as(A), [[5.0, 4.0]], [[1.0, 1.0]])
    assert len(trajectory) == 1 and trajectory[0].converged.all()


def test_a_jump_to_zero_is_two_states(method, given_as):
    trajectory = solve(method, given_as(A), [[0.0, 0.0]], [[1.0, 1.0]])
    assert trajectory.x.tolist() == [[[1, 1]], [[0, 0]]]
    assert [state.status for state in trajectory] == [[Status.RUNNING], [Status.CONVERGED]]


def test_scaled_examples_are_recorded_in_the_callers_units(method, given_as):
    trajectory = solve(method, given_as(A), [[1e250, 2e250]], [[2e250, 1e250]])
    np.testing.assert_array_equal(trajectory[0].x, [[2e250, 1e250]])
    np.testing.assert_allclose(trajectory[0].residual, [[-8e250, -3e250]])
    np.testing.assert_allclose(trajectory.residual_norm[0], [np.sqrt(73) * 1e250])


def test_table(given_as):
    table = solve("CG", given_as(A), [[1, 2], [0, 0]], [[2, 1], [0, 0]]).to_dataframe()
    assert list(table.columns) == ["state", "example", "iterations", "function_evaluations", "residual_norm", "status"]
    assert len(table) == 6
    assert table[table.example == 0].iterations.tolist() == [0, 1, 2]
    assert table[table.example == 0].status.tolist() == ["RUNNING", "RUNNING", "CONVERGED"]
    assert table.residual_norm[0] == pytest.approx(np.sqrt(73))


def test_figure_shows_the_norms(given_as):
    trajectory = solve("CG", given_as(A), [[1, 2], [0, 0]], [[2, 1], [0, 0]])
    axes = trajectory.plot().axes[0]
    line = next(line for line in axes.lines if line.get_label() == "example 0")
    np.testing.assert_array_equal(line.get_xdata(), [0, 1, 2])
    norms = trajectory.residual_norm[:, 0]
    np.testing.assert_allclose(line.get_ydata(), np.where(norms > 0, norms, np.nan))
    assert axes.get_yscale() == "log"
    assert "exactly 0" in axes.get_legend_handles_labels()[1]


def test_figures_leave_no_state_behind(given_as):
    from matplotlib import _pylab_helpers

    before = len(_pylab_helpers.Gcf.figs)
    solve("CG", given_as(A), [[1, 2]], [[2, 1]]).plot()
    assert len(_pylab_helpers.Gcf.figs) == before


def test_results_take_the_eight_documented_fields():
    result = SolveResult("CG", 1, 2, 3, 4, True, False, ["fine"])
    assert result.status == [] and result.message == ["fine"]


@pytest.mark.parametrize("status", Status)
def test_every_status_says_what_it_means(status):
    assert status.sentence.endswith(".") and len(status.sentence) > 20
    assert not (status.converged and status.diverged)
