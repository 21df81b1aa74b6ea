"""Constraints, gears, servos and limits that contradict each other: bounded forces, and reports."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import numpy as np
import pytest
from _mechanisms import wheel

import kido
from kido import Inertia, RevoluteJoint, Skeleton, World
from kido.constraint import Constraint
from kido.world import BlockSolver, BoxedLCPSolver

SOLVERS = {"blocks": BlockSolver(), "matrix": BoxedLCPSolver()}


def chain(count: int) -> Skeleton:
    """Links of 1 m and 1 kg that hang from the origin."""
    made, body = Skeleton("chain"), None
    for i in range(count):
        joint = RevoluteJoint(f"joint{i}", (0, 1, 0), T_parent_joint=(0.0, 0.0, -1.0 if i else 0.0))
        inertia = Inertia(1.0, (0.0, 0.0, -0.5), np.diag([1.0, 1.0, 0.01]) / 12.0)
        body = made.add_body(f"link{i}", body, joint, inertia=inertia)
    return made


def weld_and_gear() -> tuple[list[Skeleton], list[Constraint]]:
    a, b = wheel("a"), wheel("b")
    return [a, b], [
        kido.WeldConstraint(a.body(0), b.body(0)),
        kido.GearConstraint(b.dof(0), a.dof(0), offset=0.5),
    ]


def two_gears() -> tuple[list[Skeleton], list[Constraint]]:
    a, b = wheel("a"), wheel("b")
    return [a, b], [kido.GearConstraint(b.dof(0), a.dof(0), offset=offset) for offset in (0.0, 0.5)]


def welds_to_the_world_and_gear() -> tuple[list[Skeleton], list[Constraint]]:
    a, b = wheel("a"), wheel("b")
    welds = [kido.WeldConstraint(one.body(0)) for one in (a, b)]
    return [a, b], [*welds, kido.GearConstraint(b.dof(0), a.dof(0), offset=0.5)]


def welded_chain_with_gears() -> tuple[list[Skeleton], list[Constraint]]:
    made = chain(4)
    gears = [
        kido.GearConstraint(made.dof(i), made.dof(0), ratio=ratio, offset=offset)
        for i, ratio, offset in ((1, 1.0, 0.5), (2, -1.0, 0.3), (3, 1.0, 0.3))
    ]
    return [made], [kido.WeldConstraint(made.bodies[-1]), *gears]


SCENES: list[Callable[[], tuple[list[Skeleton], list[Constraint]]]] = [
    weld_and_gear, two_gears, welds_to_the_world_and_gear, welded_chain_with_gears,
]  # fmt: skip


def largest_force(world: World) -> float:
    return max(
        float(
            np.abs(
                world.constraint_wrench(c)
                if isinstance(c, kido.constraint.BodyConstraint)
                else world.constraint_force(c)  # type: ignore[arg-type]
            ).max()
        )
        for c in world.constraints
    )


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("time_step", [1e-3, 5e-3])
@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.__name__)
def test_what_contradicts_gears_rests_in_between_and_is_reported(
    scene: Callable[[], tuple[list[Skeleton], list[Constraint]]], time_step: float, solver: str
) -> None:
    skeletons, constraints = scene()
    world = World(skeletons, time_step=time_step, solver=SOLVERS[solver])
    for constraint in constraints:
        world.constraints.add(constraint)
    world.step(1000)
    assert [unmet.constraint for unmet in world.unmet_constraints] == constraints
    assert largest_force(world) < 100.0
    before = [made.positions for made in skeletons]
    world.step(500)
    for made, positions in zip(skeletons, before, strict=True):
        np.testing.assert_allclose(made.positions, positions, atol=1e-5)
        assert np.abs(made.velocities).max() < 1e-6


def test_two_gears_share_what_they_cannot_meet() -> None:
    skeletons, gears = two_gears()
    world = World(skeletons)
    for gear in gears:
        world.constraints.add(gear)
    world.step(500)
    np.testing.assert_allclose([world.constraint_error(gear)[0] for gear in gears], [0.25, -0.25], atol=1e-6)


def test_a_gear_that_stands_far_off_is_met_all_the_same() -> None:
    a, b = wheel("a"), wheel("b")
    world = World([a, b])
    gear = world.constraints.add(kido.GearConstraint(b.dof(0), a.dof(0), ratio=2.0, offset=3.0))
    weld = world.constraints.add(kido.WeldConstraint(a.body(0), b.body(0)))
    world.step(200)
    for one in (gear, weld):
        assert np.abs(world.constraint_error(one)).max() < 1e-9
    np.testing.assert_allclose([a.positions[0], b.positions[0]], [-3.0, -3.0], atol=1e-6)


@pytest.mark.parametrize("solver", SOLVERS)
def test_contradictory_wheels_that_are_driven_turn_together(solver: str) -> None:
    skeletons, constraints = weld_and_gear()
    world = World(skeletons, solver=SOLVERS[solver])
    for constraint in constraints:
        world.constraints.add(constraint)
    skeletons[0].commands = [0.1]
    world.step(1000)
    np.testing.assert_allclose([made.velocities[0] for made in skeletons], 0.1, rtol=1e-2)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("limits", [(0.0, 0.0), (-1e-3, 1e-3), (-0.1, 0.1)])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_servo_without_bounds_stops_at_the_limits_of_its_position(
    sign: float, limits: tuple[float, float], solver: str
) -> None:
    made = wheel("wheel")
    made.joints[0].actuator = "servo"
    made.position_lower_limits, made.position_upper_limits = [limits[0]], [limits[1]]
    world = World([made], solver=SOLVERS[solver])
    made.commands = [2.0 * sign]
    world.step(1000)
    np.testing.assert_allclose(made.positions, max(sign * limit for limit in limits) * sign, atol=1e-4)
    np.testing.assert_allclose(made.velocities, 0.0, atol=1e-9)
    assert np.abs(world.joint_forces(made).actuators).max() < 1e3
    made.commands = [-2.0 * sign]
    world.step(10)
    if limits[0] < limits[1]:
        assert sign * made.positions[0] < limits[1]


def test_a_servo_with_bounds_presses_against_the_limits_of_its_position() -> None:
    made = wheel("wheel")
    made.joints[0].actuator = "servo"
    made.force_lower_limits, made.force_upper_limits = [-5.0], [5.0]
    made.position_lower_limits, made.position_upper_limits = [-0.1], [0.1]
    world = World([made])
    made.commands = [2.0]
    world.step(1000)
    forces = world.joint_forces(made)
    np.testing.assert_allclose([forces.actuators[0], forces.limits[0]], [5.0, -5.0], rtol=1e-6)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("actuator", ["servo", "velocity"])
@pytest.mark.parametrize("end", ["locked", "limited"])
def test_what_is_driven_by_a_gear_against_what_does_not_move_stays_bounded(
    end: str, actuator: str, solver: str
) -> None:
    a, b = wheel("a"), wheel("b")
    a.joints[0].actuator = actuator
    a.commands = [2.0]
    if end == "locked":
        b.joints[0].actuator = "locked"
    else:
        b.position_lower_limits, b.position_upper_limits = [-0.1], [0.1]
    world = World([a, b], solver=SOLVERS[solver])
    world.constraints.add(kido.GearConstraint(b.dof(0), a.dof(0)))
    for step in range(1000):
        world.step()
        assert np.abs([a.velocities[0], b.velocities[0]]).max() < 100.0
        assert step < 100 or largest_force(world) < 1e8  # it has yielded
    assert abs(b.positions[0]) < 0.2
    if actuator == "velocity":
        assert len(world.unmet_constraints) == 1


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_weld_that_is_torn_by_a_joint_whose_motion_is_given_is_reported(solver: str) -> None:
    made = chain(3)
    made.joints[1].actuator = "velocity"
    made.commands = [0.0, 0.5, 0.0]
    world = World([made], solver=SOLVERS[solver])
    weld = world.constraints.add(kido.WeldConstraint(made.bodies[-1]))
    for step in range(2000):
        world.step()
        assert np.abs(made.velocities).max() < 5.0
        assert step < 100 or np.abs(world.constraint_wrench(weld)).max() < 1e8  # it has yielded
    assert [unmet.constraint for unmet in world.unmet_constraints] == [weld]


def test_copies_of_contradictions_go_on_alike() -> None:
    skeletons, constraints = welded_chain_with_gears()
    world = World(skeletons)
    for constraint in constraints:
        world.constraints.add(constraint)
    world.step(25)
    others = [world.clone(), pickle.loads(pickle.dumps(world))]
    world.step(40)
    for other in others:
        other.step(40)
        assert other.skeletons[0].positions.tobytes() == skeletons[0].positions.tobytes()


def test_a_pickle_of_every_step_goes_on_alike_where_loops_leave_the_sweeps_and_come_back() -> None:
    """Contradictory closures of trees: eliminated from the sweeps at first, refused once they are damped."""
    one, other = (
        kido.gallery.box((0.1, 0.2, 0.3), name="one"),
        kido.gallery.box((0.2, 0.1, 0.1), name="other"),
    )
    for made in (one, other):
        made.position_upper_limits = [1e9] * 6
    other.positions = (0.0, 0.0, 0.0, 0.4, 0.0, 0.0)
    world = World([one, other])
    generator = np.random.default_rng(3)
    for _ in range(2):
        point, axis = generator.normal(size=3), generator.normal(size=3)
        world.constraints.add(kido.CylindricalConstraint(one.body(0), point=point, axis=axis))
    world.constraints.add(kido.WeldConstraint.from_frames(one.body(0), second_frame=shifted(0.1)))
    world.constraints.add(
        kido.RevoluteConstraint(other.body(0), one.body(0), point=(0.2, 0, 0), axis=(0, 1, 0))
    )
    one.joints[0].dofs[3].position_upper_limit = 1e-3
    straight = world.clone()
    for _ in range(100):
        straight.step()
        world = pickle.loads(pickle.dumps(world))
        world.step()
        for a, b in zip(world.skeletons, straight.skeletons, strict=True):
            assert a.positions.tobytes() == b.positions.tobytes()


def shifted(way: float) -> np.ndarray:
    T = np.eye(4)
    T[0, 3] = way
    return T
