"""SKEL, the model format of the Dynamic Animation and Robotics Toolkit (https://dartsim.github.io)."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from kido.description import SceneDescription
from kido.errors import ModelFileError
from kido.io._model_bytes import MAX_BYTES, read_model_bytes
from kido.io._resources import Packages, ResourceFinder
from kido.io._skel._world import read_world
from kido.io._tracked_xml import TrackedXml
from kido.io._warning import warn_of
from kido.io._xml import parse_xml
from kido.typing import PathLike
from kido.values import checked_path

__all__ = ["read_skel", "read_skel_string"]

_LANDMARKS = frozenset(("skel", "world", "skeleton", "body", "joint"))


def read_skel(path: PathLike, *, packages: Packages = None, max_bytes: int = MAX_BYTES) -> SceneDescription:
    """Read a SKEL file, as DART does where it is well-formed.

    Robots are the skeletons, at their places; their joints are as the file says, a body that no joint carries
    gets a free joint "root". Where joints do not begin at zero, the state "initial" says so. `packages` maps
    names of packages to folders, or lists folders to search, for meshes at package:// and model://; those at
    dart://sample/ are in the package "sample" or the folder DART_DATA_PATH; relative names start at the file.
    Files of more than `max_bytes` are refused.

    Warns ModelWarning, once each, of inertia that no body can have, missing meshes, soft shapes, and
    skeletons without bodies; `diagnostics` of the scene and of each robot have the details, and whatever else
    is not honoured. Raises ModelFileError with file, line and element, OSError.
    """
    place = checked_path("path", path)
    data = read_model_bytes(place, max_bytes)
    return _read(data, str(place), ResourceFinder(place.parent, packages), place)


def read_skel_string(
    text: str,
    *,
    packages: Packages = None,
    directory: PathLike | None = None,
    name: str = "<string>",
) -> SceneDescription:
    """Read the text of a SKEL file, as `read_skel` does.

    Relative mesh names start at `directory`; None leaves them unfound. `name` is the file's name in messages.
    """
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        raise ModelFileError(name, None, None, f"not text: {error}") from error
    return _read(data, name, ResourceFinder(directory, packages), None, "utf-8")


def _read(
    data: bytes, name: str, resources: ResourceFinder, source: Path | None, encoding: str | None = None
) -> SceneDescription:
    root = parse_xml(data, name, encoding)
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is refused where it is checked
        scene = read_world(TrackedXml(name, _LANDMARKS), root, resources, source)
    robots = [placed.robot for placed in scene.robots]
    doubts = [*scene.diagnostics, *(doubt for robot in robots for doubt in robot.diagnostics)]
    warn_of(name, doubts, [link for robot in robots for link in robot.links])
    return scene
