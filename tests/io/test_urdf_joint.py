from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from kido.description import (
    Calibration,
    JointDynamics,
    JointLimits,
    JointType,
    Mimic,
    RobotDescription,
    Safety,
)
from kido.errors import ModelFileError, ModelWarning
from kido.io import read_urdf_string

Read = Callable[..., RobotDescription]
LIMIT = "<limit lower='-1' upper='2' velocity='3' effort='4'/>"
INF = math.inf


@pytest.mark.parametrize(
    ("kind", "joint_type"),
    [
        ("revolute", JointType.REVOLUTE),
        ("continuous", JointType.REVOLUTE),
        ("prismatic", JointType.PRISMATIC),
        ("fixed", JointType.WELD),
        ("floating", JointType.FREE),
        ("planar", JointType.PLANAR),
    ],
)
def test_every_type_of_urdf_is_read(read_joint: Read, kind: str, joint_type: JointType) -> None:
    joint = read_joint(kind).joint("j")
    assert (joint.type, joint.parent, joint.child) == (joint_type, "a", "b")


def test_origin_is_the_pose_of_the_joint_in_its_parent(read_joint: Read) -> None:
    joint = read_joint("fixed", "<origin xyz='1 2 3' rpy='0.4 -0.5 0.6'/>").joint("j")
    assert joint.T_parent_joint[:3, 3].tolist() == [1.0, 2.0, 3.0]
    expected = Rotation.from_euler("xyz", [0.4, -0.5, 0.6]).as_matrix()
    assert np.allclose(joint.T_parent_joint[:3, :3], expected, rtol=0.0, atol=1e-15)
    assert np.array_equal(joint.T_child_joint, np.eye(4))


@pytest.mark.parametrize("inside", ["", "<origin/>"])
def test_origin_defaults_to_the_identity(read_joint: Read, inside: str) -> None:
    assert np.array_equal(read_joint("fixed", inside).joint("j").T_parent_joint, np.eye(4))


@pytest.mark.parametrize(
    ("inside", "axis"),
    [
        ("", [1.0, 0.0, 0.0]),
        ("<axis/>", [1.0, 0.0, 0.0]),
        ("<axis xyz='0 -1 0'/>", [0.0, -1.0, 0.0]),
        ("<axis xyz='0 3 4'/>", [0.0, 0.6, 0.8]),
    ],
)
def test_axis_is_a_unit_vector_and_defaults_to_x(read_joint: Read, inside: str, axis: list[float]) -> None:
    assert np.allclose(read_joint("continuous", inside).joint("j").axes, [axis], rtol=1e-15)


def test_axis_of_a_planar_joint_is_its_normal(read_joint: Read) -> None:
    first, second = read_joint("planar", "<axis xyz='1 2 2'/>").joint("j").axes
    assert np.allclose(np.cross(first, second), np.array([1.0, 2.0, 2.0]) / 3.0, atol=1e-15)


@pytest.mark.parametrize("kind", ["fixed", "floating"])
def test_axis_of_joints_without_axis_is_ignored(read_joint: Read, kind: str) -> None:
    assert read_joint(kind, "<axis xyz='0 0 0'/>").joint("j").axes.shape == (0, 3)


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_limits_are_read(read_joint: Read, kind: str) -> None:
    assert read_joint(kind, LIMIT).joint("j").limits == JointLimits([-1.0], [2.0], [3.0], [4.0], [INF])


def test_continuous_joints_keep_only_velocity_and_effort_limits(read_joint: Read) -> None:
    robot = read_joint("continuous", LIMIT)
    assert robot.joint("j").limits == JointLimits([-INF], [INF], [3.0], [4.0], [INF])
    assert robot.diagnostics == ()


def test_missing_limit_is_diagnosed_and_unlimited(read_joint: Read) -> None:
    robot = read_joint("revolute")
    assert robot.joint("j").limits == JointLimits().for_dofs(1)
    assert [(d.kind, d.subject, d.line) for d in robot.diagnostics] == [("limit", "j", 4)]


