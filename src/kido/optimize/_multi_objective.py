"""Problems with several objectives: interfaces for solvers of the user's own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from kido.optimize._multi_function import MultiFunction
from kido.optimize._problem import Problem
from kido.typing import ArrayLike, FloatArray, Value, frozen_array

__all__ = ["MultiObjectiveProblem", "MultiObjectiveSolver", "ParetoSet"]


class MultiObjectiveProblem(Problem, closed=True):
    """Minimise all values of f(x) (k,) at once, over what a Problem allows.

    `objective` weighs them where a solver takes a single one; it is zero by default.
    """

    def __init__(
        self,
        dimension: int,
        objectives: MultiFunction,
        *,
        lower_bounds: ArrayLike | None = None,
        upper_bounds: ArrayLike | None = None,
    ) -> None:
        """A problem with n = `dimension` numbers.

        Args:
            dimension: 0 or above.
            objectives: f, with k values.
            lower_bounds: (n,) [-], None is no bounds.
            upper_bounds: (n,) [-], None is no bounds.

        Raises:
            TypeError, ValueError: naming the argument.
        """
        if not isinstance(objectives, MultiFunction):
            raise TypeError(f"objectives: expected a MultiFunction, got {type(objectives).__name__}")
        super().__init__(dimension, lower_bounds=lower_bounds, upper_bounds=upper_bounds)
        self._objectives = objectives

    @property
    def objectives(self) -> MultiFunction:
        """The objectives f."""
        return self._objectives

    def clone(self) -> MultiObjectiveProblem:
        """A problem with the same numbers and functions, that changes on its own."""
        copy = MultiObjectiveProblem(self.dimension, self._objectives)
        copy.__dict__.update(super().clone().__dict__)
        return copy


@dataclass(frozen=True, slots=True, eq=False, init=False)
class ParetoSet(Value):
    """Points of which none is better than another in all objectives.

    Attributes: `solutions` (p, n) and the `values` (p, k) of the objectives there, both read-only.
    """

    solutions: FloatArray
    values: FloatArray

    def __init__(self, solutions: ArrayLike, values: ArrayLike) -> None:
        """Points (p, n) [-] and their values (p, k) [-]. Raises TypeError or ValueError for other shapes."""
        points = frozen_array("solutions", solutions, (-1, -1))
        self._assign(solutions=points, values=frozen_array("values", values, (len(points), -1)))


class MultiObjectiveSolver(ABC):
    """A method for several objectives. kido ships none: one of your own derives from it and has `solve`."""

    @abstractmethod
    def solve(self, problem: MultiObjectiveProblem) -> ParetoSet:
        """The set of points that cannot be improved in all objectives at once."""
