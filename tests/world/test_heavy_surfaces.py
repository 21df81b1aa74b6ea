"""Heavy bodies on light ones whose surfaces have more than friction and restitution: solved directly, too."""

from __future__ import annotations

import pickle
from collections.abc import Sequence

import numpy as np
import pytest
from _scenes import (
    KINDS,
    TIME_STEPS,
    G,
    as_kind,
    momentum,
    on_ground,
    origin,
    push,
    put,
    slope,
    spin,
    unit,
    velocity,
)
from test_heavy_on_light import depth, drift, solved_directly

from kido import ShapeNode, Skeleton, Surface, World, gallery
from kido.shape import Box

SPECIAL = {
    "rolling": Surface(0.8, rolling_friction=0.01),
    "torsional": Surface(0.8, torsional_friction=0.01),
    "by direction": Surface(0.8, friction_direction=(1, 0, 0), secondary_friction=0.3),
    "all": Surface(
        0.8,
        friction_direction=(1, 0, 0),
        secondary_friction=0.3,
        rolling_friction=0.01,
        torsional_friction=0.02,
    ),
}
SKATE = Surface(0.6, friction_direction=(1, 0, 0), secondary_friction=0.3)


def box(
    kind: str,
    mass: float,
    place: Sequence[float],
    name: str,
    surface: Surface,
    size: Sequence[float] = (0.2, 0.2, 0.2),
) -> Skeleton:
    return put(as_kind(kind, gallery.rigid_body(Box(size), mass, name=name, surface=surface)), place)


def tonne_on_kilogram(kind: str, surface: Surface) -> list[Skeleton]:
    return [
        box(kind, 1.0, (0.0, 0.0, 0.1), "light", surface),
        box(kind, 1000.0, (0.02, 0.01, 0.3), "heavy", surface),
    ]


def tonne_on_plate(kind: str, surface: Surface) -> list[Skeleton]:
    """The plate has friction alone."""
    return [
        box(kind, 1.0, (0.0, 0.0, 0.025), "plate", Surface(2.0), (2.0, 2.0, 0.05)),
        box(kind, 1000.0, (0.0, 0.0, 0.1), "heavy", surface, (0.5, 0.5, 0.1)),
    ]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", SPECIAL)
def test_a_tonne_stands_on_a_kilogram_whose_surface_is_special(name: str, kind: str) -> None:
    boxes = tonne_on_kilogram(kind, SPECIAL[name])
    world = on_ground(*boxes)
    deepest = 0.0
    for _ in range(20):
        world.step(50)
        deepest = max(deepest, depth(world))
    assert solved_directly(world) == 2
    assert deepest < 2e-5
    assert drift(world, boxes, 1000) < 1e-7


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("time_step", TIME_STEPS)
def test_friction_by_direction_under_a_tonne_sticks_and_slips_at_its_ellipse(
    kind: str, time_step: float
) -> None:
    for direction in (0.0, 0.7, np.pi / 2):
        coefficient = 1.0 / np.hypot(np.cos(direction) / 0.6, np.sin(direction) / 0.3)
        for ratio in (0.998, 1.002):
            boxes = tonne_on_plate(kind, SKATE)
            world = on_ground(
                *boxes,
                gravity=slope(np.arctan(coefficient * ratio), direction),
                time_step=time_step,
                surface=Surface(2.0),
            )
            world.step(round(0.5 / time_step))
            assert solved_directly(world) == 2
            assert np.abs(boxes[0].velocities).max() < 1e-5
            slips = velocity(boxes[1]) @ unit(direction)
            if ratio < 1.0:
                assert np.abs(boxes[1].velocities).max() < 1e-5
            else:
                assert slips > 1e-3


@pytest.mark.parametrize("kind", KINDS)
def test_a_tonne_that_slides_is_stopped_along_the_axes_of_friction(kind: str) -> None:
    for dof, mu in ((0, 0.6), (1, 0.3)):
        boxes = tonne_on_plate(kind, SKATE)
        world = on_ground(*boxes, surface=Surface(2.0))
        world.step(20)
        push(boxes[1], unit(dof * np.pi / 2))
        world.step(500)
        assert solved_directly(world) == 2
        assert origin(boxes[1])[dof] == pytest.approx(1.0 / (2.0 * mu * G), rel=5e-3)
        assert np.abs(boxes[1].velocities).max() < 1e-8
        assert np.abs(origin(boxes[0])[:2]).max() < 1e-6


@pytest.mark.parametrize("kind", KINDS)
def test_a_belt_carries_a_tonne_on_a_kilogram(kind: str) -> None:
    belt = gallery.box((20.0, 4.0, 0.2), surface=Surface(0.5, velocity=(1.5, 0.0, 0.0)), name="belt")
    belt.positions = [0.0, 0.0, 0.0, 0.0, 0.0, -0.1]
    belt.mobile = False
    boxes = tonne_on_plate(kind, Surface(0.8))
    world = World([belt, *boxes])
    world.step(100)
    assert solved_directly(world) == 2
    assert velocity(boxes[1])[0] == pytest.approx(0.5 * G * 0.1, rel=2e-2)
    world.step(500)
    for made in boxes:
        np.testing.assert_allclose(velocity(made), (1.5, 0.0, 0.0), atol=1e-6)
        assert np.abs(spin(made)).max() < 1e-6


