"""Step of a hierarchy of modules."""

from __future__ import annotations

import math

import numpy as np

from kido.ik._gradient_methods._damped_methods import DampedLeastSquares
from kido.ik._gradient_methods._gradient_method import checked_velocities
from kido.ik._gradient_methods._least_squares import damped_solution
from kido.ik._query import IKQuery
from kido.ik._search._custom_parts import length_rows, search_error, search_jacobian
from kido.skeleton import Skeleton
from kido.typing import FloatArray

__all__ = ["HierarchyStep", "limited_velocities"]

_INDEPENDENT = 1e-6
"""Part of a row outside the levels above that makes it independent [-]."""


class HierarchyStep:
    """Errors and Jacobians of the levels of a hierarchy at the positions of the skeleton, and the step that
    lowers each level's error in the null space of the levels above.

    Attributes:
        levels: the modules.
        errors, jacobians: weighted errors (m,) of each level, and their derivatives (m, n).
        squared: squared norms of the errors.
        length: unit of lengths in the errors [m].
        unit: unit (n,) of each dof [rad, m].
    """

    __slots__ = ("_count", "_shared", "errors", "jacobians", "length", "levels", "squared", "unit")

    def __init__(
        self,
        skeleton: Skeleton,
        levels: tuple[tuple[IKQuery, ...], ...],
        *,
        characteristic_length: float = 1.0,
    ) -> None:
        """Errors of the modules of a skeleton.

        Args:
            skeleton: the skeleton.
            levels: its modules, level by level.
            characteristic_length: unit of lengths in errors and of translational dofs [m].
        """
        self.levels, self._count = levels, skeleton.num_dofs
        self.length = characteristic_length
        self.unit = np.where(skeleton.tree.is_prismatic, characteristic_length, 1.0)
        rows = [[self._rows(module) for module in level] for level in levels]
        self._shared = [
            np.repeat(
                [isinstance(m.gradient_method, DampedLeastSquares) for m in level], [len(e) for e, _ in own]
            )
            for level, own in zip(levels, rows, strict=True)
        ]
        self.errors = [np.concatenate([e for e, _ in level]) for level in rows]
        self.jacobians = [np.concatenate([J for _, J in level]) for level in rows]
        self.squared = [float(e @ e) for e in self.errors]

    def velocities(self, free: FloatArray, fixed: FloatArray, damping: list[float]) -> FloatArray:
        """The step (n,) of dofs that are `free` (n,) [0 or 1], beside the step `fixed` (n,) of the others,
        both in the units of the dofs.

        The first levels take part, as many as there are numbers in `damping` [-], squares of lengths.
        Modules with damped least squares share the step of their level; the step of any other gradient method
        is projected into the null space of the levels above.
        """
        step, basis = fixed.copy(), np.zeros((0, self._count))
        for i, damp in enumerate(damping):
            error, J = self.errors[i], self.jacobians[i]
            shared = self._shared[i]
            own = J[shared] * free
            inner = own - (own @ basis.T) @ basis
            missing = -error[shared] - J[shared] @ step
            step = step + free * damped_solution(inner, missing, math.sqrt(damp))
            for module in self.levels[i]:
                if not isinstance(module.gradient_method, DampedLeastSquares):
                    move = -self._method_step(module) * free
                    step = step + move - (basis @ move) @ basis
            basis = _extended(basis, J * free)
        return step

    @property
    def ranks(self) -> list[int]:
        """The number of each module's level, module by module."""
        return [rank for rank, level in enumerate(self.levels) for _ in level]

    def _rows(self, module: IKQuery) -> tuple[FloatArray, FloatArray]:
        problem = module.search_problem()
        error = search_error(problem, module)[0]
        J = np.zeros((len(error), self._count))
        J[:, problem.dofs] = search_jacobian(problem, module, len(error))
        if self.length == 1.0:
            return error, J
        scale = np.where(length_rows(module, len(error)), 1.0 / self.length, 1.0)
        return scale * error, scale[:, None] * J * self.unit

    def _method_step(self, module: IKQuery) -> FloatArray:
        step = np.zeros(self._count)
        step[module.dof_indices] = module.gradient_method.limited(checked_velocities(module))
        return np.asarray(step / self.unit)


def _extended(basis: FloatArray, rows: FloatArray) -> FloatArray:
    """A basis (r, n) of orthonormal rows, extended by those of other rows (m, n) that are independent of
    it."""
    inner = rows - (rows @ basis.T) @ basis
    inner = inner - (inner @ basis.T) @ basis
    scale = np.linalg.norm(rows, axis=1).max(initial=0.0)
    _, sizes, directions = np.linalg.svd(inner, full_matrices=False)
    return np.concatenate([basis, directions[sizes > _INDEPENDENT * max(scale, _INDEPENDENT)]])


_ROUNDS = 4
"""Times that joints may be found beyond their limits in one step."""


def limited_velocities(
    step: HierarchyStep, damping: list[float], moves: FloatArray, lowest: FloatArray, highest: FloatArray
) -> FloatArray:
    """The step (n,) of the first levels, in the units of the dofs: joints that would leave their limits stop
    there, the others compensate.

    Args:
        step: errors and Jacobians of the levels.
        damping: of each level that takes part [-], squares of lengths.
        moves: which dofs may move (n,) [0 or 1].
        lowest, highest: bounds (n,) of the step.
    """
    free, velocities = moves.copy(), np.zeros(len(moves))
    for _ in range(_ROUNDS):
        fixed = np.where(free > 0.0, 0.0, velocities)
        velocities = step.velocities(free, fixed, damping)
        allowed = np.clip(velocities, lowest, highest)
        beyond = (free > 0.0) & (allowed != velocities)
        if not beyond.any():
            break
        velocities[beyond] = allowed[beyond]
        free[beyond] = 0.0
    return velocities
