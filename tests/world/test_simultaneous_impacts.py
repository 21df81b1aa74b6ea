"""Impacts at the same time: symmetric where the scene is, whatever the order of the bodies."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from _looped import looped
from _scenes import KINDS, TIME_STEPS, as_kind, momentum, on_ground, origin, push, put, spin, velocity

from kido import FreeJoint, Inertia, ShapeNode, Skeleton, Surface, World, gallery
from kido.shape import Box

ELASTIC = Surface(friction=0.0, restitution=1.0)


def balls(kind: str, surfaces: list[Surface], gap: float) -> list[Skeleton]:
    """One that moves along x at 1 m/s towards the middle of two that touch each other."""
    made = [as_kind(kind, gallery.ball(0.1, name=f"ball_{i}", surface=s)) for i, s in enumerate(surfaces)]
    push(put(made[0], (-0.1 * np.sqrt(3.0) - gap, 0.0, 0.0)), (1.0, 0.0, 0.0))
    put(made[1], (0.0, 0.1, 0.0))
    put(made[2], (0.0, -0.1, 0.0))
    return made


@pytest.mark.parametrize("kind", KINDS)
@looped("time_step, restitution", [(h, e) for h in TIME_STEPS for e in (0.3, 0.8, 1.0)])
def test_a_ball_that_strikes_two_at_once_shares_its_momentum_equally(
    kind: str, time_step: float, restitution: float
) -> None:
    """Normals at 30 degrees: impulses that stop are c / (1 + 2 c^2) of the momentum each, c = cos 30."""
    made = balls(kind, [Surface(friction=0.0, restitution=np.sqrt(restitution))] * 3, 1e-9)
    World(made, gravity=(0.0, 0.0, 0.0), time_step=time_step).step(20)
    c = np.sqrt(0.75)
    impulse = (1.0 + restitution) * c / (1.0 + 2.0 * c * c)
    np.testing.assert_allclose(velocity(made[0]), (1.0 - 2.0 * c * impulse, 0.0, 0.0), atol=1e-6)
    np.testing.assert_allclose(velocity(made[1]), (c * impulse, 0.5 * impulse, 0.0), atol=1e-6)
    np.testing.assert_allclose(velocity(made[2]), (c * impulse, -0.5 * impulse, 0.0), atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("time_step", TIME_STEPS)
@looped(
    "friction, gap, order",
    [(mu, d, o) for mu in (0.0, 0.5) for d in (1e-4, 0.0123) for o in itertools.permutations(range(3))],
)
def test_a_symmetric_impact_stays_symmetric_in_every_order_of_the_bodies(
    kind: str, time_step: float, friction: float, gap: float, order: tuple[int, ...]
) -> None:
    made = balls(kind, [Surface(friction=friction, restitution=1.0)] * 3, gap)
    World([made[i] for i in order], gravity=(0.0, 0.0, 0.0), time_step=time_step).step(
        round(0.05 / time_step)
    )
    mirrored = (1.0, -1.0, 1.0)
    assert velocity(made[1])[0] > 0.3
    np.testing.assert_allclose(velocity(made[1]), mirrored * velocity(made[2]), atol=1e-9)
    np.testing.assert_allclose(velocity(made[0])[1:], 0.0, atol=1e-9)
    np.testing.assert_allclose(spin(made[1])[2], -spin(made[2])[2], atol=1e-8)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("time_step", TIME_STEPS)
def test_a_ball_that_drops_on_two_throws_them_apart_equally(kind: str, time_step: float) -> None:
    made = [as_kind(kind, gallery.ball(0.1, name=f"ball_{i}", surface=ELASTIC)) for i in range(3)]
    put(made[0], (0.0, 0.0, 0.5))
    put(made[1], (0.1, 0.0, 0.1))
    put(made[2], (-0.1, 0.0, 0.1))
    world = on_ground(*made, surface=ELASTIC, time_step=time_step)
    before = world.energy
    world.step(round(0.4 / time_step))
    assert velocity(made[1])[0] > 0.3
    np.testing.assert_allclose(velocity(made[1])[0], -velocity(made[2])[0], rtol=1e-6)
    np.testing.assert_allclose(velocity(made[0])[:2], 0.0, atol=1e-6)
    assert world.energy <= before * (1.0 + 1e-9)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("time_step", TIME_STEPS)
@looped("restitution", [0.5, 1.0])
def test_a_table_that_falls_flat_on_four_legs_does_not_turn(
    kind: str, time_step: float, restitution: float
) -> None:
    table = Skeleton("table")
    inertia = Inertia(4.0, (0.0, 0.0, 0.0), np.diag([0.4, 0.3, 0.6]))
    body = table.add_body("table", joint=FreeJoint("free"), inertia=inertia)
    for i, (x, y) in enumerate(itertools.product((-0.4, 0.4), (-0.3, 0.3))):
        place = np.eye(4)
        place[:3, 3] = x, y, -0.2
        surface = Surface(restitution=restitution)
        ShapeNode(body, f"leg_{i}", Box((0.05, 0.05, 0.4)), place, surface=surface)
    put(as_kind(kind, table), (0.0, 0.0, 0.6))
    on_ground(table, surface=Surface(restitution=1.0), time_step=time_step).step(round(0.25 / time_step))
    assert velocity(table)[2] > 0.3
    np.testing.assert_allclose(spin(table), 0.0, atol=1e-9)


@looped("seed", range(20))
def test_impacts_of_different_restitution_at_the_same_time_keep_momentum_and_gain_no_energy(
    seed: int,
) -> None:
    rng = np.random.default_rng(seed)
    surfaces = [
        Surface(friction=rng.choice([0.0, 0.5]), restitution=float(e))
        for e in (1.0, *rng.uniform(0.05, 1.0, 2))
    ]
    made = balls("rigid body", surfaces, 1e-9)
    world = World(made, gravity=(0.0, 0.0, 0.0))
    energy, before = world.energy, momentum(made)
    world.step(20)
    assert velocity(made[1])[0] > 0.3
    assert world.energy <= energy * (1.0 + 1e-12)
    np.testing.assert_allclose(momentum(made)[3:], before[3:], atol=1e-12)
    np.testing.assert_allclose(momentum(made)[:3], before[:3], atol=1e-9)


@pytest.mark.parametrize("time_step", TIME_STEPS)
@looped("turn", [(0.3, 0.2, 0.0), (0.0, 0.7, 0.1), (0.5, 0.4, 0.3)])
def test_a_tilted_elastic_box_without_friction_keeps_its_energy_over_ten_seconds(
    time_step: float, turn: tuple[float, float, float]
) -> None:
    made = put(gallery.box((0.3, 0.2, 0.1), surface=ELASTIC), (0.0, 0.0, 0.4), turn)
    world = on_ground(push(made, (0.3, 0.0, 0.0)), surface=ELASTIC, time_step=time_step)
    before = world.energy
    world.step(round(10.0 / time_step))
    assert origin(made)[2] > 0.0 and np.abs(spin(made)).max() > 0.1
    assert world.energy == pytest.approx(before, rel=1e-9)


@pytest.mark.parametrize("time_step", TIME_STEPS)
def test_two_elastic_boxes_that_hit_each_other_keep_energy_and_momentum(time_step: float) -> None:
    """Corners of both meet in the midst of a step, while both spin."""
    first, second = (gallery.box((0.3, 0.2, 0.1), name=name, surface=ELASTIC) for name in ("first", "second"))
    push(put(first, (-0.5, 0.02, 0.0), (0.3, 0.2, 0.4)), (2.0, 0.0, 0.0), (3.0, -2.0, 5.0))
    push(put(second, (0.5, 0.0, 0.03), (0.1, 0.9, 0.2)), (-1.0, 0.0, 0.0), (-4.0, 1.0, 2.0))
    world = World([first, second], gravity=(0.0, 0.0, 0.0), time_step=time_step)
    energy, before = world.energy, momentum([first, second])
    world.step(round(0.6 / time_step))
    assert velocity(first)[0] < 1.0
    assert world.energy == pytest.approx(energy, rel=1e-9)
    np.testing.assert_allclose(momentum([first, second])[3:], before[3:], atol=1e-12)


def depths_of_falling_balls(seed: int) -> list[float]:
    """Largest depth after each of 350 steps of 150 balls that fall on each other [m]."""
    rng, made = np.random.default_rng(seed), []
    for layer, row, column in itertools.product(range(6), range(5), range(5)):
        ball = gallery.ball(0.05, mass=1.0, name=f"{layer} {row} {column}")
        aside = rng.uniform(-0.012, 0.012, 2)
        made.append(put(ball, (0.13 * row + aside[0], 0.13 * column + aside[1], 0.1 + 0.15 * layer)))
    world, depths = on_ground(*made), []
    for _ in range(350):
        world.step()
        depths.append(max((contact.depth for contact in world.contacts), default=0.0))
    return depths


def test_impacts_in_a_heap_go_through_what_is_near() -> None:
    """Swept like what rests, balls are 0.086 mm deep on average, with more sweeps for what hits alone
    0.068 mm, with more sweeps for the whole heap 0.043 mm."""
    depths = np.array([depths_of_falling_balls(seed) for seed in range(4)])
    assert depths.max() < 5e-4
    assert depths[:, 150:].mean() < 5.8e-5
