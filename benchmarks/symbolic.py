"""Time to build and compile a softmax: SymPy's lambdify beside backbench.

Run with `python benchmarks/symbolic.py`. Each time is the median of several runs in one warm process; 'first' is that
of the first one. SymPy's cache is cleared before each run of either.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import sympy
from sympy.core.cache import clear_cache

import backbench
from backbench import compile
from backbench.backend.formulations import Formulation

REPEATS = 5
PEER_LIMIT = 32  # lambdify with cse needs 1.4 s for 64 pairwise units


def ours(units: int, formulation: Formulation) -> Callable[..., Any]:
    return compile(lambda b, x: backbench.softmax(b, x, -1, formulation), {"x": (units,)}).to_python()


def peer(units: int, formulation: Formulation) -> Callable[..., Any]:
    x = sympy.symbols(f"x:{units}")
    if formulation == "pairwise":
        result = [1 / sympy.Add(*(sympy.exp(other - unit) for other in x)) for unit in x]
    else:
        shift = sympy.Max(*x) if formulation == "shifted" else 0
        exponentials = [sympy.exp(unit - shift) for unit in x]
        total = sympy.Add(*exponentials)
        result = [exponential / total for exponential in exponentials]
    return sympy.lambdify([x], result, "numpy", cse=True)


def milliseconds(make: Callable[..., Any], *arguments: Any, repeats: int = REPEATS) -> tuple[float, float]:
    """First and median time."""
    times = []
    for _ in range(repeats):
        clear_cache()
        start = time.perf_counter()
        make(*arguments)
        times.append(1e3 * (time.perf_counter() - start))
    return times[0], statistics.median(times)


def main() -> None:
    print(f"{'softmax':>10} {'units':>6} {'lambdify(cse) ms':>17} {'backbench ms':>13} {'first':>7} {'ratio':>7}")
    formulations: tuple[Formulation, ...] = ("shifted", "pairwise", "plain")
    for formulation in formulations:
        for units in (3, 8, 16, 32, 64):
            first, usual = milliseconds(ours, units, formulation)
            repeats = REPEATS if units < PEER_LIMIT else 1
            _, other = milliseconds(peer, units, formulation, repeats=repeats)
            point = np.linspace(-3, 3, units)
            np.testing.assert_allclose(ours(units, formulation)(point), peer(units, formulation)(point), rtol=1e-13)
            print(f"{formulation:>10} {units:>6} {other:>17.1f} {usual:>13.2f} {first:>7.1f} {usual / other:>7.3f}")


if __name__ == "__main__":
    main()
