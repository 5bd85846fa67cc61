"""Wrong arguments are named before anything starts, and nothing hangs."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import aslinearoperator

from backbench import NUMPY

A = np.array([[4.0, 1], [1, 3]])


def solve(method="CG", lin=A, y=((1, 2),), x0=((0, 0),), rtol=1e-5, atol=0, max_iter=50, **options):
    y, x0 = (list(map(list, v)) if isinstance(v, tuple) else v for v in (y, x0))
    return NUMPY.linear_solve(method, lin, y, x0, rtol, atol, max_iter, False, **options)


def never_called(x):
    raise AssertionError("the solver started")


@pytest.mark.parametrize("name", ["GMRES", "cg", "", None, ["CG"], {"CG": 1}, np.array(["CG", "CG"]), 3])
def test_unknown_methods_name_the_known_ones(name):
    with pytest.raises(NotImplementedError, match="'auto', 'CG', 'CG-adaptive'"):
        solve(method=name, lin=never_called)


def test_results_name_the_method_that_ran():
    assert solve(method="auto").method == "CG-adaptive"
    assert solve(method="CG").method == "CG"


@pytest.mark.parametrize(
    "arguments, words",
    [
        ({"y": np.ones(2)}, ["y has shape (2,)", "(batch, n)", "y[None]"]),
        ({"y": np.ones((1, 2, 3))}, ["y has shape (1, 2, 3)"]),
        ({"y": [np.ones(2), np.ones(3)]}, ["y is a list", "(2,), (3,)"]),
        ({"y": [1.0, 2.0]}, ["y is a list of 2 numbers", "[y]"]),
        ({"y": np.ones((1, 0)), "x0": np.ones((1, 0))}, ["y has shape (1, 0)"]),
        ({"x0": np.ones((1, 3))}, ["x0 has shape (1, 3)", "1, 2"]),
        ({"x0": np.ones(2)}, ["x0 has shape (2,)"]),
        ({"lin": np.ones((2, 3))}, ["lin has shape (2, 3)", "2, 2"]),
        ({"lin": np.ones((3, 3))}, ["lin has shape (3, 3)"]),
        ({"lin": np.ones((2, 2, 2))}, ["lin has shape (2, 2, 2)", "1, 2, 2"]),
        ({"lin": sp.csr_array((3, 3))}, ["lin has shape (3, 3)"]),
        ({"lin": [A, A]}, ["lin is a list of 2", "one per example (1)"]),
        ({"lin": [np.ones((3, 3))]}, ["lin[0] has shape (3, 3)"]),
        ({"lin": aslinearoperator(np.eye(3))}, ["lin has shape (3, 3)"]),
        ({"lin": 5.0}, ["lin has shape ()"]),
        ({"lin": lambda x: x[:, :1]}, ["lin returned", "(1, 1)"]),
        ({"lin": None}, ["lin is None", "a matrix of numbers or a callable"]),
        ({"lin": "A"}, ["lin is 'A'"]),
        ({"lin": {}}, ["lin is {}"]),
        ({"lin": [[4, 1], [1]]}, ["lin is [[4, 1], [1]]"]),
        ({"lin": [[None, 1], [1, 3]]}, ["lin is [[None, 1]"]),
        ({"lin": [A, "A"]}, ["lin is 'A'"]),
        ({"preconditioner": "M"}, ["preconditioner is 'M'"]),
        ({"y": None}, ["y is None", "vectors of numbers"]),
        ({"y": [[1, 2], "a"]}, ["y is 'a'"]),
        ({"y": np.array([["a", "b"]])}, ["y is array"]),
        ({"x0": None}, ["x0 is None"]),
        ({"x0": {}}, ["x0 is {}"]),
        ({"preconditioner": np.ones((3, 3))}, ["preconditioner has shape (3, 3)"]),
        ({"preconditioner": lambda x: x[0]}, ["preconditioner returned"]),
        ({"rtol": -1}, ["rtol is -1"]),
        ({"rtol": np.nan}, ["rtol is nan"]),
        ({"rtol": np.inf}, ["rtol is inf"]),
        ({"rtol": [1e-5, 1e-5]}, ["rtol has shape (2,)", "(1,)"]),
        ({"rtol": 1j}, ["rtol is 1j"]),
        ({"rtol": None}, ["rtol is None"]),
        ({"rtol": "1e-5"}, ["rtol is '1e-5'"]),
        ({"rtol": 10**400}, ["rtol is 1000"]),
        ({"rtol": [[1e-5], [1e-5, 1]]}, ["rtol is [[1e-05]"]),
        ({"atol": "small"}, ["atol is 'small'"]),
        ({"max_iter": -1}, ["max_iter is -1"]),
        ({"max_iter": 2.5}, ["max_iter is 2.5"]),
        ({"max_iter": np.inf}, ["max_iter is inf"]),
        ({"max_iter": np.nan}, ["max_iter is nan"]),
        ({"max_iter": "many"}, ["max_iter is 'many'"]),
        ({"max_iter": [1, 2, 3]}, ["max_iter has shape (3,)"]),
        ({"time_limit": -1}, ["time_limit is -1"]),
        ({"time_limit": np.nan}, ["time_limit is nan"]),
        ({"time_limit": "a"}, ["time_limit is 'a'"]),
        ({"time_limit": [1]}, ["time_limit is [1]"]),
        ({"time_limit": 1j}, ["time_limit is 1j"]),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else None,
)
def test_wrong_arguments_are_named_with_what_was_expected(arguments, words):
    with pytest.raises(ValueError) as caught:
        solve(**arguments)
    for word in ["linear_solve", *words]:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    "call, answer",
    [
        ("solve('GMRES', A, y)", "NotImplementedError"),
        ("get_backend('nmupy')", "NoBackendFound"),
        ("solve('CG', A, y[:, :1])", "ValueError"),
        ("solve('CG', np.ones((2, 2)), np.array([[1., 0]]))", "BREAKDOWN"),
        ("solve('CG-adaptive', np.ones((2, 2)), np.array([[1., 0]]))", "BREAKDOWN"),
        ("solve('CG', lambda x: x @ np.ones((2, 2)), np.array([[1., 0]]))", "BREAKDOWN"),
        ("solve('CG', np.zeros((2, 2)), y)", "BREAKDOWN"),
        ("solve('CG', A, np.array([[np.nan, 0]]))", "NON_FINITE"),
        ("solve('CG', A * np.nan, y)", "NON_FINITE"),
        ("solve('CG', lambda x: x * np.nan, y)", "NON_FINITE"),
        ("solve('CG', singular, np.eye(200)[:1])", "diverged"),
        ("solve('CG-adaptive', singular, np.eye(200)[:1])", "diverged"),
    ],
)
def test_bad_input_is_answered_within_a_second(call, answer):
    program = f"""
        import time
        import numpy as np
        import scipy.linalg.blas, scipy.sparse
        from backbench import NUMPY, get_backend

        def solve(method, lin, y):
            x0 = np.zeros((1, max(2, y.shape[1])))
            result = NUMPY.linear_solve(method, lin, y, x0, 1e-8, 0, 10**9, False)
            return result.status[0].name + " diverged" * bool(result.diverged[0])

        A, y = np.array([[4., 1], [1, 3]]), np.array([[1., 2]])
        singular = np.diag(np.r_[1., np.full(198, 2.), 1.]) - np.eye(200, k=1) - np.eye(200, k=-1)
        start = time.perf_counter()
        try:
            print({call})
        except (NotImplementedError, ValueError) as error:
            print(type(error).__name__)
        print(time.perf_counter() - start)
    """
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=30
    )
    assert done.returncode == 0, done.stderr
    printed, seconds = done.stdout.splitlines()
    assert answer in printed
    assert float(seconds) < 1
