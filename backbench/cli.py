"""The command `backbench`: `backbench doctor` looks at an installation, `backbench lab` opens the notebooks."""

from __future__ import annotations

import argparse
import platform
import shutil
import sys
import textwrap
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from backbench.backend import Backend

CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
NOT_INSTALLED = f"""\
backbench is run from its sources here and is not installed, so what it needs is not recorded. To install it:
    {sys.executable} -m pip install --editable {Path(__file__).resolve().parent.parent}"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command.

    Args:
        arguments: The words after `backbench`; those of the command line by default.

    Returns:
        The exit status, 0 for success.
    """
    parser = argparse.ArgumentParser(prog="backbench", description="A workbench for array code on numbers and symbols.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.add_parser("doctor", help="show what is installed, the devices, and what is missing")
    commands.add_parser(
        "lab", help="open the notebooks (a folder for them and options of jupyter lab may follow)", add_help=False
    )
    chosen, rest = parser.parse_known_args(arguments)
    if chosen.command == "lab":
        from backbench.lab import open_notebooks

        return open_notebooks(rest)
    if rest:
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    if not any(metadata.distributions(name="backbench")):
        print(NOT_INSTALLED, file=sys.stderr)
        return 1
    print(report())
    return 0


def report() -> str:
    """What `backbench doctor` prints: libraries and versions, devices, precision, and how to add what is missing."""
    backends = _backends()
    loaded = [backend for backend in backends.values() if not isinstance(backend, str)]
    states = [(name, state if isinstance(state, str) else "ready") for name, state in backends.items()]
    system = f"Python {platform.python_version()} ({platform.system()} {platform.machine()})"
    return "\n".join(
        [
            f"backbench {metadata.version('backbench')} on {system}, {sys.prefix}",
            *_section("Libraries", _libraries()),
            *_section("Backends", states),
            *_section("Devices", [(repr(device),) for backend in loaded for device in backend.list_devices()]),
            *_section("Operations that a backend does not offer", _lacking(loaded)),
            *_section("Settings", [("precision", _precision()), ("Chromium", _chromium())]),
        ]
    )


def _section(title: str, rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Lines of a table with aligned columns under a title."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return ["", title, *(f"  {line.rstrip()}" for line in lines)]


def _libraries() -> list[tuple[str, str, str]]:
    """Name, version, and remark of all that pyproject.toml asks for on this system, from the installed metadata."""
    from packaging.requirements import Requirement

    requirements = [Requirement(line) for line in metadata.requires("backbench") or []]
    rows: dict[str, tuple[str, str, str]] = {}
    extras = metadata.metadata("backbench").get_all("Provides-Extra") or []
    for extra in ("", *(name for name in extras if name != "all")):  # `all` only sums up the others
        for requirement in requirements:
            applies = requirement.marker is None or requirement.marker.evaluate({"extra": extra})
            if applies and requirement.name not in rows:
                rows[requirement.name] = _library(requirement.name, str(requirement.specifier), extra)
    return list(rows.values())


def _library(name: str, wanted: str, extra: str) -> tuple[str, str, str]:
    from packaging.specifiers import SpecifierSet

    purpose = f"for {extra}" if extra else ""
    try:
        version = metadata.version(name)
    except metadata.PackageNotFoundError:
        return name, "missing", f"{purpose}  {_how_to_add(name, wanted, extra)}"
    if SpecifierSet(wanted).contains(version, prereleases=True):
        return name, version, purpose
    return name, version, f"{wanted} is needed:  {_how_to_add(name, wanted, extra)}"


def _how_to_add(name: str, wanted: str, extra: str) -> str:
    if not extra:
        return f'{sys.executable} -m pip install "{name}{wanted}"'
    if (Path(sys.prefix).parent / "workbench").exists():  # the .venv of a checkout
        return f"python3 workbench add {extra}"
    return f'{sys.executable} -m pip install "backbench[{extra}]"'


def _backends() -> dict[str, Backend | str]:
    """All backends by name: what could be loaded, or why not."""
    from backbench.backend import get_backend
    from backbench.backend.choice import is_installed, known_names

    found: dict[str, Backend | str] = {}
    for name in known_names():
        try:
            found[name] = get_backend(name) if is_installed(name) else "missing, see Libraries"
        except Exception as error:  # a library that is broken can fail in any way, and this is where to see it
            found[name] = f"installed, but fails when it is loaded: {type(error).__name__}: {error}".splitlines()[0]
    return found


def _lacking(backends: Sequence[Backend]) -> list[tuple[str, str]]:
    from backbench.backend import Backend

    operations = [name for name in dir(Backend) if not name.startswith("_") and callable(getattr(Backend, name))]
    rows: list[tuple[str, str]] = []
    for backend in backends:
        names = [name for name in operations if not backend.supports(name)] or ["(none)"]
        lines = textwrap.wrap(", ".join(names), 90)
        rows += zip([backend.name, *[""] * (len(lines) - 1)], lines, strict=True)
    return rows


def _precision() -> str:
    from backbench.backend import get_precision

    bits = get_precision()
    return "that of the inputs" if bits is None else f"{bits} bits"


def _chromium() -> str:
    found = next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)
    return (
        found or "missing: the browser tests are skipped; to run them, install Chromium (Debian: apt install chromium)"
    )
