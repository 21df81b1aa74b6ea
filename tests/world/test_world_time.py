"""Time: snapshots, clones, the same bits, interruption."""

from __future__ import annotations

import copy
import gc
import pickle
import resource
from collections.abc import Callable

import numpy as np
import pytest
from _processes import LINUX, interrupted
from _scenes import as_kind, on_ground, push, put

from kido import BallConstraint, Skeleton, World, _core, gallery
from kido.world import Integrator

LONGEST = 3.0
"""Seconds from Ctrl-C to the end of a process: some milliseconds, and the time of a busy machine."""


def crowd(count: int = 12) -> list[Skeleton]:
    """A robot and boxes, balls and trees that fall on each other."""
    made = [gallery.humanoid()]
    for i in range(count):
        name = f"body_{i}"
        body = gallery.ball(0.1, name=name) if i % 3 == 0 else gallery.box((0.2, 0.15, 0.1), name=name)
        as_kind("tree" if i % 4 == 1 else "rigid body", body)
        put(body, (0.15 * (i % 3), 0.1 * (i % 2), 1.7 + 0.2 * i), (0.1 * i, 0.2, 0.0))
        made.append(push(body, (0.1, -0.2, 0.0), (1.0, 0.5, 0.2 * i)))
    return made


def bits(world: World) -> bytes:
    rows = [array for s in world.skeletons for array in (s.positions, s.velocities)]
    return b"".join(np.ascontiguousarray(row).tobytes() for row in rows)


def told(world: World) -> list[tuple[float, ...]]:
    """What is told of contacts."""
    return [(*c.point, *c.normal, c.depth, *c.force) for c in world.contacts]


def test_time_passes_in_steps() -> None:
    world = World([gallery.ball()], time_step=2e-3)
    world.step()
    world.step(9)
    assert world.num_steps == 10
    assert world.time == pytest.approx(0.02)
    world.step(0)
    assert world.num_steps == 10
    before = world.skeleton("ball").positions
    world.reset()
    assert (world.time, world.num_steps) == (0.0, 0)
    np.testing.assert_array_equal(world.skeleton("ball").positions, before)


def test_many_steps_in_one_call_are_as_many_calls() -> None:
    one, other = on_ground(*crowd()), on_ground(*crowd())
    one.step(300)
    for _ in range(300):
        other.step()
    assert bits(one) == bits(other)
    assert one.time == pytest.approx(other.time, abs=1e-12)


def test_a_snapshot_is_gone_back_to_bit_for_bit() -> None:
    world = on_ground(*crowd())
    world.step(250)
    saved = world.snapshot()
    at_saved, contacts = bits(world), [(c.depth, *c.force) for c in world.contacts]
    assert contacts
    ends = []
    for _ in range(3):
        world.step(200)
        ends.append(bits(world))
        world.restore(saved)
        assert bits(world) == at_saved
        assert [(c.depth, *c.force) for c in world.contacts] == contacts
        assert (world.time, world.num_steps) == (pytest.approx(0.25), 250)
    assert len(set(ends)) == 1
    assert ends[0] != at_saved


def test_external_forces_that_wait_for_the_next_step_belong_to_a_snapshot() -> None:
    box = put(gallery.box((0.2, 0.2, 0.2), 2.0), (0.0, 0.0, 1.0))
    world = on_ground(box)
    world.step(3)
    calm = world.snapshot()
    box.body(0).add_external_force((3.0, 0.0, 8.0))
    pushed = world.snapshot()
    ends = []
    for saved in (pushed, calm, pushed):
        world.restore(saved)
        assert box.body(0).external_wrench.any() == (saved is pushed)
        world.step()
        assert not box.body(0).external_wrench.any()
        ends.append([box.velocities.copy(), world.last_step(box).external.copy()])
    np.testing.assert_array_equal(ends[0][0], ends[2][0])
    np.testing.assert_array_equal(ends[0][1], ends[2][1])
    np.testing.assert_allclose(ends[0][0][3:] - ends[1][0][3:], [1.5e-3, 0.0, 4e-3], atol=1e-12)
    assert not ends[1][1].any()


