"""A serial chain cut out of a robot's file, and written to one of its own."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks import _urdf

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class ChainLink:
    """A joint and the link it carries.

    Attributes:
        joint: its name.
        pose: (4, 4) on the link before [m].
        axis: (3,); zero for the tool, which is fixed.
        lower, upper, speed: limits [rad], [rad], [rad/s].
    """

    joint: str
    pose: FloatArray
    axis: FloatArray = field(default_factory=lambda: np.zeros(3))
    lower: float = 0.0
    upper: float = 0.0
    speed: float = 0.0


def read(path: Path, base: str, tip: str) -> list[ChainLink]:
    """The moving joints from one link to another, fixed ones joined to them, and the tool at the end."""
    carriers = {joint.child: joint for joint in _urdf.read(path).joints}
    limits = {e.attrib["name"]: e.find("limit") for e in ET.parse(path).getroot().findall("joint")}
    way = [carriers[tip]]
    while way[0].parent != base:
        way.insert(0, carriers[way[0].parent])
    links, pose = [], np.eye(4)
    for joint in way:
        pose = pose @ joint.pose
        if joint.kind != "fixed":
            limit = limits[joint.name]
            assert limit is not None
            numbers = (float(limit.attrib[key]) for key in ("lower", "upper", "velocity"))
            links.append(ChainLink(joint.name, pose, joint.axis, *numbers))
            pose = np.eye(4)
    return [*links, ChainLink("tool_mount", pose)]


def write(links: list[ChainLink], path: Path, name: str) -> Path:
    """Write the chain with links `base`, `link1`, ..., `tool`, each moving one with a mass of 1 kg."""
    inertia = 1e-2 * np.eye(3)
    names = ["base", *(f"link{i}" for i in range(1, len(links))), "tool"]
    bodies = [_urdf.Link(names[0])]
    bodies += [_urdf.Link(body, 1.0, np.zeros(3), inertia) for body in names[1:-1]]
    bodies.append(_urdf.Link(names[-1]))
    joints = [
        _urdf.Joint(link.joint, "revolute" if link.axis.any() else "fixed", *ends, link.pose, link.axis)
        for link, ends in zip(links, pairwise(names), strict=True)
    ]
    _urdf.write(_urdf.Robot(bodies, joints), path, name=name)
    _write_limits(links, path)
    return path


def _write_limits(links: list[ChainLink], path: Path) -> None:
    tree = ET.parse(path)
    elements = tree.getroot().findall("joint/limit")
    for element, link in zip(elements, links, strict=False):
        element.attrib.update(lower=repr(float(link.lower)), upper=repr(float(link.upper)))
        element.attrib.update(velocity=repr(float(link.speed)), effort="100")
    tree.write(path)
