"""A humanoid that keeps its balance."""

from __future__ import annotations

from kido import gallery
from kido.tour._balance import Balance
from kido.tour._parts import DARK, painted, placed, thrown
from kido.tour._stage import Stage
from kido.view import DEFAULT_LAYERS, Layer, Orbit, Viewer
from kido.world import World

__all__ = ["balancing"]

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


def balancing() -> Stage:
    """Servos hold the posture; ankles and hips lean against what the center of mass does."""
    robot = gallery.humanoid()
    ball = painted(gallery.ball(0.11, 3.0), DARK)
    placed(ball, (0.6, -0.6, 0.11))
    world = World([gallery.ground(), robot, ball], time_step=2e-3)
    feet = [robot.end_effector(f"{side}_foot") for side in _SIDES]
    balance = Balance(world, robot, feet, _AGAINST_FORWARD, _AGAINST_ASIDE, capture=_CAPTURE)

    def throw(speed: float = 5.0) -> None:
        thrown(ball, (1.1, 0.05, 0.85), (-speed, -0.1, 1.6))

    def panel(viewer: Viewer) -> None:
        speed = viewer.add_slider("speed of the ball [m/s]", 1.0, 8.0, value=5.0, step=0.25)

        def click() -> None:
            throw(speed.value)
            viewer.play()

        viewer.add_button("Throw a ball at it", click)
        balance.show(viewer)

    layers = (*DEFAULT_LAYERS, Layer.SUPPORT)
    return Stage(
        what=world, camera=Orbit(40.0, 12.0), layers=layers, panel=panel, pose=throw, picture_time=0.42
    )
