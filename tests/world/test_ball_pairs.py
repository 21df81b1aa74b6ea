"""Pairs of balls, which are tested many at once, and points of contact that follow them.

What is found is what is found of each alone.
"""

from __future__ import annotations

import copy
from collections.abc import Callable

import numpy as np
import pytest
from _scenes import KINDS, as_kind, on_ground, push, put

import kido
from kido import Skeleton, Surface, World, gallery
from kido.shape import Sphere
from kido.world import Sleeping

ALONE = np.array([[0.0, -1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]])
"""Pose of a ball on its body that changes nothing but how the pair is tested: as one of any two shapes."""


def ball(name: str, radius: float, transform: np.ndarray, surface: Surface) -> Skeleton:
    made = Skeleton(name)
    mass = 1e3 * 4 / 3 * np.pi * radius**3
    inertia = kido.Inertia(mass, (0.0, 0.0, 0.0), np.diag([0.4, 0.45, 0.5]) * mass * radius**2)
    body = made.add_body(name, joint=kido.FreeJoint(f"{name}_joint"), inertia=inertia)
    kido.ShapeNode(body, name, Sphere(radius), transform, surface=surface)
    return made


def heap(
    transform: np.ndarray,
    kind: str = "rigid body",
    restitution: float = 0.0,
    count: int = 27,
    ground_last: bool = False,
) -> World:
    """Balls of three sizes that fall onto each other; with trees among them, where these are asked for."""
    rng = np.random.default_rng(3)
    made = []
    for k in range(count):
        radius = 0.04 + 0.01 * (k % 3)
        one = ball(f"ball{k}", radius, transform, Surface(friction=0.5, restitution=restitution))
        if k % 2:
            as_kind(kind, one)
        place = 0.125 * np.array([k % 3, k // 3 % 3, k // 9]) + [0.0, 0.0, 0.08] + rng.uniform(-0.01, 0.01, 3)
        put(one, place, rng.standard_normal(3))
        made.append(push(one, rng.uniform(-0.5, 0.5, 3), rng.uniform(-5.0, 5.0, 3)))
    return World([*made, gallery.ground()], time_step=1e-3) if ground_last else on_ground(*made)


def state(world: World) -> np.ndarray:
    return np.concatenate([[*s.positions, *s.velocities] for s in world.skeletons])


def found(world: World) -> list[tuple[float, ...]]:
    return [(*c.point, *c.normal, c.depth, *c.force) for c in world.contacts]


def assert_alike(one: World, other: World, steps: int) -> int:
    """Steps both and compares all bits; the number of contacts that were compared."""
    compared = 0
    for _ in range(steps):
        one.step()
        other.step()
        assert state(one).tobytes() == state(other).tobytes()
        assert found(one) == found(other)
        compared += len(one.contacts)
    return compared


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("restitution", [0.0, 0.6])
def test_balls_meet_as_other_shapes_do(kind: str, restitution: float) -> None:
    one, other = heap(np.eye(4), kind, restitution), heap(ALONE, kind, restitution)
    assert assert_alike(one, other, 600) > 3000


def test_a_ground_that_comes_after_the_balls_is_the_same_ground() -> None:
    """A plane is the second shape of its pairs there, as it is the first elsewhere."""
    one, other = heap(np.eye(4), ground_last=True), heap(ALONE, ground_last=True)
    assert assert_alike(one, other, 600) > 3000


@pytest.mark.parametrize("count", [2, 3, 8, 9])
def test_few_balls_do_not_need_full_lanes(count: int) -> None:
    assert assert_alike(heap(np.eye(4), count=count), heap(ALONE, count=count), 300) > 0


def together(world: World) -> None:
    """Two balls that have the same center: their normal is not to be had from there."""
    world.skeletons[2].positions = world.skeletons[1].positions
    world.skeletons[2].velocities = world.skeletons[1].velocities


def overlap(world: World) -> None:
    """A ball put deep into another."""
    first, second = world.skeletons[1], world.skeletons[5]
    q = first.positions.copy()
    q[3] += 0.05
    second.positions = q


def roughen(world: World) -> None:
    """Rolling friction: such manifolds are kept elsewhere."""
    for skeleton in world.skeletons[1:8]:
        node = skeleton.body(0).shape_nodes[0]
        node.surface = Surface(friction=0.5, rolling_friction=0.01)


def remove(world: World) -> None:
    world.remove(world.skeletons[4])


@pytest.mark.parametrize("edit", [together, overlap, roughen, remove])
def test_edits_meet_balls_as_other_shapes(edit: Callable[[World], None]) -> None:
    one, other = heap(np.eye(4)), heap(ALONE)
    for world in (one, other):
        world.step(150)
        edit(world)
    assert assert_alike(one, other, 200) > 500


def test_balls_that_sleep_and_wake_are_the_same() -> None:
    """They roll for long: all that is on the ground counts as slow.

    Others are not tested again before they have moved by a millionth of their size, so that bits differ then.
    """
    worlds = [heap(transform, count=9) for transform in (np.eye(4), ALONE)]
    for world in worlds:
        world.step(300)
        world.sleeping = Sleeping(linear=10.0, angular=1e3, after=0.1)
        world.step(300)
        assert len(world.sleeping_skeletons) > 5
        for skeleton in world.sleeping_skeletons[::2]:
            push(skeleton, (0.3, 0.0, 1.0))
    one, other = worlds
    for _ in range(60):
        one.step()
        other.step()
        np.testing.assert_allclose(state(one), state(other), atol=1e-6)
        assert len(one.contacts) == len(other.contacts) > 0


def test_a_heap_goes_on_bit_for_bit_from_a_snapshot_and_a_copy() -> None:
    world = heap(np.eye(4))
    world.step(250)
    saved, copied = world.snapshot(), copy.deepcopy(world)
    world.step(100)
    expected = state(world).tobytes(), found(world)
    world.restore(saved)
    world.step(100)
    copied.step(100)
    assert (state(world).tobytes(), found(world)) == expected
    assert (state(copied).tobytes(), found(copied)) == expected


def test_a_touching_pair_reports_where_balls_meet() -> None:
    """Against the geometry: normal from the second center to the first, point between the surfaces, depth."""
    world = heap(np.eye(4))
    checked = 0
    for _ in range(40):
        world.step(10)
        for c in world.contacts:
            if "ground" in (c.first.skeleton.name, c.second.skeleton.name):
                continue
            first, second = (np.array(node.transform()[:3, 3]) for node in (c.first, c.second))
            r, s = c.first.shape.radius, c.second.shape.radius
            d = first - second
            distance = np.linalg.norm(d)
            np.testing.assert_allclose(c.normal, d / distance, atol=5e-2)
            assert c.depth == pytest.approx(r + s - distance, abs=1e-4)
            middle = second + d / distance * (s + (distance - r - s) / 2)
            np.testing.assert_allclose(c.point, middle, atol=5e-3)
            checked += 1
    assert checked > 200
