"""Arms, gripper and hand."""

from __future__ import annotations

import numpy as np
import pytest

import kido
from kido import gallery
from kido.errors import NameTakenError


def drift(body: kido.BodyNode, point: np.ndarray, frame: kido.Frame | None, joints: tuple[str, ...]) -> float:
    """Distance that a point (3,) of a body moves in a frame while the joints take random positions [m]."""
    robot = body.skeleton
    T = body.transform(relative_to=frame)
    before = T[:3, :3] @ point + T[:3, 3]
    rng = np.random.default_rng(8)
    robot.positions = {name: rng.uniform(-1.5, 1.5) for name in joints}
    T = body.transform(relative_to=frame)
    return float(np.linalg.norm(T[:3, :3] @ point + T[:3, 3] - before))


@pytest.mark.parametrize("name", ["arm", "arm7", "hand"])
def test_motors_can_hold_the_arm_where_it_starts(name: str) -> None:
    robot = gallery.make(name)
    assert (np.abs(robot.gravity_forces) < 0.5 * robot.force_upper_limits).all()
    np.testing.assert_array_equal(robot.force_lower_limits, -robot.force_upper_limits)


@pytest.mark.parametrize("name", ["arm", "arm7", "hand"])
def test_motors_can_hold_the_arm_stretched_out(name: str) -> None:
    robot = gallery.make(name)
    stretched = {"shoulder": np.pi / 2, "elbow": -np.pi / 2} if name == "arm" else {"joint_2": np.pi / 2}
    robot.positions = np.zeros(robot.num_dofs)
    robot.positions = stretched
    assert (np.abs(robot.gravity_forces) < robot.force_upper_limits).all()


def test_the_arm_reaches_as_far_as_it_says() -> None:
    robot = gallery.arm()
    tool = robot.end_effector("tool")
    robot.positions = np.zeros(6)
    np.testing.assert_allclose(tool.transform()[:3, 3], [0.5, 0.0, 0.12 + 0.2 + 0.4], atol=1e-14)
    np.testing.assert_allclose(tool.transform()[:3, :3], np.eye(3), atol=1e-14)
    robot.positions = {"shoulder": np.pi / 2, "elbow": -np.pi / 2}
    np.testing.assert_allclose(tool.transform()[:3, 3], [0.9, 0.0, 0.32], atol=1e-14)


def test_arms_start_with_the_tool_down_and_not_singular() -> None:
    for robot, column in ((gallery.arm(), 0), (gallery.arm7(), 2)):
        tool = robot.end_effector("tool")
        np.testing.assert_allclose(tool.transform()[:3, column], [0.0, 0.0, -1.0], atol=1e-12)
        assert np.linalg.svd(robot.jacobian(tool), compute_uv=False)[5] > 0.05


def test_the_axes_of_the_wrist_of_the_arm_meet_in_a_point() -> None:
    robot = gallery.arm()
    center = np.zeros(3)
    assert drift(robot.body("pitch"), center, None, ("wrist_roll", "wrist_pitch", "flange_roll")) < 1e-14
    assert drift(robot.body("flange"), center, None, ("wrist_roll", "wrist_pitch", "flange_roll")) < 1e-14
    assert drift(robot.body("flange"), center, None, ("elbow",)) > 0.1


def test_shoulder_and_wrist_of_the_seven_axis_arm_are_points() -> None:
    robot = gallery.arm7()
    forearm = robot.body("link_4")
    assert drift(robot.body("link_3"), np.zeros(3), None, ("joint_1", "joint_2", "joint_3")) > 0.01
    shoulder = np.array([0.0, 0.0, -0.2])  # in link 3, whose origin is half way to the elbow
    assert drift(robot.body("link_3"), shoulder, None, ("joint_1", "joint_2", "joint_3")) < 1e-14
    assert (
        drift(robot.body("link_7"), np.array([0.0, 0.0, -0.08]), forearm, ("joint_5", "joint_6", "joint_7"))
        < 1e-14
    )


