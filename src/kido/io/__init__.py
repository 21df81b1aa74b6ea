"""Model files: each reader makes a neutral description."""

from __future__ import annotations

from kido.io._read import read, read_scene
from kido.io._skel import read_skel, read_skel_string
from kido.io._urdf import read_urdf, read_urdf_string
from kido.io._writers import (
    ModelText,
    mjcf_string,
    sdf_string,
    urdf_string,
    write_mjcf,
    write_sdf,
    write_urdf,
)

__all__ = [
    "ModelText",
    "mjcf_string",
    "read",
    "read_scene",
    "read_skel",
    "read_skel_string",
    "read_urdf",
    "read_urdf_string",
    "sdf_string",
    "urdf_string",
    "write_mjcf",
    "write_sdf",
    "write_urdf",
]