def test_a_snapshot_of_the_beginning_replays_everything() -> None:
    world = on_ground(*crowd())
    saved = world.snapshot()
    world.step(400)
    end = bits(world)
    world.restore(saved)
    world.step(400)
    assert bits(world) == end


def test_a_snapshot_of_another_build_is_refused() -> None:
    world = on_ground(gallery.box())
    saved = world.snapshot()
    world.add(gallery.ball())
    before = bits(world)
    with pytest.raises(ValueError, match="snapshot: expected one of the world as it is built now"):
        world.restore(saved)
    with pytest.raises(TypeError, match="snapshot: expected a Snapshot, got NoneType"):
        world.restore(None)  # type: ignore[arg-type]
    assert bits(world) == before


@pytest.mark.usefixtures("runtime")
def test_every_instruction_set_gives_the_same_bits() -> None:
    ends = set()
    for instructions in _core.instruction_sets():
        _core.set_instruction_set(instructions)
        world = on_ground(*crowd())
        world.step(500)
        ends.add(bits(world))
    assert len(ends) == 1


def test_a_world_made_again_gives_the_same_bits() -> None:
    ends = set()
    for _ in range(3):
        world = on_ground(*crowd())
        world.step(400)
        ends.add(bits(world))
    assert len(ends) == 1


def test_a_clone_before_contact_gives_the_same_bits_and_is_independent() -> None:
    world = on_ground(*crowd(), time_step=2e-3, gravity=(0.5, 0.0, -9.0))
    clone = world.clone()
    assert [s.name for s in clone.skeletons] == [s.name for s in world.skeletons]
    assert all(a is not b for a, b in zip(clone.skeletons, world.skeletons, strict=True))
    assert clone.time_step == world.time_step
    np.testing.assert_array_equal(clone.gravity, world.gravity)
    start = bits(world)
    clone.step(300)
    assert bits(world) == start
    world.step(300)
    assert bits(world) == bits(clone)
    assert clone.time == world.time


def pickled(world: World) -> World:
    made: World = pickle.loads(pickle.dumps(world))
    return made


@pytest.mark.parametrize("make", [World.clone, copy.deepcopy, pickled, lambda world: pickled(pickled(world))])
@pytest.mark.parametrize("integrator", list(Integrator))
def test_a_copy_in_contact_goes_on_bit_for_bit(
    make: Callable[[World], World], integrator: Integrator
) -> None:
    world = on_ground(*crowd(), tied := gallery.box((0.1, 0.1, 0.1), name="tied"))
    world.constraints.add(BallConstraint(put(tied, (3.0, 0.0, 1.0)).body(0), point=(3.0, 0.5, 1.0)))
    world.integrator = integrator
    world.step(400)
    assert world.contacts
    copied = make(world)
    assert bits(copied) == bits(world)
    assert told(copied) in ([], told(world))  # a pickle compiles at its first step
    world.step(200)
    after = bits(world)
    copied.step(200)
    assert bits(copied) == after
    assert told(copied) == told(world)
    assert told(world)
    assert copied.num_steps == world.num_steps
    assert copied.time == pytest.approx(world.time, rel=1e-12)


def test_a_pickled_world_stands_as_it_did() -> None:
    world = on_ground(*crowd(), time_step=2e-3, gravity=(0.0, 0.5, -9.0))
    world.step(200)
    copied = pickle.loads(pickle.dumps(world))
    assert bits(copied) == bits(world)
    assert [s.name for s in copied.skeletons] == [s.name for s in world.skeletons]
    assert (copied.time, copied.num_steps, copied.time_step) == (world.time, 200, 2e-3)
    np.testing.assert_array_equal(copied.gravity, world.gravity)
    world.step(20)
    copied.step(20)
    assert bits(copied) == bits(world)


@pytest.mark.usefixtures("runtime")
def test_a_pickle_goes_on_in_another_instruction_set_bit_for_bit() -> None:
    world = on_ground(*crowd())
    world.step(420)
    content = pickle.dumps(world)
    world.step(100)
    for instructions in _core.instruction_sets():
        _core.set_instruction_set(instructions)
        copied = pickle.loads(content)
        copied.step(100)
        assert bits(copied) == bits(world)


