"""Energy and momentum of the last step, by cause."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np
import pytest
from _scenes import KINDS, G, as_kind, momentum, on_ground, push, put

import kido
from kido import Inertia, PrismaticJoint, Skeleton, Surface, World, gallery

MASS = 2.0


def slider() -> Skeleton:
    """A mass on a horizontal rail."""
    made = Skeleton("slider")
    joint = PrismaticJoint("rail", axis=(1.0, 0.0, 0.0))
    made.add_body("mass", joint=joint, inertia=Inertia(MASS, (0, 0, 0), np.eye(3)))
    return made


def summed(world: World, steps: int) -> dict[str, float]:
    """Work of some steps by cause [J]."""
    total: dict[str, float] = {}
    for _ in range(steps):
        world.step()
        for name, value in dataclasses.asdict(world.audit.work).items():
            total[name] = total.get(name, 0.0) + value
    return total


@pytest.mark.parametrize("kind", KINDS)
def test_friction_takes_its_force_times_the_way(kind: str) -> None:
    box = push(put(as_kind(kind, gallery.box((0.2, 0.2, 0.2), mass=MASS)), (0, 0, 0.1)), (1.5, 0, 0))
    box.body(0).shape_nodes[0].surface = Surface(friction=0.5)
    world = on_ground(box, surface=Surface(friction=0.5))
    work = summed(world, 600)
    way = 1.5**2 / (2 * 0.5 * G)
    assert work["contacts"] == pytest.approx(-0.5 * MASS * G * way, rel=5e-3)
    assert work["contacts"] == pytest.approx(-0.5 * MASS * 1.5**2, rel=2e-3)
    assert abs(work["numerical"]) < 2e-3
    assert sum(work.values()) == pytest.approx(-0.5 * MASS * 1.5**2, rel=1e-9)


@pytest.mark.parametrize(
    "numbers, cause, expected",
    [
        ({"damping": 3.0}, "dampers", -0.5 * MASS * (1.0 - np.exp(-2 * 3.0 / MASS * 0.5))),
        ({"coulomb_friction": 1.0}, "joint_friction", -(0.5 - 0.5 * 0.5 * 0.5**2)),
        ({"command": 4.0}, "actuators", 4.0 * (0.5 + 0.5 * 2.0 * 0.5**2)),
        ({"external": 4.0}, "external", 4.0 * (0.5 + 0.5 * 2.0 * 0.5**2)),
        ({"spring_stiffness": 8.0}, "springs", -0.5 * 8.0 * (0.5 * np.sin(1.0)) ** 2),
    ],
)
def test_what_acts_in_a_joint_gives_the_work_of_the_textbook(
    numbers: dict[str, float], cause: str, expected: float
) -> None:
    """A mass of 2 kg at 1 m/s for half a second, closed forms."""
    own = {name: value for name, value in numbers.items() if name not in ("command", "external")}
    made = slider()
    for name, value in own.items():
        setattr(made, name, [value])
    made.velocities = [1.0]
    made.commands = [numbers.get("command", 0.0)]
    world = World([made])
    total = {}
    for _ in range(500):
        if "external" in numbers:
            made.body(0).add_external_force((numbers["external"], 0.0, 0.0))
        for name, value in summed(world, 1).items():
            total[name] = total.get(name, 0.0) + value
    assert total[cause] == pytest.approx(expected, rel=5e-3)
    others = {name: value for name, value in total.items() if name not in (cause, "numerical")}
    assert max(map(abs, others.values())) < 1e-12
    assert abs(total["numerical"]) < 2e-2 * abs(expected)


def test_a_servo_gives_the_energy_that_it_accelerates_with() -> None:
    made = slider()
    made.joint(0).actuator = kido.ActuatorType.SERVO
    made.force_upper_limits, made.force_lower_limits = [5.0], [-5.0]
    made.commands = [2.0]
    work = summed(World([made]), 1500)
    assert work["actuators"] == pytest.approx(0.5 * MASS * 4.0, rel=1e-9)
    assert abs(work["numerical"]) < 1e-9


def test_a_prescribed_velocity_gives_the_energy_that_it_takes() -> None:
    made = slider()
    made.damping = [3.0]
    made.joint(0).actuator = kido.ActuatorType.VELOCITY
    made.commands = [2.0]
    world = World([made])
    world.step()
    assert world.audit.work.actuators == pytest.approx(0.5 * MASS * 4.0, rel=1e-9)


def test_a_limit_takes_the_energy_of_what_meets_it() -> None:
    made = slider()
    made.position_upper_limits, made.position_lower_limits = [0.1], [-1.0]
    made.velocities = [1.0]
    work = summed(World([made]), 300)
    assert work["limits"] == pytest.approx(-0.5 * MASS, rel=1e-6)


def test_falling_gives_what_the_potential_loses_and_what_is_left_is_the_integrators() -> None:
    left = {}
    for integrator in kido.world.Integrator:
        made = gallery.double_pendulum()
        made.damping, made.positions = [0.0, 0.0], [1.0, 0.5]
        world = World([made], integrator=integrator)
        before = made.potential_energy
        work = summed(world, 300)
        assert work["gravity"] == pytest.approx(before - made.potential_energy, abs=1e-12)
        assert sum(work.values()) == pytest.approx(made.kinetic_energy, rel=1e-12)
        left[integrator] = abs(work["numerical"])
    euler, *others = left.values()
    assert euler < 0.05 and max(others) < 1e-4


def falling_world() -> World:
    robot = gallery.humanoid()
    crate = push(put(gallery.box((0.3, 0.3, 0.3), mass=MASS), (0.1, 0.0, 1.9)), (0, 0, -1), (1, 2, 3))
    anchor = put(gallery.ball(0.1, name="anchor"), (2.0, 0.0, 1.0))
    world = on_ground(robot, crate, anchor)
    world.constraints.add(kido.BallConstraint(anchor.body(0), None, point=(2.5, 0.0, 1.0)))
    return world


def test_the_causes_of_momentum_add_up_and_little_is_left_for_the_integrator() -> None:
    world = falling_world()
    total, left = np.zeros(6), np.zeros(6)
    before = momentum(world.skeletons[1:])
    for _ in range(600):
        world.step()
        audit = world.audit
        impulses = dataclasses.asdict(audit.impulses)
        np.testing.assert_allclose(sum(impulses.values()), audit.momentum_gain, atol=1e-12)
        total += audit.momentum_gain
        left += impulses["numerical"]
    now = momentum(world.skeletons[1:])
    np.testing.assert_allclose(audit.momentum, now, atol=1e-9)
    np.testing.assert_allclose(total, now - before, atol=1e-9)
    weight = G * sum(s.mass for s in world.skeletons[1:])
    assert np.abs(left).max() < 0.01 * weight * 0.6


@pytest.mark.parametrize("kind", KINDS)
def test_bodies_that_collide_exchange_momentum_and_nothing_else_acts(kind: str) -> None:
    one, two = (as_kind(kind, gallery.box((0.2, 0.2, 0.2), name=name)) for name in ("one", "two"))
    push(put(one, (-0.15, 0.0, 0.0)), (2.0, 0.0, 0.0))
    push(put(two, (0.15, 0.05, 0.02)), (-1.0, 0.0, 0.0))
    world = World([one, two], gravity=(0.0, 0.0, 0.0))
    exchanged = 0.0
    for _ in range(100):
        world.step()
        audit = world.audit
        exchanged += 1e-3 * world.contact_wrench(one)[3]
        np.testing.assert_allclose(audit.impulses.contacts, np.zeros(6), atol=1e-12)
        np.testing.assert_allclose(audit.momentum_gain, np.zeros(6), atol=1e-3)
    assert exchanged < -1.0


def test_a_pendulum_takes_its_momentum_from_its_pivot() -> None:
    made = gallery.double_pendulum()
    made.positions = [0.7, 0.4]
    world = World([made], time_step=1e-4)
    world.step(300)
    impulses = world.audit.impulses
    assert np.abs(impulses.root_joints[3:]).max() > 1e-4
    np.testing.assert_allclose(
        impulses.gravity + impulses.root_joints, world.audit.momentum_gain, rtol=1e-3, atol=1e-7
    )


@pytest.mark.parametrize("scene", [falling_world, lambda: World([gallery.arm7(), gallery.ball()])])
def test_energies_are_those_of_the_world(scene: Callable[[], World]) -> None:
    world = scene()
    world.step(100)
    audit = world.audit
    assert audit.energy == pytest.approx(world.energy, rel=1e-12)
    assert audit.kinetic_energy == pytest.approx(world.kinetic_energy, rel=1e-12)
    assert audit.potential_energy == pytest.approx(world.potential_energy, rel=1e-12)
    assert audit.time == world.time and audit.duration == pytest.approx(1e-3)


def test_before_the_first_step_and_after_one_that_failed_nothing_was_done() -> None:
    made = gallery.double_pendulum()
    world = World([made])
    assert world.audit.duration == 0.0 and world.audit.work == kido.world.Work()
    made.velocities = [1e200, 0.0]
    with pytest.raises(kido.errors.DivergedError):
        world.step()
    assert world.audit.duration == 0.0 and not world.audit.momentum_gain.any()


def test_work_on_a_free_body_that_spins_while_it_moves_is_exact() -> None:
    """A constant force in the world does F (x + dx / 2) dt, and the kinetic energy gains as much."""
    box = gallery.box((0.1, 0.2, 0.3), mass=2.0)
    world = World(box, gravity=np.zeros(3))
    box.velocities = [0.0, 0.0, 10.0, 3.0, 0.0, 0.0]  # about a principal axis
    world.step(50)
    force = np.array([1.0, 2.0, 0.5])
    box.body(0).add_external_force(force)
    before = box.body(0).transform()[:3, 3]
    world.step()
    found = world.audit
    moved = box.body(0).transform()[:3, 3] - before
    assert found.work.external == pytest.approx(found.kinetic_energy_gain, rel=1e-10)
    assert found.work.external == pytest.approx(float(force @ moved), rel=1e-2)
