"""`backbench doctor` says what is there, what is missing, and how to get it."""

import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

import backbench
from backbench import cli

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
    table = "\n".join(rows(cli.report(), "Operations that a backend does not offer"))
    of_numpy, of_sympy = (set(re.findall(r"\w+", part)[1:]) for part in re.split(r"\n(?=  sympy)", table))
    assert of_numpy == {name for name in of_numpy if not backbench.NUMPY.supports(name)}
    assert "random_normal" in of_sympy - of_numpy  # symbols are not random
    assert "exp" not in of_numpy | of_sympy


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
