"""Jacobians for all dofs of a skeleton."""

from __future__ import annotations

import numpy as np

from kido._core import JacobianDerivative, JacobianRows
from kido.frame import Frame
from kido.skeleton._axes import checked_frame, in_axes_of
from kido.skeleton._core_skeleton import SkeletonCore
from kido.skeleton._frame_jacobians import ALL, CLASSIC, NONE, SPATIAL, FrameJacobians
from kido.typing import ArrayLike, FloatArray

__all__ = ["SkeletonJacobians"]


class SkeletonJacobians(FrameJacobians, SkeletonCore):
    """Jacobians of frames and of the center of mass, with a column for each dof of the skeleton."""

    __slots__ = ()

    def _jacobian(
        self,
        frame: Frame,
        derivative: JacobianDerivative,
        rows: JacobianRows,
        offset: ArrayLike | None,
        relative_to: Frame | None,
        in_coordinates_of: Frame | None,
        own: bool,
    ) -> FloatArray:
        checked_frame("frame", frame)
        state = self._state or self._ready()
        return frame._whole_jacobian(state, derivative, rows, offset, relative_to, in_coordinates_of, own)

    # ---- center of mass

    def com_jacobian(self, *, in_coordinates_of: Frame | None = None) -> FloatArray:
        """Jacobian (6, num_dofs) of `com_spatial_velocity` [rad/s, m/s per unit velocity].

        Its angular rows are averages of those of the bodies, weighted by mass, as DART defines them; they do
        not give the angular momentum. `in_coordinates_of` None is the world.
        """
        return in_axes_of(in_coordinates_of, self._mean_jacobian(NONE))

    def com_linear_jacobian(self, *, in_coordinates_of: Frame | None = None) -> FloatArray:
        """Jacobian (3, num_dofs) of the center of mass [m/s per unit velocity]; in_coordinates_of None is the
        world."""
        return in_axes_of(in_coordinates_of, self._mean_jacobian(NONE)[3:])

    def com_jacobian_spatial_derivative(self, *, in_coordinates_of: Frame | None = None) -> FloatArray:
        """Derivative (6, num_dofs) of the Jacobian: with it `com_spatial_acceleration` follows from
        accelerations.

        Averages over the bodies, weighted by mass, as DART defines them [rad/s^2, m/s^2 per unit velocity];
        `in_coordinates_of` None is the world.
        """
        return in_axes_of(in_coordinates_of, self._mean_jacobian(SPATIAL))

    def com_linear_jacobian_derivative(self, *, in_coordinates_of: Frame | None = None) -> FloatArray:
        """Time derivative (3, num_dofs) of `com_linear_jacobian` [m/s^2 per unit velocity].

        `in_coordinates_of` None is the world.
        """
        return in_axes_of(in_coordinates_of, self._mean_jacobian(CLASSIC)[3:])

    def _mean_jacobian(self, derivative: JacobianDerivative) -> FloatArray:
        """Average of the bodies' Jacobians at their centers of mass, world axes."""
        total = np.zeros((6, self.num_dofs))
        state = self._state or self._ready()
        mass = 0.0
        for body in self._bodies:
            if body.mass > 0.0:
                J = body._whole_jacobian(state, derivative, ALL, body.local_com, None, None, False)
                total += body.mass * J
                mass += body.mass
        return total / (mass or 1.0)
