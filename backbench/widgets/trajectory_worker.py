"""A thread that works on the newest request only, and ends when there is none."""

from __future__ import annotations

import threading
from collections.abc import Callable

Job = Callable[[threading.Event], None]


class Worker:
    """Runs one job at a time. A new job asks the running one to stop, and replaces one that still waits.

    Example:
        >>> done = []
        >>> worker = Worker()
        >>> worker.start(lambda stop: done.append("work"))
        >>> worker.wait()
        True
        >>> done
        ['work']
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._next: Job | None = None
        self._stops_next = False
        self._stop = threading.Event()
        self._idle = threading.Event()
        self._idle.set()

    def start(self, job: Job) -> None:
        """Runs job(stop) on a thread; it should end soon once `stop` is set."""
        with self._lock:
            self._next, self._stops_next = job, False
            self._stop.set()
            if self._idle.is_set():
                self._idle.clear()
                threading.Thread(target=self._work, name="backbench-solver", daemon=True).start()

    def stop(self) -> None:
        """Asks the running job to stop, and the one that waits as soon as it runs."""
        with self._lock:
            self._stops_next = self._next is not None
            self._stop.set()

    def discard(self) -> None:
        """Asks the running job to stop, and drops the one that waits."""
        with self._lock:
            self._next = None
            self._stop.set()

    def wait(self, seconds: float | None = None) -> bool:
        """Waits until there is nothing to do; returns whether that came within the time."""
        return self._idle.wait(seconds)

    def _work(self) -> None:
        while True:
            with self._lock:
                job, self._next = self._next, None
                if job is None:
                    self._idle.set()
                    return
                stop = self._stop = threading.Event()
                if self._stops_next:
                    self._stops_next = False
                    stop.set()
            try:
                job(stop)
            except BaseException:
                with self._lock:
                    self._next = None
                    self._idle.set()
                raise
            del job
