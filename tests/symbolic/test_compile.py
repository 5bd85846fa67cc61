"""compile(): tracing functions, cutting expressions, and its errors."""

from __future__ import annotations

import math
import pickle
import threading
import time

import numpy as np
import pytest
import sympy

import backbench
from backbench import NUMPY, SYMPY, Program, compile, precision


def softmax_program(units: int, formulation: str) -> Program:
    return compile(lambda b, x: backbench.softmax(b, x, -1, formulation), {"x": (units,)}, name="softmax")


def count(program: Program, kind: type) -> int:
    return sum(len(expression.atoms(kind)) for expression in program.expressions())


@pytest.mark.parametrize("units", [2, 3, 64])
def test_shifted_softmax_grows_with_the_number_of_units(units):
    program = softmax_program(units, "shifted")
    assert [(block.name, len(block.assignments)) for block in program.blocks] == [("m", 1), ("e", units), ("s", 1)]
    assert count(program, sympy.exp) == units
    names = [assignment.symbol.name for assignment in program.assignments]
    assert names == ["m", *(f"e_{i}" for i in range(units)), "s"]
    assert repr(program) == f"Program softmax(x: ({units},)) -> ({units},) with {units + 2} assignments"


@pytest.mark.parametrize("units", [3, 10])
def test_pairwise_softmax_has_no_maximum_and_an_exponential_for_each_pair(units):
    program = softmax_program(units, "pairwise")
    assert count(program, sympy.exp) == units * (units - 1)
    assert not program.assignments
    assert not any(
        expression.has(sympy.Max, backbench.backend.sympy_nodes.Maximum) for expression in program.expressions()
    )


def test_plain_softmax_has_an_exponential_for_each_unit():
    program = softmax_program(5, "plain")
    assert [block.name for block in program.blocks] == ["e", "s"] and count(program, sympy.exp) == 5


def test_nothing_is_simplified():
    program = compile(lambda b, x: b.mul(0, b.sub(x, x)), {"x": ()})
    f = program.to_python()
    assert f(2.0) == 0 and np.isnan(f(np.inf)) and np.isnan(f(np.nan))


def test_expressions_with_symbols():
    a, b = sympy.symbols("a b")
    both = compile([a / b, a - b], [a, b]).to_python()
    assert both(6.0, 3.0).tolist() == [2, 3] and both(np.ones(4), 2.0).shape == (2, 4)
    first, second = compile((a * b, sympy.Matrix([[a, b], [b, a]])), [a, b]).to_python()(2.0, 3.0)
    assert first == 6 and second.tolist() == [[2, 3], [3, 2]]
    assert compile(a + 1, a).to_python()(1) == 2


def test_results_may_be_a_tuple_a_list_or_numbers():
    several = compile(lambda b, x: (b.sum(x), x), {"x": (2,)})
    total, same = several.to_python()([1.0, 2.0])
    assert total == 3 and same.tolist() == [1, 2] and several.returns_tuple
    (only,) = compile(lambda b, x: (x,), {"x": ()}).to_python()(1.5)
    assert only == 1.5
    assert compile(lambda b, x: [x, 2 * x], {"x": ()}).to_python()(3.0).tolist() == [3, 6]
    assert compile(lambda b, x: 0.5, {"x": ()}).to_python()(np.ones(3)).tolist() == [0.5] * 3
    assert compile(lambda b: b.exp([0.0, 1.0]), {}).to_python()().tolist() == [1, np.e]


def test_shapes_of_inputs():
    def f(b, W, x, t):
        return b.add(b.matmul(W, x), t)

    program = compile(f, {"W": (2, 3), "x": 3, "t": ()})
    assert [given.shape for given in program.inputs] == [(2, 3), (3,), ()]
    assert [str(symbol) for symbol in program.inputs[0].symbols] == [f"W_{i}_{j}" for i in range(2) for j in range(3)]
    W, x, t = np.arange(6.0).reshape(2, 3), np.array([1.0, 0, -1]), 0.5
    np.testing.assert_allclose(program.to_python()(W, x, t), W @ x + t)
    cube = compile(lambda b, x: b.sum(x, axis=(0, 2)), {"x": (2, 1, 3)}).to_python()
    assert cube(np.ones((2, 1, 3, 5))).shape == (1, 5)
    empty = compile(lambda b, x: x, {"x": (0,)}).to_python()
    assert empty(np.ones((0, 4))).shape == (0, 4)


