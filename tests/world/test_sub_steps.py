"""Into how many sub-steps a step is divided, and which islands are solved directly instead."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from _scenes import G, on_ground, put
from test_heavy_islands import ROUGH, bits, box, wall
from test_heavy_on_light import depth, drift, solved_directly

import kido
from kido import Skeleton, Surface, World, gallery
from kido.shape import Box

STEP = 1e-3


def slider() -> Skeleton:
    """Slides without friction where gravity is tilted: its path within a step says how that is divided."""
    made = gallery.rigid_body(Box((0.2, 0.2, 0.1)), 1.0, name="slider", surface=Surface(friction=0.0))
    return put(made, (-6.0, 0.0, 0.05))


def sub_steps(world: World, body: Skeleton, acceleration: float) -> float:
    """Of one step, by the path of what slides: v h + a h^2 (n + 1) / (2 n)."""
    x, v = float(body.positions[3]), float(body.velocities[3])
    world.step()
    share = (float(body.positions[3]) - x - v * STEP) / (acceleration * STEP**2)
    return 1.0 / (2.0 * share - 1.0)


def test_steps_are_divided_finely_while_a_large_island_is_heavy_and_coarser_again_after_that() -> None:
    """A beam on 140 bricks is pressed by a force that is 60 times its weight, and let go."""
    bricks, sliding = wall(14, 10, 5.0), slider()
    beam, tilt = bricks[-1], 0.02
    world = on_ground(*bricks, sliding, gravity=(G * tilt, 0.0, -G))
    world.step(50)
    counts = []
    for k in range(420):
        if k == 5:
            beam.commands = [0.0, 0.0, 0.0, 0.0, 0.0, -3000.0]
        if k == 120:
            beam.commands = np.zeros(6)
        counts.append(sub_steps(world, sliding, G * tilt))
    found = np.round(counts).astype(int)
    assert np.abs(found - counts).max() < 0.2
    changes = [int(found[0]), *(int(b) for a, b in pairwise(found) if a != b)]
    assert changes == [2, 32, 8, 2]
    fine = np.flatnonzero(found == 32)
    assert len(fine) == fine[-1] - fine[0] + 1, "without interruption"
    assert 16 < fine[0] < 100
    assert 120 < fine[-1] < 400
    assert np.count_nonzero(found == 8) == 1


def test_short_sub_steps_at_first_push_out_no_faster_than_long_ones() -> None:
    """Bricks into which a beam was pressed rise slowly."""
    bricks = wall(14, 10, 5.0)
    beam = bricks[-1]
    world = on_ground(*bricks)
    world.step(100)
    beam.commands = [0.0, 0.0, 0.0, 0.0, 0.0, -3000.0]
    fastest, deepest = 0.0, 0.0
    for _ in range(120):
        world.step()
        deepest = max(deepest, depth(world))
        fastest = max(fastest, float(beam.velocities[5]))
    assert deepest > 1e-4
    assert fastest < 0.08


@pytest.mark.parametrize(("count", "direct"), [(128, True), (129, False)])
def test_islands_of_up_to_128_bodies_are_solved_directly(count: int, direct: bool) -> None:
    """A slab on many columns of a brick each."""
    places = [(0.15 * (i % 8), 0.15 * (i // 8), 0.05) for i in range(count - 1)]
    bricks = [box(1.0, place, f"brick_{i}", (0.1, 0.1, 0.1)) for i, place in enumerate(places)]
    slab = box(4000.0, (0.525, 1.1, 0.2), "slab", (1.4, 2.6, 0.2))
    world = on_ground(*bricks, slab)
    world.step(40)
    assert (solved_directly(world) > 0) == direct
    assert depth(world) < 5e-5


@pytest.mark.parametrize(
    ("masses", "direct"),
    [
        ([1.0, 19.0], False),
        ([1.0, 21.5], True),
        ([1.0, 9.0, 9.0, 9.0], False),
        ([1.0, 9.0, 9.0, 9.0, 0.5], False),
        ([1.0, 10.5, 9.0, 9.0], True),
        ([10.0, 215.0], True),
        ([21.5, 1.0], False),
    ],
)
def test_heavy_is_what_carries_twenty_times_its_mass_and_ten_times_in_one_body(
    masses: Sequence[float], direct: bool
) -> None:
    boxes = [box(m, (0.0, 0.0, 0.1 + 0.2 * i), f"box_{i}") for i, m in enumerate(masses)]
    world = on_ground(*boxes, box(1.0, (3.0, 0.0, 0.1), "aside"))
    for _ in range(5):
        world.step(20)
        assert (solved_directly(world) > 0) == direct
    if direct:
        assert depth(world) < 2e-5


def test_a_load_that_two_bodies_share_is_half_for_each() -> None:
    for mass, direct in ((39.0, False), (43.0, True)):
        piers = [box(1.0, (0.5 * (2 * i - 1), 0.0, 0.1), f"pier_{i}") for i in range(2)]
        world = on_ground(*piers, box(mass, (0.0, 0.0, 0.3), "beam", (1.4, 0.2, 0.2)))
        world.step(30)
        assert (solved_directly(world) > 0) == direct


def plate_on_ball(turn: Sequence[float]) -> Skeleton:
    """A light plate on a ball joint, at the limits of its three positions."""
    made = Skeleton("plate")
    base = made.add_body("base", joint=kido.WeldJoint("base"))
    inertia = kido.Inertia(mass=0.1, com=(0.2, 0.0, 0.0), moment=np.eye(3) * 1e-3)
    body = made.add_body("plate", base, kido.BallJoint("ball"), inertia=inertia)
    T = np.eye(4)
    T[0, 3] = 0.2
    kido.ShapeNode(body, "plate", Box((0.4, 0.4, 0.02)), transform=T, surface=ROUGH)
    made.positions = turn
    x, y, z = turn
    made.position_lower_limits, made.position_upper_limits = [x, y - 1.0, z - 1.0], [x + 1.0, y, z]
    return made


@pytest.mark.parametrize("turn", [(0.0, 0.0, 0.0), (0.0, 0.0, 0.4)])
def test_a_plate_on_a_ball_joint_at_its_limits_carries_heavy_loads(
    turn: Sequence[float],
) -> None:
    """The load lies where two limits carry: beside the axis and before it."""
    plate = plate_on_ball(turn)
    c, s = np.cos(turn[2]), np.sin(turn[2])
    x, y = 0.2, 0.1
    load = box(100.0, (c * x - s * y, s * x + c * y, 0.06), "load", (0.1, 0.1, 0.1))
    put(load, load.positions[3:6], turn)
    world = World([plate, load])
    deepest = 0.0
    for _ in range(20):
        world.step(20)
        deepest = max(deepest, depth(world))
    assert solved_directly(world) == 1
    assert deepest < 2e-5
    assert drift(world, [load], 300) < 1e-6
    assert np.abs(plate.positions - turn).max() < 5e-5


def test_a_floating_plate_at_its_limits_carries_a_thousand_times_its_mass() -> None:
    """It floats as far as the limits of its free joint let it."""
    plate = gallery.rigid_body(Box((0.4, 0.4, 0.02)), 0.1, name="plate", surface=ROUGH)
    plate.positions = [0.0, 0.0, 0.0, 0.0, 0.0, 0.5]
    plate.position_lower_limits = [0.0, 0.0, -1.0, -1.0, -1.0, 0.5]
    plate.position_upper_limits = [1.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    load = box(100.0, (-0.03, 0.05, 0.56), "load", (0.1, 0.1, 0.1))
    world = World([plate, load])
    world.step(300)
    assert solved_directly(world) == 1
    assert depth(world) < 2e-5
    assert np.abs(plate.positions - [0, 0, 0, 0, 0, 0.5]).max() < 1e-4


def heavy_wall_in_a_crowd() -> World:
    """An island too large to be solved directly, one that is not, and many bodies for threads to share."""
    bricks = wall(16, 10, 1000.0)
    aside = [box(1.0, (0.3 * (i % 30), 2.0 + 0.3 * (i // 30), 0.1), f"aside_{i}") for i in range(870)]
    pair = [box(m, (-3.0, 0.0, 0.1 + 0.2 * i), f"pair_{i}") for i, m in enumerate((1.0, 500.0))]
    return on_ground(*bricks, *pair, *aside)


@pytest.mark.usefixtures("runtime")
def test_large_heavy_islands_give_the_same_bits_on_any_number_of_threads() -> None:
    ends = []
    for threads in (1, 2, 3):
        kido.set_num_threads(threads)
        world = heavy_wall_in_a_crowd()
        world.step(60)
        ends.append(bits(world))
    assert ends[1] == ends[0]
    assert ends[2] == ends[0]
    assert depth(world) < 2e-5
