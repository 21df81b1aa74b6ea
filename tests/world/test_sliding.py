"""Friction of Coulomb: a cone that is the same in every direction."""

from __future__ import annotations

import numpy as np
import pytest
from _looped import looped
from _scenes import (
    DIRECTIONS,
    KINDS,
    TIME_STEPS,
    G,
    as_kind,
    on_ground,
    origin,
    push,
    put,
    slope,
    spin,
    unit,
    velocity,
)

from kido import ShapeNode, Skeleton, Surface, World, gallery

MU = 0.5


def brick(kind: str, *, turned: float = 0.3, mass: float = 2.0) -> Skeleton:
    """A flat box that rests on z = 0."""
    made = gallery.box((0.3, 0.2, 0.1), mass, surface=Surface(friction=MU))
    return put(as_kind(kind, made), (0.0, 0.0, 0.05), (0.0, 0.0, turned))


def on_slope(kind: str, ratio: float, direction: float, time_step: float) -> tuple[World, Skeleton]:
    """A brick on a slope whose tangent is the coefficient of friction times a ratio."""
    made = brick(kind)
    return on_ground(made, gravity=slope(np.arctan(MU * ratio), direction), time_step=time_step), made


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("time_step", TIME_STEPS)
@looped("direction", DIRECTIONS)
def test_a_brick_sticks_on_a_slope_just_below_the_angle_of_friction(
    kind: str, time_step: float, direction: float
) -> None:
    world, made = on_slope(kind, 0.999, direction, time_step)
    world.step(round(1.0 / time_step))
    at_first = origin(made)
    world.step(round(1.0 / time_step))
    assert np.linalg.norm(velocity(made)) < 1e-9
    assert np.linalg.norm(origin(made) - at_first) < 1e-10
    assert np.linalg.norm(at_first[:2]) < 2e-4


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("time_step", TIME_STEPS)
@looped("direction", DIRECTIONS)
def test_a_brick_slips_on_a_slope_just_above_the_angle_of_friction(
    kind: str, time_step: float, direction: float
) -> None:
    world, made = on_slope(kind, 1.001, direction, time_step)
    world.step(round(1.0 / time_step))
    before = velocity(made)
    world.step(round(1.0 / time_step))
    gained = velocity(made) - before
    pull = G * np.sin(np.arctan(MU * 1.001)) * (1.0 - 1.0 / 1.001)
    np.testing.assert_allclose(gained, pull * unit(direction), atol=1e-3 * pull)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("time_step", TIME_STEPS)
@looped("direction", DIRECTIONS)
def test_a_sliding_brick_stops_after_its_stopping_distance(
    kind: str, time_step: float, direction: float
) -> None:
    speed = 2.0
    made = push(brick(kind), speed * unit(direction))
    world = on_ground(made, time_step=time_step)
    world.step(round(1.5 / time_step))
    expected = speed**2 / (2.0 * MU * G)
    along, across = unit(direction), unit(direction + np.pi / 2)
    assert origin(made) @ along == pytest.approx(expected, rel=5e-3)
    assert abs(origin(made) @ across) < 1e-3 * expected
    assert np.abs(made.velocities).max() < 1e-9


@pytest.mark.parametrize("kind", KINDS)
@looped("direction", DIRECTIONS)
def test_sliding_friction_points_against_the_motion_with_all_of_its_size(kind: str, direction: float) -> None:
    made = push(brick(kind), 3.0 * unit(direction))
    world = on_ground(made)
    world.step(20)
    force = sum(c.force if c.first.skeleton is made else -c.force for c in world.contacts)
    weight = 2.0 * G
    np.testing.assert_allclose(
        force, weight * (np.array([0.0, 0.0, 1.0]) - MU * unit(direction)), atol=2e-3 * weight
    )


@pytest.mark.parametrize("kind", KINDS)
def test_friction_of_a_pair_is_the_smaller_of_both(kind: str) -> None:
    lengths = []
    for own, others in ((0.2, 0.8), (0.8, 0.2), (0.2, 0.2)):
        made = brick(kind)
        made.body(0).nodes(ShapeNode)[0].surface = Surface(friction=own)
        push(made, (1.0, 0.0, 0.0))
        on_ground(made, surface=Surface(friction=others)).step(1000)
        lengths.append(origin(made)[0])
    assert lengths == pytest.approx([1.0 / (2.0 * 0.2 * G)] * 3, rel=5e-3)


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_slows_a_brick_without_friction(kind: str) -> None:
    made = push(brick(kind), (1.0, 0.5, 0.0))
    on_ground(made, surface=Surface(friction=0.0)).step(1000)
    np.testing.assert_allclose(origin(made)[:2], (1.0, 0.5), rtol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("time_step", TIME_STEPS)
@looped("direction", DIRECTIONS[::3])
def test_a_sliding_ball_ends_up_rolling_at_five_sevenths_of_its_speed(
    kind: str, time_step: float, direction: float
) -> None:
    speed, radius = 2.0, 0.1
    made = as_kind(kind, gallery.ball(radius, 3.0, surface=Surface(friction=0.3)))
    push(put(made, (0.0, 0.0, radius)), speed * unit(direction))
    on_ground(made, time_step=time_step).step(round(1.0 / time_step))
    rolling = 5.0 / 7.0 * speed * unit(direction)
    np.testing.assert_allclose(velocity(made), rolling, atol=1e-3 * speed)
    rim = velocity(made) + np.cross(spin(made), [0.0, 0.0, -radius])
    assert np.linalg.norm(rim) < 1e-3 * speed
    assert origin(made)[2] == pytest.approx(radius, abs=5e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_a_spinning_plate_is_slowed_by_the_friction_of_its_corners(kind: str) -> None:
    """Four corners at one distance d carry a quarter each: the torque is mu m g d, whatever the motion."""
    side, mass, rate = 0.2, 2.0, 20.0
    made = as_kind(kind, gallery.box((side, side, 0.02), mass, surface=Surface(friction=MU)))
    push(put(made, (0.0, 0.0, 0.01)), (0.0, 0.0, 0.0), (0.0, 0.0, rate))
    world = on_ground(made)
    world.step(100)
    slowed = MU * mass * G * side / np.sqrt(2.0) / (mass * side**2 / 6.0) * 0.1
    assert rate - spin(made)[2] == pytest.approx(slowed, rel=1e-2)
    assert np.linalg.norm(origin(made)[:2]) < 1e-3


@pytest.mark.parametrize("kind", KINDS)
def test_friction_of_a_heap_that_falls_lies_within_its_cone_in_every_step(kind: str) -> None:
    """Also in steps in which something hits something else."""
    surface, random = Surface(friction=MU), np.random.default_rng(4)
    heap = []
    for k in range(12):
        place = (*random.uniform(-0.06, 0.06, 2), 0.1 + 0.12 * k)
        box = gallery.box((0.1, 0.08, 0.06), name=f"box{k}", surface=surface)
        heap.append(put(as_kind(kind, box), place, random.uniform(-0.5, 0.5, 3)))
    world = World([gallery.ground(surface=surface), *heap])
    seen, slips = 0, 0
    for _ in range(250):
        world.step()
        for contact in world.contacts:
            normal = float(contact.force @ contact.normal)
            along = float(np.linalg.norm(contact.force - normal * contact.normal))
            assert along <= MU * normal * (1.0 + 1e-9) + 1e-9
            seen += normal > 1.0
            slips += along > 0.99 * MU * normal > 0.0
    assert seen > 200 and slips > 100
