"""What a world has moved, and nobody has looked at yet: states are brought when somebody looks or writes."""

from __future__ import annotations

import copy
import gc
import pickle
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from _scenes import KINDS, as_kind, on_ground, push, put

import kido
from kido import Skeleton, World, gallery

STEPS = 40


def tumbling(kind: str = "rigid body") -> tuple[World, Skeleton]:
    """Two boxes and a double pendulum; the first box, which falls and turns, is returned."""
    box = as_kind(kind, gallery.box((0.2, 0.3, 0.1), 2.0, name="box"))
    push(put(box, (0.1, 0.2, 0.3), (0.4, 0.1, -0.2)), (0.3, -0.2, 0.5), (1.0, 2.0, -3.0))
    other = put(gallery.box((0.2, 0.2, 0.2), 1.0, name="other"), (1.0, 0.0, 0.1))
    pendulum = gallery.double_pendulum()
    pendulum.positions = [0.7, -0.4]
    return on_ground(box, other, pendulum), box


def listened(world: World) -> World:
    """The same world, whose steps have all states brought: somebody listens."""
    world.signals.after("move").connect(lambda world: None)
    return world


def numbers(skeleton: Skeleton) -> Any:
    return [skeleton.positions, skeleton.velocities, skeleton.accelerations]


LOOKS: dict[str, Callable[[World, Skeleton], Any]] = {
    "positions": lambda world, box: box.positions,
    "velocities": lambda world, box: box.velocities,
    "accelerations": lambda world, box: box.accelerations,
    "of a joint": lambda world, box: box.joints[0].velocities,
    "of a dof": lambda world, box: box.dofs[4].position,
    "of a dof, acceleration": lambda world, box: box.dofs[4].acceleration,
    "relative transform of a joint": lambda world, box: box.joints[0].relative_transform,
    "transform of a body": lambda world, box: box.body(0).transform(),
    "velocity of a body": lambda world, box: box.body(0).spatial_velocity(),
    "acceleration of a body": lambda world, box: box.body(0).spatial_acceleration(),
    "frame on a body": lambda world, box: kido.SimpleFrame("tool", box.body(0)).transform(),
    "all bodies": lambda world, box: box.compute_forward_kinematics(),
    "center of mass": lambda world, box: box.com(),
    "velocity of the center of mass": lambda world, box: box.com_linear_velocity(),
    "acceleration of the center of mass": lambda world, box: box.com_linear_acceleration(),
    "Jacobian": lambda world, box: box.jacobian(box.body(0)),
    "mass matrix": lambda world, box: box.mass_matrix,
    "kinetic energy": lambda world, box: box.kinetic_energy,
    "potential energy": lambda world, box: box.potential_energy,
    "bias forces": lambda world, box: box.coriolis_and_gravity_forces,
    "joint states": lambda world, box: [np.array(state.positions) for state in box.joint_states()],
    "forward dynamics": lambda world, box: (box.compute_forward_dynamics(), box.accelerations)[1],
    "energy of the world": lambda world, box: world.energy,
    "state as a value": lambda world, box: numbers(_with_state(box)),
    "configuration": lambda world, box: numbers(_with_configuration(box)),
    "clone of the skeleton": lambda world, box: numbers(box.clone()),
    "copy of the skeleton": lambda world, box: numbers(copy.deepcopy(box)),
    "pickle of the skeleton": lambda world, box: numbers(pickle.loads(pickle.dumps(box))),
    "clone of the world": lambda world, box: _later(world.clone()),
    "pickle of the world": lambda world, box: _later(pickle.loads(pickle.dumps(world))),
    "snapshot": lambda world, box: _back(world, box),
    "rollout": lambda world, box: kido.rollout(world.clone(), np.zeros((2, 3, 14))).positions,
    "last step": lambda world, box: world.last_step(box).velocities,
    "many steps": lambda world, box: (world.step(5), numbers(box))[1],
    "many steps that take long": lambda world, box: (world.step(5000), numbers(box))[1],
    "selection": lambda world, box: kido.Group("all", dofs=box.dofs).positions,
    "another mass": lambda world, box: (setattr(box.body(0), "mass", 5.0), numbers(box))[1],
    "another damping": lambda world, box: (setattr(box.joints[0], "damping", [0.1] * 6), numbers(box))[1],
    "a body more": lambda world, box: (box.add_body("more", box.body(0), kido.WeldJoint()), numbers(box))[1],
    "out of the world": lambda world, box: (world.remove(box), numbers(box))[1],
    "another time step": lambda world, box: (setattr(world, "time_step", 2e-3), numbers(box))[1],
    "reset": lambda world, box: (world.reset(), numbers(box))[1],
    "contacts": lambda world, box: [c.point for c in world.contacts] and numbers(box),
    "another thread": lambda world, box: _by_thread(lambda: numbers(box)),
}


