"""`backbench lab`: JupyterLab on the notebooks, which an installed backbench copies to a working folder first."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

FIRST = "00_start_here.ipynb"
WORKING_FOLDER = "backbench-notebooks"
_PACKAGE = Path(__file__).resolve().parent
_CHECKOUT = _PACKAGE.parent / "notebooks"
_NO_JUPYTERLAB = f"""\
JupyterLab is not installed. Install it with:
    {sys.executable} -m pip install "jupyterlab>=4.4,<5\""""


def open_notebooks(arguments: Sequence[str]) -> int:
    """Starts JupyterLab on the notebooks and stays until it ends.

    Args:
        arguments: A working folder, if the first one is no option; then options of jupyter lab. Without a folder, those
            of a checkout are opened where they are, those of an installation in `backbench-notebooks`.

    Returns:
        The exit status, 0 for success.
    """
    if importlib.util.find_spec("jupyterlab") is None:
        print(_NO_JUPYTERLAB, file=sys.stderr)
        return 1
    has_folder = bool(arguments) and not arguments[0].startswith("-")
    shipped = _PACKAGE / "notebooks"
    if has_folder or shipped.exists():
        folder = Path(arguments[0] if has_folder else WORKING_FOLDER).resolve()
        try:
            print(copy_notebooks(shipped if shipped.exists() else _CHECKOUT, folder), flush=True)
        except OSError as error:
            print(f"backbench lab cannot write to {folder}: {error.strerror or error}.", file=sys.stderr)
            return 1
    else:
        folder = _CHECKOUT
    options = [f"--ServerApp.root_dir={folder}", f"--LabApp.default_url=/lab/tree/{FIRST}"]
    return _become([sys.executable, "-m", "jupyterlab", *options, *arguments[has_folder:]])


def copy_notebooks(source: Path, folder: Path) -> str:
    """Copies the notebooks that are not in a folder yet; what is there stays as it is.

    Args:
        source: Where they are.
        folder: Where they go; it is made if need be.

    Returns:
        What was done, in words. Notebooks of which the cells differ from those here, because they were worked on or
        are of another version, are named; having been run makes no difference.

    Raises:
        OSError: When the folder cannot be written to.
    """
    folder.mkdir(parents=True, exist_ok=True)
    new, different = [], []
    for notebook in sorted(source.glob("*.ipynb")):
        target = folder / notebook.name
        if not os.path.lexists(target):  # nothing is written through a link that leads nowhere
            shutil.copyfile(notebook, target)
            new.append(notebook.name)
        elif _cells(target) != _cells(notebook):
            different.append(notebook.name)
    words = [f"The notebooks are in {folder}."]
    if new:
        words.append(f"Copied: {', '.join(new)}.")
    if different:
        version = metadata.version("backbench") if any(metadata.distributions(name="backbench")) else "this checkout"
        words.append(
            f"Kept as you have them, but with other cells than in backbench {version}: {', '.join(different)}.\n"
            "To get one as it is there, rename yours and run this again."
        )
    return "\n".join(words)


def _cells(notebook: Path) -> Any:
    """What a notebook says, without outputs; None for what is no notebook, such as a folder of that name."""
    try:
        content = json.loads(notebook.read_text(encoding="utf-8"))
        return [(cell["cell_type"], "".join(cell["source"])) for cell in content["cells"]]
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _become(command: list[str]) -> int:
    """Runs a command in place of this process, so that Ctrl-C and signals reach it and nothing of ours stays behind."""
    if os.name == "posix":
        os.execv(command[0], command)
    with subprocess.Popen(command) as process:  # Windows has no exec that waits
        while True:
            try:
                return process.wait()
            except KeyboardInterrupt:
                continue  # JupyterLab got the same Ctrl-C and asks by itself whether to stop
