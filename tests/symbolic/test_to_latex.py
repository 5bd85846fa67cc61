"""Formulas: right, readable, and never longer than can be drawn."""

from __future__ import annotations

import re
import time

import numpy as np
import pytest
import sympy

import backbench
from backbench import compile
from backbench.backend.sympy_nodes import Maximum, Select


def softmax(units, formulation="shifted"):
    return compile(lambda b, x: backbench.softmax(b, x, -1, formulation), {"x": (units,)}, name="softmax")


def is_balanced(text: str) -> bool:
    """Braces and environments are closed in order, and \\left has its \\right."""
    opened = []
    for kind, name in re.findall(r"\\(begin|end)\{(\w+)\}", text):
        if kind == "begin":
            opened.append(name)
        elif not opened or opened.pop() != name:
            return False
    bare = re.sub(r"\\[{}\\]", "", text)
    depth = np.cumsum([(c == "{") - (c == "}") for c in bare])
    return not opened and depth[-1] == 0 and (depth >= 0).all() and text.count(r"\left") == text.count(r"\right")


def test_softmax_of_three_units():
    text = softmax(3).to_latex()
    assert r"m &= \max\left(x_{0}, x_{1}, x_{2}\right)" in text
    assert r"s &= e^{x_{0} - m} + e^{x_{1} - m} + e^{x_{2} - m}" in text
    for i in range(3):
        assert rf"\frac{{e^{{x_{{{i}}} - m}}}}{{s}}" in text
    assert text.startswith(r"\begin{aligned}") and r"\operatorname{softmax}\left(x\right) &=" in text
    assert softmax(3)._repr_latex_() == rf"$\displaystyle {text}$"


def test_softmax_of_many_units():
    text = softmax(64).to_latex()
    assert r"\max\left(x_{0}, x_{1}, \dots, x_{63}\right)" in text
    assert r"e_{0} &= e^{x_{0} - m}, \;\dots,\; e_{63} = e^{x_{63} - m}" in text
    assert r"s &= e_{0} + e_{1} + \cdots + e_{63}" in text
    assert r"\frac{e_{63}}{s}" in text and len(text) < 500


def test_pairwise_formulas():
    assert r"\frac{1}{1 + e^{x_{1} - x_{0}} + e^{x_{2} - x_{0}}}" in softmax(3, "pairwise").to_latex()
    assert r"1 + e^{x_{1} - x_{0}} + \cdots + e^{x_{63} - x_{0}}" in softmax(64, "pairwise").to_latex()


def test_one_entry():
    program = softmax(64)
    assert program.to_latex(entry=5) == r"\operatorname{softmax}\left(x\right)_{5} = \frac{e^{x_{5} - m}}{s}"
    matrix = compile(lambda b, x: b.mul(2, x), {"x": (2, 3)})
    assert matrix.to_latex(entry=(1, 2)) == matrix.to_latex(entry=5) == r"f\left(x\right)_{1, 2} = 2 x_{1,2}"
    assert compile(lambda b, x: b.exp(x), {"x": ()}).to_latex(entry=()) == r"f\left(x\right) = e^{x}"
    for wrong in (64, -1, (0, 0), "a", 1.0, (0.5,)):
        with pytest.raises(IndexError, match=r"softmax has no entry .* shape of its output is \(64,\)"):
            program.to_latex(entry=wrong)


def test_choices_and_logarithms():
    x = sympy.Symbol("x")
    assert (
        r"\begin{cases} x & \text{for}\: x > 0 \\ 0 & \text{otherwise} \end{cases}"
        in compile(Select(x, 0, 0, x), x).to_latex()
    )
    assert r"\log{\left(1 + e^{x} \right)}" in compile(lambda b, x: b.softplus(x), {"x": ()}).to_latex()
    assert is_balanced(compile(sympy.Piecewise(*((k * x, x > -k) for k in range(30)), (0, True)), x).to_latex())


@pytest.mark.parametrize(
    ("number", "text"),
    [(0.1 + 0.2, "0.30000000000000004 x"), (1e-30, r"1 \cdot 10^{-30} x"), (sympy.Rational(1, 3), r"\frac{x}{3}")],
)
def test_numbers(number, text):
    x = sympy.Symbol("x")
    assert text in compile(number * x, [x]).to_latex()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x_0", "x_{0}"),
        ("lambda", r"\lambda"),
        ("a b", r"\text{a b}"),
        ("beta2", r"\beta_{2}"),
        ("x_1_12", "x_{1,12}"),
        ("xhat", r"\hat{x}"),
        ("xabs", "xabs"),
        ("2x", r"\text{2x}"),
        ("λ", r"\text{λ}"),
        ("x_", r"{\text{x}\_}"),
        ("x__2", r"{\text{x}\_\_\text{2}}"),
        ("_", r"\_"),
        ("{", r"\{"),
        ("&", r"\&"),
        ("~", r"{\sim}"),
        (" \n", r"\square"),
        ("$x^2#", r"{\$\text{x}{\wedge}\text{2}\#}"),
        (r"\input{a}", r"{{\backslash}\text{input}\{\text{a}\}}"),
        ("n" * 41, rf"{{\text{{{'n' * 40}}}\dots}}"),
    ],
)
def test_any_name_is_valid_latex_and_nothing_of_it_is_lost(name, text):
    formula = compile(lambda b, x: b.add(x, 1), {name: ()}, name=name).to_latex()
    assert rf"\left({text}\right) &= {text} + 1" in formula and is_balanced(formula)


