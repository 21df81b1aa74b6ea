"""Answers of solvers, as the module measures them: what they claim counts for nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import replace

from kido.ik._coordinates import within_half_turn
from kido.ik._problem._constraint_values import remaining_lengths
from kido.ik._problem._following_problem import FollowingProblem
from kido.ik._problem._ik_function import OwnErrors
from kido.ik._problem._optimality import objective_residual
from kido.ik._query import IKQuery
from kido.ik._result import IKResult, IKStatus
from kido.ik._search._settings import DEFAULT_BUDGET, SearchSettings
from kido.ik._user_output import checked_solution
from kido.optimize import Function, Problem, Result, Solver, Status
from kido.typing import FloatArray

__all__ = [
    "broken_constraint",
    "is_reached",
    "measured",
    "solve_problem",
    "started",
    "told_end",
    "within_budget",
]


def solve_problem(
    ik: IKQuery,
    solver: Solver,
    functions: Sequence[Function],
    problem: FollowingProblem,
    frozen: Sequence[int],
) -> IKResult:
    """The answer of a solver to a problem, from its initial guess, which is the present positions unless it
    was set.

    Args:
        ik: the module.
        solver: its solver.
        functions: its objectives.
        problem: its own, or one that was changed; it is left as it was.
        frozen: places of the dofs that keep their positions.
    """
    with started(ik, problem, frozen) as start:
        found = checked_solution(within_budget(solver, ik.settings.time_budget), problem, repr(ik.node.name))
        x, name = problem.clamp(found.x), type(solver).__name__
        origin = name, told_end(solver, found), found.iterations
        answer = measured(ik, problem, functions, x, start, solver.constraint_tolerance, origin)
        return replace(answer, timed_out=found.status is Status.TIME_OUT)


@contextmanager
def started(ik: IKQuery, problem: FollowingProblem, frozen: Sequence[int]) -> Iterator[FloatArray]:
    """Context in which a problem starts at the present positions and keeps frozen ones; gives the start (k,),
    and leaves skeleton and bounds as they were."""
    skeleton = ik.node.skeleton
    saved, bounds = skeleton.positions, (problem.lower_bounds, problem.upper_bounds)
    lower, upper = bounds[0].copy(), bounds[1].copy()
    places = list(frozen)
    lower[places] = upper[places] = ik.positions[places]
    try:
        problem.set_bounds(lower, upper)
        if not problem.has_own_guess:
            problem.start_at(within_half_turn(ik.dofs, ik.positions, lower, upper))
        yield problem.clamp(problem.initial_guess)
    finally:
        problem.set_bounds(*bounds)
        skeleton.positions = saved


def measured(
    ik: IKQuery,
    problem: Problem,
    functions: Sequence[Function],
    x: FloatArray,
    start: FloatArray,
    tolerance: float,
    origin: tuple[str, str, int],
) -> IKResult:
    """The result at positions (k,), reached where errors and constraints say so.

    Args:
        ik: the module.
        problem: what was solved.
        functions: objectives.
        x: positions (k,) within the bounds [rad, m].
        start: positions (k,) that led there [rad, m].
        tolerance: by how much constraints of the user's may be broken [-].
        origin: name of what found the positions, how it ended, and in how many iterations.
    """
    with ik.at(x):
        angular, linear = remaining_lengths(ik)
        near = is_reached(ik, ik.settings)
    broken = broken_constraint(problem, x, tolerance)
    asked = any(isinstance(h, OwnErrors) for h in problem.equality_constraints)
    reached, left = (near or not asked) and not broken, None
    if reached and functions:
        left = objective_residual(problem, functions, x, start, tolerance)
    name, end, iterations = origin
    return IKResult(
        x,
        tuple(dof.name for dof in ik.dofs),
        IKStatus.SOLVED if reached else IKStatus.NOT_REACHED,
        *(angular, linear, 0, iterations, name),
        "" if reached else "; ".join(part for part in (broken, end) if part),
        stationarity=left,
    )


def is_reached(ik: IKQuery, settings: SearchSettings) -> bool:
    """Whether the error of a module at the present positions is within the tolerances: as solvers see it, or
    as the error method has it."""
    lengths = remaining_lengths(ik), ik.error_lengths(ik.counted_error)
    return any(a <= settings.angular_tolerance and b <= settings.linear_tolerance for a, b in lengths)


def broken_constraint(problem: Problem, x: FloatArray, tolerance: float) -> str:
    """The first constraint of the user's that positions (k,) break, in words; empty: there is none."""
    own = [
        f"equality constraint {i} ("
        for i, constraint in enumerate(problem.equality_constraints)
        if isinstance(constraint, OwnErrors)
    ]
    told = problem.violations(x, tolerance)
    return next((line for line in told if not line.startswith(tuple(own))), "")


def told_end(solver: Solver, found: Result) -> str:
    """End of a solver, in words."""
    if found.success:
        return f"{type(solver).__name__} says that it is solved, which it is not"
    return found.message or f"{type(solver).__name__} ended as {found.status.name}"


def within_budget(solver: Solver, time_budget: float | None) -> Solver:
    """A solver that ends after a time [s], or its own where that is shorter; None is its own, or the default
    where it has none."""
    if time_budget is None:
        time_budget = DEFAULT_BUDGET if solver.time_budget is None else float("inf")
    if time_budget == float("inf"):
        return solver
    if solver.time_budget is not None and solver.time_budget <= time_budget:
        return solver
    hurried = copy(solver)
    object.__setattr__(hurried, "time_budget", float(time_budget))
    return hurried
