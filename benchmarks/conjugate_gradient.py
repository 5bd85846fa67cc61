"""CG on the 2-D Poisson matrix against a loop of `scipy.sparse.linalg.cg`, in the same run.

    python benchmarks/conjugate_gradient.py [--grid 64] [--batch 16] [--rounds 9]

64x64 grid, CSR, float64, 16 right-hand sides, rtol 1e-5. The sides take turns; the numbers are medians of the CPU time
of the process, on one thread. Exits with 1 when a method takes longer than SciPy.
"""

from __future__ import annotations

import argparse
import os
import sys
from statistics import median
from time import process_time

if "BACKBENCH_BENCHMARK" not in os.environ:  # the thread count is read when the BLAS is loaded: start anew with it
    environment = {k: v for k, v in os.environ.items() if k not in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")}
    environment |= {"BACKBENCH_BENCHMARK": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    os.execve(sys.executable, [sys.executable, *sys.argv], environment)

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import cg

from backbench import NUMPY, precision

METHODS = ("CG", "CG-adaptive", "auto")
RTOL, MAX_ITER = 1e-5, 2000


def poisson(grid: int) -> sp.csr_array:
    """The 5-point Laplacian with zero boundary values, (grid², grid²)."""
    ones = np.ones(grid)
    line = sp.diags_array([-ones[1:], 2 * ones, -ones[1:]], offsets=[-1, 0, 1])
    identity = sp.eye_array(grid)
    return sp.csr_array(sp.kron(identity, line) + sp.kron(line, identity))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--grid", type=int, default=64)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    A = poisson(options.grid)
    y = np.random.default_rng(0).standard_normal((options.batch, A.shape[0]))
    x0 = np.zeros_like(y)

    def peer() -> np.ndarray:
        return np.stack([cg(A, row, x0[0], rtol=RTOL, atol=0, maxiter=MAX_ITER)[0] for row in y])

    def ours(method: str) -> np.ndarray:
        result = NUMPY.linear_solve(method, A, y, x0, RTOL, 0, MAX_ITER, False)
        assert result.converged.all(), result.message
        return result.x

    times: dict[str, list[float]] = {name: [] for name in ("scipy", *METHODS)}
    with precision(64):
        for _ in range(options.rounds + 1):  # the first round warms up
            for name, record in times.items():
                start = process_time()
                x = peer() if name == "scipy" else ours(name)
                record.append(process_time() - start)
                residual = np.linalg.norm(y - (A @ x.T).T, axis=1)
                assert (residual <= 1.01 * RTOL * np.linalg.norm(y, axis=1)).all(), f"{name}: {residual}"
    medians = {name: 1e3 * median(record[1:]) for name, record in times.items()}
    print(f"{'method':12} {'scipy ms':>9} {'ours ms':>9} {'ratio':>6}")
    for method in METHODS:
        ratio = medians[method] / medians["scipy"]
        print(f"{method:12} {medians['scipy']:9.1f} {medians[method]:9.1f} {ratio:6.2f}")
    return int(max(medians[method] for method in METHODS) > medians["scipy"])


if __name__ == "__main__":
    sys.exit(main())
