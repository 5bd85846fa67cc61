"""A real JupyterLab on a free port, and a page in Chromium that works in its notebooks as a user does."""

import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Browser, ConsoleMessage, Page, Request, WebSocket

REPOSITORY = Path(__file__).resolve().parents[2]
NOTEBOOK = ".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Notebook"

# JupyterLab shows "idle" for a moment while there is no kernel yet, and Run All then does nothing at all. Only the
# three signs together, steady for 300 ms, mean that the kernel is there.
KERNEL_IS_IDLE = """() => {
  const indicator = document.querySelector('.jp-NotebookPanel:not(.lm-mod-hidden) .jp-Notebook-ExecutionIndicator');
  const name = document.querySelector('.jp-NotebookPanel:not(.lm-mod-hidden) .jp-Toolbar-kernelName');
  const bar = [...document.querySelectorAll('.jp-StatusBar-TextItem')].some(n => /\\| Idle$/.test(n.textContent));
  const idle = indicator?.dataset.status === 'idle' && name && !/No Kernel/.test(name.textContent) && bar;
  if (!idle) { window.idleSince = null; return false; }
  window.idleSince ??= performance.now();
  return performance.now() - window.idleSince > 300;
}"""
ALL_CELLS_RAN = f"""() => {{
  const cells = [...document.querySelectorAll('{NOTEBOOK} .jp-CodeCell')]
    .filter(cell => cell.querySelector('.cm-content')?.textContent.trim());
  return cells.length > 0 && cells.every(cell => /\\[\\d+\\]/.test(cell.querySelector('.jp-InputPrompt').textContent));
}}"""


def find_chromium() -> str | None:
    """Path of a Chromium, Chrome or the one named in BACKBENCH_CHROMIUM; None where there is none."""
    named = os.environ.get("BACKBENCH_CHROMIUM")
    candidates = [named] if named else ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
    return next((path for path in map(shutil.which, candidates) if path), None)


@dataclass
class Lab:
    """A running server: its address, its token and the folder it serves."""

    port: int
    token: str
    root: Path

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}{'&' if '?' in path else '?'}token={self.token}"


@contextmanager
def running_lab(root: Path, settings: Path) -> Iterator[Lab]:
    """Serve `root` in JupyterLab, with settings and workspaces of its own; stopped at the end with its kernels."""
    lab = Lab(_free_port(), secrets.token_hex(16), root)
    # The news pop-up covers a corner of the page and asks the network.
    notifications = settings / "user" / "@jupyterlab" / "apputils-extension" / "notification.jupyterlab-settings"
    notifications.parent.mkdir(parents=True)
    notifications.write_text('{"fetchNews": "false", "checkForUpdates": false}', encoding="utf-8")
    environment = {
        **os.environ,
        "JUPYTERLAB_SETTINGS_DIR": str(settings / "user"),
        "JUPYTERLAB_WORKSPACES_DIR": str(settings / "workspaces"),
        "JUPYTER_CONFIG_DIR": str(settings / "config"),
        "PYTHONPATH": os.pathsep.join(filter(None, [str(REPOSITORY), os.environ.get("PYTHONPATH")])),
    }
    command = [sys.executable, "-m", "jupyter", "lab", "--no-browser", "--ip=127.0.0.1", f"--port={lab.port}"]
    command += [f"--IdentityProvider.token={lab.token}", f"--ServerApp.root_dir={root}", "--allow-root"]
    command += ["--ServerApp.port_retries=0", "--LabApp.news_url=None"]
    command += ["--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"]
    log = settings / "server.log"
    with log.open("w", encoding="utf-8") as output:
        server = subprocess.Popen(command, env=environment, stdout=output, stderr=subprocess.STDOUT)
        try:
            _wait_until_up(lab, server, log)
            yield lab
        finally:
            server.terminate()
            server.wait(timeout=30)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_until_up(lab: Lab, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and server.poll() is None:
        try:
            with urllib.request.urlopen(lab.url("/api/status"), timeout=5):
                return
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.1)
    raise RuntimeError(f"JupyterLab did not start. Its log:\n{log.read_text(encoding='utf-8')}")


