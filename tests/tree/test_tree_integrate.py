"""Motion on the joints' groups: integrate and difference."""

from __future__ import annotations

import numpy as np
import pytest
from _random_trees import Robot, assert_near, build, every_joint, rate, robots
from hypothesis import given
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from kido.description import JointType

EXACT = 1e-13


def ball() -> Robot:
    return build([(JointType.BALL, "xyz")], [-1], [False], 0)


def free() -> Robot:
    return build([(JointType.FREE, "xyz")], [-1], [False], 0)


def pose(q: np.ndarray) -> np.ndarray:
    T = np.eye(4)
    T[:3, :3] = Rotation.from_rotvec(q[:3]).as_matrix()
    T[:3, 3] = q[3:]
    return T


def vector_dofs(robot: Robot) -> np.ndarray:
    """Dofs of all joints but ball and free ones."""
    group = (JointType.BALL, JointType.FREE)
    kinds = [(robot.tree.joint_dofs(joint.name), joint.type) for joint in robot.description.joints]
    return np.array([dof for dofs, kind in kinds if kind not in group for dof in dofs], dtype=int)


@given(robots())
def test_difference_undoes_integrate(robot: Robot) -> None:
    tree, (q, v, _) = robot.tree, robot.state()
    assert_near(tree.difference(q, tree.integrate(q, v, 1.3)), 1.3 * v, EXACT)


@given(robots())
def test_integrate_undoes_difference_as_poses(robot: Robot) -> None:
    tree, q, other = robot.tree, robot.positions(), robot.positions()
    arrived = tree.integrate(q, tree.difference(q, other))
    assert_near(tree.forward_kinematics(arrived), tree.forward_kinematics(other), EXACT * 10)


@given(robots())
def test_no_motion_and_no_difference(robot: Robot) -> None:
    tree, q = robot.tree, robot.positions()
    assert_near(tree.integrate(q, np.zeros_like(q)), q, EXACT)
    assert_near(tree.difference(q, q), np.zeros_like(q), EXACT)


@given(robots())
def test_a_motion_in_two_parts_is_the_motion_in_one(robot: Robot) -> None:
    tree, (q, v, _) = robot.tree, robot.state()
    in_two = tree.integrate(tree.integrate(q, v, 0.4), v, 0.3)
    assert_near(
        tree.forward_kinematics(in_two), tree.forward_kinematics(tree.integrate(q, v, 0.7)), EXACT * 10
    )


@given(robots())
def test_the_way_back_is_the_opposite_velocity(robot: Robot) -> None:
    tree, q, other = robot.tree, robot.positions(), robot.positions()
    assert_near(tree.difference(other, q), -tree.difference(q, other), EXACT * 10)


@given(robots())
def test_integrate_moves_bodies_at_the_velocity_of_forward_kinematics(robot: Robot) -> None:
    tree, (q, v, _) = robot.tree, robot.state()
    motion = rate(lambda t: tree.forward_kinematics(tree.integrate(q, v, t))[:, :3, 3])
    assert_near(motion, tree.body_velocities(q, v, frame="world")[:, 3:], 1e-8)


def test_joints_that_are_no_groups_add() -> None:
    robot = every_joint()
    q, v, _ = robot.state()
    dofs = vector_dofs(robot)
    assert (robot.tree.integrate(q, v, 0.3)[dofs] == q[dofs] + v[dofs] * 0.3).all()
    assert (robot.tree.difference(q, v)[dofs] == v[dofs] - q[dofs]).all()


def test_dt_is_one_second_where_none_is_given() -> None:
    robot = free()
    q, v, _ = robot.state()
    assert (robot.tree.integrate(q, v) == robot.tree.integrate(q, v, 1.0)).all()


def test_a_ball_turns_about_axes_of_the_child() -> None:
    robot = ball()
    q, v, _ = robot.state()
    expected = Rotation.from_rotvec(q) * Rotation.from_rotvec(0.8 * v)
    assert_near(robot.tree.integrate(q, v, 0.8), expected.as_rotvec(), EXACT)


def test_a_free_body_moves_by_the_exponential_of_its_twist() -> None:
    robot = free()
    q, v, _ = robot.state()
    twist = np.zeros((4, 4))
    twist[:3, :3] = [[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]]
    twist[:3, 3] = v[3:]
    expected = pose(q) @ expm(0.8 * twist)
    assert_near(pose(robot.tree.integrate(q, v, 0.8)), expected, EXACT)


@pytest.mark.parametrize("angle", [0.0, 1e-12, 1e-8, 1e-5, 1e-3, 0.5, 3.0, np.pi - 1e-6, np.pi - 1e-10])
@pytest.mark.parametrize("start", [0.0, 1.0, 3.1])
def test_difference_is_right_from_no_angle_to_half_a_turn(angle: float, start: float) -> None:
    robot = free()
    axis = np.array([2.0, -1.0, 2.0]) / 3.0
    first = np.array([0.0, start, 0.0, 1.0, 2.0, 3.0])
    v = np.concatenate([angle * axis, [0.3, -0.2, 0.5]])
    got = robot.tree.difference(first, robot.tree.integrate(first, v))
    assert_near(got, v, 1e-9 if angle > 3.14159 else 1e-13)


@pytest.mark.parametrize("beyond", [1e-12, 1e-9, 1e-4, 0.1])
def test_rotation_vectors_turn_over_at_half_a_turn(beyond: float) -> None:
    robot = ball()
    arrived = robot.tree.integrate(np.array([3.0, 0.0, 0.0]), np.array([np.pi - 3.0 + beyond, 0.0, 0.0]))
    assert_near(arrived, [beyond - np.pi, 0.0, 0.0], 1e-13)


def test_half_a_turn_keeps_its_axis_up_to_sign() -> None:
    robot = ball()
    for axis in (*np.eye(3), np.array([0.6, -0.8, 0.0]), np.array([2.0, -1.0, 2.0]) / 3.0):
        arrived = robot.tree.integrate(np.zeros(3), np.pi * axis)
        assert np.linalg.norm(arrived) == pytest.approx(np.pi, abs=1e-12)
        assert_near(abs(arrived @ axis), np.pi, 1e-12)


def test_positions_of_several_turns_are_the_same_rotation() -> None:
    robot = ball()
    axis = np.array([2.0, -1.0, 2.0]) / 3.0
    for turns in (1, 5):
        q = (0.7 + 2.0 * np.pi * turns) * axis
        assert_near(robot.tree.transform(q, 0), robot.tree.transform(0.7 * axis, 0), 1e-13)
        assert_near(robot.tree.integrate(q, np.zeros(3)), 0.7 * axis, 1e-13)
