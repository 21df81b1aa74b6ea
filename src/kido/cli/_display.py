"""Pages that commands show until Ctrl-C."""

from __future__ import annotations

import os
import sys
import webbrowser
from typing import NoReturn

from kido.view import Viewer

__all__ = ["show_until_stopped"]


def show_until_stopped(viewer: Viewer, opens: bool | None) -> NoReturn:
    """Show a viewer's page until Ctrl-C, which is raised when the server has ended.

    `opens`: whether a browser is opened; None: on a terminal with a display.
    """
    if _has_display() if opens is None else opens:
        webbrowser.open(viewer.address)
    viewer.run()
    raise KeyboardInterrupt


def _has_display() -> bool:
    """Whether the command runs on a terminal of a machine with a display."""
    shown = sys.platform in ("darwin", "win32") or "DISPLAY" in os.environ or "WAYLAND_DISPLAY" in os.environ
    return sys.stdout.isatty() and shown
