"""Settings of a search that hold for solvers, too, and those that do not."""

from __future__ import annotations

from collections.abc import Collection
from copy import copy
from dataclasses import fields

from kido.errors import NoEffectWarning, warn_outside_kido
from kido.ik._search._settings import SearchSettings
from kido.optimize import Solver

__all__ = ["warn_of_unused", "within_budget"]


def within_budget(solver: Solver, time_budget: float | None) -> Solver:
    """A solver that ends after a time [s], or its own where that is shorter; None is its own."""
    if time_budget is None or time_budget == float("inf"):
        return solver
    if solver.time_budget is not None and solver.time_budget <= time_budget:
        return solver
    hurried = copy(solver)
    object.__setattr__(hurried, "time_budget", float(time_budget))
    return hurried


def warn_of_unused(
    settings: SearchSettings, default: SearchSettings, used: Collection[str], solver: Solver | None
) -> None:
    """Warns NoEffectWarning of settings that are not the default ones and mean nothing to a solver.

    Args:
        settings: of a search.
        default: the default ones.
        used: names of those that count for solvers, too.
        solver: the solver; None: there is none, and all count.
    """
    if solver is None:
        return
    names = [field.name for field in fields(settings) if field.name not in used]
    unused = [name for name in names if getattr(settings, name) != getattr(default, name)]
    if unused:
        warn_outside_kido(
            f"settings: {', '.join(unused)} of the search without effect while the solver is "
            f"{type(solver).__name__}, which has settings of its own",
            NoEffectWarning,
        )
