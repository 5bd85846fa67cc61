"""Functions that need the value of a symbol are told so; none is recorded with one branch of an `if` for good."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy

from backbench import SYMPY, choose_backend, compile

WAY_OUT = r"needs the value of a symbol.*b\.select.*b\.where.*b\.exp"

BRANCHING = {
    "if equal": lambda b, x: b.mul(x, 0) if x[0] == 0 else b.div(1, x),
    "if": lambda b, x: x if b.sum(x) else b.mul(2, x),
    "not": lambda b, x: b.as_tensor(1) if not x[1] else x,
    "bool": lambda b, x: bool(x[0]),
    "unequal results": lambda b, x: x if b.mul(x[0], 2) != b.exp(x[1]) else b.mul(2, x),
    "less": lambda b, x: x if b.sum(x) <= 1 else b.mul(2, x),
    "and": lambda b, x: x[0] and x[1],
    "loop": lambda b, x: [entry for entry in x if entry],
    "max": lambda b, x: max(x),
    "in": lambda b, x: 1 if 0 in x else 2,
    "in a tuple": lambda b, x: 1 if x[0] in (0, 1) else 2,
    "mask": lambda b, x: x[x > 0],
    "range": lambda b, x: b.as_tensor(list(range(x[0]))),
    "round": lambda b, x: round(x[0]),
    "float": lambda b, x: float(x[0]),
    "int": lambda b, x: int(x[0]),
    "complex": lambda b, x: complex(x[0]),
    "math": lambda b, x: math.sin(x[0]),
    "astype float": lambda b, x: x.astype(float),
    "astype bool": lambda b, x: x.astype(bool),
    "nonzero": lambda b, x: x.nonzero(),
    "any": lambda b, x: x.any(),
    "numpy.any": lambda b, x: np.any(x),
    "numpy.all": lambda b, x: np.all(x == 0),
    "numpy.where": lambda b, x: np.where(x, 1, 2),
    "numpy.logical_not": lambda b, x: np.logical_not(x),
    "numpy.array_equal": lambda b, x: np.array_equal(x, x + 1),
    "numpy.isclose": lambda b, x: np.isclose(x, 1),
    "numpy.tanh": lambda b, x: np.tanh(x),
    "numpy.sort": lambda b, x: np.sort(x),
    "in a loop of the backend": lambda b, x: b.while_loop(
        lambda go, y: (b.as_tensor(False), y if y[0] == 0 else b.mul(2, y)), (b.as_tensor(True), x)
    )[1],
    "in a gradient": lambda b, x: b.functional_gradient(lambda y: b.sum(y) if y[0] == 0 else b.sum(x), (0,), False)(x),
    "of a gradient": lambda b, x: 1 if b.functional_gradient(lambda y: b.mul(y, y), (0,), False)(x)[0][0] == 0 else 2,
}


@pytest.mark.parametrize("f", BRANCHING.values(), ids=BRANCHING)
def test_what_asks_for_a_value_is_told_the_way_out(f):
    with pytest.raises(TypeError, match=WAY_OUT):
        compile(f, {"x": (2,)})


def test_the_message_says_what_was_asked():
    with pytest.raises(TypeError, match=r"truth value of Eq\(a, 0\)"):
        compile(lambda b, a: 1 if a == 0 else 2, {"a": ()})


COMPUTING = {
    "operators": (lambda b, x: 2 * x[0] + abs(-x[1]) ** 2 - x.sum() / 2 + x @ [0, 2], 2 + 2.25 - 1.25 + 3),
    "python's sum": (lambda b, x: sum(x), 2.5),
    "numpy's structure": (lambda b, x: np.stack([x, -x])[0, 1], 1.5),
    "an array of elements": (lambda b, x: b.sum(np.array([x[0], x[1]])), 2.5),
    "a matrix of SymPy": (lambda b, x: sympy.Matrix([x[0], x[1]]).T[1], 1.5),
    "functions of SymPy": (lambda b, x: sympy.sin(x[0]) - sympy.sin(x[0]) + x[1], 1.5),
    "comparisons as values": (lambda b, x: b.sum(b.where((x > 1) & (x < 2), x, 0)), 1.5),
    "equality as a value": (lambda b, x: b.sum(b.where(x == 1, 10, x)), 11.5),
    "decided conditions": (lambda b, x: x[0] if b.sum(b.mul(0, b.ones_like(x))) == 0 else x[1], 1.0),
    "constants of symbols": (lambda b, x: x[1] if b.as_tensor(3) > 2 else x[0], 1.5),
    "in place": (lambda b, x: added_in_place(x)[1], 2.5),
    "the backend of the arguments": (lambda b, x: choose_backend(x).sum(x), 2.5),
    "loops": (
        lambda b, x: b.while_loop(
            lambda go, i, s: (b.less_than(i, 2), b.add(i, 1), b.add(s, x[1])), (True, b.as_tensor(0), b.as_tensor(0))
        )[2],
        4.5,
    ),
}


def added_in_place(x):
    y = 1 * x
    y += 1
    return y


@pytest.mark.parametrize(("f", "value"), COMPUTING.values(), ids=COMPUTING)
def test_what_needs_no_value_is_recorded(f, value):
    assert compile(f, {"x": (2,)}).to_python()([1.0, 1.5]) == value


def test_bare_expressions_can_be_taken_out():
    def f(b, x):
        assert all(isinstance(entry, sympy.Symbol) for entry in [x[0].item(), *x.tolist(), *x.flat])
        return x

    compile(f, {"x": (2,)})


@pytest.mark.parametrize(
    "f",
    [
        lambda a: a if a > 0 else -a,
        lambda a: a if a == 0 else SYMPY.mul(a, a),
        lambda a: a if SYMPY.mul(a, 2) == 0 else SYMPY.mul(a, a),
        lambda a: np.exp(a),
        lambda a: math.exp(a),
    ],
)
def test_gradients_give_the_same_error(f):
    with pytest.raises(TypeError, match=WAY_OUT):
        SYMPY.functional_gradient(f, (0,), False)(1)


def test_arrays_outside_of_a_recorded_function_are_plain():
    (slope,) = SYMPY.functional_gradient(lambda a: a[0] * a[1], (0,), False)([2, 3])
    assert type(slope) is np.ndarray and slope.tolist() == [3, 2]
    assert type(SYMPY.add([1], sympy.Symbol("x"))) is np.ndarray
