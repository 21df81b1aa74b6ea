"""Problems that follow what they were made from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np

from kido.errors import EditError
from kido.ik._problem._ik_function import OwnErrors
from kido.optimize import Function, Problem, Result
from kido.skeleton import DegreeOfFreedom
from kido.typing import FloatArray
from kido.values import register

__all__ = ["FollowingProblem", "ProblemContent"]

P = TypeVar("P", bound="FollowingProblem")
_Dofs = tuple[DegreeOfFreedom, ...]


@register
class ProblemContent(NamedTuple):
    """Content of a problem, for a copy or a pickle; functions as whoever made it turned them.

    Attributes:
        limits, bounds: (k,), (k,): followed last, and those that there are.
        guess, seeds: initial guess (k,) and seeds, each (k,).
        objective: None where it follows.
        equalities, inequalities: constraints.
        result: of the last solver.
        has_own_guess: whether the initial guess was set, and does not follow.
    """

    limits: tuple[FloatArray, FloatArray]
    bounds: tuple[FloatArray, FloatArray]
    guess: FloatArray
    seeds: tuple[FloatArray, ...]
    objective: Any
    equalities: tuple[Any, ...]
    inequalities: tuple[Any, ...]
    result: Result | None
    has_own_guess: bool = False


class FollowingProblem(Problem, closed=True):
    """A problem over positions of dofs: what a user has not replaced follows limits, positions and an
    objective."""

    def __init__(self, initial_guess: FloatArray) -> None:
        """A problem over positions (k,) [rad, m] that has no bounds and objective yet."""
        super().__init__(len(initial_guess), initial_guess=initial_guess)
        self._followed_objective = self.objective
        self._followed_limits = self.lower_bounds, self.upper_bounds
        self._followed_guess = self.initial_guess

    _copied_dofs: _Dofs | None = None

    @property
    def has_own_objective(self) -> bool:
        """Whether an objective was put in, instead of that which it follows."""
        return self.objective is not self._followed_objective

    @property
    def has_own_guess(self) -> bool:
        """Whether an initial guess was set, from which solvers start instead of the present positions."""
        return self.initial_guess is not self._followed_guess

    @property
    def has_own_numbers(self) -> bool:
        """Whether bounds, seeds or an initial guess were set: numbers of the dofs that there were then."""
        low, high = self._followed_limits
        same = np.array_equal(self.lower_bounds, low) and np.array_equal(self.upper_bounds, high)
        return bool(self.seeds) or self.has_own_guess or not same

    def asks_more_than(self, owner: object) -> bool:
        """Whether more is asked than the search of its owner knows: other constraints than the owner's own
        errors, bounds, seeds or an initial guess. The search knows the limits, errors and any objective."""
        equalities = tuple(self.equality_constraints)
        own = len(equalities) == 1 and isinstance(equalities[0], OwnErrors) and equalities[0].owner is owner
        return not own or len(self.inequality_constraints) > 0 or self.has_own_numbers

    def start_at(self, positions: FloatArray) -> None:
        """Take positions (k,) as initial guess, as a followed one [rad, m]."""
        self.initial_guess = positions
        self._followed_guess = self.initial_guess

    def content(self, function: Callable[[str, Any], Any]) -> ProblemContent:
        """Content of the problem, its functions as `function` turns them, which gets the name of each too."""
        return ProblemContent(
            self._followed_limits,
            (self.lower_bounds, self.upper_bounds),
            self.initial_guess,
            self.seeds,
            function("the problem's objective", self.objective) if self.has_own_objective else None,
            tuple(function(f"equality constraint {i}", h) for i, h in enumerate(self.equality_constraints)),
            tuple(
                function(f"inequality constraint {i}", g) for i, g in enumerate(self.inequality_constraints)
            ),
            self.result,
            self.has_own_guess,
        )

    @classmethod
    def of_content(
        cls: type[P], content: ProblemContent, function: Callable[[Any], Any], dofs: _Dofs | None
    ) -> P:
        """A problem with the content of another.

        Args:
            content: of the other.
            function: turns its functions into those of this one.
            dofs: those that have to be moved when the problem is used; None: any.
        """
        problem = cls.__new__(cls)
        FollowingProblem.__init__(problem, content.guess)
        problem.set_bounds(*content.bounds)
        problem.seeds, problem._followed_limits = content.seeds, content.limits
        problem._copied_dofs = dofs
        if content.has_own_guess:
            problem.initial_guess = content.guess
        if content.objective is not None:
            problem.objective = function(content.objective)
        for constraint in content.equalities:
            problem.equality_constraints.add(function(constraint))
        for constraint in content.inequalities:
            problem.inequality_constraints.add(function(constraint))
        if content.result is not None:
            problem.record(content.result)
        return problem

    def follow_parts(
        self,
        limits: tuple[FloatArray, FloatArray],
        objective: Function,
        dofs: _Dofs,
        positions: FloatArray,
    ) -> None:
        """Take dofs, their limits (k,), (k,) and positions (k,) [rad, m] and the objective as they are now.

        Bounds that were set stay where they are narrower than the limits. Another number of dofs starts
        bounds, initial guess and seeds over.

        Raises EditError for a copy that moves other dofs than bounds and seeds were set for.
        """
        if self._copied_dofs is not None:
            self._refuse_other(dofs)
        lower, upper = limits
        if self.dimension != len(lower):
            self.dimension = len(lower)
            self._followed_limits = self.lower_bounds, self.upper_bounds
            self._followed_guess = self.initial_guess
        if not self.has_own_guess:
            self.start_at(positions)
        self._follow_limits(lower, upper)
        if not self.has_own_objective:
            self.objective = self._followed_objective = objective

    def _refuse_other(self, dofs: _Dofs) -> None:
        expected = self._copied_dofs or ()
        if dofs != expected or len(dofs) != self.dimension:
            names = [[dof.name for dof in some] for some in (expected, dofs)]
            raise EditError(
                f"problem: its bounds and seeds are for {self.dimension} dofs, of which {names[0]} were "
                f"copied, got {names[1]}: name the same ones, or call `reset_problem`"
            )
        self._copied_dofs = None

    def _follow_limits(self, lower: FloatArray, upper: FloatArray) -> None:
        low, high = self._followed_limits
        own_low = np.where(self.lower_bounds == low, lower, self.lower_bounds)
        own_high = np.where(self.upper_bounds == high, upper, self.upper_bounds)
        self.set_bounds(np.clip(own_low, lower, upper), np.clip(own_high, lower, upper))
        self._followed_limits = lower, upper
