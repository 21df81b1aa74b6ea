"""Many steps in one call: samples are taken without Python, and are those of single steps, bit for bit."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from _worlds import arm, falling, numbers_of

import kido
from kido import World, gallery
from kido.recording import Recording
from kido.world import Sleeping


def _dozing() -> World:
    """Boxes that fall asleep; one of them has a frame of its own that is turned and shifted."""
    boxes = []
    for k in range(4):
        box = gallery.box((0.2, 0.3, 0.1), 1.0, name=f"box_{k}")
        T = np.eye(4)
        T[:3, :3] = kido.math.so3_exp([0.1 * k, 0.0, 0.2])
        T[:3, 3] = 0.5 * k, 0.0, 0.06
        box.joints[0].T_parent_joint = T
        boxes.append(box)
    boxes[0].velocities = [0.0, 0.0, 0.0, 1.0, 0.0, 2.0]
    return World([gallery.ground(), *boxes], sleeping=Sleeping(after=0.05))


def _following() -> World:
    """Dofs that follow others in the state of their skeleton."""
    robot = arm()
    robot.joint("joint_1").actuator = "mimic"
    robot.joint("joint_1").mimic = kido.description.Mimic("joint_0", multiplier=-0.5, offset=0.1)
    robot.mimic_enforced = True
    return World([gallery.ground(), robot])


WORLDS = {"falling": falling, "dozing": _dozing, "following": _following}


def _tables(recording: Recording) -> dict[str, bytes]:
    """All but what keyframes keep of the solver, which knows in how many calls steps were made."""
    (part,) = recording.parts
    return {name: table.read().tobytes() for name, table in part.tables.items() if name != "keyframe_numbers"}


@pytest.mark.parametrize("rate", [50.0, 1000.0, np.inf])
@pytest.mark.parametrize("accelerations", [False, True])
@pytest.mark.parametrize("name", WORLDS)
def test_samples_of_many_steps_are_those_of_single_ones(name: str, rate: float, accelerations: bool) -> None:
    whole, single = WORLDS[name](), WORLDS[name]()
    options = {"rate": rate, "keyframe_interval": 0.1, "accelerations": accelerations}
    with kido.record(whole, **options) as at_once, kido.record(single, **options) as one_by_one:
        whole.step(455)
        for _ in range(455):
            single.step()
    assert numbers_of(whole) == numbers_of(single)
    ours, theirs = _tables(at_once), _tables(one_by_one)
    assert ours.keys() == theirs.keys()
    assert [table for table in theirs if ours[table] != theirs[table]] == []
    assert len(at_once.times) > 20
    assert numbers_of(at_once.world_at(0.26)) == numbers_of(one_by_one.world_at(0.26))


def test_samples_are_those_of_states_even_where_these_are_not_written_meanwhile() -> None:
    world, twin = falling(), falling()
    with kido.record(world, rate=100.0) as it:
        world.step(300)
    (part,) = it.parts
    for sample, step in enumerate(part.steps):
        twin.step(int(step) - twin.num_steps)
        told = np.concatenate([skeleton.positions for skeleton in twin.skeletons])
        assert np.array_equal(part.rows("positions")[sample], told)
        told = np.concatenate([skeleton.velocities for skeleton in twin.skeletons])
        assert np.array_equal(part.rows("velocities")[sample], told)


def test_a_frame_that_comes_between_calls_is_recorded_from_then_on() -> None:
    world = falling()
    with kido.record(world, rate=100.0) as it:
        world.step(100)
        world.frames.add(kido.SimpleFrame("late"))
        world.step(100)
    assert [part.layout.frames for part in it.parts] == [(), ("late",)]


def test_a_recording_is_asked_by_another_thread_while_steps_are_made() -> None:
    world, twin = falling(), falling()
    counts: list[int] = []
    with kido.record(world, rate=1000.0) as it:
        done = threading.Event()

        def ask() -> None:
            while not done.is_set():
                counts.append(len(it.times))

        thread = threading.Thread(target=ask)
        thread.start()
        try:
            world.step(3000)
        finally:
            done.set()
            thread.join()
    twin.step(3000)
    assert numbers_of(world) == numbers_of(twin)
    assert counts == sorted(counts)
    assert len(it.times) == 3001
    steps = it.parts[0].steps
    assert np.array_equal(steps, np.arange(3001))


def test_a_world_that_diverges_in_many_steps_is_recorded_up_to_there() -> None:
    world = World([gallery.double_pendulum()], time_step=1e-3)
    world.step(10)
    world.skeletons[0].velocities = [1e200, -1e200]
    with kido.record(world, rate=np.inf) as it, pytest.raises(kido.errors.DivergedError):
        world.step(100_000)
    assert len(it.times) >= 1
    assert np.isfinite(it.parts[0].rows("positions")).all()
