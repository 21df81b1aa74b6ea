"""Selections picked by hand."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from kido.errors import EditError
from kido.skeleton._body import BodyNode
from kido.skeleton._dof import DegreeOfFreedom
from kido.skeleton._joints._joint import Joint
from kido.skeleton._selections._selection import M, Selection, Twins
from kido.values import checked_items

if TYPE_CHECKING:
    from kido.skeleton._skeleton import Skeleton

__all__ = ["Group"]


class Group(Selection):
    """Any bodies, joints and dofs, of one or more skeletons, in the order in which they were added.

    Joints and dofs are members of their own: where another joint comes to carry a body, the old one is
    removed.
    """

    __slots__ = ("_bodies", "_dofs", "_joints")

    def __init__(
        self,
        name: str = "group",
        bodies: Iterable[BodyNode] = (),
        *,
        joints: Iterable[Joint] = (),
        dofs: Iterable[DegreeOfFreedom] = (),
    ) -> None:
        """Select bodies with their parent joints, joints, and the dofs of these; then dofs with their joints.

        Args:
            name: of this group.
            bodies: bodies to select, with their parent joints and dofs; `add_body` can leave those out.
            joints: joints to select, with their dofs; `add_joint` can leave those out.
            dofs: dofs to select, with their joints; `add_dof` can leave those out.

        Raises:
            TypeError: not a body, joint or dof.
            RemovedError: one belongs to no skeleton.
        """
        super().__init__(name)
        self._bodies: tuple[BodyNode, ...] = ()
        self._joints: tuple[Joint, ...] = ()
        self._dofs: tuple[DegreeOfFreedom, ...] = ()
        for body in checked_items("bodies", BodyNode, bodies):
            self.add_body(body)
        for joint in checked_items("joints", Joint, joints):
            self.add_joint(joint)
        for dof in checked_items("dofs", DegreeOfFreedom, dofs):
            self.add_dof(dof)

    @classmethod
    def of(cls, source: Skeleton | Selection, name: str | None = None) -> Group:
        """A group of all members of a skeleton or another selection; `name` None: the name of `source`."""
        group = cls(source.name if name is None else name)
        group._bodies, group._joints, group._dofs = source.bodies, source.joints, source.dofs
        return group

    @property
    def bodies(self) -> tuple[BodyNode, ...]:
        """The bodies, in the order in which they were added."""
        return self._bodies

    @property
    def joints(self) -> tuple[Joint, ...]:
        """The joints, in the order in which they were added."""
        return self._joints

    @property
    def dofs(self) -> tuple[DegreeOfFreedom, ...]:
        """The degrees of freedom, in the order in which they were added: that of `positions`."""
        return self._dofs

    def add_body(self, body: BodyNode, *, with_dofs: bool = True) -> None:
        """Select a body, and with it its parent joint and the dofs of this. Members stay in place.

        Raises:
            TypeError: not a body.
            RemovedError: it belongs to no skeleton.
        """
        _check("body", body, BodyNode)
        self._bodies = _with(self._bodies, body)
        self._layout = None
        if with_dofs:
            self.add_joint(body.parent_joint)

    def add_joint(self, joint: Joint, *, with_dofs: bool = True) -> None:
        """Select a joint, and with it its dofs. Members stay in place.

        Raises:
            TypeError: not a joint.
            RemovedError: it belongs to no skeleton.
        """
        _check("joint", joint, Joint)
        self._joints = _with(self._joints, joint)
        self._layout = None
        if with_dofs:
            for dof in joint.dofs:
                self.add_dof(dof, with_joint=False)

    def add_dof(self, dof: DegreeOfFreedom, *, with_joint: bool = True) -> None:
        """Select a degree of freedom, and with it its joint. Members stay in place.

        Raises:
            TypeError: not a dof.
            RemovedError: it belongs to no skeleton.
        """
        _check("dof", dof, DegreeOfFreedom)
        self._dofs = _with(self._dofs, dof)
        self._layout = None
        if with_joint:
            self.add_joint(dof.joint, with_dofs=False)

    def remove_body(self, body: BodyNode, *, with_dofs: bool = True) -> None:
        """Select a body no more, nor its parent joint and the dofs of this.

        Raises EditError where it is no member.
        """
        self._bodies = self._without("body", body, self._bodies)
        self._layout = None
        if with_dofs and body._joint in self._joints:
            self.remove_joint(body._joint)

    def remove_joint(self, joint: Joint, *, with_dofs: bool = True) -> None:
        """Select a joint no more, nor its dofs. Raises EditError where it is no member."""
        self._joints = self._without("joint", joint, self._joints)
        self._layout = None
        if with_dofs:
            self._dofs = tuple(dof for dof in self._dofs if dof.joint is not joint)

    def remove_dof(self, dof: DegreeOfFreedom, *, with_joint: bool = True) -> None:
        """Select a dof no more, nor its joint if this was its last one.

        Raises EditError where it is no member.
        """
        self._dofs = self._without("dof", dof, self._dofs)
        self._layout = None
        left = any(other.joint is dof.joint for other in self._dofs)
        if with_joint and not left and dof.joint in self._joints:
            self.remove_joint(dof.joint)

    def _without(self, kind: str, member: M, members: tuple[M, ...]) -> tuple[M, ...]:
        if member not in members:
            raise EditError(f"{kind}: {getattr(member, 'name', member)!r} is not in {self._name!r}")
        return tuple(other for other in members if other != member)

    def _refer_to(self, twins: Twins) -> None:
        self._bodies = tuple(map(twins.body, self._bodies))
        self._joints = tuple(map(twins.joint, self._joints))
        self._dofs = tuple(map(twins.dof, self._dofs))


def _check(kind: str, member: BodyNode | Joint | DegreeOfFreedom, expected: type) -> None:
    if not isinstance(member, expected):
        raise TypeError(f"{kind}: expected a {expected.__name__}, got {type(member).__name__}")
    member.skeleton  # noqa: B018 - raises where there is none


def _with(members: tuple[M, ...], member: M) -> tuple[M, ...]:
    more: tuple[M, ...] = (member,)
    return members if member in members else members + more
