"""Jacobians with a column for each dof of a selection."""

from __future__ import annotations

from kido._core import JacobianDerivative, JacobianRows
from kido.frame import Frame
from kido.skeleton._axes import checked_frame
from kido.skeleton._frame_jacobians import ALL, FrameJacobians
from kido.skeleton._selections._selection_core import SelectionCore
from kido.typing import ArrayLike, FloatArray

__all__ = ["SelectionJacobians"]


class SelectionJacobians(FrameJacobians, SelectionCore):
    """Jacobians of any frame, restricted to the dofs of a selection; it need not belong to a selected
    body."""

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
        return self._columns(
            6 if rows == ALL else 3,
            lambda skeleton: skeleton._jacobian(
                frame, derivative, rows, offset, relative_to, in_coordinates_of, own
            ),
        )
