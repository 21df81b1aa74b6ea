"""What native searches ask of parts that only Python knows."""

from __future__ import annotations

import numpy as np

from kido.ik._gradient_methods._gradient_method import checked_velocities, velocities_for
from kido.ik._query import IKQuery
from kido.ik._search._characteristic_length import length_rows
from kido.ik._search._pose_problem import PoseProblem
from kido.ik._search._search_error import search_error, search_jacobian
from kido.ik._search._search_objective import SearchObjective
from kido.skeleton import Skeleton
from kido.typing import FloatArray

__all__ = ["CustomParts"]


class CustomParts:
    """Errors, Jacobians and steps of modules at positions of their skeleton, which is moved there; task i is
    that of module i."""

    __slots__ = ("_modules", "_objective", "_problems", "_rows", "_skeleton")

    def __init__(
        self,
        skeleton: Skeleton,
        modules: tuple[IKQuery, ...],
        problems: tuple[PoseProblem, ...],
        rows: list[int],
        objective: SearchObjective | None,
    ) -> None:
        """Of modules with their problems, the numbers of components that their errors have, and what is to be
        lowered beside them."""
        self._objective = objective
        self._skeleton, self._modules, self._problems, self._rows = skeleton, modules, problems, rows

    def place(self, positions: FloatArray) -> None:
        """Move the skeleton to positions (n,) [rad, m]."""
        self._skeleton.positions = positions

    def error(self, task: int) -> tuple[FloatArray, float, float]:
        """Weighted error (m,), present minus desired [-], and the norms of its angles [rad] and lengths [m].

        Raises ValueError where it has another number of components than before.
        """
        module = self._modules[task]
        error, angular, linear = search_error(self._problems[task], module)
        if len(error) != self._rows[task]:
            expected = f"expected shape ({self._rows[task]},) as at the positions before"
            raise ValueError(f"{module.error_method.name}.compute_error: {expected}, got ({len(error)},)")
        return error, angular, linear

    def jacobian(self, task: int) -> FloatArray:
        """Derivative (m, n) of the weighted error by the velocities of all dofs."""
        problem, rows = self._problems[task], self._rows[task]
        J = np.zeros((rows, problem.tree.num_dofs))
        J[:, problem.dofs] = search_jacobian(problem, self._modules[task], rows)
        return J

    def step(self, task: int, error: FloatArray | None, jacobian: FloatArray | None) -> FloatArray:
        """Velocities (n,) of the module's gradient method, downhill [rad, m].

        Args:
            task: which module.
            error: its weighted error (m,) [-]; None: it is asked for.
            jacobian: the derivative (m, n) of that by all velocities.
        """
        problem, module = self._problems[task], self._modules[task]
        if error is None or jacobian is None:
            velocities = checked_velocities(module)
        else:
            velocities = velocities_for(module, module.clamped(error), jacobian[:, problem.dofs])
        step = np.zeros(problem.tree.num_dofs)
        step[problem.dofs] = -module.gradient_method.limited(velocities)
        return step

    def objective(self) -> tuple[float, FloatArray]:
        """The objective, and its gradient (n,) by velocities. Raises as `SearchObjective` does."""
        assert self._objective is not None
        return self._objective()

    def is_length(self, task: int) -> FloatArray:
        """Whether components of the error (m,) are lengths."""
        return length_rows(self._modules[task], self._rows[task]).astype(np.float64)
