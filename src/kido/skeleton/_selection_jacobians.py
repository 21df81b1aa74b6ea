"""Jacobians with a column for each dof of a selection."""

from __future__ import annotations

from collections.abc import Callable

from kido.frame import Frame
from kido.skeleton._selection_core import SelectionCore
from kido.skeleton._skeleton import Skeleton
from kido.typing import ArrayLike, FloatArray

__all__ = ["SelectionJacobians"]


class SelectionJacobians(SelectionCore):
    """Jacobians of any frame, restricted to the dofs of a selection.

    The frame need not belong to a selected body. Columns of dofs without influence are zero; where the motion
    of the frame depends on dofs that are not selected, J @ velocities is the part that the selected ones
    bring.
    """

    def jacobian(
        self,
        frame: Frame,
        offset: ArrayLike | None = None,
        *,
        relative_to: Frame | None = None,
        in_coordinates_of: Frame | None = None,
    ) -> FloatArray:
        """Columns of `Skeleton.jacobian` (6, num_dofs) for these dofs [rad/s, m/s per unit velocity].

        Args:
            frame: any frame.
            offset: the point, in the frame's coordinates (3,) [m]; None is the origin.
            relative_to: whose observer sees the motion; None is the world.
            in_coordinates_of: axes of the answer; None is `frame`.

        Raises:
            TypeError, ValueError: an argument is not a Frame, or offset not three finite numbers.
            RemovedError: a member of this selection was removed.
        """
        return self._of_frame(
            frame,
            6,
            lambda s: s.jacobian(frame, offset, relative_to=relative_to, in_coordinates_of=in_coordinates_of),
        )

    def linear_jacobian(
        self,
        frame: Frame,
        offset: ArrayLike | None = None,
        *,
        relative_to: Frame | None = None,
        in_coordinates_of: Frame | None = None,
    ) -> FloatArray:
        """The linear rows (3, num_dofs) [m/s per unit velocity], in world axes by default.

        Args and errors: as for jacobian; `offset` (3,) [m]; `in_coordinates_of` None is the world.
        """
        return self._of_frame(
            frame,
            3,
            lambda s: s.linear_jacobian(
                frame, offset, relative_to=relative_to, in_coordinates_of=in_coordinates_of
            ),
        )

    def angular_jacobian(
        self, frame: Frame, *, relative_to: Frame | None = None, in_coordinates_of: Frame | None = None
    ) -> FloatArray:
        """The angular rows (3, num_dofs) [rad/s per unit velocity], in world axes by default.

        Args and errors: as for jacobian; `in_coordinates_of` None is the world.
        """
        return self._of_frame(
            frame,
            3,
            lambda s: s.angular_jacobian(frame, relative_to=relative_to, in_coordinates_of=in_coordinates_of),
        )

    def jacobian_spatial_derivative(
        self,
        frame: Frame,
        offset: ArrayLike | None = None,
        *,
        relative_to: Frame | None = None,
        in_coordinates_of: Frame | None = None,
    ) -> FloatArray:
        """Time derivative of `jacobian` that goes with spatial accelerations (6, num_dofs) [rad/s^2, ...].

        Args and errors: as for jacobian; `offset` (3,) [m].
        """
        return self._of_frame(
            frame,
            6,
            lambda s: s.jacobian_spatial_derivative(
                frame, offset, relative_to=relative_to, in_coordinates_of=in_coordinates_of
            ),
        )

    def jacobian_classic_derivative(
        self,
        frame: Frame,
        offset: ArrayLike | None = None,
        *,
        relative_to: Frame | None = None,
        in_coordinates_of: Frame | None = None,
    ) -> FloatArray:
        """Time derivative of `jacobian` that goes with classical accelerations (6, num_dofs) [rad/s^2, ...].

        Args and errors: as for jacobian; `offset` (3,) [m]; `in_coordinates_of` None is the world.
        """
        return self._of_frame(
            frame,
            6,
            lambda s: s.jacobian_classic_derivative(
                frame, offset, relative_to=relative_to, in_coordinates_of=in_coordinates_of
            ),
        )

    def linear_jacobian_derivative(
        self,
        frame: Frame,
        offset: ArrayLike | None = None,
        *,
        relative_to: Frame | None = None,
        in_coordinates_of: Frame | None = None,
    ) -> FloatArray:
        """The linear rows (3, num_dofs) of `jacobian_classic_derivative` [m/s^2 per unit velocity].

        Args and errors: as there; `offset` (3,) [m].
        """
        return self._of_frame(
            frame,
            3,
            lambda s: s.linear_jacobian_derivative(
                frame, offset, relative_to=relative_to, in_coordinates_of=in_coordinates_of
            ),
        )

    def angular_jacobian_derivative(
        self, frame: Frame, *, relative_to: Frame | None = None, in_coordinates_of: Frame | None = None
    ) -> FloatArray:
        """The angular rows (3, num_dofs) of `jacobian_classic_derivative` [rad/s^2 per unit velocity].

        Args and errors: as there.
        """
        return self._of_frame(
            frame,
            3,
            lambda s: s.angular_jacobian_derivative(
                frame, relative_to=relative_to, in_coordinates_of=in_coordinates_of
            ),
        )

    def _of_frame(self, frame: Frame, rows: int, ask: Callable[[Skeleton], FloatArray]) -> FloatArray:
        if not isinstance(frame, Frame):
            raise TypeError(f"frame: expected a Frame, got {type(frame).__name__}")
        return self._columns(rows, ask)
