"""Makes `.venv` in this checkout and keeps it in step with pyproject.toml.

A record inside `.venv` says for which Python, place, pyproject.toml and extras the installation was finished. While it
holds, preparing costs nothing. It is written only after success, so an interrupted installation is simply done again.
"""

import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from tools.progress import follow
from tools.trouble import NO_VENV, Trouble, explain_install

ROOT = Path(__file__).resolve().parent.parent
PYPROJECT = ROOT / "pyproject.toml"
VENV = ROOT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
RECORD = VENV / "workbench.json"
LOG = VENV / "workbench.log"

# Run by .venv's Python: prints the requirements (given as arguments) that are not met there.
_UNMET = """
import sys
from importlib.metadata import PackageNotFoundError, version
from packaging.requirements import Requirement
for text in sys.argv[1:]:
    requirement = Requirement(text)
    if requirement.marker and not requirement.marker.evaluate():
        continue
    try:
        met = requirement.specifier.contains(version(requirement.name), prereleases=True)
    except PackageNotFoundError:
        met = False
    if not met:
        print(requirement.name)
"""


@dataclass(frozen=True)
class Record:
    """What `.venv` was finished for."""

    python: str
    root: str
    pyproject: str
    extras: list[str]
    ours: bool  # False: someone made it by hand, so it is never cleared away


def prepare(*extras: str) -> None:
    """Makes sure that `.venv` has backbench, what it needs, and these extras.

    Raises:
        Trouble: with the way out, where that is not possible.
    """
    with _alone():
        done = _read_record()
        wanted = _wanted_record(done, extras)
        if done == wanted and PYTHON.exists():
            return
        start = time.monotonic()
        if done and PYTHON.exists() and (done.python, done.root) == (wanted.python, wanted.root):
            print("Bringing the workbench up to date.")
        else:
            if done and done.python != wanted.python:
                print(f"The .venv here is for Python {done.python}, this is {wanted.python}: it is made anew.")
            print("Preparing the workbench. The first time takes a minute or two and about 150 MB of downloads.")
            _make_venv() if wanted.ours else _adopt_venv(wanted.python)
        _install(wanted.extras)
        RECORD.write_text(json.dumps(asdict(wanted), indent=1), encoding="utf-8")
        print(f"Ready after {time.monotonic() - start:.0f} s.", flush=True)


def extras() -> dict[str, list[str]]:
    """The extras of pyproject.toml, each with its requirements; those of `all` are spelled out."""
    table: dict[str, list[str]] = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"][
        "optional-dependencies"
    ]
    table["all"] = [requirement for name, group in table.items() if name != "all" for requirement in group]
    return table


def unmet(extra: str) -> list[str]:
    """Names of the packages of an extra that `.venv` does not have in a version that fits."""
    command = [str(PYTHON), "-c", _UNMET, *extras()[extra]]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()


def _wanted_record(done: Record | None, extras: Iterable[str]) -> Record:
    names = {*(done.extras if done else []), *extras}
    return Record(
        python=f"{sys.version_info[0]}.{sys.version_info[1]}",
        root=str(ROOT),
        pyproject=hashlib.sha256(PYPROJECT.read_bytes()).hexdigest(),
        extras=["all"] if "all" in names else sorted(names),
        ours=done.ours if done else RECORD.exists() or not VENV.exists(),
    )


def _read_record() -> Record | None:
    try:
        return Record(**json.loads(RECORD.read_text(encoding="utf-8")))
    except (FileNotFoundError, ValueError, TypeError):  # none, begun but not finished, or written by another version
        return None


def _make_venv() -> None:
    if not (importlib.util.find_spec("venv") and importlib.util.find_spec("ensurepip")):
        raise Trouble(NO_VENV)
    if VENV.exists():
        shutil.rmtree(VENV)
    VENV.mkdir()
    RECORD.touch()  # empty: begun by us, not finished; the next run may clear it away
    python = getattr(sys, "_base_executable", None) or sys.executable  # we may be running inside .venv itself
    if follow([python, "-m", "venv", str(VENV)], f"making .venv with Python {sys.version.split()[0]}", LOG, ROOT):
        raise Trouble(f"{NO_VENV}\nAll the details: {LOG}")


def _adopt_venv(version: str) -> None:
    """Uses a `.venv` that someone made by hand, if it can do the work."""
    check = [str(PYTHON), "-c", "import pip, sys; print('%d.%d' % sys.version_info[:2])"]
    if PYTHON.exists() and subprocess.run(check, capture_output=True, text=True).stdout.strip() == version:
        print("  using the .venv that is here")
        return
    raise Trouble(
        f"There is a {VENV} that this command did not make, and it has no working Python {version} with pip.\n"
        f"  Delete or rename it, then run the same command again."
    )


def _install(extras: list[str]) -> None:
    project = f".[{','.join(extras)}]" if extras else "."
    uv = shutil.which("uv")
    # torch comes in builds for CPUs and for CUDA; pip's settings, which choose between them, mean nothing to uv.
    if uv and not {"all", "torch"} & set(extras):
        command = [uv, "pip", "install", "--python", str(PYTHON), "--editable", project]
    else:
        pip = [str(PYTHON), "-m", "pip", "--disable-pip-version-check", "--no-input"]
        command = [*pip, "install", "--progress-bar=off", "--editable", project]
    if follow(command, "installing " + ", ".join(["backbench", *extras]), LOG, ROOT):
        raise Trouble(explain_install(LOG))


@contextmanager
def _alone() -> Iterator[None]:
    """Lets one command at a time work on `.venv`; a second one waits."""
    try:
        import fcntl
    except ImportError:  # Windows has no such lock; two first runs at once are left to the user there
        yield
        return
    folder = os.open(ROOT, os.O_RDONLY)
    try:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("Another workbench command is preparing .venv; waiting for it.", flush=True)
            fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)
