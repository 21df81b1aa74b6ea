"""Groups: members picked by hand, of one or more skeletons."""

from __future__ import annotations

import numpy as np
import pytest
from _moving_skeletons import branched, skeleton_of

import kido
from kido.errors import EditError, RemovedError, UnknownNameError


@pytest.fixture
def arm() -> kido.Skeleton:
    """body0 to body2 on revolute, ball and weld joints, one behind the other, at positions 0 to 3."""
    skeleton = skeleton_of(("revolute", "ball", "weld"), (-1, 0, 1), seed=1)
    skeleton.positions = [0.0, 1.0, 2.0, 3.0]
    return skeleton


def test_group_has_bodies_joints_and_dofs_in_the_order_of_adding(arm: kido.Skeleton) -> None:
    group = kido.Group("some", [arm.body(1), arm.body(2), arm.body(0)])
    assert group.bodies == (arm.body(1), arm.body(2), arm.body(0))
    assert group.joints == (arm.joint(1), arm.joint(2), arm.joint(0))
    assert group.dofs == (*arm.joint(1).dofs, *arm.joint(0).dofs)
    assert (group.num_bodies, group.num_joints, group.num_dofs) == (3, 3, 4)
    assert group.positions.tolist() == [1.0, 2.0, 3.0, 0.0]


def test_parts_are_added_alone_or_with_what_belongs_to_them(arm: kido.Skeleton) -> None:
    group = kido.Group()
    group.add_body(arm.body(1), with_dofs=False)
    assert (group.num_bodies, group.num_joints, group.num_dofs) == (1, 0, 0)
    group.add_dof(arm.dof(3), with_joint=False)
    assert (group.num_bodies, group.num_joints, group.num_dofs) == (1, 0, 1)
    group.add_dof(arm.dof(2))
    assert group.joints == (arm.joint(1),)
    group.add_joint(arm.joint(0), with_dofs=False)
    assert group.joints == (arm.joint(1), arm.joint(0))
    group.add_joint(arm.joint(1))
    assert group.positions.tolist() == [3.0, 2.0, 1.0]
    group.add_body(arm.body(1))
    assert (group.num_bodies, group.num_joints, group.num_dofs) == (1, 2, 3)


def test_parts_are_removed_alone_or_with_what_belongs_to_them(arm: kido.Skeleton) -> None:
    group = kido.Group.of(arm)
    group.remove_body(arm.body(0), with_dofs=False)
    assert (group.num_bodies, group.num_joints, group.num_dofs) == (2, 3, 4)
    group.remove_dof(arm.dof(0))
    assert group.joints == (arm.joint(1), arm.joint(2))
    group.remove_dof(arm.dof(2))
    assert group.has_joint(arm.joint(1)) and group.positions.tolist() == [1.0, 3.0]
    group.remove_joint(arm.joint(1), with_dofs=False)
    assert group.positions.tolist() == [1.0, 3.0]
    group.add_joint(arm.joint(1), with_dofs=False)
    group.remove_body(arm.body(1))
    assert (group.bodies, group.joints, group.dofs) == ((arm.body(2),), (arm.joint(2),), ())
    with pytest.raises(EditError, match="body: 'body1' is not in 'random'"):
        group.remove_body(arm.body(1))
    with pytest.raises(EditError, match="dof: 'body0_joint' is not in 'random'"):
        group.remove_dof(arm.dof(0))


