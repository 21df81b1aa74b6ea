"""Joints as values see them."""

from __future__ import annotations

from typing import ClassVar

from kido.description import JointType, Mimic
from kido.skeleton._data import SkeletonData
from kido.skeleton._joints._actuator import ActuatorType
from kido.skeleton._nodes._addon import AddonManager
from kido.typing import ArrayLike, FloatArray

__all__ = ["JointKind"]


class JointKind(AddonManager):
    """Base of Joint: what reading and making one from its properties needs, without bodies and skeletons."""

    __slots__ = ()

    type: ClassVar[JointType | None] = None
    num_dofs: ClassVar[int] = 0
    """Number of degrees of freedom."""

    _row: int
    _dof_names: tuple[str, ...] | None
    _mimic: Mimic | None

    @property
    def name(self) -> str:
        """Name of the joint."""
        raise NotImplementedError

    @property
    def dof_names(self) -> tuple[str, ...]:
        """Names of its dofs."""
        raise NotImplementedError

    @property
    def T_parent_joint(self) -> FloatArray:
        """Pose (4, 4) of the joint in the parent body [m]."""
        raise NotImplementedError

    @property
    def T_child_joint(self) -> FloatArray:
        """Pose (4, 4) of the joint in the child body [m]."""
        raise NotImplementedError

    def _start_blank(self, name: str) -> None:
        """Make a joint by itself where its class, which may be a user's own, is not asked how to."""
        raise NotImplementedError

    @property
    def _actuator(self) -> ActuatorType:
        raise NotImplementedError

    def _code(self, column: int) -> int:
        raise NotImplementedError

    def _write_code(self, column: int, code: int) -> None:
        raise NotImplementedError

    def _home(self) -> SkeletonData:
        raise NotImplementedError

    def _slice(self) -> slice:
        raise NotImplementedError

    def _euler_order(self) -> str:
        raise NotImplementedError

    def _keep(self, dof_names: tuple[str, ...] | None, mimic: Mimic | None) -> None:
        raise NotImplementedError

    def _write_state(self, name: str, row: int, values: ArrayLike) -> None:
        raise NotImplementedError
