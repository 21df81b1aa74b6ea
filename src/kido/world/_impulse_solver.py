"""Solvers of the matrices of a step."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from kido.errors import UnsolvedError
from kido.lcp import Dantzig, FirstSuccess, LCPSolver, Lemke, SemismoothNewton
from kido.typing import ArrayLike, FloatArray, frozen_array
from kido.values import Value, checked, checked_flag, checked_part, number, value
from kido.world._step_problem import StepProblem

__all__ = ["BoxedLCPSolver", "ImpulseSolver"]


def _share(name: str, given: float) -> float:
    share = float(frozen_array(name, given, ()))
    if not 0.0 < share <= 1.0:
        raise ValueError(f"{name}: expected a number above 0, at most 1, got {share}")
    return share


def _factor(name: str, given: float) -> float:
    factor = float(frozen_array(name, given, ()))
    if factor < 0.0:
        raise ValueError(f"{name}: expected 0 or above, got {factor}")
    return factor


def _method(name: str, given: Any) -> LCPSolver:
    return checked_part(name, LCPSolver, given)


@value
class ImpulseSolver(Value, ABC):
    """A solver that gets the constraints of a step as matrices, island by island, and gives impulses.

    One of your own derives from it and has `solve`; what it is told are fields of the class, decorated by
    `kido.values.value`. Clones of a world share it, pickles hold it; rollouts, which ask no Python, refuse
    it. A step has no sub-steps then. Surfaces bounce as with every solver, after it.

    Attributes:
        error_reduction: share of depth that a step pushes out [-].
        push_speed: largest velocity at which depth is pushed out [m/s].
    """

    error_reduction: float = checked(_share, default=0.2, kw_only=True)
    push_speed: float = number(positive=True, default=4.0, kw_only=True)

    @abstractmethod
    def solve(self, problem: StepProblem) -> ArrayLike:
        """Impulses x (n,) [N s, N m s] of an island. Where it raises, the step is not made."""

    def impulses(self, problem: StepProblem) -> FloatArray:
        """As `solve`, checked. Raises TypeError or ValueError naming the solver."""
        return frozen_array(
            f"{type(self).__name__}.solve", self.solve(problem), (problem.size,), "N s, N m s"
        )


@value
class BoxedLCPSolver(ImpulseSolver):
    """Boxed complementarity problems, solved exactly, as DART does.

    Its cost grows with the third power of the rows of an island: it is for few contacts, and for comparison.
    Islands whose answers leave a residual are an error, never taken for solved.

    Attributes:
        method: solves the problems of `kido.lcp`.
        cones: friction as Coulomb's cone, for methods that take cones; else a pyramid along two tangents, as
            DART has it, which brakes up to 1.41 times too much between them.
        regularization: share of A's diagonal that is added to it in rows of contacts, and a ten thousandth
            of it in others [-]; both are DART's.
        largest_residual: of an answer that counts, as `BoxedLCP.residual` measures it [-].

    Raises TypeError or ValueError naming the argument.
    """

    method: LCPSolver = checked(
        _method, default=FirstSuccess((Dantzig(), Lemke(), SemismoothNewton())), kw_only=True
    )
    cones: bool = checked(checked_flag, default=False, kw_only=True)
    regularization: float = checked(_factor, default=1e-5, kw_only=True)
    largest_residual: float = number(positive=True, default=1e-6, kw_only=True)

    def _check(self) -> None:
        if self.cones and not self.method.takes_cones:
            raise ValueError(f"cones: {self.method.type_name} takes none; SemismoothNewton does")

    def solve(self, problem: StepProblem) -> FloatArray:
        """Impulses (n,) [N s, N m s]. Raises UnsolvedError."""
        lcp = problem.as_lcp(cones=self.cones, regularization=self.regularization)
        result = self.method.solve(lcp, problem.unknowns(problem.start, cones=self.cones))
        residual = result.residual
        if not (result.success or residual <= self.largest_residual) or not np.isfinite(result.x).all():
            raise UnsolvedError(problem.skeletons, problem.size, residual, result.message)
        return problem.impulses(result.x, cones=self.cones)
