"""Closed loops that other things act on: motors, contacts, bodies that are carried."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import numpy as np
import pytest
from test_loops import four_bar

import kido
from kido import Inertia, RevoluteConstraint, ShapeNode, Skeleton, World, gallery
from kido.shape import Box, Sphere
from kido.world import BlockSolver

START = 0.3, 1.0


def _at(x: float, y: float = 0.0, z: float = 0.0) -> np.ndarray:
    T = np.eye(4)
    T[:3, 3] = x, y, z
    return T


def carrier(load: float) -> World:
    """A parallelogram with a plate on its coupler, which a servo turns slowly, and a box on the plate."""
    linkage = Skeleton("linkage")
    bars = []
    for name, parent, at, length in (
        ("crank", None, 0.0, 0.3),
        ("plate", 0, 0.3, 0.5),
        ("rocker", None, 0.5, 0.3),
    ):
        inertia = Inertia(1.0, (length / 2, 0, 0), np.diag([1e-3, length**2 / 12, length**2 / 12 + 1e-4]))
        joint = kido.RevoluteJoint(name, (0, 1, 0), T_parent_joint=(at, 0, 0))
        bars.append(linkage.add_body(name, None if parent is None else bars[parent], joint, inertia=inertia))
    up = np.arctan2(START[1], START[0])
    linkage.positions = [-up, up, -up]
    plate, rocker = bars[1], bars[2]
    ShapeNode(plate, "plate", Box((0.5, 0.3, 0.04)), _at(0.25))
    box = gallery.box((0.1, 0.1, 0.1), mass=load)
    middle = plate.transform() @ [0.25, 0.0, 0.0, 1.0]
    box.positions = [0.0, 0.0, 0.0, middle[0], 0.0, middle[2] + 0.07]
    world = World([linkage, box])
    world.constraints.add(
        RevoluteConstraint(plate, rocker, point=(plate.transform() @ [0.5, 0, 0, 1])[:3], axis=(0, 1, 0))
    )
    linkage.joint("crank").actuator = "servo"
    linkage.commands = {"crank": 0.2}
    return world


def with_servo() -> World:
    world, _ = four_bar()
    world.constraints.remove(next(iter(world.constraints)))
    world.skeletons[0].commands = {"crank": 20.0}
    return world


def numbers(world: World) -> np.ndarray:
    return np.concatenate([*(s.positions for s in world.skeletons), *(s.velocities for s in world.skeletons)])


def wrench(world: World) -> np.ndarray:
    return world.constraint_wrench(next(iter(world.constraints)))  # type: ignore[arg-type]


def gap(world: World) -> float:
    return max(float(np.abs(world.constraint_error(c)).max()) for c in world.constraints)


@pytest.mark.parametrize(
    "make, force", [(with_servo, 1e-8), (lambda: carrier(2.0), 1e-4), (lambda: carrier(40.0), 1e-3)]
)
def test_one_sweep_finds_the_forces_that_hundreds_do(make: Callable[[], World], force: float) -> None:
    world = make()
    for _ in range(10):
        world.step(50)
        one, many = world.clone(), world.clone()
        many.solver = BlockSolver(sweeps=300, relaxing_sweeps=300)
        one.step()
        many.step()
        assert np.abs(wrench(one) - wrench(many)).max() < force * np.abs(wrench(many)).max()
        np.testing.assert_allclose(one.skeletons[0].velocities, many.skeletons[0].velocities, atol=1e-8)


@pytest.mark.parametrize("load", [2.0, 40.0])
def test_a_linkage_that_carries_a_box_stays_closed(load: float) -> None:
    """Also where the box weighs many times what carries it."""
    world = carrier(load)
    worst = depth = 0.0
    for _ in range(100):
        world.step(10)
        worst = max(worst, gap(world))
        depth = max([depth, *(c.depth for c in world.contacts)])
    assert worst < 1e-11
    assert depth < 5e-6
    assert world.skeletons[0].velocities[0] == pytest.approx(0.2, rel=1e-9)


def test_forces_of_eliminated_loops_balance_the_load() -> None:
    """At rest, virtual work: the crank's torque is that of all weights by how fast they rise."""
    world = carrier(10.0)
    linkage = world.skeletons[0]
    linkage.joint("crank").actuator = "locked"
    linkage.commands = {"crank": 0.0}
    world.step(1500)
    x = 0.3 * np.cos(-linkage.positions[0])  # by which all of the plate rises with the crank
    torque = world.joint_forces(linkage).actuators[0]
    assert torque == pytest.approx(-9.81 * x * (1.0 + 10.0 + 2 * 0.5), rel=2e-4)


def test_steps_go_on_bit_for_bit_after_pickle_and_restore() -> None:
    world = carrier(2.0)
    world.step(37)
    loaded, copied, saved = pickle.loads(pickle.dumps(world)), world.clone(), world.snapshot()
    world.step(50)
    first = numbers(world).tobytes()
    for other in (loaded, copied):
        other.step(50)
        assert numbers(other).tobytes() == first
    world.restore(saved)
    world.step(50)
    assert numbers(world).tobytes() == first


def test_a_loop_opens_where_its_constraint_is_removed_and_closes_anew() -> None:
    world = with_servo()
    world.step(20)
    hinge = next(iter(world.constraints))
    world.constraints.remove(hinge)
    world.step(1)
    assert np.isfinite(numbers(world)).all()
    linkage = world.skeletons[0]
    linkage.velocities = np.zeros(3)
    world.constraints.add(hinge)
    linkage.commands = {"crank": 1.0}
    world.step(500)
    assert gap(world) < 1e-8
    assert world.unmet_constraints == []


def test_contradictory_loops_are_soft_and_reported_beside_a_motor() -> None:
    world = with_servo()
    linkage = world.skeletons[0]
    linkage.commands = {"crank": 0.0}
    coupler, rocker = linkage.body("coupler"), linkage.body("rocker")
    point = (rocker.transform() @ [0.2, 0, 0, 1])[:3]
    frame = linkage.positions
    linkage.positions = frame + np.array([0.0, 0.02, 0.0])
    world.constraints.add(RevoluteConstraint(coupler, rocker, point=point, axis=(0, 1, 0)))
    linkage.positions = frame
    world.step(400)
    assert world.unmet_constraints
    assert np.abs(linkage.velocities).max() < 1e-4
    assert np.isfinite(wrench(world)).all()


# ---- what nothing can move


@pytest.mark.parametrize("depth", [5e-5, 5e-3])
def test_a_contact_along_which_nothing_moves_takes_no_impulses(depth: float) -> None:
    """An arm on a vertical hinge, whose ball stands in the ground a little: it turns on."""
    arm = Skeleton("arm")
    inertia = Inertia(1.0, (0.3, 0, 0), np.diag([0.01, 0.1, 0.1]))
    body = arm.add_body("arm", joint=kido.RevoluteJoint("hinge", (0, 0, 1)), inertia=inertia)
    ShapeNode(body, "ball", Sphere(0.05), _at(0.3, 0.0, 0.05 - depth))
    arm.velocities = [1.0]
    world = World([gallery.ground(), arm])
    world.step(100)
    assert arm.positions[0] == pytest.approx(0.1, abs=1e-12)
    np.testing.assert_array_equal([c.force for c in world.contacts], 0.0)
