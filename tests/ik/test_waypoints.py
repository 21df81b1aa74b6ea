"""Waypoints with tolerances: what is reached is within them, and near to what was before."""

from __future__ import annotations

import math

import numpy as np
import pytest
from _hinges import with_hinges

import kido
from kido import InverseKinematics, Skeleton, gallery
from kido.description import Mimic
from kido.ik import ConstraintRelaxingIK, Waypoint, WaypointPath, WaypointStatus
from kido.ik._waypoints._relaxing_search import Tolerance
from kido.math import so3_exp
from kido.typing import ArrayLike, FloatArray

BENT = (0.2, 0.6, -0.3, 1.2, 0.4, 0.8, 0.1)


def arm(joints: int = 7) -> tuple[Skeleton, kido.BodyNode | kido.FrameNode]:
    robot = gallery.arm7() if joints == 7 else gallery.arm()
    robot.positions = BENT[:joints]
    return robot, robot.end_effector("tool")


def moved(T: FloatArray, *translation: float, turned: ArrayLike = (0.0, 0.0, 0.0)) -> FloatArray:
    result = T.copy()
    result[:3, 3] += [*translation, 0.0, 0.0][:3] if translation else 0.0
    result[:3, :3] = so3_exp(turned) @ T[:3, :3]
    return result


def line(T: FloatArray, count: int = 40) -> list[FloatArray]:
    return [moved(T, 0.0, 0.2 * share, -0.15 * share) for share in np.linspace(0.0, 1.0, count)]


def check(robot: Skeleton, node: str, waypoints: list[Waypoint], path: WaypointPath) -> None:
    """What the results say is so, by a skeleton of its own."""
    copy = robot.clone()
    tool = copy.end_effector(node)
    for waypoint, result in zip(waypoints, path.results, strict=False):
        copy.positions = result.positions
        T = tool.transform()
        np.testing.assert_allclose(result.position_error, T[:3, 3] - waypoint.pose[:3, 3], atol=1e-12)
        cosine = (np.trace(T[:3, :3].T @ waypoint.pose[:3, :3]) - 1.0) / 2.0
        assert math.cos(result.orientation_error) == pytest.approx(cosine, abs=1e-12)
        assert (result.positions >= robot.position_lower_limits - 1e-12).all()
        assert (result.positions <= robot.position_upper_limits + 1e-12).all()
        if result.success:
            assert (np.abs(result.position_error) <= waypoint.position_tolerance).all()
            if waypoint.constrain_orientation:
                assert result.orientation_error <= waypoint.orientation_tolerance


@pytest.mark.parametrize("constrained", [False, True])
def test_a_line_is_followed_within_tolerances_by_small_steps(constrained: bool) -> None:
    robot, tool = arm()
    before = robot.positions.copy()
    waypoints = [Waypoint(T, constrain_orientation=constrained) for T in line(tool.transform())]
    path = ConstraintRelaxingIK(robot, tool).solve(waypoints)
    assert path.success
    assert path.failed is None
    assert len(path) == path.num_waypoints == 40
    assert "all 40 waypoints reached" in path.message
    check(robot, "tool", waypoints, path)
    assert np.abs(np.diff(np.vstack([path.start, path.positions]), axis=0)).max() < 0.1
    assert all(result.solves == 1 and result.seeds == 0 for result in path.results)
    np.testing.assert_array_equal(robot.positions, before)


def test_the_posture_is_the_nearest_within_the_tolerances() -> None:
    """No posture near the answer is within the tolerances and nearer to the one before."""
    robot, tool = arm()
    waypoint = Waypoint(moved(tool.transform(), 0.1, 0.1, -0.05), (0.004, 0.006, 0.002))
    weights = np.array([1.0, 2.0, 0.5, 1.0, 3.0, 1.0, 1.0])
    path = ConstraintRelaxingIK(robot, tool, posture_weights=weights).solve([waypoint])
    q = path.positions[0]
    q0 = robot.positions
    robot.positions = q
    module = InverseKinematics(tool)
    J = module.jacobian()[3:]
    gradient = weights * (q - q0)
    # its gradient is one of the forces by which the box holds the tool, outward on each side
    multipliers, *_ = np.linalg.lstsq(J.T, -gradient, rcond=None)
    np.testing.assert_allclose(J.T @ multipliers, -gradient, atol=2e-5)
    errors = path.results[0].position_error
    edges = np.abs(np.abs(errors) - waypoint.position_tolerance) < 5e-6
    assert edges.all()
    assert (np.sign(multipliers[edges]) == np.sign(errors[edges])).all()


def test_far_waypoints_take_relaxations_and_seeds() -> None:
    robot, tool = arm()
    other = robot.clone()
    rng = np.random.default_rng(5)
    waypoints = []
    for _ in range(30):
        other.positions = other.random_positions(rng)
        pose = other.end_effector("tool").transform()
        waypoints.append(Waypoint(pose, 1e-3, 0.01, constrain_orientation=True))
    path = ConstraintRelaxingIK(robot, tool).solve(waypoints)
    assert path.success, path.message
    check(robot, "tool", waypoints, path)
    assert any(result.seeds > 0 for result in path.results)
    assert any(result.relaxations > 10 for result in path.results)


