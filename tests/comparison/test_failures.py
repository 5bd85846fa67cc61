"""What `compare` says when a cell, or everything, cannot run."""

import subprocess
import sys

import numpy as np
import pytest

from backbench import NUMPY, NoBackendFound, UnsupportedOperation, compare


def test_a_cell_that_cannot_run_says_why_and_the_others_run():
    found = compare(lambda b, x: b.argmax(x), [1.0, 3.0], reference="numpy")
    cell = found["sympy", "exact"]
    assert isinstance(cell.error, UnsupportedOperation)
    assert cell.reason.startswith("Backend 'sympy' does not support 'argmax'")
    assert cell.value is None and np.isnan(cell.max_ulp_error) and np.isnan(cell.seconds)
    assert found["numpy", 16].reason == "" and int(found["numpy", 16].value) == 1
    assert "cannot run: Backend 'sympy' does not" in repr(found)


def test_a_failure_at_one_precision_is_one_cell():
    def only_wide(b, x):
        if b is NUMPY and b.dtype(x).bits == 16:
            raise TypeError("too narrow <for me>")
        return b.mul(x, 1)

    found = compare(only_wide, 1.0, reference="sympy")
    assert found["numpy", 16].reason == "TypeError: too narrow <for me>"
    assert found["numpy", 32].reason == ""
    assert "too narrow &lt;for me&gt;" in found._repr_html_()


def test_a_bug_that_is_everywhere_is_raised():
    with pytest.raises(AttributeError, match="has no attribute 'sinus'"):
        compare(lambda b, x: b.sinus(x), 1.0)
    with pytest.raises(TypeError, match="the backend first, but"):
        compare(lambda b, x, y: b.add(x, y), 1.0)


def test_without_a_reference_the_way_out_is_named():
    with pytest.raises(ValueError, match=r"no reference with 50 digits.*'argmax'.*with reference='numpy'"):
        compare(lambda b, x: b.argmax(x), [1.0, 3.0])


def test_a_result_of_another_shape_than_the_reference_is_said():
    def odd(b, x):
        return b.mul(x, 1) if b.name == "numpy" else b.sum(x)

    found = compare(odd, [1.0, 2.0])
    assert found["numpy", 32].reason == "ValueError: the result has the shape (2,), the reference ()"
    assert found["sympy", "exact"].reason == ""


def test_complex_results_are_refused_with_a_hint():
    with pytest.raises(TypeError, match=r"the result is complex.*b\.real"):
        compare(lambda b, x: b.mul(x, 1j), 1.0)


@pytest.mark.parametrize("value", [1j, "1", [1.0, None], np.array(["a"]), {"x": 1}])
def test_inputs_are_real_numbers(value):
    with pytest.raises(TypeError, match="compare: inputs are arrays of real numbers; input 1 is"):
        compare(lambda b, x, y: b.add(x, 1), 1.0, value)


@pytest.mark.parametrize("precisions", [8, (16, 33), "exactly", (True,), (32.0,), 64.0])
def test_unknown_precisions_are_named(precisions):
    with pytest.raises(ValueError, match="precisions are 16, 32, 64, None and 'exact', not"):
        compare(lambda b, x: x, 1.0, precisions=precisions)


def test_nothing_to_compare_is_an_error():
    with pytest.raises(ValueError, match="nothing to compare on numpy"):
        compare(lambda b, x: x, 1.0, backends="numpy", precisions="exact")
    with pytest.raises(ValueError, match="nothing to compare on no backend"):
        compare(lambda b, x: x, 1.0, backends=[])


@pytest.mark.parametrize("choice", [{"backends": "nympy"}, {"backends": ["numpy", "nympy"]}, {"reference": "nympy"}])
def test_an_unknown_backend_is_an_error_at_once(choice):
    def never(b, x):
        raise AssertionError("was called")

    with pytest.raises(NoBackendFound, match="Unknown backend 'nympy'"):
        compare(never, 1.0, **choice)


def test_what_is_no_function_is_refused():
    with pytest.raises(TypeError, match=r"f is 1\.0, expected a function"):
        compare(1.0, 1.0)
    with pytest.raises(ValueError, match="repeat is a whole number from 1"):
        compare(lambda b, x: x, 1.0, repeat=0)


def test_an_unknown_cell_is_answered_with_the_known_ones():
    found = compare(lambda b, x: b.mul(x, 1), 1.0, backends=["numpy"])
    assert found[NUMPY, 32] is found["numpy", 32]
    for place in [("numpy", "exact"), ("numpy",), "numpy", 0]:
        with pytest.raises(KeyError, match=r"There are: \('numpy', 16\), \('numpy', 32\), \('numpy', 64\)"):
            found[place]


WITHOUT = """
import importlib.util, sys
sys.modules["{name}"] = None
find_spec = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: None if name == "{name}" else find_spec(name, package)
import backbench
f = lambda b, x: b.mul(x, 2)
found = backbench.compare(f, 0.5, backends=["numpy", "{name}"])
print(found["numpy", 32].value, type(found["{name}", 32].error).__name__, found["{name}", 32].reason)
print(sorted({{cell.backend for cell in backbench.compare(f, 0.5).cells}}))
try:
    backbench.compare(f, 0.5, backends="{name}")
except backbench.MissingLibrary as error:
    print("raised", error)
"""


@pytest.mark.parametrize("name", ["torch", "jax", "tensorflow"])
def test_a_library_that_is_not_installed_is_named_with_the_command(name):
    done = subprocess.run([sys.executable, "-c", WITHOUT.format(name=name)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    cell, default, raised = done.stdout.splitlines()
    assert cell.startswith("1.0 MissingLibrary ") and " is not installed. " in cell
    assert cell.endswith(f"pip install 'backbench[{name}]'")
    assert name not in default and "numpy" in default and "sympy" in default
    assert raised.startswith("raised ") and f"backbench[{name}]" in raised
