"""Sources of the meshes of a saved file."""

from __future__ import annotations

from enum import Enum

__all__ = ["MeshSource"]


class MeshSource(str, Enum):
    """Source of the meshes of a file of kido.

    * path: in files of their own, which it names.
    * content: in itself.
    """

    PATH = "path"
    CONTENT = "content"
