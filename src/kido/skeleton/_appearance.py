"""Mark of what is seen of a skeleton, to tell whether it is still the same."""

from __future__ import annotations

from kido import _core
from kido.skeleton._skeleton import Skeleton
from kido.typing import FloatArray

__all__ = ["Appearance"]

_FEW = 4
"""Up to so many bodies are asked one by one, which is faster than all at once."""


class Appearance:
    """Poses of a skeleton's bodies, and whether bodies, joints, constants, nodes and names are those of the
    beginning.

    Attributes:
        skeleton: which is looked at.
    """

    __slots__ = ("_seen", "skeleton")

    def __init__(self, skeleton: Skeleton) -> None:
        self.skeleton = skeleton
        self._seen = self._present()

    @property
    def holds(self) -> bool:
        """Whether bodies, joints, constants, nodes and names are those of the beginning. Motion is none of
        these, nor is what addons hold."""
        answers = self.skeleton._answers
        state, shapes, nodes, name = self._seen
        return (
            answers.state is state
            and answers.shape_version == shapes
            and answers.node_version == nodes
            and self.skeleton._name == name
        )

    def write_poses(self, out: FloatArray) -> None:
        """Write the poses (num_bodies, 4, 4) of all bodies in the world [m] into an array."""
        bodies = self.skeleton.bodies
        if len(bodies) <= _FEW:
            for row, body in enumerate(bodies):
                out[row] = body.transform()
        else:
            self.skeleton.tree.forward_kinematics(self.skeleton._answers.q, out=out)

    def _present(self) -> tuple[_core.State, int, int, str]:
        answers = self.skeleton._answers
        return answers.ready(), answers.shape_version, answers.node_version, self.skeleton.name
