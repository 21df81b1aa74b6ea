"""Reports of recordings: one page with plots and a replay."""

from __future__ import annotations

from kido.recording._report._page import write_report

__all__ = ["write_report"]
