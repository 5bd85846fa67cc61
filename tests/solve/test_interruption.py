"""Ends that come from outside: the clock, the keyboard, an error in the caller's function."""

import time

import numpy as np
import pytest

from backbench import NUMPY, Status, precision

A = np.array([[4.0, 1], [1, 3]])


def test_errors_of_a_callable_reach_the_caller(method):
    def lin(x):
        raise ZeroDivisionError("in the operator")

    with pytest.raises(ZeroDivisionError, match="in the operator"):
        NUMPY.linear_solve(method, lin, [[1, 2]], [[0, 0]], 1e-5, 0, 50, False)


def test_an_interrupt_in_the_middle_reaches_the_caller(method):
    calls = 0

    def lin(x):
        nonlocal calls
        calls += 1
        if calls == 2:
            raise KeyboardInterrupt
        return x @ A

    with pytest.raises(KeyboardInterrupt):
        NUMPY.linear_solve(method, lin, [[1, 2]], [[0, 0]], 1e-5, 0, 50, False)
    assert calls == 2


def test_the_time_limit_ends_a_slow_callable_with_its_best_state(method):
    D = np.logspace(0, 8, 50)

    def lin(x):
        time.sleep(0.01)
        return x * D

    y = np.ones((1, 50))
    start = time.perf_counter()
    result = NUMPY.linear_solve(method, lin, y, 0 * y, 1e-6, 0, 10**6, False, time_limit=0.1)
    assert time.perf_counter() - start < 1
    assert result.status == [Status.TIME_LIMIT]
    assert not result.converged.any() and not result.diverged.any()
    assert "time limit" in result.message[0]
    assert 0 < result.iterations[0] < 50
    assert np.isfinite(result.x).all() and result.x.any()


def test_the_time_limit_covers_the_whole_batch_of_matrices(method):
    D = np.diag(np.logspace(0, 14, 500))
    y = np.ones((20, 500))
    start = time.perf_counter()
    with precision(64):
        result = NUMPY.linear_solve(method, D, y, 0 * y, 1e-12, 0, 10**9, False, time_limit=0.2)
    assert time.perf_counter() - start < 5
    assert set(result.status) == {Status.TIME_LIMIT}
    assert result.iterations[0] > 0 and result.iterations[-1] == 0


def test_a_time_limit_that_is_not_reached_changes_nothing(method, given_as):
    a, b = (
        NUMPY.linear_solve(method, given_as(A), [[1, 2]], [[0, 0]], 1e-5, 0, 50, False, time_limit=limit)
        for limit in (None, 60)
    )
    np.testing.assert_array_equal(a.x, b.x)
    assert a.status == b.status == [Status.CONVERGED]
