"""The command `kido` from its first moment on: Ctrl-C ends it with a sentence while its parts are imported,
too."""

from __future__ import annotations

import atexit
import gc
import sys
from importlib import import_module

__all__ = ["STOPPED", "STOPPED_BY_CTRL_C", "main"]

STOPPED = 130
"""Exit code of a command that Ctrl-C ended, as shells have it."""
STOPPED_BY_CTRL_C = "stopped by Ctrl-C"
"""What is said then."""
_NEW_OBJECTS = 200_000
"""After which garbage is looked for: modules and classes that are imported are none."""


def main() -> None:
    """Run the command line."""
    gc.set_threshold(_NEW_OBJECTS, 10, 10)
    atexit.register(gc.freeze)  # last of all: what is there at the end goes with the process, unsearched
    try:
        app = import_module("kido.cli._app").app
        app(prog_name="kido")
    except KeyboardInterrupt:
        print(STOPPED_BY_CTRL_C, file=sys.stderr)
        sys.exit(STOPPED)
