"""The cost of postures that differ from a desired one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kido.ik._global._body_frame import BodyFrame
from kido.skeleton import Skeleton
from kido.tree import Tree
from kido.typing import FloatArray

__all__ = ["PostureCost"]


@dataclass(frozen=True, slots=True, eq=False)
class PostureCost:
    """The sum over the bodies of distances [m] and 1 - cos of angles to where a desired posture has them.

    Attributes:
        positions: (num_dofs,) the desired posture [rad, m].
        position_costs: by body, of a distance [1/m]; orientation_costs: of 1 - cos of an angle [-].
    """

    positions: FloatArray
    position_costs: dict[str, float]
    orientation_costs: dict[str, float]

    def names(self, skeleton: Skeleton) -> list[str]:
        """Bodies whose places cost something."""
        return [
            body.name
            for body in skeleton.bodies
            if self.position_costs.get(body.name, 0.0) > 0.0
            or self.orientation_costs.get(body.name, 0.0) > 0.0
        ]

    def terms(self, skeleton: Skeleton) -> Iterator[tuple[BodyFrame, FloatArray, float, float]]:
        """Frames of bodies, their desired poses (4, 4) [m], and what distances and angles cost."""
        desired = skeleton.tree.forward_kinematics(self.positions)
        for name in self.names(skeleton):
            pose = desired[skeleton.tree.body_index(name)]
            costs = self.position_costs.get(name, 0.0), self.orientation_costs.get(name, 0.0)
            yield BodyFrame(name, np.eye(4)), pose, *costs

    def value(self, skeleton: Skeleton, positions: FloatArray) -> float:
        """The cost of a posture (num_dofs,) [rad, m]."""
        tree: Tree = skeleton.tree
        bodies, total = tree.forward_kinematics(positions), 0.0
        for frame, pose, position_cost, orientation_cost in self.terms(skeleton):
            T = frame.transform(tree, bodies)
            total += position_cost * float(np.linalg.norm(T[:3, 3] - pose[:3, 3]))
            total += orientation_cost * 0.5 * (3.0 - float(np.sum(pose[:3, :3] * T[:3, :3])))
        return total
