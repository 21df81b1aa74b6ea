"""Hierarchies of all modules of a skeleton."""

from __future__ import annotations

from kido.ik._hierarchy._hierarchical import HierarchicalIK
from kido.ik._module import InverseKinematics
from kido.skeleton import BodyNode, FrameNode

__all__ = ["WholeBodyIK"]


class WholeBodyIK(HierarchicalIK, closed=True):
    """A hierarchy of all modules that bodies and nodes of a skeleton have when it is asked."""

    @property
    def modules(self) -> tuple[InverseKinematics, ...]:
        """The modules of all bodies and their nodes, in the order of bodies."""
        found = []
        for body in self.skeleton.bodies:
            owners: tuple[BodyNode | FrameNode, ...] = (body, *body.nodes(FrameNode))
            for owner in owners:
                module = owner.addon(InverseKinematics)
                if module is not None:
                    found.append(module)
        return tuple(found)
