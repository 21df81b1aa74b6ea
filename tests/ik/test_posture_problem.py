"""Postures under constraints: what is found, what is said of it, and what becomes of copies."""

from __future__ import annotations

import copy
import pickle
import signal
import threading
import time

import numpy as np
import pytest
from _posture_parts import Array, constraints, costs, two_skeletons
from numpy.testing import assert_allclose
from scipy.optimize import least_squares

import kido
from kido.description import Mimic
from kido.errors import UnknownNameError, UnsupportedShapeError
from kido.ik import (
    AngleBetweenVectorsConstraint,
    FunctionCost,
    GazeTargetConstraint,
    JointCouplingConstraint,
    OrientationConstraint,
    PointToLineDistanceConstraint,
    PointToPointDistanceConstraint,
    PolyhedronConstraint,
    PositionConstraint,
    PostureConstraint,
    PostureCost,
    PostureProblem,
    PostureStatus,
    SupportContact,
)
from kido.optimize import NloptSolver, SciPySolver, Solver, kkt_residual, one_sided_constraints
from kido.skeleton import DegreeOfFreedom, Skeleton

ORIGIN = np.zeros(3)


def arm() -> Skeleton:
    return kido.gallery.make("arm7")


def reachable(robot: Skeleton, seed: int = 0) -> tuple[Array, Array]:
    """A posture within the limits, and the pose of the last body there."""
    rng = np.random.default_rng(seed)
    lower, upper = robot.tree.lower_limits, robot.tree.upper_limits
    q = rng.uniform(np.maximum(lower, -2.0), np.minimum(upper, 2.0))
    return q, robot.tree.transform(q, robot.num_bodies - 1)


def pose_problem(robot: Skeleton, T: Array, bound: float = 0.0) -> PostureProblem:
    problem = PostureProblem(robot)
    tool = robot.bodies[-1]
    problem.add_position_constraint(tool, T[:3, 3], T[:3, 3])
    problem.add_orientation_constraint(tool, bound, rotation=T[:3, :3])
    return problem


def set_limits(dof: DegreeOfFreedom, lower: float, upper: float) -> None:
    dof.position_lower_limit, dof.position_upper_limit = lower, upper


def follow(robot: Skeleton, follower: int, leader: int, multiplier: float, offset: float) -> None:
    joint = robot.dofs[follower].joint
    joint.mimic = Mimic(robot.dofs[leader].joint.name, multiplier, offset)
    joint.actuator = "mimic"
    robot.mimic_enforced = True


def on_two_feet(robot: Skeleton) -> PostureProblem:
    """Feet stay, a hand reaches out, the centre of mass is above the feet, the posture near the one now."""
    problem = PostureProblem(robot)
    for name in ("left_foot", "right_foot"):
        T = robot.body(name).transform()
        problem.add_position_constraint(robot.body(name), T[:3, 3], T[:3, 3])
        problem.add_orientation_constraint(robot.body(name), rotation=T[:3, :3])
    target = np.array([0.45, -0.2, 1.2])
    problem.add_position_constraint(robot.body("right_hand"), target, target)
    problem.add_center_of_mass_constraint([-0.05, -0.08, -np.inf], [0.1, 0.08, np.inf])
    problem.add_posture_cost(robot.positions, 0.1)
    return problem


# ---- what is found


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("bound", [0.0, 1e-3, 0.2])
def test_a_pose_within_reach_is_found(seed: int, bound: float) -> None:
    robot = arm()
    before = np.array(robot.positions)
    _, T = reachable(robot, seed)
    result = pose_problem(robot, T, bound).solve(random_seed=seed)
    assert result.success, result
    found = robot.tree.transform(result.positions, robot.num_bodies - 1)
    assert_allclose(found[:3, 3], T[:3, 3], atol=1e-6)
    assert np.linalg.norm(kido.math.so3_log(T[:3, :3].T @ found[:3, :3])) <= bound + 1e-6
    assert (result.positions >= robot.tree.lower_limits - 1e-12).all()
    assert (result.positions <= robot.tree.upper_limits + 1e-12).all()
    assert_allclose(robot.positions, before)


def test_a_solution_is_connected_with_its_seed() -> None:
    robot = arm()
    q, T = reachable(robot, 3)
    rng = np.random.default_rng(0)
    for _ in range(10):
        seed = np.clip(q + rng.uniform(-0.05, 0.05, 7), robot.tree.lower_limits, robot.tree.upper_limits)
        result = pose_problem(robot, T).solve(seed, max_starts=1, max_escapes=0)
        assert result.success
        assert np.abs(result.positions - seed).max() < 0.4


def test_one_random_seed_gives_one_result_and_others_others() -> None:
    robot = arm()
    problem = PostureProblem(robot)
    problem.add_position_constraint(robot.bodies[-1], [0.3, 0.1, 0.5], [0.3, 0.1, 0.5])
    seeds = [problem.solve(random_seed=k, best_of=6, max_starts=6) for k in (1, 1, 2)]
    problem.add_posture_cost(np.full(7, 0.4))
    first, again, other = (problem.solve(random_seed=k, best_of=6, max_starts=6) for k in (1, 1, 2))
    assert first.cost <= problem.solve(max_starts=1).cost + 1e-9
    assert_allclose(first.positions, again.positions, atol=0.0)
    assert seeds[0].positions.tobytes() == seeds[1].positions.tobytes()
    assert other.success


