"""Springs on bodies that touch something: contacts do not take their forces away."""

from __future__ import annotations

import numpy as np
import pytest

import kido
from kido import RowConstraint, Rows, Skeleton, Softness, Surface, World, gallery
from kido.constraint import Constraint
from kido.world import BlockSolver, BoxedLCPSolver

SOLVERS = {"blocks": BlockSolver(), "matrix": BoxedLCPSolver()}
STIFFNESS, DAMPING, START = 100.0, 1.0, 1.0


class AtZero(RowConstraint):
    """The place of a body along x stays zero."""

    def rows(self) -> Rows:
        made = self.skeletons[0]
        J = made.body(0).jacobian(in_coordinates_of=kido.WORLD)[3:4]
        return Rows([made.body(0).transform()[0, 3]], J)


def spring(name: str, body: kido.BodyNode) -> Constraint:
    """Along x, slack where the body is now."""
    softness = Softness(stiffness=STIFFNESS, damping=DAMPING)
    place = body.transform()[:3, 3]
    match name:
        case "weld":
            return kido.WeldConstraint(body, softness=softness)
        case "ball":
            return kido.BallConstraint(body, point=place, softness=softness)
        case "hinge":
            return kido.RevoluteConstraint(body, point=place, axis=(0, 0, 1), softness=softness)
        case "rows":
            return AtZero(body.skeleton, softness=softness)
    return kido.SpringConstraint(
        body, second_point=(2.0, 0.0, place[2]), length=2.0, stiffness=STIFFNESS, damping=DAMPING
    )


def oscillation(t: float) -> float:
    """Of 1 kg on the spring, from rest."""
    rate = DAMPING / 2.0
    omega = np.sqrt(STIFFNESS - rate**2)
    return float(START * np.exp(-rate * t) * (np.cos(omega * t) + rate / omega * np.sin(omega * t)))


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("kind", ["rigid body", "tree"])
@pytest.mark.parametrize("name", ["weld", "ball", "hinge", "rows", "spring"])
def test_a_box_that_slides_on_the_ground_swings_as_its_spring_has_it(
    name: str, kind: str, solver: str
) -> None:
    smooth = Surface(friction=0.0)
    made: Skeleton = gallery.box((0.2, 0.2, 0.2), mass=1.0, surface=smooth)
    made.positions = (0.0, 0.0, 0.0, 0.0, 0.0, 0.1)
    if kind == "tree":
        made.position_upper_limits = [1e9] * 6
    world = World([gallery.ground(surface=smooth), made], time_step=5e-4, solver=SOLVERS[solver])
    world.constraints.add(spring(name, made.body(0)))
    world.step(10)
    made.positions = (0.0, 0.0, 0.0, START, 0.0, 0.1)
    made.velocities = [0.0] * 6
    for t in (0.1, 0.2, 0.4):
        world.step(round((t - world.time + 10 * 5e-4) / 5e-4))
        assert made.positions[3] == pytest.approx(oscillation(t), abs=0.03)
    assert max(c.depth for c in world.contacts) < 1e-4