def _with_state(box: Skeleton) -> Skeleton:
    other = box.clone()
    other.positions = np.zeros(6)
    other.state = box.state
    return other


def _with_configuration(box: Skeleton) -> Skeleton:
    other = box.clone()
    other.positions = np.zeros(6)
    other.set_configuration(box.configuration())
    return other


def _later(world: World) -> Any:
    world.step(7)
    return [numbers(skeleton) for skeleton in world.skeletons if skeleton.num_dofs]


def _back(world: World, box: Skeleton) -> Any:
    saved = world.snapshot()
    world.step()
    world.restore(saved)
    there = numbers(box)
    world.step()
    return there, numbers(box)


def _by_thread(look: Callable[[], Any]) -> Any:
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(look()))
    thread.start()
    thread.join()
    return found[0]


def assert_same(first: Any, second: Any) -> None:
    if isinstance(first, list | tuple):
        assert len(first) == len(second)
        for one, other in zip(first, second, strict=True):
            assert_same(one, other)
    else:
        assert np.array_equal(first, second)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("look", LOOKS)
def test_brought_where_somebody_looks(look: str, kind: str) -> None:
    world, box = tumbling(kind)
    seen, seen_box = tumbling(kind)
    listened(seen)
    for _ in range(STEPS):
        world.step()
        seen.step()
    assert_same(LOOKS[look](world, box), LOOKS[look](seen, seen_box))
    assert_same(_later(world), _later(seen))


def _turn(box: Skeleton) -> None:
    box.velocities = [0.0, 1.0, 0.0, *box.velocities[3:]]


