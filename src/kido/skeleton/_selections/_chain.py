"""Selections from one body to another."""

from __future__ import annotations

from kido.errors import EditError
from kido.skeleton._body import BodyNode
from kido.skeleton._selections._criteria import ExpansionPolicy, LinkageCriteria, LinkageTarget, checked_body
from kido.skeleton._selections._linkage import Linkage
from kido.values import checked_flag

__all__ = ["Chain"]


class Chain(Linkage):
    """The bodies on the way from one body to another of the same tree, in that direction.

    Where one end carries the other, it is not part of the chain, for its parent joint does not move the ends
    relative to each other; `include_upstream_parent_joint` has it in. A chain does not branch: upward it ends
    before a body that carries several, downward with the first one that does. It does not go on beyond a free
    joint. So it may end before its target, which `has_body` tells.
    """

    __slots__ = ("_include_upstream",)

    def __init__(
        self,
        start: BodyNode | None,
        target: BodyNode,
        *,
        include_upstream_parent_joint: bool = False,
        name: str = "chain",
    ) -> None:
        """Choose the bodies from `start` to `target`.

        Args:
            start: body where the chain begins; None: the world, so that the root of the target's tree is the
                first body of the chain.
            target: body where it ends, of the same tree.
            include_upstream_parent_joint: whether an end that carries the other belongs to the chain.
            name: of this chain.

        Raises:
            TypeError: `start` is neither a body nor None, or `target` is not a body.
            RemovedError: it belongs to no skeleton.
            EditError: they belong to different trees. A chain lies in one tree of one skeleton; a `Group`
                may hold parts of several.
        """
        self._include_upstream = checked_flag("include_upstream_parent_joint", include_upstream_parent_joint)
        super().__init__(self._criteria_between(start, target), name)

    @property
    def start(self) -> BodyNode | None:
        """Body at which the chain begins; None: at the world."""
        return self._ends[0]

    @property
    def target(self) -> BodyNode:
        """Body that it leads to."""
        return self._ends[1]

    @property
    def is_still_chain(self) -> bool:
        """Whether a chain made now, between the same ends, would consist of the same bodies with the same
        parents."""
        start, target = self._ends
        if not self.is_assembled or not _in_one_tree(start, target):
            return False
        return self._criteria_between(start, target).bodies() == self._bodies

    def satisfy_criteria(self) -> None:
        """Choose the bodies anew, in the present structure.

        Raises RemovedError or EditError, changing nothing.
        """
        self._criteria = self._criteria_between(*self._ends)
        super().satisfy_criteria()

    @property
    def _ends(self) -> tuple[BodyNode | None, BodyNode]:
        start, target = self._criteria.start, self._criteria.targets[0].body
        assert target is not None
        return None if start is None else start.body, target

    def _criteria_between(self, start: BodyNode | None, target: BodyNode) -> LinkageCriteria:
        if start is None:
            return LinkageCriteria(None, [LinkageTarget(checked_body("target", target), chain=True)])
        if checked_body("start", start).root_body is not checked_body("target", target).root_body:
            raise EditError(f"target: {target.name!r} stands in another tree than {start.name!r}")
        ends = []
        for end, other in ((start, target), (target, start)):
            upstream = other.descends_from(end) and not self._include_upstream
            policy = ExpansionPolicy.EXCLUDE if upstream else ExpansionPolicy.INCLUDE
            ends.append(LinkageTarget(end, policy, chain=True))
        return LinkageCriteria(ends[0], ends[1:])


def _in_one_tree(start: BodyNode | None, target: BodyNode) -> bool:
    if start is None:
        return target._skeleton is not None
    alive = start._skeleton is not None and target._skeleton is not None
    return alive and start.root_body is target.root_body
