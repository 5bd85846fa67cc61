"""Minimization of a batch against sequential calls of scipy.optimize.minimize, in one run.

OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 python benchmarks/minimize.py
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from time import perf_counter

import numpy as np
from scipy import optimize

from backbench import NUMPY, precision, with_gradient

BATCH, SIZE, ATOL, MAX_ITER = 64, 10, 1e-8, 100
LIMITS = {"L-BFGS-B": 0.95, "BFGS": 1.15, "CG": 1.15}


def rosenbrock(x: np.ndarray) -> np.ndarray:
    return np.sum(100 * (x[..., 1:] - x[..., :-1] ** 2) ** 2 + (1 - x[..., :-1]) ** 2, axis=-1)


def gradient(x: np.ndarray) -> np.ndarray:
    slope, inner = np.zeros_like(x), x[..., 1:] - x[..., :-1] ** 2
    slope[..., :-1] = -400 * x[..., :-1] * inner - 2 * (1 - x[..., :-1])
    slope[..., 1:] += 200 * inner
    return slope


def slow(f: Callable[[np.ndarray], np.ndarray]) -> Callable[[np.ndarray], np.ndarray]:
    """The function with a cost of 1 ms a call, whatever the batch."""

    def waiting(x: np.ndarray) -> np.ndarray:
        end = perf_counter() + 1e-3
        value = f(x)
        while perf_counter() < end:
            pass
        return value

    return waiting


def sequential(method: str, f: Callable[[np.ndarray], np.ndarray], x0: np.ndarray) -> None:
    for row in x0:
        optimize.minimize(f, row, method=method, jac=gradient, tol=ATOL, options={"maxiter": MAX_ITER})


def batched(method: str, f: Callable[[np.ndarray], np.ndarray], x0: np.ndarray) -> None:
    NUMPY.minimize(method, with_gradient(f, gradient), x0, ATOL, MAX_ITER, False)


def seconds(call: Callable[[], None]) -> float:
    start = perf_counter()
    call()
    return perf_counter() - start


def compare(method: str, x0: np.ndarray) -> tuple[float, float]:
    return seconds(lambda: sequential(method, rosenbrock, x0)), seconds(lambda: batched(method, rosenbrock, x0))


def overhead_of_descent(batch: int) -> tuple[float, float]:
    """Microseconds per evaluation of the objective alone, and of what gradient descent adds to it."""
    x0 = np.random.default_rng(0).normal(size=(batch, SIZE))
    evaluations = 0

    def counted(x: np.ndarray) -> np.ndarray:
        nonlocal evaluations
        evaluations += 1
        return rosenbrock(x)

    alone = median(seconds(lambda: (rosenbrock(x0), gradient(x0))) for _ in range(2000))
    total = min(seconds(lambda: batched("GD", rosenbrock, x0)) for _ in range(5))
    batched("GD", counted, x0)
    return 1e6 * alone, 1e6 * (total / evaluations - alone)


def main() -> None:
    x0 = np.random.default_rng(0).uniform(-2, 2, (BATCH, SIZE))
    print(f"{BATCH} starts, {SIZE}-D Rosenbrock function, exact gradient, float64; medians of interleaved runs")
    print(f"{'method':24}{'scipy, one by one':>20}{'batch':>12}{'ratio':>8}{'limit':>8}")
    for method, limit in LIMITS.items():
        pairs = [compare(method, x0) for _ in range(7)]
        peer, ours = (median(column) for column in zip(*pairs, strict=True))
        print(f"{method:24}{1e3 * peer:17.1f} ms{1e3 * ours:9.1f} ms{ours / peer:8.2f}{limit:8.2f}")
    wait = slow(rosenbrock)
    peer = seconds(lambda: sequential("L-BFGS-B", wait, x0))
    ours = median(seconds(lambda: batched("L-BFGS-B", wait, x0)) for _ in range(3))
    print(f"{'L-BFGS-B, 1 ms a call':24}{1e3 * peer:17.1f} ms{1e3 * ours:9.1f} ms{ours / peer:8.2f}{0.1:8.2f}")
    print("\ngradient descent, µs per evaluation")
    for batch in (1, 16, 64):
        alone, added = overhead_of_descent(batch)
        print(f"batch {batch:3}: objective {alone:5.1f}, added {added:5.1f} (limit 70)")


if __name__ == "__main__":
    with precision(64):
        main()
