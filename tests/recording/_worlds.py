"""Worlds for recordings, and what is compared of them."""

from __future__ import annotations

import numpy as np

import kido
from kido import ActuatorType, Inertia, Skeleton, World, gallery


def arm(name: str = "arm") -> Skeleton:
    """Links on a free root: with limits, friction, springs and a servo."""
    made = Skeleton(name)
    inertia = Inertia(0.5, (0, 0, 0), 0.004 * np.eye(3))
    body = made.add_body("root", joint=kido.FreeJoint("root"), inertia=inertia)
    kido.ShapeNode(body, "root", kido.shape.Sphere(0.08))
    for i, actuator in enumerate((ActuatorType.FORCE, ActuatorType.SERVO, ActuatorType.VELOCITY)):
        joint = kido.RevoluteJoint(f"joint_{i}", np.roll((0.0, 0.0, 1.0), i), T_parent_joint=(0.2, 0, 0))
        body = made.add_body(f"link_{i}", body, joint, inertia=inertia)
        kido.ShapeNode(body, f"link_{i}", kido.shape.Sphere(0.06))
        joint.actuator = actuator
    ball = kido.BallJoint("wrist", T_parent_joint=(0.2, 0, 0))
    body = made.add_body("hand", body, ball, inertia=inertia)
    kido.ShapeNode(body, "hand", kido.shape.Box((0.1, 0.1, 0.1)))
    made.position_lower_limits = [-np.inf] * 6 + [-0.6] * 3 + [-np.inf] * 3
    made.position_upper_limits = [np.inf] * 6 + [0.5] * 3 + [np.inf] * 3
    made.coulomb_friction = [0.0] * 6 + [0.02] * 3 + [0.0] * 3
    made.damping = [0.0] * 6 + [0.01] * 6
    made.force_upper_limits = [np.inf] * 6 + [4.0] * 3 + [np.inf] * 3
    made.force_lower_limits = [-np.inf] * 6 + [-4.0] * 3 + [-np.inf] * 3
    made.positions = [0.1, -0.2, 0.3, 0.0, 0.0, 0.4, 0.2, -0.1, 0.1, 0.1, 0.2, -0.3]
    return made


def box(name: str, height: float, shift: float = 0.0) -> Skeleton:
    """A box over the ground."""
    made = gallery.box((0.2, 0.3, 0.1), 1.0, name=name)
    made.positions = [0.2, 0.1, 0.3, shift, 0.1 * shift, height]
    made.velocities = [1.0, -2.0, 0.5, 0.3, 0.0, 0.0]
    return made


def falling(*, time_step: float = 1e-3) -> World:
    """An arm and two boxes that fall on the ground."""
    return World([gallery.ground(), arm(), box("low", 0.3, 0.7), box("high", 0.5, 0.75)], time_step=time_step)


def numbers_of(world: World) -> dict[str, bytes]:
    """All that a world is and does next, as bytes by what they are."""
    parts: dict[str, object] = {"time": [world.time, world.num_steps]}
    for skeleton in world.skeletons:
        for what in ("positions", "velocities", "accelerations", "commands"):
            parts[f"{skeleton.name} {what}"] = getattr(skeleton, what)
    for skeleton in world.skeletons[1:]:
        step = world.last_step(skeleton)
        for what in ("external", "contacts", "constraints", "joint_wrenches", "actuators", "limits"):
            parts[f"{skeleton.name} {what} of the last step"] = getattr(step, what)
    for i, contact in enumerate(world.contacts):
        parts[f"contact {i}"] = [*contact.point, *contact.normal, *contact.force, contact.depth]
    return {what: np.array(part, dtype=float).tobytes() for what, part in parts.items()}


def assert_same_course(one: World, other: World, steps: int = 40) -> None:
    """Both are the same now, and after some steps."""
    for count in (0, 1, steps):
        one.step(count)
        other.step(count)
        ours, theirs = numbers_of(one), numbers_of(other)
        assert [what for what in theirs if ours.get(what) != theirs[what]] == []
        assert ours.keys() == theirs.keys()
