"""Skeletons, bodies and dofs as values see them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from kido import _core
from kido.description import Inertia
from kido.skeleton._joints._joint_kind import JointKind
from kido.skeleton._nodes._addon import AddonManager
from kido.skeleton._nodes._node_kind import NodeKind
from kido.skeleton._numbers import Block
from kido.typing import ArrayLike, FloatArray

__all__ = ["BodyParts", "SkeletonParts"]


class DofParts(Protocol):
    """A degree of freedom."""

    @property
    def name(self) -> str: ...
    @property
    def index(self) -> int: ...
    @property
    def joint(self) -> JointKind: ...


class BodyParts(AddonManager):
    """Base of BodyNode: what of a body is read and written."""

    __slots__ = ()

    _name: str
    _parent_body: BodyParts | None
    _joint: JointKind
    _nodes: tuple[NodeKind, ...]
    _wrench: FloatArray | None
    _gravity_mode: bool
    _collidable: bool

    def _keep_wrench(self, wrench: FloatArray | None) -> None:
        raise NotImplementedError

    def _keep_flags(self, gravity_mode: bool, collidable: bool) -> None:
        raise NotImplementedError

    @property
    def inertia(self) -> Inertia:
        """Mass, center of mass and rotational inertia about it."""
        raise NotImplementedError

    def _write_inertia(self, inertia: Inertia | None) -> None:
        raise NotImplementedError


class SkeletonParts(AddonManager):
    """Base of Skeleton: what of it is read and written."""

    __slots__ = ()

    name: str
    gravity: FloatArray
    time_step: float
    mobile: bool
    self_collision_check: bool
    adjacent_body_check: bool

    _bodies: tuple[BodyParts, ...]
    _block: Block
    _state: _core.State | None

    def __init__(self, name: str, *, gravity: ArrayLike, time_step: float) -> None:
        raise NotImplementedError

    @property
    def num_dofs(self) -> int:
        """Number of degrees of freedom."""
        raise NotImplementedError

    @property
    def dofs(self) -> tuple[DofParts, ...]:
        """All degrees of freedom."""
        raise NotImplementedError

    def dof(self, key: str | int) -> DofParts:
        """The degree of freedom of a name or index."""
        raise NotImplementedError

    def reset_positions(self) -> None:
        """Set all positions to the initial ones."""
        raise NotImplementedError

    def reset_velocities(self) -> None:
        """Set all velocities to the initial ones."""
        raise NotImplementedError

    def clone(self, name: str | None = None) -> Any:
        """A copy."""
        raise NotImplementedError

    def _keep_constants(self, name: str, gravity: FloatArray, time_step: float) -> None:
        raise NotImplementedError

    def _keep_flags(self, mobile: bool, self_collision_check: bool, adjacent_body_check: bool) -> None:
        raise NotImplementedError

    def _new_body(self, name: str, joint: Any) -> BodyParts:
        raise NotImplementedError

    def _attach_all(self, pairs: Iterable[tuple[Any, Any]]) -> None:
        """Put bodies that were just made into the skeleton, each with its parent, at once."""
        raise NotImplementedError

    def _dofs_by_name(self) -> Mapping[str, Any]:
        raise NotImplementedError

    def _refuse_commands(self, values: ArrayLike) -> None:
        raise NotImplementedError

    def _forget_dynamics(self) -> None:
        """Drop answers that depend on more than positions, velocities and accelerations."""
        raise NotImplementedError

    def _drop_tree(self) -> None:
        raise NotImplementedError