@pytest.mark.parametrize("kind", KINDS)
def test_slip_under_a_tonne_is_a_velocity_by_force(kind: str) -> None:
    slip = 1e-4
    boxes = tonne_on_plate(kind, Surface(1.0, friction_direction=(1, 0, 0), slip=slip, secondary_slip=slip))
    world = on_ground(*boxes, gravity=(0.2, 0.0, -G), surface=Surface(2.0))
    world.step(1500)
    assert solved_directly(world) == 2
    assert velocity(boxes[1])[0] == pytest.approx(slip * 1000.0 * 0.2, rel=1e-3)


def ball_on_plate(kind: str, surface: Surface) -> list[Skeleton]:
    ball = as_kind(kind, gallery.ball(0.1, 1000.0, surface=surface))
    return [
        box(kind, 1.0, (0.0, 0.0, 0.025), "plate", Surface(2.0), (4.0, 4.0, 0.05)),
        put(ball, (0.0, 0.0, 0.15)),
    ]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("direction", [0.3, 2.0, 4.0])
def test_rolling_friction_slows_a_heavy_ball_on_a_light_plate(kind: str, direction: float) -> None:
    plate, ball = ball_on_plate(kind, Surface(1.0, rolling_friction=0.01))
    world = on_ground(plate, ball, surface=Surface(2.0))
    world.step(20)
    way = unit(direction)
    push(ball, way, np.cross([0, 0, 1], way) / 0.1)
    world.step(500)
    assert solved_directly(world) == 2
    slowed = 0.5 * 5.0 / 7.0 * 0.01 * G / 0.1
    np.testing.assert_allclose(velocity(ball), (1.0 - slowed) * way, atol=5e-3 * slowed)
    world.step(2000)
    assert np.abs(ball.velocities).max() < 1e-7


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("way", [1.0, -1.0])
def test_torsional_friction_slows_a_heavy_ball_on_a_light_plate(kind: str, way: float) -> None:
    plate, ball = ball_on_plate(kind, Surface(1.0, torsional_friction=0.002))
    world = on_ground(plate, ball, surface=Surface(2.0))
    world.step(20)
    push(ball, (0.0, 0.0, 0.0), (0.0, 0.0, way * 10.0))
    world.step(1000)
    assert solved_directly(world) == 2
    assert spin(ball)[2] == pytest.approx(way * (10.0 - 0.002 * G / (0.4 * 0.01)), rel=5e-3)
    world.step(2000)
    assert np.abs(ball.velocities).max() < 1e-7


def test_a_heavy_ball_rests_on_a_slope_below_the_angle_of_rolling() -> None:
    for ratio, rolls in ((0.99, False), (1.02, True)):
        plate, ball = ball_on_plate("rigid body", Surface(1.0, rolling_friction=0.01))
        world = on_ground(plate, ball, gravity=slope(np.arctan(0.1 * ratio), 0.7), surface=Surface(2.0))
        world.step(1000)
        assert solved_directly(world) == 2
        assert (velocity(ball) @ unit(0.7) > 5e-3) == rolls


def test_momentum_is_kept_where_special_surfaces_are_solved_directly() -> None:
    floor = box("rigid body", 1000.0, (0.0, 0.0, -0.1), "floor", Surface(0.8))
    boxes = tonne_on_kilogram("rigid body", SPECIAL["all"])
    world = World([floor, *boxes])
    push(boxes[1], (0.3, 0.1, -1.0), (0.1, 0.2, 0.3))
    push(floor, (0.0, 0.0, 1.0))
    before = momentum([floor, *boxes])[3:]
    world.step(60)
    assert solved_directly(world) > 0
    gained = np.array([0.0, 0.0, -2001.0 * G * world.time])
    np.testing.assert_allclose(momentum([floor, *boxes])[3:], before + gained, atol=1e-12 * 1000.0)


@pytest.mark.parametrize("kind", KINDS)
def test_copies_and_threads_give_the_same_bits(kind: str) -> None:
    def bits(world: World) -> bytes:
        return b"".join(np.array([*s.positions, *s.velocities]).tobytes() for s in world.skeletons)

    def made() -> World:
        plate, ball = ball_on_plate(kind, SPECIAL["all"])
        push(ball, (0.4, 0.2, 0.0), (0.0, 1.0, 2.0))
        boxes = tonne_on_kilogram(kind, SPECIAL["all"])
        for light in boxes:
            put(light, (*(origin(light)[:1] + 8.0), *origin(light)[1:]))
        return on_ground(plate, ball, *boxes)

    world = made()
    world.step(60)
    assert solved_directly(world) == 4
    saved, copies = world.snapshot(), [world.clone(), pickle.loads(pickle.dumps(world))]
    world.step(100)
    expected = bits(world)
    for copy in copies:
        copy.step(100)
        assert bits(copy) == expected
    world.restore(saved)
    world.step(100)
    assert bits(world) == expected


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rate", [2.0, -2.0])
def test_torsional_friction_takes_a_heavy_ball_along_with_a_turntable(kind: str, rate: float) -> None:
    plate, ball = ball_on_plate(kind, Surface(1.0, torsional_friction=0.002))
    plate.body(0).nodes(ShapeNode)[0].surface = Surface(2.0, angular_velocity=(0.0, 0.0, rate))
    ground = gallery.ground(surface=Surface(2.0, angular_velocity=(0.0, 0.0, rate)))
    world = World([ground, plate, ball])  # the plate's lower side and the ground move alike
    world.step(200)
    assert solved_directly(world) == 2
    assert spin(ball)[2] == pytest.approx(np.sign(rate) * 0.2 * 0.002 * G / (0.4 * 0.01), rel=2e-2)
    world.step(400)
    assert spin(ball)[2] == pytest.approx(rate, abs=1e-4)
    assert np.abs(plate.velocities).max() < 1e-6
