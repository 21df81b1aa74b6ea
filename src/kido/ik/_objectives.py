"""Objectives and solver of a module or a hierarchy of modules."""

from __future__ import annotations

from dataclasses import fields

from kido.errors import NoEffectWarning, warn_outside_kido
from kido.ik._problem._following_problem import FollowingProblem
from kido.ik._search._settings import SearchSettings
from kido.optimize import DeclaredAttributes, Function, NullFunction, Solver

__all__ = ["Objectives"]


class Objectives(DeclaredAttributes):
    """Base of problems whose error shall be zero, with objectives and a solver that can be set."""

    _objective: Function | None = None
    _null_space_objective: Function | None = None
    _solver: Solver | None = None
    _problem: FollowingProblem | None = None
    _default_settings: SearchSettings
    _used_settings: tuple[str, ...] = ()
    """Those that solvers go by, too."""

    @property
    def settings(self) -> SearchSettings:
        """Settings of the search."""
        raise NotImplementedError

    @property
    def objective(self) -> Function:
        """Function of all positions that is minimised beside the error; by default none.

        A solver weighs it against the error. Set: None is none.
        """
        return NullFunction() if self._objective is None else self._objective

    @objective.setter
    def objective(self, objective: Function | None) -> None:
        self._objective = _checked("objective", objective)

    @property
    def null_space_objective(self) -> Function:
        """Function that is minimised in the null space of the errors; by default none. Set: None is none."""
        return NullFunction() if self._null_space_objective is None else self._null_space_objective

    @null_space_objective.setter
    def null_space_objective(self, objective: Function | None) -> None:
        self._null_space_objective = _checked("null_space_objective", objective)

    @property
    def solver(self) -> Solver | None:
        """Solver of `problem`; None, the default: the search, where it can. Can be set.

        Warns NoEffectWarning where `settings` were set that only the search has.
        """
        return self._solver

    @solver.setter
    def solver(self, solver: Solver | None) -> None:
        if solver is not None and not isinstance(solver, Solver):
            raise TypeError(f"solver: expected a Solver or None, got {type(solver).__name__}")
        self._warn_of_unused(self.settings, solver)
        self._solver = solver

    def _warn_of_unused(self, settings: SearchSettings, solver: Solver | None) -> None:
        """Warns NoEffectWarning of settings that are not the default ones and mean nothing to the solver."""
        if solver is None:
            return
        names = [field.name for field in fields(settings) if field.name not in self._used_settings]
        default = self._default_settings
        unused = [name for name in names if getattr(settings, name) != getattr(default, name)]
        if unused:
            warn_outside_kido(
                f"settings: {', '.join(unused)} of the search without effect while the solver is "
                f"{type(solver).__name__}, which has settings of its own",
                NoEffectWarning,
            )

    @property
    def has_objectives(self) -> bool:
        """Whether there is an objective beside the errors."""
        if self._problem is None and self._objective is None and self._null_space_objective is None:
            return False
        return bool(self.lowered_functions)

    @property
    def is_searched(self) -> bool:
        """Whether the search finds the positions: there is no solver, and the problem asks for nothing that
        the search does not know.

        The search knows the limits, the errors and an objective, the problem's too. Constraints that were
        added or removed, bounds, seeds and an initial guess that were set are more.
        """
        problem = self._problem
        return self._solver is None and (problem is None or not problem.asks_more_than(self))

    @property
    def lowered_functions(self) -> tuple[Function, ...]:
        """The objectives that there are; the problem's alone, where that has one of its own."""
        problem = self._problem
        if problem is not None and problem.has_own_objective:
            given: tuple[Function | None, ...] = (problem.objective,)
        else:
            given = self._objective, self._null_space_objective
        return tuple(part for part in given if part is not None and not isinstance(part, NullFunction))


def _checked(name: str, function: Function | None) -> Function | None:
    if function is not None and not isinstance(function, Function):
        raise TypeError(
            f"{name}: expected a Function or None, got {type(function).__name__}; "
            "a callable goes into a ModularFunction"
        )
    return function
