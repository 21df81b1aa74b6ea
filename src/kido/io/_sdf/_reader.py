"""SDFormat, the Simulation Description Format of Gazebo (http://sdformat.org/spec)."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np

from kido.description import SceneDescription
from kido.errors import ModelFileError
from kido.io._model_bytes import MAX_BYTES, read_model_bytes
from kido.io._resources import Packages
from kido.io._sdf._file import Log, SdfFile
from kido.io._sdf._library import OLDEST, Library, sdf_version
from kido.io._sdf._model_finder import ModelFinder
from kido.io._sdf._scene import SceneReader
from kido.io._warning import warn_of
from kido.io._xml import parse_xml
from kido.typing import PathLike
from kido.values import checked_path

__all__ = ["read_sdf", "read_sdf_string"]

Roots: TypeAlias = Iterable[PathLike] | PathLike | None
"""Folders outside of which nothing is opened."""


def read_sdf(
    path: PathLike,
    *,
    root: Literal["fixed", "free"] | None = None,
    world: str | None = None,
    packages: Packages = None,
    roots: Roots = None,
    max_bytes: int = MAX_BYTES,
) -> SceneDescription:
    """Read an SDFormat file of version 1.4 to 1.12: a world, or models.

    Robots are the models, with all models inside of them, which have their names before those of their links
    and joints: "arm::hand". Models that joints of the world join are one robot. A joint that closes a loop is
    a closure of the scene.

    Args:
        path: .sdf or .world file.
        root: how links that hang on no other one hang on the world: "fixed" or "free"; None: as the file
            says, free but in static models.
        world: name of the world in a file that has several; None: the first.
        packages: folders of models and packages by name, or folders in which to search, for model://,
            package:// and relative names; the folders of SDF_PATH, GZ_SIM_RESOURCE_PATH,
            IGN_GAZEBO_RESOURCE_PATH, GAZEBO_MODEL_PATH and those of ROS come after.
        roots: folders outside of which nothing is included or named; None: everywhere.
        max_bytes: most bytes of the file, and of all files that it includes, each as often as it does.

    Returns:
        The scene; `diagnostics` of it and of each robot have whatever is not honoured.

    Warns ModelWarning, once each, of models and meshes that are missing, of inertia that no body can have, of
    mimics and closures that are left out, and of models without links.

    Raises ModelFileError with file, line and element, UnknownNameError for an unknown world, ValueError for
    another `root`, OSError.
    """
    place = checked_path("path", path)
    data = read_model_bytes(place, max_bytes)
    finder = ModelFinder(place.parent, packages, roots)
    folder = Path(os.path.abspath(place.parent))
    return _read(data, str(place), finder, folder, root, world, max_bytes, place)


def read_sdf_string(
    text: str,
    *,
    root: Literal["fixed", "free"] | None = None,
    world: str | None = None,
    packages: Packages = None,
    roots: Roots = None,
    max_bytes: int = MAX_BYTES,
    directory: PathLike | None = None,
    name: str = "<string>",
) -> SceneDescription:
    """Read the text of an SDFormat file, as `read_sdf` does.

    Relative names start at `directory`; None leaves them unfound. `name` is the file's name in messages.
    """
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        raise ModelFileError(name, None, None, f"not text: {error}") from error
    finder = ModelFinder(directory, packages, roots)
    folder = None if directory is None else Path(os.path.abspath(directory))
    return _read(data, name, finder, folder, root, world, max_bytes, None, "utf-8")


def _read(
    data: bytes,
    name: str,
    finder: ModelFinder,
    folder: Path | None,
    root: str | None,
    world: str | None,
    max_bytes: int,
    source: Path | None,
    encoding: str | None = None,
) -> SceneDescription:
    if root not in ("fixed", "free", None):
        raise ValueError(f"root: expected 'fixed', 'free' or None, got {root!r}")
    element = parse_xml(data, name, encoding)
    log = Log()
    file = SdfFile(name, OLDEST, folder, log, [])
    file.version = sdf_version(file, element)
    with np.errstate(all="ignore"):
        scene = SceneReader(Library(finder, log, max_bytes), root, world, source).read(file, element)
    robots = [placed.robot for placed in scene.robots]
    doubts = [*scene.diagnostics, *(doubt for robot in robots for doubt in robot.diagnostics)]
    warn_of(name, doubts, [link for robot in robots for link in robot.links])
    return scene
