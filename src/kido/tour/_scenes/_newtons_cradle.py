"""Newton's cradle."""

from __future__ import annotations

import math

import numpy as np

from kido.description import shape_inertia
from kido.shape import Box, Capsule, Sphere, Surface
from kido.skeleton import RevoluteJoint, ShapeNode, Skeleton
from kido.tour._parts import BRASS, DARK, STEEL, between, fixed
from kido.tour._stage import Stage
from kido.view import Orbit, Viewer
from kido.world import World

__all__ = ["newtons_cradle"]

_COUNT, _RADIUS, _LENGTH = 5, 0.05, 0.42
_GAP = 2e-4
"""Between two balls [m]: so that they meet one after the other."""
_SPREAD = 0.16
"""Between the upper ends of a ball's two threads [m]."""
_TOP = 0.6
_ANGLE = 0.7
"""By which balls are pulled aside at the beginning [rad]."""


def newtons_cradle() -> Stage:
    """Five equal balls of steel that hit each other without loss: as many fly off as came."""
    balls = [_ball(i) for i in range(_COUNT)]
    world = World([*_stand(), *balls], time_step=5e-4)

    def lift(count: int) -> None:
        for i, ball in enumerate(balls):
            ball.positions, ball.velocities = [_ANGLE if i < count else 0.0], [0.0]

    def panel(viewer: Viewer) -> None:
        def choose(count: str) -> None:
            lift(int(count))
            viewer.play()

        viewer.add_choice("balls pulled aside", [str(i) for i in range(1, _COUNT)], on_change=choose)
        viewer.add_plot(
            "angles [rad]",
            lambda: [ball.positions[0] for ball in (balls[0], balls[-1])],
            names=["first", "last"],
        )

    lift(1)
    return Stage(what=world, camera=Orbit(-65.0, 12.0, 1.1), panel=panel, picture_time=0.80)


def _ball(index: int) -> Skeleton:
    x = (index - 0.5 * (_COUNT - 1)) * (2.0 * _RADIUS + _GAP)
    made = Skeleton(f"ball {index + 1}")
    joint = RevoluteJoint(f"thread {index + 1}", (0.0, 1.0, 0.0), T_parent_joint=(x, 0.0, _TOP))
    down = np.eye(4)
    down[2, 3] = -_LENGTH
    body = made.add_body(made.name, joint=joint, inertia=shape_inertia(Sphere(_RADIUS), 1.0, down))
    surface = Surface(friction=0.0, restitution=1.0)
    ShapeNode(body, "ball", Sphere(_RADIUS), (0.0, 0.0, -_LENGTH), material=STEEL, surface=surface)
    for side in (-0.5, 0.5):
        low, high = (0.0, 0.0, 0.3 * _RADIUS - _LENGTH), (0.0, side * _SPREAD, 0.0)
        thread = Capsule(0.0018, math.dist(low, high))
        ShapeNode(body, f"thread {side}", thread, between(low, high), material=DARK, collision=False)
    return made


def _stand() -> list[Skeleton]:
    half, width = 0.36, 0.5 * _SPREAD
    parts = [fixed("base", Box((0.8, 0.3, 0.03)), (0.0, 0.0, 0.015), DARK)]
    for side in (-width, width):
        rail = between((-half, side, _TOP), (half, side, _TOP))
        parts.append(fixed(f"rail {side}", Capsule(0.009, 2.0 * half), color=BRASS, transform=rail))
        for end in (-half, half):
            post = Capsule(0.009, _TOP - 0.03)
            parts.append(fixed(f"post {side} {end}", post, (end, side, 0.5 * _TOP + 0.015), BRASS))
    return parts
