"""Joints as values see them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from kido.description import JointDescription, JointType, Mimic
from kido.skeleton._joints._actuator import ActuatorType
from kido.skeleton._joints._joint_numbers import JointNumbers
from kido.skeleton._mimic import JointMimic
from kido.values import register

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["JointKind", "joint_class"]


class JointKind(JointNumbers):
    """Base of Joint: what reading and making one from its properties needs, without bodies and skeletons."""

    __slots__ = ()

    type: ClassVar[JointType | None] = None

    _dof_names: tuple[str, ...] | None
    _mimic: Mimic | None

    def __init_subclass__(cls, joint_type: JointType | None = None, **others: Any) -> None:
        """`joint_type`: the type that the class is the one for; None for classes derived from such a one."""
        super().__init_subclass__(**others)
        register(cls)
        if joint_type is not None:
            cls.type, cls.num_dofs = joint_type, joint_type.num_dofs
            _CLASSES[joint_type] = cls

    @classmethod
    def _described(cls, name: str, part: JointDescription) -> Self:
        """A joint by itself that moves as a description says: with its axes, pitch or Euler order."""
        raise NotImplementedError

    @property
    def dof_names(self) -> tuple[str, ...]:
        """Names of its dofs."""
        raise NotImplementedError

    def _as_mimic(self) -> JointMimic:
        """This joint, and whom it follows."""
        follows = self._mimic if self._actuator is ActuatorType.MIMIC else None
        return JointMimic(self.name, self.type, self._first, self.num_dofs, follows)

    def _start_blank(self, name: str) -> None:
        """Make a joint by itself where its class, which may be a user's own, is not asked how to."""
        raise NotImplementedError

    def _euler_order(self) -> str:
        raise NotImplementedError

    def _keep(self, dof_names: tuple[str, ...] | None, mimic: Mimic | None) -> None:
        raise NotImplementedError


_CLASSES: dict[JointType, type[JointKind]] = {}
"""Every class that says of which type it is, by the type."""


def joint_class(joint_type: JointType) -> type[JointKind]:
    """The class of the joints of a type."""
    return _CLASSES[joint_type]
