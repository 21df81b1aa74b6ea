"""Marks among what a viewer sends: who gets one got all that was sent before it."""

from __future__ import annotations

from itertools import count

from viser._messages import RunJavascriptMessage

import kido

MARK = "window.lastMark = "
"""How a mark begins; a page that runs it has what it wants."""
_numbers = count(1)


def send_mark(viewer: kido.Viewer) -> int:
    """Send the next mark to all browsers; its number."""
    number = next(_numbers)
    viewer._server.viser._websock_server.queue_message(RunJavascriptMessage(f"{MARK}{number}"))
    return number


def mark_in(message: dict[str, object]) -> int:
    """The number of the mark that a message is; 0: it is none."""
    source = str(message.get("source", ""))
    return int(source.removeprefix(MARK)) if source.startswith(MARK) else 0
