"""Each type of joint by itself: its transform as its definition says, its motion subspace by differences."""

from __future__ import annotations

import numpy as np
import pytest
from _random_trees import JOINTS, Robot, along, assert_near, build, moving, rate
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from kido.description import JointDescription, JointType

EXACT = 1e-14
DIFFERENCE = 1e-9
SEEDS = range(3)

Array = NDArray[np.float64]
every_type = pytest.mark.parametrize(
    ("joint_type", "order"), JOINTS, ids=[f"{kind}-{order}" for kind, order in JOINTS]
)


def two_bodies(joint_type: JointType, order: str, seed: int) -> Robot:
    """A revolute joint that carries the joint in question, by offsets on both sides of both."""
    return build([(JointType.REVOLUTE, "xyz"), (joint_type, order)], [-1, 0], [False, False], seed)


def turn(axis: Array, angle: float) -> Array:
    T = np.eye(4)
    T[:3, :3] = Rotation.from_rotvec(angle * axis).as_matrix()
    return T


def shift(translation: Array) -> Array:
    T = np.eye(4)
    T[:3, 3] = translation
    return T


def motion(joint: JointDescription, q: Array) -> Array:
    """T(q) from the definition of the joint's type."""
    axes = joint.axes
    match joint.type:
        case JointType.WELD:
            return np.eye(4)
        case JointType.REVOLUTE:
            return turn(axes[0], q[0])
        case JointType.PRISMATIC:
            return shift(q[0] * axes[0])
        case JointType.SCREW:
            return turn(axes[0], q[0]) @ shift(joint.pitch * q[0] / (2.0 * np.pi) * axes[0])
        case JointType.UNIVERSAL:
            return turn(axes[0], q[0]) @ turn(axes[1], q[1])
        case JointType.EULER:
            T = np.eye(4)
            T[:3, :3] = Rotation.from_euler(joint.euler_order.upper(), q).as_matrix()
            return T
        case JointType.BALL:
            return turn(q, 1.0)
        case JointType.PLANAR:
            return shift(q[0] * axes[0] + q[1] * axes[1]) @ turn(np.cross(axes[0], axes[1]), q[2])
        case JointType.TRANSLATIONAL:
            return shift(q)
        case JointType.TRANSLATIONAL2D:
            return shift(q @ axes)
        case JointType.FREE:
            return shift(q[3:]) @ turn(q[:3], 1.0)


def twist(T: Array, T_rate: Array) -> Array:
    """Velocity (6,) of the child in child axes."""
    M = np.linalg.inv(T) @ T_rate
    return np.array([M[2, 1], M[0, 2], M[1, 0], *M[:3, 3]])


@every_type
@pytest.mark.parametrize("seed", SEEDS)
def test_transform_is_parent_offset_motion_and_inverse_child_offset(
    joint_type: JointType, order: str, seed: int
) -> None:
    robot = two_bodies(joint_type, order, seed)
    q = robot.positions()
    for joint in robot.description.joints:
        part = q[list(robot.tree.joint_dofs(joint.name))]
        expected = joint.T_parent_joint @ motion(joint, part) @ np.linalg.inv(joint.T_child_joint)
        assert_near(robot.tree.joint_transform(q, joint.name), expected, EXACT)


@every_type
@pytest.mark.parametrize("seed", SEEDS)
def test_motion_subspace_maps_velocity_to_the_twist_in_child_axes(
    joint_type: JointType, order: str, seed: int
) -> None:
    robot = two_bodies(joint_type, order, seed)
    tree, q = robot.tree, robot.positions()
    T = tree.joint_transform(q, 1)
    slopes = along(tree, q, lambda x: tree.joint_transform(x, 1))
    dofs = tree.joint_dofs("joint1")
    expected = np.array([twist(T, slopes[..., dof]) for dof in dofs]).reshape(len(dofs), 6).T
    assert_near(tree.motion_subspace(q, "joint1"), expected, DIFFERENCE)


@every_type
@pytest.mark.parametrize("seed", SEEDS)
def test_motion_subspace_derivative_is_that_of_every_element(
    joint_type: JointType, order: str, seed: int
) -> None:
    robot = two_bodies(joint_type, order, seed)
    tree, (q, v, a) = robot.tree, robot.state()
    path = moving(tree, q, v, a)
    expected = rate(lambda t: tree.motion_subspace(path(t)[0], 1))
    assert_near(tree.motion_subspace_derivative(q, v, 1), expected, DIFFERENCE)


@pytest.mark.parametrize("kind", [kind for kind in JointType if kind.num_dofs in (0, 1)] + [JointType.BALL])
def test_joints_whose_axes_stand_still_in_the_child_have_no_derivative(kind: JointType) -> None:
    robot = two_bodies(kind, "xyz", 0)
    q, v, _ = robot.state()
    assert_near(robot.tree.motion_subspace_derivative(q, v, 1), np.zeros((6, kind.num_dofs)), EXACT)


@pytest.mark.parametrize("kind", [JointType.BALL, JointType.FREE])
def test_ball_and_free_joints_have_the_childs_twist_as_velocity(kind: JointType) -> None:
    """Seen at the joint frame of the child, S is the identity of 3 or 6."""
    robot = two_bodies(kind, "xyz", 0)
    R, p = (robot.description.joint("joint1").T_child_joint[:3, part] for part in (slice(3), 3))
    S = robot.tree.motion_subspace(robot.positions(), 1)
    at_joint = np.concatenate([S[:3], S[3:] + np.cross(S[:3], p, axis=0)])
    expected = np.kron(np.eye(2), R)[:, : kind.num_dofs]
    assert_near(at_joint, expected, EXACT)


def test_transforms_of_a_joint_do_not_depend_on_other_joints() -> None:
    robot = two_bodies(JointType.FREE, "xyz", 1)
    q = robot.positions()
    other = q.copy()
    other[0] += 1.0
    assert (robot.tree.joint_transform(q, 1) == robot.tree.joint_transform(other, 1)).all()
    assert (robot.tree.motion_subspace(q, 1) == robot.tree.motion_subspace(other, 1)).all()


def test_a_screw_advances_by_its_pitch_in_a_turn() -> None:
    robot = two_bodies(JointType.SCREW, "xyz", 2)
    joint = robot.description.joint("joint1")
    T = robot.tree.joint_transform([0.0, 2.0 * np.pi], 1)
    expected = joint.T_parent_joint @ shift(joint.pitch * joint.axes[0]) @ np.linalg.inv(joint.T_child_joint)
    assert_near(T, expected, 1e-14)


def test_dofs_of_a_joint_stand_in_a_row_and_carry_its_name() -> None:
    robot = build(list(JOINTS), [-1] * len(JOINTS), [False] * len(JOINTS), 0)
    first = 0
    for joint in robot.description.joints:
        dofs = robot.tree.joint_dofs(joint.name)
        assert dofs == range(first, first + joint.num_dofs)
        assert all(robot.tree.dof_names[dof].startswith(joint.name) for dof in dofs)
        first += joint.num_dofs
    assert first == robot.tree.num_dofs == len(set(robot.tree.dof_names))
