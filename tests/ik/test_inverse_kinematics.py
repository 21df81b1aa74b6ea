"""The module of a node: what it aims at, what it may move, and that nothing else changes."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from _poses import (
    assert_there,
    drawn,
    gap,
    placed,
    planar_arm,
    pose,
    reachable,
    revolutes,
    turned,
    with_joints,
    with_positions,
)
from scipy.spatial.transform import Rotation

import kido
from kido import InverseKinematics, SearchSettings, gallery


def arm() -> InverseKinematics:
    return InverseKinematics.of(gallery.arm().end_effector("tool"))


# ---- target, node, offset


def test_a_node_has_one_module() -> None:
    tool = gallery.arm().end_effector("tool")
    ik = InverseKinematics.of(tool)
    assert InverseKinematics.of(tool) is ik
    assert tool.addon(InverseKinematics) is ik
    assert InverseKinematics.of(tool.body) is not ik
    assert ik.owner is tool


def test_a_fresh_module_aims_at_where_the_node_is() -> None:
    ik = arm()
    np.testing.assert_array_equal(ik.target.transform(), ik.owner.transform())
    np.testing.assert_allclose(ik.error, 0.0, atol=1e-14)
    result = ik.solve()
    np.testing.assert_array_equal(result.positions, ik.positions)
    assert result.dof_names == tuple(dof.name for dof in ik.dofs)


def test_the_error_is_the_nodes_displacement_from_the_target() -> None:
    ik = arm()
    turn = np.array([0.1, -0.2, 0.3])
    here = ik.owner.transform()
    ik.target.set_transform(pose(turned(*turn)) @ here)
    ik.target.set_translation(here[:3, 3] + [0.4, 0.5, -0.6])
    angles = Rotation.from_rotvec(-turn).as_euler("XYZ")
    np.testing.assert_allclose(ik.error, [*angles, -0.4, -0.5, 0.6], atol=1e-12)


@pytest.mark.parametrize("kind", [kido.EndEffector, kido.FrameNode, kido.Marker, kido.BodyNode])
def test_bodies_and_nodes_of_every_kind_are_put_at_targets(kind: type) -> None:
    robot = gallery.arm7()
    body = robot.end_effector("tool").body
    node = body if kind is kido.BodyNode else kind(body, "own", pose(turned(0.5, 0.1, 0.0), (0.1, 0.0, 0.2)))
    ik = InverseKinematics.of(node)
    for target in reachable(ik, 10):
        ik.target.set_transform(target)
        assert_there(ik, ik.solve(), target)


def test_a_node_that_moves_on_its_body_is_put_at_the_target_where_it_is_then() -> None:
    ik = arm()
    target = reachable(ik, 1)[0]
    ik.target.set_transform(target)
    before = ik.solve()
    assert_there(ik, before, target)
    ik.owner.relative_transform = pose(turned(0.2, 0.0, 0.0), (0.0, 0.05, 0.0)) @ ik.owner.relative_transform
    after = ik.solve()
    assert_there(ik, after, target)
    assert np.abs(after.positions - before.positions).max() > 1e-3


def test_the_offset_is_the_point_that_comes_to_the_target() -> None:
    ik = arm()
    ik.offset = (0.02, -0.03, 0.1)
    np.testing.assert_array_equal(ik.offset, [0.02, -0.03, 0.1])
    target = reachable(ik, 1, seed=2)[0]
    there = target @ pose(position=(0.02, -0.03, 0.1))
    ik.target.set_transform(there)
    result = ik.solve_and_apply()
    assert result.success
    T = placed(ik.owner, ik.owner.skeleton.positions)
    np.testing.assert_allclose(T[:3, :3] @ ik.offset + T[:3, 3], there[:3, 3], atol=2e-6)
    assert gap(T, there)[0] < 2e-6
    np.testing.assert_allclose(ik.error, 0.0, atol=2e-6)


def test_an_offset_that_is_handed_out_is_a_copy() -> None:
    ik = arm()
    ik.offset[:] = 1.0
    np.testing.assert_array_equal(ik.offset, np.zeros(3))


def test_a_target_can_be_replaced() -> None:
    ik = arm()
    target = kido.SimpleFrame("cup", transform=reachable(ik, 1)[0])
    ik.target = target
    assert ik.target is target
    assert_there(ik, ik.solve(), target.transform())


def test_a_target_below_a_moving_frame_of_the_scene_is_followed() -> None:
    ik = arm()
    cart = kido.SimpleFrame("cart", transform=pose(turned(0.0, 0.0, 0.4), (0.1, 0.2, 0.0)))
    ik.target.set_parent_frame(cart, keep_world_transform=True)
    for target in reachable(ik, 5):
        cart.set_transform(target @ np.linalg.inv(ik.target.relative_transform))
        assert_there(ik, ik.solve(), target)


def test_a_target_on_another_skeleton_is_followed() -> None:
    ik, other = arm(), gallery.arm7()
    ik.target = kido.SimpleFrame("handed over", other.end_effector("tool"))
    reached = 0
    for q in drawn(InverseKinematics.of(other.end_effector("tool")), 20):
        other.positions = q
        result = ik.solve()
        if result:
            reached += 1
            assert_there(ik, result, placed(other.end_effector("tool"), q))
    assert reached > 0


# ---- dofs


def test_the_chain_moves_by_default_and_the_whole_body_on_request() -> None:
    robot = gallery.humanoid()
    ik = InverseKinematics.of(robot.end_effector("left_hand"))
    chain = ik.dofs
    assert chain == robot.end_effector("left_hand").chain_dofs
    ik.use_whole_body()
    assert ik.dofs == robot.end_effector("left_hand").dependent_dofs
    assert len(ik.dofs) > len(chain) + 5
    target = pose(turned(0.3, 0.2, 0.1), (4.0, 3.0, 2.0))
    ik.target.set_transform(target)
    assert_there(ik, ik.solve(), target)
    ik.use_chain()
    assert ik.dofs == chain
    assert not ik.solve().success


def test_only_the_chosen_dofs_move_and_the_others_stay_bit_for_bit() -> None:
    ik = InverseKinematics.of(gallery.arm7().end_effector("tool"))
    robot = ik.owner.skeleton
    robot.dof("joint_3").position = 0.3
    ik.dofs = [dof for dof in robot.dofs if dof.name != "joint_3"]
    for target in reachable(ik, 20):
        before = robot.positions
        ik.target.set_transform(target)
        result = ik.solve_and_apply()
        assert_there(ik, result, target)
        assert result.positions.shape == (6,) and "joint_3" not in result.dof_names
        assert robot.dof("joint_3").position == before[2]


def test_dofs_give_positions_in_their_own_order() -> None:
    ik = arm()
    forwards = ik.dofs
    target = reachable(ik, 1)[0]
    ik.target.set_transform(target)
    straight = ik.solve()
    ik.dofs = forwards[::-1]
    back = ik.solve()
    np.testing.assert_array_equal(back.positions, straight.positions[::-1])
    assert back.dof_names == straight.dof_names[::-1]
    np.testing.assert_array_equal(ik.positions, [dof.position for dof in ik.dofs])


@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_a_dof_that_is_frozen_beyond_its_limits_stays_there(side: float) -> None:
    ik = arm()
    frozen = ik.dofs[0]
    position = side * (frozen.position_upper_limit + 0.5)
    assert frozen.position_lower_limit == -frozen.position_upper_limit
    frozen.position = position
    ik.dofs = ik.dofs[1:]
    target = placed(ik.owner, with_positions(ik, drawn(ik, 1)[0]))
    ik.target.set_transform(target)
    assert_there(ik, ik.solve(), target)
    assert frozen.position == position


def test_the_rotation_of_a_free_root_can_be_frozen_while_it_shifts() -> None:
    chain = with_joints(kido.FreeJoint("root"), *revolutes(3))
    root = chain.joint("root").dofs
    ik = InverseKinematics.of(chain.end_effector("hand"))
    chain.positions = np.linspace(-0.4, 0.5, chain.num_dofs)
    ik.dofs = [*root[3:], *ik.dofs[6:]]
    target = placed(ik.owner, with_positions(ik, np.array([0.3, -0.5, 2.0, 0.4, -0.3, 0.2])))
    ik.target.set_transform(target)
    assert_there(ik, ik.solve(), target)


def test_a_body_welded_to_the_last_one_moves_with_the_chain() -> None:
    robot = planar_arm(0.5, 0.4, 0.3)
    plate = robot.add_body("plate", robot.body("link2"), kido.WeldJoint(T_parent_joint=(0.3, 0.0, 0.1)))
    ik = InverseKinematics.of(plate)
    assert [dof.name for dof in ik.dofs] == ["q0", "q1", "q2"]
    for target in reachable(ik, 5):
        ik.target.set_transform(target)
        assert_there(ik, ik.solve(), target)


def test_what_nothing_moves_is_judged_where_it_is() -> None:
    scene = kido.Skeleton("scene")
    plate = scene.add_body("plate", joint=kido.WeldJoint())
    ik = InverseKinematics.of(plate)
    assert ik.dofs == ()
    assert ik.solve().success
    ik.target.set_translation((0.0, 0.3, 0.4))
    result = ik.solve()
    assert not result.success and result.positions.shape == (0,)
    np.testing.assert_allclose(result.linear_error, 0.5)
    assert ik.solve_batch(np.eye(4)[None]).success.tolist() == [True]


# ---- what is left as it was


def test_a_search_leaves_the_skeleton_as_it_was() -> None:
    ik = arm()
    robot = ik.owner.skeleton
    rng = np.random.default_rng(0)
    robot.velocities, robot.accelerations = rng.normal(size=6), rng.normal(size=6)
    robot.forces = rng.normal(size=6)
    ik.target.set_transform(reachable(ik, 1)[0])
    names = ("positions", "velocities", "accelerations", "forces", "commands")
    poses = [body.transform() for body in robot.bodies]
    before = [getattr(robot, name) for name in names]
    counts = robot.kinematics_counts()
    assert ik.solve().success
    ik.solve_batch(reachable(ik, 5))
    for name, value in zip(names, before, strict=True):
        np.testing.assert_array_equal(getattr(robot, name), value)
    np.testing.assert_array_equal([body.transform() for body in robot.bodies], poses)
    assert robot.kinematics_counts() == counts


def test_applying_moves_the_node_to_the_target() -> None:
    ik = arm()
    target = reachable(ik, 1)[0]
    ik.target.set_transform(target)
    result = ik.solve_and_apply()
    np.testing.assert_array_equal(ik.positions, result.positions)
    assert max(gap(placed(ik.owner, ik.owner.skeleton.positions), target)) < 2e-6
    assert np.abs(ik.error).max() < 2e-6


@pytest.mark.parametrize("allowed", [True, False])
def test_an_incomplete_answer_is_applied_where_that_is_allowed(allowed: bool) -> None:
    ik = arm()
    before = ik.owner.skeleton.positions
    ik.target.set_translation((3.0, 0.0, 0.5))
    result = ik.solve_and_apply(allow_incomplete=allowed)
    assert not result.success
    expected = result.positions if allowed else before
    np.testing.assert_array_equal(ik.owner.skeleton.positions, expected)
    assert np.abs(result.positions - before).max() > 0.1


def test_an_incomplete_answer_is_nearer_than_where_the_node_was() -> None:
    ik = arm()
    ik.target.set_translation((3.0, 0.0, 0.5))
    before = np.linalg.norm(ik.error)
    ik.solve_and_apply()
    assert np.linalg.norm(ik.error) < before


def test_positions_of_the_dofs_can_be_set() -> None:
    ik = InverseKinematics.of(gallery.humanoid().end_effector("left_hand"))
    robot = ik.owner.skeleton
    others = [i for i in range(robot.num_dofs) if i not in [dof.index for dof in ik.dofs]]
    before = robot.positions[others]
    ik.positions = np.linspace(0.1, 0.2, len(ik.dofs))
    np.testing.assert_array_equal([dof.position for dof in ik.dofs], np.linspace(0.1, 0.2, len(ik.dofs)))
    np.testing.assert_array_equal(robot.positions[others], before)


def test_results_of_a_batch_are_those_of_each_target() -> None:
    ik = arm()
    targets = reachable(ik, 4)
    targets[2, :3, 3] += 3.0
    results = ik.solve_batch(targets)
    assert len(results) == 4 and results.success.tolist() == [True, True, False, True]
    assert [bool(result) for result in results] == [True, True, False, True]
    assert results[2].linear_error == results.linear_error[2] > 1.0
    np.testing.assert_array_equal(results[1].positions, results.positions[1])


def test_settings_of_a_module_hold_for_it_alone() -> None:
    robot = gallery.arm()
    loose, strict = (
        InverseKinematics.of(robot.end_effector("tool")),
        InverseKinematics.of(robot.body("pitch")),
    )
    loose.settings = dataclasses.replace(loose.settings, linear_tolerance=1e-2, angular_tolerance=1e-2)
    assert strict.settings == SearchSettings()
    target = reachable(loose, 1)[0]
    loose.target.set_transform(target)
    result = loose.solve()
    assert result.success and 1e-6 < result.linear_error + result.angular_error < 2e-2
