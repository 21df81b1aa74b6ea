"""MJCF from descriptions."""

from __future__ import annotations

from kido.io._writers._mjcf._writer import mjcf_string, write_mjcf

__all__ = ["mjcf_string", "write_mjcf"]
