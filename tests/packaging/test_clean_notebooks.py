"""Notebooks are committed without outputs and widget state: small diffs, and no dead widgets on a page."""

import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

REPOSITORY = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((REPOSITORY / "notebooks").glob("*.ipynb"))
WIDGET_STATE = {"application/vnd.jupyter.widget-state+json": {"state": {}, "version_major": 2, "version_minor": 0}}


def is_clean(notebook: Path) -> bool:
    """Whether nbstripout would leave a notebook as it is. (It would also number the cells anew; names of their own make
    smaller diffs.)"""
    check = [sys.executable, "-m", "nbstripout", "--keep-id", "--verify", str(notebook)]
    return subprocess.run(check, capture_output=True).returncode == 0


def committed(path: Path) -> bytes | None:
    """What git has of a file: JupyterLab saves the outputs of whoever runs a notebook into the file itself."""
    show = ["git", "show", f"HEAD:{path.relative_to(REPOSITORY).as_posix()}"]
    try:
        done = subprocess.run(show, cwd=REPOSITORY, capture_output=True)
    except FileNotFoundError:  # no git here
        return None
    return done.stdout if done.returncode == 0 else None


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_committed_without_outputs(notebook: Path, tmp_path: Path) -> None:
    content = committed(notebook)
    if content is None:
        pytest.skip(f"git has no notebooks/{notebook.name} here")
    copy = tmp_path / notebook.name
    copy.write_bytes(content)
    assert is_clean(copy), f"Run: python -m nbstripout --keep-id notebooks/{notebook.name}"


@pytest.mark.parametrize("left", ["nothing", "output", "execution count", "widget state"])
def test_the_check_tells_a_clean_notebook_from_one_that_was_run(left: str, tmp_path: Path) -> None:
    cell = new_code_cell("1 + 1", id="sum")
    notebook = new_notebook(cells=[cell])
    if left == "output":
        cell.outputs = [new_output("execute_result", data={"text/plain": "2"}, execution_count=1)]
    elif left == "execution count":
        cell.execution_count = 1
    elif left == "widget state":
        notebook.metadata["widgets"] = WIDGET_STATE
    nbformat.write(notebook, tmp_path / "some.ipynb")
    assert is_clean(tmp_path / "some.ipynb") == (left == "nothing")
