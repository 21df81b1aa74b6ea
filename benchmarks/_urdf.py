"""URDF files that every library reads as the same tree: bare of geometry, fixed joints lumped on request."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Link:
    """Mass [kg], its center (3,) [m] and inertia (3, 3) [kg m^2] about it, in link axes."""

    name: str
    mass: float = 0.0
    center: FloatArray = field(default_factory=lambda: np.zeros(3))
    inertia: FloatArray = field(default_factory=lambda: np.zeros((3, 3)))


@dataclass(frozen=True)
class Joint:
    """A revolute, prismatic or fixed joint; `pose` (4, 4) is the child link in the parent link."""

    name: str
    kind: str
    parent: str
    child: str
    pose: FloatArray
    axis: FloatArray


@dataclass(frozen=True)
class Robot:
    """Links and joints in file order."""

    links: list[Link]
    joints: list[Joint]

    @property
    def root(self) -> str:
        """The one link that no joint carries."""
        children = {joint.child for joint in self.joints}
        return next(link.name for link in self.links if link.name not in children)


def read(path: Path) -> Robot:
    """Read what matters for dynamics: inertials, joint poses and axes.

    Continuous joints come as revolute; a link `world`, which some libraries drop, comes as `ground`.
    """
    tree = ET.parse(path).getroot()
    return Robot([_link(e) for e in tree.findall("link")], [_joint(e) for e in tree.findall("joint")])


def lump(robot: Robot) -> Robot:
    """Merge each link that a fixed joint carries into the link it is fixed to."""
    fixed = {joint.child: joint for joint in robot.joints if joint.kind == "fixed"}

    def carrier(name: str) -> tuple[str, FloatArray]:
        if name not in fixed:
            return name, np.eye(4)
        parent, pose = carrier(fixed[name].parent)
        return parent, pose @ fixed[name].pose

    merged = {link.name: link for link in robot.links if link.name not in fixed}
    for link in robot.links:
        if link.name in fixed:
            parent, pose = carrier(link.name)
            merged[parent] = _add(merged[parent], _moved(link, pose))
    joints = []
    for joint in robot.joints:
        if joint.kind != "fixed":
            parent, pose = carrier(joint.parent)
            joints.append(replace(joint, parent=parent, pose=pose @ joint.pose))
    return Robot(list(merged.values()), joints)


def chain(bodies: int) -> Robot:
    """A serial chain on a fixed base: revolute joints about z, y and x in turn, 0.1 m and 0.5 kg a link."""
    links = [Link("base", 1.0, np.zeros(3), np.eye(3) * 1e-3)]
    joints = []
    axes = np.eye(3)[::-1]
    for i in range(bodies):
        inertia = np.diag([2e-3, 2.5e-3, 1e-3])
        links.append(Link(f"link{i}", 0.5, np.array([0.01, 0.0, 0.05]), inertia))
        pose = np.eye(4)
        pose[2, 3] = 0.1
        joints.append(Joint(f"joint{i}", "revolute", links[-2].name, links[-1].name, pose, axes[i % 3]))
    return Robot(links, joints)


def write(robot: Robot, path: Path, *, name: str, floating: bool = False) -> Path:
    """Write the robot; `floating` hangs the root from a world link by a floating joint `root_joint`."""
    root = ET.Element("robot", name=name)
    lumped = all(joint.kind != "fixed" for joint in robot.joints)
    ET.SubElement(ET.SubElement(root, "mujoco"), "compiler", fusestatic="true" if lumped else "false")
    if floating:
        ET.SubElement(root, "link", name="world")
    for link in robot.links:
        _write_link(root, link)
    if floating:
        hanger = ET.SubElement(root, "joint", name="root_joint", type="floating")
        ET.SubElement(hanger, "parent", link="world")
        ET.SubElement(hanger, "child", link=robot.root)
    for joint in robot.joints:
        _write_joint(root, joint)
    ET.indent(root)
    ET.ElementTree(root).write(path)
    return path


def _numbers(element: ET.Element | None, key: str, default: tuple[float, ...]) -> FloatArray:
    text = element.get(key) if element is not None else None
    return np.array([float(word) for word in text.split()] if text else default)


def _pose(element: ET.Element | None) -> FloatArray:
    pose = np.eye(4)
    pose[:3, :3] = Rotation.from_euler("xyz", _numbers(element, "rpy", (0.0, 0.0, 0.0))).as_matrix()
    pose[:3, 3] = _numbers(element, "xyz", (0.0, 0.0, 0.0))
    return pose


def _link_name(name: str) -> str:
    return "ground" if name == "world" else name


def _link(element: ET.Element) -> Link:
    name = _link_name(element.attrib["name"])
    inertial = element.find("inertial")
    if inertial is None:
        return Link(name)
    mass, moments = inertial.find("mass"), inertial.find("inertia")
    assert mass is not None and moments is not None
    xx, xy, xz, yy, yz, zz = (
        float(moments.attrib[key]) for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    )
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    pose = _pose(inertial.find("origin"))
    turned = pose[:3, :3] @ inertia @ pose[:3, :3].T
    return Link(name, float(mass.attrib["value"]), pose[:3, 3], turned)


def _joint(element: ET.Element) -> Joint:
    kind = {"continuous": "revolute"}.get(element.attrib["type"], element.attrib["type"])
    parent, child = element.find("parent"), element.find("child")
    assert parent is not None and child is not None
    axis = _numbers(element.find("axis"), "xyz", (1.0, 0.0, 0.0))
    pose = _pose(element.find("origin"))
    links = _link_name(parent.attrib["link"]), _link_name(child.attrib["link"])
    return Joint(element.attrib["name"], kind, *links, pose, axis)


def _moved(link: Link, pose: FloatArray) -> Link:
    rotation = pose[:3, :3]
    return replace(
        link, center=rotation @ link.center + pose[:3, 3], inertia=rotation @ link.inertia @ rotation.T
    )


def _add(a: Link, b: Link) -> Link:
    mass = a.mass + b.mass
    if mass == 0.0:
        return a
    center = (a.mass * a.center + b.mass * b.center) / mass
    inertia = _about(a, center) + _about(b, center)
    return Link(a.name, mass, center, inertia)


def _about(link: Link, point: FloatArray) -> FloatArray:
    arm = link.center - point
    return link.inertia + link.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))


def _text(values: FloatArray) -> str:
    return " ".join(repr(float(value)) for value in values)


def _roll_pitch_yaw(r: FloatArray) -> FloatArray:
    cosine = np.hypot(r[0, 0], r[1, 0])
    pitch = np.arctan2(-r[2, 0], cosine)
    if cosine < 1e-9:
        return np.array([np.arctan2(-r[1, 2], r[1, 1]), pitch, 0.0])
    return np.array([np.arctan2(r[2, 1], r[2, 2]), pitch, np.arctan2(r[1, 0], r[0, 0])])


def _write_origin(parent: ET.Element, pose: FloatArray) -> None:
    rpy = _roll_pitch_yaw(pose[:3, :3])
    ET.SubElement(parent, "origin", xyz=_text(pose[:3, 3]), rpy=_text(rpy))


def _moments(inertia: FloatArray) -> Iterator[tuple[str, str]]:
    for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)):
        yield f"i{'xyz'[i]}{'xyz'[j]}", repr(float(inertia[i, j]))


def _write_link(root: ET.Element, link: Link) -> None:
    element = ET.SubElement(root, "link", name=link.name)
    if link.mass > 0.0:
        inertial = ET.SubElement(element, "inertial")
        ET.SubElement(inertial, "origin", xyz=_text(link.center), rpy="0 0 0")
        ET.SubElement(inertial, "mass", value=repr(link.mass))
        ET.SubElement(inertial, "inertia", dict(_moments(link.inertia)))


def _write_joint(root: ET.Element, joint: Joint) -> None:
    element = ET.SubElement(root, "joint", name=joint.name, type=joint.kind)
    _write_origin(element, joint.pose)
    ET.SubElement(element, "parent", link=joint.parent)
    ET.SubElement(element, "child", link=joint.child)
    if joint.kind != "fixed":
        ET.SubElement(element, "axis", xyz=_text(joint.axis))
        ET.SubElement(element, "limit", lower="-1e3", upper="1e3", effort="1e6", velocity="1e6")