@pytest.mark.parametrize(
    ("name", "element"), [("x", "x_{1}"), ("x_", r"{\text{x}\_}_{1}"), ("x_0", "{x_{0}}_{1}"), ("~", r"{\sim}_{1}")]
)
def test_elements_have_an_index(name, element):
    assert compile(lambda b, x: x, {name: (2,)}).to_latex(entry=1).endswith(f"_{{1}} = {element}")


def test_elements_of_large_matrices_are_told_apart():
    program = compile(lambda b, x: x, {"x": (12, 12)})
    assert program.to_latex(entry=(1, 11)).endswith("x_{1,11}") and program.to_latex(entry=(11, 1)).endswith("x_{11,1}")


def test_names_that_look_alike_get_marks():
    x, positive, dummy = sympy.Symbol("x"), sympy.Symbol("x", positive=True), sympy.Dummy("x")
    formula = compile(x + 2 * positive**2 + dummy, [x, positive, dummy]).to_latex()
    assert r"f\left(x, {x'}, {x''}\right) &= " in formula and "2 {x'}^{2}" in formula
    formula = compile(lambda b, *x: b.add(*x), {"x_1": (), "x1": ()}).to_latex()
    assert r"\left(x_{1}, {x_{1}'}\right) &= x_{1} + {x_{1}'}" in formula
    formula = compile(lambda b, x, y: b.mul(x, y), {"x": (2,), "x0": ()}).to_latex(entry=0)
    assert formula.endswith(r"\left(x, {x_{0}'}\right)_{0} = x_{0} {x_{0}'}")
    program = compile(lambda b, e, x: b.div(b.exp(x), b.sum(b.exp(x))), {"e0": (), "x": (9,)})
    assert "{e_{0}'} &= e^{x_{0}}" in program.to_latex()  # another one than the input e0
    many = compile(lambda b, *x: b.sum(b.stack(list(x))), {f"{'n' * 50}{i}": () for i in range(6)}).to_latex()
    assert len(set(re.findall(r"\\dots\}('+|\^\{\(\d\)\})?", many))) == 6 and is_balanced(many)


@pytest.mark.parametrize(
    ("factor", "formula"),
    [
        (2, r"a \cdot 2"),
        (2.5, r"a \cdot 2.5"),
        (-2, r"a \left(-2\right)"),
        (1e-30, r"a \cdot 1 \cdot 10^{-30}"),
        (sympy.Symbol("b"), "a b"),
        (sympy.Rational(1, 3), r"a \frac{1}{3}"),
    ],
)
def test_a_number_behind_a_factor_is_no_index(factor, formula):
    inputs = [sympy.Symbol("a"), sympy.Symbol("b")]
    product = sympy.Mul(inputs[0], factor, evaluate=False)
    assert compile(product, inputs).to_latex(entry=()).endswith(f"= {formula}")
    assert compile(lambda b, x: b.mul(x, 2), {"lambda": ()}).to_latex(entry=()).endswith(r"\lambda \cdot 2")
    assert compile(lambda b, x: b.mul(2, x), {"2x": ()}).to_latex(entry=()).endswith(r"2 \cdot \text{2x}")


def layers(units, depth):
    random = np.random.default_rng(0)

    def f(b, x):
        for _ in range(depth):
            x = b.tanh(b.add(b.matmul(random.normal(size=(units, units)), x), random.normal(size=units)))
        return x

    return compile(f, {"x": (units,)})


def deep(b, x):
    for _ in range(60):
        x = b.div(b.sub(1, x), b.add(2, b.exp(x)))
    return x


BIG = {
    "network of 8": lambda: layers(8, 3),
    "network of 32": lambda: layers(32, 2),
    "deep": lambda: compile(deep, {"x": ()}),
    "softmax": lambda: softmax(200, "pairwise"),
    "long names": lambda: compile(
        lambda b, *x: b.softmax(b.stack(list(x)), 0), {f"{'n' * 500}{i}": () for i in range(8)}, name="g" * 900
    ),
    "long number": lambda: compile(3**5000 * sympy.Symbol("x") + sympy.Rational(1, 7**900), [sympy.Symbol("x")]),
    "maximum": lambda: compile(Maximum(*(sympy.Symbol("x") ** k for k in range(3, 300))), [sympy.Symbol("x")]),
    "many outputs": lambda: compile(lambda b, x: tuple(b.exp(b.mul(k, x)) for k in range(100)), {"x": (10,)}),
    "many inputs": lambda: compile(lambda b, *x: b.sum(b.stack(list(x))), {f"x{i}": () for i in range(300)}),
    "matrix": lambda: compile(lambda b, x: b.exp(x), {"x": (20, 20)}),
}


@pytest.mark.parametrize("program", BIG.values(), ids=BIG)
def test_formulas_are_capped_before_they_are_printed(program):
    program = program()
    start = time.perf_counter()
    for text in (program.to_latex(), program.to_latex(entry=(0,) * len(program.outputs[0].shape))):
        assert len(text) <= 4000 and is_balanced(text)
    assert time.perf_counter() - start < 1
