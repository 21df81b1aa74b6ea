"""Parts of the gallery: solids, revolute and prismatic joints, and links that consist of solids."""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np

from kido.description import Inertia, Material, ShapePlacement, combined_inertia, shape_inertia, shape_volume
from kido.shape import Box, Capsule, Cylinder, Sphere
from kido.skeleton import BodyNode, Joint, PrismaticJoint, RevoluteJoint, ShapeNode, Skeleton
from kido.typing import FloatArray

__all__ = [
    "BLUE",
    "DARK",
    "ORANGE",
    "ORIGIN",
    "RUBBER",
    "STEEL",
    "WHITE",
    "Vector",
    "X",
    "Y",
    "Z",
    "add_link",
    "ball",
    "block",
    "drum",
    "hinge",
    "positive",
    "rod",
    "slide",
]

Vector: TypeAlias = tuple[float, float, float]

ORIGIN: Vector = (0.0, 0.0, 0.0)
X: Vector = (1.0, 0.0, 0.0)
Y: Vector = (0.0, 1.0, 0.0)
Z: Vector = (0.0, 0.0, 1.0)

WHITE = Material("white", (0.93, 0.93, 0.91, 1.0))
ORANGE = Material("orange", (0.95, 0.52, 0.16, 1.0))
BLUE = Material("blue", (0.22, 0.46, 0.72, 1.0))
STEEL = Material("steel", (0.66, 0.69, 0.72, 1.0))
DARK = Material("dark", (0.24, 0.26, 0.29, 1.0))
RUBBER = Material("rubber", (0.10, 0.10, 0.11, 1.0))


def block(size: Vector, center: Vector = ORIGIN, material: Material = WHITE) -> ShapePlacement:
    """A box."""
    return ShapePlacement(None, Box(size), _at(center), material)


def ball(radius: float, center: Vector = ORIGIN, material: Material = WHITE) -> ShapePlacement:
    """A sphere."""
    return ShapePlacement(None, Sphere(radius), _at(center), material)


def rod(start: Vector, end: Vector, radius: float, material: Material = WHITE) -> ShapePlacement:
    """A capsule, its half spheres around two points."""
    return ShapePlacement(None, Capsule(radius, math.dist(start, end)), _between(start, end), material)


def drum(start: Vector, end: Vector, radius: float, material: Material = WHITE) -> ShapePlacement:
    """A cylinder from one point to another."""
    return ShapePlacement(None, Cylinder(radius, math.dist(start, end)), _between(start, end), material)


def add_link(
    skeleton: Skeleton, name: str, parent: BodyNode | None, joint: Joint, mass: float, *solids: ShapePlacement
) -> BodyNode:
    """Add a body that consists of solids, all of the same density."""
    body = skeleton.add_body(name, parent, joint, inertia=_inertia(mass, solids))
    for index, solid in enumerate(solids):
        node_name = name if len(solids) == 1 else f"{name}_{index + 1}"
        ShapeNode(body, node_name, solid.shape, solid.origin, material=solid.material)
    return body


def hinge(
    name: str,
    axis: Vector,
    at: Vector,
    limits: tuple[float, float] = (-math.inf, math.inf),
    *,
    torque: float = math.inf,
    speed: float = math.inf,
    damping: float = 0.0,
    start: float = 0.0,
) -> RevoluteJoint:
    """A revolute joint at a point of the parent; limits and start [rad], torque [N m], speed [rad/s]."""
    joint = RevoluteJoint(name, axis, T_parent_joint=at)
    _rate(joint, limits, torque, speed, damping, start)
    return joint


def slide(
    name: str,
    axis: Vector,
    at: Vector,
    limits: tuple[float, float] = (-math.inf, math.inf),
    *,
    force: float = math.inf,
    speed: float = math.inf,
    damping: float = 0.0,
    start: float = 0.0,
) -> PrismaticJoint:
    """A prismatic joint at a point of the parent; limits and start [m], force [N], speed [m/s]."""
    joint = PrismaticJoint(name, axis, T_parent_joint=at)
    _rate(joint, limits, force, speed, damping, start)
    return joint


def positive(name: str, value: float, unit: str) -> float:
    """`value` as a float; raises ValueError if it is not positive and finite."""
    number = float(value)
    if not (math.isfinite(number) and number > 0.0):
        raise ValueError(f"{name}: expected a positive finite number [{unit}], got {number}")
    return number


def _rate(
    joint: Joint, limits: tuple[float, float], force: float, speed: float, damping: float, start: float
) -> None:
    joint.set_position_limits(*limits)
    joint.force_lower_limits, joint.force_upper_limits = -force, force
    joint.velocity_lower_limits, joint.velocity_upper_limits = -speed, speed
    joint.damping = damping
    joint.initial_positions = start
    joint.reset_positions()


def _inertia(mass: float, solids: tuple[ShapePlacement, ...]) -> Inertia:
    volume = math.fsum(shape_volume(solid.shape) for solid in solids)
    return combined_inertia(
        shape_inertia(solid.shape, mass * shape_volume(solid.shape) / volume, solid.origin)
        for solid in solids
    )


def _at(center: Vector) -> FloatArray:
    T = np.eye(4)
    T[:3, 3] = center
    return T


def _between(start: Vector, end: Vector) -> FloatArray:
    """Pose halfway, with z towards `end`."""
    T = _at((0.0, 0.0, 0.0))
    T[:3, 3] = (np.array(start) + end) / 2.0
    z = np.subtract(end, start) / math.dist(start, end)
    helper = np.eye(3)[int(np.argmin(np.abs(z)))]
    x = np.cross(helper, z) / np.linalg.norm(np.cross(helper, z))
    T[:3, :3] = np.column_stack([x, np.cross(z, x), z])
    return T
