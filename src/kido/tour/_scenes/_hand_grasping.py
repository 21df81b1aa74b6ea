"""A hand of three fingers that carries a ball."""

from __future__ import annotations

import numpy as np

from kido import gallery
from kido.ik import InverseKinematics
from kido.shape import Cylinder, Sphere, Surface
from kido.skeleton import EndEffector, Skeleton
from kido.tour._parts import DARK, ORANGE, STEEL, fixed, painted, placed
from kido.tour._servo import ServoTracking
from kido.tour._stage import Stage
from kido.typing import FloatArray
from kido.view import Orbit, Viewer
from kido.world import World

__all__ = ["hand_grasping"]

_RADIUS, _MASS = 0.028, 0.15
"""Of the ball [m, kg]."""
_HEIGHT = 0.28
"""Of the stands [m]."""
_PLACES = ((0.52, -0.28), (0.52, 0.28))
"""Of the stands on the ground [m]."""
_LIFT = 0.22
"""How high the ball is lifted [m]."""
_OPEN, _CLOSED = (-0.19, 0.15, 0.15), (0.5, 0.9, 0.9)
"""Positions of the joints of a finger; closed is farther than the ball lets them go [rad]."""
_TAKES, _PUTS = (-0.0125, 0.0), (0.0055, 0.008)
"""Where the palm is beside its stand and above the ball's place: where all fingers meet the ball at once, and
where the ball that they hold is above the stand [m]."""
_STEPS = (
    ("above", 0, False, 1.2),
    ("take", 0, False, 0.8),
    ("take", 0, True, 0.6),
    ("above", 0, True, 0.8),
    ("above", 1, True, 1.6),
    ("put", 1, True, 0.9),
    ("put", 1, False, 0.5),
    ("above", 1, False, 0.8),
)
"""Where the palm goes, over which stand, whether the hand closes, and how long it takes [s]."""


def hand_grasping() -> Stage:
    """The fingers close until the ball stops them; friction carries it from stand to stand."""
    robot = gallery.hand()
    for name in ("thumb", "index", "ring"):
        for link in ("proximal", "middle", "distal"):
            for node in robot.body(f"{name}_{link}").shape_nodes:
                node.surface = Surface(friction=1.2)
    ball = painted(
        gallery.ball(_RADIUS, _MASS, surface=Surface(friction=1.2, rolling_friction=0.002)), ORANGE
    )
    placed(ball, (*_PLACES[0], _HEIGHT + _RADIUS))
    stands = [
        fixed(f"stand {i}", Cylinder(0.018, _HEIGHT), (*place, 0.5 * _HEIGHT), STEEL)
        for i, place in enumerate(_PLACES)
    ]
    world = World([gallery.ground(), robot, ball, *stands, *_rims()], time_step=5e-4)
    plan = _Plan(robot)
    robot.positions = plan(0.0)
    ServoTracking(world, robot, plan)

    def panel(viewer: Viewer) -> None:
        viewer.add_plot("height of the ball [m]", lambda: ball.com()[2], seconds=15.0)

    return Stage(what=world, camera=Orbit(32.0, 18.0, 1.1), panel=panel, picture_time=4.6)


def _rims() -> list[Skeleton]:
    """Small balls around the middle of the stands, on which the ball does not roll off, and broad feet."""
    parts = []
    for i, (x, y) in enumerate(_PLACES):
        parts.append(fixed(f"foot {i}", Cylinder(0.09, 0.02), (x, y, 0.01), DARK))
        for k, angle in enumerate(np.linspace(0.0, 2.0 * np.pi, 12, endpoint=False)):
            at = x + 0.018 * np.cos(angle), y + 0.018 * np.sin(angle), _HEIGHT + 0.001
            parts.append(fixed(f"rim {i} {k}", Sphere(0.004), at, DARK))
    return parts


class _Plan:
    """Positions of all joints over time: from one to the next of a list, and then the last."""

    def __init__(self, robot: Skeleton) -> None:
        found = _Postures(robot)
        self._positions = np.array([found(where, place, closed) for where, place, closed, _ in _STEPS])
        self._times = np.cumsum([0.0, *(seconds for *_, seconds in _STEPS)])

    def __call__(self, moment: float) -> FloatArray:
        t = min(moment, float(self._times[-1]))
        k = min(int(np.searchsorted(self._times, t, side="right")) - 1, len(self._positions) - 1)
        share = (t - self._times[k]) / (self._times[k + 1] - self._times[k])
        smooth = share**2 * (3.0 - 2.0 * share)
        before, after = self._positions[max(k - 1, 0)], self._positions[k]
        return np.asarray(before + smooth * (after - before))


class _Postures:
    """Positions of a hand's joints, by where its palm is."""

    def __init__(self, robot: Skeleton) -> None:
        self._robot = robot.clone()
        self._ik = InverseKinematics.of(self._robot.node(EndEffector, "grasp"))

    def __call__(self, where: str, place: int, closed: bool) -> FloatArray:
        robot, ik = self._robot, self._ik
        T = np.eye(4)
        T[:3, :3] = [[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, -1.0]]
        x, y = _PLACES[place]
        beside, above = {"above": (0.0, _LIFT), "take": _TAKES, "put": _PUTS}[where]
        T[:3, 3] = x + beside, y, _HEIGHT + _RADIUS + above
        ik.target.set_transform(T)
        ik.solve_and_apply()
        fingers = _CLOSED if closed else _OPEN
        for name in ("thumb", "index", "ring"):
            for link, q in zip(("proximal", "middle", "distal"), fingers, strict=True):
                robot.dof(f"{name}_{link}_joint").position = q
        return np.array(robot.positions)
