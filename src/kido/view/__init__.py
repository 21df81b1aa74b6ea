"""Pictures of skeletons, without a display."""

from __future__ import annotations

from kido.view._render import render

__all__ = ["render"]
