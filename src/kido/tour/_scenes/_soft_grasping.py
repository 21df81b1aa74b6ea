"""A gripper whose fingers have pads of rubber."""

from __future__ import annotations

import numpy as np

from kido import gallery
from kido.description import Mimic, shape_inertia
from kido.shape import Box, Surface
from kido.skeleton import (
    ActuatorType,
    BodyNode,
    PrismaticJoint,
    ShapeNode,
    Skeleton,
    SoftBodyNode,
    WeldJoint,
    soften,
)
from kido.tour._parts import DARK, ORANGE, STEEL, TEAL, painted, placed
from kido.tour._stage import Stage
from kido.view import Orbit, Viewer
from kido.world import World

__all__ = ["soft_grasping"]

_EDGE, _MASS = 0.06, 0.4
"""Of the box [m, kg]."""
_PAD = (0.05, 0.024, 0.05)
"""Of a pad before it is pressed [m]."""
_THICKNESS, _STIFFNESS = 0.012, 1.5e4
"""Of the rubber [m, Pa]."""
_OPEN = 0.024
"""How far fingers open from where pads touch the box [m]."""
_GRIP, _LIFT = 25.0, 120.0
"""Forces of fingers and of the carriage [N]."""
_HIGH = 0.16
_PERIOD = 6.0
"""How high the box is lifted [m], and how often [s]."""
_PLAN = ((0.0, 0.0, True), (0.12, 0.0, False), (0.3, _HIGH, False), (0.65, 0.0, False), (0.85, 0.0, True))
"""From which share of the period on the carriage goes to which height [m], and whether the fingers open."""


def soft_grasping() -> Stage:
    """Pads of points and springs yield to the box and carry it by friction."""
    robot = _gripper()
    box = painted(gallery.box((_EDGE,) * 3, _MASS, name="box", surface=Surface(friction=0.9)), ORANGE)
    placed(box, (0.0, 0.0, 0.5 * _EDGE))
    world = World([gallery.ground(), robot, box], time_step=1e-3)
    world.signals.before("detect").connect(lambda moved: _drive(robot, moved.time))

    def panel(viewer: Viewer) -> None:
        pads = [body for body in robot.bodies if isinstance(body, SoftBodyNode)]
        viewer.add_plot(
            "height of the box, pads pressed by [mm]",
            lambda: [
                1e3 * box.com()[2],
                *(1e3 * float(np.abs(pad.displacements[:, 1]).max()) for pad in pads),
            ],
            names=["box", "left pad", "right pad"],
            seconds=12.0,
        )

    return Stage(what=world, camera=Orbit(18.0, 8.0), panel=panel, picture_time=3.0)


def _drive(robot: Skeleton, time: float) -> None:
    """Velocities of carriage and fingers, by the time alone."""
    share = time / _PERIOD % 1.0
    height, opens = next((height, opens) for start, height, opens in reversed(_PLAN) if share >= start)
    commands = np.zeros(robot.num_dofs)
    carriage, finger = robot.dof("carriage"), robot.dof("left_finger")
    commands[carriage.index] = np.clip(8.0 * (height - carriage.position), -0.15, 0.15)
    commands[finger.index] = 0.05 if opens else -0.05
    robot.commands = commands


def _gripper() -> Skeleton:
    made = Skeleton("soft gripper")
    block = Box((0.08, 0.2, 0.05))
    slide = PrismaticJoint("carriage", axis=(0, 0, 1), T_parent_joint=(0.0, 0.0, 0.2))
    carriage = made.add_body("carriage", None, slide, inertia=shape_inertia(block, 1.0))
    ShapeNode(carriage, "housing", block, material=DARK, collision=False)
    _servo(slide, _LIFT)
    for side, name in ((1.0, "left"), (-1.0, "right")):
        _add_finger(made, carriage, name, side)
    follower = made.joint("right_finger")
    follower.mimic = Mimic("left_finger")
    follower.actuator = ActuatorType.MIMIC
    made.mimic_enforced = True
    made.positions = [0.0, _OPEN, _OPEN]
    return made


def _add_finger(made: Skeleton, carriage: BodyNode, name: str, side: float) -> None:
    rod = Box((0.03, 0.014, 0.17))
    away = 0.5 * _EDGE + _PAD[1]
    joint = PrismaticJoint(
        f"{name}_finger", axis=(0, side, 0), T_parent_joint=(0.0, side * (away + 0.007), -0.105)
    )
    joint.position_lower_limits, joint.position_upper_limits = [-0.02], [_OPEN]
    finger = made.add_body(f"{name}_finger", carriage, joint, inertia=shape_inertia(rod, 0.15))
    ShapeNode(finger, f"{name}_rod", rod, material=STEEL, collision=False)
    _servo(joint, _GRIP)
    mount = WeldJoint(f"{name}_pad", T_parent_joint=(0.0, -side * (0.007 + 0.5 * _PAD[1]), -0.06))
    pad = made.add_body(f"{name}_pad", finger, mount, inertia=shape_inertia(Box(_PAD), 0.06))
    node = ShapeNode(pad, f"{name}_rubber", Box(_PAD), material=TEAL, surface=Surface(friction=1.2))
    soften(
        pad,
        thickness=_THICKNESS,
        stiffness=_STIFFNESS,
        damping_ratio=0.5,
        shape_node=node,
        divisions=(6, 4, 6),
    )


def _servo(joint: PrismaticJoint, force: float) -> None:
    joint.actuator = ActuatorType.SERVO
    joint.force_lower_limits, joint.force_upper_limits = [-force], [force]
