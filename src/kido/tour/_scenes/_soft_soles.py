"""A humanoid that stands on soft soles."""

from __future__ import annotations

import numpy as np

from kido import gallery
from kido.shape import Box
from kido.skeleton import Skeleton, SoftBodyNode, soften
from kido.tour._balance import Balance
from kido.tour._parts import DARK, ORANGE, painted, placed, thrown
from kido.tour._stage import Stage
from kido.view import DEFAULT_LAYERS, Layer, Orbit, Viewer
from kido.world import World

__all__ = ["soft_soles"]

_CAPTURE = 0.29
"""Time in which a body of this height falls by its own size [s]: sqrt(height / gravity)."""
_SIDES = ("left", "right")
_AGAINST_FORWARD = (
    *((f"{side}_ankle_pitch", 2.0, 0.25) for side in _SIDES),
    *((f"{side}_hip_pitch", -4.0, 0.9) for side in _SIDES),
    *((f"{side}_shoulder_pitch", 12.0, 2.2) for side in _SIDES),
    ("waist_pitch", 3.0, 0.45),
)
_AGAINST_ASIDE = tuple((f"{side}_ankle_roll", -1.5, 0.25) for side in _SIDES)
"""Joints, how much they turn by where the center of mass will be [rad/m], and at most [rad]."""
_THICKNESS, _STIFFNESS = 0.02, 2e5
"""Of the soles [m, Pa]."""


def soft_soles() -> Stage:
    """Rubber under the feet yields by millimeters where the weight goes."""
    robot = _shod(gallery.humanoid())
    ball = painted(gallery.ball(0.09, 1.0), DARK)
    placed(ball, (0.6, -0.6, 0.09))
    world = World([gallery.ground(), robot, ball], time_step=1e-3)
    feet = [robot.end_effector(f"{side}_foot") for side in _SIDES]
    balance = Balance(world, robot, feet, _AGAINST_FORWARD, _AGAINST_ASIDE, capture=_CAPTURE)

    def throw() -> None:
        thrown(ball, (1.1, 0.05, 0.85), (-4.0, -0.1, 1.6))

    def panel(viewer: Viewer) -> None:
        viewer.add_button("Throw a ball at it", throw)
        balance.show(viewer)
        soles = [body for body in robot.bodies if isinstance(body, SoftBodyNode)]
        viewer.add_plot(
            "soles pressed by [mm]",
            lambda: [1e3 * float(np.abs(sole.displacements[:, 2]).max()) for sole in soles],
            names=[sole.name for sole in soles],
        )

    layers = (*DEFAULT_LAYERS, Layer.SUPPORT)
    return Stage(what=world, camera=Orbit(40.0, 8.0), layers=layers, panel=panel, picture_time=0.5)


def _shod(robot: Skeleton) -> Skeleton:
    """The robot, its soles of rubber."""
    for side in _SIDES:
        foot = robot.body(f"{side}_foot")
        sole = next(node for node in foot.shape_nodes if isinstance(node.shape, Box))
        sole.material = ORANGE
        soften(
            foot,
            thickness=_THICKNESS,
            stiffness=_STIFFNESS,
            damping_ratio=0.5,
            shape_node=sole,
            divisions=(7, 4, 3),
            radius=1e-3,
        )
    return robot
