"""The dofs that a module moves: by a rule, until a user names some."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from kido.errors import EditError
from kido.ik._search._pose_problem import grouped
from kido.skeleton import Addon, BodyNode, DegreeOfFreedom, FrameNode, Skeleton
from kido.tree import Tree
from kido.values import register

__all__ = ["DofRule", "IKDofs"]

_Dofs = tuple[DegreeOfFreedom, ...]


@register
class DofRule(Enum):
    """Dofs by the place of a node, as it is whenever they are asked for.

    Dofs that follow others, and those of joints whose actuator is `locked`, are left out.
    """

    CHAIN = "chain"
    """Those from the node up to where the structure branches."""
    WHOLE_BODY = "whole body"
    """All that move the node."""


@dataclass(frozen=True, slots=True, eq=False)
class RuledDofs:
    """The dofs that a rule chose, and what of the skeleton they depend on."""

    dofs: tuple[DegreeOfFreedom, ...]
    rule: DofRule
    tree: Tree
    leaders: Mapping[int, int]
    locked: frozenset[int]

    @classmethod
    def of(cls, rule: DofRule, node: BodyNode | FrameNode) -> RuledDofs:
        """The dofs of a node by a rule."""
        skeleton = node.skeleton
        leaders, locked = skeleton.leading_dofs, skeleton.locked_dofs
        dofs = node.chain_dofs if rule is DofRule.CHAIN else node.dependent_dofs
        if leaders or locked:
            dofs = tuple(dof for dof in dofs if dof.index not in leaders and dof.index not in locked)
        return cls(dofs, rule, skeleton.tree, leaders, locked)

    def hold(self, rule: DofRule, node: BodyNode | FrameNode) -> bool:
        """Whether the rule would choose the same dofs now."""
        skeleton = node.skeleton
        return (
            self.rule is rule
            and self.tree is skeleton.tree
            and self.leaders is skeleton.leading_dofs
            and self.locked is skeleton.locked_dofs
        )


@dataclass(frozen=True, slots=True, eq=False)
class DofPlaces:
    """Places of dofs in their skeleton, and what of it they depend on.

    Attributes:
        indices: of the dofs (k,).
        array: the same as an array, which selects in a third of the time.
        are_path: whether they are those that move the node, root first.
        are_all: whether they are all of the skeleton, in their order.
    """

    indices: list[int]
    array: NDArray[np.intp]
    are_path: bool
    are_all: bool
    dofs: tuple[DegreeOfFreedom, ...]
    tree: Tree
    leaders: Mapping[int, int]

    def hold(self, dofs: _Dofs, skeleton: Skeleton) -> bool:
        """Whether these are the places of some dofs now."""
        return self.dofs is dofs and self.tree is skeleton.tree and self.leaders is skeleton.leading_dofs


class IKDofs(Addon):
    """Base of the module: the dofs that it may move."""

    owner: BodyNode | FrameNode
    _named_dofs: _Dofs | None = None
    _dof_rule: DofRule = DofRule.CHAIN
    _ruled_dofs: RuledDofs | None = None
    _known_places: DofPlaces | None = None

    @property
    def dofs(self) -> _Dofs:
        """The dofs that may be moved: by default those of the node's chain, as it is now; see `use_chain`.

        Set: dofs of the skeleton or their names, in any order; these are moved from then on, even where they
        are locked. Their limits are always kept. The three angles of a ball or free joint stand for one
        rotation, and the three lengths of a free joint turn with it: of each three, all or none are moved.

        Raises, when set, TypeError for what are not dofs, UnknownNameError for a name that no dof has, and
        ValueError for no dofs, repeated ones, a part of such three, and those of another skeleton.
        """
        if self._named_dofs is not None:
            return self._named_dofs
        ruled = self._ruled_dofs
        if ruled is None or not ruled.hold(self._dof_rule, self.owner):
            ruled = self._ruled_dofs = RuledDofs.of(self._dof_rule, self.owner)
        return ruled.dofs

    @dofs.setter
    def dofs(self, dofs: Iterable[DegreeOfFreedom | str]) -> None:
        if isinstance(dofs, str):
            raise TypeError(f"dofs: expected degrees of freedom or their names, got {dofs!r}")
        skeleton = self.owner.skeleton
        chosen = tuple(skeleton.dof(dof) if isinstance(dof, str) else dof for dof in dofs)
        for dof in chosen:
            if not isinstance(dof, DegreeOfFreedom):
                raise TypeError(f"dofs: expected degrees of freedom or their names, got {dof!r}")
        if not chosen or len(set(chosen)) != len(chosen):
            raise ValueError(f"dofs: expected one or more different dofs, got {[dof.name for dof in chosen]}")
        for dof in chosen:
            if dof.skeleton is not skeleton:
                raise ValueError(f"dofs: {dof.name!r} belongs to another skeleton than {self.owner.name!r}")
        _refuse_parts(chosen)
        self._named_dofs = chosen

    def use_chain(self) -> None:
        """Move the dofs from the node up to where the structure branches; the default.

        The rule holds whatever is edited, here and in copies, until dofs are named. Dofs that follow others
        and those of joints whose actuator is `locked` are not moved.
        """
        self._dof_rule, self._named_dofs = DofRule.CHAIN, None

    def use_whole_body(self) -> None:
        """Move all dofs that move the node, by a rule as that of `use_chain`."""
        self._dof_rule, self._named_dofs = DofRule.WHOLE_BODY, None

    @property
    def dof_indices(self) -> list[int]:
        """The places (k,) of the dofs in the skeleton.

        Raises RemovedError where a dof was removed, EditError where it is in another skeleton now, or where
        a dof that moves the node follows one of them, or is one of them and follows another: see
        `mimic_enforced` of the skeleton.
        """
        return list(self.dof_places().indices)

    def dof_places(self) -> DofPlaces:
        """The places of the dofs; the known ones while they hold. Raises as `dof_indices` does."""
        skeleton, dofs, known = self.owner.skeleton, self.dofs, self._known_places
        if known is None or not known.hold(dofs, skeleton):
            known = self._known_places = self._found_places(skeleton, dofs)
        return known

    def _found_places(self, skeleton: Skeleton, dofs: _Dofs) -> DofPlaces:
        for dof in dofs:
            if dof.skeleton is not skeleton:
                raise EditError(f"dofs: {dof.name!r} is not in the skeleton of {self.owner.name!r} any more")
        indices = [dof.index for dof in dofs]
        if leaders := skeleton.leading_dofs:
            self._refuse_followers(indices, leaders)
        are_path = indices == self.owner.dependent_dof_indices
        array = np.array(indices, dtype=np.intp)
        are_all = indices == list(range(skeleton.num_dofs))
        return DofPlaces(indices, array, are_path, are_all, dofs, skeleton.tree, skeleton.leading_dofs)

    def _refuse_followers(self, indices: list[int], leaders: Mapping[int, int]) -> None:
        moved = set(indices)
        for follower in self.owner.dependent_dof_indices:
            leader = leaders.get(follower)
            if leader is None or (follower not in moved and leader not in moved):
                continue
            dofs = self.owner.skeleton.dofs
            raise EditError(
                f"dofs: {dofs[follower].name!r} follows {dofs[leader].name!r} and moves {self.owner.name!r}, "
                "but inverse kinematics moves each dof by itself: leave both out of `dofs`, or set "
                "`mimic_enforced` of the skeleton to False"
            )


def _refuse_parts(dofs: _Dofs) -> None:
    """Raises ValueError where some of three dofs that move as one are missing."""
    for dof in dofs:
        first = dof.index_in_joint // 3 * 3
        if grouped(dof) and not {dof.joint.dof(first + i) for i in range(3)} <= set(dofs):
            names = ", ".join(repr(dof.joint.dof_names[first + i]) for i in range(3))
            raise ValueError(f"dofs: {names} move as one; expected all of them or none")