@dataclass
class LabPage:
    """One browser page in JupyterLab, which remembers what it asked for and complained about.

    Attributes:
        strangers: Addresses it asked for that are not on this machine.
        complaints: Errors in its console, and exceptions that nothing caught.
    """

    lab: Lab
    page: Page
    strangers: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    @classmethod
    def open_in(cls, browser: Browser, lab: Lab, width: int = 1400, height: int = 1000) -> "LabPage":
        page = browser.new_page(viewport={"width": width, "height": height})
        page.set_default_timeout(30_000)
        self = cls(lab, page)
        page.on("request", self._note_address)
        page.on("websocket", self._note_address)
        page.on("console", self._note_console)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        return self

    def _note_address(self, request: Request | WebSocket) -> None:
        if not re.match(r"(https?|wss?)://(127\.0\.0\.1|localhost)[:/]|data:|blob:|about:|attachment:", request.url):
            self.strangers.append(request.url)

    def _note_console(self, message: ConsoleMessage) -> None:
        # JupyterLab puts the picture of a cell's attachment in a moment after the browser has asked for it
        is_attachment = message.location.get("url", "").startswith("attachment:")
        if message.type == "error" and not is_attachment:
            self.complaints.append(message.text)

    def open(self, notebook: str) -> None:
        """Open a notebook, named relative to the served folder, and wait for its kernel."""
        self.page.goto(self.lab.url(f"/lab/tree/{notebook}?reset"))
        self.page.wait_for_selector(NOTEBOOK)
        self.wait_for_kernel()

    def wait_for_kernel(self, timeout: float = 60) -> None:
        self.page.wait_for_function(KERNEL_IS_IDLE, timeout=timeout * 1000)

    def run_all(self, timeout: float = 120) -> None:
        """Run all cells by the menu and wait until the last one has finished."""
        self.page.click("li.lm-MenuBar-item >> text=/^Run$/")
        self.page.click("li.lm-Menu-item[data-command='runmenu:run-all']")
        self.page.wait_for_function(ALL_CELLS_RAN, timeout=timeout * 1000)
        self.wait_for_kernel(timeout)

    def run_cell(self, index: int) -> None:
        """Run one cell again: select it, then Ctrl+Enter."""
        self.select_cell(index)
        self.page.keyboard.press("Control+Enter")
        self.wait_for_kernel()

    def select_cell(self, index: int) -> None:
        """Click the prompt beside a cell, which selects it in command mode."""
        self.page.locator(f"{NOTEBOOK} .jp-Cell").nth(index).locator(".jp-InputPrompt").click()

    def cells(self) -> list[str]:
        """The texts of all cells."""
        text = "cell => cell.querySelector('.cm-content')?.textContent ?? cell.textContent"
        return self.page.evaluate(f"() => [...document.querySelectorAll('{NOTEBOOK} .jp-Cell')].map({text})")

    def selected_cell(self) -> int:
        """Index of the active cell."""
        active = "cell => cell.matches('.jp-mod-active')"
        return self.page.evaluate(f"() => [...document.querySelectorAll('{NOTEBOOK} .jp-Cell')].findIndex({active})")

    def errors(self) -> list[str]:
        """What went wrong in cells and widgets, as far as a reader can see."""
        seen = []
        for selector in (
            ".jp-RenderedText[data-mime-type='application/vnd.jupyter.error']",
            ".jp-RenderedText[data-mime-type='application/vnd.jupyter.stderr']",
            ".jupyter-widgets-error-widget",
            ".bb-alert:not([hidden])",
            "mjx-merror, [data-mjx-error]",
        ):
            seen += self.page.locator(f"{NOTEBOOK} {selector}").all_inner_texts()
        return seen

    def use_theme(self, name: str) -> None:
        """Switch to the theme called `name` by the settings menu."""
        self.page.click("li.lm-MenuBar-item >> text=/^Settings$/")
        self.page.hover("li.lm-Menu-item >> text=/^Theme$/")
        self.page.click(f"li.lm-Menu-item >> text=/^{name}$/")
        self.page.wait_for_function(f"() => document.body.dataset.jpThemeName === {name!r}")
