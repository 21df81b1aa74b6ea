"""The universal joint."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kido.description import JointDescription, JointType
from kido.skeleton._joints._axis_joint import X_AXIS, Y_AXIS, TwoAxesJoint
from kido.skeleton._joints._joint import JointOptions
from kido.typing import ArrayLike, frozen_direction

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

__all__ = ["UniversalJoint"]


class UniversalJoint(TwoAxesJoint, joint_type=JointType.UNIVERSAL):
    """Rotation by q[0] about the first axis, then by q[1] about the second [rad]."""

    __slots__ = ()

    def __init__(
        self,
        name: str | None = None,
        axis1: ArrayLike = X_AXIS,
        axis2: ArrayLike = Y_AXIS,
        **options: Unpack[JointOptions],
    ) -> None:
        """A joint by itself.

        Args:
            name: None: the child body's name with "_joint" added.
            axis1: (3,) in the joint frame, normalized.
            axis2: (3,) in the joint frame, normalized.
            options: see `JointOptions`.

        Raises:
            TypeError, ValueError: naming the argument.
        """
        super().__init__(name)
        self._set_axes([frozen_direction("axis1", axis1), frozen_direction("axis2", axis2)])
        self.apply_options(options)

    @classmethod
    def _described(cls, name: str, part: JointDescription) -> Self:
        return cls(name, part.axes[0], part.axes[1])
