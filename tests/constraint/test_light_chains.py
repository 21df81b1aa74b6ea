"""Light links that carry a heavy body by a constraint, and as the last link of the same chain."""

from __future__ import annotations

import numpy as np
import pytest
from test_loops import four_bar

import kido
from kido import ActuatorType, BallConstraint, Inertia, Skeleton, WeldConstraint, World, gallery

LINKS, LIGHT, HEAVY = 5, 0.1, 50.0
LENGTH, SIDE = 0.1, 0.2


def chain(angle: float) -> Skeleton:
    """Links of 0.1 kg on crossed hinges, hanging at an angle from the vertical."""
    made, body = Skeleton("chain"), None
    inertia = Inertia(LIGHT, (0.0, 0.0, -LENGTH / 2), np.diag([1e-4, 1e-4, 1e-5]))
    for i in range(LINKS):
        axis = (0.0, 1.0, 0.0) if i % 2 == 0 else (1.0, 0.0, 0.0)
        joint = kido.RevoluteJoint(f"joint{i}", axis, T_parent_joint=(0.0, 0.0, -LENGTH if i else 1.5))
        body = made.add_body(f"link{i}", body, joint, inertia=inertia)
    made.dof(0).position = angle
    return made


def hung(kind: str, angle: float) -> World:
    """The chain, and a box of 50 kg that a constraint holds at its end."""
    made, box = chain(angle), gallery.box((SIDE, SIDE, SIDE), mass=HEAVY)
    T = made.bodies[-1].transform()
    end = T[:3, 3] - LENGTH * T[:3, 2]
    box.positions = [0.0, angle, 0.0, *(end - SIDE / 2 * T[:3, 2])]
    world = World([made, box])
    if kind == "weld":
        world.constraints.add(WeldConstraint(made.bodies[-1], box.body(0)))
    else:
        world.constraints.add(BallConstraint(made.bodies[-1], box.body(0), point=end))
    return world


@pytest.mark.parametrize("angle", [0.3, 1.5])
@pytest.mark.parametrize("kind", ["weld", "ball"])
def test_light_links_carry_a_heavy_body_and_gain_no_energy(kind: str, angle: float) -> None:
    world = hung(kind, angle)
    constraint = next(iter(world.constraints))
    before, most, worst = world.energy, -np.inf, 0.0
    for _ in range(500):
        world.step(10)
        most = max(most, world.energy)
        worst = max(worst, np.abs(world.constraint_error(constraint)).max())
    swing = HEAVY * 9.81 * (LINKS * LENGTH + SIDE / 2) * (1.0 - np.cos(angle))
    assert most - before < 2e-3 * swing
    assert worst < 1e-6
    assert world.unmet_constraints == []


def test_a_heavy_body_swings_as_one_that_belongs_to_the_chain() -> None:
    tree = chain(0.3)
    tree.add_body(
        "box",
        tree.bodies[-1],
        kido.WeldJoint("grip", T_parent_joint=(0.0, 0.0, -LENGTH - SIDE / 2)),
        inertia=Inertia(HEAVY, (0.0, 0.0, 0.0), np.eye(3) * HEAVY * SIDE**2 / 6),
    )
    alone, held = World([tree]), hung("weld", 0.3)
    start = held.skeletons[1].body(0).transform()[0, 3]
    for _ in range(40):
        for world in (alone, held):
            world.step(10)
        place = held.skeletons[1].body(0).transform()[:3, 3]
        np.testing.assert_allclose(place, tree.body("box").transform()[:3, 3], atol=1e-3)
    assert abs(place[0] - start) > 0.1


def test_light_links_keep_their_heavy_body_in_copies() -> None:
    world = hung("ball", 1.5)
    world.step(100)
    other = world.clone()
    for one in (world, other):
        one.step(100)
    for first, second in zip(world.skeletons, other.skeletons, strict=True):
        assert first.positions.tobytes() == second.positions.tobytes()


@pytest.mark.parametrize("speed, gap", [(5.0, 1e-7), (20.0, 1e-6)])
def test_a_four_bar_that_a_servo_turns_stays_closed(speed: float, gap: float) -> None:
    """Over ten seconds, after the jerk with which the servo starts; the loop is closed twice."""
    world, constraints = four_bar()
    crank = world.skeletons[0].joint(0)
    crank.actuator = ActuatorType.SERVO
    crank.commands = [speed]
    world.step(20)
    worst = 0.0
    for _ in range(1000):
        world.step(10)
        worst = max(worst, *(np.abs(world.constraint_error(c)).max() for c in constraints))
    assert worst < gap
    assert world.skeletons[0].velocities[0] == pytest.approx(speed, rel=1e-9)
