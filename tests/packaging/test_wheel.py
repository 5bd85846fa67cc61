"""The wheel and the source archive hold the notebooks, and an installed backbench opens them."""

import json
import os
import socket
import subprocess
import sys
import sysconfig
import tarfile
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow


@pytest.fixture
def python(tmp_path: Path) -> Path:
    """Python in a fresh environment that also finds what is installed here, except editable installations."""
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    python = tmp_path / "venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    where = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = subprocess.run([python, "-c", where], check=True, capture_output=True, text=True).stdout.strip()
    Path(packages, "installed_here.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return python


def run(*command: str | Path, cwd: Path) -> None:
    done = subprocess.run(command, cwd=cwd, env=environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def environment() -> dict[str, str]:
    """Without what would let the checkout be found; with the pages of the JupyterLab that is installed here."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return {**kept, "JUPYTERLAB_DIR": str(Path(sys.prefix) / "share/jupyter/lab"), "PYTHONUNBUFFERED": "1"}


@contextmanager
def lab_running(python: Path, folder: Path, *arguments: str) -> Iterator[tuple[str, list[str]]]:
    """`backbench lab` in a folder: what it says, and the names of what it serves."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = ["--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}", "--ServerApp.port_retries=0"]
    command = [python, "-m", "backbench", "lab", *arguments, *options, "--IdentityProvider.token=secret"]
    log = folder.parent / "lab.log"
    with (
        log.open("w") as output,
        subprocess.Popen(command, cwd=folder, env=environment(), stdout=output, stderr=subprocess.STDOUT) as process,
    ):
        try:
            names = names_at(f"http://127.0.0.1:{port}", process, log)
            yield log.read_text(), names
        finally:
            process.terminate()
            process.wait(timeout=30)
    with pytest.raises(OSError):  # the server is gone with the command that started it
        urllib.request.urlopen(f"http://127.0.0.1:{port}/api", timeout=5)


def names_at(address: str, process: "subprocess.Popen[bytes]", log: Path) -> list[str]:
    deadline = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"{address}/api/contents?token=secret", timeout=5) as answer:
                return sorted(entry["name"] for entry in json.load(answer)["content"])
        except (ConnectionError, urllib.error.URLError):
            time.sleep(0.1)
    pytest.fail(log.read_text())


@pytest.mark.skipif(os.name != "posix", reason="ends the server by a signal")
def test_an_installed_wheel_opens_copies_of_the_notebooks(copy_of_project: Path, python: Path, tmp_path: Path) -> None:
    names = sorted(path.name for path in copy_of_project.glob("notebooks/*.ipynb"))
    scratch = copy_of_project / "notebooks/.ipynb_checkpoints"
    scratch.mkdir()
    (scratch / "scratch.ipynb").touch()
    run(python, "-m", "pip", "wheel", ".", "--no-deps", "--wheel-dir", tmp_path / "wheels", cwd=copy_of_project)
    (wheel,) = (tmp_path / "wheels").glob("*.whl")
    in_wheel = [name for name in zipfile.ZipFile(wheel).namelist() if name.endswith(".ipynb")]
    assert sorted(in_wheel) == [f"backbench/notebooks/{name}" for name in names]

    run(python, "-m", "pip", "install", "--no-deps", "--no-index", wheel, cwd=tmp_path)
    folder = tmp_path / "empty"
    folder.mkdir()
    with lab_running(python, folder) as (said, served):
        assert f"Copied: {', '.join(names)}." in said
        assert served == names
    assert os.listdir(folder) == ["backbench-notebooks"]

    changed = folder / "backbench-notebooks" / names[0]
    changed.write_text("my own")
    with lab_running(python, folder, "backbench-notebooks") as (said, served):
        assert "Copied" not in said and f"with other cells than in backbench 0.1.0: {names[0]}." in said
        assert served == names
    assert changed.read_text() == "my own"


def test_the_source_archive_makes_the_same_wheel(copy_of_project: Path, python: Path, tmp_path: Path) -> None:
    run(python, "-m", "pip", "install", "--target", tmp_path / "tools", "hatchling", cwd=tmp_path)
    Path(python.parent.parent, "pyvenv.cfg").exists()
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path / 'tools')!r}); from hatchling.cli import hatchling; hatchling()"
    )
    archive, wheel = tmp_path / "archive", tmp_path / "wheel"
    run(python, "-c", code, "build", "-d", archive, "-t", "sdist", cwd=copy_of_project)
    (source,) = archive.glob("*.tar.gz")
    with tarfile.open(source) as files:
        files.extractall(tmp_path / "unpacked", filter="data")
    (unpacked,) = (tmp_path / "unpacked").iterdir()
    assert not (unpacked / ".venv").exists()
    contents = []
    for place in (copy_of_project, unpacked):
        run(python, "-c", code, "build", "-d", wheel / place.name, "-t", "wheel", cwd=place)
        (made,) = (wheel / place.name).glob("*.whl")
        contents.append(sorted(zipfile.ZipFile(made).namelist()))
    assert contents[0] == contents[1]
    assert any(name.startswith("backbench/notebooks/") for name in contents[1])
