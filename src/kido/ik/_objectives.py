"""What a module and a hierarchy of modules have in common: objectives, and who solves."""

from __future__ import annotations

from kido.optimize import DeclaredAttributes, Function, NullFunction, Solver

__all__ = ["Objectives"]


class Objectives(DeclaredAttributes):
    """Base of what is an error to be made zero, with objectives and a solver that can be set."""

    _objective: Function | None = None
    _null_space_objective: Function | None = None
    _solver: Solver | None = None

    @property
    def objective(self) -> Function:
        """What is made small where there is no error, a function of all positions; by default nothing.

        A solver weighs it against the error. Set: None is nothing.
        """
        return NullFunction() if self._objective is None else self._objective

    @objective.setter
    def objective(self, objective: Function | None) -> None:
        self._objective = _checked("objective", objective)

    @property
    def null_space_objective(self) -> Function:
        """What is made small only by motions that leave all errors as they are; by default nothing. Set: None
        is nothing."""
        return NullFunction() if self._null_space_objective is None else self._null_space_objective

    @null_space_objective.setter
    def null_space_objective(self, objective: Function | None) -> None:
        self._null_space_objective = _checked("null_space_objective", objective)

    @property
    def solver(self) -> Solver | None:
        """What solves `problem`; None, the default: the search, where it can. Can be set."""
        return self._solver

    @solver.setter
    def solver(self, solver: Solver | None) -> None:
        if solver is not None and not isinstance(solver, Solver):
            raise TypeError(f"solver: expected a Solver or None, got {type(solver).__name__}")
        self._solver = solver

    @property
    def has_objectives(self) -> bool:
        """Whether anything is to be made small besides the errors."""
        return _does_something(self._objective) or _does_something(self._null_space_objective)


def _does_something(function: Function | None) -> bool:
    return function is not None and not isinstance(function, NullFunction)


def _checked(name: str, function: Function | None) -> Function | None:
    if function is not None and not isinstance(function, Function):
        raise TypeError(
            f"{name}: expected a Function or None, got {type(function).__name__}; "
            "a callable goes into a ModularFunction"
        )
    return function
