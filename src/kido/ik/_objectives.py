"""Objectives and solver of a module or a hierarchy of modules, and functions that look at these."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from kido.optimize import DeclaredAttributes, Function, MultiFunction, NullFunction, Solver

__all__ = ["IKFunction", "IKMultiFunction", "Objectives", "OwnErrors"]


class IKFunction(Function):
    """A function of a module's positions that looks at the module or its skeleton.

    Copies of a module share a plain Function; they ask a function of this kind for one of their own. A pickle
    keeps its attributes, parts of the skeleton by their names, and asks the function that has them again.
    """

    @abstractmethod
    def copied_to(self, ik: Any) -> IKFunction:
        """The function that means for the module or hierarchy `ik` what this one means for its own."""


class IKMultiFunction(MultiFunction):
    """A function with several values of a module's positions, for constraints that look at the module or its
    skeleton; copied as an IKFunction is."""

    @abstractmethod
    def copied_to(self, ik: Any) -> IKMultiFunction:
        """The function that means for the module or hierarchy `ik` what this one means for its own."""


class OwnErrors(MultiFunction):
    """Base of the errors of a module or hierarchy as equality constraint; a copy of `owner` has its own."""

    @abstractmethod
    def __init__(self, owner: Any) -> None:
        """The errors of a module or hierarchy."""

    @property
    @abstractmethod
    def owner(self) -> Any:
        """The module or hierarchy whose errors these are."""


class Objectives(DeclaredAttributes):
    """Base of problems whose error shall be zero, with objectives and a solver that can be set."""

    _objective: Function | None = None
    _null_space_objective: Function | None = None
    _solver: Solver | None = None

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
        """Solver of `problem`; None, the default: the search, where it can. Can be set."""
        return self._solver

    @solver.setter
    def solver(self, solver: Solver | None) -> None:
        if solver is not None and not isinstance(solver, Solver):
            raise TypeError(f"solver: expected a Solver or None, got {type(solver).__name__}")
        self._solver = solver

    @property
    def has_objectives(self) -> bool:
        """Whether there is an objective beside the errors."""
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
