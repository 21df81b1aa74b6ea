"""URDF robots that an <include> names, as the <model> that says the same."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from kido.description import Diagnostic
from kido.io._resources import ResourceFinder
from kido.io._urdf import read_urdf_element
from kido.io._writers import sdf_string
from kido.io._xml import Element, parse_xml

__all__ = ["model_of_urdf"]

_HARMLESS = "root"


def model_of_urdf(
    element: Element, path: Path, resources: ResourceFinder
) -> tuple[Element, tuple[Diagnostic, ...]]:
    """The <sdf> element of a <robot>, and what is doubtful in the robot or not in that element.

    The robot stands free, as models do, where its root is no empty link "world". Meshes are named by their
    paths. Raises ModelFileError.
    """
    robot = read_urdf_element(element, path, resources, root="free")
    written = sdf_string(robot, names="absolute")
    lost = (replace(note, file=str(path)) for note in written.diagnostics)
    doubts = (note for note in robot.diagnostics if note.kind != _HARMLESS)
    return parse_xml(written.text.encode(), str(path), "utf-8"), (*doubts, *lost)
