"""URDF from descriptions."""

from __future__ import annotations

from kido.io._writers._urdf._writer import urdf_string, write_urdf

__all__ = ["urdf_string", "write_urdf"]
