"""Which backend a value belongs to, by name and by type, and conversion."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import numpy as np
import pytest
import sympy

import backbench
from backbench import BACKENDS, NUMPY, SYMPY, NoBackendFound, choose_backend, convert, get_backend, precision
from backbench.backend import choice


def symbols():
    return np.array([sympy.Symbol("x"), 1], dtype=object)


def test_values_choose_their_backend():
    assert choose_backend(1, 2.0, [3]) is NUMPY
    assert choose_backend(np.ones(2)) is NUMPY
    assert choose_backend(symbols()) is SYMPY
    assert choose_backend(np.ones(2), symbols()) is SYMPY
    assert choose_backend(sympy.Symbol("x")) is SYMPY
    assert choose_backend([sympy.pi, 1.0]) is SYMPY
    assert choose_backend(sympy.Function("f")(1)) is SYMPY  # its class belongs to no module


def test_default_backend_wins_where_it_can():
    with SYMPY:
        assert choose_backend(1.0) is SYMPY
        assert choose_backend(np.ones(2)) is NUMPY  # an array of numbers is native to NumPy only
        assert choose_backend(np.ones(2), prefer_default=True) is SYMPY
    assert choose_backend(symbols(), prefer_default=True) is SYMPY


@pytest.mark.parametrize("value", ["text", None, {}, np.array(["a"]), [1, "text"], object()])
def test_what_is_no_tensor_finds_no_backend(value):
    with pytest.raises(NoBackendFound, match="numpy"):
        choose_backend(value)
    with pytest.raises(TypeError, match=r"numpy\.as_tensor"):
        NUMPY.as_tensor(value)


def test_backends_by_name():
    assert get_backend("numpy") is NUMPY and get_backend("sympy") is SYMPY and get_backend(NUMPY) is NUMPY
    with pytest.raises(NoBackendFound, match=r"Unknown backend 'nmupy'\. Known: numpy, jax, tensorflow, torch, sympy"):
        get_backend("nmupy")
    assert backbench.detect_backends() is BACKENDS and BACKENDS[0] is NUMPY and SYMPY in BACKENDS
    assert str(NUMPY) == repr(NUMPY) == NUMPY.name == "numpy" and NUMPY.as_registered is NUMPY


def test_a_backend_of_ones_own_is_found_once_it_is_registered():
    class Own(type(NUMPY)):
        pass

    own = Own()
    own._name = "own"
    with pytest.raises(RuntimeError, match="own"):
        own.as_registered  # noqa: B018
    BACKENDS.append(own)
    try:
        assert get_backend("own") is own and own.as_registered is own
        assert choose_backend(np.ones(1)) is NUMPY
        with own:
            assert choose_backend(np.ones(1)) is own
    finally:
        BACKENDS.remove(own)


def test_convert_keeps_the_precision():
    for dtype in (np.float16, np.float32, np.float64, np.int8, np.complex64, bool):
        x = np.ones(3, dtype)
        assert convert(x) is x
    assert float(convert(np.array([0.1]), "sympy")[0]) == 0.1
    assert float(convert(convert(np.array([0.1]), SYMPY), NUMPY)[0]) == 0.1
    with precision(16):
        assert convert(SYMPY.as_tensor([0.1]), NUMPY).dtype == np.float64
    with pytest.raises(ValueError, match="x"):
        convert(symbols(), NUMPY)


def test_tensors_and_what_can_be_taken_for_one():
    assert NUMPY.is_tensor(np.float32(1), only_native=True) and NUMPY.is_tensor(np.uint8(1), only_native=True)
    assert not NUMPY.is_tensor(1.0, only_native=True) and NUMPY.is_tensor([1, [2.0]]) and NUMPY.is_tensor(1j)
    assert not NUMPY.is_tensor(symbols()) and not NUMPY.is_tensor("1")
    assert NUMPY.as_tensor(1.5, convert_external=False) == 1.5
    assert isinstance(NUMPY.as_tensor(1.5, convert_external=False), float)
    x = np.ones(2, np.float16)
    assert NUMPY.as_tensor(x) is x
    with pytest.raises(OverflowError, match="64 bits"):
        NUMPY.as_tensor(2**70)
    with pytest.raises(ValueError, match="inhomogeneous"):
        NUMPY.as_tensor([[1, 2], [3]])


def test_lists_of_symbolic_numbers_are_converted_like_arrays():
    values = [sympy.Rational(1, 4), 2]
    np.testing.assert_array_equal(convert(values, NUMPY), [0.25, 2])
    assert NUMPY.as_tensor(values).dtype == np.float32 and NUMPY.as_tensor(range(3)).tolist() == [0, 1, 2]
    assert choose_backend(range(3)) is NUMPY


@pytest.mark.parametrize("order", [1, -1])
def test_the_type_of_a_foreign_array_is_read_from_its_values(order):
    arrays = [np.array([sympy.Integer(1)], object), np.array([sympy.Rational(1, 2)], object)][::order]
    sums = [NUMPY.add(array, 0).tolist() for array in arrays][::order]
    assert sums == [[1], [0.5]]


def test_a_traced_function_may_choose_by_its_arguments():
    probe = """
        import backbench
        def f(b, x):
            chosen = backbench.choose_backend(x)
            return chosen.exp(x)
        print(backbench.compile(f, {"x": ()}).to_python()(0.0))
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(probe)], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "1.0", done.stderr


def test_a_backend_that_is_used_by_name_is_registered():
    for name in ("torch", "jax", "tensorflow", "sympy"):
        if choice.is_installed(name):
            probe = f"import backbench; b = backbench.{name.upper()}; print([x.name for x in backbench.BACKENDS])"
            done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, timeout=60)
            assert name in done.stdout, done.stderr


def test_arrays_of_other_classes():
    with pytest.warns(PendingDeprecationWarning):
        matrix = np.matrix([[1.0, 2.0]])
    assert type(NUMPY.as_tensor(matrix)) is np.ndarray
    assert type(NUMPY.as_tensor(np.ma.array([1.0, 2.0]))) is np.ndarray
    with pytest.raises(TypeError, match="filled"):
        NUMPY.as_tensor(np.ma.array([1.0, 2.0], mask=[0, 1]))
    with pytest.raises(NoBackendFound, match="ndarray of <U1"):
        choose_backend(np.array(["a"]))


def test_a_broken_library_is_left_out_with_a_warning(monkeypatch):
    monkeypatch.setattr(choice, "known_names", lambda: ["numpy", "broken", "sympy"])
    monkeypatch.setattr(choice, "is_installed", lambda name: True)
    with pytest.warns(RuntimeWarning, match="broken is installed, but could not be loaded"):
        assert {"numpy", "sympy"} <= {backend.name for backend in choice.detect_backends()}
