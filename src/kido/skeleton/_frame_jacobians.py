"""Jacobians of frames, for whatever has dofs."""

from __future__ import annotations

from kido._core import JacobianDerivative, JacobianRows
from kido.frame import Frame
from kido.skeleton._frame_names import FrameArguments
from kido.typing import ArrayLike, FloatArray

__all__ = ["ALL", "ANGULAR", "CLASSIC", "LINEAR", "NONE", "SPATIAL", "FrameJacobians"]

NONE, CLASSIC, SPATIAL = JacobianDerivative
"""Derivatives of a Jacobian."""
ALL, ANGULAR, LINEAR = JacobianRows
"""Rows of a Jacobian."""


class FrameJacobians(FrameArguments):
    """Jacobians of frames with a column for each dof of a skeleton or selection.

    Columns of dofs without influence are zero. Where the motion of a frame depends on dofs that have no
    column, J @ velocities is the part that the others bring.

    Bodies and nodes may be given by name, everywhere that a frame is meant; a body comes before nodes of the
    same name.
    """

    __slots__ = ()

    def jacobian(
        self,
        frame: Frame | str,
        offset: ArrayLike | None = None,
        *,
        relative_to: Frame | str | None = None,
        in_coordinates_of: Frame | str | None = None,
    ) -> FloatArray:
        """Jacobian of a frame's point: J @ velocities is `frame.spatial_velocity(offset, relative_to=...)`.

        Args:
            frame: a body, a node, or any frame that moves with a body of this skeleton; or the name of a
                body or node.
            offset: the point, in the frame's coordinates (3,) [m]; None is the origin.
            relative_to: whose observer sees the motion; None is the world.
            in_coordinates_of: axes of the answer; None is `frame`.

        Returns:
            (6, num_dofs), three angular rows, then three linear rows; zeros for dofs without influence.

        Raises:
            UnknownNameError: no body or node of that name; names the nearest.
            TypeError, ValueError: an argument is not a Frame, several nodes have the name, or offset is not
                three finite numbers.
        """
        return self._jacobian(frame, NONE, ALL, offset, relative_to, in_coordinates_of, True)

    def linear_jacobian(
        self,
        frame: Frame | str,
        offset: ArrayLike | None = None,
        *,
        relative_to: Frame | str | None = None,
        in_coordinates_of: Frame | str | None = None,
    ) -> FloatArray:
        """The linear rows (3, num_dofs) of the Jacobian [m/s per unit velocity], in world axes by default.

        Args: as for jacobian; `offset` (3,) [m]; `in_coordinates_of` None is the world.

        Raises:
            TypeError, ValueError: as for jacobian.
        """
        return self._jacobian(frame, NONE, LINEAR, offset, relative_to, in_coordinates_of, False)

    def angular_jacobian(
        self,
        frame: Frame | str,
        *,
        relative_to: Frame | str | None = None,
        in_coordinates_of: Frame | str | None = None,
    ) -> FloatArray:
        """The angular rows (3, num_dofs) of the Jacobian [rad/s per unit velocity], in world axes by default.

        Args: as for jacobian; `in_coordinates_of` None is the world.

        Raises:
            TypeError: as for jacobian.
        """
        return self._jacobian(frame, NONE, ANGULAR, None, relative_to, in_coordinates_of, False)

    def jacobian_spatial_derivative(
        self,
        frame: Frame | str,
        offset: ArrayLike | None = None,
        *,
        relative_to: Frame | str | None = None,
        in_coordinates_of: Frame | str | None = None,
    ) -> FloatArray:
        """Time derivative of the Jacobian: J @ accelerations + dJ @ velocities is the frame's spatial
        acceleration.

        Args: as for jacobian; `offset` (3,) [m].

        Returns:
            (6, num_dofs) [rad/s^2, m/s^2 per unit velocity].

        Raises:
            TypeError, ValueError: as for jacobian.
        """
        return self._jacobian(frame, SPATIAL, ALL, offset, relative_to, in_coordinates_of, True)

    def jacobian_classic_derivative(
        self,
        frame: Frame | str,
        offset: ArrayLike | None = None,
        *,
        relative_to: Frame | str | None = None,
        in_coordinates_of: Frame | str | None = None,
    ) -> FloatArray:
        """Time derivative of the Jacobian that goes with classical accelerations, in world axes by default.

        Args: as for jacobian; `offset` (3,) [m]; `in_coordinates_of` None is the world.

        Returns:
            (6, num_dofs) [rad/s^2, m/s^2 per unit velocity].

        Raises:
            TypeError, ValueError: as for jacobian.
        """
        return self._jacobian(frame, CLASSIC, ALL, offset, relative_to, in_coordinates_of, False)

    def linear_jacobian_derivative(
        self,
        frame: Frame | str,
        offset: ArrayLike | None = None,
        *,
        relative_to: Frame | str | None = None,
        in_coordinates_of: Frame | str | None = None,
    ) -> FloatArray:
        """The linear rows (3, num_dofs) of `jacobian_classic_derivative` [m/s^2 per unit velocity].

        Args: as there; `offset` (3,) [m].

        Raises:
            TypeError, ValueError: as for jacobian.
        """
        return self._jacobian(frame, CLASSIC, LINEAR, offset, relative_to, in_coordinates_of, False)

    def angular_jacobian_derivative(
        self,
        frame: Frame | str,
        *,
        relative_to: Frame | str | None = None,
        in_coordinates_of: Frame | str | None = None,
    ) -> FloatArray:
        """The angular rows (3, num_dofs) of `jacobian_classic_derivative` [rad/s^2 per unit velocity].

        Args: as there.

        Raises:
            TypeError: as for jacobian.
        """
        return self._jacobian(frame, CLASSIC, ANGULAR, None, relative_to, in_coordinates_of, False)

    def _jacobian(
        self,
        frame: Frame | str,
        derivative: JacobianDerivative,
        rows: JacobianRows,
        offset: ArrayLike | None,
        relative_to: Frame | str | None,
        in_coordinates_of: Frame | str | None,
        own: bool,
    ) -> FloatArray:
        raise NotImplementedError
