"""`backbench lab` copies notebooks to a working folder, and never over anything that is there."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from backbench import cli, lab

NAMES = ["00_start_here.ipynb", "01_next.ipynb"]


def notebook(source: str, outputs: tuple[str, ...] = ()) -> str:
    """A notebook with one cell of code."""
    cell = {"cell_type": "code", "source": source.splitlines(keepends=True), "outputs": list(outputs), "metadata": {}}
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


@pytest.fixture
def shipped(tmp_path: Path) -> Path:
    folder = tmp_path / "shipped"
    (folder / ".ipynb_checkpoints").mkdir(parents=True)
    (folder / ".ipynb_checkpoints" / NAMES[0]).write_text(notebook("old"))
    for name in NAMES:
        (folder / name).write_text(notebook(f"print('{name}')\nprint('ä')"), encoding="utf-8")
    return folder


def test_an_empty_folder_gets_all(shipped: Path, tmp_path: Path) -> None:
    words = lab.copy_notebooks(shipped, tmp_path / "a" / "b")
    assert words.splitlines() == [f"The notebooks are in {tmp_path / 'a' / 'b'}.", f"Copied: {', '.join(NAMES)}."]
    assert sorted(os.listdir(tmp_path / "a" / "b")) == NAMES
    assert (tmp_path / "a/b" / NAMES[1]).read_bytes() == (shipped / NAMES[1]).read_bytes()


def test_notebooks_that_are_there_stay_and_those_that_differ_are_named(shipped: Path, tmp_path: Path) -> None:
    lab.copy_notebooks(shipped, tmp_path / "mine")
    mine = tmp_path / "mine" / NAMES[0]
    mine.write_text(notebook("my work"))
    words = lab.copy_notebooks(shipped, tmp_path / "mine")
    assert mine.read_text() == notebook("my work")
    assert "Copied" not in words and f": {NAMES[0]}.\n" in words and NAMES[1] not in words
    assert "rename yours and run this again" in words

    mine.rename(mine.with_name("mine.ipynb"))
    assert f"Copied: {NAMES[0]}." in lab.copy_notebooks(shipped, tmp_path / "mine")
    assert mine.read_bytes() == (shipped / NAMES[0]).read_bytes()


def test_a_notebook_that_was_only_run_is_no_other_one(shipped: Path, tmp_path: Path) -> None:
    lab.copy_notebooks(shipped, tmp_path / "mine")
    source = f"print('{NAMES[0]}')\nprint('ä')"
    (tmp_path / "mine" / NAMES[0]).write_text(notebook(source, outputs=("text",)), encoding="utf-8")
    assert lab.copy_notebooks(shipped, tmp_path / "mine") == f"The notebooks are in {tmp_path / 'mine'}."


@pytest.mark.parametrize("content", ["", "no notebook", "[1]", '{"cells": [1]}', "\x00"])
def test_a_file_that_is_no_notebook_stays_too(content: str, shipped: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / NAMES[0]).write_text(content)
    assert f": {NAMES[0]}.\n" in lab.copy_notebooks(shipped, tmp_path / "mine")
    assert (tmp_path / "mine" / NAMES[0]).read_text() == content


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands that JupyterLab would be started with."""
    commands: list[list[str]] = []
    monkeypatch.setattr(lab, "_become", lambda command: commands.append(command) or 0)
    return commands


def test_a_checkout_opens_its_own_notebooks(started: list[list[str]], repository: Path, tmp_path: Path) -> None:
    assert cli.main(["lab", "--port=8899"]) == 0
    assert f"--ServerApp.root_dir={repository / 'notebooks'}" in started[0]
    assert started[0][-1] == "--port=8899"


def test_a_folder_that_is_named_gets_copies(
    started: list[list[str]], repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["lab", str(tmp_path / "course"), "--no-browser", "--port", "8899"]) == 0
    names = sorted(path.name for path in repository.glob("notebooks/*.ipynb"))
    assert sorted(os.listdir(tmp_path / "course")) == names
    assert f"--ServerApp.root_dir={tmp_path / 'course'}" in started[0]
    assert started[0][-3:] == ["--no-browser", "--port", "8899"]
    assert f"Copied: {', '.join(names)}." in capsys.readouterr().out


def test_a_folder_that_cannot_be_made_is_an_error(
    started: list[list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    assert cli.main(["lab", str(tmp_path / "file")]) == 1
    assert f"backbench lab cannot write to {tmp_path / 'file'}" in capsys.readouterr().err
    assert started == []


def test_without_jupyterlab_the_command_to_install_it_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "jupyterlab" else find_spec(name))
    assert cli.main(["lab", str(tmp_path / "course")]) == 1
    assert f'{sys.executable} -m pip install "jupyterlab' in capsys.readouterr().err
    assert not (tmp_path / "course").exists()


def test_options_reach_jupyterlab() -> None:
    done = subprocess.run([sys.executable, "-m", "backbench", "lab", "--version"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split(".")[0] == "4"


def test_notebooks_point_to_no_file_outside_their_folder(repository: Path) -> None:
    for path in repository.glob("notebooks/*.ipynb"):
        assert "../" not in path.read_text(encoding="utf-8"), f"{path.name} would miss that file in an installation"
