"""A hand with two fingers that builds towers of boxes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from kido import gallery
from kido.frame import WORLD
from kido.math import so3_log
from kido.shape import Cylinder, Surface
from kido.skeleton import ActuatorType, EndEffector, ShapeNode, Skeleton, WeldJoint
from kido.tour._parts import BRASS, DARK, ORANGE, TEAL, fixed, painted, placed
from kido.tour._stage import Stage
from kido.typing import FloatArray
from kido.view import Orbit, Viewer
from kido.world import World

__all__ = ["hand_grasping"]

_EDGE, _MASS = 0.045, 0.12
"""Of a box [m, kg]."""
_PLACES = ((0.5, -0.2), (0.5, 0.2))
"""Where towers stand (2,) [m]."""
_PERIOD = 12.0
"""Time for a tower [s]."""
_TRAVEL = 0.21
"""Height at which the hand carries boxes [m]."""
_GRIP = 20.0
"""Force of the fingers [N]."""
_GAIN, _SPEED = 8.0, 0.45
"""Of the hand's position errors [1/s], and its largest speed [m/s]."""
_STEPS = 5
"""Of the world from one command to the next."""
_REST = np.array([0.45, 0.0, _TRAVEL])
"""Where the hand waits (3,) [m]."""
_FINGER, _CLEARANCE = 0.0485, 0.04
"""Distance of an open finger from the middle of the hand, and at least from that of another box [m]."""
_QUARTERS = (0.0, 0.5 * math.pi)
_POSTURE = (0.0, 0.45, 0.0, 1.75, 0.0, math.pi - 2.2, 0.0)
"""Of the arm, which it keeps where the hand leaves it free to [rad]."""


def hand_grasping() -> Stage:
    """The fingers close until the box stops them; friction carries it from tower to tower."""
    robot = _robot()
    boxes = [
        painted(gallery.box((_EDGE,) * 3, _MASS, name=name, surface=Surface(friction=0.9)), color)
        for name, color in (("orange box", ORANGE), ("teal box", TEAL), ("brass box", BRASS))
    ]
    for level, box in enumerate(boxes):
        placed(box, _goal(_PLACES[0], level))
    world = World([gallery.ground(), robot, *boxes, *map(_mark, range(len(_PLACES)))], time_step=1e-3)
    _Builder(world, robot, boxes)

    def knock() -> None:
        for i, box in enumerate(boxes):
            box.velocities = [0.0, 0.0, 0.0, 0.25 * math.cos(2.1 * i), 0.25 * math.sin(2.1 * i), 0.6]

    def panel(viewer: Viewer) -> None:
        viewer.add_button("Knock the tower over", knock)
        viewer.add_plot(
            "heights of the boxes [m]",
            lambda: [box.com()[2] for box in boxes],
            names=[box.name for box in boxes],
            seconds=20.0,
        )

    return Stage(what=world, camera=Orbit(32.0, 18.0, 1.1), panel=panel, picture_time=5.3)


def _robot() -> Skeleton:
    """An arm with a gripper, whose joints are servos."""
    robot = gallery.arm7()
    gripper = gallery.gripper()
    flange = robot.end_effector("tool").relative_transform[:3, 3]
    mount = WeldJoint("gripper_mount", T_parent_joint=flange)
    gripper.body("gripper").move_to(robot.body("link_7"), joint=mount)
    for side in ("left", "right"):
        for node in robot.body(f"{side}_finger").nodes(ShapeNode):
            node.surface = Surface(friction=0.9)
    for joint in robot.joints:
        if joint.num_dofs == 1 and joint.actuator is ActuatorType.FORCE:
            joint.actuator = ActuatorType.SERVO
    finger = robot.joint("left_slide")
    finger.force_lower_limits, finger.force_upper_limits = -_GRIP, _GRIP
    for dof, angle in zip(robot.dofs, _POSTURE, strict=False):
        dof.position = angle
    return robot


