"""Which pairs a world tests for contact: those whose bodies move relative to each other."""

from __future__ import annotations

import numpy as np
import pytest
from _scenes import KINDS, as_kind, on_ground, origin, push, put, velocity

import kido
from kido import gallery


def count_tests(world: kido.World) -> int:
    """Tests of pairs since the world was made."""
    return world._simulation.compiled.native.counts()["tests"]


def ball(kind: str, name: str) -> kido.Skeleton:
    return as_kind(kind, gallery.ball(0.05, mass=1.0, name=name))


@pytest.mark.parametrize("kind", KINDS)
def test_bodies_that_fall_side_by_side_are_not_tested_again(kind: str) -> None:
    first, second = put(ball(kind, "first"), (0.0, 0.0, 50.0)), put(ball(kind, "second"), (0.11, 0.0, 50.0))
    world = on_ground(first, second)
    world.step(1)
    before = count_tests(world)
    world.step(1000)
    assert velocity(first)[2] < -9.0
    assert count_tests(world) - before <= 2


@pytest.mark.parametrize("kind", KINDS)
def test_bodies_at_rest_on_a_moving_body_are_not_tested_again(kind: str) -> None:
    """A box on a plate that flies; both at 3 m/s."""
    plate = put(as_kind(kind, gallery.box((1.0, 1.0, 0.1), mass=50.0, name="plate")), (0.0, 0.0, 1.0))
    load = put(as_kind(kind, gallery.box((0.1, 0.1, 0.1), mass=1.0, name="load")), (0.0, 0.0, 1.1))
    world = kido.World([push(plate, (3.0, 0.0, 0.0)), push(load, (3.0, 0.0, 0.0))], gravity=[0.0, 0.0, 0.0])
    world.step(10)
    before = count_tests(world)
    world.step(500)
    assert origin(load)[0] == pytest.approx(1.53, abs=1e-6)
    assert count_tests(world) - before <= 5


@pytest.mark.parametrize("kind", KINDS)
def test_a_neighbor_that_was_still_for_long_is_met_in_time(kind: str) -> None:
    """Two balls fall side by side for half a second; then a third hits the second, and that the first."""
    balls = [put(ball(kind, f"ball{k}"), (x, 0.0, 100.0)) for k, x in enumerate((0.0, 0.12, 3.0))]
    push(balls[2], (-5.0, 0.0, 0.0))
    world = kido.World(balls, time_step=1e-3)
    deepest, met = 0.0, set()
    for _ in range(1000):
        world.step(1)
        for contact in world.contacts:
            deepest = max(deepest, contact.depth)
            if contact.depth > -1e-6:
                met.add(frozenset(node.skeleton.name for node in (contact.first, contact.second)))
    assert met == {frozenset(("ball0", "ball1")), frozenset(("ball1", "ball2"))}
    assert deepest < 2e-4
    np.testing.assert_allclose(sum(velocity(b)[0] for b in balls), -5.0, rtol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_a_body_that_turns_is_tested_though_its_center_stays(kind: str) -> None:
    """A rod that turns about its middle meets a ball beside it."""
    rod = push(
        put(as_kind(kind, gallery.box((0.6, 0.04, 0.04), mass=1.0, name="rod")), (0.0, 0.0, 1.0)),
        (0, 0, 0),
        (0, 0, 4.0),
    )
    target = put(ball(kind, "target"), (0.0, 0.2, 1.0))
    world = kido.World([rod, target], gravity=[0.0, 0.0, 0.0])
    deepest = 0.0
    for _ in range(500):
        world.step(1)
        deepest = max([deepest, *(contact.depth for contact in world.contacts)])
    assert deepest < 2e-4
    assert np.linalg.norm(velocity(target)) > 0.25


@pytest.mark.parametrize("size, room", [(0.02, 2e-4), (0.08, 3.5e-4), (1.0, 5e-4)])
def test_boxes_that_slide_are_tested_as_often_as_their_size_asks(size: float, room: float) -> None:
    """Half a metre at half a metre a second, over ice: a test each five thousandths of its radius or so."""
    ice = kido.Surface(friction=0.0)
    box = put(gallery.box((size, size, size), mass=1.0, name="box", surface=ice), (0.0, 0.0, 0.5 * size))
    world = on_ground(push(box, (0.5, 0.0, 0.0)))
    world.time_step = 1e-4
    world.step(10)
    before = count_tests(world)
    world.step(10_000)
    assert origin(box)[0] == pytest.approx(0.5, abs=1e-3)
    np.testing.assert_allclose(count_tests(world) - before, 0.5 / room, rtol=0.25)
