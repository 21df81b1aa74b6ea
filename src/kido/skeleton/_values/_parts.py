"""Skeletons, bodies and dofs as values see them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from kido.description import Inertia
from kido.skeleton._joints._joint_kind import JointKind
from kido.skeleton._nodes._addon import AddonManager
from kido.skeleton._nodes._node_kind import NodeKind
from kido.skeleton._nodes._node_properties import ShapeProperties
from kido.skeleton._skeleton_settings import SkeletonSettings
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

    @property
    def core_inertia(self) -> Inertia:
        """Inertia without point masses around the body."""
        raise NotImplementedError

    def _attach_shapes(self, shapes: Iterable[tuple[str, ShapeProperties]]) -> None:
        """Attach shapes under names that are known to be free."""
        raise NotImplementedError

    def _attach_frame(self, kind: str, name: str, transform: FloatArray) -> None:
        """Attach a "frame" or a "marker" under a name that is known to be free."""
        raise NotImplementedError

    def _write_inertia(self, inertia: Inertia | None) -> None:
        raise NotImplementedError


class SkeletonParts(SkeletonSettings):
    """Base of Skeleton: what of it is read and written."""

    __slots__ = ()

    def __init__(self, name: str, *, gravity: ArrayLike, time_step: float) -> None:
        raise NotImplementedError

    @property
    def num_dofs(self) -> int:
        """Number of degrees of freedom."""
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

    def _start(self, name: str, gravity: ArrayLike, time_step: float) -> None:
        """Begin as an empty skeleton, whatever the class's constructor takes."""
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
