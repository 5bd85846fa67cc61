"""The notebooks that let their reader choose a library run on every one that is installed."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat import NotebookNode

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
CHOICE = 'BACKEND = "numpy"'


def with_choice(path: Path) -> bool:
    return CHOICE in [cell.source for cell in nbformat.read(path, as_version=4).cells]


def execute(path: Path, backend: str) -> NotebookNode:
    """Runs a notebook as a reader does who puts the name of another library into its first cell."""
    notebook = nbformat.read(path, as_version=4)
    (cell,) = (cell for cell in notebook.cells if cell.source == CHOICE)
    cell.source = f'BACKEND = "{backend}"'
    return NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(path.parent)}}).execute()


def printed(notebook: NotebookNode) -> str:
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert [output.text for output in outputs if output.get("name") == "stderr"] == []
    return "".join(output.text for output in outputs if output.output_type == "stream")


def test_the_notebooks_on_backends_let_their_reader_choose() -> None:
    chosen = {path.stem for path in NOTEBOOKS.glob("*.ipynb") if with_choice(path)}
    assert {"01_backends_and_precision", "02_conjugate_gradient"} <= chosen


@pytest.mark.parametrize("backend", ["numpy", "torch", "jax", "tensorflow"])
@pytest.mark.parametrize("name", sorted(path.stem for path in NOTEBOOKS.glob("*.ipynb") if with_choice(path)))
def test_the_notebook_runs_on(name: str, backend: str) -> None:
    if importlib.util.find_spec(backend) is None:
        pytest.skip(f"{backend} is not installed: pip install 'backbench[{backend}]'")
    assert f"backend: {backend}\n" in printed(execute(NOTEBOOKS / f"{name}.ipynb", backend))
