"""Problems with several objectives: interfaces for solvers of the user's own."""

from __future__ import annotations

from abc import ABC, abstractmethod

from kido.optimize._multi_function import MultiFunction
from kido.optimize._problem import Problem
from kido.typing import ArrayLike, frozen_array
from kido.values import Array, Value, array, value

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


@value
class ParetoSet(Value):
    """Points of which none is better than another in all objectives.

    Attributes: `solutions` (p, n) and the `values` (p, k) of the objectives there, both read-only.

    Raises TypeError or ValueError for other shapes.
    """

    solutions: Array = array(-1, -1)
    values: Array = array(-1, -1)

    def _check(self) -> None:
        frozen_array("values", self.values, (len(self.solutions), -1))


class MultiObjectiveSolver(ABC):
    """A method for several objectives. kido ships none: one of your own derives from it and has `solve`."""

    __slots__ = ()

    @abstractmethod
    def solve(self, problem: MultiObjectiveProblem) -> ParetoSet:
        """The set of points that cannot be improved in all objectives at once."""
