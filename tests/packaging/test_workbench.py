"""The `workbench` script, run as a user runs it: what it says when something is wrong, and what it remembers.

Most tests run it in a small stand-in project that pip installs in seconds and without a network, so that a first run,
a second one, an interrupted one and so on can all be had for real. The slow test at the end takes the project itself.
"""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import packaging
import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
BASE_PYTHON = getattr(sys, "_base_executable", None) or sys.executable
POSIX = pytest.mark.skipif(os.name != "posix", reason="uses POSIX signals and rights")

# A build backend that needs nothing from outside. While a file `wait` exists, a build takes as long as on a bad line.
BUILD_BACKEND = r"""
import pathlib, time, tomllib, zipfile

def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    here = pathlib.Path.cwd()
    with (here / "builds").open("a") as builds:
        builds.write("x")
    while (here / "wait").exists():
        time.sleep(0.05)
    project = tomllib.loads((here / "pyproject.toml").read_text())["project"]
    metadata = ["Metadata-Version: 2.1", "Name: backbench", "Version: 0.1.0", "Provides-Extra: test"]
    metadata += [f"Requires-Dist: {requirement}" for requirement in project.get("dependencies", [])]
    info = "backbench-0.1.0.dist-info"
    files = {
        "backbench.pth": f"{here}\n",
        f"{info}/METADATA": "\n".join(metadata) + "\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    files[f"{info}/RECORD"] = "".join(f"{name},,\n" for name in [*files, f"{info}/RECORD"])
    name = "backbench-0.1.0-py3-none-any.whl"
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / name, "w") as wheel:
        for path, text in files.items():
            wheel.writestr(path, text)
    return name
"""
SMALL_PYPROJECT = """
[build-system]
requires = []
build-backend = "build_backend"
backend-path = ["."]

[project]
name = "backbench"
version = "0.1.0"

[project.optional-dependencies]
torch = ["torch>=2.6"]
jax = ["jax>=0.5"]
test = []
all = ["backbench[torch,jax,test]"]
"""


