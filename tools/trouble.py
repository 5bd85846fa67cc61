"""What can go wrong while the workbench is prepared, said in plain words with the way out."""

import errno
import re
import sys
from pathlib import Path

AGAIN = "Then run the same command again."


class Trouble(Exception):
    """Something the user can mend. The message says what happened and what to do."""


NO_VENV = f"""\
This Python ({sys.executable}) cannot make virtual environments: its `venv` or `ensurepip` module is missing.
  On Debian or Ubuntu:  sudo apt install python{sys.version_info[0]}.{sys.version_info[1]}-venv
  Elsewhere:            install a complete Python, for example with the installer from python.org.
{AGAIN}"""

NO_NETWORK = f"""\
The packages could not be downloaded: the package index does not answer.
  Is this machine online? Behind a proxy, set HTTPS_PROXY; for an index of your own, check PIP_INDEX_URL.
Nothing half-made is kept as finished. {AGAIN}"""

NO_SPACE = f"""\
The disk is full. The workbench needs about 1 GB for its packages, a backend such as torch more.
  Free some space (`pip cache purge` often helps), or move this folder to a larger disk.
{AGAIN}"""

# pip's and uv's words for "nobody answers"; pip's last line alone ("No matching distribution") does not tell.
_NETWORK = re.compile(
    r"NewConnectionError|connection broken by|ConnectTimeout|ReadTimeout|Read timed out|ProxyError|SSLError|"
    r"name resolution|Name or service not known|getaddrinfo failed|Network is unreachable|"
    r"error sending request|dns error",
    re.IGNORECASE,
)
_NO_BUILD = re.compile(r"No matching distribution found for (\S+)")


def explain_install(log: Path) -> str:
    """Says from an installer's log why it failed and what to do."""
    words = log.read_text(encoding="utf-8", errors="replace")
    if "No space left on device" in words:
        reason = NO_SPACE
    elif _NETWORK.search(words):
        reason = NO_NETWORK
    elif found := _NO_BUILD.search(words):
        version = f"{sys.version_info[0]}.{sys.version_info[1]}"
        reason = (
            f"The package index offers no {found[1]} for Python {version} on this system.\n"
            f"  A new Python is often ahead of such packages: try an older one, such as `python3.12 workbench ...`.\n"
            f"  Where that is not it, check that this machine is online."
        )
    else:
        last = "\n".join("    " + line for line in words.splitlines()[-12:])
        reason = f"The packages could not be installed. The installer's last words:\n{last}"
    return f"{reason}\nAll the details: {log}"


def explain_os_error(error: OSError) -> str:
    """Says what to do about a file that cannot be written.

    Raises:
        OSError: `error` itself, where the user can do nothing about it.
    """
    if error.errno == errno.ENOSPC:
        return NO_SPACE
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return (
            f"No right to write to {error.filename}.\n"
            f"  Move this folder to a place that is yours, for example your home folder. {AGAIN}"
        )
    raise error
