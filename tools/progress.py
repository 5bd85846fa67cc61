"""Runs a long command quietly: its words go to a file, the terminal shows one calm line."""

import re
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

# pip's words, and uv's for the same (`Resolved`); uv says nothing while it writes.
_FOUND = re.compile(r"^(?:Collecting|Processing) ", re.MULTILINE)
_INSTALLING = re.compile(r"^Installing collected packages: (.*)$", re.MULTILINE)
_RESOLVED = re.compile(r"^Resolved (\d+) packages", re.MULTILINE)


def follow(command: Sequence[str], title: str, log: Path, cwd: Path) -> int:
    """Runs `command`, shows `title` with what is happening and the seconds so far, and returns the exit status."""
    terminal = sys.stdout.isatty()
    start = time.monotonic()
    next_line = 0.0  # without a terminal: one line now and then, so that a log shows that it goes on
    with log.open("w", encoding="utf-8") as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, cwd=cwd)
        try:
            while True:
                status = process.poll()
                seconds = time.monotonic() - start
                line = f"  {title}{_stage(log)}, {seconds:.0f} s"
                if terminal:
                    end = "" if status is None else "\n"
                    print(f"\r{line}\x1b[K", end=end, flush=True)
                elif status is not None or seconds >= next_line:
                    print(line, flush=True)
                    next_line += 20
                if status is not None:
                    return status
                _wait(process, 0.3)
        finally:
            stop(process)


def stop(process: "subprocess.Popen[bytes]") -> None:
    """Ends a process of ours that still runs: first politely, after ten seconds for good."""
    if process.poll() is None:
        process.terminate()
        if not _wait(process, 10):
            process.kill()
            process.wait()


def _wait(process: "subprocess.Popen[bytes]", seconds: float) -> bool:
    try:
        process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


def _stage(log: Path) -> str:
    """What pip's or uv's words so far amount to."""
    words = log.read_text(encoding="utf-8", errors="replace")
    if "connection broken by" in words[-2000:]:
        return ": the network does not answer, trying again"
    if names := _INSTALLING.search(words):
        return f": writing {names[1].count(',') + 1} packages"
    if resolved := _RESOLVED.search(words):
        return f": fetching {resolved[1]} packages"
    found = len(_FOUND.findall(words))
    return f": {found} packages found" if found else ""
