"""Impulses on the dofs of a skeleton."""

from __future__ import annotations

import numpy as np

from kido.skeleton._answers import _dynamics as dynamics
from kido.skeleton._answers._quantity import undisturbed
from kido.skeleton._skeleton_numbers import SkeletonNumbers
from kido.typing import ArrayLike, FloatArray, frozen_array, read_only

__all__ = ["SkeletonImpulses"]


class SkeletonImpulses(SkeletonNumbers):
    """Generalized impulses: what they change at once, and those that are added up for later; wrenches from
    outside cleared."""

    __slots__ = ()

    def velocity_changes(self, impulses: ArrayLike) -> FloatArray:
        """Changes of velocity (num_dofs,) that generalized impulses give; kinematic joints do not yield.

        Args:
            impulses: (num_dofs,) [N m s, N s].

        Returns:
            (num_dofs,) [rad/s, m/s].

        Raises:
            TypeError, ValueError: not numbers of that shape.
            SingularMassError: a joint that yields moves no mass.
        """
        p = frozen_array("impulses", impulses, (self._answers.data.num_dofs,), "N m s, N s")
        return dynamics.velocity_changes(self._answers, p)

    @undisturbed
    def apply_impulses(self, impulses: ArrayLike) -> None:
        """Change the velocities by what generalized impulses (num_dofs,) [N m s, N s] give; see
        velocity_changes.

        The impulses stand in `constraint_impulses` from then on, and `constraint_forces` follow.
        """
        p = frozen_array("impulses", impulses, (self._answers.data.num_dofs,), "N m s, N s")
        self.velocities = dynamics.change_velocities(self._answers, p)
        self.constraint_impulses = impulses

    @property
    @undisturbed
    def constraint_velocity_changes(self) -> FloatArray:
        """Changes of velocity (num_dofs,) that `constraint_impulses` give; kinematic joints do not yield
        [rad/s, m/s].

        Raises SingularMassError: a joint that yields moves no mass.
        """
        return read_only(self.velocity_changes(self.constraint_impulses))

    @undisturbed
    def compute_impulse_forward_dynamics(self) -> None:
        """Add `constraint_velocity_changes` to the velocities. The impulses stay until they are cleared.

        Raises SingularMassError: a joint that yields moves no mass.
        """
        self.velocities = dynamics.change_velocities(self._answers, np.array(self.constraint_impulses))

    def clear_constraint_impulses(self) -> None:
        """Set `constraint_impulses` to zero."""
        self.constraint_impulses = 0.0

    def clear_external_forces(self) -> None:
        """Let nothing from outside act on any body."""
        data = self._answers.data
        if data.wrenches is not None:
            data.wrenches = None
            self._answers.dynamics_changed()
