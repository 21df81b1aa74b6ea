"""The films of the web pages: what happens in each, and in which frame it is seen best."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import kido
from examples.pictures._examples import example_names, hanging_bridge
from examples.pictures._style import Style
from kido.view import Film, Orbit

__all__ = ["FILMS", "filmed"]

_SIZE, _RATE = (560, 420), 25.0
Options = dict[str, Any]
Scene = Callable[[], tuple[Any, Options]]


def _falling() -> tuple[Any, Options]:
    """A humanoid falls over beside a pile of boxes and balls."""
    names = example_names(21)
    names["world"].restore(names["saved"])
    return names["world"], {"duration": 2.0, "camera": ((3.6, 3.4, 1.7), (0.7, 0.0, 0.75), (0.0, 0.0, 1.0))}


def _bridge() -> tuple[Any, Options]:
    """Three balls fall on a hanging bridge."""
    world = hanging_bridge()
    for k, place in enumerate((-0.5, 0.0, 0.45)):
        ball = kido.gallery.ball(0.1, mass=3.0, name=f"ball_{k}", surface=kido.Surface(friction=0.9))
        ball.positions = [0.0, 0.0, 0.0, place, 0.0, 1.3 + 0.35 * k]
        world.add(ball)
    return world, {"duration": 3.0, "ground": 0.0, "camera": Orbit(azimuth=55.0, elevation=18.0)}


def _wall() -> tuple[Any, Options]:
    """A ball hits a wall of boxes."""
    boxes = []
    for row in range(6):
        for k in range(5 - row % 2):
            box = kido.gallery.box((0.2, 0.29, 0.2), mass=1.0, name=f"box_{row}_{k}")
            box.positions = [0.0, 0.0, 0.0, 0.0, 0.3 * (k - 2 + 0.5 * (row % 2)), 0.1 + 0.2 * row]
            boxes.append(box)
    ball = kido.gallery.ball(0.16, mass=12.0, name="ball")
    ball.positions = [0.0, 0.0, 0.0, -2.0, 0.05, 0.9]
    ball.velocities = [0.0, 0.0, 0.0, 5.0, 0.0, 0.6]
    world = kido.World([kido.gallery.ground(), *boxes, ball])
    return world, {"duration": 2.2, "camera": Orbit(azimuth=-115.0, elevation=16.0)}


def _quadruped() -> tuple[Any, Options]:
    """A quadruped lands on its feet, which servos of its joints keep."""
    robot = kido.gallery.quadruped()
    for joint in robot.joints[1:]:
        joint.actuator = "servo"
    robot.positions = {"root_pos_z": 0.85, "root_rot_y": 0.3}
    return kido.World([kido.gallery.ground(), robot]), {"duration": 1.6, "show": ["forces"]}


def _carrying() -> tuple[Any, Options]:
    """A humanoid carries a box: whole-body inverse kinematics in each frame."""
    names = example_names(19)
    robot, box, whole = names["robot"], names["box"], names["whole"]
    names["gaze"].target = kido.SimpleFrame("seen", names["load"])
    robot.positions = names["kido"].gallery.humanoid().positions
    robot.positions = {"left_elbow": -1.2, "right_elbow": -1.2}
    together = kido.World([robot, box])
    rows = []
    for phase in np.linspace(0.0, 2.0 * np.pi, 90):
        low, side = 0.5 - 0.5 * np.cos(phase), np.sin(phase)
        box.positions = [0.0, 0.0, 0.45 * side, 0.35, 0.15 * side, 1.02 - 0.6 * low]
        assert whole.solve_and_apply().success
        rows.append([robot.positions, box.positions])
    return _Poses(together, rows), {"camera": ((2.7, -2.0, 1.5), (0.1, 0.0, 0.75), (0.0, 0.0, 1.0))}


def _welding() -> tuple[Any, Options]:
    """A seam is welded without a jump of a joint."""
    names = example_names(33)
    robot, rows = names["robot"], names["path"].positions
    way = []
    for row in rows:
        robot.positions = row
        way.append(names["torch"].transform()[:3, 3])
    options = {"positions": np.repeat(rows[::2], 1, axis=0), "trajectories": [way]}
    return robot, options | {"frames": [names["torch"]], "camera": Orbit(azimuth=70.0, elevation=14.0)}


def _avoiding() -> tuple[Any, Options]:
    """An arm keeps clear of a ball that is in the way of its hand."""
    names = example_names(31)
    robot, obstacle = names["robot"], names["obstacle"]
    robot.positions, rows = names["home"], []
    ik = names["DifferentialIK"](robot, names["tasks"], [*names["limits"], names["avoid"]])
    for step in range(400):
        target = names["start"].copy()
        target[:3, 3] += min(step / 250.0, 1.0) * (names["goal"][:3, 3] - target[:3, 3])
        names["reach"].target = target
        velocities = ik.solve(dt=names["dt"]).velocities
        robot.positions = robot.tree.integrate(robot.positions, velocities, names["dt"])
        rows.append([robot.positions])
    world = kido.World([robot, obstacle])
    return _Poses(world, rows[::4]), {"trajectories": [names["around"]]}


class _Poses:
    """A world whose skeletons take positions one after the other, as a recording of it has them."""

    start_time = 0.0
    contacts = ()
    skeletons: tuple[kido.Skeleton, ...] = ()
    end_time = 0.0

    def __init__(self, world: kido.World, rows: list[list[Any]]) -> None:
        """`rows`: of each frame, the positions of each skeleton."""
        self.skeletons, self._rows, self._time = world.skeletons, rows, 0.0
        self.end_time = (len(rows) - 1) / _RATE

    def playback(self) -> _Poses:
        """Itself."""
        return self

    @property
    def time(self) -> float:
        """Where it stands [s]."""
        return self._time

    @time.setter
    def time(self, time: float) -> None:
        self._time = time
        row = self._rows[min(round(time * _RATE), len(self._rows) - 1)]
        for skeleton, positions in zip(self.skeletons, row, strict=False):
            skeleton.positions = positions


FILMS: dict[str, Scene] = {
    "falling": _falling,
    "carrying": _carrying,
    "bridge": _bridge,
    "wall": _wall,
    "quadruped": _quadruped,
    "welding": _welding,
    "avoiding": _avoiding,
}
"""By the name of the file."""


def filmed(name: str, style: Style, path: Path) -> Film:
    """Make one of the films."""
    what, options = FILMS[name]()
    options = {"size": _SIZE, "rate": _RATE, "background": style.background} | options
    return kido.film(what, path, **options)
