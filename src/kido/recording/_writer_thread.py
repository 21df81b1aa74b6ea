"""A thread that writes, so that Ctrl-C never leaves half of something written."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable

__all__ = ["WriterThread"]


class WriterThread:
    """Calls a function now and then, and when it is asked to, in a thread of its own.

    Ctrl-C raises in the main thread alone: there it ends a wait, and never a call. In a process that was
    forked there is no such thread, and nothing is called.
    """

    def __init__(self, write: Callable[[], None], period: float) -> None:
        """`write`: what is called, which raises nothing; `period`: at most so much time between calls [s]."""
        self._write, self._period = write, period
        self._process = os.getpid()
        self._changed = threading.Condition()
        self._asked, self._done = 0, 0
        self._ends = False
        self._thread = threading.Thread(target=self._run, name="kido recorder", daemon=True)
        self._thread.start()

    @property
    def is_here(self) -> bool:
        """Whether this is the process of the thread."""
        return os.getpid() == self._process

    def call(self) -> None:
        """Have the function called now, and wait until it returns. Raises KeyboardInterrupt, once it has."""
        if not self.is_here or self._ends:
            return
        interrupt: KeyboardInterrupt | None = None
        with self._changed:
            self._asked += 1
            number = self._asked
            self._changed.notify_all()
            while self._done < number:
                try:
                    self._changed.wait()
                except KeyboardInterrupt as raised:
                    interrupt = raised
        if interrupt is not None:
            raise interrupt

    def ask(self) -> None:
        """Have the function called soon, and do not wait."""
        if self.is_here and not self._ends:
            with self._changed:
                self._asked += 1
                self._changed.notify_all()

    def end(self) -> None:
        """Call no more, and end the thread."""
        if self.is_here and not self._ends:
            with self._changed:
                self._ends = True
                self._changed.notify_all()
            self._thread.join()

    def _run(self) -> None:
        while True:
            with self._changed:
                if self._asked == self._done:
                    self._changed.wait(self._period)
                if self._ends:
                    return
                number = self._asked
            self._write()
            with self._changed:
                self._done = number
                self._changed.notify_all()
