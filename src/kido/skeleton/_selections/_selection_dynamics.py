"""Mass matrices and forces of the dofs of a selection."""

from __future__ import annotations

import numpy as np

from kido.errors import SingularMassError
from kido.skeleton._selections._selection_core import SelectionCore
from kido.typing import FloatArray, read_only

__all__ = ["SelectionDynamics"]

_NULL = 1e-12
"""Eigenvalues of a mass matrix below this part of the largest one count as zero."""


class SelectionDynamics(SelectionCore):
    """The rows and columns of the skeletons' equations of motion that belong to the dofs of a selection."""

    __slots__ = ()

    @property
    def mass_matrix(self) -> FloatArray:
        """Rows and columns (num_dofs, num_dofs) of the mass matrix [kg m^2, kg m, kg]; zeros between
        skeletons."""
        return self._blocks(lambda skeleton: skeleton.mass_matrix)

    @property
    def augmented_mass_matrix(self) -> FloatArray:
        """Rows and columns (num_dofs, num_dofs) of the augmented mass matrix M + h D + h^2 K [kg m^2]."""
        return self._blocks(lambda skeleton: skeleton.augmented_mass_matrix)

    @property
    def inverse_mass_matrix(self) -> FloatArray:
        """Inverse of `mass_matrix` (num_dofs, num_dofs) [1/(kg m^2), ...]: the other dofs do not yield.

        DART gives rows and columns of the skeleton's inverse instead, where they do. Raises
        SingularMassError.
        """
        return self._inverse(self.mass_matrix)

    @property
    def inverse_augmented_mass_matrix(self) -> FloatArray:
        """Inverse of `augmented_mass_matrix` (num_dofs, num_dofs) [1/(kg m^2), ...].

        Raises SingularMassError.
        """
        return self._inverse(self.augmented_mass_matrix)

    @property
    def coriolis_and_gravity_forces(self) -> FloatArray:
        """C + G (num_dofs,): what keeps the present velocities [N m, N]."""
        return self._gathered(lambda skeleton: skeleton.coriolis_and_gravity_forces)

    @property
    def coriolis_forces(self) -> FloatArray:
        """C (num_dofs,): what keeps the present velocities without gravity [N m, N]."""
        return self._gathered(lambda skeleton: skeleton.coriolis_forces)

    @property
    def gravity_forces(self) -> FloatArray:
        """G (num_dofs,), the derivative of the potential energy in the field of gravity [N m, N]."""
        return self._gathered(lambda skeleton: skeleton.gravity_forces)

    @property
    def external_forces(self) -> FloatArray:
        """Generalized forces (num_dofs,) of all external wrenches, those on bodies not selected too [N m,
        N]."""
        return self._gathered(lambda skeleton: skeleton.external_forces)

    @property
    def constraint_forces(self) -> FloatArray:
        """Generalized forces (num_dofs,) of the constraint impulses over the time step [N m, N]."""
        return self._gathered(lambda skeleton: skeleton.constraint_forces)

    @property
    def spring_forces(self) -> FloatArray:
        """Forces (num_dofs,) of the springs of these dofs [N m, N]."""
        return self._gathered(lambda skeleton: skeleton.spring_forces)

    @property
    def damping_forces(self) -> FloatArray:
        """Forces (num_dofs,) of the dampers of these dofs [N m, N]."""
        return self._gathered(lambda skeleton: skeleton.damping_forces)

    def clear_external_forces(self) -> None:
        """Let nothing from outside act on the bodies of this selection."""
        for body in self._present().bodies:
            body.clear_external_forces()

    def _inverse(self, matrix: FloatArray) -> FloatArray:
        try:
            np.linalg.cholesky(matrix)
        except np.linalg.LinAlgError:
            raise SingularMassError(self._joints_without_inertia(matrix), self._name) from None
        inverse = np.linalg.inv(matrix)
        return read_only(0.5 * (inverse + inverse.T))

    def _joints_without_inertia(self, matrix: FloatArray) -> tuple[str, ...]:
        values, vectors = np.linalg.eigh(matrix)
        null = np.abs(vectors[:, values <= _NULL * max(1.0, values[-1])])
        dofs = self._present().dofs
        return tuple(dict.fromkeys(dofs[i].joint.name for i in np.flatnonzero((null > 0.1).any(axis=1))))