def test_members_are_found_by_name_index_and_identity(arm: kido.Skeleton) -> None:
    group = kido.Group("some", [arm.body(1), arm.body(0)])
    assert group.body("body0") is group.body(1) is arm.body(0)
    assert group.joint("body1_joint") is group.joint(0) is arm.joint(1)
    assert group.dof(3) == group.dof("body0_joint") == arm.dof(0)
    assert [group.index_of(part) for part in (arm.body(0), arm.joint(1), arm.dof(0))] == [1, 0, 3]
    assert group.has_body("body1") and not group.has_body(arm.body(2)) and not group.has_dof("none")
    with pytest.raises(UnknownNameError, match="no body named 'body' in 'some'; did you mean"):
        group.body("body")
    with pytest.raises(IndexError, match="dof: expected an index from 0 to 3, got 4"):
        group.dof(4)
    with pytest.raises(ValueError, match="body 'body2' is not in 'some'"):
        group.index_of(arm.body(2))
    with pytest.raises(TypeError, match="member: expected a body, joint or dof, got str"):
        group.index_of("body0")  # type: ignore[call-overload]


def test_only_parts_of_skeletons_can_be_added(arm: kido.Skeleton) -> None:
    group = kido.Group()
    with pytest.raises(TypeError, match="body: expected a BodyNode, got str"):
        group.add_body("body0")  # type: ignore[arg-type]
    with pytest.raises(RemovedError):
        group.add_joint(kido.RevoluteJoint("free"))
    with pytest.raises(ValueError, match="name"):
        kido.Group("")
    assert (group.bodies, group.joints, group.dofs) == ((), (), ())


def test_setting_reaches_the_selected_dofs_alone(arm: kido.Skeleton) -> None:
    group = kido.Group("some", dofs=[arm.dof(3), arm.dof(0)])
    group.positions = [0.3, 0.5]
    assert arm.positions.tolist() == [0.5, 1.0, 2.0, 0.3]
    group.velocities = {"body0_joint": 4.0}
    assert arm.velocities.tolist() == [4.0, 0.0, 0.0, 0.0]
    group.damping = [1.0, 2.0]
    assert arm.damping.tolist() == [2.0, 0.0, 0.0, 1.0]
    group.force_upper_limits = 7.0
    assert arm.force_upper_limits.tolist() == [7.0, np.inf, np.inf, 7.0]
    group.initial_positions = [0.1, 0.2]
    group.reset_positions()
    assert arm.positions.tolist() == [0.2, 1.0, 2.0, 0.1]
    group.initial_velocities = [0.6, 0.7]
    group.reset_velocities()
    assert arm.velocities.tolist() == [0.7, 0.0, 0.0, 0.6]


def test_setting_moves_the_bodies(arm: kido.Skeleton) -> None:
    group = kido.Group("some", [arm.body(0)])
    fresh = arm.clone()
    arm.body(2).transform()
    group.positions = [0.9]
    fresh.positions = [0.9, 1.0, 2.0, 3.0]
    assert np.array_equal(arm.body(2).transform(), fresh.body(2).transform())


def test_forces_are_commands_of_the_selected_joints_that_take_forces(arm: kido.Skeleton) -> None:
    arm.joint(0).actuator = "velocity"
    arm.commands = [5.0, 6.0, 7.0, 8.0]
    kido.Group("some", dofs=[arm.dof(0), arm.dof(2)]).forces = [1.0, 2.0]
    assert arm.forces.tolist() == [1.0, 0.0, 2.0, 0.0]
    assert arm.commands.tolist() == [5.0, 6.0, 2.0, 8.0]


def test_bad_numbers_are_refused_before_anything_changes(arm: kido.Skeleton) -> None:
    other = branched(3)
    other.joint(0).actuator = "locked"
    group = kido.Group("both", [arm.body(0)], joints=[other.joint(0)])
    n = group.num_dofs
    before = [(s.positions, s.commands, s.position_lower_limits) for s in (arm, other)]
    with pytest.raises(ValueError, match=rf"positions: expected shape \({n},\) \[rad, m\], got \({n + 1},\)"):
        group.positions = np.zeros(n + 1)
    with pytest.raises(ValueError, match="positions: expected finite numbers"):
        group.positions = [*np.zeros(n - 1), np.nan]
    with pytest.raises(ValueError, match="takes none, its actuator type is locked"):
        group.commands = np.ones(n)
    other.joint(0).position_upper_limits = -1.0
    with pytest.raises(ValueError, match="position_lower_limits: expected lower <= upper"):
        group.position_lower_limits = np.zeros(n)
    with pytest.raises(ValueError, match="damping: expected no number below 0"):
        group.damping = -1.0
    with pytest.raises(UnknownNameError, match="no dof named 'elbow' in 'both'"):
        group.positions = {"elbow": 1.0}
    for skeleton, (positions, commands, limits) in zip((arm, other), before, strict=True):
        assert np.array_equal(skeleton.positions, positions)
        assert np.array_equal(skeleton.commands, commands)
        assert np.array_equal(skeleton.position_lower_limits, limits)


