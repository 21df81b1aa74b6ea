"""Closures at and through singular positions: how far errors are pushed, what cannot be met, what passes."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from _mechanisms import WEIGHTLESS

import kido
from kido import Inertia, RevoluteJoint, Skeleton, Softness, World
from kido.constraint import BodyConstraint, Components
from kido.world import BlockSolver, BoxedLCPSolver

GRAVITY = (0.0, 0.0, -5.0)
TOP = 3.0
SOLVERS = {
    "blocks": BlockSolver(),
    "one sub-step": BlockSolver(longest_substep=1.0),
    "several sweeps": BlockSolver(sweeps=3, relaxing_sweeps=2),
    "matrix": BoxedLCPSolver(),
}


class TipAt(BodyConstraint):
    """The tip of a link, at (0, 0, -1) in its frame, stays at a point of the world."""

    def __init__(
        self, link: kido.BodyNode, point: tuple[float, float, float], softness: Softness | None = None
    ) -> None:
        super().__init__(link, None)
        tip, place = np.eye(4), np.eye(4)
        tip[2, 3], place[:3, 3] = -1.0, point
        numbers = (0.0, 0.0, 0.0, 0.0)
        if softness is not None:
            numbers = (softness.stiffness, softness.damping, softness.frequency, softness.damping_ratio)
        self._components = Components(tip, place, (True, True, True, False, False, False), softness=numbers)

    @property
    def components(self) -> Components:
        return self._components


def arm(*positions: float) -> Skeleton:
    """Two links of 1 m and 1 kg that hang from (0, 0, 3), stretched at positions 0."""
    made, body = Skeleton("arm"), None
    inertia = Inertia(1.0, (0.0, 0.0, -0.5), np.diag([1.0, 1.0, 0.01]) / 12.0)
    for i in range(2):
        joint = RevoluteJoint(f"joint{i}", (0, 1, 0), T_parent_joint=(0.0, 0.0, -1.0 if i else TOP))
        body = made.add_body(f"link{i}", body, joint, inertia=inertia)
    made.positions = positions
    return made


def world_of(made: Skeleton, *heights: float, time_step: float = 2e-3, **settings: object) -> World:
    """The arm, its tip held at heights above (0, 0, 0); below 1 m it cannot reach."""
    world = World([made], gravity=GRAVITY, time_step=time_step, **settings)  # type: ignore[arg-type]
    for height in heights:
        world.constraints.add(TipAt(made.bodies[-1], (0.0, 0.0, height)))
    return world


def largest_turn(world: World, steps: int) -> float:
    """The largest change of a position in a step [rad]."""
    made, most = world.skeletons[0], 0.0
    for _ in range(steps):
        before = made.positions
        world.step(1)
        most = max(most, np.abs(made.positions - before).max())
    return most


def gap(world: World, index: int = 0) -> float:
    return float(np.linalg.norm(world.constraint_error(list(world.constraints)[index])[:3]))


STARTS = [(0.3, 0.0), (0.3, 0.2), (1e-3, 0.0), (2.5, 0.1)]


# ---- met at a singular position, or close to it


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("time_step", [1e-3, 2e-3, 1e-2])
@pytest.mark.parametrize("solver", SOLVERS)
def test_a_tip_comes_to_the_end_of_its_reach_by_turns_that_fit_its_error(
    solver: str, time_step: float, start: tuple[float, float]
) -> None:
    world = world_of(arm(*start), 1.0, time_step=time_step, solver=SOLVERS[solver])
    assert largest_turn(world, 300) < 1.5  # from as far as 3.6 m
    assert gap(world) < 1e-7
    world.step(300)
    assert gap(world) < 1e-8
    assert np.abs(world.skeletons[0].positions).max() < 1e-3
    assert world.unmet_constraints == []


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("solver", SOLVERS)
def test_a_tip_within_reach_is_held_to_rounding_wherever_it_starts(
    solver: str, start: tuple[float, float]
) -> None:
    world = world_of(arm(*start), 1.2, solver=SOLVERS[solver])
    assert largest_turn(world, 100) < 1.5
    assert gap(world) < 1e-12
    half = np.arccos((TOP - 1.2) / 2.0)
    np.testing.assert_allclose(np.abs(world.skeletons[0].positions), [half, 2.0 * half], atol=1e-9)


def test_a_small_error_of_a_stretched_arm_turns_it_by_its_root() -> None:
    for shortening in (1e-8, 1e-6, 1e-4, 1e-2):
        world = world_of(arm(1e-6, 0.0), 1.0 + shortening)
        assert largest_turn(world, 300) < 5.0 * np.sqrt(shortening)
        assert gap(world) < 1e-12
        half = np.arccos(1.0 - shortening / 2.0)
        np.testing.assert_allclose(np.abs(world.skeletons[0].positions), [half, 2.0 * half], rtol=1e-5)


# ---- what cannot be met


@pytest.mark.parametrize("time_step", [1e-3, 2e-3, 1e-2])
@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("solver", SOLVERS)
def test_a_tip_that_cannot_reach_stretches_the_arm_and_rests(
    solver: str, start: tuple[float, float], time_step: float
) -> None:
    world = world_of(arm(*start), 0.95, time_step=time_step, solver=SOLVERS[solver])
    assert largest_turn(world, 300) < 1.5
    assert largest_turn(world, 500) < 1e-6
    assert np.abs(world.skeletons[0].velocities).max() < 1e-5
    (grip,) = world.constraints
    np.testing.assert_allclose(world.constraint_error(grip)[:3], (0.0, 0.0, 0.05), atol=1e-7)
    assert [one.constraint for one in world.unmet_constraints] == [grip]
    assert np.abs(world.constraint_wrench(grip)).max() < 20.0  # nothing is pressed against what does not give


def test_an_arm_that_stands_stretched_tells_that_it_cannot_reach() -> None:
    for height in (0.95, 1.2):
        world = world_of(arm(0.0, 0.0), height)
        world.step(50)
        assert [one.error[2] for one in world.unmet_constraints] == pytest.approx([1.0 - height])


def test_closures_that_contradict_each_other_share_their_gap_and_rest() -> None:
    made = arm(0.3, 0.2)
    world = World([made], gravity=GRAVITY, time_step=2e-3)
    grips = [world.constraints.add(TipAt(made.bodies[-1], (x, 0.0, 1.3))) for x in (-0.05, 0.05)]
    assert largest_turn(world, 500) < 1.5
    assert largest_turn(world, 500) < 1e-9
    for grip, x in zip(grips, (0.05, -0.05), strict=True):
        np.testing.assert_allclose(world.constraint_error(grip)[:3], (x, 0.0, 0.0), atol=1e-6)
        assert np.abs(world.constraint_wrench(grip)).max() < 20.0
    assert len(world.unmet_constraints) == 2


def test_energy_grows_by_no_more_than_the_error_needs() -> None:
    for height in (0.95, 1.0, 1.2):
        for start in STARTS:
            world = world_of(arm(*start), height)
            most = 0.0
            for _ in range(500):
                world.step(1)
                most = max(most, world.skeletons[0].kinetic_energy)
            assert most < 1e-3  # [J], of 20 J that the arm has between its ends


# ---- through singular positions


def parallelogram(speed: float) -> World:
    """Cranks of 0.5 m that turn at a speed [rad/s] about axes 1 m apart, with a coupler that keeps level."""
    made = Skeleton("linkage")

    def bar(name: str, parent: kido.BodyNode | None, x: float, length: float) -> kido.BodyNode:
        joint = RevoluteJoint(name, (0, 1, 0), T_parent_joint=(x, 0.0, 0.0))
        inertia = Inertia(1.0, (length / 2, 0, 0), length**2 / 12 * np.diag([0.01, 1.0, 1.0]))
        return made.add_body(name, parent, joint, inertia=inertia)

    crank = bar("crank", None, 0.0, 0.5)
    coupler = bar("coupler", crank, 0.5, 1.0)
    rocker = bar("rocker", None, 1.0, 0.5)
    angle = 0.7
    made.positions = (-angle, angle, -angle)
    world = World([made], gravity=WEIGHTLESS, time_step=2e-3)
    end = (0.5 * np.cos(angle) + 1.0, 0.0, 0.5 * np.sin(angle))
    world.constraints.add(kido.RevoluteConstraint(coupler, rocker, point=end, axis=(0, 1, 0)))
    made.velocities = (speed, -speed, speed)
    return world


@pytest.mark.parametrize("speed", [0.3, 3.0, -3.0])
def test_a_parallelogram_turns_through_flat_positions(speed: float) -> None:
    world = parallelogram(speed)
    made = world.skeletons[0]
    before, turned = world.energy, largest_turn(world, 6000)
    assert turned < 1.5 * abs(speed) * 2e-3
    assert gap(world) < 1e-5
    assert world.energy <= before * (1.0 + 1e-9)
    assert world.energy > before * (1.0 - 1e-2)
    np.testing.assert_allclose(made.velocities, (speed, -speed, speed), rtol=5e-3)
    np.testing.assert_allclose(made.positions[0], -0.7 + speed * 12.0, rtol=5e-3)


@pytest.mark.parametrize("time_step", [2e-3, 1e-3, 5e-4])
@pytest.mark.parametrize("speed", [10.0, -10.0, 20.0])
def test_a_parallelogram_that_turns_fast_may_slow_down_but_stays_one(speed: float, time_step: float) -> None:
    """In a step it turns by up to 0.04 rad, by which it can be off where its bars are in line."""
    world = parallelogram(speed)
    world.time_step = time_step
    made = world.skeletons[0]
    before = world.energy
    for _ in range(round(6.0 / time_step / 10)):
        world.step(10)
        assert world.energy < before * (1.0 + 1e-4)
        assert gap(world) < 2e-3
    v = made.velocities
    np.testing.assert_allclose(v, v[0] * np.array([1.0, -1.0, 1.0]), rtol=0.05)
    assert 0.5 * abs(speed) < v[0] * np.sign(speed) < 1.001 * abs(speed)


@pytest.mark.parametrize("held", [True, False])
def test_a_motor_bends_an_arm_that_a_closure_has_stretched(held: bool) -> None:
    made = arm(0.3, 0.2)
    world = World([made], gravity=WEIGHTLESS, time_step=2e-3)
    grip = world.constraints.add(TipAt(made.bodies[-1], (0.0, 0.0, 1.0)))
    world.step(300)
    assert gap(world) < 1e-8
    if not held:
        world.constraints.remove(grip)
    made.dof(1).joint.actuator = "servo"
    made.dof(1).force_lower_limit, made.dof(1).force_upper_limit = -5.0, 5.0
    made.commands = [0.0, 1.0]
    assert largest_turn(world, 500) < 5e-3
    if held:  # it cannot bend
        assert gap(world) < 1e-5
        assert np.abs(made.positions).max() < 5e-3
    else:
        np.testing.assert_allclose(made.positions[1], 1.0, atol=1e-2)


# ---- softly


@pytest.mark.parametrize("height", [0.95, 1.0])
@pytest.mark.parametrize(
    "softness",
    [
        Softness(stiffness=1e8, damping=1e4),
        Softness(frequency=100.0, damping_ratio=1.0),
        Softness(frequency=5.0, damping_ratio=1.0),
    ],
    ids=repr,
)
def test_stiff_springs_stretch_an_arm_and_do_not_throw_it(softness: Softness, height: float) -> None:
    made = arm(0.3, 0.2)
    world = World([made], gravity=GRAVITY, time_step=2e-3)
    world.constraints.add(TipAt(made.bodies[-1], (0.0, 0.0, height), softness))
    assert largest_turn(world, 2000) < 1.0
    assert gap(world) == pytest.approx(1.0 - height, abs=2e-3)
    assert np.abs(made.velocities).max() < 2.0


# ---- contacts


def arm_in_the_ground(start: tuple[float, float], depth: float, time_step: float) -> tuple[Skeleton, World]:
    """An arm whose tip, a sphere, is as deep in a floor as is said [m]."""
    made = arm(*start)
    place = np.eye(4)
    place[2, 3] = -1.0
    made.bodies[-1].add_shape_node(kido.shape.Sphere(0.05), place)
    floor = kido.gallery.box((4.0, 4.0, 1.0), name="floor")
    floor.mobile = False
    floor.positions = (0, 0, 0, 0, 0, 1.0 + depth - 0.55)
    world = World([made, floor], gravity=GRAVITY, time_step=time_step)
    return made, world


@pytest.mark.parametrize("depth", [1e-3, 1e-2])
@pytest.mark.parametrize("start", [(1e-3, 0.0), (0.0, 1e-3)])
def test_the_ground_bends_a_stretched_arm_that_stands_in_it(start: tuple[float, float], depth: float) -> None:
    made, world = arm_in_the_ground(start, depth, 2e-3)
    before = made.potential_energy
    assert largest_turn(world, 500) < 0.05
    tip = (made.bodies[-1].transform() @ [0.0, 0.0, -1.0, 1.0])[2]
    assert tip == pytest.approx(1.0 + depth, abs=1e-5)
    assert made.potential_energy + made.kinetic_energy < before + 10.0 * depth


@pytest.mark.parametrize("time_step", [1e-3, 2e-3, 5e-3])
@pytest.mark.parametrize("depth", [1e-4, 1e-5])
@pytest.mark.parametrize("start", [(1e-3, 0.0), (0.0, 1e-3)])
def test_the_ground_does_not_throw_a_stretched_arm_that_stands_a_little_in_it(
    start: tuple[float, float], depth: float, time_step: float
) -> None:
    made, world = arm_in_the_ground(start, depth, time_step)
    before = made.potential_energy
    for _ in range(500):
        world.step()
        assert made.potential_energy + made.kinetic_energy < before + 0.05


# ---- the same bits


def bits(world: World) -> bytes:
    made = world.skeletons[0]
    errors = [world.constraint_error(grip) for grip in world.constraints]
    return np.concatenate([made.positions, made.velocities, *errors]).tobytes()


@pytest.mark.parametrize("heights", [(0.95,), (1.0,), (1.0, 0.9)])
def test_snapshots_clones_and_pickles_push_errors_alike(heights: tuple[float, ...]) -> None:
    world = world_of(arm(0.3, 0.2), *heights)
    world.step(27)
    saved, cloned, copied = world.snapshot(), world.clone(), pickle.loads(pickle.dumps(world))
    world.step(60)
    expected = bits(world)
    for other in (cloned, copied):
        other.step(60)
        assert bits(other) == expected
    world.restore(saved)
    world.step(60)
    assert bits(world) == expected
