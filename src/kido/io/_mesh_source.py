"""Where the meshes of a saved file are."""

from __future__ import annotations

from enum import Enum

__all__ = ["MeshSource"]


class MeshSource(str, Enum):
    """Where a file of kido has its meshes.

    * path: in files of their own, which it names.
    * content: in itself.
    """

    PATH = "path"
    CONTENT = "content"
