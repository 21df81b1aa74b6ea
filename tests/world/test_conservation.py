"""What nothing changes: momentum of bodies that collide, energy and momentum of those that spin."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from _effort import examples
from _scenes import KINDS, TIME_STEPS, G, as_kind, momentum, origin, push, put, spin, unit, velocity
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kido import BallJoint, Skeleton, Surface, World, gallery
from kido.description import shape_inertia
from kido.math import so3_exp
from kido.shape import Cylinder
from kido.world import Integrator

WEIGHTLESS = (0.0, 0.0, 0.0)


class Body(NamedTuple):
    """A free body of a random scene: its sizes, mass, pose, velocity."""

    is_ball: bool
    size: tuple[float, float, float]
    mass: float
    rotation: tuple[float, float, float]
    across: tuple[float, float, float]
    spin: tuple[float, float, float]


def triples(low: float, high: float) -> st.SearchStrategy[tuple[float, float, float]]:
    number = st.floats(low, high)
    return st.tuples(number, number, number)


BODIES = st.lists(
    st.builds(
        Body,
        is_ball=st.booleans(),
        size=triples(0.1, 0.4),
        mass=st.floats(0.1, 10.0),
        rotation=triples(-1.5, 1.5),
        across=triples(-0.3, 0.3),
        spin=triples(-5.0, 5.0),
    ),
    min_size=2,
    max_size=6,
)


BOXES = [
    Body(False, size, 1.0, (0.0, 0.0, 0.0), across, (0.0, 0.0, 0.0))
    for size, across in (
        ((0.25, 0.25, 0.25), (0.0, 0.0, 0.0)),
        ((0.25, 0.375, 0.25), (0.0, 0.0, 0.0)),
        ((0.25, 0.25, 0.25), (0.0, 0.0, 0.0)),
        ((0.125, 0.25, 0.25), (0.0, -0.25, 0.0)),
        ((0.25, 0.375, 0.25), (0.0, 0.0, 0.0)),
        ((0.25, 0.125, 0.25), (0.0, 0.0, 0.0)),
    )
]
"""Of which one is hit so that it turns by 0.1 rad in each step of 5 ms."""


def meeting(bodies: list[Body], surface: Surface, kind: str) -> list[Skeleton]:
    """Free bodies on a ring, all of which fly towards its middle."""
    made = []
    for i, body in enumerate(bodies):
        name = f"body_{i}"
        if body.is_ball:
            skeleton = gallery.ball(body.size[0] / 2, body.mass, name=name, surface=surface)
        else:
            skeleton = gallery.box(body.size, body.mass, name=name, surface=surface)
        place = 0.8 * unit(2.0 * np.pi * i / len(bodies))
        put(as_kind(kind, skeleton), place, body.rotation)
        made.append(push(skeleton, -3.0 * place + body.across, body.spin))
    return made


@settings(max_examples=examples(15))
@given(
    bodies=BODIES,
    friction=st.floats(0.0, 2.0),
    restitution=st.floats(0.0, 1.0),
    kind=st.sampled_from(KINDS),
    time_step=st.sampled_from(TIME_STEPS),
)
@example(BOXES, 0.0, 0.0, "tree", 0.005)
def test_bodies_that_collide_keep_their_momentum(
    bodies: list[Body], friction: float, restitution: float, kind: str, time_step: float
) -> None:
    made = meeting(bodies, Surface(friction=friction, restitution=restitution), kind)
    world = World(made, gravity=WEIGHTLESS, time_step=time_step)
    before = momentum(made)
    scale = sum(np.linalg.norm(skeleton.linear_momentum()) for skeleton in made)
    world.step(round(0.4 / time_step))
    np.testing.assert_allclose(momentum(made)[3:], before[3:], atol=1e-12 * max(scale, 1.0))


def test_colliding_bodies_of_the_property_test_do_collide() -> None:
    bodies = [Body(i % 2 == 0, (0.3, 0.2, 0.2), 1.0, (0.1, 0.2, 0.3), (0, 0, 0), (1, 2, 3)) for i in range(4)]
    made = meeting(bodies, Surface(), "rigid body")
    world = World(made, gravity=WEIGHTLESS)
    speeds = [velocity(skeleton) for skeleton in made]
    world.step(400)
    assert all(np.linalg.norm(velocity(s) - v) > 0.1 for s, v in zip(made, speeds, strict=True))


@pytest.mark.parametrize("kind", KINDS)
def test_a_body_that_slides_on_another_gives_it_what_it_loses(kind: str) -> None:
    surface = Surface(friction=0.4)
    plank = put(gallery.box((2.0, 0.5, 0.1), 3.0, name="plank", surface=surface), (0.0, 0.0, 0.05))
    block = put(as_kind(kind, gallery.box((0.1, 0.1, 0.1), 1.0, surface=surface)), (-0.5, 0.0, 0.15))
    push(block, (2.0, 0.0, 0.0))
    world = World([gallery.ground(surface=Surface(friction=0.0)), plank, block])
    world.step(1000)
    np.testing.assert_allclose([velocity(plank)[0], velocity(block)[0]], 0.5, rtol=1e-6)
    slid = 0.5 + origin(block)[0] - origin(plank)[0]
    assert slid == pytest.approx(2.0**2 / (2.0 * 0.4 * G * (1.0 + 1.0 / 3.0)), rel=1e-2)


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize(
    "kind, integrator",
    [("rigid body", None), ("tree", Integrator.RUNGE_KUTTA_4), ("tree", Integrator.IMPLICIT_MIDPOINT)],
)
def test_a_torque_free_box_keeps_energy_and_momentum(
    axis: int, kind: str, integrator: Integrator | None
) -> None:
    made = as_kind(kind, gallery.box((0.1, 0.2, 0.4), 1.0))
    rates = np.full(3, 1e-3)
    rates[axis] = 5.0
    flight = np.zeros(3) if integrator is Integrator.IMPLICIT_MIDPOINT else np.array([0.1, 0.2, 0.3])
    push(made, flight, rates)
    world = World([made], gravity=WEIGHTLESS, integrator=integrator or Integrator.SEMI_IMPLICIT_EULER)
    energy, before = world.kinetic_energy, momentum([made])
    least = 5.0
    for _ in range(500):
        world.step(20)
        least = min(least, made.velocities[axis])
        assert world.kinetic_energy == pytest.approx(energy, rel=1e-4)
    np.testing.assert_allclose(momentum([made]), before, atol=1e-4 * np.linalg.norm(before[:3]))
    assert (least < -4.9) == (axis == 1), "it turns over about its middle axis alone"


@pytest.mark.parametrize("kind", KINDS)
def test_a_wobbling_disc_precesses_about_its_angular_momentum(kind: str) -> None:
    """Its axis goes round L / I_t a second, I_t: inertia across the axis."""
    mass, radius, length = 1.0, 0.1, 0.02
    made = as_kind(kind, gallery.rigid_body(Cylinder(radius, length), mass))
    push(made, (0.0, 0.0, 0.0), (1.0, 0.0, 10.0))
    across, along = mass * (3.0 * radius**2 + length**2) / 12.0, mass * radius**2 / 2.0
    L = np.array([across * 1.0, 0.0, along * 10.0])
    rate, pole = np.linalg.norm(L) / across, L / np.linalg.norm(L)
    world, seconds = World([made], gravity=WEIGHTLESS, time_step=1e-4), 0.1
    world.step(round(seconds / 1e-4))
    expected = so3_exp(pole * rate * seconds) @ [0.0, 0.0, 1.0]
    np.testing.assert_allclose(made.body(0).transform()[:3, 2], expected, atol=2e-4)


@pytest.mark.parametrize("spin_rate", [150.0, -150.0])
@pytest.mark.parametrize(
    "integrator, time_step, tolerance",
    [
        (Integrator.SEMI_IMPLICIT_EULER, 1e-3, 3e-3),
        (Integrator.SEMI_IMPLICIT_EULER, 1e-4, 3e-4),
        (Integrator.RUNGE_KUTTA_4, 1e-3, 1e-3),
        (Integrator.IMPLICIT_MIDPOINT, 1e-3, 3e-3),
    ],
)
def test_a_heavy_top_precesses_at_its_rate(
    spin_rate: float, integrator: Integrator, time_step: float, tolerance: float
) -> None:
    """Steady precession W: I_t cos(tilt) W^2 - I_a w W + m g l = 0, about the pivot (Goldstein, 5.7)."""
    mass, radius, length, arm, tilt = 1.0, 0.1, 0.02, 0.15, 0.6
    T = np.eye(4)
    T[2, 3] = arm
    top = Skeleton("top")
    top.add_body("disc", joint=BallJoint("pivot"), inertia=shape_inertia(Cylinder(radius, length), mass, T))
    along = mass * radius**2 / 2.0
    across = mass * (3.0 * radius**2 + length**2) / 12.0 + mass * arm**2
    roots = np.roots([-across * np.cos(tilt), along * spin_rate, -mass * G * arm])
    rate = min(roots, key=abs)
    top.positions = [0.0, tilt, 0.0]
    rates = rate * (so3_exp(top.positions).T @ [0.0, 0.0, 1.0])
    top.velocities = [rates[0], rates[1], spin_rate]
    world, seconds = World([top], time_step=time_step, integrator=integrator), 0.2
    world.step(round(seconds / time_step))
    x, y, z = top.body(0).transform()[:3, 2]
    assert np.arctan2(y, x) == pytest.approx(rate * seconds, rel=tolerance)
    assert np.arccos(z) == pytest.approx(tilt, abs=0.005)


@pytest.mark.parametrize("time_step", TIME_STEPS)
def test_a_thrown_body_flies_along_its_parabola(time_step: float) -> None:
    made = push(put(gallery.box((0.1, 0.2, 0.4)), (0.0, 0.0, 1.0)), (1.0, 2.0, 3.0), (1.0, 2.0, 3.0))
    World([made], time_step=time_step).step(round(1.0 / time_step))
    np.testing.assert_allclose(origin(made), (1.0, 2.0, 4.0 - G / 2.0), atol=1e-12)
    np.testing.assert_allclose(velocity(made), (1.0, 2.0, 3.0 - G), atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_spin_does_not_leak_into_a_straight_line(kind: str) -> None:
    """A center of mass that is not the origin flies straight, and a body about it turns."""
    made = as_kind(kind, gallery.box((0.1, 0.2, 0.4), 2.0))
    made.body(0).inertia = made.body(0).inertia.__class__(2.0, (0.1, -0.05, 0.2), np.diag([0.02, 0.03, 0.04]))
    push(made, (1.0, 0.0, 0.0), (3.0, 2.0, 1.0))
    start, moving = made.com(), made.com_linear_velocity()
    World([made], gravity=WEIGHTLESS, integrator=Integrator.RUNGE_KUTTA_4).step(1000)
    tolerance = 1e-12 if kind == "rigid body" else 1e-9
    np.testing.assert_allclose(made.com(), start + moving, atol=tolerance)
    assert np.linalg.norm(spin(made)) > 1.0


@pytest.mark.parametrize("time_step", [1e-3, 5e-3])
def test_a_robot_that_nothing_touches_falls_along_its_parabola(time_step: float) -> None:
    robot = gallery.humanoid()
    positions, velocities = np.array(robot.positions), np.zeros(robot.num_dofs)
    positions[5], velocities[3:6] = 5.0, (0.5, 0.2, 2.0)
    robot.positions, robot.velocities = positions, velocities
    center, velocity = robot.com(), robot.linear_momentum() / robot.mass
    world = World([robot], time_step=time_step)
    world.step(round(0.5 / time_step))
    fallen = np.array([0.0, 0.0, -0.5 * G * 0.5**2])
    np.testing.assert_allclose(robot.com(), center + 0.5 * velocity + fallen, rtol=0, atol=1e-9)
