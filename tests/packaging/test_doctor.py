"""`backbench doctor` says what is there, what is missing, and how to get it."""

import os
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

import backbench
from backbench import cli
from backbench.backend import choice
from backbench.backend.choice import is_installed, known_names

pytestmark = pytest.mark.skipif(
    not any(metadata.distributions(name="backbench")), reason="backbench is run from its sources, not installed"
)


def rows(report: str, section: str) -> list[str]:
    """The lines of one table."""
    return report.split(f"\n{section}\n")[1].split("\n\n")[0].splitlines()


def test_it_lists_the_versions_that_are_installed() -> None:
    libraries = {line.split()[0]: line.split()[1] for line in rows(cli.report(), "Libraries")}
    for name in ("numpy", "scipy", "sympy", "mpmath", "ipywidgets", "jupyterlab"):
        assert libraries[name] == metadata.version(name)


def test_it_names_devices_and_precision() -> None:
    report = cli.report()
    devices = rows(report, "Devices")
    assert any(line.split()[0] == "numpy" and "CPU" in line for line in devices)
    assert any(line.split() == ["precision", "32", "bits"] for line in rows(report, "Settings"))


def test_it_names_the_operations_that_a_backend_lacks() -> None:
    lacking: dict[str, set[str]] = {}
    for line in rows(cli.report(), "Operations that a backend does not offer"):
        if line[2] != " ":
            backend, line = line.split(maxsplit=1)
        lacking.setdefault(backend, set()).update(re.findall(r"\w+", line))
    assert lacking.keys() == {name for name in known_names() if is_installed(name)}
    for backend, names in lacking.items():
        assert not any(backbench.get_backend(backend).supports(name) for name in names - {"none"})
    assert "random_normal" in lacking["sympy"] - lacking["numpy"]  # symbols are not random
    assert "exp" not in lacking["numpy"] | lacking["sympy"]


def test_it_says_which_backends_can_be_used(monkeypatch: pytest.MonkeyPatch) -> None:
    states = dict(line.split(maxsplit=1) for line in rows(cli.report(), "Backends"))
    assert states == {name: "ready" if is_installed(name) else "missing, see Libraries" for name in known_names()}

    monkeypatch.setattr(choice, "is_installed", lambda name: name != "sympy")
    states = dict(line.split(maxsplit=1) for line in rows(cli.report(), "Backends"))
    assert states["sympy"] == "missing, see Libraries"


def test_a_library_that_cannot_be_loaded_is_named_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "sympy.py").write_text("raise OSError('libmath.so: cannot open\\nmore lines')")
    done = subprocess.run(
        [sys.executable, "-m", "backbench", "doctor"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    assert (done.returncode, done.stderr) == (0, "")
    states = dict(line.split(maxsplit=1) for line in rows(done.stdout, "Backends"))
    assert states["sympy"] == "installed, but fails when it is loaded: OSError: libmath.so: cannot open"
    assert states["numpy"] == "ready"


def test_what_is_missing_comes_with_the_command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    version = metadata.version
    gone = {"jax", "sympy"}

    def version_without(name: str) -> str:
        if name in gone:
            raise metadata.PackageNotFoundError(name)
        return "1.0" if name == "numpy" else version(name)

    monkeypatch.setattr(metadata, "version", version_without)
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "anywhere"))
    lines = {line.split()[0]: line for line in rows(cli.report(), "Libraries")}
    assert lines["jax"].split()[1] == "missing"
    assert lines["jax"].endswith(f'{sys.executable} -m pip install "backbench[jax]"')
    assert lines["sympy"].endswith(f'{sys.executable} -m pip install "sympy>=1.13"')
    assert ">=2 is needed" in lines["numpy"]

    (tmp_path / "workbench").touch()  # the .venv beside a checkout's script
    monkeypatch.setattr(sys, "prefix", str(tmp_path / ".venv"))
    lines = {line.split()[0]: line for line in rows(cli.report(), "Libraries")}
    assert lines["jax"].endswith("python3 workbench add jax")


def test_the_browser_is_found_or_its_absence_explained(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "missing: the browser tests are skipped" in cli.report()
    browser = tmp_path / "chromium"
    browser.write_text("#!/bin/sh\n")
    browser.chmod(0o755)
    assert str(browser) in cli.report()


def test_the_command_prints_the_report_and_succeeds() -> None:
    done = subprocess.run([sys.executable, "-m", "backbench", "doctor"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"backbench {metadata.version('backbench')} on Python")
    assert done.stderr == ""


def test_without_an_installation_it_says_how_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(metadata, "distributions", lambda **_: [])
    assert cli.main(["doctor"]) == 1
    assert "-m pip install --editable" in capsys.readouterr().err


def test_wrong_words_are_an_error() -> None:
    done = subprocess.run([sys.executable, "-m", "backbench", "doctr"], capture_output=True, text=True)
    assert done.returncode == 2
    assert "invalid choice: 'doctr'" in done.stderr
