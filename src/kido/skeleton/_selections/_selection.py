"""Selections: some bodies, joints and dofs of skeletons, asked and moved as if they were a skeleton."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypeVar

from kido.skeleton._body import BodyNode
from kido.skeleton._dof import DegreeOfFreedom
from kido.skeleton._joints._joint import Joint
from kido.skeleton._names import checked_index
from kido.skeleton._selections._selection_core import only_index
from kido.skeleton._selections._selection_dynamics import SelectionDynamics
from kido.skeleton._selections._selection_jacobians import SelectionJacobians
from kido.skeleton._selections._selection_mass import SelectionMass
from kido.skeleton._skeleton import Skeleton
from kido.values import checked_items, checked_name

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Selection"]

M = TypeVar("M", BodyNode, Joint, DegreeOfFreedom)


class Selection(SelectionDynamics, SelectionMass, SelectionJacobians):
    """Some bodies, joints and dofs of skeletons: base of `Group`, `Linkage`, `Chain` and `Branch`.

    A selection refers to its members and copies nothing: what is set here is set in the skeletons, and every
    answer is a present one. Its arrays are in the order of its own dofs. Members that move stay members. Once
    a member was removed from its skeleton, questions raise RemovedError, and `removed_members` says which
    ones.
    """

    __slots__ = ("__weakref__", "_layout", "_name")

    def __init__(self, name: str) -> None:
        """Used by the selections. Raises TypeError or ValueError where the name is none."""
        self._name = checked_name("name", name)
        self._layout = None

    @property
    def name(self) -> str:
        """Name of this selection. Can be set."""
        return self._name

    @name.setter
    def name(self, name: str) -> None:
        self._name = checked_name("name", name)

    # ---- members

    @property
    def skeletons(self) -> tuple[Skeleton, ...]:
        """The skeletons of the members, in the order of the members. Raises RemovedError."""
        return tuple(skeleton for skeleton, _ in self._present().blocks)

    @property
    def num_bodies(self) -> int:
        """Number of bodies."""
        return len(self.bodies)

    @property
    def num_joints(self) -> int:
        """Number of joints."""
        return len(self.joints)

    @property
    def num_dofs(self) -> int:
        """Number of degrees of freedom."""
        return len(self.dofs)

    def body(self, key: str | int) -> BodyNode:
        """A body by name or index in this selection.

        Raises UnknownNameError, naming the nearest ones, IndexError, or ValueError where bodies of two
        skeletons have the name.
        """
        return self._member("body", key, self.bodies)

    def joint(self, key: str | int) -> Joint:
        """A joint by name or index in this selection. Raises as `body`."""
        return self._member("joint", key, self.joints)

    def dof(self, key: str | int) -> DegreeOfFreedom:
        """A degree of freedom by name or index in this selection. Raises as `body`."""
        return self._member("dof", key, self.dofs)

    def has_body(self, body: BodyNode | str) -> bool:
        """Whether a body, or one of this name, is selected."""
        return _has(body, self.bodies)

    def has_joint(self, joint: Joint | str) -> bool:
        """Whether a joint, or one of this name, is selected."""
        return _has(joint, self.joints)

    def has_dof(self, dof: DegreeOfFreedom | str) -> bool:
        """Whether a degree of freedom, or one of this name, is selected."""
        return _has(dof, self.dofs)

    def index_of(self, member: BodyNode | Joint | DegreeOfFreedom) -> int:
        """Index of a body among `bodies`, of a joint among `joints`, of a dof among `dofs`.

        Raises:
            ValueError: it is not selected.
            TypeError: it is none of these.
        """
        if isinstance(member, BodyNode):
            return self._index("body", member, self.bodies)
        if isinstance(member, Joint):
            return self._index("joint", member, self.joints)
        if isinstance(member, DegreeOfFreedom):
            return self._index("dof", member, self.dofs)
        raise TypeError(f"member: expected a body, joint or dof, got {type(member).__name__}")

    @property
    def removed_members(self) -> tuple[BodyNode | Joint | DegreeOfFreedom, ...]:
        """The members that no longer belong to any skeleton."""
        bodies = [body for body in self.bodies if body._skeleton is None]
        joints = [joint for joint in self.joints if _is_removed(joint)]
        return (*bodies, *joints, *(dof for dof in self.dofs if _is_removed(dof.joint)))

    # ---- copies

    def clone(self, name: str | None = None, *, onto: Skeleton | Iterable[Skeleton] | None = None) -> Self:
        """The same selection of other skeletons, found by the names of the members.

        Args:
            name: of the new selection; None: this one's name.
            onto: one skeleton for each of those that the members, and the criteria if there are any, belong
                to, in their order; None: clones of them, made here, which the `skeletons` of the new
                selection are.

        Raises:
            RemovedError: a member, or what the criteria speak of, was removed.
            ValueError: `onto` has another number of skeletons.
            UnknownNameError: a skeleton of `onto` has no part of a name.
        """
        own = tuple(dict.fromkeys(part.skeleton for part in self._references()))
        twin = copy.copy(self)
        twin._name = self._name if name is None else checked_name("name", name)
        twin._layout = None
        twin._refer_to(Twins(dict(zip(own, _counterparts(own, onto), strict=True))))
        return twin

    def _references(self) -> Iterable[BodyNode | Joint | DegreeOfFreedom]:
        """All parts of skeletons that this selection knows."""
        return (*self.bodies, *self.joints, *self.dofs)

    def _refer_to(self, twins: Twins) -> None:
        """Replace all parts of skeletons by those of the same names in other skeletons."""
        raise NotImplementedError

    # ---- helpers

    def _member(self, kind: str, key: str | int, members: tuple[M, ...]) -> M:
        if isinstance(key, str):
            return members[only_index(kind, key, [member.name for member in members], self._name)]
        return members[checked_index(kind, key, len(members))]

    def _index(self, kind: str, member: M, members: tuple[M, ...]) -> int:
        if member not in members:
            raise ValueError(f"member: {kind} {member.name!r} is not in {self._name!r}")
        return members.index(member)

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__} {self._name!r}: "
            f"{self.num_bodies} bodies, {self.num_joints} joints, {self.num_dofs} dofs>"
        )


class Twins:
    """Parts of skeletons, and those of the same names in other skeletons."""

    def __init__(self, skeletons: dict[Skeleton, Skeleton]) -> None:
        self._skeletons = skeletons

    def body(self, body: BodyNode) -> BodyNode:
        """The other skeleton's body of this name."""
        return self._skeletons[body.skeleton].body(body.name)

    def joint(self, joint: Joint) -> Joint:
        """The other skeleton's joint of this name."""
        return self._skeletons[joint.skeleton].joint(joint.name)

    def dof(self, dof: DegreeOfFreedom) -> DegreeOfFreedom:
        """The other skeleton's dof of this name."""
        return self._skeletons[dof.skeleton].dof(dof.name)


def _counterparts(
    own: Sequence[Skeleton], onto: Skeleton | Iterable[Skeleton] | None
) -> tuple[Skeleton, ...]:
    if onto is None:
        return tuple(skeleton.clone() for skeleton in own)
    given = (onto,) if isinstance(onto, Skeleton) else checked_items("onto", Skeleton, onto)
    if len(given) != len(own):
        names = ", ".join(repr(skeleton.name) for skeleton in own)
        raise ValueError(f"onto: expected {len(own)} skeletons, for {names}, got {len(given)}")
    return given


def _has(key: M | str, members: tuple[M, ...]) -> bool:
    return any(member.name == key for member in members) if isinstance(key, str) else key in members


def _is_removed(joint: Joint) -> bool:
    return joint._body is None or joint._body._skeleton is None
