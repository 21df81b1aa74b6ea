"""Softness of constraints: springs and dampers in their rows, implicit in time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from _mechanisms import WEIGHTLESS, G, box, slider, wheel

import kido
from kido import (
    BallConstraint,
    CylindricalConstraint,
    DistanceConstraint,
    GearConstraint,
    RevoluteConstraint,
    RopeConstraint,
    RowConstraint,
    Rows,
    Skeleton,
    Softness,
    SpringConstraint,
    WeldConstraint,
    World,
)
from kido.constraint import Constraint

MASS, STIFFNESS, DAMPING = 2.0, 80.0, 3.0


class AtZero(RowConstraint):
    """The height of a body stays zero."""

    def rows(self) -> Rows:
        J = self.skeletons[0].body(0).jacobian(in_coordinates_of=kido.WORLD)[5:]
        return Rows(self.skeletons[0].positions[5:], J)


def holders(softness: Softness) -> dict[str, Callable[[Skeleton], Constraint]]:
    """Constraints that keep a box of the origin where it is, along z at least."""
    return {
        "weld": lambda box: WeldConstraint(box.body(0), softness=softness),
        "ball": lambda box: BallConstraint(box.body(0), point=(0, 0, 0), softness=softness),
        "revolute": lambda box: RevoluteConstraint(
            box.body(0), point=(0, 0, 0), axis=(0, 1, 0), softness=softness
        ),
        "cylindrical": lambda box: CylindricalConstraint(
            box.body(0), point=(0, 0, 0), axis=(0, 1, 0), softness=softness
        ),
        "distance": lambda box: DistanceConstraint(
            box.body(0), second_point=(0, 0, 3.0), length=3.0, softness=softness
        ),
        "rope": lambda box: RopeConstraint(
            box.body(0), second_point=(0, 0, 3.0), length=3.0, softness=softness
        ),
        "rows": lambda box: AtZero(box, softness=softness),
        "spring": lambda box: SpringConstraint(
            box.body(0), second_point=(0, 0, 3.0), length=3.0, softness=softness
        ),
    }


KINDS = list(holders(Softness(stiffness=1.0)))


def height(t: float, k: float, c: float) -> float:
    """Of a mass that is let go at 0 onto a spring and damper, under-damped, in gravity [m]."""
    decay, rate = c / (2 * MASS), np.sqrt(k / MASS - (c / (2 * MASS)) ** 2)
    return float(
        -MASS * G / k * (1 - np.exp(-decay * t) * (np.cos(rate * t) + decay / rate * np.sin(rate * t)))
    )


@pytest.mark.parametrize("time_step", [1e-3, 4e-3])
@pytest.mark.parametrize("kind", KINDS)
def test_a_soft_constraint_swings_as_spring_and_damper(kind: str, time_step: float) -> None:
    """Against the analytic oscillator; an implicit sub-step h damps by k h^2 / 2 m in addition."""
    made = box(mass=MASS)
    world = World([made], time_step=time_step)
    world.constraints.add(holders(Softness(stiffness=STIFFNESS, damping=DAMPING))[kind](made))
    swing = MASS * G / STIFFNESS
    compared = 0
    for _ in range(10):
        world.step(round(0.1 / time_step))
        if kind != "rope" or made.positions[5] < 0.0:
            expected = height(world.time, STIFFNESS, DAMPING)
            assert made.positions[5] == pytest.approx(expected, abs=0.02 * swing)
            compared += 1
    assert compared == 10 if kind != "rope" else compared > 5


@pytest.mark.parametrize("kind", KINDS)
def test_static_deflection_is_weight_over_stiffness(kind: str) -> None:
    made = box(mass=MASS)
    world = World([made])
    constraint = world.constraints.add(holders(Softness(stiffness=STIFFNESS, damping=25.0))[kind](made))
    world.step(4000)
    sag = MASS * G / STIFFNESS
    assert made.positions[5] == pytest.approx(-sag, rel=1e-4)
    error = np.abs(world.constraint_error(constraint)).max()
    assert error == pytest.approx(sag, rel=1e-4)
    assert world.unmet_constraints == []


@pytest.mark.parametrize("frequency, ratio", [(1.0, 0.1), (2.0, 1.0), (3.0, 0.5)])
@pytest.mark.parametrize("mass", [0.1, 30.0])
def test_frequency_and_damping_ratio_hold_for_any_mass(frequency: float, ratio: float, mass: float) -> None:
    made = box(mass=mass)
    world = World([made])
    world.constraints.add(AtZero(made, softness=Softness.of_frequency(frequency, ratio)))
    omega = 2.0 * np.pi * frequency
    world.step(3000)
    sag = G / omega**2
    settled = np.exp(-ratio * omega * 3.0)
    assert made.positions[5] == pytest.approx(-sag, abs=sag * (settled + 1e-3))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("time_step", [1e-3, 1e-2])
def test_any_stiffness_is_stable(kind: str, time_step: float) -> None:
    made = box(mass=MASS)
    world = World([made], time_step=time_step)
    world.constraints.add(holders(Softness(stiffness=1e9, damping=1.0))[kind](made))
    world.step(500)
    assert abs(made.positions[5]) < 1e-6
    assert np.abs(made.velocities).max() < 1e-4


def test_erp_and_cfm_are_those_of_ode() -> None:
    """The static deflection is force * cfm * h / erp, and a rigid row of erp takes back its share."""
    soft = Softness.of_erp(erp=0.2, cfm=1e-3, time_step=1e-3)
    assert soft.stiffness == pytest.approx(0.2 / (1e-3 * 1e-3))
    assert soft.damping == pytest.approx(0.8 / 1e-3)
    made = slider(mass=MASS)
    world = World([made], gravity=WEIGHTLESS)
    leader = wheel()
    leader.mobile = False
    world.add(leader)
    world.constraints.add(GearConstraint(made.dof(0), leader.dof(0), softness=soft))
    made.commands = [5.0]
    world.step(3000)
    assert made.positions[0] == pytest.approx(5.0 * 1e-3 * 1e-3 / 0.2, rel=1e-6)


def test_a_soft_weld_turns_back() -> None:
    """Its angular rows are springs about the axes: the frequency of a torsion pendulum."""
    made = box(mass=MASS)
    moment = made.body(0).inertia.moment[2, 2]
    world = World([made], gravity=WEIGHTLESS, time_step=2e-4)
    world.constraints.add(WeldConstraint(made.body(0), softness=Softness(stiffness=STIFFNESS)))
    made.positions = [0.0, 0.0, 0.3, 0.0, 0.0, 0.0]
    period = 2.0 * np.pi * np.sqrt(moment / STIFFNESS)
    world.step(round(period / 2 / 2e-4))
    assert made.positions[2] == pytest.approx(-0.3, abs=0.03)
    assert abs(made.velocities[2]) < 0.1 * 0.3 * np.sqrt(STIFFNESS / moment)


def test_softness_is_checked() -> None:
    for wrong, name in (
        ({"stiffness": -1.0}, "stiffness"),
        ({"damping": np.nan}, "damping"),
        ({"frequency": np.inf}, "frequency"),
        ({}, "stiffness"),
        ({"stiffness": 1.0, "frequency": 1.0}, "frequency"),
        ({"damping_ratio": 1.0}, "damping_ratio"),
        ({"frequency": "high"}, "frequency"),
    ):
        with pytest.raises((TypeError, ValueError), match=name):
            Softness(**wrong)  # type: ignore[arg-type]
    for call, name in (
        (lambda: Softness.of_frequency(0.0), "frequency"),
        (lambda: Softness.of_erp(1.5, 1e-3, 1e-3), "erp"),
        (lambda: Softness.of_erp(0.2, 0.0, 1e-3), "cfm"),
        (lambda: Softness.of_erp(0.2, 1e-3, -1e-3), "time_step"),
    ):
        with pytest.raises((TypeError, ValueError), match=name):
            call()


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_softness_is_refused(kind: str) -> None:
    with pytest.raises(TypeError, match="softness"):
        holders(0.5)[kind](box())  # type: ignore[arg-type]


def test_a_spring_is_given_once() -> None:
    made = box()
    with pytest.raises(ValueError, match="stiffness, softness"):
        SpringConstraint(made.body(0), length=1.0)
    with pytest.raises(ValueError, match="stiffness, softness"):
        SpringConstraint(made.body(0), stiffness=3.0, softness=Softness(stiffness=3.0), length=1.0)
