"""The SKEL reader."""

from __future__ import annotations

from kido.io._skel._reader import read_skel, read_skel_string

__all__ = ["read_skel", "read_skel_string"]
