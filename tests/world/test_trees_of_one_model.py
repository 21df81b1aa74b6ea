"""Trees of one model in a world: the same bits as each by itself, whatever else is there."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from _scenes import on_ground

import kido
from kido import ActuatorType, Skeleton, World, _core, gallery

pytestmark = pytest.mark.usefixtures("runtime")

_UNSEEN = 1e-290
"""A force [N] that no sum can hold, but for which a tree goes by itself."""


def robots(count: int, seed: int = 0, **options: bool) -> list[Skeleton]:
    """Humanoids that fly, apart from each other."""
    rng, made = np.random.default_rng(seed), []
    for k in range(count):
        robot = gallery.humanoid(**options)
        robot.name = f"robot_{seed}_{k}"
        q = robot.positions + 0.1 * rng.uniform(-1.0, 1.0, robot.num_dofs)
        q[3:6] += [3.0 * k, 4.0 * seed, 3.0]
        robot.positions = q
        robot.velocities = rng.uniform(-1.0, 1.0, robot.num_dofs)
        made.append(robot)
    return made


def heap(count: int = 11) -> list[Skeleton]:
    """Humanoids of two models, and a quadruped, that fall on each other."""
    made = [*robots(count), *robots(3, 1, compound_joints=True), gallery.quadruped()]
    for k, robot in enumerate(made):
        q = robot.positions.copy()
        q[3:6] = 0.5 * (k % 3), 0.6 * (k // 3 % 2), 1.0 + 0.9 * (k // 6)
        robot.positions = q
    return made


def go_alone(*skeletons: Skeleton) -> None:
    for skeleton in skeletons:
        skeleton.body(0).external_wrench = [0.0, 0.0, 0.0, 0.0, 0.0, _UNSEEN]


def bits(*skeletons: Skeleton) -> list[bytes]:
    return [s.positions.tobytes() + s.velocities.tobytes() + s.accelerations.tobytes() for s in skeletons]


def vary(robots: list[Skeleton]) -> None:
    """Springs, dampers, limits, friction, commands, wrenches and servos, here and there."""
    joints = [list(robot.joints)[1:] for robot in robots]
    for joint in joints[0][3:9]:
        joint.spring_stiffness, joint.damping = [30.0] * joint.num_dofs, [0.5] * joint.num_dofs
    for joint in joints[1]:
        joint.damping = [2.0] * joint.num_dofs
    for joint in joints[2]:
        joint.coulomb_friction = [0.3] * joint.num_dofs
    robots[3].commands = np.linspace(-3.0, 3.0, robots[3].num_dofs)
    for joint in joints[4]:
        joint.position_lower_limits = joint.positions - 0.05
        joint.position_upper_limits = joint.positions + 0.05
    robots[5].body(2).external_wrench = [0.1, 0.2, 0.3, 4.0, 5.0, 6.0]
    for joint in joints[6]:
        joint.actuator = ActuatorType.SERVO
    for joint in joints[7][::3]:
        joint.actuator = ActuatorType.VELOCITY
        joint.commands = [0.4] * joint.num_dofs


@pytest.mark.parametrize("compound_joints", [False, True])
@pytest.mark.parametrize("count", [2, 3, 8, 9, 13])
def test_trees_that_fly_move_as_each_by_itself(count: int, compound_joints: bool) -> None:
    together = robots(count, compound_joints=compound_joints)
    world = World(together)
    world.step(50)
    for robot, end in zip(robots(count, compound_joints=compound_joints), bits(*together), strict=True):
        World([robot]).step(50)
        assert bits(robot) == [end]


def test_whatever_acts_on_some_trees_changes_the_others_by_nothing() -> None:
    together, alone = robots(11), robots(11)
    for made in (together, alone):
        vary(made)
    go_alone(*(robot for k, robot in enumerate(alone) if k != 5))
    World(together).step(60)
    World(alone).step(60)
    assert bits(*together) == bits(*alone)


@pytest.mark.parametrize("lonely", [slice(None), slice(0, 11, 3), slice(10, None), slice(0, 4)])
def test_a_heap_has_the_same_bits_with_some_trees_by_themselves(lonely: slice) -> None:
    first, second = heap(), heap()
    go_alone(*second[lonely])
    on_ground(*first).step(400)
    world = on_ground(*second)
    world.step(400)
    assert len(world.contacts) > 20
    assert bits(*first) == bits(*second)


def test_lanes_and_threads_give_the_same_bits() -> None:
    ends = []
    for instructions in _core.instruction_sets():
        _core.set_instruction_set(instructions)
        for threads in (1, 2):
            kido.set_num_threads(threads)
            made = heap(20)
            vary(made)
            on_ground(*made).step(250)
            ends.append(bits(*made))
    assert all(end == ends[0] for end in ends)


def test_snapshots_copies_and_pickles_go_on_with_the_same_bits() -> None:
    made = heap()
    vary(made)
    world = on_ground(*made)
    world.step(150)
    saved, copy, packed = world.snapshot(), world.clone(), pickle.dumps(world)
    world.step(100)
    expected = bits(*made)
    for other in (copy, pickle.loads(packed)):
        other.step(100)
        assert bits(*list(other.skeletons)[1:]) == expected
    world.restore(saved)
    world.step(100)
    assert bits(*made) == expected


def test_trees_that_sleep_and_wake_move_as_each_by_itself() -> None:
    """Five lie still at the time that others land beside them; one of these is pushed."""
    first, second = robots(9), robots(9)
    for made in (first, second):
        for k, robot in enumerate(made):
            q = robot.positions.copy()
            q[:3], q[5] = (0.0, np.pi / 2, 0.0), 0.2 if k < 5 else 4.0
            robot.positions = q
            robot.velocities = np.zeros(robot.num_dofs)
            for joint in list(robot.joints)[1:]:
                joint.damping = [20.0] * joint.num_dofs
    go_alone(*second)
    worlds = [on_ground(*first), on_ground(*second)]
    for world in worlds:
        world.sleeping = True
        world.step(2500)
    slept = [[s.name for s in world.sleeping_skeletons] for world in worlds]
    assert slept[0] == slept[1] and len(slept[0]) > 1
    for world, made in zip(worlds, (first, second), strict=True):
        pushed = next(robot for robot in made if robot.name == slept[0][-1])
        pushed.velocities = np.full(pushed.num_dofs, 0.3)
        world.step(300)
    assert bits(*first) == bits(*second)


def test_a_change_of_one_tree_is_a_model_of_its_own() -> None:
    """A mass is edited in the midst of a run."""
    together, alone = robots(9), robots(9)
    world, worlds = World(together), [World([robot]) for robot in alone]
    world.step(20)
    for other in worlds:
        other.step(20)
    for made in (together, alone):
        made[4].body(3).mass = 7.0
        made[6].body(0).gravity_mode = False
    world.step(20)
    for other in worlds:
        other.step(20)
    assert bits(*together) == bits(*alone)
    assert bits(together[4]) != bits(together[5])