def test_missing_bounds_are_zero_and_missing_magnitudes_unlimited(read_joint: Read) -> None:
    robot = read_joint("revolute", "<limit/>")
    assert robot.joint("j").limits == JointLimits([0.0], [0.0], [INF], [INF], [INF])
    assert [d.message.split(": ")[2] for d in robot.diagnostics] == ["lower", "upper", "velocity", "effort"]


def test_infinite_limits_are_no_limits(read_joint: Read) -> None:
    limit = "<limit lower='-inf' upper='inf' velocity='inf' effort='1e999'/>"
    assert read_joint("revolute", limit).joint("j").limits == JointLimits().for_dofs(1)


def test_zero_velocity_and_effort_are_kept_and_diagnosed(read_joint: Read) -> None:
    robot = read_joint("revolute", "<limit lower='-1' upper='2' velocity='0' effort='0'/>")
    assert robot.joint("j").limits.velocity == robot.joint("j").limits.effort == 0.0
    assert [d.kind for d in robot.diagnostics] == ["limit", "limit"]


def test_dynamics_are_read(read_joint: Read) -> None:
    joint = read_joint("continuous", "<dynamics damping='0.1' friction='0.2'/>").joint("j")
    assert joint.dynamics == JointDynamics([0.1], [0.2], [0.0], [0.0], [0.0])


def test_damping_of_a_floating_joint_holds_for_all_its_dofs(read_joint: Read) -> None:
    joint = read_joint("floating", "<dynamics damping='0.1'/>").joint("j")
    assert joint.dynamics.damping.tolist() == [0.1] * 6


LEADER = "<link name='c'/><joint name='k' type='continuous'><parent link='b'/><child link='c'/></joint>"


@pytest.mark.parametrize(
    ("attributes", "mimic"),
    [("", Mimic("k", 1.0, 0.0)), ("multiplier='-2' offset='0.5'", Mimic("k", -2.0, 0.5))],
)
def test_mimic_is_read(read_joint: Read, attributes: str, mimic: Mimic) -> None:
    robot = read_joint("continuous", f"<mimic joint='k' {attributes}/>", LEADER)
    assert robot.joint("j").mimic == mimic


def test_mimic_of_an_unknown_joint_is_left_out_with_a_warning() -> None:
    joint = "<joint name='j' type='continuous'><parent link='a'/><child link='b'/><mimic joint='x'/></joint>"
    with pytest.warns(ModelWarning, match="<joint name='j'>: mimic: left out: no joint named 'x'"):
        robot = read_urdf_string(f"<robot name='r'><link name='a'/><link name='b'/>{joint}</robot>")
    assert robot.joint("j").mimic is None
    assert [(d.kind, d.subject) for d in robot.diagnostics] == [("mimic", "j")]


@pytest.mark.parametrize(
    ("attributes", "calibration"),
    [
        ("rising='0.1'", Calibration(0.1, None)),
        ("falling='-0.1'", Calibration(None, -0.1)),
        ("reference_position='1'", Calibration()),
    ],
)
def test_calibration_is_read(read_joint: Read, attributes: str, calibration: Calibration) -> None:
    assert read_joint("continuous", f"<calibration {attributes}/>").joint("j").calibration == calibration


def test_safety_controller_is_read(read_joint: Read) -> None:
    text = "soft_lower_limit='-1' soft_upper_limit='2' k_position='3' k_velocity='4'"
    joint = read_joint("continuous", f"<safety_controller {text}/>").joint("j")
    assert joint.safety == Safety(-1.0, 2.0, 3.0, 4.0)


def test_what_is_not_given_is_none(read_joint: Read) -> None:
    joint = read_joint("continuous").joint("j")
    assert joint.mimic is joint.calibration is joint.safety is None