def test_the_gradient_of_the_lagrangian_vanishes_at_a_solution() -> None:
    """Measured by kido.optimize, from the problem that other solvers get."""
    robot = kido.gallery.make("humanoid")
    problem = on_two_feet(robot)
    result = problem.solve(optimality=1e-8)
    assert result.success, result
    plain = problem.as_problem()
    x = result.positions
    assert plain.violation(x) < 1e-7
    gradient = plain.gradient(x)
    left = kkt_residual(
        gradient, plain.equality_jacobian(x), one_sided_constraints(plain, x), scale=np.abs(gradient).max()
    )
    assert left < 1e-5
    assert result.stationarity <= 1e-8
    worse = problem.solve(optimality=1e-8, max_iterations=2, max_starts=1)
    assert not worse.success
    assert worse.status is PostureStatus.MAX_ITERATIONS


@pytest.mark.parametrize("seed", range(6))
def test_a_quadratic_cost_with_linear_constraints_has_the_minimum_of_the_quadratic_program(seed: int) -> None:
    rng = np.random.default_rng(seed)
    robot = arm()
    problem = PostureProblem(robot)
    n = robot.num_dofs
    W, target = rng.normal(size=(n, n)), rng.uniform(-1, 1, n)
    W = W @ W.T + 0.1 * np.eye(n)
    problem.add_posture_cost(target, W)
    A, lower, upper = rng.normal(size=(3, n)), rng.uniform(-0.5, 0.0, 3), rng.uniform(0.0, 0.5, 3)
    for row, low, high in zip(A, lower, upper, strict=True):
        problem.add_joint_coupling_constraint(dict(zip(robot.dofs, row, strict=True)), low, high)
    result = problem.solve(optimality=1e-9)
    known = kido.optimize.QuadraticProgram(
        2.0 * W,
        -2.0 * W @ target,
        A=A,
        row_lower=lower,
        row_upper=upper,
        lower=robot.tree.lower_limits,
        upper=robot.tree.upper_limits,
    ).solve()
    assert result.success
    assert_allclose(result.positions, known.x, atol=1e-6)


def around(robot: Skeleton, q: Array) -> list[PostureConstraint]:
    """Constraints that a posture satisfies."""
    tool, elbow = robot.bodies[-1], robot.bodies[3]
    T, E = (robot.tree.transform(q, body.index) for body in (tool, elbow))
    p, tip = T[:3, 3], (T @ [0.0, 0.0, 0.1, 1.0])[:3]
    length = float(np.linalg.norm(E[:3, 3] - p))
    return [
        PositionConstraint(tool, p - 0.01, p + 0.01),
        OrientationConstraint(tool, 0.05, rotation=T[:3, :3]),
        GazeTargetConstraint(tool, (0, 0, 1), (T @ [0.02, 0, 0.5, 1])[:3], 0.1),
        AngleBetweenVectorsConstraint(tool, (1, 0, 0), T[:3, 0], 0.0, 0.1),
        PointToLineDistanceConstraint(tool, T[:3, 1], 0.0, 0.02, line_point=p),
        PointToPointDistanceConstraint(tool, length - 0.01, length + 0.01, other_frame=elbow),
        JointCouplingConstraint({robot.dofs[2]: 1.0}, q[2] - 0.3, q[2] + 0.3),
        PolyhedronConstraint(tool, [ORIGIN, (0, 0, 0.1)], np.eye(6), np.append(p, tip) + 0.02),
    ]


@pytest.mark.parametrize("seed", range(20))
def test_random_combinations_of_constraints_that_a_posture_satisfies_are_solved(seed: int) -> None:
    robot = arm()
    q, _ = reachable(robot, seed)
    problem = PostureProblem(robot)
    listed = around(robot, q)
    for k in np.random.default_rng(seed).choice(len(listed), 4, replace=False):
        problem.add(listed[k])
    assert not [v for v in problem.violations(q) if v.amount > 0.0]
    result = problem.solve()
    assert result.success, (str(result), problem.constraints)
    assert max((v.amount for v in problem.violations(result.positions)), default=0.0) <= 1e-6


