"""Building and compiling a softmax of 64 units: processor time, so that a busy machine does not matter."""

from __future__ import annotations

import time

import pytest

import backbench
from backbench import compile


@pytest.mark.parametrize(("formulation", "limit"), [("shifted", 0.015), ("plain", 0.015), ("pairwise", 0.150)])
def test_64_units(formulation, limit):
    def build():
        start = time.process_time()
        compile(lambda b, x: backbench.softmax(b, x, -1, formulation), {"x": (64,)}).to_python()
        return time.process_time() - start

    assert min(build() for _ in range(5)) < limit


@pytest.mark.parametrize("formulation", ["shifted", "plain", "pairwise"])
@pytest.mark.parametrize("units", [3, 8, 64])
def test_formulas_are_quick(formulation, units):
    program = compile(lambda b, x: backbench.softmax(b, x, -1, formulation), {"x": (units,)})
    start = time.process_time()
    program.to_latex()
    assert time.process_time() - start < 0.1
