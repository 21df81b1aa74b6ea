"""Searches for postures from one start, within angles between directions and one constraint more."""

from __future__ import annotations

import numpy as np
import pytest
from _effort import examples
from _posture_parts import constraints, two_skeletons

from kido.ik import PostureProblem, PostureStatus
from kido.optimize import NloptSolver

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
