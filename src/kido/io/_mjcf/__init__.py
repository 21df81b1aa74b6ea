"""The MJCF reader."""

from __future__ import annotations

from kido.io._mjcf._reader import read_mjcf, read_mjcf_string

__all__ = ["read_mjcf", "read_mjcf_string"]
