"""Selections of connected bodies, chosen by criteria."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kido.errors import EditError
from kido.skeleton._body import BodyNode
from kido.skeleton._dof import DegreeOfFreedom
from kido.skeleton._joints._joint import Joint
from kido.skeleton._selections._criteria import LinkageCriteria
from kido.skeleton._selections._selection import Selection, Twins

__all__ = ["Linkage"]


class Linkage(Selection):
    """The bodies that criteria choose, each with its parent joint and the dofs of this.

    The bodies stay the same when the structure is edited; `is_assembled` tells whether they still hang
    together as they did, `reassemble` puts them back, and `satisfy_criteria` chooses anew. Joints are those
    that carry the bodies now.
    """

    __slots__ = ("_bodies", "_criteria", "_parents")

    def __init__(self, criteria: LinkageCriteria, name: str = "linkage") -> None:
        """Choose bodies.

        Args:
            criteria: how they are chosen.
            name: of this linkage.

        Raises:
            TypeError, ValueError: naming the argument.
            RemovedError: a body of the criteria was removed.
            EditError: start and target of the criteria belong to different skeletons. The bodies of a linkage
                hang together, so it lies in one skeleton; a `Group` may hold parts of several.
        """
        if not isinstance(criteria, LinkageCriteria):
            raise TypeError(f"criteria: expected LinkageCriteria, got {type(criteria).__name__}")
        super().__init__(name)
        self._criteria = criteria
        self._bodies: tuple[BodyNode, ...] = ()
        self._parents: tuple[BodyNode | None, ...] = ()
        self.satisfy_criteria()

    @property
    def criteria(self) -> LinkageCriteria:
        """Criteria by which the bodies were chosen."""
        return self._criteria

    @property
    def bodies(self) -> tuple[BodyNode, ...]:
        """The bodies, in the order in which the criteria find them."""
        return self._bodies

    @property
    def joints(self) -> tuple[Joint, ...]:
        """The joints that carry the bodies; joint i carries body i."""
        return tuple(body._joint for body in self._bodies)

    @property
    def dofs(self) -> tuple[DegreeOfFreedom, ...]:
        """The dofs of the joints, joint by joint, in the order of `positions`."""
        return tuple(dof for body in self._bodies for dof in body._joint.dofs)

    @property
    def is_assembled(self) -> bool:
        """Whether every body still has the parent that it had when it was chosen, and none was removed."""
        return all(
            body._skeleton is not None and body.parent_body is parent
            for body, parent in zip(self._bodies, self._parents, strict=True)
        )

    def reassemble(self) -> None:
        """Move the bodies back to the parents that they had when they were chosen.

        Raises:
            RemovedError: a body or its former parent was removed.
            EditError: a former parent is now carried by its child in a way that the members cannot undo.
        """
        former = dict(zip(self._bodies, self._parents, strict=True))
        for part in (*former, *former.values()):
            if part is not None:
                part.skeleton  # noqa: B018 - raises where there is none
        apart = {body: parent for body, parent in former.items() if body.parent_body is not parent}
        depth = {body: len(list(_line(body, former))) for body in apart}
        for body in sorted(apart, key=lambda body: depth[body]):
            body.move_to(apart[body])

    def satisfy_criteria(self) -> None:
        """Choose the bodies anew, in the present structure.

        Raises RemovedError or EditError, changing nothing.
        """
        bodies = self._criteria.bodies()
        self._bodies = bodies
        self._parents = tuple(body.parent_body for body in bodies)
        self._layout = None

    def _references(self) -> Iterable[BodyNode | Joint | DegreeOfFreedom]:
        parents = (parent for parent in self._parents if parent is not None)
        return (*self._bodies, *parents, *self._criteria._references())

    def _refer_to(self, twins: Twins) -> None:
        self._criteria = self._criteria._twin(twins)
        self._bodies = tuple(map(twins.body, self._bodies))
        self._parents = tuple(None if parent is None else twins.body(parent) for parent in self._parents)


def _line(body: BodyNode, former: dict[BodyNode, BodyNode | None]) -> Iterator[BodyNode]:
    """A body and what will be above it; raises EditError where that is the body itself."""
    above: BodyNode | None = body
    passed: set[BodyNode] = set()
    while above is not None:
        if above in passed:
            raise EditError(f"{body.name!r} cannot be moved back: it carries its former parent")
        passed.add(above)
        yield above
        above = former.get(above, above.parent_body)