WRONG = [
    ("revolute", "<axis xyz='a b'/>", "axis: xyz: expected 3 finite numbers, got 'a b'"),
    ("revolute", "<axis xyz='0 0 0'/>", "axis: xyz: expected a nonzero vector, got 0 0 0"),
    ("planar", "<axis xyz='0 0 0'/>", "axis: xyz: expected a nonzero vector, got 0 0 0"),
    ("revolute", "<axis xyz='0 0 nan'/>", "axis: xyz: expected 3 finite numbers, got '0 0 nan'"),
    (
        "revolute",
        "<limit lower='1' upper='0' velocity='1' effort='1'/>",
        "limit: limits: expected lower <= upper",
    ),
    ("revolute", "<limit lower='x'/>", "limit: lower: expected a number, got 'x'"),
    ("revolute", "<limit lower='nan'/>", "limit: lower: expected a number, got 'nan'"),
    ("revolute", "<limit velocity='-1'/>", "limit: velocity: expected no negative number"),
    ("revolute", "<dynamics damping='-1'/>", "dynamics: damping: expected no negative number"),
    ("revolute", "<dynamics friction='inf'/>", "dynamics: friction: expected a finite number, got 'inf'"),
    ("revolute", "<mimic/>", "mimic: joint: expected a value, but it is missing"),
    ("revolute", "<mimic joint='j' offset='x'/>", "mimic: offset: expected a finite number, got 'x'"),
    ("revolute", "<calibration rising='x'/>", "calibration: rising: expected a finite number, got 'x'"),
    (
        "revolute",
        "<safety_controller k_velocity='x'/>",
        "safety_controller: k_velocity: expected a finite number",
    ),
    ("fixed", "<origin xyz='0 0'/>", "origin: xyz: expected 3 finite numbers, got '0 0'"),
]


@pytest.mark.parametrize(("kind", "inside", "message"), WRONG)
def test_wrong_joints_name_line_and_element(read_joint: Read, kind: str, inside: str, message: str) -> None:
    with pytest.raises(ModelFileError) as caught:
        read_joint(kind, inside)
    assert message in caught.value.message
    assert caught.value.element == "<joint name='j'>"
    assert caught.value.line == 5


def test_unknown_types_list_the_known_ones(read_joint: Read) -> None:
    expected = (
        "<joint name='j'>: type: expected one of revolute, continuous, prismatic, fixed, floating, planar"
    )
    with pytest.raises(ModelFileError, match=f"<string>:4: {expected}, got 'hinge'"):
        read_joint("hinge")


@pytest.mark.parametrize(
    ("joint", "message"),
    [
        ("<joint type='fixed'><parent link='a'/><child link='b'/></joint>", "name: expected a value"),
        ("<joint name='j'><parent link='a'/><child link='b'/></joint>", "type: expected a value"),
        ("<joint name='j' type='fixed'><child link='b'/></joint>", "expected a <parent> element, got none"),
        ("<joint name='j' type='fixed'><parent link='a'/></joint>", "expected a <child> element, got none"),
        ("<joint name='j' type='fixed'><parent/><child link='b'/></joint>", "parent: link: expected a value"),
        (
            "<joint name='j' type='fixed'><parent link='a'/><child link=''/></joint>",
            "child: link: expected a value",
        ),
    ],
)
def test_missing_parts_are_named(read_body: Read, joint: str, message: str) -> None:
    with pytest.raises(ModelFileError, match=message) as caught:
        read_body(f"<link name='a'/><link name='b'/>\n{joint}")
    assert caught.value.line == 3


@pytest.mark.parametrize(
    ("follower", "leader"), [("revolute", "fixed"), ("planar", "revolute"), ("floating", "floating")]
)
def test_a_mimic_that_no_joint_can_follow_is_left_out_and_noted(
    read_body: Read, follower: str, leader: str
) -> None:
    ends = "<parent link='a'/><child link='b'/>"
    mimic = f"<joint name='j' type='{follower}'>{ends}<mimic joint='k'/></joint>"
    other = f"<joint name='k' type='{leader}'><parent link='a'/><child link='c'/></joint>"
    robot = read_body(f"<link name='a'/><link name='b'/><link name='c'/>{mimic}{other}")
    assert robot.joint("j").mimic is None
    (note,) = [d for d in robot.diagnostics if d.kind == "mimic"]
    assert f"left out: a {follower} joint cannot follow 'k', a {leader} joint" in note.message
