"""Closed forms of robots from model files."""

from __future__ import annotations

import numpy as np
import pytest
from _arms import apart

import kido
from _robots import robot
from kido.errors import UnknownNameError
from kido.ik import ClosedForm

UR5 = "ur_description/urdf/ur5_robot.urdf"
PANDA = "panda_description/urdf/panda.urdf"
TALOS = "talos_data/robots/talos_reduced.urdf"
PR2 = "pr2_description/urdf/pr2.urdf"

ROBOTS = [
    pytest.param(UR5, "tool0", None, "three parallel axes", id="ur5"),
    pytest.param("ur_description/urdf/ur10_robot.urdf", "ee_link", None, "three parallel axes", id="ur10"),
    pytest.param(
        "kinova_description/robots/kinova.urdf", "j2s6s200_end_effector", None, "spherical wrist", id="kinova"
    ),
    pytest.param(PANDA, "panda_hand", None, "spherical shoulder", id="panda"),
    pytest.param("xarm_description/urdf/xarm7.urdf", "link_eef", None, "spherical shoulder", id="xarm7"),
    pytest.param("z1_description/urdf/z1.urdf", "link06", None, "three parallel axes", id="z1"),
    pytest.param(TALOS, "arm_left_7_link", "torso_2_link", "spherical wrist", id="talos"),
    pytest.param(PR2, "r_gripper_tool_frame", "torso_lift_link", "spherical wrist", id="pr2"),
    pytest.param(
        "tiago_description/robots/tiago.urdf",
        "arm_tool_link",
        "torso_lift_link",
        "spherical wrist",
        id="tiago",
    ),
]


def positions_of(tree: kido.Tree, form: ClosedForm, rng: np.random.Generator) -> np.ndarray:
    q = rng.uniform(-1.0, 1.0, tree.num_dofs)
    q[list(form.dofs)] = rng.uniform(-3.0, 3.0, len(form.dofs))
    return q


def inverse(T: np.ndarray) -> np.ndarray:
    R = T[:3, :3].T
    return np.block([[R, -R @ T[:3, 3:]], [np.zeros((1, 3)), np.ones((1, 1))]])


@pytest.mark.parametrize(("file", "body", "base", "family"), ROBOTS)
def test_the_arm_of_a_robot_is_solved_in_the_coordinates_of_its_base(
    file: str, body: str, base: str | None, family: str
) -> None:
    tree = robot(file)
    point = np.eye(4)
    point[:3, 3] = [0.01, -0.02, 0.05]
    form = ClosedForm(tree, body, base=base, point=point)
    assert form.family == family
    rng = np.random.default_rng(1)
    chain = list(form.dofs)
    for _ in range(20):
        q = positions_of(tree, form, rng)
        T_world_base = np.eye(4) if base is None else tree.transform(q, base)
        target = inverse(T_world_base) @ tree.transform(q, body) @ point
        positions, reached, _ = form.solve(target, near=q[chain])
        assert reached
        assert apart(positions, q[chain]).min() < 1e-6
        every = np.tile(q, (len(positions), 1))
        every[:, chain] = positions
        goal = T_world_base @ target
        assert np.abs(tree.transform(every, body) @ point - goal).max() < (1e-12 if form.exact else 1e-9)


def test_dofs_are_those_on_the_way_and_one_may_be_held_by_name() -> None:
    tree = robot(PANDA)
    form = ClosedForm(tree, "panda_hand", locked_dof="panda_joint5")
    assert form.dofs == (0, 1, 2, 3, 4, 5, 6)
    assert form.locked_dof == 4
    assert form.family == "spherical shoulder"
    assert "7 joints, spherical shoulder" in repr(form)


def test_more_than_seven_joints_have_no_form() -> None:
    form = ClosedForm(robot(PANDA), "panda_leftfinger")
    assert form.family is None
    assert form.reason == "expected 1 to 7 joints, got 8"
    assert "got 8" in repr(form)


def test_few_joints_that_neither_turn_first_nor_stay_in_a_plane_have_no_form() -> None:
    form = ClosedForm(robot(UR5), "forearm_link")
    assert form.family is None
    assert "of 3 joints" in form.reason
    with pytest.raises(ValueError, match="no closed form: of 3 joints"):
        form.solve(np.eye(4))


def test_names_that_do_not_fit_are_refused() -> None:
    tree = robot(PANDA)
    with pytest.raises(UnknownNameError):
        ClosedForm(tree, "no such body")
    with pytest.raises(UnknownNameError):
        ClosedForm(tree, "panda_hand", locked_dof="no such dof")
    with pytest.raises(ValueError, match="base: expected a body on the way"):
        ClosedForm(tree, "panda_link3", base="panda_hand")
    with pytest.raises(ValueError, match="locked_dof: expected a dof that moves 'panda_hand'"):
        ClosedForm(tree, "panda_hand", locked_dof="panda_finger_joint1")
    with pytest.raises(ValueError, match="locked_dof: expected None for 6 joints"):
        ClosedForm(robot(UR5), "tool0", locked_dof="elbow_joint")
    with pytest.raises(ValueError, match=r"point: expected shape \(4, 4\) \[m\]"):
        ClosedForm(tree, "panda_hand", point=np.eye(3))
