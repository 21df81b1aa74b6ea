"""Double pendulums that begin almost alike."""

from __future__ import annotations

import numpy as np

from kido import gallery
from kido.shape import Capsule
from kido.skeleton import ShapeNode, Skeleton
from kido.tour._parts import DARK, between, fixed, painted, rainbow
from kido.tour._stage import Stage
from kido.tour._trails import Trails
from kido.view import Orbit, Viewer
from kido.world import World

__all__ = ["double_pendulums"]

_COUNT = 12
_DIFFERENCE = 1e-3
"""Between the first angles of two pendulums [rad]."""
_HEIGHT, _APART = 1.7, 0.10
"""Of the pivots, and from one to the next [m]."""
_LENGTHS = (0.8, 0.7)


def double_pendulums() -> Stage:
    """Twelve double pendulums, each a milliradian from the one before: for a while they move as one."""
    pendulums = [_pendulum(i) for i in range(_COUNT)]
    world = World([_rail(), *pendulums], time_step=1e-3)
    world.integrator = "Runge-Kutta 4"
    tips = [(p.body("lower_bob"), (0.0, 0.0, -_LENGTHS[1])) for p in pendulums]
    trails = Trails(world, tips[:: _COUNT - 1], seconds=1.0, interval=0.015)

    def panel(viewer: Viewer) -> None:
        viewer.add_plot(
            "spread of the angles [rad]",
            lambda: np.ptp([p.positions for p in pendulums], axis=0),
            names=["upper", "lower"],
            seconds=20.0,
        )

    return Stage(what=world, camera=Orbit(-62.0, 10.0, 0.5), panel=panel, trails=trails, picture_time=5.2)


def _rail() -> Skeleton:
    """The bar on which they hang."""
    half = 0.5 * _COUNT * _APART
    place = between((0.0, -half, _HEIGHT), (0.0, half, _HEIGHT))
    rail = fixed("rail", Capsule(0.02, 2.0 * half), color=DARK, transform=place)
    rail.body("rail").collidable = False
    return rail


def _pendulum(index: int) -> Skeleton:
    made = gallery.double_pendulum(lengths=_LENGTHS)
    made.name = f"pendulum {index + 1}"
    painted(made, rainbow(index / (_COUNT - 1)))
    for node in made.nodes(ShapeNode):
        node.collision = False
    pivot = made.joint("upper_pivot")
    place = np.array(pivot.T_parent_joint)
    place[:3, 3] = 0.0, (index - 0.5 * (_COUNT - 1)) * _APART, _HEIGHT
    pivot.T_parent_joint = place
    made.positions = [2.0 + _DIFFERENCE * index, 2.4]
    return made