def test_a_humanoid_stands_on_two_feet_and_its_forces_hold_it() -> None:
    robot = kido.gallery.make("humanoid")
    problem = on_two_feet(robot)
    corners = [(x, y, -0.08) for x in (-0.07, 0.13) for y in (-0.045, 0.045)]
    feet = [robot.body(name) for name in ("left_foot", "right_foot")]
    contacts = [SupportContact(foot, corner, friction=0.6) for foot in feet for corner in corners]
    problem.add_static_equilibrium_constraint(contacts)
    result = problem.solve()
    assert result.success, result
    assert result.forces.shape == (8, 3)
    problem.set_positions(result)
    points = [(foot.transform() @ [*corner, 1.0])[:3] for foot in feet for corner in corners]
    weight = robot.mass * robot.gravity
    assert_allclose(result.forces.sum(axis=0), -weight, atol=1e-3)
    moment = sum(np.cross(p - robot.com(), f) for p, f in zip(points, result.forces, strict=True))
    assert_allclose(moment, 0.0, atol=1e-3)
    assert (np.linalg.norm(result.forces[:, :2], axis=1) <= 0.6 * result.forces[:, 2] + 1e-3).all()
    assert all(v.relative <= 1e-6 for v in problem.violations(forces=result.forces))


def test_no_shapes_overlap_at_a_solution() -> None:
    robot = kido.gallery.make("humanoid")
    problem = on_two_feet(robot)
    free = kido.collision.distance(robot, filter=kido.collision.CollisionFilter(self_collisions=True)).shapes
    pairs = [pair for pair in free if kido.collision.distance(*pair).distance > 0.011]
    hand, hip = robot.body("left_hand"), robot.body("left_thigh").transform()[:3, 3]
    problem.add_position_cost(hand, hip, 50.0)
    touching = problem.solve()
    problem.add_minimum_distance_lower_bound_constraint(0.01, 0.05, pairs=pairs)
    assert touching.success
    worst = max(problem.violations(touching.positions), key=lambda v: v.amount)
    assert worst.amount > 1e-3
    assert "least distance" in worst.text
    assert "left_hand" in worst.text
    result = problem.solve()
    assert result.success, result
    problem.set_positions(result)
    assert min(kido.collision.distance(*pair).distance for pair in pairs) >= 0.01 - 1e-6


def test_one_of_several_shapes_comes_near() -> None:
    robot = arm()
    ball = kido.gallery.ball(0.05, name="target")
    ball.positions = [0.0, 0.0, 0.0, 0.4, 0.2, 0.4]
    frozen = range(robot.num_dofs, robot.num_dofs + ball.num_dofs)
    problem = PostureProblem([robot, ball], frozen=list(frozen))
    shapes = [node for node in robot.bodies[-1].shape_nodes]
    target = ball.bodies[0].shape_nodes[0]
    problem.add_minimum_distance_upper_bound_constraint(0.001, 0.1, pairs=[(one, target) for one in shapes])
    problem.add_minimum_distance_lower_bound_constraint(0.0, 0.05, pairs=[(one, target) for one in shapes])
    result = problem.solve()
    assert result.success, result
    problem.set_positions(result)
    nearest = min(kido.collision.distance(one, target).distance for one in shapes)
    assert -1e-6 <= nearest <= 0.001 + 1e-6


# ---- joints


def test_locked_and_frozen_dofs_stand_still_and_followers_follow() -> None:
    robot = arm()
    _, T = reachable(robot, 1)
    follow(robot, 1, 3, -0.5, 0.1)
    robot.dofs[0].joint.actuator = "locked"
    problem = PostureProblem(robot, frozen=[4])
    problem.add_position_constraint(robot.bodies[-1], T[:3, 3] - 0.3, T[:3, 3] + 0.3)
    before = np.array(robot.positions)
    result = problem.solve()
    assert result.success, result
    assert_allclose(result.positions[[0, 4]], before[[0, 4]], atol=0.0)
    assert_allclose(result.positions[1], -0.5 * result.positions[3] + 0.1, atol=1e-12)
    with pytest.raises(ValueError, match="follows"):
        PostureProblem(robot, frozen=[1])
    only = PostureProblem(robot, dofs=[robot.dofs[6].name])
    only.add_posture_cost(np.full(7, 0.3))
    moved = only.solve()
    assert_allclose(moved.positions[6], 0.3, atol=1e-6)
    assert_allclose(moved.positions[[2, 5]], before[[2, 5]], atol=0.0)


def test_limits_of_followers_hold_their_leaders() -> None:
    robot = arm()
    follow(robot, 1, 3, 2.0, 0.0)
    set_limits(robot.dofs[1], -0.2, 0.2)
    problem = PostureProblem(robot)
    problem.add_posture_cost(np.full(7, 0.5))
    result = problem.solve()
    assert result.success
    assert_allclose(result.positions[[1, 3]], [0.2, 0.1], atol=1e-7)


def test_rotations_of_ball_joints_go_along_the_group_within_limits() -> None:
    robot = kido.gallery.make("humanoid")
    problem = PostureProblem(robot)
    root = robot.bodies[0]
    R = kido.math.so3_exp(np.array([0.0, 0.0, 3.0]))
    problem.add_orientation_constraint(root, rotation=R)
    assert problem.solve().success
    set_limits(robot.dofs[2], -0.5, 0.5)
    set_limits(robot.dofs[4], -0.1, 0.1)
    free = PostureProblem(robot)
    free.add_orientation_cost(root, rotation=R)
    free.add_position_cost(root, (0.0, 1.0, 0.0))
    result = free.solve()
    assert result.success
    assert_allclose(result.positions[2], 0.5, atol=1e-6)
    assert_allclose(result.positions[4], 0.1, atol=1e-6)
    beyond = PostureProblem(robot, with_joint_limits=False)
    beyond.add_orientation_constraint(root, rotation=R)
    found = beyond.solve()
    assert_allclose(np.abs(found.positions[:3]), [0.0, 0.0, 3.0], atol=1e-6)


