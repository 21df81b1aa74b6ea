"""Reading a model file by its suffix."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from kido.description import RobotDescription, SceneDescription
from kido.errors import ModelFileError
from kido.io._formats import Formats
from kido.io._kido_file import SUFFIX, read_kido_file, scene_of_kido_file
from kido.io._model_bytes import read_model_bytes
from kido.io._report import LoadReport
from kido.io._xacro import refuse_xacro_file
from kido.io._xml import root_tag
from kido.skeleton import SavedModel
from kido.typing import PathLike
from kido.values import checked_flag, checked_path

__all__ = ["read", "read_model", "read_scene"]

_READERS = Formats(
    {
        ".urdf": ("kido.io._urdf", "read_urdf_scene"),
        ".mjcf": ("kido.io._mjcf", "read_mjcf"),
        ".sdf": ("kido.io._sdf", "read_sdf"),
        ".world": ("kido.io._sdf", "read_sdf"),
        ".skel": ("kido.io._skel", "read_skel"),
        SUFFIX: ("kido.io._kido_file", "read_kido_scene"),
    }
)
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


def read(
    path: PathLike, *, robot: str | None = None, strict: bool = False, **options: Any
) -> RobotDescription:
    """Read one robot of a model file with the reader of its suffix.

    Args:
        path: model file.
        robot: name of the robot or object in a file that has several; None: the only robot.
        strict: whether what is not honoured as it stands raises; see `read_scene`.
        options: what the reader takes: `read_urdf`, `read_skel`, `read_mjcf`, `read_sdf`.

    Raises:
        StrictModelError: lists what is not honoured.
        ValueError: unknown suffix.
        DescriptionError: not exactly one robot; says which there are.
        UnknownNameError: none of that name.
        ModelFileError, OSError: what the reader raises.
    """
    scene = read_scene(path, **options)
    found = scene.single_robot(robot)
    if checked_flag("strict", strict):
        LoadReport(path, (*scene.diagnostics, *found.diagnostics)).refuse()
    return found


def read_scene(path: PathLike, *, strict: bool = False, **options: Any) -> SceneDescription:
    """Read all that a model file holds: robots and objects at their places, options, constraints, states.

    Args:
        path: model file; one of a single robot gives a scene with that robot alone.
        strict: whether diagnostics raise: of what is not honoured as it stands, and of what no body or joint
            can have. Doubts about names pass.
        options: what the reader of its format takes: `read_urdf`, `read_skel`, `read_mjcf`, `read_sdf`.

    Raises:
        StrictModelError: lists what is not honoured.
        ValueError: unknown suffix.
        ModelFileError, OSError: what the reader raises.
    """
    place = checked_path("path", path)
    reader = _reader_of(place)
    if reader is None:
        refuse_xacro_file(place)
        known = ", ".join((*_READERS, ".xml"))
        raise ValueError(f"path: expected a file with suffix {known}, got {place.name!r}")
    scene = reader(place, **options)
    if checked_flag("strict", strict):
        LoadReport(place, scene.all_diagnostics).refuse()
    return scene


def read_model(path: PathLike, **options: Any) -> SceneDescription | SavedModel:
    """Content of a file: a saved skeleton or world, where it is one of kido's, else a scene.

    Raises as `read_scene`.
    """
    place = checked_path("path", path)
    if place.suffix.lower() != SUFFIX:
        return read_scene(place, **options)
    model = read_kido_file(place, **options)
    return model if isinstance(model, SavedModel) else scene_of_kido_file(model, place)