def test_an_orientation_counts_by_its_whole_angle() -> None:
    """A wrist that comes to 0.045 rad from the target, where three angles of 0.05 / sqrt(3) would not do."""
    robot, tool = arm(6)
    module = InverseKinematics(tool)
    axis = module.jacobian()[:3, 5]
    T = moved(tool.transform(), turned=0.1 * axis)
    for dof in robot.dofs:
        q = float(robot.positions[dof.index])
        dof.position_lower_limit, dof.position_upper_limit = q - 1e-4, q + 1e-4
    robot.dof(5).position_upper_limit = float(robot.positions[5]) + 0.055
    waypoint = Waypoint(T, 1e-3, 0.05, constrain_orientation=True)
    path = ConstraintRelaxingIK(robot, tool).solve([waypoint])
    assert path.success, path.message
    assert 0.044 < path.results[0].orientation_error <= 0.05
    check(robot, "tool", [waypoint], path)
    closer = Waypoint(T, 1e-3, 0.04, constrain_orientation=True)
    failed = ConstraintRelaxingIK(robot, tool).solve([closer]).results[0]
    assert not failed
    assert failed.orientation_error == pytest.approx(0.045, abs=1e-3)


def test_tolerances_grow_and_shrink_in_turn() -> None:
    waypoint = Waypoint(np.eye(4), (0.005, 0.02, 1.0), 0.004, constrain_orientation=True)
    first = Tolerance.first(waypoint)
    np.testing.assert_array_equal(first.lengths, [0.005, 0.01, 0.01])
    assert first.angle == 0.004
    turned = first.grown()
    assert turned.angle == pytest.approx(0.006)
    both = turned.grown()
    np.testing.assert_allclose(both.lengths, [0.0075, 0.015, 0.015])
    assert both.angle == turned.angle
    tighter = both.shrunk(waypoint)  # both are too loose, and the lengths changed last
    assert (tighter.angle, tighter.lengths[0]) == (pytest.approx(0.003), pytest.approx(0.0075))
    tight = tighter.shrunk(waypoint)
    np.testing.assert_allclose(tight.lengths, [0.00375, 0.0075, 0.0075])
    free = Tolerance.first(Waypoint(np.eye(4), 0.02))
    assert (free.angle, free.grown().angle) == (np.inf, np.inf)
    np.testing.assert_allclose(free.grown().lengths, 0.015)


def test_a_waypoint_out_of_reach_ends_the_path_with_what_came_nearest() -> None:
    robot, tool = arm()
    reach = line(tool.transform(), 3)
    waypoints = [Waypoint(reach[0]), Waypoint(moved(reach[0], 3.0)), Waypoint(reach[2])]
    path = ConstraintRelaxingIK(robot, tool).solve(waypoints)
    assert not path
    assert path.failed == 1
    assert len(path) == 2
    failed = path.results[1]
    assert failed.status is WaypointStatus.NOT_REACHED
    assert (failed.seeds, failed.relaxations) == (50, 51 * 11)
    assert "waypoint 1 of 3: not reached" in path.message
    check(robot, "tool", waypoints, path)
    best = float(np.linalg.norm(failed.position_error))
    base = robot.bodies[0].transform()[:3, 3]
    farthest = np.linalg.norm(waypoints[1].pose[:3, 3] - base)
    assert best < farthest  # it came nearer than the base is


def test_keep_going_and_time_end_a_path() -> None:
    robot, tool = arm()
    waypoints = [Waypoint(T) for T in line(tool.transform(), 5)]
    solver = ConstraintRelaxingIK(robot, tool)
    asked: list[int] = []

    def twice(index: int) -> bool:
        asked.append(index)
        return index < 2

    path = solver.solve(waypoints, keep_going=twice)
    assert asked == [0, 1, 2]
    assert [result.status for result in path.results] == [
        *[WaypointStatus.REACHED] * 2,
        WaypointStatus.STOPPED,
    ]
    hurried = solver.solve(waypoints, time_budget=1e-9)
    assert hurried.results[0].status is WaypointStatus.TIMED_OUT
    np.testing.assert_array_equal(hurried.positions[0], path.start)


def test_answers_are_those_of_the_seed_and_of_the_start() -> None:
    robot, tool = arm()
    far = Waypoint(moved(tool.transform(), -0.9, 0.4, 0.1, turned=(1.0, 2.0, 0.0)), 1e-3, 0.01, True)
    solver = ConstraintRelaxingIK(robot, tool)
    assert solver.solve([far], seed=1) == solver.solve([far], seed=1)
    q = robot.positions + 0.3
    path = solver.solve([Waypoint(tool.transform())], q)
    np.testing.assert_array_equal(path.start, q)
    robot.positions = q
    nothing = solver.solve(np.zeros((0, 4, 4)))
    assert nothing.success
    assert nothing.positions.shape == (0, 7)


