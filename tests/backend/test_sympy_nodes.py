"""Select and Maximum: what they are as expressions of SymPy."""

from __future__ import annotations

import pickle
import time

import numpy as np
import pytest
import sympy
from sympy import Max, Min, Piecewise, S, lambdify, latex, oo, pi, sqrt, symbols

from backbench.backend.sympy_nodes import Maximum, Minimum, Select

x, y, z = symbols("x y z")


class TestSelect:
    @pytest.mark.parametrize(
        ("value", "expected"),
        [(3, 9), (1, -1), (0, 0), (oo, oo), (-oo, oo), (sqrt(2), 2), (S.NaN, S.NaN), (S.ComplexInfinity, S.NaN)],
    )
    def test_numbers_are_decided(self, value, expected):
        assert Select(x, 1, -x, x**2).subs(x, value) == expected

    def test_symbols_are_not(self):
        node = Select(x, y, 1, 2)
        assert node.args == (x, y, 1, 2) and node.free_symbols == {x, y} and node.is_commutative
        assert str(node) == "Select(x, y, 1, 2)" and node == Select(x, y, 1, 2) != Select(x, y, 2, 1)
        assert Select(x, 0, 1, 1) != 1  # it is NaN where x is

    def test_evaluation_to_floats(self):
        assert Select(x, pi, 1, sqrt(2)).evalf(subs={x: 4}) == sqrt(2).evalf()
        assert (1 + Select(pi, y, 1, sqrt(2))).subs(y, 3).evalf(30) == (1 + sqrt(2)).evalf(30)

    def test_derivative(self):
        assert Select(x, 0, 0, x).diff(x) == Select(x, 0, 0, 1)
        assert Select(x, 0, x**2, sympy.sin(x)).diff(x) == Select(x, 0, 2 * x, sympy.cos(x))
        assert Select(x, y, x, x).diff(x) == 1 and Select(x, 0, y, z).diff(x) == 0
        assert Select(x, 0, y * x, z).diff(y) == Select(x, 0, x, 0)

    def test_other_forms(self):
        assert Select(x, 0, 1, x).rewrite(Piecewise) == Piecewise((x, x > 0), (1, True))
        assert latex(Select(x, 0, 0, x)) == r"\begin{cases} x & \text{for}\: x > 0 \\ 0 & \text{otherwise} \end{cases}"
        f = lambdify(x, Select(x, 0, -1, 2 * x), "numpy")
        np.testing.assert_array_equal(f(np.array([-2.0, 3.0, np.nan])), [-1, 6, np.nan])
        assert pickle.loads(pickle.dumps(Select(x, 0, 1, y))) == Select(x, 0, 1, y)


class TestExtrema:
    def test_structure(self):
        assert Maximum(x, Maximum(y, z), x) == Maximum(x, y, z) and Maximum(x, y).args == (x, y)
        assert Maximum(1, x, 3, pi, sqrt(2)).args == (pi, x) and Minimum(1, x, 3, sqrt(2)).args == (1, x)
        assert Maximum(x) == x and Maximum() == -oo and Minimum() == oo
        assert Maximum(-oo, x) == x and Minimum(oo, x) == x and Maximum(oo, 3) == oo
        assert Maximum(x, S.NaN) is S.NaN and Minimum(x, S.NaN) is S.NaN
        assert str(Maximum(x, y)) == "Maximum(x, y)" and Maximum(x, y).is_commutative

    def test_numbers_in_place_of_symbols(self):
        assert Maximum(x, y).subs({x: 1, y: 2}) == 2 and Minimum(x, y).subs({x: 1, y: sqrt(2)}) == 1
        assert Maximum(x, y, 3).xreplace({x: S(4)}) == Maximum(4, y)
        assert Maximum(x, sqrt(2)).evalf(subs={x: 1}) == sqrt(2).evalf()
        assert Maximum(x, y).subs({x: -oo, y: -oo}) == -oo and Maximum(x, 1).subs(x, S.NaN) is S.NaN

    @pytest.mark.parametrize(("value", "slope"), [(-2, 0), (0, sympy.Rational(1, 2)), (3, 1)])
    def test_derivative_of_relu(self, value, slope):
        assert Maximum(x, 0).diff(x).subs(x, value) == slope
        assert Minimum(x, 0).diff(x).subs(x, value) == 1 - slope

    def test_derivatives_share_ties(self):
        point = {x: 2, y: 2, z: 1}
        assert [Maximum(x, y, z).diff(s).subs(point) for s in (x, y, z)] == [S.Half, S.Half, 0]
        assert Maximum(x, -x).diff(x).subs(x, 0) == 0 and Maximum(2 * x, 2 * x + y).diff(x) == 2
        assert Maximum(x, y).diff(z) == 0

    def test_other_forms(self):
        assert Maximum(x, y).rewrite(Max) == Max(x, y) and Minimum(x, y).rewrite(Min) == Min(x, y)
        assert Maximum(x, y).rewrite(Piecewise) == Max(x, y).rewrite(Piecewise)
        assert latex(Maximum(x, y)) == r"\max\left(x, y\right)" and latex(Minimum(x, y)) == r"\min\left(x, y\right)"
        f = lambdify((x, y, z), Maximum(x, y, z), "numpy")
        np.testing.assert_array_equal(f(np.array([1.0, np.nan]), 2.0, 0.0), [2, np.nan])
        assert pickle.loads(pickle.dumps(Maximum(x, y))) == Maximum(x, y)

    @pytest.mark.parametrize("count", [40, 100, 1000])
    def test_many_arguments_are_not_compared(self, count):
        many = symbols(f"x:{count}")
        affine = [2 * symbol + 1 for symbol in many]
        start = time.perf_counter()
        Maximum(*many)
        node = Maximum(*affine)
        assert time.perf_counter() - start < 0.1
        assert node.xreplace({symbol: S(17 * i % (count + 1)) for i, symbol in enumerate(many)}).is_Integer
