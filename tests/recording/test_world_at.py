"""A world of a recording goes on bit for bit, whatever was done to it meanwhile."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from _effort import examples
from _worlds import assert_same_course, box, falling, numbers_of

import kido
from kido import World, gallery
from kido.errors import RecordingError
from kido.world import Sleeping

Act = Callable[[World, np.random.Generator], None]


def command(world: World, random: np.random.Generator) -> None:
    skeleton = world.skeleton("arm")
    commands = np.zeros(skeleton.num_dofs)
    commands[6:9] = random.normal(size=3)
    skeleton.commands = commands


def push(world: World, random: np.random.Generator) -> None:
    for skeleton in world.skeletons[1:]:
        skeleton.bodies[-1].add_external_force(10.0 * random.normal(size=3))


def move(world: World, random: np.random.Generator) -> None:
    skeleton = world.skeletons[1 + random.integers(len(world.skeletons) - 1)]
    positions = skeleton.positions.copy()
    positions[5] += 0.2
    skeleton.positions = positions


def kick(world: World, random: np.random.Generator) -> None:
    skeleton = world.skeletons[1 + random.integers(len(world.skeletons) - 1)]
    velocities = skeleton.velocities.copy()
    velocities[3:6] += random.normal(size=3)
    skeleton.velocities = velocities


def change_loads(world: World, random: np.random.Generator) -> None:
    world.skeleton("arm").damping = [0.0] * 6 + list(random.uniform(0.0, 0.2, 6))


def brake(world: World, random: np.random.Generator) -> None:
    """Where nothing else acts in the joint, the native world has another body then."""
    world.skeletons[2].joints[0].damping = [0.0, 0.1, 0.1, 0.2, 0.0, 0.0][random.integers(6)]


def drive(world: World, random: np.random.Generator) -> None:
    world.skeletons[2].joints[0].actuator = ["force", "servo", "velocity"][random.integers(3)]


def let_beyond(world: World, random: np.random.Generator) -> None:
    for joint in world.skeleton("arm").joints[1:4]:
        joint.limits_enforced = bool(random.integers(2))


def change_mass(world: World, random: np.random.Generator) -> None:
    world.skeletons[-1].bodies[0].mass = float(random.uniform(0.5, 2.0))


def add(world: World, random: np.random.Generator) -> None:
    names = [skeleton.name for skeleton in world.skeletons]
    if len(names) < 7:
        world.add(box(next(f"box_{k}" for k in range(9) if f"box_{k}" not in names), 0.8, random.normal()))


def remove(world: World, random: np.random.Generator) -> None:
    if len(world.skeletons) > 3 and not len(world.constraints):
        world.remove(world.skeletons[-1])


def hold(world: World, random: np.random.Generator) -> None:
    if not len(world.constraints):
        bodies = [skeleton.bodies[-1] for skeleton in world.skeletons[1:3]]
        world.constraints.add(kido.DistanceConstraint(*bodies))


def release(world: World, random: np.random.Generator) -> None:
    for constraint in list(world.constraints):
        world.constraints.remove(constraint)


def weigh_less(world: World, random: np.random.Generator) -> None:
    world.gravity = (0.0, 0.0, float(random.uniform(-10.0, -5.0)))


def wake(world: World, random: np.random.Generator) -> None:
    world.wake(world.skeletons[1] if random.integers(2) else None)


def add_frame(world: World, random: np.random.Generator) -> None:
    if len(world.frames) < 3:
        world.frames.add(kido.SimpleFrame(f"frame_{len(world.frames)}", world.skeletons[1].bodies[0]))


def step_quickly(world: World, random: np.random.Generator) -> None:
    world.time_step = float(random.choice([1e-3, 2e-3]))


ACTS: list[Act] = [
    command,
    push,
    move,
    kick,
    change_loads,
    brake,
    drive,
    let_beyond,
    change_mass,
    add,
    remove,
    hold,
    release,
    weigh_less,
    wake,
    add_frame,
    step_quickly,
]


def check_all(recording: kido.Recording, kept: list[World]) -> None:
    """The recording gives each of the worlds, which are clones of the one that was recorded."""
    for clone in kept:
        found = recording.world_at(clone.time)
        if found.num_steps == clone.num_steps:
            assert_same_course(found, clone)
    found = recording.world_at(recording.end_time)
    assert numbers_of(found).keys() == numbers_of(kept[-1]).keys()


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("steps", [1, 7])
def test_what_is_done_to_a_world_is_done_again(act: Act, steps: int) -> None:
    world, random, kept = falling(), np.random.default_rng(0), []
    world.sleeping = Sleeping(after=0.05)
    with kido.record(world, keyframe_interval=1.0) as recording:
        for k in range(40):
            if k % 4 == 3:
                act(world, random)
            world.step(steps)
            if k % 6 == 5:
                kept.append(world.clone())
    assert recording.notes == ()
    for clone in kept:
        found = recording.world_at(clone.time)
        assert found.num_steps == clone.num_steps
        assert_same_course(found, clone)


@pytest.mark.parametrize("seed", range(examples(4)))
@pytest.mark.parametrize("in_file", [False, True])
def test_random_runs_are_had_again_at_any_time(seed: int, in_file: bool, tmp_path: Path) -> None:
    random, world, kept = np.random.default_rng(seed), falling(), []
    world.sleeping = [None, Sleeping(after=0.1)][random.integers(2)]
    path = tmp_path / "run.h5" if in_file else None
    rate = float(random.choice([20.0, 100.0, 333.0, math.inf]))
    with kido.record(
        world, path, rate=rate, keyframe_interval=float(random.choice([0.03, 1.0]))
    ) as recording:
        for _ in range(50):
            if random.integers(2):
                ACTS[random.integers(len(ACTS))](world, random)
            world.step(int(random.integers(0, 30)))
            if random.integers(4) == 0:
                world.step()
                kept.append(world.clone())  # before an edit, which would be had at the same time
                world.step()
    for trusted in (False, True) if in_file else (False,):
        read = recording if path is None else kido.load_recording(path, trusted=trusted)
        assert read.notes == ()
        for clone in kept:
            found = read.world_at(clone.time)
            assert found.num_steps == clone.num_steps
            assert_same_course(found, clone.clone(), steps=10)


def test_a_world_that_was_put_back_is_had_as_it_went_on_then() -> None:
    world = falling()
    with kido.record(world) as recording:
        world.step(120)
        before = world.snapshot()
        world.step(200)
        first = world.clone()
        world.restore(before)
        world.skeletons[1].velocities = np.full(12, 0.4)
        world.step(100)
        second = world.clone()
    assert [part.layout.began for part in recording.parts] == ["start", "jump"]
    assert_same_course(recording.world_at(second.time), second)
    assert_same_course(recording.world_at(0.32), first)
    assert recording.world_at(0.2).skeletons[1].velocities[0] != 0.0
    assert_same_course(recording[:0.119].world_at(0.06), _stepped(falling(), 60))


def _stepped(world: World, steps: int) -> World:
    world.step(steps)
    return world


def test_time_that_is_reset_begins_anew() -> None:
    world = falling()
    with kido.record(world) as recording:
        world.step(100)
        world.reset()
        world.step(50)
        clone = world.clone()
    assert [part.times[-1] for part in recording.parts] == [0.1, 0.05]
    assert np.array_equal(recording.parts[1].times, [0.0, 0.02, 0.04, 0.05])
    assert_same_course(recording.world_at(0.05), clone)
    assert recording.events[0].kind == "jump"


@pytest.mark.parametrize("in_file", [False, True])
def test_a_run_that_is_recorded_from_its_midst_goes_on_from_there(in_file: bool, tmp_path: Path) -> None:
    world = _stepped(falling(), 300)
    path = tmp_path / "run.h5" if in_file else None
    with kido.record(world, path) as recording:
        world.step(95)
        clone = world.clone()
        world.step(30)
    assert_same_course(recording.world_at(clone.time), clone.clone())
    if path is not None:
        assert_same_course(kido.load_recording(path, trusted=True).world_at(clone.time), clone.clone())
        read = kido.load_recording(path)
        with pytest.raises(RecordingError, match="trusted=True"):
            read.world_at(clone.time)
        rough = read.world_at(0.38, exact=False)
        assert rough.num_steps == 380
        assert np.array_equal(rough.skeletons[1].positions, read.at(0.38).skeletons[1].positions)
        assert "begin anew" in str(rough.diagnostics[-1])


def test_a_pickled_world_is_recorded_on() -> None:
    world = _stepped(falling(), 300)
    other = pickle.loads(pickle.dumps(world))
    with kido.record(other) as recording:
        other.step(50)
        clone = other.clone()
        other.step(10)
    assert_same_course(recording.world_at(clone.time), clone)


def test_platforms_that_are_moved_by_hand_are_moved_again() -> None:
    platform = kido.Skeleton("platform")
    joint = kido.PrismaticJoint("lift", (0, 0, 1))
    body = platform.add_body("plate", joint=joint)
    kido.ShapeNode(body, "plate", kido.shape.Box((2, 2, 0.1)))
    platform.mobile = False
    world = World([platform, box("low", 0.3)])
    kept = []
    with kido.record(world) as recording:
        for k in range(200):
            platform.positions = [0.0005 * k]
            world.step()
            if k % 40 == 13:
                kept.append(world.clone())
    assert len(recording.parts) == 1
    for clone in kept:
        assert_same_course(recording.world_at(clone.time), clone)


def test_a_joint_that_is_braked_as_a_platform_moves_is_braked_again() -> None:
    platform, arm = gallery.box((1.0, 1.0, 0.2), name="platform"), falling().skeleton("arm").clone()
    platform.mobile = False
    world, kept = World([platform, arm]), []
    with kido.record(world, rate=20.0) as recording:
        for k in range(12):
            world.step(9)
            platform.positions = [0.0, 0.0, 0.0, 0.0, 0.0, -0.01 * k]
            arm.damping = np.full(arm.num_dofs, 0.1 * (k % 3))
            world.step(2)
            kept.append(world.clone())
    for clone in kept:
        assert_same_course(recording.world_at(clone.time), clone)


def test_followers_are_enforced_or_not_as_they_were() -> None:
    gripper, kept = gallery.gripper(), []
    world = World([gripper])
    gripper.commands = [1.0, 0.0]
    with kido.record(world, rate=100.0) as recording:
        for k in range(10):
            world.step(7)
            gripper.mimic_enforced = k % 3 == 2
            gripper.commands = [1.0 - 0.3 * k, 0.0]
            world.step(6)
            kept.append(world.clone())
    for clone in kept:
        assert_same_course(recording.world_at(clone.time), clone)


def test_what_is_written_to_a_follower_is_no_input() -> None:
    gripper, kept = gallery.gripper(), []
    world = World([gripper])
    gripper.commands = [1.0, 0.0]
    with kido.record(world, rate=math.inf) as recording:
        for _ in range(5):
            world.step(7)
            gripper.positions = [gripper.positions[0], 0.02]
            world.step()
            kept.append(world.clone())
    for clone in kept:
        assert_same_course(recording.world_at(clone.time), clone)


def test_where_listeners_act_samples_can_be_had_and_nothing_between() -> None:
    world, kept = falling(), []

    def act(stepped: World) -> None:
        stepped.skeleton("low").bodies[0].add_external_force((0.0, 5.0, 0.0))

    world.signals.before("detect").connect(act)
    with kido.record(world, rate=100.0) as recording:
        for _ in range(5):
            world.step(20)
            kept.append(numbers_of(world))
        world.step(3)
    for k, numbers in enumerate(kept):
        assert numbers_of(recording.world_at(0.02 * (k + 1))) == numbers
    with pytest.raises(RecordingError, match="Python took part"):
        recording.world_at(0.055)


def test_a_run_that_something_else_has_moved_is_refused() -> None:
    class Wind(kido.RowConstraint):
        """A constraint whose rows depend on what no recording knows."""

        strength = 0.0

        def rows(self) -> kido.Rows:
            count = self.skeletons[0].num_dofs
            return kido.Rows([0.0], np.eye(count)[3:4], speed=[self.strength], lower=[-1.0], upper=[1.0])

    world = falling()
    wind = world.constraints.add(Wind(world.skeleton("low")))
    with kido.record(world) as recording:
        world.step(30)
        wind.strength = 1.0
        world.step(70)
    assert recording.world_at(0.02).num_steps == 20
    with pytest.raises(RecordingError, match=r"differ from what was recorded at 0\.04 s"):
        recording.world_at(0.05)
    assert recording.world_at(0.05, exact=False).num_steps == 40


def test_what_pushed_before_a_keyframe_is_told() -> None:
    world, random, kept = falling(), np.random.default_rng(3), []
    with kido.record(world, rate=1000.0, keyframe_interval=0.001) as recording:
        for _ in range(30):
            push(world, random)
            world.step()
            kept.append(world.clone())
            world.step()
    for clone in kept:
        found = recording.world_at(clone.time)
        assert world.skeletons[1].num_bodies and numbers_of(found) == numbers_of(clone)
        assert found.last_step(found.skeletons[1]).external.any()


def test_a_wrench_before_the_first_step_acts_in_that_step_alone() -> None:
    world = falling()
    world.skeletons[1].bodies[0].add_external_force((30.0, 0.0, 0.0))
    with kido.record(world, keyframe_interval=0.015) as recording:
        world.step(15)
        at_keyframe = world.clone()
        world.step(8)
        clone = world.clone()
        world.step(2)
    assert not recording.world_at(at_keyframe.time).skeletons[1].bodies[0].external_wrench.any()
    rough = recording.world_at(clone.time, exact=False)
    assert_same_course(recording.world_at(clone.time), clone)
    assert not rough.skeletons[1].bodies[0].external_wrench.any()


@pytest.mark.parametrize("ask", ["wake", "pickle", "is_sleeping", "to_value"])
def test_constants_hold_from_their_step_on_whatever_is_asked_before_it(ask: str) -> None:
    world = falling()
    world.sleeping = Sleeping(after=10.0)
    with kido.record(world, rate=20.0) as recording:
        world.step(13)
        world.skeleton("arm").damping = [0.0] * 6 + [0.3] * 6
        if ask == "wake":
            world.wake(world.skeletons[-1])
        elif ask == "pickle":
            pickle.dumps(world)
        elif ask == "is_sleeping":
            world.is_sleeping(world.skeletons[-1])
        else:
            world.to_value(exact=True)
        world.step()
        clone = world.clone()
        world.step()
    assert_same_course(recording.world_at(clone.time), clone)
