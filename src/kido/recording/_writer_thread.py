"""A thread that writes, so that Ctrl-C never leaves half of something written."""

from __future__ import annotations

import os
import queue
import threading
import time
from collections.abc import Callable

__all__ = ["WriterThread"]

_LOOK = 1e-3
"""Time between two looks at whether a call is done [s]."""


class WriterThread:
    """Calls a function now and then, and when it is asked to, in a thread of its own.

    Ctrl-C raises in the main thread alone: there it ends a wait, and never a call. In a process that was
    forked there is no such thread, and nothing is called. What the main thread does here holds no lock of
    Python's own, such as those of conditions and events that are waited for: Ctrl-C can come between what
    such a lock is taken for and its release, which then never comes, or comes twice.
    """

    def __init__(self, write: Callable[[], None], period: float) -> None:
        """`write`: what is called, which raises nothing; `period`: at most so much time between calls [s]."""
        self._write, self._period = write, period
        self._process = os.getpid()
        self._asks: queue.SimpleQueue[threading.Event] = queue.SimpleQueue()
        self._ends = False
        self._thread = threading.Thread(target=self._run, name="kido recorder", daemon=True)
        self._thread.start()

    @property
    def is_here(self) -> bool:
        """Whether this is the process of the thread."""
        return os.getpid() == self._process

    def call(self) -> None:
        """Have the function called now, and wait until it returns. Raises KeyboardInterrupt, once it has."""
        done = self.ask()
        interrupt: KeyboardInterrupt | None = None
        while not done.is_set() and self._thread.is_alive():
            try:
                time.sleep(_LOOK)
            except KeyboardInterrupt as raised:
                interrupt = raised
        if interrupt is not None:
            raise interrupt

    def ask(self) -> threading.Event:
        """Have the function called soon, and do not wait. Returns what is set once it has been called."""
        done = threading.Event()
        if self.is_here and not self._ends:
            self._asks.put(done)
        else:
            done.set()
        return done

    def end(self) -> None:
        """Call no more, and end the thread."""
        if self.is_here and not self._ends:
            self._ends = True
            self._asks.put(threading.Event())
            self._thread.join()

    def _run(self) -> None:
        while True:
            asks = self._next_asks()
            if self._ends:
                return
            self._write()
            for done in asks:
                done.set()

    def _next_asks(self) -> list[threading.Event]:
        """All that was asked by now; waits for something to be asked, for a period at most."""
        asks = []
        try:
            asks.append(self._asks.get(timeout=self._period))
            while True:
                asks.append(self._asks.get_nowait())
        except queue.Empty:
            return asks
