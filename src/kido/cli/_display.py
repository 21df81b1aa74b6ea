"""Whether somebody sits before a screen."""

from __future__ import annotations

import os
import sys

__all__ = ["has_display"]


def has_display() -> bool:
    """Whether the command runs on a terminal of a machine with a display."""
    shown = sys.platform in ("darwin", "win32") or "DISPLAY" in os.environ or "WAYLAND_DISPLAY" in os.environ
    return sys.stdout.isatty() and shown