def test_what_is_set_after_unpickling_holds() -> None:
    world = on_ground(*crowd(3))
    world.step(300)
    for made in (pickled(world), pickled(pickled(world)).clone()):
        ball = made.skeleton("body_0")
        other = world.clone()
        for one in (ball, other.skeleton("body_0")):
            put(one, (5.0, 5.0, 3.0))
            push(one, (0.0, 1.0, 0.0))
        made.step(50)
        other.step(50)
        assert ball.positions[4] == pytest.approx(5.05, abs=1e-9)
        assert bits(made) == bits(other)


def test_an_edited_world_is_pickled_as_it_will_be_built() -> None:
    world = on_ground(*crowd(3))
    world.step(300)
    world.add(put(gallery.box(name="late"), (4.0, 0.0, 0.5)))
    copied, clone = pickled(world), world.clone()
    for made in (world, copied, clone):
        made.step(100)
    assert bits(copied) == bits(world) == bits(clone)


def test_numbers_of_a_pickle_that_do_not_fit_are_named() -> None:
    world = on_ground(gallery.box())
    world.step(10)
    rebuild, parts = world.__reduce__()
    for wrong in (b"", parts[-1][:-1], parts[-1] + b"x", b"\0" * len(parts[-1])):
        made = rebuild(*parts[:-1], wrong)
        with pytest.raises(ValueError, match="world: the contacts of its pickle do not fit"):
            made.step()
        made.step(3)
        assert made.num_steps == 13


def test_a_joint_of_the_users_own_moves_in_a_world() -> None:
    made, expected = gallery.cam(), gallery.cam()
    made.velocities = expected.velocities = [1.0]
    world = World([made])
    for _ in range(20):
        expected.compute_forward_dynamics()
        v = expected.velocities + 1e-3 * expected.accelerations
        expected.positions = expected.positions + 1e-3 * v
        expected.velocities = v
    world.step(20)
    np.testing.assert_allclose(made.positions, expected.positions, rtol=1e-9)
    np.testing.assert_allclose(made.velocities, expected.velocities, rtol=1e-9)


ENDLESS = """
import kido
world = kido.World([kido.gallery.ground(), kido.gallery.humanoid()])
world.step(3)
print("begin", flush=True)
try:
    world.step(10**9)
except KeyboardInterrupt:
    steps, positions = world.num_steps, world.skeletons[1].positions
    assert steps > 3 and abs(world.time - steps * 1e-3) < 1e-6 * steps
    world.step(5)
    assert world.num_steps == steps + 5
    print("interrupted")
"""


def test_ctrl_c_ends_a_long_step_after_a_whole_one() -> None:
    seconds, said = interrupted(ENDLESS)
    assert said == "interrupted\n"
    assert seconds < LONGEST


def test_an_empty_world_passes_time() -> None:
    world = World()
    world.step(10**4)
    assert (world.num_steps, world.energy, world.contacts, world.skeletons) == (10**4, 0.0, [], ())
    world.restore(world.snapshot())
    assert world.clone().num_steps == 10**4


def test_a_world_in_which_nothing_moves_passes_time() -> None:
    box = gallery.box()
    box.mobile = False
    world = on_ground(box)
    before = box.positions
    world.step(100)
    np.testing.assert_array_equal(box.positions, before)
    assert world.contacts == []
    assert world.energy == 0.0


def pages() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1])


@pytest.mark.skipif(not LINUX, reason="reads /proc")
def test_memory_does_not_grow_with_steps() -> None:
    world = on_ground(*crowd(4))
    saved = world.snapshot()

    def work() -> None:
        for _ in range(20):
            world.step(250)
            assert isinstance(world.contacts, list)
            world.restore(saved)
            world.snapshot()
            world.clone().step()
        gc.collect()  # bodies and their skeleton hold each other: clones wait for the collector

    work()
    before = pages()
    for _ in range(4):
        work()
    assert (pages() - before) * resource.getpagesize() < 2_000_000
