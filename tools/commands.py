"""The commands of `python3 workbench`."""

import signal
import subprocess
import sys
from collections.abc import Callable
from types import FrameType

from tools import lab
from tools.environment import PYTHON, ROOT, extras, prepare, unmet
from tools.trouble import Trouble, explain_os_error

HELP = """\
python3 workbench lab                 open the notebooks in JupyterLab (options of jupyter lab may follow)
python3 workbench test                run the tests (options of pytest may follow)
python3 workbench add torch           install what more there is: {extras}
python3 workbench doctor              show what is installed and what is missing (installs the basics first)

The first run makes .venv in this folder and installs everything there, nowhere else."""

_CUDA = sys.platform == "linux"
# Megabytes to download, for the extras of which people want to know before.
_SIZES = {"torch": 3000 if _CUDA else 200, "tensorflow": 300, "jax": 90, "sbml": 60, "test": 80}
_ASK_FROM = 200


def main(arguments: list[str]) -> int:
    """Runs one command and returns its exit status."""
    signal.signal(signal.SIGTERM, _leave)
    commands: dict[str, Callable[[list[str]], int]] = {"lab": lab.run, "test": _test, "add": _add, "doctor": _doctor}
    name, *rest = arguments or ["help"]
    try:
        if name in ("help", "-h", "--help"):
            print(HELP.format(extras=", ".join(extras())))
            return 0
        if name not in commands:
            raise Trouble(f"There is no command {name!r}. What there is:\n\n" + HELP.format(extras=", ".join(extras())))
        return commands[name](rest)
    except Trouble as trouble:
        print(f"\n{trouble}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"\n{explain_os_error(error)}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped. Run the same command again: what was left half-done is done anew.", file=sys.stderr)
        return 130


def _leave(number: int, frame: FrameType | None) -> None:
    sys.exit(128 + number)  # by an exception, so that what we started is ended too


def _test(arguments: list[str]) -> int:
    prepare("test")
    return subprocess.call([PYTHON, "-m", "pytest", *arguments], cwd=ROOT)


def _doctor(arguments: list[str]) -> int:
    prepare()
    return subprocess.call([PYTHON, "-m", "backbench", "doctor", *arguments])


def _add(arguments: list[str]) -> int:
    names = [argument for argument in arguments if argument != "--yes"]
    known = extras()
    unknown = [name for name in names if name not in known]
    if unknown or not names:
        hint = f"There is no {', '.join(map(repr, unknown))} to add. " if unknown else ""
        raise Trouble(f"{hint}Say what to add: python3 workbench add {'|'.join(known)}")
    prepare()
    missing = {name for name in names if unmet(name)}
    for name in names:
        if name not in missing:
            print(f"{name} is already here.")
    if missing and not _agreed(missing, yes="--yes" in arguments):
        print("Nothing was installed.")
        return 1
    prepare(*names)
    return 0


def _agreed(names: set[str], yes: bool) -> bool:
    """Says what a download costs and, where that is much, asks whether to go on."""
    parts = {part for name in names for part in (_SIZES if name == "all" else [name]) if unmet(part)}
    size = sum(_SIZES[part] for part in parts)
    print(
        f"To download: about {f'{size / 1000:.1f} GB' if size >= 1000 else f'{size} MB'} ({', '.join(sorted(parts))})."
    )
    if "torch" in parts and _CUDA:
        print("On Linux that is torch's CUDA build. For CPUs alone a build of about 200 MB is enough: install that one")
        print(f"first, as PyTorch's own instructions say, with {PYTHON} -m pip; it is then kept.")
    if yes or size < _ASK_FROM:
        return True
    if not sys.stdin.isatty():
        raise Trouble(f"To go on, type: python3 workbench add {' '.join(sorted(names))} --yes")
    return input("Go on? [y/N] ").strip().lower() in ("y", "yes")
