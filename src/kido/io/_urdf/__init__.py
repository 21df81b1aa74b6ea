"""The URDF reader."""

from __future__ import annotations

from kido.io._urdf._reader import read_urdf, read_urdf_element, read_urdf_scene, read_urdf_string

__all__ = ["read_urdf", "read_urdf_element", "read_urdf_scene", "read_urdf_string"]
