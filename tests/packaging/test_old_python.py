"""An old Python is told what is needed, by a script that it can still read."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


def old_pythons() -> list[str]:
    """Pythons on this machine that are too old: on the PATH, or kept by pyenv."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found = []
    for version in ("2.7", *(f"3.{minor}" for minor in range(6, 11))):
        kept = sorted(str(path) for path in pyenv.glob(f"{version}.*/bin/python"))
        found += kept[:1] or [path for path in [shutil.which(f"python{version}")] if path]
    return found


def ask(python: str, path: Path) -> str:
    """What the script says to an old Python when `path` is the only folder with programs."""
    command = [python, str(REPOSITORY / "workbench"), "lab", "--no-browser"]
    done = subprocess.run(command, env={"PATH": str(path)}, capture_output=True, text=True, timeout=30)
    assert done.returncode == 1
    return done.stderr


@pytest.mark.parametrize(
    "python", old_pythons() or [pytest.param("", marks=pytest.mark.skip(reason="no old Python on this machine"))]
)
def test_an_old_python_is_told_what_is_needed(python: str, tmp_path: Path) -> None:
    words = ask(python, tmp_path)
    assert words.startswith("backbench needs Python 3.11 or newer; this one is")
    assert "Install a newer Python" in words

    newer = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    (tmp_path / newer).symlink_to(getattr(sys, "_base_executable", sys.executable))
    assert ask(python, tmp_path).endswith(f"    {newer} workbench lab --no-browser\n")


def test_the_oldest_python_is_the_one_that_pyproject_names() -> None:
    found = re.search(r"^OLDEST = \((\d+), (\d+)\)$", (REPOSITORY / "workbench").read_text(), re.MULTILINE)
    assert found
    requires = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]["requires-python"]
    assert requires == f">={found[1]}.{found[2]}"
