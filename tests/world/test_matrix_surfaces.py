"""Belts, slip, friction by direction, rolling and torsional friction in solvers of matrices."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from _scenes import KINDS, G, as_kind, on_ground, origin, push, put, spin, unit, velocity
from test_solvers import METHODS, problems

from kido import Skeleton, Surface, World, gallery
from kido.world import BlockSolver, BoxedLCPSolver, StepProblem

CONES = {name: solver for name, solver in METHODS.items() if "cones" in name}
EXACT = {"pyramids": BoxedLCPSolver(), "cones": METHODS["Newton, cones"]}


def box(kind: str, surface: Surface, place: tuple[float, float, float] = (0.0, 0.0, 0.05)) -> Skeleton:
    return put(as_kind(kind, gallery.box((0.3, 0.2, 0.1), 2.0, surface=surface)), place)


def solved(world: World, solver: BoxedLCPSolver) -> World:
    world.solver = solver
    return world


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", METHODS)
def test_a_belt_carries_at_its_speed(name: str, kind: str) -> None:
    belt = gallery.box((1.0, 4.0, 0.2), surface=Surface(0.5, velocity=(0.0, 1.5, 0.0)), name="belt")
    belt.positions = [0.0, 0.0, -np.pi / 2, 0.0, 0.0, -0.1]  # its y axis points along x
    belt.mobile = False
    made = box(kind, Surface(), (-1.0, 0.0, 0.05))
    world = World([belt, made], solver=METHODS[name])
    world.step(100)
    assert velocity(made)[0] == pytest.approx(0.5 * G * 0.1, rel=1e-5)
    world.step(300)
    np.testing.assert_allclose(velocity(made), (1.5, 0.0, 0.0), atol=1e-6)


@pytest.mark.parametrize("name", EXACT)
def test_a_turntable_turns_what_stands_on_it(name: str) -> None:
    made = push(box("rigid body", Surface(), (0.5, 0.0, 0.05)), (0.0, 0.6, 0.0), (0.0, 0.0, 1.2))
    world = on_ground(made, surface=Surface(1.0, angular_velocity=(0.0, 0.0, 1.2)))
    solved(world, EXACT[name]).step(500)
    np.testing.assert_allclose(origin(made)[:2], 0.5 * unit(0.6)[:2], atol=5e-3)
    assert spin(made)[2] == pytest.approx(1.2, abs=1e-3)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", CONES)
def test_rolling_friction_slows_a_ball_alike_in_every_direction(name: str, kind: str) -> None:
    for direction in (0.3, 2.0):
        ball = as_kind(kind, gallery.ball(0.1, 2.0, surface=Surface(1.0, rolling_friction=0.004)))
        push(put(ball, (0.0, 0.0, 0.1)), unit(direction), np.cross([0, 0, 1], unit(direction)) / 0.1)
        solved(on_ground(ball), CONES[name]).step(300)
        expected = 1.0 - 0.3 * 5.0 / 7.0 * 0.004 * G / 0.1
        np.testing.assert_allclose(velocity(ball), expected * unit(direction), atol=1e-5)


def test_rolling_friction_as_a_pyramid_stops_a_ball_along_its_tangents() -> None:
    ball = gallery.ball(0.1, 2.0, surface=Surface(1.0, rolling_friction=0.004))
    push(put(ball, (0.0, 0.0, 0.1)), (1.0, 0.0, 0.0), (0.0, 10.0, 0.0))
    world = solved(on_ground(ball), BoxedLCPSolver())
    world.step(1000)
    assert velocity(ball)[0] == pytest.approx(1.0 - 5.0 / 7.0 * 0.004 * G / 0.1, rel=1e-5)
    world.step(3000)
    assert np.abs(ball.velocities).max() < 2e-5


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("way", [1.0, -1.0])
def test_torsional_friction_slows_a_ball_that_spins(name: str, kind: str, way: float) -> None:
    ball = put(as_kind(kind, gallery.ball(0.1, 2.0, surface=Surface(torsional_friction=0.002))), (0, 0, 0.1))
    push(ball, (0.0, 0.0, 0.0), (0.0, 0.0, way * 10.0))
    solved(on_ground(ball), EXACT[name]).step(500)
    assert spin(ball)[2] == pytest.approx(way * (10.0 - 0.5 * 0.002 * G / (0.4 * 0.01)), rel=1e-5)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("across", [False, True])
def test_friction_by_direction_stops_along_its_axes(name: str, kind: str, across: bool) -> None:
    surface = Surface(0.6, friction_direction=(1.0, 0.0, 0.0), secondary_friction=0.3)
    made = put(box(kind, surface), (0.0, 0.0, 0.05), (0.0, 0.0, 0.4))
    direction = unit(0.4 + across * np.pi / 2)
    push(made, 2.0 * direction)
    solved(on_ground(made), EXACT[name]).step(800)
    assert origin(made) @ direction == pytest.approx(2.0**2 / (2.0 * (0.3 if across else 0.6) * G), rel=3e-3)
    assert np.abs(made.velocities).max() < 1e-6


@pytest.mark.parametrize("name", CONES)
def test_friction_of_cones_takes_as_much_energy_as_the_ellipse_allows(name: str) -> None:
    made = box("rigid body", Surface(0.6, friction_direction=(1.0, 0.0, 0.0), secondary_friction=0.3))
    push(made, 3.0 * unit(1.0))
    world = solved(on_ground(made), CONES[name])
    world.step(5)
    way = velocity(made)[:2] / np.linalg.norm(velocity(made))
    weighed = np.array([0.6, 0.3]) ** 2 * way
    force = sum(c.force if c.first.skeleton is made else -c.force for c in world.contacts)
    np.testing.assert_allclose(force[:2], -weighed / np.sqrt(way @ weighed) * 2.0 * G, rtol=1e-4)


@pytest.mark.parametrize("name", EXACT)
def test_a_blade_without_friction_along_it_glides(name: str) -> None:
    made = box("rigid body", Surface(0.0, friction_direction=(1.0, 0.0, 0.0), secondary_friction=0.5))
    push(made, (1.0, 1.0, 0.0))
    solved(on_ground(made), EXACT[name]).step(500)
    np.testing.assert_allclose(velocity(made), (1.0, 0.0, 0.0), atol=1e-5)


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("along", [0, 1])
def test_slip_is_a_velocity_by_force(name: str, along: int) -> None:
    slips = (0.2, 0.3)
    made = box("rigid body", Surface(friction_direction=(1, 0, 0), slip=slips[0], secondary_slip=slips[1]))
    world = on_ground(made, gravity=(0.25 * (along == 0), 0.25 * (along == 1), -G))
    solved(world, EXACT[name]).step(3000)
    force = 0.5 * (1.0 - np.exp(-3.0 / (2.0 * slips[along])))  # m dv/dt = F - v / slip
    assert velocity(made)[along] == pytest.approx(slips[along] * force, rel=2e-3)
    assert abs(velocity(made)[1 - along]) < 1e-8


def test_the_rows_of_special_surfaces_say_what_they_are() -> None:
    surface = Surface(
        0.6,
        friction_direction=(1.0, 0.0, 0.0),
        secondary_friction=0.3,
        slip=0.01,
        rolling_friction=0.02,
        torsional_friction=0.03,
        velocity=(0.5, 0.25, 0.0),
    )
    ball = put(gallery.ball(0.1, 2.0, surface=Surface()), (0.0, 0.0, 0.1))
    world = on_ground(ball, surface=surface)
    world.step(2)
    given = problems(world)
    for problem in given:
        assert problem.kinds == (
            *("contact", "friction", "friction"),
            *("torsional friction", "rolling friction", "rolling friction"),
        )
        np.testing.assert_array_equal(problem.friction_index, [-1, 0, 0, 0, 0, 0])
        np.testing.assert_allclose(problem.upper[1:], [0.6, 0.3, 0.03, 0.02, 0.02], rtol=1e-12)
        np.testing.assert_allclose(problem.lower[1:], -problem.upper[1:], rtol=1e-12)
        # 3.5 / m along tangents and 1 / I about them; slip by force, of a step.
        np.testing.assert_allclose(np.diag(problem.A)[1], 3.5 / 2.0 + 0.01 / 1e-3, rtol=1e-3)
        np.testing.assert_allclose(np.diag(problem.A)[3:], 1.0 / (0.4 * 2.0 * 0.01), rtol=1e-9)
        assert set(problem.skeletons) == {"ground", "ball"}


def test_unknowns_of_ellipses_stand_for_their_impulses() -> None:
    made = box("rigid body", Surface(0.6, friction_direction=(1.0, 0.0, 0.0), secondary_friction=0.3))
    world = on_ground(push(made, (0.5, 0.5, 0.0)))
    world.step(10)
    problem: StepProblem = problems(world)[1]
    x = np.arange(1.0, problem.size + 1.0)
    for cones in (False, True):
        np.testing.assert_allclose(problem.impulses(problem.unknowns(x, cones=cones), cones=cones), x)
    lcp = problem.as_lcp(cones=True)
    assert {cone.friction for cone in lcp.cones} == {1.0}
    scale = problem.impulses(np.ones(problem.size), cones=True)
    np.testing.assert_allclose(scale, np.tile([1.0, 0.6, 0.3], 4))
    w = problem.A @ x + problem.b
    np.testing.assert_allclose(lcp.A @ (x / scale) + lcp.b, scale * w)
    with pytest.raises(ValueError, match="x: expected shape"):
        problem.impulses(x[:-1])


@pytest.mark.parametrize("name", EXACT)
def test_a_world_that_changes_its_solver_keeps_torques_of_rolling(name: str) -> None:
    """A ball held on a slope by rolling friction rests on, and forces stay those of its weight."""
    surface = Surface(1.0, rolling_friction=0.01)
    ball = put(gallery.ball(0.1, 2.0, surface=surface), (0.0, 0.0, 0.1))
    world = on_ground(ball, gravity=(0.05 * G, 0.0, -G))
    for solver in (BlockSolver(), EXACT[name], BlockSolver()):
        solved(world, solver).step(200)
        assert np.abs(ball.velocities).max() < 1e-4
    loads = sum(abs(contact.force[2]) for contact in world.contacts)
    assert loads == pytest.approx(2.0 * G, rel=1e-4)


@pytest.mark.parametrize("name", EXACT)
def test_copies_go_on_bit_for_bit(name: str) -> None:
    surface = Surface(0.5, rolling_friction=0.004, torsional_friction=0.002, velocity=(0.2, 0.0, 0.0))
    ball = put(gallery.ball(0.1, 2.0), (0.0, 0.0, 0.1))
    world = solved(on_ground(push(ball, (1.0, 0.4, 0.0)), surface=surface), EXACT[name])
    world.step(20)
    saved, others = world.snapshot(), [world.clone(), pickle.loads(pickle.dumps(world))]
    world.step(50)
    expected = world.skeletons[1].positions.tobytes()
    for other in others:
        other.step(50)
        assert other.skeletons[1].positions.tobytes() == expected
    world.restore(saved)
    world.step(50)
    assert world.skeletons[1].positions.tobytes() == expected


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("rate", [2.0, -2.0])
def test_torsional_friction_takes_a_ball_along_with_a_turntable(name: str, rate: float) -> None:
    ball = put(gallery.ball(0.1, 2.0, surface=Surface(torsional_friction=0.002)), (0.0, 0.0, 0.1))
    world = solved(on_ground(ball, surface=Surface(1.0, angular_velocity=(0.0, 0.0, rate))), EXACT[name])
    world.step(200)
    assert spin(ball)[2] == pytest.approx(np.sign(rate) * 0.2 * 0.002 * G / (0.4 * 0.01), rel=1e-4)
    world.step(400)
    assert spin(ball)[2] == pytest.approx(rate, abs=1e-4)
