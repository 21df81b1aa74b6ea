"""Kinematics of random trees: poses by composition, Jacobians and their derivatives by finite differences."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from _random_trees import Robot, along, assert_near, every_joint, moving, rate, robots
from hypothesis import given

from kido import Tree

EXACT = 1e-12
DIFFERENCE = 1e-8
FRAMES = ("world", "body", "spatial")
frames = pytest.mark.parametrize("frame", FRAMES)


def twist_of(T: np.ndarray, T_rate: np.ndarray, frame: str) -> np.ndarray:
    """Spatial velocity (..., 6) of poses (..., 4, 4) that change at a rate (..., 4, 4)."""
    R, p = T[..., :3, :3], T[..., :3, 3]
    spin = T_rate[..., :3, :3] @ np.swapaxes(R, -1, -2)
    angular = np.stack([spin[..., 2, 1], spin[..., 0, 2], spin[..., 1, 0]], axis=-1)
    linear = T_rate[..., :3, 3]
    if frame == "spatial":
        linear = linear - np.cross(angular, p)
    if frame == "body":
        angular, linear = ((np.swapaxes(R, -1, -2) @ x[..., None])[..., 0] for x in (angular, linear))
    return np.concatenate([angular, linear], axis=-1)


def at_offset(T: np.ndarray, offset: np.ndarray) -> np.ndarray:
    shift = np.eye(4)
    shift[:3, 3] = offset
    return T @ shift


@given(robots())
def test_poses_are_products_of_the_joint_transforms(robot: Robot) -> None:
    tree, q = robot.tree, robot.positions()
    poses: dict[str | None, np.ndarray] = {None: np.eye(4)}
    for joint in robot.description.depth_first_joints():
        poses[joint.child] = poses[joint.parent] @ tree.joint_transform(q, joint.name)
    assert_near(tree.forward_kinematics(q), [poses[name] for name in tree.body_names], EXACT)


@given(robots())
def test_one_pose_is_that_of_all_bodies(robot: Robot) -> None:
    tree, q = robot.tree, robot.positions()
    poses = tree.forward_kinematics(q)
    for index, name in enumerate(tree.body_names):
        assert (tree.transform(q, name) == poses[index]).all()
        assert (tree.transform(q, index) == poses[index]).all()


@frames
@given(robot=robots())
def test_jacobian_is_the_derivative_of_the_pose(robot: Robot, frame: str) -> None:
    tree, q, body, offset = robot.tree, robot.positions(), robot.body(), robot.rng.uniform(-1.0, 1.0, 3)
    slopes = np.moveaxis(along(tree, q, lambda x: tree.transform(x, body)), -1, 0)
    T = at_offset(tree.transform(q, body), offset)
    expected = twist_of(T, at_offset(slopes, offset), frame).T
    assert_near(tree.jacobian(q, body, offset, frame), expected.reshape(6, tree.num_dofs), DIFFERENCE)


@frames
@given(robot=robots())
def test_velocity_is_jacobian_times_v(robot: Robot, frame: str) -> None:
    tree, (q, v, _), offset = robot.tree, robot.state(), robot.rng.uniform(-1.0, 1.0, 3)
    velocities = tree.body_velocities(q, v, frame=frame)
    for body in range(tree.num_bodies):
        assert_near(tree.jacobian(q, body, frame=frame) @ v, velocities[body], EXACT)
        assert_near(tree.velocity(q, v, body, frame=frame), velocities[body], EXACT)
        expected = tree.jacobian(q, body, offset, frame) @ v
        assert_near(tree.velocity(q, v, body, offset=offset, frame=frame), expected, EXACT)


@pytest.mark.parametrize(("frame", "classic"), list(product(FRAMES, (True, False))))
@given(robot=robots())
def test_acceleration_is_jacobian_times_a_plus_its_derivative_times_v(
    robot: Robot, frame: str, classic: bool
) -> None:
    tree, (q, v, a), offset = robot.tree, robot.state(), robot.rng.uniform(-1.0, 1.0, 3)
    accelerations = tree.body_accelerations(q, v, a, frame=frame, classic=classic)
    for body in range(tree.num_bodies):
        got = tree.acceleration(q, v, a, body, frame=frame, classic=classic)
        assert_near(got, accelerations[body], EXACT)
        J = tree.jacobian(q, body, offset, frame)
        dJ = tree.jacobian_derivative(q, v, body, offset, frame, classic=classic)
        got = tree.acceleration(q, v, a, body, offset=offset, frame=frame, classic=classic)
        assert_near(J @ a + dJ @ v, got, EXACT)


@pytest.mark.parametrize(("frame", "classic"), [("world", True), ("body", False), ("spatial", False)])
@given(robot=robots())
def test_jacobian_derivative_is_that_of_every_element(robot: Robot, frame: str, classic: bool) -> None:
    tree, (q, v, a), body = robot.tree, robot.state(), robot.body()
    offset, path = robot.rng.uniform(-1.0, 1.0, 3), moving(tree, q, v, a)
    expected = rate(lambda t: tree.jacobian(path(t)[0], body, offset, frame))
    assert_near(tree.jacobian_derivative(q, v, body, offset, frame, classic=classic), expected, DIFFERENCE)


@given(robots())
def test_classic_acceleration_is_the_second_derivative_of_position(robot: Robot) -> None:
    """In world axes; in body axes it is the same vector, turned."""
    tree, (q, v, a), body = robot.tree, robot.state(), robot.body()
    offset, path = robot.rng.uniform(-1.0, 1.0, 3), moving(tree, q, v, a)
    expected = rate(lambda t: tree.velocity(*path(t), body, offset=offset, frame="world"))
    assert_near(tree.acceleration(q, v, a, body, offset=offset, frame="world"), expected, DIFFERENCE)
    R = tree.transform(q, body)[:3, :3]
    turned = tree.acceleration(q, v, a, body, offset=offset, frame="body")
    assert_near(turned, np.concatenate([expected[:3] @ R, expected[3:] @ R]), DIFFERENCE)


@pytest.mark.parametrize("frame", ["body", "spatial"])
@given(robot=robots())
def test_spatial_acceleration_is_the_derivative_of_the_spatial_velocity(robot: Robot, frame: str) -> None:
    tree, (q, v, a), body = robot.tree, robot.state(), robot.body()
    offset, path = robot.rng.uniform(-1.0, 1.0, 3), moving(tree, q, v, a)
    expected = rate(lambda t: tree.velocity(*path(t), body, offset=offset, frame=frame))
    got = tree.acceleration(q, v, a, body, offset=offset, frame=frame, classic=False)
    assert_near(got, expected, DIFFERENCE)


@given(robots())
def test_columns_of_dofs_that_do_not_move_the_body_are_zero(robot: Robot) -> None:
    tree, (q, v, _), body = robot.tree, robot.state(), robot.body()
    joints = {joint.child: joint for joint in robot.description.joints}
    name: str | None = tree.body_names[body]
    moved_by: set[int] = set()
    while name is not None:
        moved_by.update(tree.joint_dofs(joints[name].name))
        name = joints[name].parent
    others = [dof for dof in range(tree.num_dofs) if dof not in moved_by]
    assert not tree.jacobian(q, body)[:, others].any()
    assert not tree.jacobian_derivative(q, v, body)[:, others].any()


def test_the_robot_of_every_joint_has_right_jacobians() -> None:
    robot = every_joint()
    tree, (q, v, a) = robot.tree, robot.state()
    path = moving(tree, q, v, a)
    slopes = np.moveaxis(along(tree, q, tree.forward_kinematics), -1, 0)
    poses = tree.forward_kinematics(q)
    for body in range(tree.num_bodies):
        expected = twist_of(poses[body], slopes[:, body], "world").T
        assert_near(tree.jacobian(q, body, frame="world"), expected, DIFFERENCE)
    expected = rate(lambda t: tree.body_velocities(*path(t), frame="world"))
    assert_near(tree.body_accelerations(q, v, a, frame="world"), expected, DIFFERENCE)


@given(robots())
def test_six_numbers_of_a_body_stand_in_its_own_axes_unless_asked_in_others(robot: Robot) -> None:
    """As those of a skeleton do: `skeleton.jacobian(body)`."""
    tree, (q, v, a), body = robot.tree, robot.state(), robot.body()
    T = tree.transform(q, body)
    slopes = np.moveaxis(along(tree, q, lambda x: tree.transform(x, body)), -1, 0)
    J = twist_of(T, slopes, "body").T.reshape(6, tree.num_dofs)
    assert_near(tree.jacobian(q, body), J, DIFFERENCE)
    assert_near(tree.velocity(q, v, body), J @ v, DIFFERENCE)
    assert_near(tree.body_velocities(q, v)[body], J @ v, DIFFERENCE)
    drift = tree.jacobian_derivative(q, v, body) @ v
    assert_near(tree.acceleration(q, v, a, body), J @ a + drift, DIFFERENCE)
    assert_near(tree.body_accelerations(q, v, a)[body], J @ a + drift, DIFFERENCE)
    assert_near(drift, np.concatenate([x @ T[:3, :3] for x in _world_drift(tree, q, v, body)]), EXACT)


def _world_drift(tree: Tree, q: np.ndarray, v: np.ndarray, body: int) -> np.ndarray:
    """Angular and linear acceleration (2, 3) that velocities alone bring, in world axes."""
    return (tree.jacobian_derivative(q, v, body, frame="world") @ v).reshape(2, 3)
