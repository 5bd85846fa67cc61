"""Names of inputs and functions: none is special, and none collides with what the generated code uses."""

from __future__ import annotations

import inspect
import itertools

import numpy as np
import pytest
import sympy

from backbench import compile

OF_PYTHON = ["lambda", "class", "None", "any", "__debug__", "np", "total", "reduce"]
OF_FORMULAS = ["beta", "E", "exp", "m", "e_0", "s", "f", "I", "pi", "S"]
TRICKY = OF_PYTHON + OF_FORMULAS


@pytest.mark.parametrize("library", ["numpy", "mpmath"])
def test_inputs_of_any_name(library):
    def f(b, *inputs):
        terms = [b.mul(k + 1, b.exp(x)) for k, x in enumerate(inputs)]
        largest = b.max(b.stack([*inputs, *terms]))
        return b.add(b.div(b.sum(b.stack(terms)), b.sum(b.stack(terms))), largest)

    program = compile(f, dict.fromkeys(TRICKY, ()), name="f")
    value = program.to_python(library)(*[0.5] * len(TRICKY))
    assert float(value[()]) == pytest.approx(1 + len(TRICKY) * np.exp(0.5))


def test_words_of_python_and_functions_of_sympy_are_plain_names():
    names = ["lambda", "beta", "E"]
    f = compile(
        lambda b, *x: b.sub(b.add(b.mul(2.0, x[0]), b.mul(3.0, x[1])), x[2]), dict.fromkeys(names, ())
    ).to_python()
    assert f(1.0, 2.0, 5.0) == 3
    assert list(inspect.signature(f).parameters) == ["lambda_", "beta", "E"]
    symbols = [sympy.Symbol(name) for name in names]
    assert compile(2 * symbols[0] + 3 * symbols[1] - symbols[2], symbols).to_python()(1.0, 2.0, 5.0) == 3


@pytest.mark.parametrize("order", list(itertools.permutations(["x", "x_0", "x_1_"])))
def test_an_array_beside_scalars_with_names_of_its_elements(order):
    shapes = {"x": (2,), "x_0": (), "x_1_": ()}
    values = {"x": [1.0, 10.0], "x_0": 100.0, "x_1_": 1000.0}

    def f(b, **inputs):
        return b.add(b.add(b.sum(inputs["x"]), b.mul(3, inputs["x_0"])), b.mul(5, inputs["x_1_"]))

    compiled = compile(lambda b, *x: f(b, **dict(zip(order, x, strict=True))), {name: shapes[name] for name in order})
    assert compiled.to_python()(*(values[name] for name in order)) == 5311


@pytest.mark.parametrize(
    "names", [["a b", "a_b"], ["2x", "_2x"], ["x", "x_"], ["ﬁ", "fi"], ["x'", 'x"'], ["λ", "lambda"], ["\n", "\\"]]
)
def test_names_that_python_does_not_allow(names):
    f = compile(lambda b, x, y: b.sub(x, y), dict.fromkeys(names, ())).to_python()
    assert f(3.0, 1.0) == 2
    symbols = [sympy.Symbol(name) for name in names]
    assert compile(symbols[0] - symbols[1], symbols).to_python()(3.0, 1.0) == 2


def test_symbols_of_one_name_are_told_apart():
    plain, positive, dummy = sympy.Symbol("x"), sympy.Symbol("x", positive=True), sympy.Dummy("x")
    assert compile(plain - 2 * positive + dummy, [plain, positive, dummy]).to_python()(1.0, 2.0, 5.0) == 2


@pytest.mark.parametrize(
    "name", ["class", "np", "x", "my function", "2f", "ValueError", "TypeError", "__debug__", '"""', "\n", "f" * 300]
)
def test_functions_of_any_name(name):
    f = compile(lambda b, x: b.max(x), {"x": (3,)}, name=name).to_python()
    assert f([1.0, 3.0, 2.0]) == 3
    assert f.__name__.isidentifier()
    with pytest.raises(ValueError, match=r"x has shape \(2,\); needed is \(3, \*points\)"):
        f([1.0, 2.0])


def test_the_source_is_what_runs_and_can_be_inspected():
    f = compile(lambda b, x: b.softplus(x), {"x": ()}, name="softplus").to_python()
    assert f.source.startswith("import numpy as np\n")
    assert inspect.getsource(f) in f.source and "def softplus(x):" in inspect.getsource(f)
    assert f.__doc__ == "softplus of x (*points,); returns (*points,)."
    namespace: dict = {}
    exec(f.source, namespace)
    assert namespace["softplus"](0.3) == f(0.3)
