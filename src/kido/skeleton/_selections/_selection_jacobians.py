"""Jacobians with a column for each dof of a selection."""

from __future__ import annotations

from kido._core import JacobianDerivative, JacobianRows
from kido.frame import Frame
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
        frame: Frame | str,
        derivative: JacobianDerivative,
        rows: JacobianRows,
        offset: ArrayLike | None,
        relative_to: Frame | str | None,
        in_coordinates_of: Frame | str | None,
        own: bool,
    ) -> FloatArray:
        moved = self._named_frame("frame", frame)
        observer, axes = self._observer(relative_to), self._axes(in_coordinates_of)
        return self._columns(
            6 if rows == ALL else 3,
            lambda skeleton: skeleton._jacobian(moved, derivative, rows, offset, observer, axes, own),
        )
