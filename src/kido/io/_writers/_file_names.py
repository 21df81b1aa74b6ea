"""Names of mesh files and textures in the file that is written."""

from __future__ import annotations

import os
import re
from collections.abc import Container, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Literal, TypeAlias, get_args

import numpy as np

from kido.errors import ModelFileError
from kido.io._writers._names import Names
from kido.shape import Mesh, Shape, load_triangles
from kido.typing import PathLike
from kido.values import checked_path

__all__ = ["MSH", "FileNames", "Naming", "mesh_folder"]

Naming: TypeAlias = Literal["relative", "absolute", "uri"]
"""Names of files: relative to the model file, absolute, or as the model gave them."""

MSH = ".msh"
"""Suffix of MuJoCo's own meshes, which nothing else reads."""


class FileNames:
    """Names of the files that a model uses.

    A file in one of the folders of `packages` is named "package://name/...", where the format has packages.
    Others are named as `naming` says; relative names need the `directory` of the model file, and are absolute
    without it. A file that was not found keeps the name that the model gave it. Meshes without a file, and
    those of a suffix that is `unknown` to readers of the format, get one in the folder `enclosed`, where
    there is one: `new_files` has their content.
    """

    def __init__(
        self,
        naming: Naming,
        directory: Path | None,
        packages: Mapping[str, PathLike] | None = None,
        *,
        enclosed: Path | None = None,
        unknown: Container[str] = (MSH,),
    ) -> None:
        if naming not in get_args(Naming):
            raise ValueError(f"names: expected one of {', '.join(get_args(Naming))}, got {naming!r}")
        self._naming = naming
        self._directory = None if directory is None else os.path.realpath(directory)
        self._enclosed = enclosed
        self._unknown = unknown
        self._inline: dict[Mesh, Path] = {}
        self._stems = Names()
        self.new_files: dict[Path, bytes] = {}
        self._packages = {
            name: os.path.abspath(checked_path("packages", folder))
            for name, folder in ({} if packages is None else packages).items()
        }

    @property
    def encloses(self) -> bool:
        """Whether meshes without a file get one."""
        return self._enclosed is not None

    def can_name(self, shape: Shape) -> bool:
        """Whether a shape needs no file, or has one, or gets one."""
        inline = isinstance(shape, Mesh) and shape.vertices is not None
        return not inline or self._enclosed is not None

    def mesh(self, mesh: Mesh) -> str:
        """Name of a mesh file."""
        is_known = mesh.path is None or mesh.path.suffix.lower() not in self._unknown
        if self._enclosed is None or (mesh.vertices is None and (is_known or self._naming == "uri")):
            return self._name(mesh.path, mesh.uri)
        content = replace(mesh, scale=(1.0, 1.0, 1.0), convex=True)
        if content not in self._inline:
            stem = mesh.uri if mesh.path is None else mesh.path.stem
            stem = re.sub(r"[^A-Za-z0-9_.-]+", "_", stem).strip("_.") or "mesh"
            data = _obj_bytes(content) if mesh.path is None else _stl_bytes(content)
            if data is None:
                return self._name(mesh.path, mesh.uri)
            suffix = "obj" if mesh.path is None else "stl"
            self._inline[content] = self._enclosed / f"{self._stems.new(stem[:100])}.{suffix}"
            self.new_files[self._inline[content]] = data
        return self._name(self._inline[content], mesh.uri, is_new=True)

    def texture(self, texture: str) -> str:
        """Name of a texture, a path or URI."""
        found = os.path.isabs(texture) and os.path.isfile(texture)
        return self._name(Path(texture) if found else None, texture)

    def _name(self, path: Path | None, uri: str, *, is_new: bool = False) -> str:
        if path is None or (self._naming == "uri" and not is_new):
            return uri
        place = os.path.abspath(path)
        for package, folder in self._packages.items():
            if place.startswith(folder.rstrip(os.sep) + os.sep):
                return f"package://{package}/{Path(os.path.relpath(place, folder)).as_posix()}"
        if self._naming == "absolute" or self._directory is None:
            return place
        folder, name = os.path.split(place)
        return Path(os.path.relpath(os.path.realpath(folder), self._directory), name).as_posix()


def mesh_folder(path: Path) -> Path:
    """Folder of the meshes that a model file encloses."""
    return path.with_name(f"{path.stem}_meshes")


def _obj_bytes(mesh: Mesh) -> bytes:
    """Points and triangles as a Wavefront OBJ file; numbers read back bit for bit."""
    assert mesh.vertices is not None and mesh.triangles is not None
    points = [f"v {x!r} {y!r} {z!r}" for x, y, z in mesh.vertices.tolist()]
    faces = [f"f {a + 1:.0f} {b + 1:.0f} {c + 1:.0f}" for a, b, c in mesh.triangles.tolist()]
    return "\n".join([*points, *faces, ""]).encode()


def _stl_bytes(mesh: Mesh) -> bytes | None:
    """Triangles of a file as binary STL, whose numbers are of single precision; None if it cannot be read."""
    try:
        found = load_triangles(mesh)
    except (ModelFileError, ValueError):
        return None
    corners = found.vertices[found.triangles]
    rows = np.zeros(len(corners), [("numbers", "<f4", (4, 3)), ("more", "<u2")])
    rows["numbers"][:, 1:] = corners
    return bytes(80) + len(corners).to_bytes(4, "little") + rows.tobytes()
