"""What is changed in soft bodies while they are recorded is done again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from _effort import examples
from _soft_bodies import soft_body
from _worlds import assert_same_course

import kido
from kido import World
from kido.description import SoftSkin
from kido.errors import RecordingError
from kido.world import Sleeping

Act = Callable[[kido.SoftBodyNode, np.random.Generator], None]


def resting() -> World:
    """A soft cube on the ground, and a cloth that hangs on a body without dofs and touches it."""
    cube = soft_body(place=(0.0, 0.0, 0.25), vertex_stiffness=150.0, edge_stiffness=300.0)
    cloth = kido.Skeleton("cloth")
    pole = cloth.add_body("pole", None, kido.WeldJoint(), inertia=kido.Inertia(0.0))
    sheet = SoftSkin.of_sheet((0.6, 0.6), 0.1, divisions=(4, 4), edge_stiffness=200.0, radius=0.005)
    kido.SoftBodyNode.add_skin(pole, sheet).displacements = np.tile([0.0, 0.0, 0.5], (16, 1))
    return World([kido.gallery.ground(), cube, cloth], time_step=2e-3)


def softs_of(world: World) -> list[kido.SoftBodyNode]:
    found = [body for skeleton in world.skeletons[1:] for body in skeleton.bodies]
    assert all(isinstance(body, kido.SoftBodyNode) for body in found)
    return found  # type: ignore[return-value]


def push_points(soft: kido.SoftBodyNode, random: np.random.Generator) -> None:
    soft.point_forces = 0.3 * random.normal(size=(soft.num_points, 3))


def displace(soft: kido.SoftBodyNode, random: np.random.Generator) -> None:
    soft.displacements = soft.displacements + 1e-3 * random.normal(size=(soft.num_points, 3))


def shake(soft: kido.SoftBodyNode, random: np.random.Generator) -> None:
    soft.displacement_velocities = 0.1 * random.normal(size=(soft.num_points, 3))


def stiffen(soft: kido.SoftBodyNode, random: np.random.Generator) -> None:
    soft.edge_stiffness = float(random.uniform(100.0, 1000.0))


def damp(soft: kido.SoftBodyNode, random: np.random.Generator) -> None:
    soft.damping = float(random.uniform(0.1, 3.0))


def freeze(soft: kido.SoftBodyNode, random: np.random.Generator) -> None:
    soft.unpin()
    soft.freeze([int(random.integers(soft.num_points))])


def free(soft: kido.SoftBodyNode, random: np.random.Generator) -> None:
    soft.free()


def pin(soft: kido.SoftBodyNode, random: np.random.Generator) -> None:
    soft.free()
    soft.pin([int(random.integers(soft.num_points))])


def unpin(soft: kido.SoftBodyNode, random: np.random.Generator) -> None:
    soft.unpin()


def lighten(soft: kido.SoftBodyNode, random: np.random.Generator) -> None:
    soft.gravity_mode = not soft.gravity_mode


def change_friction(soft: kido.SoftBodyNode, random: np.random.Generator) -> None:
    soft.skin_node.surface = kido.Surface(friction=float(random.uniform(0.1, 1.0)))


def push(soft: kido.SoftBodyNode, random: np.random.Generator) -> None:
    soft.add_external_force(random.normal(size=3))


ACTS = [
    push,
    push_points,
    displace,
    shake,
    stiffen,
    damp,
    freeze,
    free,
    pin,
    unpin,
    lighten,
    change_friction,
]


def assert_same_points(one: World, other: World) -> None:
    for ours, theirs in zip(softs_of(one), softs_of(other), strict=True):
        for what in ("displacements", "displacement_velocities", "point_forces", "pinned", "frozen"):
            np.testing.assert_array_equal(getattr(ours, what), getattr(theirs, what), err_msg=what)
        assert ours.skin == theirs.skin


def assert_had_again(recording: kido.Recording, kept: list[World]) -> None:
    assert recording.notes == ()
    for clone in kept:
        found = recording.world_at(clone.time)
        assert found.num_steps == clone.num_steps
        assert_same_points(found, clone)
        assert_same_course(found, clone.clone(), steps=10)


def record(
    acts: list[Act], path: Path | None, interval: float, seed: int = 0
) -> tuple[kido.Recorder, list[World]]:
    """A run in which some of the acts are done to both soft bodies, and what the world was like meanwhile."""
    world, random, kept = resting(), np.random.default_rng(seed), []
    world.sleeping = Sleeping(after=0.05) if seed % 2 else None
    with kido.record(world, path, keyframe_interval=interval) as recording:
        for k in range(24):
            if k % 4 == 3:
                for soft in softs_of(world):
                    acts[random.integers(len(acts))](soft, random)
            world.step(7)
            if k % 6 == 5:
                kept.append(world.clone())
    return recording, kept


@pytest.mark.parametrize("act", ACTS)
def test_what_is_done_to_a_soft_body_is_done_again(act: Act) -> None:
    recording, kept = record([act], None, 1.0)
    assert_had_again(recording, kept)


@pytest.mark.parametrize("trusted", [False, True])
@pytest.mark.parametrize("interval", [0.05, 1.0])
def test_files_have_it_too(trusted: bool, interval: float, tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    _, kept = record(ACTS, path, interval)
    assert_had_again(kido.load_recording(path, trusted=trusted), kept)


@pytest.mark.parametrize("seed", range(1, examples(4)))
@pytest.mark.parametrize("interval", [0.03, 1.0])
def test_random_runs_are_had_again(seed: int, interval: float) -> None:
    recording, kept = record(ACTS, None, interval, seed)
    assert_had_again(recording, kept)


def test_worlds_at_keyframes_have_their_points() -> None:
    world = resting()
    with kido.record(world, keyframe_interval=0.02) as recording:
        world.step(100)
        clone = world.clone()
        world.step(3)
    assert_same_points(recording.world_at(clone.time), clone)
    assert_same_points(recording.world_at(recording.end_time), world)


def test_points_are_had_where_a_platform_was_moved_by_hand(tmp_path: Path) -> None:
    lift = kido.Skeleton("lift")
    plate = lift.add_body("plate", joint=kido.PrismaticJoint("slide", (0, 0, 1)))
    kido.ShapeNode(plate, "plate", kido.shape.Box((2, 2, 0.1)))
    lift.mobile = False
    world = World([lift, *resting().skeletons[1:]], time_step=2e-3)
    kept = []
    with kido.record(world, tmp_path / "run.h5", keyframe_interval=10.0):
        for k in range(80):
            lift.positions = [0.0005 * k]
            world.step()
            if k % 20 == 13:
                kept.append(world.clone())
    for trusted in (False, True):
        assert_had_again(kido.load_recording(tmp_path / "run.h5", trusted=trusted), kept)


@pytest.mark.parametrize("act", [push_points, displace, shake, stiffen, pin])
def test_what_is_set_between_an_edit_and_the_first_step_after_it_is_had(act: Act) -> None:
    world, random = resting(), np.random.default_rng(0)
    with kido.record(world) as recording:
        world.step()
        world.gravity = (0.0, 0.0, -9.0)
        world.step(0)  # which begins a part
        for soft in softs_of(world):
            act(soft, random)
        world.step()
        clone = world.clone()
        world.step()
    assert_had_again(recording, [clone])


def test_points_that_moved_otherwise_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = resting()
    world = World([whole.skeletons[2]])  # which has no dofs
    with kido.record(world, keyframe_interval=10.0) as recording:
        world.step(20)
        displace(softs_of(whole)[1], np.random.default_rng(0))
        world.step(80)
    recording.world_at(0.1)
    monkeypatch.setattr(type(softs_of(whole)[1].skin_node), "_set_numbers", lambda self, numbers: None)
    with pytest.raises(RecordingError, match="differ from what was recorded"):
        recording.world_at(0.1)
