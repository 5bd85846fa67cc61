"""Precision and default backend: nested, local to a thread, safe against exceptions."""

from __future__ import annotations

import contextvars
import threading

import numpy as np
import pytest

import backbench
from backbench import NUMPY, SYMPY, DType, context_backend, default_backend, get_precision, precision


def in_thread(function):
    found = []
    thread = threading.Thread(target=lambda: found.append(function()))
    thread.start()
    thread.join()
    return found[0]


def test_precision_nests_and_comes_back_after_an_exception():
    assert get_precision() == 32
    with precision(64):
        with pytest.raises(ZeroDivisionError), precision(16):
            assert get_precision() == 16
            raise ZeroDivisionError
        with precision(None):
            assert get_precision() is None and NUMPY.float_type == DType(float, 32)
        assert get_precision() == NUMPY.precision == 64
    assert get_precision() == 32


def test_precision_of_results():
    thirds = []
    for bits in (16, 32, 64):
        with precision(bits):
            thirds.append(float(NUMPY.div(NUMPY.to_float(1), NUMPY.to_float(3))))
    assert thirds == [0.333251953125, 0.3333333432674408, 0.3333333333333333]
    with precision(64):
        assert NUMPY.sub(NUMPY.add(NUMPY.as_tensor(1), 1e-12), 1) == pytest.approx(1.000088900582341e-12, rel=1e-12)
    assert NUMPY.to_int64(2**40 + 1) == 1099511627777


@pytest.mark.parametrize(("bits", "total"), [(16, 64), (32, 64), (64, 128), (None, 64)])
def test_complex_numbers_are_two_floats(bits, total):
    with precision(bits):
        assert NUMPY.complex_type.bits == total
        assert NUMPY.to_complex([1.0]).dtype == f"complex{total}"


@pytest.mark.parametrize("bits", [8, 128, "64", 0, 32.0])
def test_unknown_precision_is_an_error(bits):
    with pytest.raises(ValueError, match="16, 32, 64 or None"), precision(bits):
        pass
    with pytest.raises(ValueError, match="16, 32, 64 or None"):
        backbench.set_global_precision(bits)


def test_blocks_are_not_seen_by_other_threads_but_can_be_handed_on():
    with precision(64), SYMPY:
        assert in_thread(get_precision) == 32
        assert in_thread(context_backend) is None
        context = contextvars.copy_context()
        assert in_thread(lambda: context.run(get_precision)) == 64


def test_global_settings_reach_all_threads():
    backbench.set_global_precision(64)
    backbench.use("sympy")
    try:
        assert in_thread(get_precision) == 64
        assert in_thread(default_backend) is SYMPY
        with NUMPY:
            assert default_backend() is NUMPY
    finally:
        backbench.set_global_precision(32)
        backbench.use("numpy")
    assert default_backend() is NUMPY


def test_a_block_gives_the_backend_and_ends_after_an_exception():
    with pytest.raises(KeyError), SYMPY as b:
        assert context_backend() is b is SYMPY
        raise KeyError
    assert context_backend() is None
    with pytest.raises(TypeError, match="use"):
        backbench.set_global_default_backend("numpy")


def test_creation_follows_the_precision():
    with precision(16):
        made = [
            NUMPY.zeros(2),
            NUMPY.ones((1,)),
            NUMPY.linspace(0, 1, 3),
            NUMPY.as_tensor([0.5]),
            NUMPY.random_uniform(2, 0, 1, None),
        ]
        assert {x.dtype for x in made} == {np.dtype(np.float16)}
    assert NUMPY.zeros(2, DType(float, 64)).dtype == np.float64
    assert NUMPY.range(2, 8, 3).tolist() == [2, 5] and NUMPY.range(2).dtype == np.int32


def test_a_block_in_a_generator_ends_alone():
    def generator():
        with SYMPY:
            yield

    paused = generator()
    next(paused)
    with NUMPY:
        paused.close()
        assert context_backend() is NUMPY
    assert context_backend() is None