def test_limits_hold_unless_they_are_left_out() -> None:
    robot = arm()
    for dof in robot.dofs:
        set_limits(dof, -0.2, 0.1)
    wanted = np.linspace(-0.9, 0.8, 7)
    for problem, expected in (
        (PostureProblem(robot), np.clip(wanted, -0.2, 0.1)),
        (PostureProblem(robot, with_joint_limits=False), wanted),
    ):
        problem.add_posture_cost(wanted)
        assert_allclose(problem.solve().positions, expected, atol=1e-6)


@pytest.mark.parametrize("locked", [False, True])
@pytest.mark.parametrize("solver", [None, SciPySolver()], ids=["own", "SciPy"])
def test_followers_go_where_their_leaders_say_from_any_seed(solver: Solver | None, locked: bool) -> None:
    robot = arm()
    follow(robot, 4, 1, -0.5, 0.2)
    if locked:
        robot.dofs[1].joint.actuator = "locked"
    hand, q = robot.bodies[-1], np.array([0.3, 0.5, -0.4, 1.2, -0.05, -0.6, 0.2])
    robot.positions = q
    place = hand.transform()[:3, 3]
    problem = PostureProblem(robot)
    problem.add_position_constraint(hand, place, place)
    seed = q + np.array([0.1, 0.0 if locked else 0.1, 0.1, -0.1, 0.4, 0.1, 0.1])
    result = problem.solve(seed, solver=solver, max_starts=1)
    assert result.success, result
    assert_allclose(result.positions[4], 0.2 - 0.5 * result.positions[1], atol=1e-12)
    assert (result.positions[1] == 0.5) == locked


def test_limits_of_a_leader_and_a_follower_that_contradict_are_infeasible() -> None:
    robot = arm()
    follow(robot, 4, 1, -0.5, 0.2)
    set_limits(robot.dofs[1], -0.5, 0.5)
    set_limits(robot.dofs[4], 1.5, 2.0)
    problem = PostureProblem(robot)
    problem.add_position_constraint(robot.bodies[-1], np.full(3, -9.0), np.full(3, 9.0))
    result = problem.solve()
    assert result.status is PostureStatus.INFEASIBLE
    assert not result.is_feasible
    assert [one.text for one in result.violations] == ["limits of joint_2"]
    assert_allclose(result.violation, 2.1, atol=1e-12)  # 1.5 needs -2.6 of the leader


def test_loops_close() -> None:
    left, right = arm(), arm()
    left.name, right.name = "left", "right"
    for kind in ("weld", "ball", "hinge"):
        problem = PostureProblem([left, right])
        problem.add_loop_closure_constraint(left.bodies[-1], right.bodies[-1], kind, axis=(1, 0, 0))
        problem.add_posture_cost(np.random.default_rng(0).uniform(-1.0, 1.0, 14))
        result = problem.solve()
        assert result.success, result
        problem.set_positions(result)
        A, B = left.bodies[-1].transform(), right.bodies[-1].transform()
        assert_allclose(A[:3, 3], B[:3, 3], atol=1e-6)
        angle = float(np.linalg.norm(kido.math.so3_log(A[:3, :3].T @ B[:3, :3])))
        if kind == "weld":
            assert angle < 1e-6
        if kind == "hinge":
            assert_allclose(A[:3, 0], B[:3, 0], atol=1e-6)
            assert angle > 1e-2
        left.positions, right.positions = np.full(7, 0.1), np.full(7, -0.1)


def test_joints_of_users_are_asked() -> None:
    robot = kido.gallery.make("cam")
    problem = PostureProblem(robot)
    body = robot.bodies[-1]
    q = np.clip(np.full(robot.num_dofs, 0.3), robot.tree.lower_limits, robot.tree.upper_limits)
    p = robot.tree.transform(q, robot.num_bodies - 1)[:3, 3]
    problem.add_position_constraint(body, p, p)
    result = problem.solve()
    assert result.success, result
    assert_allclose(robot.tree.transform(result.positions, robot.num_bodies - 1)[:3, 3], p, atol=1e-6)


# ---- functions of users


