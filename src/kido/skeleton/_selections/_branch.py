"""Selections of a body with all that it carries."""

from __future__ import annotations

from kido.skeleton._body import BodyNode
from kido.skeleton._selections._criteria import ExpansionPolicy, LinkageCriteria, LinkageTarget, checked_body
from kido.skeleton._selections._linkage import Linkage

__all__ = ["Branch"]


class Branch(Linkage):
    """A body and everything that it carries, depth first."""

    __slots__ = ()

    def __init__(self, start: BodyNode, *, name: str = "branch") -> None:
        """Choose a body and everything that it carries.

        Args:
            start: the body at the root of the branch.
            name: of this branch.

        Raises:
            TypeError: `start` is not a body.
            RemovedError: it belongs to no skeleton.
        """
        target = LinkageTarget(checked_body("start", start), ExpansionPolicy.DOWNSTREAM)
        super().__init__(LinkageCriteria(target), name)

    @property
    def start(self) -> BodyNode:
        """The body at the root of the branch."""
        assert self._criteria.start is not None and self._criteria.start.body is not None
        return self._criteria.start.body

    @property
    def is_still_branch(self) -> bool:
        """Whether the first body carries the same bodies as when they were chosen, in the same structure."""
        return self.is_assembled and set(self.start.subtree()) == set(self._bodies)
