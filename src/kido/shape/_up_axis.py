"""The up axis of mesh files."""

from __future__ import annotations

from pathlib import Path
from xml.parsers import expat

import numpy as np

from kido.errors import ModelFileError
from kido.shape._mesh import Mesh
from kido.shape._mesh_checks import check_mesh_bytes
from kido.shape._mesh_file import read_mesh_bytes
from kido.typing import FloatArray, read_only

__all__ = ["upright_transform"]

_ROWS = {
    "X_UP": ((0.0, -1.0, 0.0), (0.0, 0.0, -1.0), (1.0, 0.0, 0.0)),
    "Y_UP": ((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0)),
    "Z_UP": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
}
"""Axes of a file in axes of which x points to the right and z upwards, as COLLADA 1.4 (5-4) has them."""

_GLTF = (".glb", ".gltf")


def upright_transform(mesh: Mesh) -> FloatArray:
    """Transform (4, 4) that stands a mesh upright: the up axis of its file becomes z.

    A DAE file names its up axis, y unless it does; that of glTF is y; other formats have none, and the
    transform is the identity. Robots are drawn for readers that leave it out, and so does `load_triangles`;
    for furniture and scenery it is the pose of the shape on its body.

    Raises:
        ModelFileError: what cannot be read, or is no DAE file.
        ValueError: the file was not found.
    """
    T = np.eye(4)
    if mesh.path is not None:
        T[:3, :3] = _ROWS[_up_axis(mesh.path)]
    elif mesh.vertices is None:
        raise ValueError(f"mesh {mesh.uri!r}: the file was not found")
    return read_only(T)


def _up_axis(path: Path) -> str:
    suffix = path.suffix.lower()
    if suffix in _GLTF:
        return "Y_UP"
    return _up_axis_of_dae(path) if suffix == ".dae" else "Z_UP"


def _up_axis_of_dae(path: Path) -> str:
    data = read_mesh_bytes(path)
    around: list[str] = []
    words: list[str] = []

    def started(tag: str, _: dict[str, str]) -> None:
        around.append(tag.rpartition(":")[2])

    def said(text: str) -> None:
        if around[1:] == ["asset", "up_axis"]:
            words.append(text)

    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.CharacterDataHandler = started, said
    parser.EndElementHandler = lambda _: around.pop()
    try:
        check_mesh_bytes(".dae", data)
        parser.Parse(data, True)
    except (ValueError, expat.ExpatError) as error:
        raise ModelFileError(str(path), None, None, f"no COLLADA file: {error}") from error
    told = "".join(words).strip() or "Y_UP"
    if told not in _ROWS:
        raise ModelFileError(
            str(path), None, None, f"up_axis: expected X_UP, Y_UP or Z_UP, got {told[:200]!r}"
        )
    return told