class Workbench:
    """`python3 workbench ...` of one project, called from another folder and in a clean environment."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.record = root / ".venv/workbench.json"

    def start(self, *arguments: str, python: str = BASE_PYTHON, **environment: str) -> "subprocess.Popen[str]":
        kept = {
            key: value for key, value in os.environ.items() if not key.startswith("PYTHON") and key != "VIRTUAL_ENV"
        }
        return subprocess.Popen(
            [python, str(self.root / "workbench"), *arguments],
            cwd=self.root.parent,
            env={**kept, **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            # A shell starts background jobs with Ctrl-C ignored, and their children inherit that.
            preexec_fn=(lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)) if os.name == "posix" else None,
        )

    def run(self, *arguments: str, python: str = BASE_PYTHON, **environment: str) -> tuple[int, str]:
        """Exit status and all the output."""
        with self.start(*arguments, python=python, **environment) as process:
            try:
                output, _ = process.communicate(timeout=120)
            finally:
                process.kill()
        assert "Traceback" not in output, output
        return process.returncode, output

    def builds(self) -> int:
        """How often the project was installed."""
        builds = self.root / "builds"
        return len(builds.read_text()) if builds.exists() else 0


@pytest.fixture
def small(tmp_path: Path) -> Workbench:
    """The real script in the small stand-in project."""
    root = tmp_path / "small"
    (root / "backbench").mkdir(parents=True)
    (root / "backbench/__main__.py").write_text("import sys; print('backbench ran with', sys.argv[1:])")
    (root / "build_backend.py").write_text(BUILD_BACKEND)
    (root / "pyproject.toml").write_text(SMALL_PYPROJECT)
    (root / "packaging").symlink_to(Path(packaging.__file__).parent)  # in the project itself JupyterLab brings it
    shutil.copy(REPOSITORY / "workbench", root)
    shutil.copytree(REPOSITORY / "tools", root / "tools", ignore=shutil.ignore_patterns("__pycache__"))
    return Workbench(root)


# ---- words


def test_help_and_unknown_commands_name_the_commands(small: Workbench) -> None:
    for arguments in ([], ["--help"]):
        status, output = small.run(*arguments)
        assert status == 0
        assert all(f"python3 workbench {name}" in output for name in ("lab", "test", "add torch", "doctor"))
    status, output = small.run("labb")
    assert status == 1
    assert "There is no command 'labb'" in output and "python3 workbench lab" in output
    assert not (small.root / ".venv").exists()


@pytest.fixture
def taken_port() -> Iterator[int]:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        yield server.getsockname()[1]


@pytest.mark.parametrize("form", ["--port={}", "--port {}", "--ServerApp.port={}"])
def test_a_taken_port_is_reported_at_once_with_one_that_is_free(form: str, taken_port: int, small: Workbench) -> None:
    status, output = small.run("lab", *form.format(taken_port).split())
    assert status == 1
    assert f"Port {taken_port} is taken" in output
    offered = re.search(r"--port=(\d+)", output)
    assert offered and int(offered[1]) != taken_port
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", int(offered[1])))
    assert not (small.root / ".venv").exists()


@pytest.mark.parametrize("port", ["lots", "0", "70000", ""])
def test_a_port_that_is_none_is_reported(port: str, small: Workbench) -> None:
    status, output = small.run("lab", f"--port={port}")
    assert status == 1
    assert "A port is a number from 1 to 65535" in output


# ---- what it remembers


def test_only_the_first_run_installs_until_pyproject_changes(small: Workbench) -> None:
    status, output = small.run("doctor")
    assert status == 0, output
    assert "Preparing the workbench" in output and "backbench ran with ['doctor']" in output
    assert small.builds() == 1

    start = time.monotonic()
    status, output = small.run("doctor")
    assert (status, output) == (0, "backbench ran with ['doctor']\n")
    assert time.monotonic() - start < 10
    assert small.builds() == 1

    with (small.root / "pyproject.toml").open("a") as pyproject:
        pyproject.write("# changed\n")
    status, output = small.run("doctor")
    assert status == 0 and "Bringing the workbench up to date" in output
    assert small.builds() == 2


@pytest.mark.slow
def test_a_moved_checkout_gets_a_new_environment(small: Workbench) -> None:
    small.run("doctor")
    moved = Workbench(small.root.rename(small.root.parent / "moved"))
    status, output = moved.run("doctor")
    assert status == 0 and "making .venv" in output
    assert json.loads(moved.record.read_text())["root"] == str(moved.root)
    assert moved.run("doctor") == (0, "backbench ran with ['doctor']\n")


@pytest.mark.slow
def test_a_venv_of_another_python_is_made_anew(small: Workbench) -> None:
    small.run("doctor")
    record = json.loads(small.record.read_text())
    small.record.write_text(json.dumps({**record, "python": "3.10"}))
    status, output = small.run("doctor")
    assert status == 0 and "making .venv" in output
    assert json.loads(small.record.read_text()) == record


@pytest.mark.slow
def test_a_venv_made_by_hand_is_used_and_never_cleared_away(small: Workbench) -> None:
    venv = small.root / ".venv"
    subprocess.run([BASE_PYTHON, "-m", "venv", venv], check=True)
    (venv / "mine").touch()
    status, output = small.run("doctor")
    assert status == 0 and "using the .venv that is here" in output

    small.record.write_text(json.dumps({**json.loads(small.record.read_text()), "root": "elsewhere"}))
    status, _ = small.run("doctor")
    assert status == 0
    assert (venv / "mine").exists()


def test_a_folder_that_is_no_venv_is_left_alone(small: Workbench) -> None:
    (small.root / ".venv").mkdir()
    (small.root / ".venv/mine").touch()
    status, output = small.run("doctor")
    assert status == 1
    assert "that this command did not make" in output and "Delete or rename it" in output
    assert (small.root / ".venv/mine").exists()


# ---- what can go wrong


def until(condition: Callable[[], object], process: "subprocess.Popen[str]") -> None:
    """Waits for something to happen while a process runs."""
    deadline = time.monotonic() + 60
    while not condition():
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.05)


@POSIX
def test_an_interrupted_installation_is_done_again(small: Workbench) -> None:
    (small.root / "wait").touch()
    with small.start("doctor") as process:
        until(small.builds, process)
        os.killpg(process.pid, signal.SIGINT)  # what Ctrl-C does
        output, _ = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Stopped. Run the same command again" in output and "Traceback" not in output
    assert small.record.read_text() == ""

    (small.root / "wait").unlink()
    status, output = small.run("doctor")
    assert status == 0 and "backbench ran with" in output


@pytest.mark.slow
@POSIX
def test_a_second_command_waits_for_the_first(small: Workbench) -> None:
    (small.root / "wait").touch()
    with small.start("doctor") as first:
        until(small.builds, first)
        with small.start("doctor") as second:
            assert second.stdout and "waiting for it" in second.stdout.readline()
            (small.root / "wait").unlink()
            assert "backbench ran with" in second.communicate(timeout=60)[0]
        assert "backbench ran with" in first.communicate(timeout=60)[0]
    assert small.builds() == 1


def offline() -> dict[str, str]:
    """Settings for pip and uv with which every download meets a closed port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        index = f"http://127.0.0.1:{probe.getsockname()[1]}/simple"
    pip = {"PIP_CONFIG_FILE": os.devnull, "PIP_INDEX_URL": index, "PIP_EXTRA_INDEX_URL": "", "PIP_FIND_LINKS": ""}
    return {**pip, "PIP_RETRIES": "1", "PIP_NO_CACHE_DIR": "1", "UV_INDEX_URL": index, "UV_NO_CACHE": "1"}


