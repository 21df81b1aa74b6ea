"""Interface of modules and hierarchies for the optimization problems that are made for them."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol

from kido.ik._hierarchy._hierarchy_step import HierarchyStep
from kido.ik._query import IKQuery
from kido.ik._search._settings import SearchSettings
from kido.optimize import Function, Solver
from kido.skeleton import Skeleton
from kido.typing import ArrayLike, FloatArray

__all__ = ["SolvedHierarchy", "SolvedModule"]


class _Solved(Protocol):
    """Objectives and solver. `Objectives` says what each of these is."""

    @property
    def objective(self) -> Function:
        """Function that is minimised beside the error."""

    @property
    def null_space_objective(self) -> Function:
        """Function that is minimised in the null space of the errors."""

    @property
    def solver(self) -> Solver | None:
        """Solver of the problem; None: the search."""


class SolvedModule(_Solved, IKQuery, Protocol):
    """A module with objectives and solver."""


class SolvedHierarchy(_Solved, Protocol):
    """Levels of modules with objectives and solver. `HierarchicalIK` says what each of these is."""

    @property
    def skeleton(self) -> Skeleton:
        """The skeleton whose dofs are moved."""

    @property
    def levels(self) -> tuple[tuple[IKQuery, ...], ...]:
        """The active modules, level by level."""

    @property
    def settings(self) -> SearchSettings:
        """Settings of the search."""

    @property
    def positions(self) -> FloatArray:
        """Positions (n,) of all dofs of the skeleton [rad, m]."""

    def at(self, positions: ArrayLike) -> AbstractContextManager[None]:
        """Context in which the skeleton is at positions (n,) [rad, m]."""

    def step(self) -> HierarchyStep:
        """Errors and Jacobians of the modules now, and the step that lowers them."""