def test_some_dofs_move_and_the_others_stay() -> None:
    robot, tool = arm()
    T = moved(tool.transform(), 0.0, 0.03, -0.02)
    names = [dof.name for dof in robot.dofs]
    path = ConstraintRelaxingIK(robot, tool, dofs=[names[1], names[3], names[0]]).solve([Waypoint(T, 1e-4)])
    assert path.success
    np.testing.assert_array_equal(path.positions[0][[2, 4, 5, 6]], robot.positions[[2, 4, 5, 6]])


def test_joints_of_the_users_own_give_the_answers_of_built_in_ones() -> None:
    robot, tool = arm()
    own = with_hinges(robot, 1, 3)
    for constrained in (False, True):
        pose = moved(tool.transform(), 0.05, 0.1, 0.02, turned=(0.1, -0.2, 0.3))
        waypoints = [Waypoint(pose, 1e-3, 0.01, constrained), Waypoint(moved(pose, 0.0, 0.02, 0.0), 1e-3)]
        expected, path = (
            ConstraintRelaxingIK(one, one.end_effector("tool")).solve(waypoints) for one in (robot, own)
        )
        assert path.success
        check(robot, "tool", waypoints, path)
        if not constrained:
            np.testing.assert_allclose(path.positions, expected.positions, atol=1e-5)
        # an angle counts by its whole length, not by three parts that are certainly within it
        near, known = (float(np.sum((one.positions[0] - one.start) ** 2)) for one in (path, expected))
        assert near <= known + 1e-8


def test_what_follows_a_leader_follows_it_in_the_answer() -> None:
    robot, tool = arm()
    follower = kido.RevoluteJoint(
        "follower", axis=(0, 0, 1), mimic=Mimic(robot.dofs[1].name, 2.0), actuator="mimic"
    )
    robot.add_body("finger", robot.bodies[-1], follower)
    robot.mimic_enforced = True
    q = (
        ConstraintRelaxingIK(robot, tool)
        .solve([Waypoint(moved(tool.transform(), 0.0, 0.1, 0.0))])
        .positions[0]
    )
    assert q[1] != robot.positions[1]
    assert q[-1] == pytest.approx(2.0 * q[1], abs=1e-15)


def test_a_frame_that_no_dof_moves_stays_where_it_is() -> None:
    robot, _ = arm()
    stand = robot.add_body("stand", None, kido.WeldJoint("foot"))
    T = stand.transform()
    for dofs in (None, [robot.dofs[0]]):
        solver = ConstraintRelaxingIK(robot, stand, dofs=dofs)
        assert solver.solve([Waypoint(T)]).success
        off = solver.solve([Waypoint(moved(T, 0.1))])
        assert off.results[0].status is WaypointStatus.NOT_REACHED
        np.testing.assert_allclose(off.results[0].position_error, [-0.1, 0.0, 0.0], atol=1e-15)
        assert (off.results[0].solves, off.results[0].seeds) == (1, 0)  # nothing else can come of it


def test_edits_and_limits_of_the_skeleton_hold_from_the_next_call() -> None:
    robot, tool = arm()
    solver = ConstraintRelaxingIK(robot, tool)
    T = moved(tool.transform(), 0.0, 0.1, 0.0)
    q = solver.solve([Waypoint(T)]).positions[0]
    robot.dof(0).position_upper_limit = float(robot.positions[0]) + 1e-3
    limited = solver.solve([Waypoint(T)])
    assert limited.success
    assert q[0] > robot.position_upper_limits[0] >= limited.positions[0][0] - 1e-12


def test_wrong_input_is_named() -> None:
    robot, tool = arm()
    T = tool.transform()
    with pytest.raises(ValueError, match=r"position_tolerance: expected positive numbers \[m\], got 0"):
        Waypoint(T, (0.1, 0.0, 0.1))
    with pytest.raises(ValueError, match=r"orientation_tolerance: expected a positive angle \[rad\], got -1"):
        Waypoint(T, orientation_tolerance=-1.0)
    with pytest.raises(ValueError, match="pose"):
        Waypoint(2.0 * T)
    solver = ConstraintRelaxingIK(robot, tool)
    with pytest.raises(TypeError, match="waypoints: expected a sequence"):
        solver.solve(Waypoint(T))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"waypoints: expected Waypoint, or shape \(n, 4, 4\)"):
        solver.solve(T)
    with pytest.raises(ValueError, match=r"positions: expected shape \(7,\)"):
        solver.solve([Waypoint(T)], [0.0])
    with pytest.raises(TypeError, match="keep_going: expected a function or None, got 1"):
        solver.solve([Waypoint(T)], keep_going=1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="time_budget: expected a positive number"):
        solver.solve([Waypoint(T)], time_budget=0.0)
    with pytest.raises(TypeError, match="frame: expected a body or a frame on one, got int"):
        ConstraintRelaxingIK(robot, 3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="frame: 'tool' is of another skeleton"):
        ConstraintRelaxingIK(robot, robot.clone().end_effector("tool"))
    with pytest.raises(ValueError, match="posture_weights: expected positive numbers, got -1"):
        ConstraintRelaxingIK(robot, tool, posture_weights=-1.0)
