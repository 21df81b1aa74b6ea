"""Results of solvers, those that users write among them, checked before they are used."""

from __future__ import annotations

import numpy as np

from kido.optimize import Problem, Result, Solver

__all__ = ["checked_solution"]


def checked_solution(solver: Solver, problem: Problem, owner: str) -> Result:
    """The result of a solver for a problem.

    Args:
        solver: the solver.
        problem: what it solves.
        owner: what the problem belongs to, in messages.

    Raises:
        TypeError: the solver returned no `Result`.
        ValueError: its x has another size than the problem, or is outside of the bounds by more than the
            solver's `constraint_tolerance`.

    What the solver itself raises comes out as it is, with a note that says who was asked.
    """
    part = f"{type(solver).__name__}.solve"
    lower, upper = problem.lower_bounds, problem.upper_bounds
    try:
        found = solver.solve(problem)
    except Exception as error:
        if hasattr(error, "add_note"):
            error.add_note(f"raised by {part}, for the problem of {owner}")
        raise
    if not isinstance(found, Result):
        raise TypeError(f"{part}: expected a Result, got {_brief(found)}")
    if found.x.shape != lower.shape:
        raise ValueError(f"{part}: expected x of shape {lower.shape}, got {found.x.shape}")
    beyond = np.maximum(lower - found.x, found.x - upper)
    worst = int(np.argmax(beyond)) if len(beyond) else 0
    if len(beyond) and beyond[worst] > solver.constraint_tolerance:
        got = f"x[{worst}] = {found.x[worst]:.6g} outside [{lower[worst]:.6g}, {upper[worst]:.6g}]"
        raise ValueError(f"{part}: expected x within the bounds, got {got}")
    return found


def _brief(got: object) -> str:
    """What was returned, in a few words."""
    if got is None:
        return "None"
    text = repr(got)
    return f"{type(got).__name__} {text}" if len(text) <= 60 else type(got).__name__
