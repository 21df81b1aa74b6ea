"""A planetary gear that lifts a weight by a rack."""

from __future__ import annotations

import numpy as np

from kido.constraint import GearConstraint
from kido.description import Material, shape_inertia
from kido.shape import Box, Capsule, Cylinder, Mesh
from kido.skeleton import (
    ActuatorType,
    BodyNode,
    PrismaticJoint,
    RevoluteJoint,
    ShapeNode,
    Skeleton,
    WeldJoint,
)
from kido.tour._parts import BRASS, DARK, ORANGE, STEEL, TEAL, between, material
from kido.tour._stage import Stage
from kido.typing import FloatArray
from kido.view import Orbit, Viewer
from kido.world import World

__all__ = ["planetary_gears"]

_MODULE = 0.02
"""Diameter of a gear by its number of teeth [m]."""
_SUN, _PLANET, _RING = 18, 15, 48
"""Numbers of teeth; the ring has as many as the sun and two planets."""
_THICK = 0.08
_HEIGHT = 0.72
"""Of the axis over the ground [m]."""
_PINION, _FRONT = 12, -0.13
"""Number of teeth of the pinion that lifts the rack, and where both stand along the axis [m]."""
_WEIGHT, _TORQUE = 20.0, 40.0
"""Of what is lifted [kg], and of the motor at most [N m]."""
_SPEED = 2.5
"""Of the sun [rad/s]."""
_ALONG_Y = between((0.0, -1.0, 0.0), (0.0, 1.0, 0.0))
_IRON: Material = material("iron", 0.45, 0.48, 0.53)


def planetary_gears() -> Stage:
    """The sun turns three planets in a ring that stands still; a pinion on their carrier lifts a rack."""
    gears, weight = _gears(), _weight()
    world = World([gears, weight], time_step=1e-3)
    carrier = gears.dof("carrier")
    world.constraints.add(GearConstraint(gears.dof("sun"), carrier, ratio=1.0 + _RING / _SUN))
    for i in range(3):
        world.constraints.add(GearConstraint(gears.dof(f"planet {i}"), carrier, ratio=-_RING / _PLANET))
    world.constraints.add(GearConstraint(weight.dof("rack"), carrier, ratio=0.5 * _MODULE * _PINION))
    motor = gears.dof("sun")
    motor.command = _SPEED

    def turn_back(world: World) -> None:
        height = weight.positions[0]
        if (height > 0.30 and motor.command > 0.0) or (height < 0.0 and motor.command < 0.0):
            motor.command = -motor.command

    world.signals.before("detect").connect(turn_back)

    def panel(viewer: Viewer) -> None:
        def drive(speed: float) -> None:
            motor.command = speed if motor.command >= 0.0 else -speed

        viewer.add_slider("speed of the sun [rad/s]", 0.0, 6.0, value=_SPEED, on_change=drive)
        viewer.add_plot("torque of the motor [N m]", lambda: world.joint_forces(gears).actuators[motor.index])

    return Stage(what=world, camera=Orbit(-76.0, 10.0, 1.1), panel=panel, picture_time=1.3)


def _gears() -> Skeleton:
    """The gears about an axis along y: positive angles turn z towards x."""
    made = Skeleton("gears")
    base = made.add_body("ring", joint=WeldJoint("stand", T_parent_joint=(0.0, 0.0, _HEIGHT)))
    apart = 0.5 * _MODULE * (_SUN + _PLANET)
    first = _mesh_angle(0.0)
    _show(base, "ring", _toothed(_RING, inside=True), BRASS, _ring_angle(first))
    for x in (-0.4, 0.4):
        foot = Box((0.12, 0.10, _HEIGHT - 0.38))
        ShapeNode(base, f"foot {x}", foot, (x, 0.0, 0.5 * (_HEIGHT - 0.38) - _HEIGHT), material=DARK)
    ShapeNode(base, "plate", Box((1.1, 0.4, 0.04)), (0.0, 0.0, 0.02 - _HEIGHT), material=DARK)
    _add_gear(made, "sun", base, (0.0, 0.0, 0.0), _toothed(_SUN), 4.0, ORANGE, 0.0)
    made.joint("sun").actuator = ActuatorType.SERVO
    made.joint("sun").force_lower_limits, made.joint("sun").force_upper_limits = -_TORQUE, _TORQUE
    carrier = made.add_body(
        "carrier", base, _axle("carrier", (0.0, 0.0, 0.0)), inertia=shape_inertia(Box((0.3, 0.04, 0.3)), 3.0)
    )
    _show(carrier, "pinion", _toothed(_PINION), TEAL, 0.0, _FRONT)
    for i in range(3):
        angle = 2.0 * np.pi * i / 3.0
        at = apart * np.cos(angle), 0.0, apart * np.sin(angle)
        _add_gear(made, f"planet {i}", carrier, at, _toothed(_PLANET), 2.0, STEEL, _mesh_angle(angle))
        spoke = between((0.0, -0.075, 0.0), (at[0], -0.075, at[2]))
        ShapeNode(carrier, f"spoke {i}", Capsule(0.025, apart), spoke, material=TEAL)
    for node in made.nodes(ShapeNode):
        node.collision = False
    return made