def test_group_of_two_skeletons_keeps_its_own_order(arm: kido.Skeleton) -> None:
    twin = arm.clone("twin")
    group = kido.Group("both", dofs=[twin.dof(2), arm.dof(0), twin.dof(0), arm.dof(1)])
    assert set(group.skeletons) == {arm, twin}
    group.positions = [0.1, 0.2, 0.3, 0.4]
    assert arm.positions.tolist() == [0.2, 0.4, 2.0, 3.0]
    assert twin.positions.tolist() == [0.3, 1.0, 0.1, 3.0]
    assert group.positions.tolist() == [0.1, 0.2, 0.3, 0.4]
    with pytest.raises(
        ValueError, match="dof: 'both' has several named 'body0_joint', of different skeletons"
    ):
        group.dof("body0_joint")
    with pytest.raises(ValueError, match="several"):
        group.positions = {"body0_joint": 1.0}


def test_exchanged_joint_is_a_removed_member(arm: kido.Skeleton) -> None:
    group = kido.Group("some", [arm.body(0)])
    old = arm.joint(0)
    fresh = arm.body(0).change_parent_joint_type(kido.BallJoint)
    assert group.removed_members == (old, kido.DegreeOfFreedom(old, 0))
    with pytest.raises(RemovedError, match="joint 'body0_joint'"):
        group.positions  # noqa: B018 - asked for its error
    group.remove_joint(old)
    group.add_joint(fresh)
    assert group.num_dofs == 3 and group.removed_members == ()
    assert np.array_equal(group.positions, fresh.positions)


def test_removed_body_can_be_taken_out(arm: kido.Skeleton) -> None:
    group = kido.Group.of(arm, "all")
    gone = arm.body(2)
    gone.remove()
    with pytest.raises(RemovedError, match="body 'body2'"):
        group.com()
    group.remove_body(gone)
    assert group.removed_members == ()
    assert np.allclose(group.com(), arm.com(), rtol=0.0, atol=1e-14)


def test_clone_of_a_group_spans_clones_of_its_skeletons(arm: kido.Skeleton) -> None:
    other = branched(4)
    group = kido.Group("both", [other.body(1), arm.body(0)], dofs=[arm.dof(2)])
    twin = group.clone("twin")
    assert [s.name for s in twin.skeletons] == [other.name, arm.name]
    assert not set(twin.skeletons) & set(group.skeletons)
    assert [dof.name for dof in twin.dofs] == [dof.name for dof in group.dofs]
    assert np.array_equal(twin.positions, group.positions)
    twin.positions = twin.positions + 1.0
    assert not np.any(twin.positions == group.positions)
    assert arm.positions.tolist() == [0.0, 1.0, 2.0, 3.0]


def test_empty_group_has_empty_answers() -> None:
    group = kido.Group()
    assert group.positions.shape == (0,)
    assert group.mass_matrix.shape == group.inverse_mass_matrix.shape == (0, 0)
    assert group.jacobian(kido.WORLD).shape == (6, 0)
    assert group.mass == group.kinetic_energy == group.potential_energy == 0.0
    with pytest.raises(ValueError, match="com: no body of 'group' has a mass"):
        group.com()
    with pytest.raises(TypeError, match="frame: expected a Frame or the name of one, got int"):
        group.jacobian(3)  # type: ignore[arg-type]