def test_functions_of_users_join_with_and_without_derivatives() -> None:
    robot = arm()
    problem = PostureProblem(robot)
    total = problem.add_function_constraint(lambda q: [q.sum()], [1.0], [1.0], name="sum")
    cost = problem.add_function_cost(lambda q: float((q - 0.5) @ (q - 0.5)))
    plain = problem.solve()
    problem.remove(total)
    problem.remove(cost)
    problem.add_function_constraint(lambda q: [q.sum()], [1.0], [1.0], derivative=lambda q: np.ones((1, 7)))
    problem.add(FunctionCost(lambda q: float((q - 0.5) @ (q - 0.5)), derivative=lambda q: 2.0 * (q - 0.5)))
    known = problem.solve(optimality=1e-9)
    for result in (plain, known):
        assert result.success, result
        assert_allclose(result.positions, np.full(7, 1.0 / 7.0), atol=1e-5)
    with pytest.raises(ZeroDivisionError):
        problem.add_function_cost(lambda q: 1 / 0)
        problem.solve()
    problem.remove(problem.costs[-1])
    problem.add_function_constraint(lambda q: [1.0, 2.0], [0.0], [1.0], name="two")
    with pytest.raises(ValueError, match="two: expected 1 numbers"):
        problem.solve()


def test_a_function_that_is_not_a_number_fails() -> None:
    robot = arm()
    problem = PostureProblem(robot)
    problem.add_function_cost(lambda q: np.nan)
    result = problem.solve(max_starts=2)
    assert result.status is PostureStatus.FAILED
    assert not result


@pytest.mark.parametrize("rows", [[np.nan], [0.5, np.nan, 0.5], [np.nan, 9.0]])
def test_numbers_of_a_constraint_of_the_users_that_are_nan_are_no_solution(rows: list[float]) -> None:
    arm = kido.gallery.arm7()
    problem = PostureProblem(arm)
    problem.add_joint_limits(arm.dofs[0], 0.1, 0.2)
    problem.add_function_constraint(lambda q: rows, np.zeros(len(rows)), np.ones(len(rows)))
    for with_cost in (False, True):
        if with_cost:
            problem.add_posture_cost(np.full(7, 0.1))
        result = problem.solve(max_starts=3)
        assert result.status is PostureStatus.FAILED, result
        assert np.isnan(result.violation)
        assert not result.is_feasible
    problem.clear()
    # NaN on the other side of a wall: the search stays on its own side.
    problem.add_function_constraint(lambda q: [q[0] if q[0] < 0.5 else np.nan], [0.3], [0.4])
    result = problem.solve(np.zeros(7))
    assert result.success
    assert 0.3 - 1e-6 <= result.positions[0] <= 0.4 + 1e-6


# ---- infeasible problems


def test_constraints_that_contradict_are_named() -> None:
    robot = arm()
    tool = robot.bodies[-1]
    problem = PostureProblem(robot)
    problem.add_position_constraint(tool, [9.0, 0.0, 0.3], [9.0, 0.0, 0.3])
    problem.add_joint_limits(robot.dofs[0], -1.0, 1.0)
    result = problem.solve(max_starts=5)
    assert result.status is PostureStatus.INFEASIBLE
    assert not result.success
    assert result.violations[0].index == 0
    assert result.violations[0].unit == "m"
    far = robot.tree.transform(result.positions, robot.num_bodies - 1)[:3, 3]
    assert_allclose(result.violation, np.abs(far - [9.0, 0.0, 0.3]).max(), atol=1e-9)
    assert result.violation > 7.0
    assert f"position of {robot.name}" in result.conflict[0]
    assert "broken" in str(result)


def test_a_point_that_is_just_out_of_reach_is_infeasible() -> None:
    robot = arm()
    problem = PostureProblem(robot)
    problem.add_position_constraint(robot.bodies[-1], [0.3, 0.0, 0.4], [0.3, 0.0, 0.4])
    result = problem.solve(max_starts=3)
    assert result.status is PostureStatus.INFEASIBLE

    def error(q: Array) -> Array:
        return np.asarray(robot.tree.transform(q, robot.num_bodies - 1)[:3, 3] - [0.3, 0.0, 0.4])

    limits, rng = (robot.tree.lower_limits, robot.tree.upper_limits), np.random.default_rng(0)
    least = min(
        float(np.linalg.norm(least_squares(error, rng.uniform(*limits), bounds=limits).fun))
        for _ in range(20)
    )
    assert_allclose(np.linalg.norm(error(result.positions)), least, atol=1e-4)
    assert f"limits of {robot.dofs[3].name}" in result.conflict


def test_a_conflict_tells_of_constraints_that_hold_too() -> None:
    robot = arm()
    problem = PostureProblem(robot)
    held = problem.add_joint_limits(robot.dofs[0], -0.2, 0.2)
    asked = problem.add_joint_coupling_constraint({robot.dofs[0]: 1.0}, 1.0, 1.0)
    problem.add_joint_limits(robot.dofs[5], -0.5, 0.5)
    result = problem.solve(max_starts=1)
    assert result.status is PostureStatus.INFEASIBLE
    assert set(result.conflict) == {held.text, asked.text}
    assert sum(v.amount for v in result.violations) == pytest.approx(0.8, abs=1e-6)
    alone = PostureProblem(robot)
    upper = float(robot.tree.upper_limits[1])
    alone.add_joint_coupling_constraint({robot.dofs[1]: 1.0}, upper + 0.5, upper + 0.5)
    limit = alone.solve(max_starts=1)
    assert f"limits of {robot.dofs[1].name}" in limit.conflict
    assert_allclose(limit.positions[1], upper, atol=1e-9)


