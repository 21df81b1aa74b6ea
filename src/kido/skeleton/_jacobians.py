"""Jacobians for all dofs of a skeleton."""

from __future__ import annotations

import numpy as np

from kido.frame import Frame
from kido.skeleton._axes import checked_frame, in_axes_of
from kido.skeleton._core_skeleton import SkeletonCore
from kido.typing import ArrayLike, FloatArray

__all__ = ["SkeletonJacobians"]

_NONE, _CLASSIC, _SPATIAL = range(3)
_ALL, _ANGULAR, _LINEAR = range(3)


class SkeletonJacobians(SkeletonCore):
    """Jacobians of frames with a column for each dof of the skeleton, and between frames."""

    __slots__ = ()

    def jacobian(
        self,
        frame: Frame,
        offset: ArrayLike | None = None,
        *,
        relative_to: Frame | None = None,
        in_coordinates_of: Frame | None = None,
    ) -> FloatArray:
        """Jacobian of a frame's point: J @ velocities is `frame.spatial_velocity(offset, relative_to=...)`.

        Args:
            frame: a body, a node, or any frame that moves with a body of this skeleton.
            offset: the point, in the frame's coordinates (3,) [m]; None is the origin.
            relative_to: whose observer sees the motion; None is the world.
            in_coordinates_of: axes of the answer; None is `frame`.

        Returns:
            (6, num_dofs), three angular rows, then three linear rows; zeros for dofs without influence.

        Raises:
            TypeError, ValueError: an argument is not a Frame, or offset not three finite numbers.
        """
        return self._jacobian(frame, _NONE, _ALL, offset, relative_to, in_coordinates_of, True)

    def linear_jacobian(
        self,
        frame: Frame,
        offset: ArrayLike | None = None,
        *,
        relative_to: Frame | None = None,
        in_coordinates_of: Frame | None = None,
    ) -> FloatArray:
        """The linear rows (3, num_dofs) of the Jacobian [m/s per unit velocity], in world axes by default.

        Args: as for jacobian; `offset` (3,) [m]; `in_coordinates_of` None is the world.

        Raises:
            TypeError, ValueError: as for jacobian.
        """
        return self._jacobian(frame, _NONE, _LINEAR, offset, relative_to, in_coordinates_of, False)

    def angular_jacobian(
        self, frame: Frame, *, relative_to: Frame | None = None, in_coordinates_of: Frame | None = None
    ) -> FloatArray:
        """The angular rows (3, num_dofs) of the Jacobian [rad/s per unit velocity], in world axes by default.

        Args: as for jacobian; `in_coordinates_of` None is the world.

        Raises:
            TypeError: as for jacobian.
        """
        return self._jacobian(frame, _NONE, _ANGULAR, None, relative_to, in_coordinates_of, False)

    def jacobian_spatial_derivative(
        self,
        frame: Frame,
        offset: ArrayLike | None = None,
        *,
        relative_to: Frame | None = None,
        in_coordinates_of: Frame | None = None,
    ) -> FloatArray:
        """Time derivative of the Jacobian: J @ accelerations + dJ @ velocities is the frame's spatial
        acceleration.

        Args: as for jacobian; `offset` (3,) [m].

        Returns:
            (6, num_dofs) [rad/s^2, m/s^2 per unit velocity].

        Raises:
            TypeError, ValueError: as for jacobian.
        """
        return self._jacobian(frame, _SPATIAL, _ALL, offset, relative_to, in_coordinates_of, True)

    def jacobian_classic_derivative(
        self,
        frame: Frame,
        offset: ArrayLike | None = None,
        *,
        relative_to: Frame | None = None,
        in_coordinates_of: Frame | None = None,
    ) -> FloatArray:
        """Time derivative of the Jacobian that goes with classical accelerations, in world axes by default.

        Args: as for jacobian; `offset` (3,) [m]; `in_coordinates_of` None is the world.

        Returns:
            (6, num_dofs) [rad/s^2, m/s^2 per unit velocity].

        Raises:
            TypeError, ValueError: as for jacobian.
        """
        return self._jacobian(frame, _CLASSIC, _ALL, offset, relative_to, in_coordinates_of, False)

    def linear_jacobian_derivative(
        self,
        frame: Frame,
        offset: ArrayLike | None = None,
        *,
        relative_to: Frame | None = None,
        in_coordinates_of: Frame | None = None,
    ) -> FloatArray:
        """The linear rows (3, num_dofs) of `jacobian_classic_derivative` [m/s^2 per unit velocity].

        Args: as there; `offset` (3,) [m].

        Raises:
            TypeError, ValueError: as for jacobian.
        """
        return self._jacobian(frame, _CLASSIC, _LINEAR, offset, relative_to, in_coordinates_of, False)

    def angular_jacobian_derivative(
        self, frame: Frame, *, relative_to: Frame | None = None, in_coordinates_of: Frame | None = None
    ) -> FloatArray:
        """The angular rows (3, num_dofs) of `jacobian_classic_derivative` [rad/s^2 per unit velocity].

        Args: as there.

        Raises:
            TypeError: as for jacobian.
        """
        return self._jacobian(frame, _CLASSIC, _ANGULAR, None, relative_to, in_coordinates_of, False)

    def _jacobian(
        self,
        frame: Frame,
        derivative: int,
        rows: int,
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
        return in_axes_of(in_coordinates_of, self._mean_jacobian(_NONE))

    def com_linear_jacobian(self, *, in_coordinates_of: Frame | None = None) -> FloatArray:
        """Jacobian (3, num_dofs) of the center of mass [m/s per unit velocity]; in_coordinates_of None is the
        world."""
        return in_axes_of(in_coordinates_of, self._mean_jacobian(_NONE)[3:])

    def com_jacobian_spatial_derivative(self, *, in_coordinates_of: Frame | None = None) -> FloatArray:
        """Derivative (6, num_dofs) of the Jacobian: with it `com_spatial_acceleration` follows from
        accelerations.

        Averages over the bodies, weighted by mass, as DART defines them [rad/s^2, m/s^2 per unit velocity];
        `in_coordinates_of` None is the world.
        """
        return in_axes_of(in_coordinates_of, self._mean_jacobian(_SPATIAL))

    def com_linear_jacobian_derivative(self, *, in_coordinates_of: Frame | None = None) -> FloatArray:
        """Time derivative (3, num_dofs) of `com_linear_jacobian` [m/s^2 per unit velocity].

        `in_coordinates_of` None is the world.
        """
        return in_axes_of(in_coordinates_of, self._mean_jacobian(_CLASSIC)[3:])

    def _mean_jacobian(self, derivative: int) -> FloatArray:
        """Average of the bodies' Jacobians at their centers of mass, world axes."""
        total = np.zeros((6, self.num_dofs))
        state = self._state or self._ready()
        mass = 0.0
        for body in self._bodies:
            if body.mass > 0.0:
                J = body._whole_jacobian(state, derivative, _ALL, body.local_com, None, None, False)
                total += body.mass * J
                mass += body.mass
        return total / (mass or 1.0)
