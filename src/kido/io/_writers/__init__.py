"""Writers of model files."""

from __future__ import annotations

from kido.io._writers._mjcf import mjcf_string, write_mjcf
from kido.io._writers._model_text import ModelText
from kido.io._writers._sdf import sdf_string, write_sdf
from kido.io._writers._urdf import urdf_string, write_urdf

__all__ = [
    "ModelText",
    "mjcf_string",
    "sdf_string",
    "urdf_string",
    "write_mjcf",
    "write_sdf",
    "write_urdf",
]
