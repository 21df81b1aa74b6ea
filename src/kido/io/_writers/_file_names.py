"""Names of mesh files and textures in the file that is written."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from kido.shape import Mesh
from kido.typing import PathLike
from kido.values import checked_path

__all__ = ["FileNames", "Naming"]

Naming: TypeAlias = Literal["relative", "absolute", "uri"]
"""Names of files: relative to the model file, absolute, or as the model gave them."""


class FileNames:
    """Names of the files that a model uses.

    A file in one of the folders of `packages` is named "package://name/...", where the format has packages.
    Others are named as `naming` says; relative names need the `directory` of the model file, and are absolute
    without it. A file that was not found keeps the name that the model gave it.
    """

    def __init__(
        self, naming: Naming, directory: Path | None, packages: Mapping[str, PathLike] | None = None
    ) -> None:
        if naming not in get_args(Naming):
            raise ValueError(f"names: expected one of {', '.join(get_args(Naming))}, got {naming!r}")
        self._naming = naming
        self._directory = None if directory is None else os.path.realpath(directory)
        self._packages = {
            name: os.path.abspath(checked_path("packages", folder))
            for name, folder in ({} if packages is None else packages).items()
        }

    def mesh(self, mesh: Mesh) -> str:
        """Name of a mesh file."""
        return self._name(mesh.path, mesh.uri)

    def texture(self, texture: str) -> str:
        """Name of a texture, a path or URI."""
        found = os.path.isabs(texture) and os.path.isfile(texture)
        return self._name(Path(texture) if found else None, texture)

    def _name(self, path: Path | None, uri: str) -> str:
        if path is None or self._naming == "uri":
            return uri
        place = os.path.abspath(path)
        for package, folder in self._packages.items():
            if place.startswith(folder.rstrip(os.sep) + os.sep):
                return f"package://{package}/{Path(os.path.relpath(place, folder)).as_posix()}"
        if self._naming == "absolute" or self._directory is None:
            return place
        folder, name = os.path.split(place)
        return Path(os.path.relpath(os.path.realpath(folder), self._directory), name).as_posix()
