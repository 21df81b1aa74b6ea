"""Every constraint of postures with every solver; dofs that stand still, one by one."""

from __future__ import annotations

import importlib.util
import pickle
from typing import Any

import numpy as np
import pytest
from _posture_parts import Array, constraints, two_skeletons
from numpy.testing import assert_allclose

import kido
from kido.ik import PostureProblem, PostureStatus, SupportContact
from kido.math import so3_exp
from kido.optimize import IpoptSolver, NloptSolver, SciPySolver, Solver

SOLVERS: dict[str, Solver | None] = {
    "own": None,
    "SciPy": SciPySolver(max_iterations=100),
    "NLopt": NloptSolver(),
}
if importlib.util.find_spec("cyipopt"):
    SOLVERS["Ipopt"] = IpoptSolver()

COUNT = 20
FROM_AFAR = (16,)
"""A hinge of two frames far from each other: a local solver may end where rows contradict each other."""


@pytest.mark.parametrize("which", range(COUNT))
def test_every_solver_ends_in_the_same_minimum_under_every_constraint(which: int) -> None:
    both = two_skeletons()
    constraint = constraints(*both, np.random.default_rng(0))[which]
    found = {}
    for name, solver in SOLVERS.items():
        problem = PostureProblem(both)
        problem.add(constraint)
        problem.add_posture_cost(np.zeros(43), 0.05)
        result = problem.solve(solver=solver, tolerance=1e-5, time_budget=None, optimality=1e-5)
        if which in FROM_AFAR and name != "own":
            assert result.success or not result.is_feasible, (name, result)
            continue
        assert result.success, (name, result)
        assert (
            max(
                (one.relative for one in problem.violations(result.positions, forces=result.forces)),
                default=0.0,
            )
            <= 1e-5
        )
        found[name] = result.cost
    best = min(found.values())
    for name, cost in found.items():
        if name == "own" and constraint.num_extras:  # leaps may lead to another minimum
            continue
        assert cost <= best + 1e-3 * max(best, 1e-2), found


def largest_of(problem: PostureProblem, q: Array) -> float:
    """The violation that a search says which any posture satisfies, once it is that of all constraints."""
    lenient = problem.solve(q, tolerance=1e6, max_iterations=1)
    broken = problem.violations(lenient.positions, forces=lenient.forces)
    assert lenient.success
    assert lenient.violations == ()
    assert_allclose(lenient.violation, max((one.relative for one in broken), default=0.0), rtol=1e-12)
    return lenient.violation


@pytest.mark.parametrize("which", range(COUNT))
def test_the_violation_of_a_result_is_the_largest_of_the_constraints(which: int) -> None:
    both = two_skeletons()
    rng = np.random.default_rng(which)
    problem = PostureProblem(both)
    constraint = problem.add(constraints(*both, np.random.default_rng(0))[which])
    for _ in range(5):
        q = rng.uniform(-2.0, 2.0, 43)
        found = largest_of(problem, q)
        if not constraint.num_extras:  # where units differ, amounts do too
            q[:] = problem.solve(q, tolerance=1e6).positions
            assert_allclose(found, constraint.violation(both, q), rtol=1e-12)


def test_the_violation_of_bounds_that_are_equal_is_that_of_the_angle_or_length() -> None:
    arm = kido.gallery.arm7()
    tool, q = arm.bodies[-1], np.array([0.3, 0.5, -0.4, 1.2, 0.7, -0.6, 0.2])
    arm.positions = q
    T = tool.transform()
    x, y, z = T[:3, :3].T

    problem = PostureProblem(arm)
    problem.add_orientation_constraint(tool, 0.0, rotation=T[:3, :3] @ so3_exp([3e-3, -2e-3, 1e-3]))
    assert_allclose(largest_of(problem, q), np.linalg.norm([3e-3, -2e-3, 1e-3]), rtol=1e-10)
    problem.clear()
    problem.add_gaze_target_constraint(
        tool, (0, 0, 1), T[:3, 3] + 2.0 * (np.cos(3e-3) * z + np.sin(3e-3) * (x + y) / 2**0.5), 0.0
    )
    assert_allclose(largest_of(problem, q), 3e-3, rtol=1e-10)
    problem.clear()
    problem.add_angle_between_vectors_constraint(
        tool, (0, 0, 1), np.cos(4e-3) * z + np.sin(4e-3) * (x + y) / 2**0.5, 0.0, 0.0
    )
    assert_allclose(largest_of(problem, q), 4e-3, rtol=1e-10)
    problem.clear()
    problem.add_point_to_point_distance_constraint(tool, 0.0, 0.0, other_point=T[:3, 3] + [3e-4, 4e-4, 12e-4])
    assert_allclose(largest_of(problem, q), 13e-4, rtol=1e-10)


