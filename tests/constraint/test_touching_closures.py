"""Closures between bodies that touch or overlap: contacts and closures that contradict each other."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import kido
from kido import Skeleton, Softness, World, gallery
from kido.world import BlockSolver, BoxedLCPSolver

WEIGHTLESS = (0.0, 0.0, 0.0)
SIDE = 0.2
HEIGHT = 0.5
SOLVERS = {"blocks": BlockSolver(), "matrix": BoxedLCPSolver()}
KINDS = ["rigid body", "tree"]


def cube(name: str, place: tuple[float, float, float], kind: str = "rigid body") -> Skeleton:
    """1 kg, edges of 0.2 m."""
    made = gallery.box((SIDE, SIDE, SIDE), name=name)
    made.positions = (0.0, 0.0, 0.0, *place)
    if kind == "tree":
        made.position_upper_limits = [1e9] * 6
    return made


def pair(kind: str, depth: float, **settings: object) -> tuple[World, kido.BodyNode, kido.BodyNode]:
    """Two cubes side by side along x, that overlap."""
    cubes = [cube("left", (0, 0, HEIGHT), kind), cube("right", (SIDE - depth, 0, HEIGHT), kind)]
    return World([gallery.ground(), *cubes], **settings), cubes[0].body(0), cubes[1].body(0)  # type: ignore[arg-type]


def between(world: World) -> int:
    """Number of contacts of bodies that move with each other."""
    return sum(c.first.skeleton.mobile and c.second.skeleton.mobile for c in world.contacts)


def liveliest(world: World, seconds: float) -> float:
    """The largest kinetic energy in a time [J]."""
    most = 0.0
    for _ in range(round(seconds / world.time_step)):
        world.step()
        most = max(most, world.kinetic_energy)
    return most


def closure(name: str, first: kido.BodyNode, second: kido.BodyNode) -> kido.constraint.BodyConstraint:
    """At the middle of the left cube's right face."""
    point = (SIDE / 2, 0.0, HEIGHT)
    match name:
        case "hinge":
            return kido.RevoluteConstraint(first, second, point=point, axis=(0, 1, 0))
        case "ball":
            return kido.BallConstraint(first, second, point=point)
        case "cylinder":
            return kido.CylindricalConstraint(first, second, point=point, axis=(0, 1, 0))
    return kido.WeldConstraint(first, second)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("time_step", [1e-3, 5e-3])
@pytest.mark.parametrize("depth", [1e-4, 1e-2, 3e-2, 5e-2])
@pytest.mark.parametrize("name", ["weld", "hinge", "ball", "cylinder"])
@pytest.mark.parametrize("kind", KINDS)
def test_bodies_that_a_closure_holds_within_each_other_rest(
    kind: str, name: str, depth: float, time_step: float, solver: str
) -> None:
    world, left, right = pair(kind, depth, time_step=time_step, gravity=WEIGHTLESS, solver=SOLVERS[solver])
    held = world.constraints.add(closure(name, left, right))
    assert liveliest(world, 0.5) < 1e-4
    assert np.abs(world.constraint_error(held)).max() < 2e-4
    assert np.abs(world.constraint_wrench(held)).max() < 2e3


@pytest.mark.parametrize("depth", [1e-2, 5e-2])
@pytest.mark.parametrize("name", ["weld", "hinge", "ball", "cylinder"])
def test_they_fall_and_come_to_rest_together(name: str, depth: float) -> None:
    world, left, right = pair("rigid body", depth)
    held = world.constraints.add(closure(name, left, right))
    before = world.energy
    for _ in range(1500):
        world.step()
        assert world.energy < before + 1e-3
    assert np.abs(left.skeleton.velocities).max() < 0.05
    assert left.transform()[2, 3] == pytest.approx(SIDE / 2, abs=5e-3)
    assert np.abs(world.constraint_error(held)).max() < 1e-3


@pytest.mark.parametrize("kind", KINDS)
def test_welded_bodies_are_one_and_do_not_touch_each_other(kind: str) -> None:
    world, left, right = pair(kind, 1e-2)
    world.step()
    assert between(world) == 4
    weld = world.constraints.add(kido.WeldConstraint(left, right))
    world.step()
    assert between(world) == 0
    world.step(1000)
    for body in (left, right):
        assert sum(body in (c.first.body, c.second.body) for c in world.contacts) == 4  # with the ground
    world.constraints.remove(weld)
    world.step()
    assert between(world) == 4


