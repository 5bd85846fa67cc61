"""The checks of the exercises judge right and wrong answers, and say why."""

from __future__ import annotations

import numpy as np
import pytest

from backbench import softmax
from backbench.exercises import Verdict, check


@pytest.mark.parametrize(
    ("exercise", "answer", "right", "reason"),
    [
        ("vanishing power", ..., None, "three dots"),
        ("vanishing power", 11, True, "10 bits"),
        ("vanishing power", 10, False, "more than 1"),
        ("vanishing power", 12, False, "smaller n"),
        ("vanishing power", 11.0, False, "whole number"),
        ("two steps", [[2, 0, 0], [0, 2, 0], [0, 0, 5]], True, "distinct eigenvalue"),
        ("two steps", [[4, 1, 0], [1, 3, 0], [0, 0, 1]], False, "takes 3 steps"),
        ("two steps", np.eye(3), False, "takes 1 step."),
        ("two steps", [[1, 2, 0], [0, 1, 0], [0, 0, 1]], False, "symmetric"),
        ("two steps", [[1, 0, 0], [0, -1, 0], [0, 0, 1]], False, "positive definite"),
        ("vanishing power", np.int64(11), True, "10 bits"),
        ("two steps", [[1, 2], [3]], False, "list of three rows"),
        ("two steps", np.diag([1, 1, np.inf]), False, "finite"),
        ("two steps", np.eye(3) * 1j, False, "real"),
        ("two steps", "matrix", False, "list of three rows"),
        ("two steps", [[1]], False, "3x3"),
        ("lost number", 1e-9, True, "2**-24"),
        ("lost number", 2.0**-24, True, "2**-24"),
        ("lost number", 1e-3, False, "float32 still has"),
        ("lost number", 1e-17, False, "lost in float64 too"),
        ("lost number", 2, False, "between 0 and 1"),
        ("lost number", "1e-9", False, "between 0 and 1"),
        ("small difference", lambda b, x: b.div(1, b.add(b.sqrt(b.add(x, 1)), b.sqrt(x))), True, "No difference"),
        ("small difference", lambda b, x: b.sub(b.sqrt(b.add(x, 1)), b.sqrt(x)), False, "ulp away"),
        ("small difference", lambda b, x: b.div(x, 0), False, "inf"),
        ("small difference", lambda b, x: b.sum(x), False, "shape ()"),
        ("small difference", lambda b, x: None, False, "TypeError"),
        ("small difference", 3, False, "function"),
        ("small difference", lambda b, x: 1 / (np.sqrt(x + 1.0) + np.sqrt(np.float64(x))), False, "not float32"),
        ("one step", [3, 0], True, "eigenvector"),
        ("one step", np.array([1.0, -2.0]), True, "eigenvector"),
        ("one step", (2, -1), False, "solution itself"),
        ("one step", [0, 0], False, "2 steps"),
        ("one step", [1, 2, 3], False, "two numbers"),
        ("one step", [[1, 2], [3, 4]], False, "two numbers"),
        ("one step", [np.nan, 1], False, "finite"),
        ("one step", 5, False, "two numbers"),
        ("fewest bits", 32, True, "condition number is 441"),
        ("fewest bits", 16, False, "Stagnated"),
        ("fewest bits", 64, False, "fewer bits"),
        ("fewest bits", "32", False, "16, 32 or 64"),
        ("largest logit", 11.05, True, "11.0899"),
        ("largest logit", 11, True, "11.0899"),
        ("largest logit", 11.1, True, "rounded to float16"),
        ("largest logit", np.log(65504), True, "rounded to float16"),
        ("largest logit", 12, False, "65504"),
        ("largest logit", 10, False, "closer"),
        ("largest logit", "11", False, "number"),
        ("largest logit", np.float32(11.05), True, "11.0899"),
        ("largest logit", float("nan"), False, "finite"),
        ("own softmax", softmax, True, "symbols"),
        ("own softmax", lambda b, x: b.softmax(x, -1), False, "compiled"),  # SymPy's own is pairwise
        ("own softmax", lambda b, x: b.div(b.exp(x), b.sum(b.exp(x))), False, "10000"),
        ("own softmax", lambda b, x: b.exp(b.sub(x, b.stabilizer(x, -1))), False, "0.1"),
        ("own softmax", lambda b, x: b.sum(x), False, "shape"),
        ("own softmax", 3, False, "function"),
        ("own softmax", lambda b, x: None, False, "return"),
        ("own softmax", lambda b, x: b.nothing(x), False, "AttributeError"),
        ("own softmax", lambda b, x: b.softmax(x, -1) if x[0] > -1 else x, False, "on symbols it stops"),
    ],
)
def test_verdicts(exercise, answer, right, reason):
    verdict = check(exercise, answer)
    assert verdict.right is right
    assert reason in verdict.reason and verdict.word in repr(verdict)


def test_verdicts_are_shown_with_a_word_and_escaped():
    assert "&lt;b&gt;" in Verdict(False, "<b>")._repr_html_() and "Not yet" in Verdict(False, "")._repr_html_()


def test_unknown_exercises_are_named():
    with pytest.raises(ValueError, match="vanishing power"):
        check("nothing", 1)
