"""MJCF, the model format of MuJoCo (https://mujoco.readthedocs.io/en/stable/XMLreference.html)."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from kido.description import SceneDescription
from kido.errors import ModelFileError
from kido.io._mjcf._file import MjcfFile
from kido.io._mjcf._include import ModelFiles
from kido.io._mjcf._scene import read_scene_of
from kido.io._mjcf._warning import warn_of
from kido.io._model_bytes import MAX_BYTES, read_model_bytes
from kido.io._xml import parse_xml
from kido.typing import PathLike
from kido.values import checked_path

__all__ = ["read_mjcf", "read_mjcf_string"]


def read_mjcf(
    path: PathLike, *, include_roots: Iterable[PathLike] = (), max_bytes: int = MAX_BYTES
) -> SceneDescription:
    """Read an MJCF file.

    Every body of the world is a robot with all that is on it, or an object if it is alone and fixed or free;
    what the world itself has is an object of the name "world". Joints have the names and positions that they
    have in the file, but for rotations of ball and free joints (rotation vectors, of free joints with the
    translation, from where the file has the body). The pose in which the file has its bodies is
    `initial_state` where that is not at zero.

    Files that the model includes lie below its own folder or below one of `include_roots`. Files of more than
    `max_bytes` are refused.

    Warns ModelWarning, once each, of inertia that no body can have, meshes that cannot be used, geometry,
    tendons, plugins and deformable bodies that are left out; `diagnostics` of scene and robots say what else
    is not honoured. Raises ModelFileError with file, line and element, OSError.
    """
    place = checked_path("path", path)
    data = read_model_bytes(place, max_bytes)
    return _read(data, str(place), place.parent, include_roots, max_bytes, place)


def read_mjcf_string(
    text: str,
    *,
    directory: PathLike | None = None,
    include_roots: Iterable[PathLike] = (),
    name: str = "<string>",
) -> SceneDescription:
    """Read the text of an MJCF file, as `read_mjcf` does.

    Names of files start at `directory`; None leaves them unfound. `name` is the file's name in messages.
    """
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        raise ModelFileError(name, None, None, f"not text: {error}") from error
    return _read(data, name, directory, include_roots, MAX_BYTES, None, "utf-8")


def _read(
    data: bytes,
    name: str,
    directory: PathLike | None,
    include_roots: Iterable[PathLike],
    max_bytes: int,
    source: Path | None,
    encoding: str | None = None,
) -> SceneDescription:
    file = MjcfFile(name)
    root = parse_xml(data, name, encoding)
    files = ModelFiles(file, directory, include_roots, max_bytes)
    scene, lost = read_scene_of(file, root, files, source)
    warn_of(file.diagnostics, lost, name)
    return scene
