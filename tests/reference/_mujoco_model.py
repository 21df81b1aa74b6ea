"""Robots of example-robot-data as MuJoCo models, read straight from their URDF files, without shapes."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
from lxml import etree
from scipy.spatial.transform import Rotation

_JOINTS = {"revolute": "hinge", "continuous": "hinge", "prismatic": "slide"}


def mujoco_model(path: Path, root: str) -> mujoco.MjModel:
    """One MuJoCo body for each link; a free root is a free joint of the root link, called "root_joint"."""
    robot = etree.parse(str(path)).getroot()
    joints = robot.findall("joint")
    children = {joint.find("child").get("link") for joint in joints}
    model = etree.Element("mujoco")
    etree.SubElement(model, "compiler", angle="radian", boundmass="0", boundinertia="0", autolimits="false")
    world = etree.SubElement(model, "worldbody")
    links = {link.get("name"): link for link in robot.findall("link")}
    (base,) = (name for name in links if name not in children)
    body = world if base == "world" else _add_body(world, links[base], None)
    if root == "free":
        etree.SubElement(body, "freejoint", name="root_joint")
    stack = [(base, body)]
    while stack:
        parent, body = stack.pop()
        for joint in joints:
            if joint.find("parent").get("link") == parent:
                child = joint.find("child").get("link")
                below = _add_body(body, links[child], joint)
                stack.append((child, below))
    return mujoco.MjModel.from_xml_string(etree.tostring(model).decode())


def _numbers(element: etree._Element | None, key: str, default: str) -> np.ndarray:
    text = default if element is None else element.get(key, default)
    return np.array([float(word) for word in text.split()])


def _text(numbers: np.ndarray) -> str:
    return " ".join(repr(float(x)) for x in numbers)


def _rotation(origin: etree._Element | None) -> Rotation:
    return Rotation.from_euler("xyz", _numbers(origin, "rpy", "0 0 0"))


def _add_body(parent: etree._Element, link: etree._Element, joint: etree._Element | None) -> etree._Element:
    origin = None if joint is None else joint.find("origin")
    body = etree.SubElement(parent, "body", name=link.get("name"))
    body.set("pos", _text(_numbers(origin, "xyz", "0 0 0")))
    body.set("quat", _text(_rotation(origin).as_quat(scalar_first=True)))
    if joint is not None and joint.get("type") in _JOINTS:
        axis = _numbers(joint.find("axis"), "xyz", "1 0 0")
        etree.SubElement(
            body, "joint", name=joint.get("name"), type=_JOINTS[joint.get("type")], axis=_text(axis)
        )
    inertial = link.find("inertial")
    if inertial is not None and float(inertial.find("mass").get("value")) > 0.0:
        _add_inertia(body, inertial)
    return body


def _add_inertia(body: etree._Element, inertial: etree._Element) -> None:
    """Mass and principal moments about the principal axes."""
    i = {key: float(inertial.find("inertia").get(key)) for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")}
    moment = np.array(
        [[i["ixx"], i["ixy"], i["ixz"]], [i["ixy"], i["iyy"], i["iyz"]], [i["ixz"], i["iyz"], i["izz"]]]
    )
    origin = inertial.find("origin")
    principal, axes = np.linalg.eigh(moment)
    axes[:, 0] *= np.sign(np.linalg.det(axes))
    turn = _rotation(origin) * Rotation.from_matrix(axes)
    etree.SubElement(
        body,
        "inertial",
        mass=inertial.find("mass").get("value"),
        pos=_text(_numbers(origin, "xyz", "0 0 0")),
        quat=_text(turn.as_quat(scalar_first=True)),
        diaginertia=_text(principal),
    )