def test_time_and_iterations_run_out() -> None:
    robot = kido.gallery.make("humanoid")
    problem = on_two_feet(robot)
    asked: list[Array] = []
    slow = problem.add_function_cost(lambda q: asked.append(q) or time.sleep(1e-3) or float(q @ q))
    result = problem.solve(time_budget=0.3)
    assert 0 < len(asked) < 1000  # of a second
    assert result.status is PostureStatus.TIME_OUT
    problem.remove(slow)
    assert problem.solve().success
    far = PostureProblem(robot)
    far.add_position_constraint(robot.body("left_hand"), [0, 0, 99.0], [0, 0, 99.0])
    for name in ("left_foot", "right_foot"):
        far.add_position_constraint(robot.body(name), [0, 0, 0], [0, 0, 0])
    began = time.process_time()
    out = far.solve(time_budget=0.05, max_starts=10**6)
    assert out.status is PostureStatus.TIME_OUT
    assert time.process_time() - began < 2.0
    assert out.time >= 0.05


def test_ctrl_c_ends_a_search() -> None:
    robot = kido.gallery.make("humanoid")
    problem = PostureProblem(robot)
    problem.add_position_constraint(robot.body("left_hand"), [0, 0, 99.0], [0, 0, 99.0])
    problem.add_position_constraint(robot.body("left_foot"), [0, 0, 0.0], [0, 0, 0.0])
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # which jobs in the background ignore
    began = time.process_time()
    try:
        with pytest.raises(KeyboardInterrupt):
            threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT)).start()
            problem.solve(max_starts=10**7, time_budget=60.0)
        assert time.process_time() - began < 20.0
    finally:
        signal.signal(signal.SIGINT, before)


def test_nothing_to_do_is_done() -> None:
    robot = arm()
    result = PostureProblem(robot).solve()
    assert result.success
    assert_allclose(result.positions, robot.positions)
    still = PostureProblem(robot, dofs=[])
    still.add_position_constraint(robot.bodies[-1], [5, 5, 5], [5, 5, 5])
    assert still.solve().status is PostureStatus.INFEASIBLE


def test_a_seed_outside_of_the_limits_comes_back() -> None:
    robot = arm()
    _, T = reachable(robot, 2)
    result = pose_problem(robot, T).solve(robot.tree.upper_limits + 1.0)
    assert result.success
    assert (result.positions <= robot.tree.upper_limits + 1e-12).all()


# ---- other solvers


@pytest.mark.parametrize("solver", [SciPySolver(), NloptSolver()], ids=lambda s: s.label)
def test_other_solvers_find_the_same_minimum(solver: Solver) -> None:
    robot = arm()
    q, T = reachable(robot, 4)
    problem = PostureProblem(robot)
    tool = robot.bodies[-1]
    problem.add_position_constraint(tool, T[:3, 3], T[:3, 3] + 0.05)
    problem.add_orientation_constraint(tool, 0.1, rotation=T[:3, :3])
    problem.add_posture_cost(q)
    own, other = (
        problem.solve(q + 0.01, tolerance=1e-5),
        problem.solve(q + 0.01, solver=solver, tolerance=1e-5),
    )
    assert own.success
    assert other.is_feasible, other
    assert_allclose(other.cost, own.cost, rtol=1e-2, atol=1e-4)


def test_other_solvers_get_distances_as_one_smooth_function_and_forces() -> None:
    robot = kido.gallery.make("humanoid")
    problem = on_two_feet(robot)
    problem.add_static_equilibrium_constraint(
        [
            SupportContact(robot.body(name), (x, 0, -0.08))
            for name in ("left_foot", "right_foot")
            for x in (-0.05, 0.1)
        ]
    )
    free = kido.collision.distance(robot, filter=kido.collision.CollisionFilter(self_collisions=True)).shapes
    pairs = [pair for pair in free if kido.collision.distance(*pair).distance > 0.03][:40]
    problem.add_minimum_distance_lower_bound_constraint(0.01, 0.01, pairs=pairs)
    plain = problem.as_problem()
    assert plain.dimension == robot.num_dofs + 12
    rng = np.random.default_rng(0)
    x = plain.initial_guess + rng.uniform(-0.3, 0.3, plain.dimension)
    step = 1e-6
    for values, jacobian in (
        (plain.equality_values, plain.equality_jacobian),
        (plain.inequality_values, plain.inequality_jacobian),
        (lambda x: np.array([plain.value(x)]), lambda x: plain.gradient(x)[None]),
    ):
        J = jacobian(x)
        for i in range(plain.dimension):
            e = np.zeros(plain.dimension)
            e[i] = step
            assert_allclose(J[:, i], (values(x + e) - values(x - e)) / (2 * step), atol=2e-4)


# ---- lists, copies


