"""Searches for postures from one start, within angles between directions and one constraint more."""

from __future__ import annotations

import numpy as np
import pytest
from _effort import examples
from _posture_parts import constraints, two_skeletons

from kido.ik import PostureProblem, PostureStatus, ShapeDistanceConstraint
from kido.math import so3_exp
from kido.optimize import NloptSolver
from kido.shape import Sphere

ANGLE = 4
"""Of the parts: an angle between directions of two skeletons."""

STALLED = [(12, 12), (17, 6), (18, 12), (31, 2), (42, 6), (45, 12), (49, 2)]
"""Seeds and the other part, where a quadratic program had no solution and the search ended beside it."""


def problem_of(seed: int, other: int) -> PostureProblem:
    both = two_skeletons()
    parts = constraints(*both, np.random.default_rng(seed))
    problem = PostureProblem(both)
    problem.add(parts[ANGLE])
    problem.add(parts[other])
    problem.add_posture_cost(np.zeros(43), 0.05)
    return problem


@pytest.mark.parametrize(("seed", "other"), STALLED)
def test_from_one_start_a_search_goes_on_where_a_quadratic_program_has_no_solution(
    seed: int, other: int
) -> None:
    problem = problem_of(seed, other)
    result = problem.solve(max_starts=1, time_budget=None)
    assert result.success, result
    lower = problem.solve(result.positions, solver=NloptSolver())
    assert not lower.is_feasible or result.cost <= lower.cost * (1.0 + 1e-2)


@pytest.mark.parametrize("seed", range(100, 100 + examples(10)))
@pytest.mark.parametrize("other", [2, 6, 12])
def test_what_was_feasible_on_the_way_is_not_lost(seed: int, other: int) -> None:
    """However few iterations a search has, more of them never end at a posture that breaks more."""
    problem = problem_of(seed, other)
    was_feasible = False
    for most in (5, 10, 20, 40, 80, 160):
        result = problem.solve(max_starts=1, time_budget=None, max_iterations=most)
        assert result.is_feasible or not was_feasible
        assert result.status is not PostureStatus.INFEASIBLE or not result.is_feasible
        was_feasible = was_feasible or result.is_feasible


def test_a_search_goes_on_from_where_its_iterations_ran_out() -> None:
    """Every other start is one: the cost falls on, where random starts alone may find no better one."""
    problem = problem_of(12, 12)
    few = problem.solve(max_starts=1, max_iterations=8, time_budget=None)
    assert few.status is PostureStatus.MAX_ITERATIONS and few.is_feasible
    on = problem.solve(max_starts=2, max_iterations=8, time_budget=None)
    again = problem.solve(few.positions, max_starts=1, max_iterations=8, time_budget=None)
    np.testing.assert_array_equal(on.positions, again.positions)
    assert on.cost < few.cost


def test_costs_that_stay_large_are_lowered_as_fast_as_by_others() -> None:
    """Where a target is out of reach, squares of first derivatives are not the curvature."""
    robot = two_skeletons()[0]
    for target in ((0.9, -0.3, 0.2), (-0.4, 0.8, 0.6), (0.1, -0.7, -0.5)):
        problem = PostureProblem(robot, frozen=range(6))
        problem.add_center_of_mass_cost(target)
        problem.add_position_cost(robot.body("right_hand"), (0.5, 0.9, 0.1))
        result = problem.solve(max_starts=1, time_budget=None, optimality=1e-4)
        lower = problem.solve(result.positions, solver=NloptSolver())
        assert result.success and result.iterations <= 150, result
        assert result.cost > 0.05 and result.cost <= lower.cost * (1.0 + 1e-4)


@pytest.mark.parametrize("seed", range(4))
def test_costs_on_a_curved_set_are_lowered_as_fast_as_by_others(seed: int) -> None:
    """Within an orientation, curvature is that of the constraint too, and may be negative."""
    robot, rng = two_skeletons()[1], np.random.default_rng(seed)
    problem = PostureProblem(robot)
    q = rng.uniform(-1.5, 1.5, 7)
    wanted = robot.tree.transform(q, robot.num_bodies - 1)[:3, :3]
    problem.add_orientation_constraint(robot.bodies[-1], 0.05, rotation=wanted)
    problem.add_orientation_cost(robot.bodies[3], rotation=so3_exp(rng.normal(size=3)))
    problem.add_gaze_target_cost(robot.bodies[-1], rng.normal(size=3), 2.0 * rng.normal(size=3), 1.5)
    result = problem.solve(rng.uniform(-1.5, 1.5, 7), max_starts=1, time_budget=None)
    assert result.success and result.iterations <= 150, result
    lower = problem.solve(result.positions, solver=NloptSolver())
    assert result.cost <= lower.cost + 1e-4 * max(lower.cost, 1.0)


def test_a_distance_that_nothing_changes_is_not_in_the_way() -> None:
    """It is the least one up to rounding, and so is its derivative: no step raises one by the other."""
    robot = two_skeletons()[0]
    upper, fore = robot.body("left_upper_arm"), robot.body("left_forearm")
    first = upper.add_shape_node(Sphere(0.02), (0.1, 0.2, 0.3))
    second = fore.add_shape_node(Sphere(0.02))  # on the axis of the elbow
    value = ShapeDistanceConstraint(first, second, 0.0).value(robot)[0]
    for least in (np.nextafter(value, -1.0), value, value + 3e-14, value + 9e-14):
        problem = PostureProblem(robot)
        problem.add_distance_constraint(first, second, least)
        problem.add_position_constraint(robot.body("right_hand"), (0.4, -0.2, 1.1), (0.4, -0.2, 1.1))
        result = problem.solve(max_starts=1)
        assert result.success, (least, result)
