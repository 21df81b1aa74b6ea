"""Inverse kinematics beside joints that follow others."""

from __future__ import annotations

import numpy as np
import pytest

import kido
from kido.description import Mimic
from kido.errors import EditError


def arm() -> kido.Skeleton:
    """Four joints in a row, the third of which follows the second; a finger at its end follows the first."""
    robot = kido.Skeleton("arm")
    body = None
    for k, (axis, leader) in enumerate(
        (((0, 0, 1), None), ((0, 1, 0), None), ((0, 1, 0), "q1"), ((1, 0, 0), None))
    ):
        joint = kido.RevoluteJoint(f"q{k}", axis=axis, T_parent_joint=(0.0, 0.0, 0.3))
        if leader is not None:
            joint.apply_options({"mimic": Mimic(leader), "actuator": "mimic"})
        body = robot.add_body(f"b{k}", body, joint)
    robot.add_body("finger", body, kido.RevoluteJoint("q4", mimic=Mimic("q0"), actuator="mimic"))
    robot.mimic_enforced = True
    return robot


def test_dofs_that_follow_are_named_with_their_leaders() -> None:
    robot = arm()
    assert dict(robot.leading_dofs) == {2: 1, 4: 0}
    for dof, (leader, multiplier, offset) in robot.dof_couplings.items():
        assert leader == robot.leading_dofs[dof]
        assert robot.positions[dof] == pytest.approx(multiplier * robot.positions[leader] + offset)
    robot.mimic_enforced = False
    assert not robot.leading_dofs
    with pytest.raises(TypeError):
        robot.leading_dofs[2] = 0  # type: ignore[index]


def test_default_dofs_leave_out_those_that_follow() -> None:
    robot = arm()
    module = kido.InverseKinematics(robot.body("b3"))
    assert [dof.name for dof in module.dofs] == ["q0", "q1", "q3"]
    module.use_whole_body()
    assert [dof.name for dof in module.dofs] == ["q0", "q1", "q3"]
    robot.mimic_enforced = False
    module.use_chain()
    assert [dof.name for dof in module.dofs] == ["q0", "q1", "q2", "q3"]


@pytest.mark.parametrize("dofs", [("q1",), ("q2",), ("q0", "q1", "q2", "q3")])
def test_a_follower_on_the_way_to_the_node_is_refused_not_moved_apart(dofs: tuple[str, ...]) -> None:
    robot = arm()
    module = robot.body("b3").create_addon(kido.InverseKinematics)
    module.dofs = [robot.dof(name) for name in dofs]
    module.target.set_translation((0.2, 0.0, 0.9))
    before = robot.positions
    message = "dofs: 'q2' follows 'q1' and moves 'b3', but inverse kinematics moves each dof by itself"
    for solve in (module.solve, module.solve_and_apply):
        with pytest.raises(EditError, match=message):
            solve()
    np.testing.assert_array_equal(robot.positions, before)
    whole = kido.ik.WholeBodyIK(robot)
    assert whole.modules == (module,)
    with pytest.raises(EditError, match=message):
        whole.solve()
    robot.mimic_enforced = False
    module.solve()


def test_a_dof_that_begins_to_follow_is_refused_though_it_was_moved_before() -> None:
    robot = arm()
    robot.mimic_enforced = False
    module = kido.InverseKinematics(robot.body("b3"))
    module.dofs = ["q0", "q1", "q2"]
    assert module.dof_indices == [0, 1, 2] and module.jacobian().shape == (6, 3)
    robot.mimic_enforced = True
    for ask in (lambda: module.dof_indices, module.jacobian, module.solve):
        with pytest.raises(EditError, match="'q2' follows 'q1'"):
            ask()
    robot.mimic_enforced = False
    assert module.dof_indices == [0, 1, 2]


def test_followers_that_do_not_move_the_node_go_along_with_the_answer() -> None:
    robot = arm()
    module = kido.InverseKinematics(robot.body("b3"))
    module.dofs = [robot.dof("q0"), robot.dof("q3")]
    module.target.set_transform(module.transform())
    robot.positions = {"q0": 0.5, "q3": -0.25}
    result = module.solve_and_apply()
    assert result.success
    np.testing.assert_allclose(robot.positions, 0.0, atol=1e-6)
    assert robot.dof("q4").position == robot.dof("q0").position
