"""SDFormat from descriptions."""

from __future__ import annotations

from kido.io._writers._sdf._writer import sdf_string, write_sdf

__all__ = ["sdf_string", "write_sdf"]
