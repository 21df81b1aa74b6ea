"""Answers of a module whose problem asks more than its search knows, where no solver is set."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np

from kido.ik._problem._constrained_search import ConstrainedEnd, ConstrainedSearch
from kido.ik._problem._following_problem import FollowingProblem
from kido.ik._problem._ik_function import OwnErrors
from kido.ik._problem._solver_answer import broken_constraint, is_reached, measured, started
from kido.ik._query import IKQuery
from kido.ik._result import IKResult
from kido.ik._search._native_search import NEARER
from kido.optimize import Function
from kido.typing import FloatArray

__all__ = ["CONSTRAINT_TOLERANCE", "random_starts", "search_problem", "told_search"]

_STARTS_OUT_OF_REACH = 10
"""Starts for a target that the search does not reach without what was added."""

_TIME_OF_SOLUTIONS = 0.25
"""Part of the time left in which solutions are looked for, and then put in order."""

CONSTRAINT_TOLERANCE = 1e-6
"""By how much constraints of the user's may be broken [-]."""


def search_problem(
    ik: IKQuery,
    functions: Sequence[Function],
    problem: FollowingProblem,
    frozen: Sequence[int],
    search: Callable[[float], IKResult],
    solutions: Callable[[float], FloatArray],
) -> IKResult:
    """Positions that meet target, constraints and bounds, from the initial guess or other starts.

    Args:
        ik: the module.
        functions: its objectives.
        problem: its problem; it is left as it was.
        frozen: places of the dofs that keep their positions.
        search: the answer of the search, which knows nothing of what was added, in some time [s].
        solutions: positions (n, k) that reach the target, whatever was added, found in some time [s]; may be
            none.
    """
    with started(ik, problem, frozen) as start:

        def is_met(x: FloatArray) -> bool:
            with ik.at(x):
                near = not asked or is_reached(ik, ik.settings)
            return near and not broken_constraint(problem, x, CONSTRAINT_TOLERANCE)

        asked = any(isinstance(h, OwnErrors) for h in problem.equality_constraints)
        constrained = ConstrainedSearch(problem, functions, is_met, ik.settings)
        known = None
        if asked and len(frozen) < len(ik.dofs):
            with ik.at(start):
                known = search(max(0.5 * constrained.time_left, 1e-6))
            inside = np.array_equal(problem.clamp(known.positions), known.positions)
            if known.success and inside and is_met(known.positions):
                return known
        starts = _starts(ik, problem, start, known, solutions, constrained)
        if known is not None and not known.success:
            starts = islice(starts, _STARTS_OUT_OF_REACH)
        best, first = constrained.run(starts)

        def result(end: ConstrainedEnd) -> IKResult:
            told = told_search(constrained)
            origin = end.method, told, end.iterations
            answer = measured(ik, problem, functions, end.x, start, CONSTRAINT_TOLERANCE, origin)
            return replace(answer, start=end.start, timed_out=constrained.timed_out)

        if best.met:
            return result(best)
        first, nearer = constrained.approached(first), best
        return replace(
            result(first), elsewhere=result(nearer) if nearer.broken < first.broken * NEARER else None
        )


def _starts(
    ik: IKQuery,
    problem: FollowingProblem,
    first: FloatArray,
    known: IKResult | None,
    solutions: Callable[[float], FloatArray],
    search: ConstrainedSearch,
) -> Iterator[FloatArray]:
    """Starts (k,): the given one, the search's answer, seeds, then what reaches the target, those that break
    least first, and random ones between them."""
    yield first
    if known is not None:
        yield known.positions
    yield from problem.seeds
    limits = ik.search_problem().limits
    random = random_starts(problem, limits[2], limits[3], ik.settings.seed)
    if known is not None and known.success:
        known_time = max(_TIME_OF_SOLUTIONS * search.time_left, 1e-6)
        found = map(problem.clamp, solutions(known_time))
        for place, solution in enumerate(_least_broken_first(list(found), search)):
            yield solution
            if place % 2:
                yield next(random)
    yield from random


def _least_broken_first(solutions: list[FloatArray], search: ConstrainedSearch) -> list[FloatArray]:
    """Solutions (k,), those that break least first, as many as there is time to look at."""
    least = (1.0 - _TIME_OF_SOLUTIONS) * search.time_left
    broken: list[float] = []
    for solution in solutions:
        if search.time_left < least:
            break
        broken.append(search.broken(solution))
    order = sorted(range(len(broken)), key=broken.__getitem__)
    return [solutions[i] for i in order] + solutions[len(order) :]


def random_starts(
    problem: FollowingProblem, low: FloatArray, high: FloatArray, seed: int
) -> Iterator[FloatArray]:
    """Random positions (n,) within the bounds; where these are infinite, in a range (n,), (n,) [rad, m]."""
    lowest = np.where(np.isfinite(problem.lower_bounds), problem.lower_bounds, low)
    highest = np.where(np.isfinite(problem.upper_bounds), problem.upper_bounds, high)
    highest = np.maximum(lowest, highest)
    random = np.random.default_rng(seed)
    while True:
        yield random.uniform(lowest, highest)


def told_search(search: ConstrainedSearch) -> str:
    """Reason why a search ended without an answer, in words."""
    return f"none of {search.starts} starts met target, bounds and constraints"
