"""One step of a hierarchy of modules."""

from __future__ import annotations

import math

import numpy as np

from kido.ik._gradient_methods._damped_least_squares import DampedLeastSquares
from kido.ik._gradient_methods._gradient_method import checked_velocities
from kido.ik._gradient_methods._least_squares import damped_solution
from kido.ik._module import InverseKinematics
from kido.ik._search._search_error import search_error, search_jacobian
from kido.skeleton import Skeleton
from kido.typing import FloatArray

__all__ = ["HierarchyStep"]

_INDEPENDENT = 1e-6
"""Part of a row that is not in the levels above, for it to be new."""


class HierarchyStep:
    """What the levels of a hierarchy want at the positions of the skeleton, each in what those above leave.

    Attributes:
        levels: the modules.
        errors, jacobians: weighted errors (m,) of each level, and their derivatives (m, n).
        squared: squares of the errors.
    """

    def __init__(self, skeleton: Skeleton, levels: tuple[tuple[InverseKinematics, ...], ...]) -> None:
        """What the modules of a skeleton want."""
        self.levels, self._count = levels, skeleton.num_dofs
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
        """The step (n,) of dofs that are `free` (n,) [0 or 1] beside what others move, `fixed` (n,) [rad, m].

        Levels take part as far as there are numbers for `damping` [-], squares of lengths.
        Modules with damped least squares share the step of their level; that of any other gradient method is
        what the method says, projected.
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
                    move = -self._wanted(module) * free
                    step = step + move - (basis @ move) @ basis
            basis = _extended(basis, J * free)
        return step

    @property
    def ranks(self) -> list[int]:
        """The number of each module's level, module by module."""
        return [rank for rank, level in enumerate(self.levels) for _ in level]

    def _rows(self, module: InverseKinematics) -> tuple[FloatArray, FloatArray]:
        plan = module.search_plan()
        error = search_error(plan, module)[0]
        J = np.zeros((len(error), self._count))
        J[:, plan.dofs] = search_jacobian(plan, module, len(error))
        return error, J

    def _wanted(self, module: InverseKinematics) -> FloatArray:
        step = np.zeros(self._count)
        step[module.dof_indices] = module.gradient_method.limited(checked_velocities(module))
        return step


def _extended(basis: FloatArray, rows: FloatArray) -> FloatArray:
    """A basis (r, n) of orthonormal rows and what is new in others (m, n)."""
    inner = rows - (rows @ basis.T) @ basis
    inner = inner - (inner @ basis.T) @ basis
    scale = np.linalg.norm(rows, axis=1).max(initial=0.0)
    _, sizes, directions = np.linalg.svd(inner, full_matrices=False)
    return np.concatenate([basis, directions[sizes > _INDEPENDENT * max(scale, _INDEPENDENT)]])