def test_soft_welds_and_hinges_let_bodies_touch() -> None:
    for one in (
        lambda a, b: kido.WeldConstraint(a, b, softness=Softness(stiffness=1e4, damping=10.0)),
        lambda a, b: closure("hinge", a, b),
    ):
        world, left, right = pair("rigid body", 1e-4)
        world.constraints.add(one(left, right))
        world.step()
        assert between(world) == 4


def test_what_is_welded_to_what_is_welded_does_not_touch_it_either() -> None:
    cubes = [cube(f"cube{i}", (0.15 * i, 0, HEIGHT)) for i in range(3)]
    cubes[2].positions = (0, 0, 0, 0.1, 0.1, HEIGHT)
    world = World(cubes, gravity=WEIGHTLESS)
    world.constraints.add(kido.WeldConstraint(cubes[0].body(0), cubes[1].body(0)))
    world.constraints.add(kido.WeldConstraint(cubes[1].body(0), cubes[2].body(0)))
    world.step()
    assert world.contacts == []


def test_what_is_welded_to_the_world_does_not_touch_what_stands() -> None:
    fixed, other = cube("fixed", (0, 0, 0.05)), cube("other", (0, 0, 0.3))
    world = World([gallery.ground(), fixed, other])
    world.constraints.add(kido.WeldConstraint(fixed.body(0)))
    world.step(1000)
    assert {c.first.skeleton.name for c in world.contacts} | {
        c.second.skeleton.name for c in world.contacts
    } == {"fixed", "other"}
    np.testing.assert_allclose(other.positions[5], 0.25, atol=1e-4)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("actuator", ["passive", "servo", "locked"])
@pytest.mark.parametrize("depth", [0.0, 1e-4, 1e-2, 3e-2])
def test_a_crate_in_the_hand_that_touches_the_wrist_does_no_harm(
    depth: float, actuator: str, kind: str
) -> None:
    arm = gallery.arm7()
    arm.positions = [0.1, 0.6, 0.1, 0.9, 0.1, 0.4, 0.1]
    for joint in arm.joints:
        if joint.num_dofs:
            joint.actuator = actuator
    crate = gallery.box((0.1, 0.1, 0.1), mass=0.5, name="crate")
    crate.positions = [0.0, 0.0, 0.0, *(arm.bodies[-3].transform()[:3, 3] + [0.05 - depth, 0.0, 0.0])]
    if kind == "tree":
        crate.position_upper_limits = [1e9] * 6
    world = World([arm, crate])
    weld = world.constraints.add(kido.WeldConstraint(crate.body(0), arm.bodies[-1]))
    before = world.energy
    for _ in range(1000):
        world.step()
        assert world.energy < before + 0.5  # what is overlapped is lifted out
        assert np.abs(world.constraint_wrench(weld)).max() < 5e4
    if actuator != "passive":
        assert np.abs(arm.velocities).max() < 1e-3
    assert np.abs(world.constraint_error(weld)).max() < 1e-3


def test_a_lid_comes_to_rest_on_its_box() -> None:
    base, lid = cube("base", (0, 0, SIDE / 2)), gallery.box((SIDE, SIDE, 0.02), name="lid")
    angle = 0.5
    reach = (
        np.array([np.cos(angle), 0.0, np.sin(angle)]) * SIDE / 2
        + np.array([-np.sin(angle), 0, np.cos(angle)]) * 0.01
    )
    lid.positions = [0.0, -angle, 0.0, -SIDE / 2 + reach[0], 0.0, SIDE + reach[2]]
    world = World([gallery.ground(), base, lid])
    hinge = world.constraints.add(
        kido.RevoluteConstraint(lid.body(0), base.body(0), point=(-SIDE / 2, 0, SIDE), axis=(0, 1, 0))
    )
    world.step(2000)
    np.testing.assert_allclose(lid.positions, [0, 0, 0, 0, 0, SIDE + 0.01], atol=2e-3)
    assert np.abs(lid.velocities).max() < 1e-3
    assert np.abs(world.constraint_error(hinge)).max() < 1e-5
    assert between(world) > 0


def bits(world: World) -> bytes:
    return b"".join(s.positions.tobytes() + s.velocities.tobytes() for s in world.skeletons)


@pytest.mark.parametrize("name", ["weld", "hinge"])
def test_copies_go_on_alike(name: str) -> None:
    world, left, right = pair("rigid body", 1e-2)
    world.constraints.add(closure(name, left, right))
    world.step(150)
    copies, saved = [world.clone(), pickle.loads(pickle.dumps(world))], world.snapshot()
    world.step(200)
    for other in copies:
        other.step(200)
        assert bits(other) == bits(world)
    expected = bits(world)
    world.restore(saved)
    world.step(200)
    assert bits(world) == expected
