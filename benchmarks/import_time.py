"""`import backbench` against `import numpy`: both in one new process, again and again.

    python benchmarks/import_time.py [rounds]

Prints medians in ms: NumPy, what backbench adds to it, and what the first operation on NumPy adds to that.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from statistics import median

PROBE = """
from time import perf_counter as now
start = now()
import numpy
loaded = now()
import backbench
added = now()
backbench.NUMPY.add(1.0, 2.0)
print(loaded - start, added - loaded, now() - added)
"""


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    command = [sys.executable, "-c", PROBE]
    root = Path(__file__).resolve().parents[1]
    samples = []
    for _ in range(rounds):
        printed = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout
        samples.append(tuple(1e3 * float(number) for number in printed.split()))
    for name, times in zip(
        ("import numpy", "+ import backbench", "+ first operation"), zip(*samples, strict=True), strict=True
    ):
        print(f"{name:20} {median(times):8.1f} ms")


if __name__ == "__main__":
    main()
