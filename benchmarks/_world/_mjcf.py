"""Skeletons as text for MuJoCo."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from scipy.spatial.transform import Rotation

import kido
from kido.shape import Box, Capsule, Cylinder, Plane, Shape, Sphere


def mjcf(skeletons: Sequence[kido.Skeleton], options: str, geom: str) -> str:
    """Bodies with revolute and free joints and primitive shapes; those of one skeleton do not touch."""
    bodies = "".join(_skeleton(skeleton, index) for index, skeleton in enumerate(skeletons))
    return (
        f'<mujoco><compiler angle="radian" autolimits="true"/><option {options}/><size memory="400M"/>'
        f"<default><geom {geom}/></default><worldbody>{bodies}</worldbody></mujoco>"
    )


def _skeleton(skeleton: kido.Skeleton, index: int) -> str:
    bit = 1 << index % 30
    masks = f'contype="{bit}" conaffinity="{(2**31 - 1) & ~bit}"'
    if index >= 30 or skeleton.num_bodies == 1:
        masks = 'contype="1" conaffinity="2147483647"'
    roots = [body for body in skeleton.bodies if body.parent_body is None]
    return "".join(_body(skeleton, body, masks) for body in roots)


def _body(skeleton: kido.Skeleton, body: kido.BodyNode, masks: str) -> str:
    joint, inertia = body.parent_joint, body.inertia
    T = joint.T_parent_joint @ np.linalg.inv(joint.T_child_joint)
    geoms = "".join(_geom(node, masks) for node in body.nodes(kido.ShapeNode) if node.collision)
    if joint.num_dofs == 0 and body.parent_body is None:
        return geoms
    moving = _joint(joint)
    if isinstance(joint, kido.FreeJoint):
        T = body.transform()
    J = inertia.moment
    own = (
        f'<inertial pos="{_text(inertia.com)}" mass="{inertia.mass}" '
        f'fullinertia="{_text((J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]))}"/>'
    )
    children = "".join(_body(skeleton, child, masks) for child in body.child_bodies)
    return f'<body name="{skeleton.name}/{body.name}" {_pose(T)}>{own}{moving}{geoms}{children}</body>'


def _joint(joint: kido.Joint) -> str:
    name = f'name="{joint.skeleton.name}/{joint.name}"'
    if isinstance(joint, kido.FreeJoint):
        return f"<freejoint {name}/>"
    if joint.num_dofs == 0:
        return ""
    assert isinstance(joint, kido.RevoluteJoint)
    T = joint.T_child_joint
    low, high = joint.position_lower_limits[0], joint.position_upper_limits[0]
    limits = f' range="{low} {high}"' if np.isfinite([low, high]).all() else ""
    axis = T[:3, :3] @ joint.axis
    damping = f' damping="{joint.damping[0]}"'
    return f'<joint {name} type="hinge" pos="{_text(T[:3, 3])}" axis="{_text(axis)}"{limits}{damping}/>'


def _geom(node: kido.ShapeNode, masks: str) -> str:
    kind, size = _size(node.shape)
    return f'<geom type="{kind}" size="{_text(size)}" {_pose(node.relative_transform)} {masks}/>'


def _size(shape: Shape) -> tuple[str, Iterable[float]]:
    match shape:
        case Sphere():
            return "sphere", (shape.radius,)
        case Capsule():
            return "capsule", (shape.radius, shape.length / 2)
        case Cylinder():
            return "cylinder", (shape.radius, shape.length / 2)
        case Box():
            return "box", shape.size / 2
        case Plane():
            return "plane", (50.0, 50.0, 1.0)
    raise TypeError(shape)


def _pose(T: np.ndarray) -> str:
    x, y, z, w = Rotation.from_matrix(T[:3, :3]).as_quat()
    return f'pos="{_text(T[:3, 3])}" quat="{_text((w, x, y, z))}"'


def _text(numbers: Iterable[float]) -> str:
    return " ".join(repr(float(x)) for x in numbers)
