"""Model files: each reader makes a neutral description, writers go the other way."""

from __future__ import annotations

from kido.io._mjcf import read_mjcf, read_mjcf_string
from kido.io._read import read, read_scene
from kido.io._sdf import read_sdf, read_sdf_string
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
    "read_mjcf",
    "read_mjcf_string",
    "read_scene",
    "read_sdf",
    "read_sdf_string",
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
