"""What compiled functions take, and how they say no."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
import sympy

from backbench import compile
from backbench.accuracy import reference

x, y = sympy.symbols("x y")


@pytest.mark.parametrize(
    "value",
    [sympy.Symbol("q"), "a", "1.5", b"1", None, np.datetime64("2000"), [x, 1.0], ["a", "b"], np.array([None, 1.0])],
    ids=str,
)
def test_what_is_no_number_is_refused(value):
    shape = np.shape(value)
    one = compile(lambda b, u: b.add(u, 1), {"u": shape}, name="g")
    two = compile(lambda b, u, v: b.add(u, v), {"u": shape, "v": ()}, name="g")
    for call in (
        lambda: one.to_python()(value),
        lambda: two.to_python()(value, 1.0),
        lambda: compile(lambda b, v, u: b.add(u, v), {"v": (), "u": shape}).to_python()(1.0, value),
        lambda: one.to_python("mpmath")(value),
        lambda: two.to_python("mpmath")(value, 1.0),
        lambda: reference(one, value),
    ):
        with pytest.raises(TypeError, match="takes numbers"):
            call()


def test_integers_beyond_64_bits_are_refused_by_numpy_alone():
    f = compile(x + 1, [x])
    with pytest.raises(TypeError, match=r"f takes numbers: .* 64 bits"):
        f.to_python()(2**70)
    with pytest.raises(TypeError, match=r"f takes numbers: .* 64 bits"):
        compile(x + y, [x, y]).to_python()(2**70, 1.0)
    assert f.to_python("mpmath")(2**70)[()] == mpmath.mpf(2**70) + 1


def test_numbers_beyond_all_doubles():
    largest, smallest = sympy.exp(sympy.Float(1e10)), sympy.exp(sympy.Float(-1e10))
    f = compile([largest * x, smallest * x], [x])
    assert f.to_python()(0.5).tolist() == [np.inf, 0]
    with mpmath.workdps(15):
        values = f.to_python("mpmath")(0.5)
        assert mpmath.almosteq(mpmath.log(2 * values[0]), 1e10) and mpmath.almosteq(mpmath.log(2 * values[1]), -1e10)