def test_the_seven_axis_arm_points_up_at_zero() -> None:
    robot = gallery.arm7()
    robot.positions = np.zeros(7)
    np.testing.assert_allclose(
        robot.end_effector("tool").transform()[:3, 3], [0.0, 0.0, 0.34 + 0.92], atol=1e-14
    )
    robot.positions = {"joint_2": 0.5}
    assert robot.end_effector("tool").transform()[0, 3] > 0.4


def test_the_elbow_of_the_seven_axis_arm_can_move_while_the_tool_stays() -> None:
    robot = gallery.arm7()
    tool, elbow = robot.end_effector("tool"), robot.body("link_4")
    J = robot.jacobian(tool)
    motion = np.linalg.svd(J)[2][-1]
    robot.velocities = motion
    np.testing.assert_allclose(tool.spatial_velocity(), 0.0, atol=1e-12)
    assert np.linalg.norm(elbow.linear_velocity()) > 0.05


def test_the_gripper_opens_by_the_sum_of_its_positions() -> None:
    robot = gallery.gripper()
    left, right = robot.body("left_finger"), robot.body("right_finger")
    for q in (0.0, 0.013, 0.04):
        robot.positions = [q, q]
        gap = left.transform()[1, 3] - right.transform()[1, 3]
        np.testing.assert_allclose(gap, 2.0 * q, atol=1e-15)
        np.testing.assert_allclose(robot.com()[1], 0.0, atol=1e-15)


def test_one_finger_of_the_gripper_follows_the_other() -> None:
    follower = gallery.gripper().joint("right_slide")
    assert follower.actuator is kido.ActuatorType.MIMIC
    assert follower.mimic is not None
    assert (follower.mimic.joint, follower.mimic.multiplier, follower.mimic.offset) == (
        "left_slide",
        1.0,
        0.0,
    )


def test_the_gripper_can_be_mounted_on_an_arm() -> None:
    robot, tool = gallery.arm7(), gallery.gripper()
    flange = robot.end_effector("tool").relative_transform
    tool.body("gripper").move_to(robot.body("link_7"), joint=kido.WeldJoint("mount_2", T_parent_joint=flange))
    assert tool.num_bodies == 0
    assert robot.num_dofs == 9
    np.testing.assert_allclose(
        robot.end_effector("grasp").transform(relative_to=robot.end_effector("tool"))[:3, 3],
        [0.0, 0.0, 0.1175],
        atol=1e-14,
    )
    with pytest.raises(NameTakenError):
        robot.add_body("gripper")


def test_asking_for_the_palm_computes_seven_of_sixteen_links() -> None:
    robot = gallery.hand()
    assert robot.tree.num_links == 16
    robot.positions = robot.positions + 0.1
    before = robot.kinematics_counts()[0]
    robot.body("palm").transform()
    assert robot.kinematics_counts()[0] - before == 7
    robot.compute_forward_kinematics()
    assert robot.kinematics_counts()[0] - before == 16


def test_the_fingers_close_around_the_grasp() -> None:
    robot = gallery.hand()
    grasp = robot.end_effector("grasp")
    fingers = ("thumb", "index", "ring")
    reach = []
    for angle in (0.1, 0.2, 0.3):
        robot.positions = {
            f"{finger}_{link}_joint": 0.0 for finger in fingers for link in ("middle", "distal")
        }
        robot.positions = {f"{finger}_proximal_joint": angle for finger in fingers}
        tips = [robot.end_effector(f"{finger}_tip").transform(relative_to=grasp)[:3, 3] for finger in fingers]
        reach.append([np.linalg.norm(tip[:2]) for tip in tips])
    assert (np.diff(reach, axis=0) < 0.0).all()
    np.testing.assert_allclose(tips[1] * [1.0, -1.0, 1.0], tips[2], atol=1e-14)
