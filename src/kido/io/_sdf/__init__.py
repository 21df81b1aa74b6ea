"""Reader of SDFormat files."""

from __future__ import annotations

from kido.io._sdf._reader import read_sdf, read_sdf_string

__all__ = ["read_sdf", "read_sdf_string"]