@pytest.mark.parametrize(
    ("normal", "least"), [((0, 0, 1), 300.0), ((3, 0, 1), 0.0), ((0, 0, -1), 0.0)], ids=str
)
def test_the_violation_of_a_contact_is_that_of_its_normal_force_or_its_cone(
    normal: tuple[int, ...], least: float
) -> None:
    arm = kido.gallery.arm7()
    contact = SupportContact(arm.bodies[-1], normal=normal, friction=0.5, min_normal_force=least)
    problem = PostureProblem(arm)
    problem.add_static_equilibrium_constraint([contact])
    arm.positions = np.zeros(7)
    assert largest_of(problem, np.zeros(7)) > 0.1


@pytest.mark.parametrize("name", SOLVERS)
def test_every_solver_says_that_a_point_is_out_of_reach(name: str) -> None:
    arm = kido.gallery.arm7()
    problem = PostureProblem(arm)
    problem.add_position_constraint(arm.bodies[-1], (3.0, 0.0, 0.0), (3.0, 0.0, 0.0))
    result = problem.solve(solver=SOLVERS[name], max_starts=2)
    assert result.status in (PostureStatus.INFEASIBLE, PostureStatus.MAX_ITERATIONS, PostureStatus.FAILED)
    assert result.violations[0].amount > 1.0


@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize("still", [(5,), (0,), (1, 2), (3, 4), (2, 3, 5, 8), (0, 1, 2), (3, 4, 5)], ids=str)
def test_single_dofs_of_a_free_joint_stand_still(still: tuple[int, ...], name: str) -> None:
    robot = kido.gallery.humanoid()
    q = np.array(robot.positions)
    q[:6] = 0.3, 0.5, -0.2, 0.1, 0.2, 0.9
    robot.positions = q
    hand = robot.body("right_hand")
    target = hand.transform()[:3, 3] + 0.2
    problem = PostureProblem(robot, frozen=still)
    problem.add_position_constraint(hand, target, target)
    problem.add_posture_cost(q)
    result = problem.solve(solver=SOLVERS[name])
    assert result.success or (name == "SciPy" and result.is_feasible), result  # SLSQP: iterations run out
    kept = list(still)
    assert_allclose(result.positions[kept], q[kept], atol=2e-6)
    assert np.abs(result.positions - q).max() > 0.02
    again = pickle.loads(pickle.dumps(problem.clone())).solve(solver=SOLVERS[name])
    assert_allclose(again.positions, result.positions, atol=1e-12)
    seed = q + 0.1  # what stands still does so where the search begins
    assert_allclose(problem.solve(seed, solver=SOLVERS[name]).positions[kept], seed[kept], atol=2e-6)
    assert not problem.violations(seed) or "stands still" not in str(problem.violations(seed))


def test_single_dofs_of_a_ball_joint_stand_still_in_random_starts() -> None:
    robot = kido.Skeleton("ball")
    body = robot.add_body("b", None, kido.BallJoint("j"))
    problem = PostureProblem(robot, frozen=[1])
    problem.add_orientation_constraint(body, rotation=so3_exp(np.array([0.4, 0.3, 0.5])))
    result = problem.solve([0.1, 0.2, 0.1], max_starts=5)
    assert not result.is_feasible
    assert abs(result.positions[1] - 0.2) < 0.2  # broken no more than the constraint is
    assert any("stands still" in text for text in result.conflict)
    problem.remove(problem.constraints[0])
    problem.add_orientation_constraint(body, 0.2, rotation=so3_exp(np.array([0.4, 0.3, 0.5])))
    result = problem.solve([0.1, 0.2, 0.1], max_starts=5)
    assert result.success
    assert_allclose(result.positions[1], 0.2, atol=1e-6)


def test_what_functions_of_users_raise_comes_out_of_every_solver() -> None:
    arm = kido.gallery.arm7()

    def broken(q: Array) -> Any:
        raise RuntimeError("sensor lost")

    for solver in SOLVERS.values():
        problem = PostureProblem(arm)
        problem.add_posture_cost(np.full(7, 0.3))
        problem.add_function_constraint(broken, [0.0], [1.0])
        with pytest.raises(RuntimeError, match="sensor lost"):
            problem.solve(solver=solver)
        problem.clear()
        problem.add_function_cost(broken)
        with pytest.raises(RuntimeError, match="sensor lost"):
            problem.solve(solver=solver)
        problem.clear()
        assert problem.solve(solver=solver).is_feasible
