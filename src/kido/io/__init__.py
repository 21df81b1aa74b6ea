"""Model files: each reader makes a neutral description."""

from __future__ import annotations

from kido.io._mjcf import read_mjcf, read_mjcf_string
from kido.io._read import read, read_scene
from kido.io._skel import read_skel, read_skel_string
from kido.io._urdf import read_urdf, read_urdf_string

__all__ = [
    "read",
    "read_mjcf",
    "read_mjcf_string",
    "read_scene",
    "read_skel",
    "read_skel_string",
    "read_urdf",
    "read_urdf_string",
]