WRITES: dict[str, Callable[[World, Skeleton], Any]] = {
    "positions": lambda world, box: put(box, (0.3, 0.4, 1.0)),
    "one position": lambda world, box: setattr(box.dofs[5], "position", 0.8),
    "one velocity": lambda world, box: setattr(box.dofs[3], "velocity", 2.0),
    "velocities": lambda world, box: _turn(box),
    "of a joint": lambda world, box: setattr(box.joints[0], "velocities", [1.0, 0.0, 0.0, 0.0, 0.0, 1.0]),
    "transform of a joint": lambda world, box: box.joints[0].set_transform(np.eye(4)),
    "commands": lambda world, box: setattr(box, "commands", [0.0, 0.1, 0.0, 0.0, 5.0, 0.0]),
    "forces": lambda world, box: setattr(box, "forces", [0.0, 0.1, 0.0, 0.0, 5.0, 0.0]),
    "one command": lambda world, box: setattr(box.dofs[4], "command", 7.0),
    "one force": lambda world, box: setattr(box.dofs[4], "force", 7.0),
    "forces of a selection": lambda world, box: setattr(
        kido.Group("some", dofs=box.dofs[3:]), "forces", [1.0, 2.0, 3.0]
    ),
    "commands of a selection": lambda world, box: setattr(
        kido.Group("some", dofs=box.dofs[3:]), "commands", [1.0, 2.0, 3.0]
    ),
    "wrench": lambda world, box: box.body(0).add_external_force((1.0, 2.0, 30.0)),
    "velocity change": lambda world, box: setattr(box, "velocities", box.velocities + 0.1),
    "configuration": lambda world, box: box.set_configuration(
        replace(box.configuration(), velocities=[0.0, 0.0, 1.0, 0.0, 0.0, 1.0])
    ),
    "state as a value": lambda world, box: setattr(box, "state", gallery.box((0.2, 0.3, 0.1)).state),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("write", WRITES)
def test_what_is_written_holds(write: str, kind: str) -> None:
    world, box = tumbling(kind)
    seen, seen_box = tumbling(kind)
    listened(seen)
    for again in range(3):
        for _ in range(10 + again):
            world.step()
            seen.step()
        WRITES[write](world, box)
        WRITES[write](seen, seen_box)
    before = numbers(box)
    assert_same(before, numbers(seen_box))
    assert_same(_later(world), _later(seen))


@pytest.mark.parametrize("kind", KINDS)
def test_commands_hold_and_end(kind: str) -> None:
    world, box = tumbling(kind)
    put(box, (0.0, 0.0, 5.0))
    box.velocities = np.zeros(6)
    box.commands = [0.0, 0.0, 0.0, 0.0, 0.0, 2.0 * 9.81]
    for _ in range(20):
        world.step()
    assert np.abs(box.velocities).max() < 1e-12
    box.commands = np.zeros(6)
    for _ in range(10):
        world.step()
    np.testing.assert_allclose(box.velocities[5], -9.81 * 0.01, rtol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_restored_worlds_have_the_commands_that_no_step_had_before(kind: str) -> None:
    world, box = tumbling(kind)
    put(box, (0.0, 0.0, 5.0))
    world.step()
    box.commands = [0.0, 0.0, 0.0, 0.0, 0.0, 30.0]
    saved = world.snapshot()
    world.step()
    first = numbers(box)
    world.restore(saved)
    world.step()
    assert_same(first, numbers(box))


def test_a_world_that_is_gone_has_brought_its_states() -> None:
    world, box = tumbling()
    seen, seen_box = tumbling()
    for _ in range(STEPS):
        world.step()
        seen.step()
        numbers(seen_box)
    del world
    gc.collect()
    assert_same(numbers(box), numbers(seen_box))


def test_a_skeleton_of_two_worlds_goes_on_from_the_last_one() -> None:
    def in_turn(look: bool) -> Any:
        first, box = tumbling()
        second = World([box], gravity=(1.0, 0.0, 0.0))
        for _ in range(STEPS):
            first.step()
            if look:
                numbers(box)
            second.step()
            second.step()
            if look:
                numbers(box)
        return numbers(box)

    assert_same(in_turn(False), in_turn(True))


def test_frames_tell_of_what_moved_before_anybody_looked() -> None:
    world, box = tumbling()
    frame = kido.SimpleFrame("tool", box.body(0))
    before = frame.transform()
    world.step()
    assert not np.array_equal(frame.transform(), before)


def test_a_failed_step_leaves_the_states_of_before() -> None:
    world, box = tumbling()
    for _ in range(STEPS):
        world.step()
    before = [copy.copy(row) for row in numbers(box)[:2]]
    box.commands = [0.0, 0.0, 0.0, 1e308, 1e308, 0.0]
    with pytest.raises(kido.errors.DivergedError):
        for _ in range(100):
            before = [copy.copy(row) for row in numbers(box)[:2]]
            world.step()
    assert_same(before, numbers(box)[:2])


@pytest.mark.parametrize("count", [1, 3])
def test_many_bodies_on_two_threads(count: int) -> None:
    def pile() -> World:
        boxes = [
            put(
                gallery.box((0.2, 0.2, 0.2), name=f"box{i}"),
                (0.3 * (i % 40), 0.3 * (i // 40), 0.12),
                (0.1, 0, 0),
            )
            for i in range(1040)
        ]
        return on_ground(*boxes)

    threads = kido.num_threads()
    try:
        kido.set_num_threads(2)
        world, seen = pile(), listened(pile())
        for _ in range(12 // count):
            world.step(count)
        kido.set_num_threads(1)
        for _ in range(12):
            seen.step()
    finally:
        kido.set_num_threads(threads)
    assert_same([numbers(s) for s in world.skeletons[1:]], [numbers(s) for s in seen.skeletons[1:]])