def test_without_a_network_it_says_so_and_remembers_nothing(small: Workbench) -> None:
    pyproject = small.root / "pyproject.toml"
    pyproject.write_text(SMALL_PYPROJECT.replace('version = "0.1.0"', 'version = "0.1.0"\ndependencies = ["sympy"]'))
    status, output = small.run("doctor", **offline())
    assert status == 1
    assert "the package index does not answer" in output and "HTTPS_PROXY" in output
    assert small.record.read_text() == ""
    log = re.search(r"All the details: (.*)", output)
    assert log and "sympy" in Path(log[1]).read_text()

    pyproject.write_text(SMALL_PYPROJECT)
    status, _ = small.run("doctor", **offline())
    assert status == 0


def test_a_python_without_ensurepip_is_told_what_to_install(small: Workbench, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys; sys.modules['ensurepip'] = None")
    status, output = small.run("doctor", PYTHONPATH=str(tmp_path))
    assert status == 1
    assert f"sudo apt install python{sys.version_info[0]}.{sys.version_info[1]}-venv" in output
    assert not (small.root / ".venv").exists()


@POSIX
def test_a_folder_without_write_permission_is_reported(small: Workbench) -> None:
    user = 65534 if os.geteuid() == 0 else None  # root may write anywhere, so root asks as `nobody`
    python = next((path for path in (BASE_PYTHON, "/usr/bin/python3") if runs_new_enough(path, user)), None)
    if python is None:
        pytest.skip("no Python on this machine that the user `nobody` may run")
    with tempfile.TemporaryDirectory() as folder:
        root = Path(shutil.copytree(small.root, Path(folder) / "locked", symlinks=True))
        Path(folder).chmod(0o755)
        root.chmod(0o555)
        done = subprocess.run([python, root / "workbench", "doctor"], capture_output=True, text=True, user=user)
        root.chmod(0o755)
    assert done.returncode == 1
    assert f"No right to write to {root / '.venv'}" in done.stderr and "Traceback" not in done.stderr


def runs_new_enough(python: str, user: int | None) -> bool:
    try:
        check = [python, "-c", "import sys; sys.exit(sys.version_info < (3, 11))"]
        return subprocess.run(check, user=user, capture_output=True).returncode == 0
    except OSError:
        return False


# ---- add


def test_a_big_download_is_named_and_needs_a_yes(small: Workbench) -> None:
    status, output = small.run("add", "torch")
    assert status == 1
    size = "3.0 GB" if sys.platform == "linux" else "200 MB"
    assert f"To download: about {size} (torch)" in output
    assert "To go on, type: python3 workbench add torch --yes" in output
    assert json.loads(small.record.read_text())["extras"] == []


def test_what_is_there_in_a_version_that_fits_is_kept(small: Workbench) -> None:
    info = small.root / "torch-2.13.0+cpu.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: torch\nVersion: 2.13.0+cpu\n")
    status, output = small.run("add", "torch")
    assert status == 0
    assert "torch is already here" in output and "To download" not in output

    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: torch\nVersion: 2.5.0\n")
    status, output = small.run("add", "torch")
    assert status == 1 and "To download" in output


@pytest.mark.parametrize("names", [[], ["caffe"], ["jax", "caffe"]])
def test_an_unknown_extra_is_answered_with_the_known_ones(names: list[str], small: Workbench) -> None:
    status, output = small.run("add", *names)
    assert status == 1
    assert "python3 workbench add torch|jax|test|all" in output
    assert not (small.root / ".venv").exists()


# ---- the project itself


@pytest.mark.slow
@POSIX
def test_lab_serves_the_notebooks_and_starts_fast_the_second_time(copy_of_project: Path) -> None:
    workbench = Workbench(copy_of_project)
    seconds = []
    for _ in range(2):
        start = time.monotonic()
        with workbench.start("lab", "--no-browser") as process:
            assert process.stdout
            lines = []
            for line in process.stdout:
                lines.append(line)
                if found := re.search(r"JupyterLab is at\s+(\S+)", line):
                    break
            else:
                pytest.fail("".join(lines))
            with urllib.request.urlopen(found[1], timeout=30) as page:
                assert page.status == 200 and "jupyter-config-data" in page.read().decode()
            seconds.append(time.monotonic() - start)
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=30)
        with pytest.raises(OSError):  # the server is gone with the command that started it
            urllib.request.urlopen(found[1], timeout=5)
    assert seconds[1] < 10
