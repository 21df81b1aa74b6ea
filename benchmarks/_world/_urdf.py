"""Skeletons as URDF, for libraries that read trees from files."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterable

import numpy as np
from scipy.spatial.transform import Rotation

import kido
from benchmarks._world._setup import UnsupportedSceneError, has_free_root, shapes_of
from kido.shape import Box, Capsule, Cylinder, Shape, Sphere

WORLD = "world"
"""The link that a tree without a free root hangs on."""
_LIMITLESS = {"effort": "1e6", "velocity": "1e6"}


def urdf(skeleton: kido.Skeleton, *, collision: bool) -> str:
    """A tree of revolute and prismatic joints; a free root is the first link.

    Lines are short, which PyBullet's reader needs.
    """
    root = ET.Element("robot", name=skeleton.name)
    if not has_free_root(skeleton):
        ET.SubElement(root, "link", name=WORLD)
    nodes = list(shapes_of(skeleton)) if collision else []
    for body in skeleton.bodies:
        link = _link(root, body)
        for node in nodes:
            if node.body is body:
                _collision(link, node)
    for joint in skeleton.joints:
        if not isinstance(joint, kido.FreeJoint):
            _joint(root, joint)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode")


def _link(root: ET.Element, body: kido.BodyNode) -> ET.Element:
    link, inertia = ET.SubElement(root, "link", name=body.name), body.inertia
    inertial = ET.SubElement(link, "inertial")
    ET.SubElement(inertial, "origin", xyz=_text(inertia.com), rpy="0 0 0")
    ET.SubElement(inertial, "mass", value=repr(inertia.mass))
    I = inertia.moment  # noqa: E741
    entries = {"ixx": I[0, 0], "ixy": I[0, 1], "ixz": I[0, 2], "iyy": I[1, 1], "iyz": I[1, 2], "izz": I[2, 2]}
    ET.SubElement(inertial, "inertia", {name: repr(float(x)) for name, x in entries.items()})
    return link


def _collision(link: ET.Element, node: kido.ShapeNode) -> None:
    collision = ET.SubElement(link, "collision")
    ET.SubElement(collision, "origin", _origin(node.relative_transform))
    name, attributes = _geometry(node.shape)
    ET.SubElement(ET.SubElement(collision, "geometry"), name, attributes)


def _geometry(shape: Shape) -> tuple[str, dict[str, str]]:
    match shape:
        case Box():
            return "box", {"size": _text(shape.size)}
        case Sphere():
            return "sphere", {"radius": repr(shape.radius)}
        case Capsule():
            return "capsule", {"radius": repr(shape.radius), "length": repr(shape.length)}
        case Cylinder():
            return "cylinder", {"radius": repr(shape.radius), "length": repr(shape.length)}
    raise UnsupportedSceneError(f"{shape} in URDF")


def _joint(root: ET.Element, joint: kido.Joint) -> None:
    low, high = (
        (joint.position_lower_limits[0], joint.position_upper_limits[0]) if joint.num_dofs else (0.0, 0.0)
    )
    limited = bool(np.isfinite([low, high]).all())
    match joint:
        case kido.RevoluteJoint():
            kind = "revolute" if limited else "continuous"
        case kido.PrismaticJoint():
            kind = "prismatic"
        case kido.WeldJoint():
            kind = "fixed"
        case _:
            raise UnsupportedSceneError(f"{joint} in URDF")
    assert np.allclose(joint.T_child_joint, np.eye(4)), joint
    element = ET.SubElement(root, "joint", name=joint.name, type=kind)
    parent = WORLD if joint.parent_body is None else joint.parent_body.name
    ET.SubElement(element, "parent", link=parent)
    ET.SubElement(element, "child", link=joint.child_body.name)
    ET.SubElement(element, "origin", _origin(joint.T_parent_joint))
    if joint.num_dofs:
        ET.SubElement(element, "axis", xyz=_text(joint.axis))  # type: ignore[attr-defined]
        bounds = {"lower": repr(float(low)), "upper": repr(float(high))} if limited else {}
        if kind == "prismatic" and not limited:
            bounds = {"lower": "-1e3", "upper": "1e3"}
        ET.SubElement(element, "limit", {**bounds, **_LIMITLESS})
        ET.SubElement(element, "dynamics", damping=repr(float(joint.damping[0])), friction="0")


def _origin(T: np.ndarray) -> dict[str, str]:
    return {"xyz": _text(T[:3, 3]), "rpy": _text(Rotation.from_matrix(T[:3, :3]).as_euler("xyz"))}


def _text(numbers: Iterable[float]) -> str:
    return " ".join(repr(float(x)) for x in numbers)