@pytest.mark.parametrize(
    ("f", "inputs", "error", "message"),
    [
        ("x + 1", {"x": ()}, TypeError, "function .* or SymPy expressions, not str"),
        (lambda b, x: x, ["x"], TypeError, "names and shapes"),
        (lambda b, x: x, {"x": (-1,)}, ValueError, r"shape of input 'x' is a tuple of sizes"),
        (lambda b, x: x, {"x": (1.5,)}, ValueError, r"shape of input 'x'"),
        (lambda b, x: x, {1: ()}, TypeError, "names of inputs"),
        (lambda b, x: "x", {"x": ()}, TypeError, "Strings are no tensors"),
        (sympy.Symbol("x"), {"x": ()}, TypeError, "inputs of expressions are SymPy symbols"),
        (sympy.Symbol("x"), None, TypeError, "inputs of expressions are SymPy symbols, not None"),
        (sympy.Symbol("x"), "x", TypeError, "inputs of expressions are SymPy symbols, not 'x'"),
        (sympy.Symbol("x"), [sympy.Symbol("x")] * 2, ValueError, "twice"),
        (sympy.Symbol("x") + sympy.Symbol("y") + sympy.Symbol("z"), [sympy.Symbol("x")], ValueError, "no inputs: y, z"),
    ],
)
def test_wrong_arguments_are_named(f, inputs, error, message):
    with pytest.raises(error, match=message):
        compile(f, inputs)


@pytest.mark.parametrize("name", ["", None])
def test_a_program_needs_a_name(name):
    with pytest.raises(ValueError, match="name of a program"):
        compile(sympy.Symbol("x"), [sympy.Symbol("x")], name=name)


def needs_a_value_if(b, x):
    return x if x > 0 else b.mul(2, x)


@pytest.mark.parametrize(
    "f",
    [
        needs_a_value_if,
        lambda b, x: x if bool(x > 0) else -x,
        lambda b, x: np.exp(x),
        lambda b, x: np.isnan(x),
        lambda b, x: math.exp(x),
        lambda b, x: float(x),
        lambda b, x: np.maximum(x, 0),
    ],
)
def test_what_needs_the_value_of_a_symbol_is_told_the_way_out(f):
    with pytest.raises(TypeError, match=r"needs the value of a symbol.*b\.select.*b\.exp"):
        compile(f, {"x": ()})


def test_other_errors_in_the_function_stay_as_they_are():
    with pytest.raises(TypeError, match="unexpected keyword"):
        compile(lambda b, x: b.exp(x, wrong=1), {"x": ()})
    with pytest.raises(ZeroDivisionError):
        compile(lambda b, x: 1 / 0, {"x": ()})
    assert sympy.Symbol("x") - sympy.Symbol("x") == 0  # evaluation is on again


def relu(b, x):
    return b.select(x, 0, 0, x)


@pytest.mark.parametrize("depth", [12, 200])
def test_a_chain_of_selects_stays_small(depth):
    def chain(b, h):
        for _ in range(depth):
            h = relu(b, b.add(b.mul(0.9, h), 0.1))
        return h

    start = time.perf_counter()
    program = compile(chain, {"x": ()})
    value = program.to_python()(0.3)
    assert time.perf_counter() - start < 5
    expected = 0.3
    for _ in range(depth):
        expected = max(0.9 * expected + 0.1, 0.0)
    assert value == expected and len(program.assignments) <= 2 * depth
    with precision(64):
        assert value == chain(NUMPY, 0.3)


def test_a_deep_expression_without_sharing():
    def nested(b, h):
        for _ in range(2000):
            h = b.tanh(h)
        return h

    program = compile(nested, {"x": ()})
    with precision(64):
        assert program.to_python()(0.7) == nested(NUMPY, 0.7)


def test_reciprocals_and_negations_by_turns():
    def nested(b, h):
        for _ in range(100):
            h = b.sub(0, b.div(1, h))
        return h

    assert compile(nested, {"x": ()}).to_python()(0.7) == pytest.approx(0.7)


@pytest.mark.parametrize("count", [40, 100])
def test_a_maximum_of_many_symbols(count):
    start = time.perf_counter()
    f = compile(lambda b, x: b.stabilizer(x, 0), {"x": (count,)}).to_python()
    values = np.array([17.0 * k % (count + 1) for k in range(count)])
    assert f(values).tolist() == [values.max()] and time.perf_counter() - start < 1
    assert np.isnan(f(np.where(np.arange(count) == 7, np.nan, values)))


def test_programs_are_frozen_and_can_be_pickled():
    program = compile(lambda b, x: (b.log_softmax(b.sub(x, x), 0), b.greater_than(x, 0)), {"x": (3,)}, name="g")
    with pytest.raises(AttributeError):
        program.name = "h"
    again = pickle.loads(pickle.dumps(program))
    assert again.to_python().source == program.to_python().source


def test_threads_compile_at_the_same_time():
    programs, errors = [], []

    def work():
        try:
            for _ in range(5):
                programs.append(softmax_program(6, "pairwise"))
                assert sympy.Symbol("x") + sympy.Symbol("x") == 2 * sympy.Symbol("x")
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors and len({program.to_python().source for program in programs}) == 1


def test_a_gradient_inside_of_a_program():
    def slope(b, x):
        return b.functional_gradient(lambda z: b.sum(b.mul(z, b.exp(z))), (0,), False)(x)[0]

    x = np.array([0.5, -2.0])
    np.testing.assert_allclose(compile(slope, {"x": (2,)}).to_python()(x), (1 + x) * np.exp(x), rtol=1e-14)
    assert SYMPY.name == "sympy"
