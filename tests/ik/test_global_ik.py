"""Global inverse kinematics: verdicts where the reach is known by geometry."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from _effort import examples
from _looped import looped
from _reach import INFINITY, gantry, moved, planar, two_arms

import kido
from kido.ik import GlobalIK, RelaxationOptions

HALF = (0.5, 0.5, 0.5)


def tool_of(robot: kido.Skeleton, name: str = "tool") -> kido.EndEffector:
    return robot.end_effector(name)


def position_verdict(robot: kido.Skeleton, point: tuple[float, ...]) -> kido.ik.GlobalIKResult:
    search = GlobalIK(robot)
    search.add_world_position_constraint(tool_of(robot), point)
    return search.solve()


@looped("radius, reached", [(0.2 - 1e-3, False), (0.2 + 1e-3, True), (0.8 - 1e-3, True), (0.8 + 1e-3, False)])
def test_a_planar_arm_reaches_an_annulus(radius: float, reached: bool) -> None:
    for angle in (0.3, 2.0, -3.0):
        verdict = position_verdict(planar(), (radius * np.cos(angle), radius * np.sin(angle), 0.0))
        assert verdict.success is reached
        assert verdict.infeasible is not reached


def test_a_planar_arm_does_not_leave_its_plane() -> None:
    assert position_verdict(planar(), (0.4, 0.0, 1e-3)).infeasible
    assert position_verdict(planar(), (0.4, 0.0, 0.5e-6)).success


@looped("point, reached", [((0.9, -0.9, 0.99), True), ((0.9, 0.5, 1.01), False), ((-1.01, 0, 0), False)])
def test_sliding_joints_reach_a_box(point: tuple[float, ...], reached: bool) -> None:
    verdict = position_verdict(gantry(), point)
    assert verdict.success is reached
    assert verdict.infeasible is not reached
    if reached:
        assert np.abs(verdict.positions - point).max() < 1e-6


def test_the_posture_satisfies_the_constraints_within_the_limits() -> None:
    robot = kido.gallery.arm7()
    robot.positions = [0.2, 0.6, -0.3, 1.2, 0.4, 0.8, 0.1]
    pose = tool_of(robot).transform()
    robot.positions = np.zeros(7)
    search = GlobalIK(robot)
    search.add_world_pose_constraint(tool_of(robot), pose)
    verdict = search.solve()
    assert verdict
    assert (robot.positions == 0.0).all()
    robot.positions = verdict.positions
    assert np.abs(tool_of(robot).transform() - pose).max() < 2e-6
    assert (robot.position_lower_limits <= verdict.positions).all()
    assert (verdict.positions <= robot.position_upper_limits).all()


def test_an_orientation_that_no_joint_gives_is_infeasible() -> None:
    robot = planar()
    search = GlobalIK(robot)
    search.add_world_orientation_constraint(tool_of(robot), kido.math.so3_exp((1e-3, 0.0, 0.4)))
    assert search.solve().infeasible
    search = GlobalIK(robot)
    search.add_world_orientation_constraint(
        tool_of(robot), kido.math.so3_exp((1e-3, 0.0, 0.4)), tolerance=1.1e-3
    )
    assert search.solve().success


@looped("excess, reached", [(-1e-3, True), (1e-3, False)])
def test_wide_tolerances_of_orientation_count_to_their_end(excess: float, reached: bool) -> None:
    """The tool of the planar arm stays upright: an axis tilted by a wide angle is reached just within it."""
    robot = planar()
    search = GlobalIK(robot)
    tilted = kido.math.so3_exp((0.5, 0.0, 0.0))
    search.add_world_orientation_constraint(tool_of(robot), tilted, tolerance=0.5 - excess)
    verdict = search.solve()
    assert verdict.success is reached
    assert verdict.infeasible is not reached


def test_limits_make_a_pose_unreachable() -> None:
    robot = planar((0.5, 0.3), limit=1.0)
    search = GlobalIK(robot)
    search.add_world_position_constraint(tool_of(robot), (-0.3, 0.5, 0.0))
    assert search.solve().infeasible
    assert position_verdict(planar(), (-0.3, 0.5, 0.0)).success


def test_tighter_limits_are_kept_and_looser_ones_change_nothing() -> None:
    robot = planar()
    search = GlobalIK(robot)
    search.add_world_position_constraint(tool_of(robot), (0.6, 0.2, 0.0))
    search.add_joint_limits("j1", 0.0, 10.0)
    bent = search.solve()
    assert bent.positions[1] > 0.0
    search.add_joint_limits("j1", 0.0, 0.2)
    assert search.solve().infeasible
    robot.positions = (0.3, 0.1)


@looped("tolerance", [0.3, (0.3, 0.3, 0.0001), 1e-3])
def test_boxes_are_reached_at_their_corners(tolerance: float | tuple[float, ...]) -> None:
    """A box whose nearest corner is just within, or just out of, the reach of 0.8 m."""
    robot = planar()
    half = np.broadcast_to(tolerance, 3)
    for excess, reached in ((-2e-3, True), (2e-3, False)):
        corner = (0.8 + excess) * np.array([np.sqrt(0.5), np.sqrt(0.5), 0.0])
        search = GlobalIK(robot)
        center = corner + half * (1.0, 1.0, 0.0)
        search.add_world_position_constraint(tool_of(robot), center, tolerance=tolerance)
        verdict = search.solve()
        assert verdict.success is reached
        assert verdict.infeasible is not reached


def test_boxes_may_be_endless_and_turned() -> None:
    robot = planar()
    turned = moved(0.0, 0.0, 0.0)
    turned[:3, :3] = kido.math.so3_exp((0.0, 0.0, np.pi / 4))
    for least, reached in ((0.799, True), (0.801, False)):
        search = GlobalIK(robot)
        low = (least, -INFINITY, -INFINITY)
        search.add_world_position_constraint(tool_of(robot), lower=low, T_world_box=turned)
        verdict = search.solve()
        assert verdict.success is reached
        assert verdict.infeasible is not reached
        if reached:
            robot.positions = verdict.positions
            assert (turned[:3, :3].T @ tool_of(robot).transform()[:3, 3])[0] > least - 1e-6


@looped("distance, reached", [(0.3, True), (1.39, True), (1.41, False)])
def test_hands_of_a_tree_relative_to_each_other(distance: float, reached: bool) -> None:
    """Shoulders are 0.4 m apart and arms 0.5 m long."""
    robot = two_arms()
    search = GlobalIK(robot)
    search.add_world_relative_position_constraint(
        tool_of(robot, "left hand"), tool_of(robot, "right hand"), (0.0, distance, 0.0)
    )
    verdict = search.solve()
    assert verdict.success is reached
    assert verdict.infeasible is not reached
    if reached:
        robot.positions = verdict.positions
        hands = [tool_of(robot, f"{side} hand").transform()[:3, 3] for side in ("left", "right")]
        assert np.abs(hands[0] - hands[1] - (0.0, distance, 0.0)).max() < 1e-6


def test_relative_positions_are_in_the_axes_of_the_other_frame() -> None:
    robot = two_arms()
    left, right = (tool_of(robot, f"{side} hand") for side in ("left", "right"))
    search = GlobalIK(robot)
    search.add_relative_position_constraint(left, right, (0.1, 0.2, 0.0))
    search.add_relative_orientation_constraint(left, right, kido.math.so3_exp((0.0, 0.0, 1.0)))
    verdict = search.solve()
    assert verdict
    robot.positions = verdict.positions
    T = left.transform(relative_to=right)
    assert np.abs(T[:3, 3] - (0.1, 0.2, 0.0)).max() < 1e-6
    assert np.abs(T[:3, :3] - kido.math.so3_exp((0.0, 0.0, 1.0))).max() < 1e-5
    search.add_relative_position_constraint(robot.body("left0"), right, (0.0, 5.0, 0.0))
    assert search.solve().infeasible


def test_constraints_of_several_chains_share_their_joints() -> None:
    """Each hand reaches its target alone; both at once the waist does not let them."""
    robot = two_arms()
    left, right = (tool_of(robot, f"{side} hand") for side in ("left", "right"))
    forward, backward = (0.0, 0.7, 0.5), (0.7, 0.0, 0.5)
    for hand, target in ((left, forward), (right, backward)):
        search = GlobalIK(robot)
        search.add_world_position_constraint(hand, np.multiply(target, (0.99, 0.99, 1.0)))
        assert search.solve().success
    search = GlobalIK(robot)
    search.add_world_position_constraint(left, np.multiply(forward, (0.99, 0.99, 1.0)))
    search.add_world_position_constraint(right, np.multiply(backward, (0.99, 0.99, 1.0)))
    assert search.solve().infeasible


def test_points_in_regions_and_which() -> None:
    robot = planar()
    near = np.array([[0.3, 0.3, 0], [0.4, 0.3, 0], [0.3, 0.4, 0], [0.4, 0.4, 0]])
    far = np.add(near, (2.0, 0.0, 0.0))
    search = GlobalIK(robot)
    search.add_point_in_one_of_regions(tool_of(robot), [far, near])
    verdict = search.solve()
    assert verdict.success
    assert verdict.regions == (1,)
    robot.positions = verdict.positions
    p = tool_of(robot).transform()[:3, 3]
    assert ((p > 0.3 - 1e-6) & (p < 0.4 + 1e-6))[:2].all()
    search = GlobalIK(robot)
    search.add_point_in_one_of_regions(tool_of(robot), [far, near * 0.1, [[0, 0, 1.0]]])
    assert search.solve().infeasible


def test_spheres_in_polytopes() -> None:
    robot = planar()
    A = np.concatenate([np.eye(3), -np.eye(3)])
    for far, reached in ((0.9 - 1e-3, True), (0.9 + 1e-3, False)):
        search = GlobalIK(robot)
        b = np.array([2.0, 0.11, 0.2, -(far - 0.2), 0.11, 0.2])  # x >= far - 0.2, |y| <= 0.11
        search.add_sphere_in_one_of_polytopes(tool_of(robot), 0.1, [(A, b), (A, np.full(6, 0.09))])
        verdict = search.solve()
        assert verdict.success is reached
        assert verdict.infeasible is not reached


def test_followers_move_with_their_leaders() -> None:
    robot = planar((0.4, 0.4))
    robot.joint("j1").mimic = kido.description.Mimic("j0", -2.0, 0.1)
    robot.joint("j1").actuator = "mimic"
    robot.joint("j0").position_upper_limits = [0.5]
    robot.joint("j0").position_lower_limits = [0.0]
    robot.mimic_enforced = True
    q = np.array([0.3, -0.5])
    robot.positions = q
    there = tool_of(robot).transform()[:3, 3]
    verdict = position_verdict(robot, tuple(there))
    assert verdict.success
    assert np.abs(verdict.positions - q).max() < 1e-5
    assert position_verdict(robot, (there[0], there[1] + 0.05, 0.0)).infeasible
    robot.mimic_enforced = False
    assert position_verdict(robot, (there[0], there[1] + 0.05, 0.0)).success


def test_a_whole_turn_of_a_leader_is_another_posture_and_followers_are_told_their_places() -> None:
    """The second joint turns by half as much as the first, which may turn twice."""
    robot = planar((0.4, 0.4))
    robot.joint("j1").mimic = kido.description.Mimic("j0", 0.5, 0.0)
    robot.joint("j1").actuator = "mimic"
    for name, limit in (("j0", 2.0 * np.pi), ("j1", np.pi)):
        robot.joint(name).position_lower_limits = [-limit]
        robot.joint(name).position_upper_limits = [limit]
    robot.mimic_enforced = True
    for angle in (0.5, 4.0, -5.0):
        robot.positions = (angle, 0.5 * angle)
        there = tool_of(robot).transform()[:3, 3]
        robot.positions = (0.0, 0.0)
        verdict = position_verdict(robot, tuple(there))
        assert verdict.success
        assert verdict.positions[1] == pytest.approx(0.5 * verdict.positions[0], abs=1e-12)
        robot.positions = verdict.positions
        assert np.abs(tool_of(robot).transform()[:3, 3] - there).max() < 2e-6


def test_an_initial_guess_beyond_the_limits_is_no_answer() -> None:
    robot = planar()
    robot.positions = (2.0, 0.3)
    there = tool_of(robot).transform()[:3, 3]
    robot.joint("j0").position_upper_limits = [0.5]
    search = GlobalIK(robot)
    search.add_world_position_constraint(tool_of(robot), there)
    search.set_initial_guess([2.0, 0.3])
    verdict = search.solve()
    assert not verdict.success
    assert verdict.positions[0] <= 0.5


def test_locked_joints_stand_still() -> None:
    robot = planar()
    robot.positions = (0.4, 0.7)
    robot.joint("j1").actuator = "locked"
    radius = np.linalg.norm(tool_of(robot).transform()[:3, 3])
    assert position_verdict(robot, (0.0, float(radius), 0.0)).success
    assert position_verdict(robot, (0.0, float(radius) + 1e-3, 0.0)).infeasible


@looped("kind", [kido.BallJoint, kido.FreeJoint])
def test_locked_joints_of_any_kind_stand_still(kind: type[kido.Joint]) -> None:
    """Two links on a ball or a free body, locked beyond half a turn."""
    robot = kido.Skeleton("rod")
    base = robot.add_body("base", None, kind("root"))
    middle = robot.add_body(
        "middle", base, kido.RevoluteJoint("j", axis=(0, 0, 1), T_parent_joint=(0.5, 0, 0))
    )
    tip = middle.add_end_effector("tip", (0.25, 0.0, 0.0))
    positions = np.array([3.0, 1.5, -2.0, 0.3, -0.4, 0.5])[: robot.num_dofs - 1]
    robot.joint("root").positions = positions
    robot.joint("root").actuator = "locked"
    robot.joint("j").positions = [0.7]
    reached = tip.transform()
    robot.joint("j").positions = [0.0]
    for relaxation in (None, RelaxationOptions()):
        search = GlobalIK(robot)
        search.add_world_position_constraint(tip, reached[:3, 3])
        verdict = search.solve(relaxation=relaxation)
        assert verdict.success, verdict
        assert np.abs(verdict.positions[:-1] - positions).max() == 0.0
        robot.positions = verdict.positions
        assert np.abs(tip.transform()[:3, 3] - reached[:3, 3]).max() < 1e-5
        # 1 cm off the circle of the tip, along the axis that it turns about.
        away = GlobalIK(robot)
        away.add_world_position_constraint(tip, reached[:3, 3] + 0.01 * reached[:3, 2])
        assert away.solve(relaxation=relaxation).infeasible
        (region,) = search.posture_regions()
        assert np.abs(region.lower[:-1] - positions).max() == 0.0
    robot.joint("root").actuator = "force"
    if kind is kido.BallJoint:
        assert away.solve().success


def test_limits_that_leave_nothing_are_a_proof() -> None:
    robot = planar()
    search = GlobalIK(robot)
    search.add_world_position_constraint(tool_of(robot), (0.6, 0.2, 0.0))
    search.add_joint_limits("j1", 0.5, 1.0)
    robot.joint("j1").position_upper_limits = [0.2]
    verdict = search.solve()
    assert verdict.infeasible
    assert "no position of 'j1'" in verdict.reason
    assert search.posture_regions() == ()


def test_a_frame_that_no_joint_moves() -> None:
    robot = planar()
    base = kido.SimpleFrame("base", robot.body("l0"))
    search = GlobalIK(robot)
    search.add_relative_position_constraint(base, robot.body("l0"), (0.0, 0.0, 0.1))
    verdict = search.solve()
    assert verdict.infeasible
    assert "no joint moves 'l0'" in verdict.reason


def test_lower_bounds_are_below_the_distance_and_near_it() -> None:
    robot = planar()
    search = GlobalIK(robot)
    search.add_world_position_constraint(tool_of(robot), (1.0, 0.0, 0.0))
    assert 0.15 < search.lower_bound() < 0.2
    search = GlobalIK(robot)
    search.add_world_position_constraint(tool_of(robot), (0.7, 0.0, 0.0))
    assert search.lower_bound() == 0.0


def test_regions_of_postures_cover_all_of_them() -> None:
    """The planar arm has two postures, elbow left and right."""
    robot = planar()
    search = GlobalIK(robot)
    search.add_world_position_constraint(tool_of(robot), (0.5, 0.4, 0.0))
    regions = search.posture_regions(resolution=0.05)
    assert len(regions) == 2
    found = sorted(region.positions[1] for region in regions if region.positions is not None)
    elbow = np.arccos((0.5**2 + 0.4**2 - 0.5**2 - 0.3**2) / (2 * 0.5 * 0.3))
    assert np.abs(np.array(found) - (-elbow, elbow)).max() < 1e-6
    for region in regions:
        assert region.positions is not None
        assert (region.lower - 1e-6 <= region.positions).all()
        assert (region.positions <= region.upper + 1e-6).all()


def test_every_posture_that_a_search_finds_is_in_a_region() -> None:
    robot = kido.gallery.arm7()
    tool = tool_of(robot)
    robot.positions = [0.2, 0.6, -0.3, 1.2, 0.4, 0.8, 0.1]
    search = GlobalIK(robot)
    search.add_world_pose_constraint(tool, tool.transform())
    search.add_joint_limits("joint_1", -0.5, 0.5)
    regions = search.posture_regions(resolution=0.2)
    boxes = np.concatenate([region.boxes for region in regions])
    module = kido.InverseKinematics.of(tool)
    module.target.set_transform(tool.transform())
    found = [q for q in module.solve_all().positions if abs(q[0]) <= 0.5]
    assert len(found) > 3
    for q in found:
        inside = (boxes[:, 0] - 1e-5 <= q) & (q <= boxes[:, 1] + 1e-5)
        assert inside.all(axis=1).any(), q
    assert repr(search) == "<GlobalIK: 2 constraints on 'arm7'>"


def outside(regions: tuple[kido.ik.PostureRegion, ...], q: np.ndarray) -> np.ndarray:
    """Which positions (m, n) are in no box of the regions (m,)."""
    boxes = np.concatenate([region.boxes for region in regions])
    within = (boxes[None, :, 0] - 1e-6 <= q[:, None]) & (q[:, None] <= boxes[None, :, 1] + 1e-6)
    return ~within.all(axis=2).any(axis=1)


def test_regions_of_postures_cover_all_that_reach_a_polytope() -> None:
    robot = planar()
    corners = np.array([[0.3, 0.3, 0], [0.45, 0.35, 0], [0.25, 0.45, 0]])
    search = GlobalIK(robot)
    search.add_point_in_one_of_regions(tool_of(robot), [corners])
    q = np.random.default_rng(0).uniform(-np.pi, np.pi, (20000, 2))
    points = robot.tree.transform(q, robot.bodies[-1].index) @ (0.3, 0.0, 0.0, 1.0)
    a, b = corners[1] - corners[0], corners[2] - corners[0]
    part = (points[:, :2] - corners[0, :2]) @ np.linalg.inv(np.array([a[:2], b[:2]]))
    in_triangle = (part >= 0.0).all(axis=1) & (part.sum(axis=1) <= 1.0)
    assert in_triangle.sum() > 50
    assert not outside(search.posture_regions(resolution=0.2), q[in_triangle]).any()


def wrist(middle: np.ndarray, room: float) -> kido.Skeleton:
    """Joints about z, y and x, each within some room of a position."""
    robot, body = kido.Skeleton("wrist"), None
    for k, axis in enumerate(((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0))):
        limits = {"position_lower_limits": middle[k] - room, "position_upper_limits": middle[k] + room}
        body = robot.add_body(f"b{k}", body, kido.RevoluteJoint(f"j{k}", axis, **limits))
    robot.positions = middle
    return robot


def angles_left(robot: kido.Skeleton, q: np.ndarray, R: np.ndarray) -> np.ndarray:
    """Angles (m,) between a rotation and those of the last body at positions (m, n)."""
    left = R.T @ robot.tree.transform(q, robot.bodies[-1].index)[:, :3, :3]
    return np.arccos(np.clip(0.5 * (np.trace(left, axis1=1, axis2=2) - 1.0), -1.0, 1.0))


def test_regions_of_postures_cover_all_within_a_wide_tolerance_of_orientation() -> None:
    robot, R = wrist(np.zeros(3), 1.0), kido.math.so3_exp((0.3, -0.4, 0.5))
    search = GlobalIK(robot)
    search.add_world_orientation_constraint(robot.bodies[-1], R, tolerance=0.6)
    q = np.random.default_rng(0).uniform(-1.0, 1.0, (3000, 3))
    angle = angles_left(robot, q, R)
    regions = search.posture_regions(resolution=0.4)
    assert (angle < 0.6).sum() > 100
    assert not outside(regions, q[angle < 0.6]).any()
    assert outside(regions, q[angle > 1.6]).mean() > 0.5


def test_wide_tolerances_about_any_axis_are_decided_just_within_and_just_beyond() -> None:
    """Rotations of 1 rad and more, by which joints in a narrow range miss an orientation."""
    rng = np.random.default_rng(0)
    for _ in range(examples(20)):
        middle, turn = rng.uniform(-1.0, 1.0, 3), rng.normal(size=3)
        turn *= rng.uniform(1.0, 2.5) / np.linalg.norm(turn)
        robot = wrist(middle, 0.02)
        body = robot.bodies[-1]
        R = np.asarray(body.transform())[:3, :3] @ kido.math.so3_exp(turn)
        corners = middle + 0.02 * np.array(np.meshgrid(*[[-1.0, 1.0]] * 3)).reshape(3, -1).T
        inside = middle + rng.uniform(-0.02, 0.02, (2000, 3))
        least = angles_left(robot, np.concatenate([corners, inside]), R).min()
        for excess in (0.02, -0.02):
            search = GlobalIK(robot)
            search.add_world_orientation_constraint(body, R, tolerance=least + excess)
            verdict = search.solve()
            assert verdict.success is (excess > 0.0)
            assert verdict.infeasible is (excess < 0.0)


def test_undecided_problems_keep_what_came_nearest() -> None:
    search = GlobalIK(kido.gallery.arm7())
    search.add_world_position_constraint(tool_of(search.skeleton), (0.0, 0.9, 0.95))
    search.add_world_orientation_constraint(tool_of(search.skeleton), np.eye(3), tolerance=1.0)
    full = search.solve(time_budget=300.0)
    short = search.solve(max_nodes=1)
    assert full.infeasible
    assert short.undecided
    assert not short
    assert "number of boxes" in short.reason
    assert 0.0 < short.linear_violation + short.angular_violation < 1.0
    quick = search.solve(time_budget=1e-9)
    assert quick.undecided
    assert "time" in quick.reason


@looped("count", [1, 2, 3])
def test_verdicts_do_not_depend_on_threads(count: int) -> None:
    robot = kido.gallery.arm7()
    search = GlobalIK(robot)
    search.add_world_position_constraint(tool_of(robot), (0.9, 0.5, 0.6))
    before = kido.num_threads()
    try:
        kido.set_num_threads(1)
        alone = search.solve()
        kido.set_num_threads(count)
        assert search.solve().nodes == alone.nodes
    finally:
        kido.set_num_threads(before)


def test_the_initial_guess_is_the_first_start() -> None:
    robot = planar()
    for elbow in (1.0, -1.0):
        search = GlobalIK(robot)
        search.set_initial_guess((0.0, elbow))
        search.add_world_position_constraint(tool_of(robot), (0.5, 0.4, 0.0))
        assert search.solve().positions[1] * elbow > 0.0


def test_an_initial_guess_that_satisfies_the_constraints_is_the_answer() -> None:
    robot = kido.gallery.arm7()
    tool, sides = tool_of(robot), np.vstack([np.eye(3), -np.eye(3)])
    corner = np.array([0.5, 0.1, 0.6, -0.3, 0.1, -0.3])
    search = GlobalIK(robot)
    search.add_sphere_in_one_of_polytopes(
        tool, 0.02, [(sides, corner + np.repeat([9.0, -9.0], 3)), (sides, corner)]
    )
    first = search.solve()
    inside = 0.5 * (first.positions + search.solve(seed=3).positions)
    search.set_initial_guess(first.positions)
    again = search.solve()
    assert again.success and again.regions == first.regions == (1,)
    np.testing.assert_array_equal(again.positions, first.positions)
    search.set_initial_guess(inside + 1.0)  # does not
    assert search.solve().success


def test_copies_are_problems_of_their_own() -> None:
    robot = planar()
    search = GlobalIK(robot, linear_tolerance=1e-5)
    search.add_world_position_constraint(tool_of(robot), (0.6, 0.2, 0.0))
    for other in (copy.copy(search), copy.deepcopy(search), pickle.loads(pickle.dumps(search))):
        other.add_joint_limits("j1", 0.0, 0.1)
        assert other.solve().infeasible
        assert other.linear_tolerance == 1e-5
    assert search.solve().success


def test_the_skeleton_may_change_between_calls() -> None:
    robot = planar()
    search = GlobalIK(robot)
    search.add_world_position_constraint(tool_of(robot), (0.9, 0.0, 0.0))
    assert search.solve().infeasible
    robot.joint("j1").T_parent_joint = moved(0.7, 0.0, 0.0)
    assert search.solve().success
    robot.body("l1").name = "other"
    with pytest.raises(kido.errors.UnknownNameError, match="l1"):
        search.solve()


def test_a_search_knows_each_edit_of_joints_between_its_calls() -> None:
    robot = planar()
    search = GlobalIK(robot)
    search.add_world_position_constraint(tool_of(robot), (0.0, 0.75, 0.0))
    assert search.solve().success
    robot.joint("j0").position_upper_limits = [0.5]
    robot.joint("j0").position_lower_limits = [0.0]
    assert search.solve().infeasible
    robot.joint("j0").position_upper_limits = [np.pi]
    assert search.solve().success
    robot.joint("j1").mimic = kido.description.Mimic("j0", 1.0, 0.0)
    robot.joint("j1").actuator = "mimic"
    robot.mimic_enforced = True
    assert search.solve().infeasible
    near = np.array([0.3, 0.15])
    robot.joint("j1").mimic = kido.description.Mimic("j0", 0.5, 0.0)
    robot.positions = near
    there = tool_of(robot).transform()[:3, 3]
    search = GlobalIK(robot)
    search.add_world_position_constraint(tool_of(robot), there)
    assert np.abs(search.solve().positions - near).max() < 1e-5
    robot.joint("j1").mimic = kido.description.Mimic("j0", 0.6, 0.0)
    assert search.solve().infeasible
    robot.joint("j1").actuator = "locked"
    robot.mimic_enforced = False
    robot.positions = near
    assert search.solve().success
    robot.positions = (0.3, 0.3)
    assert search.solve().infeasible
    robot.joint("j1").actuator = "force"
    assert search.solve().success
    robot.body("l1").change_parent_joint_type(kido.PrismaticJoint)
    with pytest.raises(ValueError, match="'j1': expected finite limits"):
        search.solve()


@looped("kind", [kido.BallJoint, kido.FreeJoint])
def test_bodies_that_turn_any_way(kind: type[kido.Joint]) -> None:
    """A rod of 0.5 m on a ball, whose centre may be anywhere in a cube of 2 m where it is free."""
    robot = kido.Skeleton("rod")
    rod = robot.add_body("rod", None, kind("root"))
    tip = rod.add_end_effector("tip", (0.5, 0.0, 0.0))
    search = GlobalIK(robot)
    corner = np.zeros(3)
    if kind is kido.FreeJoint:
        with pytest.raises(ValueError, match="expected finite limits"):
            search.add_world_position_constraint(tip, (0.0, 0.0, 0.0))
            search.solve()
        search = GlobalIK(robot)
        corner += 1.0
        for dof in robot.dofs[3:]:
            search.add_joint_limits(dof, -1.0, 1.0)
    robot.positions = np.random.default_rng(3).uniform(-0.7, 0.7, robot.num_dofs)
    pose = tip.transform()
    robot.positions = np.zeros(robot.num_dofs)
    free = copy.copy(search)
    free.add_world_pose_constraint(tip, pose)
    verdict = free.solve()
    assert verdict
    robot.positions = verdict.positions
    assert np.abs(tip.transform() - pose).max() < 1e-5
    for direction in np.random.default_rng(4).normal(size=(4, 3)):
        towards = np.abs(direction) / np.linalg.norm(direction)
        near = 0.5 if kind is kido.BallJoint else 0.499
        for length, reached in ((near, True), (0.501, False)):
            search.set_initial_guess(np.zeros(robot.num_dofs))
            one = copy.copy(search)
            one.add_world_position_constraint(tip, corner + length * towards)
            assert one.solve().success is reached
            assert one.solve().infeasible is not reached


def test_limits_of_rotation_vectors_and_joints_of_users_are_refused_by_name() -> None:
    robot = kido.Skeleton("rod")
    rod = robot.add_body("rod", None, kido.BallJoint("root", position_upper_limits=[1.0, INFINITY, INFINITY]))
    search = GlobalIK(robot)
    search.add_world_position_constraint(rod.add_end_effector("tip", (0.5, 0.0, 0.0)), (0.0, 0.5, 0.0))
    with pytest.raises(ValueError, match="rotation vectors"):
        search.solve()
