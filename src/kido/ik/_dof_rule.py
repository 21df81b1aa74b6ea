"""Rules that say which dofs a module moves, until a user names some."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from kido.skeleton import BodyNode, DegreeOfFreedom, FrameNode
from kido.tree import Tree

__all__ = ["DofRule", "RuledDofs"]


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
