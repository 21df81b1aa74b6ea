"""A quadruped that trots up a slope."""

from __future__ import annotations

import numpy as np

from kido import gallery
from kido.description import Material
from kido.shape import Mesh
from kido.skeleton import Skeleton
from kido.tour._parts import fixed, material
from kido.tour._servo import ServoTracking
from kido.tour._stage import Stage
from kido.typing import FloatArray
from kido.view import Orbit, Viewer
from kido.world import World

__all__ = ["quadruped_on_slope"]

_SLOPE, _WAY, _TOP, _WIDTH = 0.16, 2.6, 1.8, 1.8
"""Angle of the slope [rad], its length, that of the ground above it, and the width of both [m]."""
_LEG = 0.21
"""Length of thigh and shin [m]."""
_STAND, _SWING, _BACK = 0.28, 0.05, 0.02
"""Height of the hips over the feet, how high feet are lifted, and how far behind the hips they are [m]."""
_PERIOD, _STRIDE = 0.34, 0.10
"""Of a trot [s], and way of a foot under the body [m]."""
_LEGS = ("front_left", "front_right", "rear_left", "rear_right")
_PHASES = (0.0, 0.5, 0.5, 0.0)
_STONE: Material = material("stone", 0.62, 0.63, 0.60)


def quadruped_on_slope() -> Stage:
    """A trot with a heading: up the slope, around, down again."""
    robot = gallery.quadruped()
    robot.joint("root").positions = [0.0, 0.0, 0.0, -0.9, 0.0, 0.31]
    world = World([gallery.ground(), _hill(), robot], time_step=1e-3)
    trot = _Trot(robot)
    robot.positions = dict(zip(_joint_names(), trot(0.0), strict=True))
    ServoTracking(world, robot, trot, [robot.joint(name) for name in _joint_names()])

    def panel(viewer: Viewer) -> None:
        viewer.add_slider("stride [m]", 0.0, 0.14, value=_STRIDE, on_change=trot.set_stride)
        viewer.add_plot(
            "torques of the knees [N m]",
            lambda: world.joint_forces(robot).actuators[knees],
            names=[name.replace("_", " ") for name in _LEGS],
            seconds=3.0,
        )

    knees = [robot.dof(f"{leg}_knee").index for leg in _LEGS]
    return Stage(
        what=world,
        camera=Orbit(-55.0, 20.0, 1.35),
        panel=panel,
        picture_camera=((-0.7, -2.3, 1.55), (1.35, 0.15, 0.3), (0.0, 0.0, 1.0)),
        picture_time=4.0,
    )


def _joint_names() -> list[str]:
    return [f"{leg}_{joint}" for leg in _LEGS for joint in ("abduction", "hip_pitch", "knee")]


class _Trot:
    """Positions of the twelve joints: diagonal legs together, feet back on the ground and forward in the air.

    It steers towards one end of its way until it is there, then towards the other one.
    """

    def __init__(self, robot: Skeleton) -> None:
        self._trunk = robot.body("trunk")
        self._stride, self._goal = _STRIDE, 0

    def set_stride(self, stride: float) -> None:
        """Way of a foot under the body [m]."""
        self._stride = stride

    def __call__(self, moment: float) -> FloatArray:
        T = self._trunk.transform()
        turn, start = self._steering(T), min(moment / 0.8, 1.0)
        found = []
        for leg, phase in zip(_LEGS, _PHASES, strict=True):
            side = 1.0 if leg.endswith("left") else -1.0
            end = 1.0 if leg.startswith("front") else -1.0
            share = (moment / _PERIOD + phase) % 1.0
            x, z = _step(share)
            forward = start * x * (self._stride * (1.0 - 0.7 * abs(turn)) - 0.05 * side * turn)
            across = start * 0.05 * turn * x * end
            down = _STAND - start * _SWING * z
            found += [float(np.arctan2(across, down)), *_two_bars(forward - _BACK, down)]
        return np.array(found)

    def _steering(self, T: FloatArray) -> float:
        """Rate of turning, to the left, from -1 to 1."""
        goal = _GOALS[self._goal] - T[:2, 3]
        if np.linalg.norm(goal) < 0.35:
            self._goal = 1 - self._goal
        heading = np.arctan2(goal[1], goal[0]) - np.arctan2(T[1, 0], T[0, 0])
        return float(np.clip(1.5 * ((heading + np.pi) % (2.0 * np.pi) - np.pi), -1.0, 1.0))


_GOALS = np.array([(_WAY + 0.9, 0.0), (-1.2, 0.0)])
"""Where it turns around (2,) [m]."""


def _step(share: float) -> tuple[float, float]:
    """Place of a foot at a share of the period: ahead, by the stride, and up, by the swing."""
    if share < 0.5:  # on the ground
        return 0.5 - 2.0 * share, 0.0
    u = 2.0 * share - 1.0
    return -0.5 * float(np.cos(np.pi * u)), float(np.sin(np.pi * u))


def _two_bars(x: float, down: float) -> tuple[float, float]:
    """Hip and knee that put a foot ahead of and below the hip [m]; the knee points back."""
    reach = min(np.hypot(x, down), 2.0 * _LEG - 1e-3)
    bend = np.arccos(reach / (2.0 * _LEG))
    return float(bend - np.arctan2(x, down)), float(-2.0 * bend)


def _hill() -> Skeleton:
    """A slope, and the ground above it: one convex body."""
    run, height = _WAY * np.cos(_SLOPE), _WAY * np.sin(_SLOPE)
    profile = [(0.0, 0.0), (run + _TOP, 0.0), (run + _TOP, height), (run, height)]
    half = 0.5 * _WIDTH
    vertices = [(x, y, z) for y in (-half, half) for x, z in profile]
    sides = [(0, 1, 2), (0, 2, 3), (4, 6, 5), (4, 7, 6)]
    rims = [(i, i + 4, (i + 1) % 4) for i in range(4)]
    rims += [((i + 1) % 4, i + 4, (i + 1) % 4 + 4) for i in range(4)]
    return fixed("hill", Mesh(None, vertices=vertices, triangles=sides + rims), color=_STONE)