def _weight() -> Skeleton:
    """The weight, and the rack from which it hangs, right of the pinion."""
    made = Skeleton("weight")
    pitch, radius = np.pi * _MODULE, 0.5 * _MODULE * _PINION
    joint = PrismaticJoint("rack", (0.0, 0.0, 1.0), T_parent_joint=(radius, _FRONT, _HEIGHT))
    size = (0.16, 0.16, 0.16)
    low = np.eye(4)
    low[:3, 3] = 0.05, 0.0, -0.50
    body = made.add_body("weight", joint=joint, inertia=shape_inertia(Box(size), _WEIGHT, low))
    ShapeNode(body, "weight", Box(size), low, material=_IRON)
    ShapeNode(body, "rack", Box((0.03, 0.06, 0.55)), (0.04, 0.0, -0.16), material=BRASS)
    for k in range(-6, 2):
        tooth = Box((0.04, 0.06, 0.42 * pitch))
        ShapeNode(body, f"tooth {k}", tooth, (0.012, 0.0, (k + 0.5) * pitch), material=BRASS)
    for node in body.shape_nodes:
        node.collision = False
    return made


def _axle(name: str, at: tuple[float, float, float]) -> RevoluteJoint:
    joint = RevoluteJoint(name, (0.0, -1.0, 0.0), T_parent_joint=at)
    joint.damping = 0.02
    return joint


def _add_gear(
    made: Skeleton,
    name: str,
    parent: BodyNode,
    at: tuple[float, float, float],
    shape: Mesh,
    mass: float,
    color: Material,
    angle: float,
) -> BodyNode:
    radius = 0.5 * _MODULE * (_SUN if name == "sun" else _PLANET)
    inertia = shape_inertia(Cylinder(radius, _THICK), mass, _ALONG_Y)
    body = made.add_body(name, parent, _axle(name, at), inertia=inertia)
    _show(body, name, shape, color, angle)
    ShapeNode(body, f"{name} axle", Cylinder(0.025, 0.16), _ALONG_Y, material=DARK)
    return body


def _show(body: BodyNode, name: str, shape: Mesh, color: Material, angle: float, along: float = 0.0) -> None:
    """Show a gear turned by an angle from x to z [rad], at a place along the axis [m]."""
    T = np.eye(4)
    T[1, 3] = along
    c, s = np.cos(angle), np.sin(angle)
    T[:3, :3] = [[c, 0.0, -s], [0.0, 1.0, 0.0], [s, 0.0, c]]
    ShapeNode(body, name, shape, T, material=color)


def _mesh_angle(direction: float) -> float:
    """Angle of a planet in a direction from the sun, whose tooth points along x, so that teeth mesh [rad]."""
    tooth = direction * _SUN / (2.0 * np.pi)
    return float(direction + np.pi - (0.5 - tooth) * 2.0 * np.pi / _PLANET)


def _ring_angle(planet: float) -> float:
    """Angle of the ring that meshes with the planet along x, which stands at an angle [rad]."""
    return float((planet * _PLANET - np.pi) / _RING)


def _toothed(count: int, *, inside: bool = False) -> Mesh:
    """A gear with trapezoidal teeth, one of which points along x, in the plane x z; or a ring."""
    pitch, head, foot = 0.5 * _MODULE * count, 0.92 * _MODULE, 1.1 * _MODULE
    inner, outer = (pitch - head, pitch + foot) if inside else (pitch - foot, pitch + head)
    quarter = np.pi / (2.0 * count)
    # Half angles of a tooth at its foot and at its head, by the thickness of a tooth at the pitch circle.
    at_foot, at_head = 1.35 * quarter, 0.55 * quarter
    rim: list[tuple[float, float]] = []
    for k in range(count):
        middle = 2.0 * np.pi * k / count
        if inside:
            flank = ((outer, -at_foot), (inner, -at_head), (inner, at_head), (outer, at_foot))
        else:
            flank = ((inner, -at_foot), (outer, -at_head), (outer, at_head), (inner, at_foot))
        rim += [(radius, middle + angle) for radius, angle in flank]
    edge = np.array([(r * np.cos(a), r * np.sin(a)) for r, a in rim])
    hub_radius = outer + 0.06 if inside else 0.025
    angles = np.array([a for _, a in rim])
    hub = hub_radius * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return _extruded(edge, hub) if not inside else _extruded(hub, edge)


def _extruded(outer: FloatArray, inner: FloatArray) -> Mesh:
    """Solid between two closed lines (n, 2) around the origin, counterclockwise in x and z."""
    n, half = len(outer), 0.5 * _THICK
    corners = [(line, y) for line in (outer, inner) for y in (-half, half)]
    vertices = np.concatenate(
        [np.stack([line[:, 0], np.full(n, y), line[:, 1]], axis=1) for line, y in corners]
    )
    i = np.arange(n)
    j = (i + 1) % n
    front, back, hole_front, hole_back = (k * n for k in range(4))
    quads = [
        (front + i, front + j, back + j, back + i),
        (hole_front + j, hole_front + i, hole_back + i, hole_back + j),
        (hole_front + i, hole_front + j, front + j, front + i),
        (back + i, back + j, hole_back + j, hole_back + i),
    ]
    triangles = np.concatenate([[(a, b, c), (a, c, d)] for a, b, c, d in quads], axis=0)
    return Mesh(None, vertices=vertices, triangles=np.moveaxis(triangles, 1, 2).reshape(-1, 3))
