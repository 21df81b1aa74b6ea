"""Skeletons, bodies and dofs as values see them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from kido.description import Diagnostic, Inertia
from kido.skeleton._answers._answers import Answers
from kido.skeleton._joints._joint_kind import JointKind
from kido.skeleton._mimic import Mimics
from kido.skeleton._nodes._addon import AddonManager
from kido.skeleton._nodes._node_kind import NodeKind
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

    @property
    def gravity_mode(self) -> bool:
        """Whether gravity acts on the body."""
        raise NotImplementedError

    @property
    def collidable(self) -> bool:
        """Whether the body can touch others."""
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

    _answers: Answers
    _mimics: Mimics
    _diagnostics: tuple[Diagnostic, ...]

    def __init__(self, name: str, *, gravity: ArrayLike, time_step: float) -> None:
        raise NotImplementedError

    @property
    def num_dofs(self) -> int:
        """Number of degrees of freedom."""
        raise NotImplementedError

    @property
    def mimic_enforced(self) -> bool:
        """Whether mimic joints follow their leaders."""
        raise NotImplementedError

    @mimic_enforced.setter
    def mimic_enforced(self, enforced: bool) -> None:
        raise NotImplementedError

    @property
    def bodies(self) -> tuple[BodyParts, ...]:
        """All bodies, depth first."""
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

    def _drop_tree(self) -> None:
        raise NotImplementedError
