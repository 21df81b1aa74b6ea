"""A machine that walks on legs by Theo Jansen: closed loops of bars, driven by one crank."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from kido import gallery
from kido.constraint import BallConstraint
from kido.description import Material, combined_inertia, shape_inertia
from kido.shape import Box, Capsule, Sphere
from kido.skeleton import ActuatorType, BodyNode, FreeJoint, RevoluteJoint, ShapeNode, Skeleton
from kido.tour._parts import BRASS, DARK, ORANGE, STEEL, TEAL, between
from kido.tour._stage import Stage
from kido.tour._trails import Trails
from kido.typing import FloatArray
from kido.view import Orbit, Viewer
from kido.world import BlockSolver, World

__all__ = ["walking_linkage"]

_UNIT = 0.01
"""Of the lengths below [m]."""
_PIVOT, _CRANK = (-38.0, -7.8), 15.0
"""The fixed pivot of a leg as seen from the shaft, and the radius of the crank."""
_UPPER_BAR, _LOWER_BAR, _SIDE_BAR = 50.0, 61.9, 39.4
_UPPER, _HIP = (41.5, 55.8, 40.1), 39.3
"""Triangle of pivot, knuckle and outer corner: pivot to knuckle, to outer corner, to pivot. Pivot to knee."""
_FOOT = (36.7, 65.7, 49.0)
"""Triangle of knee, side and toe: knee to side, side to toe, toe to knee."""
_BANKS = (-0.30, -0.16, 0.16, 0.30)
_PHASES = (0.0, 3.0, 3.0, 0.0)
"""Places of pairs of legs along the shaft [m], and their places on the crank, in sixths of a turn."""
_TOE, _THICK = 0.02, 0.008
"""Radius of a toe, and of a bar [m]."""
_DENSITY = 0.4
"""Mass of a bar by its length [kg/m]."""
_SPEED = -2.6
"""Of the crank [rad/s]."""

_Point: TypeAlias = "Sequence[float] | FloatArray"


def walking_linkage() -> Stage:
    """Twelve legs, each of six bars and three closed loops, and one motor."""
    beast = _Beast()
    world = World([gallery.ground(), beast.robot], time_step=2e-3)
    world.solver = BlockSolver(longest_substep=1e-3)
    for first, second, point in beast.closures:
        world.constraints.add(BallConstraint(first, second, point=point))
    beast.robot.dof("crank").command = _SPEED
    trails = Trails(world, beast.toes[:2], seconds=6.0)

    def panel(viewer: Viewer) -> None:
        def drive(speed: float) -> None:
            beast.robot.dof("crank").command = speed

        viewer.add_slider("speed of the crank [rad/s]", -5.0, 5.0, value=_SPEED, on_change=drive)
        viewer.add_plot("torque of the crank [N m]", lambda: world.joint_forces(beast.robot).actuators[crank])

    crank = beast.robot.dof("crank").index
    return Stage(what=world, camera=Orbit(-62.0, 13.0, 0.65), panel=panel, trails=trails, picture_time=3.0)


class _Beast:
    """The machine: a frame that moves freely, a shaft, and legs on both sides of it.

    Attributes:
        robot: its bodies, a tree.
        closures: pairs of bodies that share a point (3,) [m], which close it.
        toes: bodies of the feet, and their toes (3,) in their coordinates [m].
    """

    def __init__(self) -> None:
        self.robot = Skeleton("beast")
        self.closures: list[tuple[BodyNode, BodyNode, FloatArray]] = []
        self.toes: list[tuple[BodyNode, FloatArray]] = []
        legs = [_leg_points(side, np.pi / 3.0 * phase) for phase in _PHASES for side in (1.0, -1.0)]
        lowest = min(points["toe"][1] for points in legs)
        self._origin = np.array([0.0, 0.0, -lowest * _UNIT + _TOE])
        self._frame = self._add_frame()
        self._crank = self._add_crank()
        for index, points in enumerate(legs):
            self._add_leg(index, _BANKS[index // 2], points)

    def _add_frame(self) -> BodyNode:
        size = (0.84, 0.7, 0.03)
        root = FreeJoint("root", initial_positions=(0.0, 0.0, 0.0, *self._origin))
        root.reset_positions()
        pose = np.eye(4)
        pose[2, 3] = 0.19
        frame = self.robot.add_body("frame", joint=root, inertia=shape_inertia(Box(size), 6.0, pose))
        deck = ShapeNode(frame, "deck", Box(size), (0.0, 0.0, 0.19), material=DARK)
        deck.collision = False
        for side in (-0.36, 0.36):
            for x in (_PIVOT[0] * _UNIT, -_PIVOT[0] * _UNIT):
                _bar(frame, f"post {side} {x}", (x, side, _PIVOT[1] * _UNIT), (x, side, 0.19), BRASS, 0.012)
        for x in (_PIVOT[0] * _UNIT, -_PIVOT[0] * _UNIT):
            z = _PIVOT[1] * _UNIT
            _bar(frame, f"axle {x}", (x, -0.36, z), (x, 0.36, z), BRASS, 0.009)
        return frame

    def _add_crank(self) -> BodyNode:
        joint = RevoluteJoint("crank", (0.0, 1.0, 0.0))
        joint.actuator = ActuatorType.SERVO
        joint.force_lower_limits, joint.force_upper_limits = -200.0, 200.0
        shaft = Capsule(0.012, 0.72)
        turned = between((0.0, -0.36, 0.0), (0.0, 0.36, 0.0))
        crank = self.robot.add_body("shaft", self._frame, joint, inertia=shape_inertia(shaft, 1.5, turned))
        ShapeNode(crank, "shaft", shaft, turned, material=STEEL).collision = False
        for bank, phase in zip(_BANKS, _PHASES, strict=True):
            x, z = _CRANK * _UNIT * np.array(_unit(np.pi / 3.0 * phase))
            for side in (-0.02, 0.02):
                _bar(crank, f"web {bank} {side}", (0.0, bank + side, 0.0), (x, bank + side, z), STEEL)
            _bar(crank, f"pin {bank}", (x, bank - 0.02, z), (x, bank + 0.02, z), STEEL)
        return crank

    def _add_leg(self, index: int, bank: float, points: dict[str, FloatArray]) -> None:
        at = {name: np.add(self._origin, (_UNIT * x, bank, _UNIT * z)) for name, (x, z) in points.items()}

        def link(name: str, parent: BodyNode, joints: Sequence[str], color: Material) -> BodyNode:
            return self._link(f"{name} {index}", parent, [at[joint] for joint in joints], color)

        upper_bar = link("upper bar", self._crank, ("pin", "knuckle"), STEEL)
        lower_bar = link("lower bar", self._crank, ("pin", "knee"), STEEL)
        upper = link("upper", self._frame, ("pivot", "knuckle", "outer"), TEAL)
        hip = link("hip", self._frame, ("pivot", "knee"), TEAL)
        side_bar = link("side bar", upper, ("outer", "side"), STEEL)
        foot = link("foot", hip, ("knee", "side", "toe"), ORANGE)
        toe = at["toe"] - at["knee"]
        ShapeNode(foot, f"toe {index}", Sphere(_TOE), toe, material=DARK)
        self.toes.append((foot, toe))
        self.closures += [
            (upper_bar, upper, at["knuckle"]),
            (lower_bar, hip, at["knee"]),
            (side_bar, foot, at["side"]),
        ]

    def _link(self, name: str, parent: BodyNode, corners: Sequence[FloatArray], color: Material) -> BodyNode:
        """Bars between points (3,) in the world; it turns about the first of them."""
        start = corners[0]
        joint = RevoluteJoint(f"{name} joint", (0.0, 1.0, 0.0))
        place = np.eye(4)
        place[:3, 3] = start - parent.transform()[:3, 3]
        joint.T_parent_joint = place
        ends = list(zip(corners, [*corners[1:], corners[0]], strict=True))[: 1 if len(corners) == 2 else 3]
        inertia = combined_inertia(
            shape_inertia(
                Capsule(_THICK, math.dist(a, b)), _DENSITY * math.dist(a, b), between(a - start, b - start)
            )
            for a, b in ends
        )
        body = self.robot.add_body(name, parent, joint, inertia=inertia)
        for number, (a, b) in enumerate(ends):
            _bar(body, f"{name} bar {number}", a - start, b - start, color)
        return body


def _leg_points(side: float, angle: float) -> dict[str, FloatArray]:
    """Points (2,) x and z of a leg, from the shaft, at an angle of the crank; side -1: mirrored."""
    pin = _CRANK * np.array(_unit(angle))
    pin = pin * (side, 1.0)
    pivot = np.array(_PIVOT)
    knuckle = _meet(pin, _UPPER_BAR, pivot, _UPPER[0], -1.0)
    knee = _meet(pin, _LOWER_BAR, pivot, _HIP, 1.0)
    outer = _meet(knuckle, _UPPER[1], pivot, _UPPER[2], -1.0)
    outside = _meet(outer, _SIDE_BAR, knee, _FOOT[0], -1.0)
    toe = _meet(outside, _FOOT[1], knee, _FOOT[2], -1.0)
    points = {"pin": pin, "pivot": pivot, "knuckle": knuckle, "knee": knee, "outer": outer, "side": outside}
    points["toe"] = toe
    return {name: point * (side, 1.0) for name, point in points.items()}


def _meet(first: FloatArray, radius: float, second: FloatArray, other: float, side: float) -> FloatArray:
    """Intersection of circles about two points, on the left of the way from one to the other; -1: on the
    right."""
    way = second - first
    length = float(np.linalg.norm(way))
    along = (radius**2 - other**2 + length**2) / (2.0 * length)
    across = np.sqrt(radius**2 - along**2)
    ahead = way / length
    left = np.array([-ahead[1], ahead[0]])
    return np.asarray(first + along * ahead + side * across * left)


def _unit(angle: float) -> tuple[float, float]:
    return float(np.cos(angle)), float(np.sin(angle))


def _bar(
    body: BodyNode, name: str, start: _Point, end: _Point, color: Material, radius: float = _THICK
) -> None:
    """A bar that touches nothing, between points (3,) of a body [m]."""
    shape = Capsule(radius, math.dist(start, end))
    ShapeNode(body, name, shape, between(start, end), material=color, collision=False)