def _mark(index: int) -> Skeleton:
    """A disk on the ground where a tower stands, which nothing touches."""
    made = fixed(f"place {index + 1}", Cylinder(0.07, 0.002), (*_PLACES[index], 0.001), DARK)
    for node in made.nodes(ShapeNode):
        node.collision = False
    return made


def _goal(place: tuple[float, float], level: int) -> FloatArray:
    """Center of a box of a tower (3,) [m]."""
    return np.array([*place, (level + 0.5) * _EDGE])


class _Builder:
    """Moves one box after the other onto a tower, whose place changes every so many seconds.

    What it does next depends on the time and on where hand and boxes are, and on nothing that was before:
    a box that was dragged away is fetched, and a world that went back in time goes on from there.
    """

    def __init__(self, world: World, robot: Skeleton, boxes: list[Skeleton]) -> None:
        self._robot, self._boxes = robot, boxes
        self._grasp = robot.node(EndEffector, "grasp")
        self._finger = robot.dof("left_slide")
        self._most = np.array(robot.velocity_upper_limits[:7])
        world.signals.before("detect").connect(self._act)

    def _act(self, world: World) -> None:
        if world.num_steps % _STEPS == 0:
            twist, finger = self._decide(world.time)
            commands = np.array(self._robot.commands)
            commands[:7] = self._joint_velocities(twist)
            commands[self._finger.index] = finger
            self._robot.commands = commands

    # ---- what to do

    def _decide(self, moment: float) -> tuple[FloatArray, float]:
        """Velocity of the hand, angular and linear (6,) [rad/s, m/s], and of the finger [m/s]."""
        hand, opening = self._grasp.transform(), self._finger.position
        poses = [box.bodies[0].transform() for box in self._boxes]
        inside = _inside(hand, poses)
        box, goal = self._next(moment, inside, poses)
        lets_go = inside is not None and inside != box and opening < 0.5 * _EDGE + 0.004
        if box is None:
            return self._towards(hand, hand[:3, 3], _REST, 0.0, lets_go), 0.1
        T = poses[box]
        if inside == box and opening < 0.5 * _EDGE + 0.001:  # it is held
            away = goal - T[:3, 3]
            there = np.hypot(*away[:2]) < 0.003 and abs(away[2]) < 0.002
            yaw = _yaw(hand) - _nearest_quarter(_flat_angle(T), 0.0)
            return self._towards(hand, T[:3, 3], goal, yaw, there), 0.1 if there else -0.1
        yaw = self._yaw_beside(box, poses, _yaw(hand))
        away = T[:3, 3] - hand[:3, 3]
        around = np.hypot(*away[:2]) < 0.0025 and abs(away[2]) < 0.004 and abs(yaw - _yaw(hand)) < 0.05
        return self._towards(hand, hand[:3, 3], T[:3, 3], yaw, lets_go), -0.1 if around else 0.1

    def _next(
        self, moment: float, inside: int | None, poses: Sequence[FloatArray]
    ) -> tuple[int | None, FloatArray]:
        """The box to move and its place on the tower (3,) [m]; None where the tower stands, or no box is in
        reach: the box between the fingers, or one that has room for them, the highest first."""
        place = _PLACES[int(moment // _PERIOD + 1) % 2]
        left = list(range(len(poses)))
        for level in range(len(poses)):
            goal = _goal(place, level)
            there = [k for k in left if _is_at(poses[k], goal)]
            if not there:
                break
            left.remove(there[0])
        reached = [k for k in left if 0.25 < np.hypot(*poses[k][:2, 3]) < 0.8]
        if not reached:
            return None, np.zeros(3)
        if inside in reached:
            return inside, goal
        room = {k: max(_room(k, poses, _flat_angle(poses[k]) + turn) for turn in _QUARTERS) for k in reached}
        return max(reached, key=lambda k: (room[k] > 0.0, round(poses[k][2, 3] / _EDGE), -k)), goal

    def _yaw_beside(self, box: int, poses: Sequence[FloatArray], near: float) -> float:
        """Angle at which the hand takes a box: the nearest one to its own, where there is room."""
        nearest = _nearest_quarter(_flat_angle(poses[box]), min(max(near, -1.6), 1.6))
        if _room(box, poses, nearest) > 0.0:
            return nearest
        other = nearest - math.copysign(_QUARTERS[1], nearest)
        return other if _room(box, poses, other) > 0.0 else nearest

    # ---- how to move

    def _towards(
        self, hand: FloatArray, point: FloatArray, goal: FloatArray, yaw: float, still: bool
    ) -> FloatArray:
        """Velocity (6,) that brings a point (3,) of the hand to a goal (3,) [m] from above, and the hand to
        an angle about the vertical [rad]; zero where it is to stand still."""
        if still:
            return np.zeros(6)
        c, s = math.cos(yaw), math.sin(yaw)
        R = np.array([[-c, -s, 0.0], [-s, c, 0.0], [0.0, 0.0, -1.0]])
        away = goal - point
        far = min(max((np.hypot(*away[:2]) - 0.004) / 0.04, 0.0), 1.0)
        away[2] += far * max(_TRAVEL - goal[2], 0.03)
        away[:2] *= min(max(1.0 - away[2] / 0.04, 0.0), 1.0)
        linear = _GAIN * away
        linear *= min(1.0, _SPEED / max(float(np.linalg.norm(linear)), 1e-9))
        angular = 0.5 * _GAIN * so3_log(R @ hand[:3, :3].T)
        return np.concatenate([np.clip(angular, -1.5, 1.5), linear])

    def _joint_velocities(self, twist: FloatArray) -> FloatArray:
        """Velocities of the arm (7,) [rad/s] that move the hand so; what is left free goes to the posture."""
        J = self._robot.jacobian(self._grasp, in_coordinates_of=WORLD)[:, :7]
        inverse = J.T @ np.linalg.inv(J @ J.T + 1e-5 * np.eye(6))
        posture = np.array(_POSTURE) - self._robot.positions[:7]
        velocities = inverse @ twist + (np.eye(7) - inverse @ J) @ posture
        return np.asarray(velocities / max(1.0, float(np.abs(velocities / self._most).max())))


def _is_at(T: FloatArray, goal: FloatArray) -> bool:
    """Whether a box is in its place (3,) [m]."""
    away = goal - T[:3, 3]
    return bool(np.hypot(*away[:2]) < 0.009 and abs(away[2]) < 0.004)


def _inside(hand: FloatArray, poses: Sequence[FloatArray]) -> int | None:
    """The box between the fingers."""
    for k, T in enumerate(poses):
        if np.abs(hand[:3, :3].T @ (T[:3, 3] - hand[:3, 3])).max() < 0.02:
            return k
    return None


def _room(box: int, poses: Sequence[FloatArray], yaw: float) -> float:
    """Distance [m] from the open fingers around a box to the nearest other one; below zero they meet."""
    center = poses[box][:3, 3]
    across = np.array([math.sin(yaw), -math.cos(yaw)])
    found = [
        np.linalg.norm(center[:2] + side * _FINGER * across - T[:2, 3]) - _CLEARANCE
        for k, T in enumerate(poses)
        for side in (-1.0, 1.0)
        if k != box and T[2, 3] > center[2] - 0.8 * _EDGE
    ]
    return float(min(found, default=1.0))


def _yaw(hand: FloatArray) -> float:
    """Angle of the hand about the vertical, 0 in its usual posture [rad]."""
    return math.atan2(-hand[1, 0], -hand[0, 0])


def _flat_angle(T: FloatArray) -> float:
    """Angle of an axis of a box that lies flat, about the vertical [rad]."""
    axis = T[:3, int(np.argmin(np.abs(T[2, :3])))]
    return math.atan2(axis[1], axis[0])


def _nearest_quarter(angle: float, near: float) -> float:
    """The angle that is nearest to another one of those that differ by quarters of a turn [rad]."""
    return angle - _QUARTERS[1] * round((angle - near) / _QUARTERS[1])
