"""Closed forms of robots with prismatic joints from URDF files, beside Pinocchio's kinematics."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

import kido
from kido.ik import ClosedForm

Joint = tuple[str, str, str, str]

MACHINES: dict[str, tuple[list[Joint], str]] = {
    "gantry": (
        [
            ("prismatic", "1 0 0", "0 0 2", "0 0 0"),
            ("prismatic", "0 1 0", "0.1 0 0.2", "0 0 0"),
            ("prismatic", "0 0 -1", "0 0.1 -0.3", "0 0 0"),
            ("continuous", "0 0 1", "0 0 -0.4", "3.141592653589793 0 0"),
            ("revolute", "0 1 0", "0 0 0.2", "0 0 0"),
            ("revolute", "0 0 1", "0.05 0 0.1", "0 0 0.3"),
        ],
        "gantry",
    ),
    "scara": (
        [
            ("revolute", "0 0 1", "0 0 0.3", "0 0 0"),
            ("revolute", "0 0 1", "0.35 0 0.05", "0 0 0"),
            ("prismatic", "0 0 -1", "0.3 0 0", "0 0 0"),
            ("continuous", "0 0 1", "0 0 -0.1", "3.141592653589793 0 0"),
        ],
        "SCARA",
    ),
    "stanford": (
        [
            ("revolute", "0 0 1", "0 0 0.4", "0 0 0"),
            ("revolute", "0 1 0", "0 0.15 0", "0 0 0"),
            ("prismatic", "0 0 1", "0 0 0.2", "0 0 0.4"),
            ("revolute", "0 0 1", "0 0 0.3", "0 0 0"),
            ("revolute", "1 0 0", "0 0 0", "0 0 0"),
            ("revolute", "0 0 1", "0 0 0.1", "0 0 0"),
        ],
        "spherical wrist",
    ),
    "rail": (
        [
            ("prismatic", "0 1 0", "0 0 0.1", "0 0 0"),
            ("revolute", "0 0 1", "0 0 0.3", "0 0 0"),
            ("revolute", "0 1 0", "0.1 0 0.2", "0 0 0"),
            ("revolute", "0 1 0", "0 0 0.5", "0 0 0"),
            ("revolute", "1 0 0", "0.4 0 0.05", "0 0 0"),
            ("revolute", "0 1 0", "0 0 0", "0 0 0"),
            ("revolute", "1 0 0", "0.1 0 0", "0 0 0"),
        ],
        "spherical wrist",
    ),
}


def urdf_of(joints: list[Joint]) -> str:
    links = "".join(f'<link name="l{k}"/>' for k in range(len(joints) + 1))
    parts = [
        f'<joint name="j{k}" type="{kind}"><parent link="l{k}"/><child link="l{k + 1}"/>'
        f'<origin xyz="{xyz}" rpy="{rpy}"/><axis xyz="{axis}"/>'
        '<limit lower="-3" upper="3" effort="1" velocity="1"/></joint>'
        for k, (kind, axis, xyz, rpy) in enumerate(joints)
    ]
    return f'<robot name="machine">{links}{"".join(parts)}</robot>'


class Reference:
    """Pinocchio's forward kinematics of the same text, with plain angles."""

    def __init__(self, urdf: str) -> None:
        self.model = pin.buildModelFromXML(urdf)
        self.data = self.model.createData()

    def pose(self, positions: np.ndarray) -> np.ndarray:
        q = np.zeros(self.model.nq)
        for joint, x in zip(self.model.joints[1:], positions, strict=True):
            q[joint.idx_q : joint.idx_q + joint.nq] = x if joint.nq == 1 else [np.cos(x), np.sin(x)]
        pin.framesForwardKinematics(self.model, self.data, q)
        return self.data.oMf[self.model.nframes - 1].homogeneous


@pytest.mark.parametrize("name", MACHINES)
def test_a_machine_from_a_file_is_solved_as_pinocchio_moves_it(name: str, tmp_path: Path) -> None:
    joints, family = MACHINES[name]
    path = tmp_path / f"{name}.urdf"
    path.write_text(urdf_of(joints))
    reference = Reference(urdf_of(joints))
    form = ClosedForm(kido.load_tree(path), f"l{len(joints)}")
    assert form.family == family
    is_prismatic = np.array([kind == "prismatic" for kind, *_ in joints])
    assert form.is_prismatic == tuple(is_prismatic)
    assert form.locked_dof == (0 if name == "rail" else None)
    rng = np.random.default_rng(1)
    for q in np.where(
        is_prismatic, rng.uniform(-1, 1, (30, len(joints))), rng.uniform(-3, 3, (30, len(joints)))
    ):
        target = reference.pose(q)
        positions, reached, _ = form.solve(target, near=q)
        assert reached
        assert np.abs(positions - q).max(axis=1).min() < 1e-9
        for x in positions:
            np.testing.assert_allclose(reference.pose(x), target, atol=1e-12)


def test_a_joint_that_turns_and_slides_has_no_form() -> None:
    robot = kido.Skeleton("screw")
    robot.add_body("nut", None, kido.ScrewJoint("thread"))
    form = ClosedForm(robot.tree, "nut")
    assert form.family is None
    assert form.reason == "a joint between base and body is neither revolute nor prismatic"
    assert form.is_prismatic == ()


def test_a_body_that_nothing_moves_has_no_form() -> None:
    robot = kido.Skeleton("post")
    robot.add_body("foot", None, kido.WeldJoint("base"))
    assert ClosedForm(robot.tree, "foot").reason == "expected 1 to 7 joints, got 0"
