"""Joints with axes: the bases of those with one, with two, and with two that span a plane."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kido import _core
from kido.description import JointDescription
from kido.description import joint_axes as checked_axes
from kido.skeleton._joints._joint import Joint, JointOptions
from kido.tree import AXES
from kido.typing import ArrayLike, FloatArray, frozen_direction

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

__all__ = ["X_AXIS", "Y_AXIS", "Z_AXIS", "OneAxisJoint", "PlaneJoint", "TwoAxesJoint"]

X_AXIS, Y_AXIS, Z_AXIS = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
_PLANES = {"xy": (X_AXIS, Y_AXIS), "yz": (Y_AXIS, Z_AXIS), "zx": (Z_AXIS, X_AXIS)}


class _AxisJoint(Joint):
    """Base of the joints with axes."""

    __slots__ = ()

    def _axes(self) -> FloatArray:
        assert self.type is not None
        return self._home().rows[self._row, AXES].reshape(2, 3)[: self.type.num_axes]

    def _set_axes(self, axes: ArrayLike) -> None:
        assert self.type is not None
        self._write_axes(checked_axes(self.type, axes))

    def _write_axes(self, units: FloatArray) -> None:
        row = np.zeros(6)
        row[: units.size] = units.ravel()
        self._write_row(AXES, row)


class OneAxisJoint(_AxisJoint):
    """Base of the joints with one axis."""

    __slots__ = ()

    def __init__(
        self, name: str | None = None, axis: ArrayLike = Z_AXIS, **options: Unpack[JointOptions]
    ) -> None:
        """A joint by itself.

        Args:
            name: None: the child body's name with "_joint" added.
            axis: (3,) in the joint frame, normalized.
            options: see `JointOptions`.

        Raises:
            TypeError, ValueError: naming the argument.
        """
        super().__init__(name)
        self.axis = axis
        self.apply_options(options)

    @classmethod
    def _described(cls, name: str, part: JointDescription) -> Self:
        return cls(name, part.axes[0])

    @property
    def axis(self) -> FloatArray:
        """Unit axis (3,) in the joint frame. Set: any nonzero direction."""
        return _core.frozen_row(self._home().rows, self._row, AXES.start, 3)

    @axis.setter
    def axis(self, axis: ArrayLike) -> None:
        self._write_axes(frozen_direction("axis", axis))


class TwoAxesJoint(_AxisJoint):
    """Base of the joints with two axes."""

    __slots__ = ()

    @property
    def axis1(self) -> FloatArray:
        """First unit axis (3,) in the joint frame. Set: any nonzero direction."""
        return _core.frozen_row(self._home().rows, self._row, AXES.start, 3)

    @axis1.setter
    def axis1(self, axis: ArrayLike) -> None:
        self._set_axes([frozen_direction("axis1", axis), self.axis2])

    @property
    def axis2(self) -> FloatArray:
        """Second unit axis (3,) in the joint frame. Set: any nonzero direction."""
        return _core.frozen_row(self._home().rows, self._row, AXES.start + 3, 3)

    @axis2.setter
    def axis2(self, axis: ArrayLike) -> None:
        self._set_axes([self.axis1, frozen_direction("axis2", axis)])


class PlaneJoint(TwoAxesJoint):
    """Base of the joints that move in a plane."""

    __slots__ = ()

    def __init__(
        self,
        name: str | None = None,
        plane: str | ArrayLike = "xy",
        **options: Unpack[JointOptions],
    ) -> None:
        """A joint by itself.

        Args:
            name: None: the child body's name with "_joint" added.
            plane: "xy", "yz" or "zx", or two orthogonal axes (2, 3) in the joint frame.
            options: see `JointOptions`.

        Raises:
            TypeError, ValueError: naming the argument.
        """
        super().__init__(name)
        self.set_plane(plane)
        self.apply_options(options)

    @classmethod
    def _described(cls, name: str, part: JointDescription) -> Self:
        return cls(name, part.axes)

    def set_plane(self, plane: str | ArrayLike) -> None:
        """Set the plane: "xy", "yz", "zx", or two orthogonal axes (2, 3). Raises ValueError."""
        if isinstance(plane, str):
            if plane not in _PLANES:
                raise ValueError(f"plane: expected 'xy', 'yz', 'zx' or two axes (2, 3), got {plane!r}")
            plane = _PLANES[plane]
        self._set_axes(plane)
