"""What is changed after a snapshot of a world with soft bodies holds when the world goes back to it."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import numpy as np
import pytest

import kido
from kido.description import SoftSkin
from kido.errors import EditError

SIZE = 0.4
NUM_POINTS = 49

Change = Callable[[kido.SoftBodyNode], None]


def draped() -> tuple[kido.World, kido.SoftBodyNode]:
    """A cloth that lies on a box, some time after it met it."""
    robot = kido.Skeleton("cloth")
    pole = robot.add_body("pole", None, kido.WeldJoint(), inertia=kido.Inertia(0.0))
    sheet = SoftSkin.of_sheet((SIZE, SIZE), 0.2, divisions=(7, 7), edge_stiffness=300.0, radius=0.005)
    soft = kido.SoftBodyNode.add_skin(pole, sheet)
    soft.displacements = np.tile([0.0, 0.0, 0.45], (NUM_POINTS, 1))
    box = kido.gallery.box((0.2, 0.2, 0.3), mass=2.0)
    box.positions = (0.0, 0.0, 0.0, 0.0, 0.0, 0.15)
    world = kido.World([kido.gallery.ground(), box, robot])
    world.step(400)
    return world, soft


def soft_of(world: kido.World) -> kido.SoftBodyNode:
    body = world.skeletons[-1].bodies[0]
    assert isinstance(body, kido.SoftBodyNode)
    return body


def assert_same_points(world: kido.World, other: kido.World) -> None:
    ours, theirs = soft_of(world), soft_of(other)
    np.testing.assert_array_equal(ours.displacements, theirs.displacements)
    np.testing.assert_array_equal(ours.displacement_velocities, theirs.displacement_velocities)
    np.testing.assert_array_equal(ours.point_forces, theirs.point_forces)


def stiffen(soft: kido.SoftBodyNode) -> None:
    soft.edge_stiffness = 1e3


def damp(soft: kido.SoftBodyNode) -> None:
    soft.damping = 0.5


def freeze(soft: kido.SoftBodyNode) -> None:
    soft.freeze([0, 1, 2])


def pin(soft: kido.SoftBodyNode) -> None:
    soft.pin([0, 6, 48])


def pin_at_the_origin(soft: kido.SoftBodyNode) -> None:
    soft.pin([0], offsets=[[0.0, 0.0, 0.0]])


@pytest.mark.parametrize("change", [stiffen, damp, freeze, pin_at_the_origin])
@pytest.mark.parametrize("steps", [0, 30])
def test_a_material_that_is_changed_after_a_snapshot_holds(change: Change, steps: int) -> None:
    (world, soft), (other, others) = draped(), draped()
    snapshot = world.snapshot()
    change(soft)
    world.step(steps)
    world.restore(snapshot)
    change(others)
    copies = [pickle.loads(pickle.dumps(world)), world.clone()]
    for each in (world, other, *copies):
        each.step(50)
        assert_same_points(each, world)


def test_points_pinned_after_a_snapshot_stay_where_they_were_pinned() -> None:
    world, soft = draped()
    snapshot = world.snapshot()
    world.step(100)
    pin(soft)
    places = soft.point_positions()[[0, 6, 48]]
    world.restore(snapshot)
    assert np.abs(soft.point_positions()[[0, 6, 48]] - places).max() > 1e-3
    world.step()
    np.testing.assert_allclose(soft.point_positions()[[0, 6, 48]], places, atol=1e-6)


def test_a_world_that_goes_back_and_changed_nothing_has_the_same_bits() -> None:
    world, _ = draped()
    world.step(7)
    snapshot = world.snapshot()
    world.step(60)
    expected = world.clone()
    for _ in range(2):
        world.restore(snapshot)
        world.step(60)
        assert_same_points(world, expected)


def test_forces_on_points_go_back_and_travel() -> None:
    world, soft = draped()
    forces = np.tile([0.0, 0.0, 0.2], (NUM_POINTS, 1))
    soft.point_forces = forces
    world.step(10)
    snapshot = world.snapshot()
    copies = [pickle.loads(pickle.dumps(world)), world.clone()]
    moved = kido.World([soft.skeleton.clone()])
    np.testing.assert_array_equal(soft_of(moved).point_forces, forces)
    world.step(20)
    for copy in copies:
        copy.step(20)
        assert_same_points(copy, world)
    soft.point_forces = np.zeros((NUM_POINTS, 3))
    world.restore(snapshot)
    world.step(20)
    assert_same_points(world, copies[0])


def test_a_point_that_was_pinned_at_the_origin_alone_is_let_go() -> None:
    (world, soft), (other, _) = draped(), draped()
    pin_at_the_origin(soft)
    soft.unpin()
    for each in (world, other):
        each.step(20)
    assert_same_points(world, other)
    assert not soft.pin_forces.any()


def test_forces_of_a_state_have_one_row_a_point() -> None:
    _, soft = draped()
    state = soft.skin_node.state
    with pytest.raises(ValueError, match="49 points"):
        soft.skin_node.state = type(state)(state.displacements, state.velocities, forces=np.ones((3, 3)))


def test_what_the_last_step_did_travels() -> None:
    world, soft = draped()
    pin(soft)
    world.step(50)
    pickled, clone = pickle.loads(pickle.dumps(world)), world.clone()
    expected, audit = world.last_step(soft.skeleton).joint_wrenches, world.audit
    assert np.abs(expected).max() > 1e-4 and np.abs(soft.pin_forces).max() > 0.01
    for copy in (pickled, clone):
        np.testing.assert_array_equal(copy.last_step(copy.skeletons[-1]).joint_wrenches, expected)
        np.testing.assert_array_equal(soft_of(copy).pin_forces, soft.pin_forces)
        assert copy.audit.kinetic_energy_gain == audit.kinetic_energy_gain != 0.0
        assert copy.audit.potential_energy_gain == audit.potential_energy_gain != 0.0
        np.testing.assert_array_equal(copy.audit.momentum_gain, audit.momentum_gain)


def test_rollouts_of_points_that_frames_lead_are_refused_by_name_and_clones_go() -> None:
    world, soft = draped()
    hook = kido.SimpleFrame("hook")
    hook.relative_translation = (0.0, 0.0, 0.6)
    soft.pin([0], frame=hook)
    commands = np.zeros((2, 10, 6))
    with pytest.raises(EditError, match="points of 'pole' are pinned to a frame"):
        kido.rollout(world, commands)
    clone = world.clone()
    end = kido.rollout(clone, commands).positions[1, -1]
    clone.step(10)
    np.testing.assert_array_equal(end, clone.skeletons[1].positions)