def test_constraints_are_listed_and_removed() -> None:
    both = two_skeletons()
    rng = np.random.default_rng(0)
    problem = PostureProblem(both)
    listed = constraints(*both, rng)
    paid = costs(*both, rng)
    for term in (*listed, *paid):
        assert problem.add(term) is term
    assert problem.constraints == tuple(listed)
    assert problem.costs == tuple(paid)
    problem.remove(listed[3])
    problem.remove(paid[0])
    assert problem.constraints == tuple(one for i, one in enumerate(listed) if i != 3)
    assert problem.costs == tuple(paid[1:])
    with pytest.raises(ValueError, match="of the problem"):
        problem.remove(listed[3])
    assert "19 constraints, 9 costs" in repr(problem)
    problem.clear()
    assert not problem.constraints
    assert problem.solve().success


def test_copies_clones_and_pickles_find_the_same() -> None:
    robot = kido.gallery.make("humanoid")
    problem = on_two_feet(robot)
    result = problem.solve()
    made = {
        "copy": copy.copy(problem),
        "deepcopy": copy.deepcopy(problem),
        "clone": problem.clone(),
        "pickle": pickle.loads(pickle.dumps(problem)),
    }
    for name, other in made.items():
        assert (other.skeletons[0] is robot) == (name == "copy")
        assert other.constraints == problem.constraints
        assert_allclose(other.solve().positions, result.positions, atol=0.0)
        other.clear()
    assert len(problem.constraints) == 6
    assert pickle.loads(pickle.dumps(result)) == result
    assert copy.deepcopy(result) == result


def test_edits_of_skeletons_are_seen() -> None:
    robot = arm()
    _, T = reachable(robot, 5)
    problem = pose_problem(robot, T)
    assert problem.solve().success
    set_limits(robot.dofs[0], 0.4, 0.5)
    found = problem.solve()
    assert 0.4 - 1e-9 <= found.positions[0] <= 0.5 + 1e-9
    set_limits(robot.dofs[0], -3.0, 3.0)
    robot.dofs[2].joint.actuator = "locked"
    assert problem.solve().positions[2] == robot.positions[2]
    robot.gravity = (0.0, 0.0, 0.0)
    assert problem.solve() is not None


# ---- bad input


def test_bad_input_is_refused_and_changes_nothing() -> None:
    robot, foreign = arm(), kido.gallery.make("arm7")
    foreign.name = "foreign"
    tool, far = robot.bodies[-1], foreign.bodies[-1]
    problem = PostureProblem(robot)
    cases = [
        (lambda: problem.add_position_constraint(tool, [1, 0, 0], [0, 0, 0]), ValueError, "lower <= upper"),
        (lambda: problem.add_position_constraint(tool, [0, 0], [0, 0, 0]), ValueError, "lower"),
        (lambda: problem.add_position_constraint(far, ORIGIN, ORIGIN), ValueError, "foreign"),
        (lambda: problem.add_position_constraint("tool", ORIGIN, ORIGIN), TypeError, "frame"),
        (lambda: problem.add_orientation_constraint(tool, -0.1), ValueError, "angle_bound"),
        (
            lambda: problem.add_orientation_constraint(tool, 0.1, rotation=np.ones((3, 3))),
            ValueError,
            "rotation",
        ),
        (lambda: problem.add_gaze_target_constraint(tool, ORIGIN, ORIGIN, 0.1), ValueError, "axis"),
        (lambda: problem.add_gaze_target_constraint(tool, (0, 0, 1), ORIGIN, 2.0), ValueError, "half_angle"),
        (
            lambda: problem.add_angle_between_vectors_constraint(tool, (0, 0, 1), (1, 0, 0), 0.5, 0.2),
            ValueError,
            "lower <= upper",
        ),
        (lambda: problem.add_point_to_point_distance_constraint(tool, -1.0, 0.5), ValueError, "lower"),
        (lambda: problem.add_polyhedron_constraint(tool, [ORIGIN], np.eye(2), [1, 1]), ValueError, "A"),
        (lambda: problem.add_distance_constraint(tool, tool, 0.1), TypeError, "first"),
        (lambda: problem.add_minimum_distance_lower_bound_constraint(0.1, 0.0), ValueError, "influence"),
        (lambda: problem.add_minimum_distance_lower_bound_constraint(0.1, pairs=[]), ValueError, "pairs"),
        (lambda: problem.add_center_of_mass_constraint([0, 0], [1, 1]), ValueError, "lower, upper"),
        (lambda: problem.add_center_of_mass_constraint(ORIGIN, ORIGIN, skeleton="who"), ValueError, "who"),
        (lambda: problem.add_joint_limits("nobody", 0, 1), UnknownNameError, "nobody"),
        (lambda: problem.add_joint_limits(robot.dofs[0], 1, 0), ValueError, "lower <= upper"),
        (lambda: problem.add_loop_closure_constraint(tool, None, "glue"), ValueError, "kind"),
        (
            lambda: problem.add_static_equilibrium_constraint([], torque_limits=np.inf),
            ValueError,
            "free root or limits",
        ),
        (lambda: problem.add_static_equilibrium_constraint([], torque_limits=-1.0), ValueError, "torque_lim"),
        (
            lambda: problem.add_static_equilibrium_constraint([], torque_limits={"nobody": 1.0}),
            UnknownNameError,
            "nobody",
        ),
        (
            lambda: problem.add_static_equilibrium_constraint([SupportContact(None)]),
            ValueError,
            "contacts: expected frames",
        ),
        (lambda: problem.add_function_constraint(3, [0], [1]), TypeError, "function"),
        (lambda: problem.add_function_constraint(lambda q: q, [0, 1], [1]), ValueError, "upper"),
        (lambda: problem.add_position_cost(tool, ORIGIN, -1.0), ValueError, "C"),
        (lambda: problem.add_orientation_cost(tool, np.nan), ValueError, "weight"),
        (lambda: problem.add_posture_cost([1.0, 2.0]), ValueError, "positions"),
        (lambda: problem.add_posture_cost(np.zeros(7), np.zeros(3)), ValueError, "weight"),
        (lambda: problem.add("constraint"), TypeError, "term"),
        (lambda: problem.solve([0.0]), ValueError, "seed"),
        (lambda: problem.solve(max_starts=0), ValueError, "max_starts"),
        (lambda: problem.solve(max_escapes=-1), ValueError, "max_escapes"),
        (lambda: problem.solve(tolerance=0.0), ValueError, "tolerance"),
        (lambda: problem.solve(time_budget=-1.0), ValueError, "time_budget"),
        (lambda: problem.solve(solver="snopt"), TypeError, "solver"),
        (lambda: PostureProblem([robot, arm()]), ValueError, "different names"),
        (lambda: PostureProblem([]), ValueError, "one at least"),
        (lambda: PostureProblem(tool), TypeError, "skeletons"),
        (lambda: PostureProblem(robot, frozen=[7]), IndexError, "frozen"),
        (lambda: PostureProblem(robot, dofs=["nobody"]), UnknownNameError, "nobody"),
        (lambda: PostureProblem(robot, with_joint_limits=1), TypeError, "with_joint_limits"),
    ]
    for call, error, words in cases:
        with pytest.raises(error, match=words):
            call()
    assert not problem.constraints
    assert not problem.costs
    with pytest.raises(AttributeError, match="tolerance"):
        problem.tolerance = 1.0
    assert UnsupportedShapeError


