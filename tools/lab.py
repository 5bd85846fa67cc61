"""`python3 workbench lab`: JupyterLab on the notebooks of this checkout."""

import json
import os
import secrets
import socket
import subprocess
import time
from pathlib import Path

from tools.environment import PYTHON, ROOT, VENV, prepare
from tools.progress import stop
from tools.trouble import Trouble

NOTEBOOKS = ROOT / "notebooks"
FIRST = "00_start_here.ipynb"
SETTINGS = VENV / "share/jupyter/lab/settings/overrides.json"
# No pop-up over the first notebook, and nothing asked of the network; each user's own settings still win.
_QUIET = {"@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False}}


def run(arguments: list[str]) -> int:
    """Starts JupyterLab, prints its address, and stays until it ends. Further arguments go to `jupyter lab`."""
    port = _port_asked_for(arguments)
    if port and not _is_free(port):
        raise Trouble(
            f"Port {port} is taken by another program.\n"
            f"  Use another one:               python3 workbench lab --port={_free_port_after(port)}\n"
            f"  or let JupyterLab choose one:  python3 workbench lab"
        )
    prepare()
    SETTINGS.parent.mkdir(parents=True, exist_ok=True)
    SETTINGS.write_text(json.dumps(_QUIET), encoding="utf-8")
    # A token given by us keeps JupyterLab from printing its own, longer notice; one from the user's settings wins.
    environment = {"JUPYTER_TOKEN": secrets.token_hex(24), **os.environ}
    process = subprocess.Popen([PYTHON, "-m", "jupyterlab", *_options(port), *arguments], cwd=ROOT, env=environment)
    try:
        print("Starting JupyterLab.", flush=True)
        if address := _address(process):
            print(f"\nJupyterLab is at  {address}\nTo stop it, press Ctrl-C here twice.\n", flush=True)
        return _until_it_ends(process)
    finally:
        stop(process)


def _options(port: int | None) -> list[str]:
    options = [
        "--log-level=WARN",
        "--LabApp.log_level=WARN",
        f"--ServerApp.root_dir={NOTEBOOKS if NOTEBOOKS.exists() else ROOT}",
    ]
    if (NOTEBOOKS / FIRST).exists():
        options.append(f"--LabApp.default_url=/lab/tree/{FIRST}")
    if port:
        options.append("--ServerApp.port_retries=0")  # the port asked for or none, never silently another
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        options.append("--allow-root")  # in a container there is often no one else
    return options


def _address(process: "subprocess.Popen[bytes]") -> str | None:
    """The address with its token, from the file that a Jupyter server writes once it listens; None if it ended."""
    where = "from jupyter_core.paths import jupyter_runtime_dir as d; print(d())"
    folder = subprocess.run([PYTHON, "-c", where], check=True, capture_output=True, text=True).stdout.strip()
    file = Path(folder) / f"jpserver-{process.pid}.json"
    while process.poll() is None:
        if file.exists() and (text := file.read_text(encoding="utf-8")):
            server = json.loads(text)
            page = f"lab/tree/{FIRST}" if (NOTEBOOKS / FIRST).exists() else "lab"
            return f"{server['url']}{page}" + (f"?token={server['token']}" if server["token"] else "")
        time.sleep(0.1)
    return None


def _until_it_ends(process: "subprocess.Popen[bytes]") -> int:
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:
            continue  # JupyterLab got the same Ctrl-C and asks by itself whether to stop


def _port_asked_for(arguments: list[str]) -> int | None:
    for position, argument in enumerate(arguments):
        name, _, value = argument.partition("=")
        if name in ("--port", "--ServerApp.port"):
            value = value or "".join(arguments[position + 1 : position + 2])
            if not value.isdigit() or not 0 < int(value) < 65536:
                raise Trouble(f"A port is a number from 1 to 65535, not {value!r}: python3 workbench lab --port=8890")
            return int(value)
    return None


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        if os.name == "posix":
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a server that just ended leaves it free
        try:
            probe.bind(("127.0.0.1", port))
        except PermissionError:
            raise Trouble(f"Port {port} is for the administrator only; choose one above 1023.") from None
        except OSError:
            return False
    return True


def _free_port_after(port: int) -> int:
    return next(candidate for candidate in (*range(port + 1, 65536), *range(1024, port)) if _is_free(candidate))
