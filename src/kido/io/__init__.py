"""Model files: each reader makes a neutral description, writers go the other way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kido._later import found_later
from kido.io._kido_file import kido_bytes, model_of_bytes, read_kido_file
from kido.io._mesh_source import MeshSource
from kido.io._read import read, read_model, read_scene
from kido.io._report import LoadReport
from kido.io._write import save

if TYPE_CHECKING:
    from kido.io._mjcf import read_mjcf, read_mjcf_string
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
    "LoadReport",
    "MeshSource",
    "ModelText",
    "kido_bytes",
    "mjcf_string",
    "model_of_bytes",
    "read",
    "read_kido_file",
    "read_mjcf",
    "read_mjcf_string",
    "read_model",
    "read_scene",
    "read_sdf",
    "read_sdf_string",
    "read_skel",
    "read_skel_string",
    "read_urdf",
    "read_urdf_string",
    "save",
    "sdf_string",
    "urdf_string",
    "write_mjcf",
    "write_sdf",
    "write_urdf",
]

_LATER = {
    "read_mjcf": "kido.io._mjcf",
    "read_mjcf_string": "kido.io._mjcf",
    "read_sdf": "kido.io._sdf",
    "read_sdf_string": "kido.io._sdf",
    "read_skel": "kido.io._skel",
    "read_skel_string": "kido.io._skel",
    "read_urdf": "kido.io._urdf",
    "read_urdf_string": "kido.io._urdf",
    "ModelText": "kido.io._writers",
    "mjcf_string": "kido.io._writers",
    "sdf_string": "kido.io._writers",
    "urdf_string": "kido.io._writers",
    "write_mjcf": "kido.io._writers",
    "write_sdf": "kido.io._writers",
    "write_urdf": "kido.io._writers",
}
"""Names whose modules are imported when they are first used, to keep `import kido` short."""

__getattr__ = found_later(__name__, _LATER)


def __dir__() -> list[str]:
    return sorted(__all__)