def test_names_of_dofs_that_two_skeletons_have_are_told_apart() -> None:
    left, right = arm(), arm()
    left.name, right.name = "left", "right"
    name = left.dofs[0].name
    problem = PostureProblem([left, right])
    with pytest.raises(ValueError, match=r"skeleton\.dof"):
        problem.add_joint_limits(name, 0.0, 1.0)
    problem.add_joint_limits(f"right.{name}", 0.3, 0.3)
    problem.add(JointCouplingConstraint({left.dofs[1]: 1.0, right.dofs[1]: -1.0}, 0.25, 0.25))
    result = problem.solve()
    assert result.success
    assert_allclose(result.positions[7], 0.3, atol=1e-7)
    assert_allclose(result.positions[1] - result.positions[8], 0.25, atol=1e-7)
    assert result.dof_names[7] == f"right.{name}"


def test_places_of_frames_outlive_their_frames() -> None:
    robot = arm()
    offset = np.eye(4)
    offset[:3, 3] = 0.1, 0.0, 0.2
    tip = kido.SimpleFrame("tip", robot.bodies[-1], offset)
    constraint = PositionConstraint(tip, ORIGIN, ORIGIN)
    assert_allclose(constraint.value(robot), tip.transform()[:3, 3], atol=1e-12)
    robot.positions = np.full(7, 0.3)
    assert_allclose(constraint.value(robot), tip.transform()[:3, 3], atol=1e-12)
    assert isinstance(PostureCost(np.zeros(7)), kido.ik.PostureCostTerm)


def test_parts_of_another_skeleton_of_the_same_names_are_refused() -> None:
    robot = kido.Skeleton("arm")
    upper = robot.add_body("upper", None, kido.RevoluteJoint())
    robot.add_body("hand", upper, kido.RevoluteJoint(T_parent_joint=(0.5, 0, 0)))
    twin = robot.clone()
    own, foreign = robot.bodies[-1], twin.bodies[-1]
    carried = kido.SimpleFrame("carried", parent=foreign)
    problem = kido.ik.PostureProblem(robot)
    problem.add_position_constraint(own, (0, 0, 0), (1, 1, 1))
    for refused in (
        lambda: problem.add_position_constraint(foreign, (0, 0, 0), (1, 1, 1)),
        lambda: problem.add_position_constraint(own, (0, 0, 0), (1, 1, 1), relative_to=foreign),
        lambda: problem.add_orientation_cost(carried),
        lambda: problem.add_loop_closure_constraint(own, foreign),
    ):
        with pytest.raises(ValueError, match=f"belongs to a skeleton '{twin.name}' that is not"):
            refused()
    assert len(problem.constraints) == 1 and not problem.costs
