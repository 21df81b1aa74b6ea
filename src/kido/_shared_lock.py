"""A lock that all threads of a process share, and that a forked process finds free."""

from __future__ import annotations

import os
from threading import RLock
from types import TracebackType

__all__ = ["SharedLock"]


class SharedLock:
    """A reentrant lock for the life of the process, as a `with` statement takes it.

    In a forked process it is another one: a thread of the parent may have held the first, and would never
    let it go there.
    """

    __slots__ = ("_lock",)

    def __init__(self) -> None:
        self._renew()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._renew)

    def _renew(self) -> None:
        self._lock = RLock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()
