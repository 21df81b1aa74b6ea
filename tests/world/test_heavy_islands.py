"""Heavy bodies on many light ones: which islands are solved directly, and what becomes of others."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import trimesh
from _scenes import G, on_ground, origin, put
from test_heavy_on_light import depth, drift, ground_contacts, solved_directly

import kido
from kido import Skeleton, Surface, World, gallery
from kido.shape import Box, Mesh

ROUGH = Surface(friction=0.8)


def box(mass: float, place: Sequence[float], name: str, size: Sequence[float] = (0.2, 0.2, 0.2)) -> Skeleton:
    return put(gallery.rigid_body(Box(size), mass, name=name, surface=ROUGH), place)


def wall(rows: int, columns: int, load: float = 0.0) -> list[Skeleton]:
    """Bricks of a kilogram, and a beam over all of them."""
    bricks = [
        box(
            1.0,
            (0.2 * (c - (columns - 1) / 2) + 0.05 * (r % 2), 0.0, 0.05 + 0.1 * r),
            f"brick_{r}_{c}",
            (0.2, 0.1, 0.1),
        )
        for r in range(rows)
        for c in range(columns)
    ]
    if load:
        bricks.append(box(load, (0.025, 0.0, 0.1 * rows + 0.1), "beam", (0.2 * columns, 0.1, 0.2)))
    return bricks


def doubling_on_forty() -> list[Skeleton]:
    slab = box(2.0, (0.025, 0.0, 1.05), "slab", (0.8, 0.3, 0.1))
    tower = [box(2.0**i, (0.025, 0.0, 1.2 + 0.2 * i), f"box_{i}") for i in range(10)]
    return [*wall(10, 4), slab, *tower]


def stack(count: int) -> list[Skeleton]:
    return [box(1.0, (0.001 * (i % 2), 0.0, 0.1 + 0.2 * i), f"box_{i}") for i in range(count)]


def stones(count: int, folder: Path, seed: int = 0) -> list[Skeleton]:
    """Small hulls of half a kilogram, above each other."""
    rng = np.random.default_rng(seed)
    made = []
    for i in range(count):
        points = rng.normal(size=(16, 3))
        points *= (0.06 * rng.uniform(0.8, 1.1) / np.linalg.norm(points, axis=1))[:, None]
        hull = trimesh.convex.convex_hull(points)
        path = folder / f"stone_{i}.stl"
        hull.export(path)
        stone = Skeleton(f"stone_{i}")
        moment = hull.moment_inertia / hull.volume * 0.5
        inertia = kido.Inertia(mass=0.5, com=hull.center_mass, moment=moment)
        body = stone.add_body(f"stone_{i}", joint=kido.FreeJoint("joint"), inertia=inertia)
        kido.ShapeNode(body, "stone", Mesh(path), surface=ROUGH)
        place = ((i % 4 - 1.5) * 0.125, (i // 4 % 4 - 1.5) * 0.125, 0.08 + 0.125 * (i // 16))
        made.append(put(stone, place, rng.normal(size=3)))
    return made


def pit() -> list[Skeleton]:
    """Four walls that do not move, 0.58 m apart."""
    sides = []
    for k in range(4):
        size = (0.1, 0.78, 1.6) if k < 2 else (0.78, 0.1, 1.6)
        side = gallery.rigid_body(Box(size), 1.0, name=f"side_{k}", surface=Surface(0.0))
        x = 0.34 if k % 2 else -0.34
        put(side, (x, 0.0, 0.8) if k < 2 else (0.0, x, 0.8))
        side.mobile = False
        sides.append(side)
    return sides


def fastest(bodies: Sequence[Skeleton]) -> float:
    return max(float(np.abs(b.velocities).max()) for b in bodies)


def bits(world: World) -> bytes:
    return b"".join(np.array([*s.positions, *s.velocities]).tobytes() for s in world.skeletons)


@pytest.mark.parametrize("scene", ["a tonne on sixty bricks", "ten that double on forty bricks"])
def test_heavy_bodies_stand_on_dozens_of_light_ones_without_drift(scene: str) -> None:
    boxes = wall(10, 6, 1000.0) if "tonne" in scene else doubling_on_forty()
    world = on_ground(*boxes)
    deepest = 0.0
    for _ in range(20):
        world.step(30)
        deepest = max(deepest, depth(world))
    assert solved_directly(world) > 80
    assert deepest < 2e-5
    assert drift(world, boxes, 300) < 1e-6
    total = sum(b.mass for b in boxes)
    lifted = sum(abs(c.force[2]) for c in ground_contacts(world))
    assert lifted == pytest.approx(total * G, rel=1e-6)


def test_a_tonne_stands_on_more_bricks_than_are_solved_directly() -> None:
    boxes = wall(16, 10, 1000.0)
    world = on_ground(*boxes)
    deepest = 0.0
    for _ in range(10):
        world.step(30)
        deepest = max(deepest, depth(world))
    assert solved_directly(world) == 0
    assert deepest < 2e-5
    assert drift(world, boxes, 200) < 1e-4


def test_nothing_jumps_where_sub_steps_become_short_and_long_again() -> None:
    """A wall too large to be solved directly, loaded by a force and left alone."""
    boxes = wall(14, 10, 5.0)
    beam = boxes[-1]
    aside = box(1000.0, (5.0, 0.0, 0.1), "aside")
    world = on_ground(*boxes, aside)
    world.step(300)
    resting = depth(world)
    beam.commands = [0.0, 0.0, 0.0, 0.0, 0.0, -3000.0]
    depths, speeds = [], []
    for _ in range(200):
        world.step()
        depths.append(depth(world))
        speeds.append(fastest(boxes))
    assert max(depths) > 1e-4, "long sub-steps sink under such a load"
    assert depths[-1] < 5e-6
    assert max(speeds) < 0.3
    assert max(speeds[-100:]) < 0.05
    beam.commands = np.zeros(6)
    for _ in range(60):
        world.step(10)
        assert fastest(boxes) < 0.05
    assert depth(world) == pytest.approx(resting, rel=0.5)


@pytest.mark.parametrize(("seed", "rocks"), [(0, True), (2, False)])
def test_a_tonne_comes_to_rest_on_a_heap_of_stones(tmp_path: Path, seed: int, rocks: bool) -> None:
    heap = stones(100, tmp_path, seed)
    world = on_ground(*pit(), *heap, surface=ROUGH)
    world.step(800)
    top = max(float(s.positions[5]) for s in heap)
    lid = put(gallery.box((0.56, 0.56, 0.2), 1000.0, name="lid", surface=ROUGH), (0, 0, top + 0.16))
    world.add(lid)
    world.step(2500)
    assert depth(world) < 5e-5
    # A stone that carries nothing and stands on two points is a pendulum: it may rock for long.
    pressed = [c for c in world.contacts if np.linalg.norm(c.force) > 4 * 0.5 * G]
    carrying = {s for c in pressed for s in (c.first.skeleton, c.second.skeleton) if s.mobile}
    assert len(carrying) > 10
    assert lid in carrying
    assert fastest([*carrying]) < 1e-3
    assert rocks or fastest([*heap, lid]) < 1e-2
    before = origin(lid)
    world.step(300)
    assert np.abs(origin(lid) - before).max() < 1e-5
    carried = sum(abs(c.force[2]) for c in world.contacts if lid in (c.first.skeleton, c.second.skeleton))
    assert carried == pytest.approx(1000.0 * G, rel=1e-3)


@pytest.mark.parametrize("driven", [False, True])
def test_bodies_of_equal_mass_are_never_solved_directly(driven: bool) -> None:
    """However many lie on each other, and whatever else is in the world."""
    boxes = stack(30)
    arm = gallery.arm7()
    if driven:
        for joint in arm.joints:
            if joint.num_dofs:
                joint.actuator = kido.ActuatorType.SERVO
    for b in boxes:
        put(b, (3.0, *origin(b)[1:]))
    world = on_ground(*boxes, box(500.0, (8.0, 0.0, 0.1), "aside"), arm)
    for _ in range(20):
        world.step(20)
        assert solved_directly(world) == 0
    assert depth(world) < 1e-4


def test_a_load_is_that_of_what_lies_on_a_body_not_of_what_stands_beside_it() -> None:
    """A heavy body on the same table, higher than a light one beside it."""
    table = box(400.0, (0.0, 0.0, 0.1), "table", (2.0, 1.0, 0.2))
    light = box(1.0, (-0.6, 0.0, 0.25), "light", (0.1, 0.1, 0.1))
    lid = box(1.0, (-0.6, 0.0, 0.35), "lid", (0.1, 0.1, 0.1))
    heavy = box(300.0, (0.5, 0.0, 0.5), "heavy", (0.6, 0.6, 0.6))
    world = on_ground(table, light, lid, heavy)
    world.step(100)
    assert solved_directly(world) == 0
    put(heavy, (-0.6, 0.0, 0.4 + 0.3))
    world.step(100)
    assert solved_directly(world) > 0
    assert depth(world) < 2e-5


@pytest.mark.parametrize("rows", [5, 14], ids=["directly", "by sub-steps"])
def test_snapshots_clones_and_pickles_go_on_bit_for_bit(rows: int) -> None:
    world = on_ground(*wall(rows, 10, 1000.0))
    world.step(10)
    saved, others = world.snapshot(), [world.clone(), pickle.loads(pickle.dumps(world))]
    world.step(40)
    expected = bits(world)
    assert (solved_directly(world) > 0) == (rows == 5)
    for other in others:
        other.step(40)
        assert bits(other) == expected
    world.restore(saved)
    world.step(40)
    assert bits(world) == expected


def test_copies_of_a_heap_that_is_given_up_go_on_bit_for_bit(tmp_path: Path) -> None:
    heap = stones(48, tmp_path)
    lid = put(gallery.box((0.56, 0.56, 0.2), 1000.0, name="lid", surface=ROUGH), (0.0, 0.0, 0.6))
    world = on_ground(*pit(), *heap, lid, surface=ROUGH)
    for _ in range(6):
        world.step(50)
        saved, others = world.snapshot(), [world.clone(), pickle.loads(pickle.dumps(world))]
        world.step(7)
        expected = bits(world)
        for other in others:
            other.step(7)
            assert bits(other) == expected
        world.restore(saved)
        world.step(7)
        assert bits(world) == expected
