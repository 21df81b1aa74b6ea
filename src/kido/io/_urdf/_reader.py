"""URDF, the Unified Robot Description Format of ROS (http://wiki.ros.org/urdf/XML)."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from kido.description import RobotDescription, SceneDescription
from kido.errors import ModelFileError
from kido.io._model_bytes import MAX_BYTES, read_model_bytes
from kido.io._resources import Packages, ResourceFinder
from kido.io._urdf._robot import read_robot
from kido.io._warning import warn_of
from kido.io._xacro import refuse_xacro_element, refuse_xacro_file
from kido.io._xml import Element, XmlFile, parse_xml
from kido.typing import PathLike
from kido.values import checked_path

__all__ = ["read_urdf", "read_urdf_element", "read_urdf_scene", "read_urdf_string"]


def read_urdf(
    path: PathLike,
    *,
    root: Literal["fixed", "free"] = "fixed",
    packages: Packages = None,
    max_bytes: int = MAX_BYTES,
) -> RobotDescription:
    """Read a URDF file.

    `root` says how the root link is attached to the world: by a weld or a free joint, called "root_joint". An
    empty root link named "world" stands for the world and is always welded. `packages` maps names of ROS
    packages to folders, or lists folders to search; ROS_PACKAGE_PATH, AMENT_PREFIX_PATH and the parents of
    the file come after. Files of more than `max_bytes` are refused: reading takes some 30 times their size in
    memory.

    Warns ModelWarning, once each, of inertia that no body can have, missing meshes, mimics of unknown joints,
    a free root that the file does not allow, and a robot without links; `diagnostics` of the result has the
    details. Raises ModelFileError with file, line and element, ValueError for another `root`, OSError.
    """
    place = checked_path("path", path)
    data = read_model_bytes(place, max_bytes)
    refuse_xacro_file(place)
    robot = _read(data, XmlFile(str(place)), root, ResourceFinder(place.parent, packages), place)
    warn_of(str(place), robot.diagnostics, robot.links)
    return robot


def read_urdf_scene(path: PathLike, **options: Any) -> SceneDescription:
    """The scene that has nothing but the robot of a file; arguments and errors as `read_urdf`."""
    return SceneDescription.of_robot(read_urdf(path, **options))


def read_urdf_string(
    text: str,
    *,
    root: Literal["fixed", "free"] = "fixed",
    packages: Packages = None,
    directory: PathLike | None = None,
    name: str = "<string>",
) -> RobotDescription:
    """Read the text of a URDF file, as `read_urdf` does.

    Relative mesh names start at `directory`; None leaves them unfound. `name` is the file's name in messages.
    """
    file = XmlFile(name)
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        raise ModelFileError(name, None, None, f"not text: {error}") from error
    robot = _read(data, file, root, ResourceFinder(directory, packages), None, "utf-8")
    warn_of(name, robot.diagnostics, robot.links)
    return robot


def read_urdf_element(
    element: Element, path: Path, resources: ResourceFinder, *, root: Literal["fixed", "free"]
) -> RobotDescription:
    """The robot of a <robot> element in a file; raises ModelFileError."""
    refuse_xacro_element(element, str(path))
    return read_robot(XmlFile(str(path)), element, root, resources, path)


def _read(
    data: bytes,
    file: XmlFile,
    root: str,
    resources: ResourceFinder,
    source: Path | None,
    encoding: str | None = None,
) -> RobotDescription:
    element = parse_xml(data, file.name, encoding)
    refuse_xacro_element(element, file.name)
    return read_robot(file, element, root, resources, source)
