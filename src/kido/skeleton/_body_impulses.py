"""Impulses on a body."""

from __future__ import annotations

import numpy as np

from kido.frame import Frame
from kido.skeleton._answers import _dynamics as dynamics
from kido.skeleton._dof_arrays import DofArrays
from kido.skeleton._external import ExternalForces
from kido.typing import ArrayLike, FloatArray, frozen_array

__all__ = ["BodyImpulses"]


class BodyImpulses(ExternalForces):
    """Impulses on a body: applied at once, or added to those of the dofs of its skeleton."""

    __slots__ = ()

    def _dofs_of_skeleton(self) -> DofArrays:
        """The dofs of the skeleton that the body belongs to. Raises RemovedError."""
        raise NotImplementedError

    @property
    def dependent_dof_indices(self) -> list[int]:
        """Indices, in the skeleton, of the dofs that move this body."""
        raise NotImplementedError

    def jacobian(self) -> FloatArray:
        """Jacobian (6, n) of the body's origin by these dofs, in its axes [-, m]."""
        raise NotImplementedError

    def apply_impulse(
        self,
        impulse: ArrayLike,
        offset: ArrayLike | None = None,
        *,
        angular_impulse: ArrayLike | None = None,
        in_coordinates_of: Frame | None = None,
        offset_in_world: bool = False,
    ) -> None:
        """Change the velocities of the skeleton at once by what an impulse on this body gives.

        The change is M^-1 J^T p, for joints that yield; kinematic ones do not. In a world it holds from the
        next step on.

        Args:
            impulse: (3,) [N s].
            offset: point of application (3,) [m]; None is this body's origin.
            angular_impulse: (3,) beside it [N m s]; None is none.
            in_coordinates_of: axes of the impulses; None is the world.
            offset_in_world: whether `offset` is in world coordinates instead of this body's.

        Raises:
            TypeError, ValueError: naming the argument.
            SingularMassError: a joint that yields moves no mass.
        """
        p = self._dof_impulses(impulse, offset, angular_impulse, in_coordinates_of, offset_in_world)
        change = dynamics.velocity_changes(self._answers, p)
        dofs = self._dofs_of_skeleton()
        dofs.velocities = dofs.velocities + change

    def add_constraint_impulse(
        self,
        impulse: ArrayLike,
        offset: ArrayLike | None = None,
        *,
        angular_impulse: ArrayLike | None = None,
        in_coordinates_of: Frame | None = None,
        offset_in_world: bool = False,
    ) -> None:
        """Add what an impulse on this body gives to the dofs, J^T p, to the skeleton's
        `constraint_impulses`.

        Velocities stay; `Skeleton.constraint_velocity_changes` says what all these impulses make of them, and
        `Skeleton.compute_impulse_forward_dynamics` applies it. The arguments are those of `apply_impulse`.

        Args:
            impulse: (3,) [N s].
            offset: point of application (3,) [m]; None is this body's origin.
            angular_impulse: (3,) beside it [N m s]; None is none.
            in_coordinates_of: axes of the impulses; None is the world.
            offset_in_world: whether `offset` is in world coordinates instead of this body's.

        Raises:
            TypeError, ValueError: naming the argument.
        """
        p = self._dof_impulses(impulse, offset, angular_impulse, in_coordinates_of, offset_in_world)
        dofs = self._dofs_of_skeleton()
        dofs.constraint_impulses = dofs.constraint_impulses + p

    def _dof_impulses(
        self,
        impulse: ArrayLike,
        offset: ArrayLike | None,
        angular_impulse: ArrayLike | None,
        axes: Frame | None,
        offset_in_world: bool,
    ) -> FloatArray:
        """J^T p (num_dofs,) [N m s, N s]."""
        wrench = self._wrench_about_origin("impulse", "N s", impulse, offset, axes, offset_in_world)
        if angular_impulse is not None:
            wrench[:3] += self._turn_to(axes).T @ frozen_array(
                "angular_impulse", angular_impulse, (3,), "N m s"
            )
        generalized = np.zeros(self._data_row()[0].num_dofs)
        generalized[self.dependent_dof_indices] = self.jacobian().T @ wrench
        return generalized
