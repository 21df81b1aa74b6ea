"""Searches in Python: targets that move with the dofs, joints of one's own, limited rotations."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from _hinges import Hinge, with_hinges
from _poses import (
    Array,
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

import kido
from kido import InverseKinematics, SearchSettings, gallery
from kido.ik import TaskSpaceRegion
from kido.typing import FloatArray


def pair() -> tuple[InverseKinematics, InverseKinematics]:
    """The six-axis arm, and the same with its first joint and its last written in Python."""
    built_in = gallery.arm()
    own = with_hinges(built_in, 0, 5)
    return tuple(InverseKinematics.of(robot.end_effector("tool")) for robot in (built_in, own))  # type: ignore[return-value]


# ---- the same answers


def test_joints_of_the_users_own_give_the_answers_of_built_in_ones() -> None:
    built_in, own = pair()
    compared = 0
    for target in reachable(built_in, 40):
        for ik in (built_in, own):
            ik.target.set_transform(target)
        native, written = built_in.solve(), own.solve()
        assert_there(built_in, dataclasses.replace(written, dof_names=native.dof_names), target)
        if native.start == written.start == 0:
            turns = np.rint(
                (written.positions - native.positions) / (2.0 * np.pi)
            )  # unknown of a joint of one's own
            np.testing.assert_allclose(written.positions - 2.0 * np.pi * turns, native.positions, atol=1e-7)
            assert written.iterations == native.iterations
            compared += 1
    assert compared > 15


def test_joints_of_the_users_own_stop_at_limits_as_built_in_ones_do() -> None:
    built_in, own = pair()
    for ik in (built_in, own):
        ik.settings = SearchSettings(max_starts=1)
        ik.owner.skeleton.dofs[0].position_upper_limit = 0.5
        ik.owner.skeleton.dofs[0].position_lower_limit = -0.5
        ik.target.set_transform(placed(built_in.owner, np.array([0.9, 0.3, -0.4, 0.2, 0.5, 0.1])))
    native, written = built_in.solve(), own.solve()
    assert not native.success and not written.success
    assert native.positions[0] == written.positions[0] == 0.5
    np.testing.assert_allclose(written.linear_error, native.linear_error, rtol=1e-6)
    np.testing.assert_allclose(written.angular_error, native.angular_error, rtol=1e-6)


def test_a_batch_over_joints_of_the_users_own_has_the_answers_of_single_searches() -> None:
    _, own = pair()
    own.settings = SearchSettings(max_starts=10, time_budget=math.inf)
    targets = reachable(pair()[0], 6)
    targets[2, :3, 3] += 2.0
    results = own.solve_batch(targets)
    assert results.success.tolist() == [True, True, False, True, True, True]
    for target, result in zip(targets, results, strict=True):
        own.target.set_transform(target)
        alone = own.solve()
        for field in dataclasses.fields(alone):
            np.testing.assert_array_equal(getattr(result, field.name), getattr(alone, field.name))


def test_starts_of_a_batch_over_joints_of_the_users_own_are_kept() -> None:
    built_in, own = pair()
    wanted = drawn(built_in, 3)
    targets = np.array([placed(built_in.owner, q) for q in wanted])
    results = own.solve_batch(targets, wanted)
    np.testing.assert_allclose(results.positions, wanted, atol=1e-9)


def test_bodies_without_gravity_do_not_change_the_answer() -> None:
    ik = pair()[0]
    target = reachable(ik, 1)[0]
    ik.target.set_transform(target)
    before = ik.solve()
    ik.owner.skeleton.bodies[1].gravity_mode = False
    np.testing.assert_array_equal(ik.solve().positions, before.positions)


def test_what_is_out_of_reach_of_joints_of_the_users_own_is_approached() -> None:
    arm = kido.Skeleton("own")
    upper = arm.add_body("upper", joint=Hinge("a"))
    lower = arm.add_body("lower", upper, Hinge("b", T_parent_joint=(0.5, 0.0, 0.0)))
    ik = InverseKinematics.of(lower.add_end_effector("tip", (0.4, 0.0, 0.0)))
    ik.error_method = TaskSpaceRegion(angular=(math.inf,) * 3)
    ik.settings = SearchSettings(max_starts=5)
    ik.target.set_translation((1.8, 2.4, 0.0))
    result = ik.solve()
    assert not result.success
    np.testing.assert_allclose(result.linear_error, 2.1, rtol=1e-7)


def hinge(lower: float, upper: float) -> InverseKinematics:
    """A bar of 1 m on one joint written in Python; only the position of its tip counts."""
    scene = kido.Skeleton("own")
    joint = Hinge("a")
    bar = scene.add_body("bar", joint=joint)
    joint.position_lower_limits, joint.position_upper_limits = [lower], [upper]
    ik = InverseKinematics.of(bar.add_end_effector("tip", (1.0, 0.0, 0.0)))
    ik.error_method = TaskSpaceRegion(angular=(math.inf,) * 3)
    ik.settings = SearchSettings(max_starts=10)
    return ik


def test_of_two_limits_of_a_joint_of_ones_own_the_nearer_to_the_target_is_told_and_not_applied() -> None:
    ik = hinge(-2.0, 2.0)
    ik.target.set_translation((np.cos(2.8), np.sin(2.8), 0.0))
    ik.owner.skeleton.positions = [-1.9]
    result = ik.solve()
    assert not result.success and result.positions.tolist() == [-2.0]
    assert result.nearest.positions.tolist() == [2.0]
    np.testing.assert_allclose(result.nearest.linear_error, 2.0 * np.sin(0.4), atol=1e-12)


@pytest.mark.parametrize("limit", [-1.0, 1.0])
def test_a_joint_of_ones_own_leaves_the_limit_that_it_starts_at(limit: float) -> None:
    ik = hinge(-1.0, 1.0)
    ik.settings = dataclasses.replace(ik.settings, max_starts=1)
    ik.owner.skeleton.positions = [limit]
    ik.target.set_translation((np.cos(0.3), np.sin(0.3), 0.0))
    result = ik.solve()
    assert result.success
    np.testing.assert_allclose(result.positions, [0.3], atol=2e-6)


def test_mirror_images_are_those_of_built_in_joints() -> None:
    built_in, own = pair()
    for ik in (built_in, own):
        for dof, lower, upper in zip(
            ik.dofs, (-1.0, -0.5, -2.5, -2.0, -1.5, -1.0), (2.5, 1.5, 0.5, 1.0, 2.0, 2.5), strict=True
        ):
            dof.position_lower_limit, dof.position_upper_limit = lower, upper
        ik.positions = np.zeros(6)
        ik.settings = SearchSettings(max_starts=1)
    mirrored = 0
    for target in reachable(built_in, 60, seed=5):
        for ik in (built_in, own):
            ik.target.set_transform(target)
        native, written = built_in.solve(), own.solve()
        if native.success and native.iterations > 10:
            assert_there(built_in, dataclasses.replace(written, dof_names=native.dof_names), target)
            np.testing.assert_allclose(written.positions, native.positions, atol=1e-4)  # the same branch
            mirrored += 1
    assert mirrored > 5


def test_steps_that_meet_limits_are_those_of_built_in_joints() -> None:
    built_in, own = pair()
    lower, upper = built_in.position_limits
    low, high = np.maximum(lower, -3.0), np.minimum(upper, 3.0)
    rng = np.random.default_rng(4)
    compared = 0
    for target in reachable(built_in, 60, seed=2):
        start = np.where(rng.random(6) < 0.3, high, rng.uniform(low, high))
        for ik in (built_in, own):
            ik.settings = SearchSettings(max_starts=1, mirrors=0)
            ik.target.set_transform(target)
            ik.positions = start
        native, written = built_in.solve(), own.solve()
        assert written.success == native.success
        if native.success and native.iterations <= 20:  # the search itself, not how it approaches
            turns = np.rint((written.positions - native.positions) / (2.0 * np.pi))  # as above
            np.testing.assert_allclose(written.positions - 2.0 * np.pi * turns, native.positions, atol=1e-8)
            assert written.iterations == native.iterations
            compared += 1
    assert compared > 10


# ---- targets that move with the dofs


def two_arms() -> tuple[InverseKinematics, kido.EndEffector]:
    """Two planar arms side by side on a sliding base, the module of the left tip, and the right tip."""
    robot = kido.Skeleton("pair")
    base = robot.add_body("base", joint=kido.PrismaticJoint("slide", axis=(1.0, 0.0, 0.0)))
    tips = []
    for side, y in (("left", 0.3), ("right", -0.3)):
        body, offset = base, np.array([0.0, y, 0.0])
        for i in range(3):
            joint = kido.RevoluteJoint(f"{side}{i}", T_parent_joint=offset)
            body = robot.add_body(f"{side} link{i}", body, joint)
            offset = np.array([0.4, 0.0, 0.0])
        tips.append(body.add_end_effector(side, offset))
    return InverseKinematics.of(tips[0]), tips[1]


def test_a_target_on_a_part_that_moves_too_is_met() -> None:
    ik, right = two_arms()
    robot = ik.owner.skeleton
    ik.dofs = [*robot.dofs[:4]]
    robot.positions = [0.2, 0.3, -0.5, 0.4, 1.3, 0.9, -0.2]
    ik.target = kido.SimpleFrame("palm", right, pose(turned(0.0, 0.0, 0.4), (0.05, 0.0, 0.0)))
    result = ik.solve_and_apply()
    assert result.success
    wanted = placed(right, robot.positions) @ pose(turned(0.0, 0.0, 0.4), (0.05, 0.0, 0.0))
    assert max(gap(placed(ik.owner, robot.positions), wanted)) < 2e-6


def test_both_arms_can_move_to_meet_where_the_target_hangs_on_one() -> None:
    robot = kido.Skeleton("chain")
    body, offset = None, 0.0
    for i in range(6):
        body = robot.add_body(f"b{i}", body, kido.RevoluteJoint(f"j{i}", T_parent_joint=(offset, 0.0, 0.0)))
        offset = 0.3
    assert body is not None
    ik = InverseKinematics.of(body)
    ik.target = kido.SimpleFrame("ring", robot.body("b1"), pose(turned(0.0, 0.0, 2.0), (0.1, 0.4, 0.0)))
    robot.positions = np.full(6, 0.3)
    result = ik.solve_and_apply()
    assert result.success
    wanted = placed(robot.body("b1"), robot.positions) @ pose(turned(0.0, 0.0, 2.0), (0.1, 0.4, 0.0))
    assert max(gap(placed(body, robot.positions), wanted)) < 2e-6


def test_a_target_on_a_part_that_the_dofs_do_not_move_is_searched_natively_with_the_same_bits() -> None:
    ik, right = two_arms()
    robot = ik.owner.skeleton
    ik.dofs = robot.dofs[1:4]
    robot.positions = [0.2, 0.3, -0.5, 0.4, 1.3, 0.9, -0.2]
    ik.target = kido.SimpleFrame("palm", right, pose(turned(0.0, 0.0, 0.4)))
    hanging = ik.solve()
    ik.target = kido.SimpleFrame("still", transform=ik.target.transform())
    np.testing.assert_array_equal(hanging.positions, ik.solve().positions)
    assert hanging.success


def test_a_target_on_the_node_itself_is_not_reached_and_ends() -> None:
    ik = InverseKinematics.of(planar_arm(0.5, 0.4).end_effector("tip"))
    ik.settings = SearchSettings(max_starts=3)
    ik.target = kido.SimpleFrame("carrot", ik.owner, pose(position=(0.1, 0.0, 0.0)))
    result = ik.solve()
    assert not result.success
    np.testing.assert_allclose(result.linear_error, 0.1)


def test_a_search_in_python_leaves_the_skeleton_as_it_was() -> None:
    ik, right = two_arms()
    robot = ik.owner.skeleton
    ik.use_whole_body()
    ik.target = kido.SimpleFrame("palm", right)
    robot.positions = np.linspace(-0.5, 0.5, 7)
    robot.velocities = np.linspace(1.0, 2.0, 7)
    before = [body.transform() for body in robot.bodies], right.spatial_velocity()
    ik.solve()
    np.testing.assert_array_equal(robot.positions, np.linspace(-0.5, 0.5, 7))
    np.testing.assert_array_equal(robot.velocities, np.linspace(1.0, 2.0, 7))
    np.testing.assert_array_equal([body.transform() for body in robot.bodies], before[0])
    np.testing.assert_array_equal(right.spatial_velocity(), before[1])


class Unready(kido.Frame):
    """A frame whose place is known only some times."""

    asked = 0

    @property
    def relative_transform(self) -> FloatArray:
        self.asked += 1
        if self.asked > 3:
            raise ConnectionError("no camera")
        return pose(position=(0.1, 0.0, 0.0))

    @property
    def relative_spatial_velocity(self) -> FloatArray:
        return np.zeros(6)

    @property
    def relative_spatial_acceleration(self) -> FloatArray:
        return np.zeros(6)


def test_an_error_in_a_target_leaves_the_skeleton_as_it_was() -> None:
    ik = InverseKinematics.of(planar_arm(0.5, 0.4, 0.3).end_effector("tip"))
    robot = ik.owner.skeleton
    robot.positions = [0.1, 0.2, 0.3]
    ik.target = kido.SimpleFrame(
        "seen", Unready("camera", robot.body("link0")), pose(position=(0.3, 0.5, 0.0))
    )
    with pytest.raises(ConnectionError, match="no camera"):
        ik.solve()
    np.testing.assert_array_equal(robot.positions, [0.1, 0.2, 0.3])


# ---- limits of rotations


def limited_ball() -> InverseKinematics:
    chain = with_joints(kido.BallJoint("ball"), *revolutes(4))
    chain.joint("ball").position_lower_limits = [-0.6, -0.5, -0.7]
    chain.joint("ball").position_upper_limits = [0.4, 0.8, 0.5]
    return InverseKinematics.of(chain.end_effector("hand"))


def within(ik: InverseKinematics, positions: Array) -> bool:
    lower = [dof.position_lower_limit for dof in ik.dofs]
    upper = [dof.position_upper_limit for dof in ik.dofs]
    return bool((positions >= lower).all() and (positions <= upper).all())


def test_limits_of_a_ball_joint_are_kept() -> None:
    ik = limited_ball()
    for target in reachable(ik, 10):
        ik.target.set_transform(target)
        assert_there(ik, ik.solve(), target)
    ik.target.set_transform(placed(ik.owner, np.array([2.0, 2.0, 0.0, 0.1, 0.2, 0.3, 0.4])))
    assert within(ik, ik.solve().positions)
    assert all(
        within(ik, result.positions) for result in ik.solve_batch(reachable(ik, 3) @ pose(turned(1, 1, 1)))
    )


def test_limits_of_a_free_root_are_kept() -> None:
    chain = with_joints(kido.FreeJoint("root"))
    root = chain.joint("root")
    root.position_lower_limits = [-np.inf, -np.inf, -np.inf, -0.5, -0.5, 0.0]
    root.position_upper_limits = [np.inf, np.inf, np.inf, 0.5, 0.5, 0.3]
    ik = InverseKinematics.of(chain.end_effector("hand"))
    target = placed(ik.owner, np.array([0.5, -1.0, 0.7, 0.4, -0.3, 0.2]))
    ik.target.set_transform(target)
    assert_there(ik, ik.solve(), target)
    ik.target.set_transform(placed(ik.owner, np.array([0.5, -1.0, 0.7, 0.4, -0.3, 0.9])))
    result = ik.solve()
    assert not result.success and within(ik, result.positions)
    assert result.positions[5] == 0.3


def test_a_free_root_upside_down_leaves_the_floor_that_it_starts_at() -> None:
    scene = kido.Skeleton("scene")
    root = kido.FreeJoint("root")
    ik = InverseKinematics.of(scene.add_body("box", joint=root))
    root.position_lower_limits = [-np.inf, -np.inf, -np.inf, -np.inf, -np.inf, 0.0]
    scene.positions = [3.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    ik.settings = SearchSettings(max_starts=1)
    target = pose(turned(3.0, 0.0, 0.0), (0.0, 0.0, 0.2))
    ik.target.set_transform(target)
    result = ik.solve()
    assert_there(ik, result, target)
    assert result.iterations <= 4


def test_limits_of_a_frozen_ball_joint_do_not_matter() -> None:
    ik = limited_ball()
    ik.dofs = ik.dofs[3:]
    ik.owner.skeleton.positions = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0]
    target = placed(ik.owner, with_positions(ik, np.array([0.1, 0.5, -0.4, 0.3])))
    ik.target.set_transform(target)
    assert_there(ik, ik.solve(), target)
