"""Postures on two contacts anywhere, with a root of which some dofs stand still: beside NLopt."""

from __future__ import annotations

import numpy as np
import pytest
from _effort import examples

import kido
from kido.ik import PostureProblem, PostureStatus, StaticEquilibriumConstraint, SupportContact
from kido.optimize import NloptSolver


def problem_of(seed: int) -> PostureProblem:
    """A humanoid on two points of random bodies, with torques within limits, near a posture."""
    rng = np.random.default_rng(seed)
    robot = kido.gallery.humanoid()
    bodies = rng.choice(len(robot.bodies), 2, replace=False)
    contacts = [
        SupportContact(
            robot.bodies[k],
            0.3 * rng.normal(size=3),
            normal=rng.normal(size=3) + np.array([0.0, 0.0, 1.5]),
            friction=rng.uniform(0.4, 1.0),
            min_normal_force=float(rng.choice([0.0, 1.0])),
        )
        for k in bodies
    ]
    still = sorted(rng.choice(6, rng.integers(1, 5), replace=False).tolist())
    q = np.array(robot.positions)
    q[:6] += 0.3 * rng.normal(size=6)
    robot.positions = q
    problem = PostureProblem(robot, frozen=still)
    problem.add(StaticEquilibriumConstraint(contacts))
    problem.add_posture_cost(q, 0.05)
    return problem


@pytest.mark.parametrize("seed", [34, *range(examples(12))])
def test_a_search_does_not_stall_where_another_solver_ends_in_a_minimum(seed: int) -> None:
    """With 34, multipliers of the way to the first posture that holds were 1e4 times those at the minimum."""
    problem = problem_of(seed)
    result = problem.solve(time_budget=None, max_starts=5)
    other = problem.solve(solver=NloptSolver())
    assert result.status is not PostureStatus.STALLED, result
    if other.is_feasible:
        assert result.success, result
    elif not result.is_feasible:
        assert result.violation <= 1.1 * other.violation
    if result.success:
        told = problem.violations(result.positions, forces=result.forces)
        assert max((one.relative for one in told), default=0.0) <= 1e-6


@pytest.mark.parametrize("seed", [34, 143])
def test_from_one_start_the_minimum_is_that_of_another_solver(seed: int) -> None:
    """With 143, rows nearly depend on each other, and quadratic programs had no solution."""
    problem = problem_of(seed)
    result = problem.solve(max_starts=1, max_escapes=0)
    assert result.success
    assert result.iterations < 200
    assert result.cost <= problem.solve(solver=NloptSolver()).cost * (1.0 + 1e-3)
