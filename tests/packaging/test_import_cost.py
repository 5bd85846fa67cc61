"""`import backbench` is cheap: NumPy and nothing heavier, in about NumPy's own time."""

import json
import statistics
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
HEAVY = ["torch", "jax", "tensorflow", "sympy", "scipy", "matplotlib", "pandas", "ipywidgets", "anywidget", "IPython"]
EXTRA_SECONDS = 0.015


def run(code: str) -> str:
    """What a fresh Python prints."""
    return subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=REPOSITORY
    ).stdout


def test_importing_loads_no_heavy_library() -> None:
    loaded = json.loads(
        run(f"import backbench, json, sys; print(json.dumps([m for m in {HEAVY} if m in sys.modules]))")
    )
    assert loaded == []


def test_the_version_is_looked_up_when_asked_for() -> None:
    code = "import backbench, sys; print('importlib.metadata' in sys.modules)"
    assert run(code).strip() == "False"


def test_importing_takes_little_more_than_importing_numpy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def seconds(module: str) -> float:
        return float(run(f"import time; t = time.perf_counter(); import {module}; print(time.perf_counter() - t)"))

    # Python keeps compiled modules (also where this run's settings say not to); the first import makes them.
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    monkeypatch.setenv("PYTHONPYCACHEPREFIX", str(tmp_path))
    run("import numpy, backbench")
    pairs = [(seconds("numpy"), seconds("backbench")) for _ in range(9)]
    numpy, backbench = (statistics.median(column) for column in zip(*pairs, strict=True))
    assert backbench <= numpy + EXTRA_SECONDS, f"import numpy {numpy:.3f} s, import backbench {backbench:.3f} s"
