"""The table of joint types against the compiled joints: what each coordinate does, and how it is sampled."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from _random_trees import JOINTS, Robot, build
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation
from scipy.stats import kstest

from kido import Tree
from kido.description import Coordinate, JointType

ROUNDING = 1e-12
TURN = 2.0 * np.pi

Array = NDArray[np.float64]
every_type = pytest.mark.parametrize(
    ("kind", "order"), JOINTS, ids=[f"{kind}-{order}" for kind, order in JOINTS]
)


def one_joint(kind: JointType, order: str) -> Robot:
    return build([(kind, order)], [-1], [False], 4)


def angular(S: Array) -> Array:
    """Angular speed of the child by each velocity (num_dofs,) [-]."""
    return np.linalg.norm(S[:3], axis=0)


def leads_back(robot: Robot, q: Array, other: Array) -> bool:
    difference = robot.tree.joint_transform(other, 0) - robot.tree.joint_transform(q, 0)
    return bool(np.abs(difference).max(initial=0.0) < ROUNDING)


@every_type
def test_a_type_has_the_dofs_that_its_joints_are_compiled_to(kind: JointType, order: str) -> None:
    robot = one_joint(kind, order)
    assert robot.tree.motion_subspace(robot.positions(), 0).shape == (6, kind.num_dofs)
    assert robot.tree.num_dofs == len(robot.tree.dof_names) == kind.num_dofs


@every_type
def test_a_coordinate_is_a_length_where_the_child_moves_without_turning(kind: JointType, order: str) -> None:
    robot = one_joint(kind, order)
    S = robot.tree.motion_subspace(robot.positions(), 0)
    assert robot.tree.is_prismatic.tolist() == (angular(S) < ROUNDING).tolist()
    assert [c.unit for c in kind.spec.coordinates] == np.where(angular(S) < ROUNDING, "m", "rad").tolist()
    assert not robot.tree.is_prismatic.flags.writeable


@every_type
def test_a_coordinate_is_additive_where_its_velocity_is_the_rate_of_its_position(
    kind: JointType, order: str
) -> None:
    robot = one_joint(kind, order)
    q, v, _ = robot.state()
    added = np.abs(robot.tree.integrate(q, v, 0.5) - (q + 0.5 * v)) < ROUNDING
    assert [c.is_additive for c in kind.spec.coordinates] == added.tolist()


@every_type
def test_a_full_turn_leads_back_where_the_whole_cyclic_group_turns(kind: JointType, order: str) -> None:
    robot, spec = one_joint(kind, order), kind.spec
    q = robot.positions()
    for index, coordinate in enumerate(spec.coordinates):
        group = list(spec.cyclic_group(index))
        alone = q.copy()
        alone[index] += TURN
        assert leads_back(robot, q, alone) == (group == [index])
        if len(group) == 3:
            assert coordinate is Coordinate.ROTATION_VECTOR and index in group
            together = q.copy()
            together[group] *= 1.0 + TURN / np.linalg.norm(q[group])
            assert leads_back(robot, q, together)


@every_type
def test_positions_without_limits_are_drawn_as_far_as_each_coordinate_reaches(
    kind: JointType, order: str
) -> None:
    tree = one_joint(kind, order).tree
    drawn = tree.random_positions(np.random.default_rng(5), 2000)
    rotations = [first + i for first in kind.spec.rotation_vectors for i in range(3)]
    for index, coordinate in enumerate(kind.spec.coordinates):
        if index not in rotations:
            reach = 1.0 if coordinate.is_prismatic else np.pi
            assert kstest(drawn[:, index], "uniform", (-reach, 2.0 * reach)).pvalue > 1e-3
    for first in kind.spec.rotation_vectors:  # of uniform rotations, any axis is turned to any direction
        turned = Rotation.from_rotvec(drawn[:, first : first + 3]).as_matrix()
        assert all(kstest(turned[:, i, i], "uniform", (-1.0, 2.0)).pvalue > 1e-3 for i in range(3))


@every_type
def test_dofs_are_named_after_their_joint_with_the_endings_of_its_type(kind: JointType, order: str) -> None:
    tree = one_joint(kind, order).tree
    letters = [f"joint0_{letter}" for letter in order]
    if order[0] == order[2]:
        letters[2] += "2"
    expected = {
        JointType.WELD: [],
        JointType.UNIVERSAL: ["joint0_1", "joint0_2"],
        JointType.EULER: letters,
        JointType.BALL: ["joint0_x", "joint0_y", "joint0_z"],
        JointType.PLANAR: ["joint0_x", "joint0_y", "joint0_rot"],
        JointType.TRANSLATIONAL: ["joint0_x", "joint0_y", "joint0_z"],
        JointType.TRANSLATIONAL2D: ["joint0_1", "joint0_2"],
        JointType.FREE: [f"joint0_{part}_{axis}" for part in ("rot", "pos") for axis in "xyz"],
    }
    assert list(tree.dof_names) == expected.get(kind, ["joint0"])


def test_every_type_is_another_sequence_of_primitive_joints() -> None:
    assert len({kind.spec.primitives for kind in JointType}) == len(JointType)
    assert all(len(kind.spec.primitives) <= 7 for kind in JointType)


@pytest.mark.parametrize("code", [-1, 0x10, 0x0F, 0xF1, 0x0101FF01, 2**62])
def test_a_row_of_what_is_no_sequence_of_primitive_joints_is_refused(code: int) -> None:
    rows = one_joint(JointType.REVOLUTE, "xyz").tree._rows
    integers = rows.integers.copy()
    integers[0, 1] = code
    with pytest.raises(ValueError, match="unknown type of joint"):
        Tree(replace(rows, integers=integers), name="odd")
