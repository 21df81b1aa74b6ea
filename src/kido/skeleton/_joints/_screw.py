"""The screw joint."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kido.description import JointDescription, JointType
from kido.skeleton._joints._axis_joint import Z_AXIS, OneAxisJoint
from kido.skeleton._joints._joint import JointOptions
from kido.tree import PITCH
from kido.typing import ArrayLike, frozen_array

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

__all__ = ["ScrewJoint"]


class ScrewJoint(OneAxisJoint, joint_type=JointType.SCREW):
    """Rotation by q [rad] about an axis, and translation along it by `pitch` each turn."""

    __slots__ = ()

    def __init__(
        self,
        name: str | None = None,
        axis: ArrayLike = Z_AXIS,
        pitch: float = 0.1,
        **options: Unpack[JointOptions],
    ) -> None:
        """A joint by itself.

        Args:
            name: None: the child body's name with "_joint" added.
            axis: (3,) in the joint frame, normalized.
            pitch: translation [m] each turn.
            options: see `JointOptions`.

        Raises:
            TypeError, ValueError: naming the argument.
        """
        super().__init__(name, axis)
        self.pitch = pitch
        self.apply_options(options)

    @classmethod
    def _described(cls, name: str, part: JointDescription) -> Self:
        return cls(name, part.axes[0], part.pitch)

    @property
    def pitch(self) -> float:
        """Translation along the axis each turn [m]."""
        return float(self._home().rows[self._row, PITCH])

    @pitch.setter
    def pitch(self, pitch: float) -> None:
        self._write_row(PITCH, float(frozen_array("pitch", pitch, (), "m")))
