"""The command line: `kido info`, `kido ik` and `kido demo`."""

from __future__ import annotations

from kido.cli._app import app, main

__all__ = ["app", "main"]
