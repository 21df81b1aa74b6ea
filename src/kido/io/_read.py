"""Reading a model file by its suffix."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from kido.description import RobotDescription, SceneDescription
from kido.errors import ModelFileError
from kido.io._mjcf import read_mjcf
from kido.io._model_bytes import read_model_bytes
from kido.io._sdf import read_sdf
from kido.io._skel import read_skel
from kido.io._urdf import read_urdf
from kido.io._xacro import refuse_xacro_file
from kido.io._xml import root_tag
from kido.typing import PathLike
from kido.values import checked_path

__all__ = ["read", "read_scene"]


def _urdf_scene(path: Path, **options: Any) -> SceneDescription:
    return SceneDescription.of_robot(read_urdf(path, **options))


_READERS: dict[str, Callable[..., SceneDescription]] = {
    ".urdf": _urdf_scene,
    ".mjcf": read_mjcf,
    ".sdf": read_sdf,
    ".world": read_sdf,
    ".skel": read_skel,
}
"""Readers of whole files by suffix; a format of single robots gives a scene of one."""

_BY_ROOT = {"robot": ".urdf", "mujoco": ".mjcf", "sdf": ".sdf", "skel": ".skel"}
"""Suffixes of formats by the root elements of their files, which may have the suffix .xml."""


def _reader_of(path: Path) -> Callable[..., SceneDescription] | None:
    """The reader of a file: by its suffix, of an .xml file by its root element; None if there is none.

    Raises ModelFileError, OSError.
    """
    suffix = path.suffix.lower()
    if suffix == ".xml":
        tag = root_tag(read_model_bytes(path), str(path))
        if tag not in _BY_ROOT:
            expected = f"expected a root element of {', '.join(_BY_ROOT)}, got <{tag[:200]}>"
            raise ModelFileError(str(path), None, None, expected)
        suffix = _BY_ROOT[tag]
    return _READERS.get(suffix)


def read(path: PathLike, *, robot: str | None = None, **options: Any) -> RobotDescription:
    """Read one robot of a model file with the reader of its suffix.

    Args:
        path: model file.
        robot: name of the robot or object in a file that has several; None: the only robot.
        options: what the reader takes: `read_urdf`, `read_skel`, `read_mjcf`, `read_sdf` for .sdf and .world.

    Raises:
        ValueError: unknown suffix.
        DescriptionError: not exactly one robot; says which there are.
        UnknownNameError: none of that name.
        ModelFileError, OSError: what the reader raises.
    """
    return read_scene(path, **options).single_robot(robot)


def read_scene(path: PathLike, **options: Any) -> SceneDescription:
    """Read all that a model file holds: robots and objects at their places, options, constraints, states.

    Args:
        path: model file; one of a single robot gives a scene with that robot alone.
        options: what the reader of its format takes: `read_urdf`, `read_skel`, `read_mjcf`, `read_sdf` for
            .sdf and .world.

    Raises:
        ValueError: unknown suffix.
        ModelFileError, OSError: what the reader raises.
    """
    place = checked_path("path", path)
    reader = _reader_of(place)
    if reader is None:
        refuse_xacro_file(place)
        known = ", ".join((*_READERS, ".xml"))
        raise ValueError(f"path: expected a file with suffix {known}, got {place.name!r}")
    return reader(place, **options)
