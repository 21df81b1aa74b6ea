"""Searches for poses of one frame, from many starts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from kido.ik._module._inverse_kinematics import InverseKinematics
from kido.ik._waypoints._constrained_posture import posture_problem, require_pose
from kido.ik._waypoints._seen_frame import SeenFrame
from kido.skeleton import DegreeOfFreedom, Skeleton
from kido.typing import FloatArray

__all__ = ["ConstrainedPoses", "ModulePoses", "PoseSearches"]

_TOLERANCE = 1e-6
"""Largest error of a pose that counts as reached [rad, m]."""


class PoseSearches(ABC):
    """Base of searches for poses of a frame, each from one start.

    Attributes:
        skeleton: stays as it is.
        dofs: that move (k,).
    """

    __slots__ = ("dofs", "skeleton")

    def __init__(self, skeleton: Skeleton, dofs: tuple[DegreeOfFreedom, ...]) -> None:
        self.skeleton, self.dofs = skeleton, dofs

    @property
    def dof_indices(self) -> list[int]:
        """Places of the dofs (k,) in the skeleton."""
        return [dof.index for dof in self.dofs]

    @property
    def positions(self) -> FloatArray:
        """Present positions (k,) of the dofs [rad, m]."""
        return self.skeleton.positions[self.dof_indices]

    @property
    def module(self) -> InverseKinematics | None:
        """A module for the same poses of a target in the world, whose closed form may be asked; None: there
        is none."""
        return None

    def targets(self, poses: FloatArray) -> FloatArray:
        """Poses (n, 4, 4) of the module's target in the world for poses of the frame [m]."""
        return poses

    @abstractmethod
    def near(self, poses: FloatArray, starts: FloatArray) -> tuple[FloatArray, NDArray[np.bool_]]:
        """Ends (m, k) of searches for poses (m, 4, 4) from positions (m, k) [rad, m], and whether each
        reaches its pose (m,)."""


class ModulePoses(PoseSearches):
    """Poses in a frame that no dof moves, by a module."""

    __slots__ = ("_base", "_module", "_turn")

    def __init__(self, module: InverseKinematics, base: FloatArray, turn: FloatArray) -> None:
        """Poses of a frame that stands to the module's by a rotation (3, 3), in one of a pose (4, 4) in the
        world [m]. The module is changed: each search has one start."""
        super().__init__(module.node.skeleton, module.dofs)
        module.settings = replace(module.settings, max_starts=1, mirrors=0, nearest=False)
        self._module, self._base, self._turn = module, base, turn

    @classmethod
    def of(cls, seen: SeenFrame, names: tuple[str, ...]) -> ModulePoses:
        """Poses of a frame by dofs of some names (k,)."""
        module = InverseKinematics(seen.body)
        module.dofs, module.offset = names, seen.frame.pose[:3, 3]
        return cls(module, seen.base_pose(), seen.frame.pose[:3, :3])

    @property
    def module(self) -> InverseKinematics:
        """The module; its closed form is used where its error is that of poses."""
        return self._module

    def targets(self, poses: FloatArray) -> FloatArray:
        """Poses (n, 4, 4) of the module's target in the world for poses of the frame [m]."""
        found = self._base @ poses
        found[:, :3, :3] = found[:, :3, :3] @ self._turn.T
        return found

    def near(self, poses: FloatArray, starts: FloatArray) -> tuple[FloatArray, NDArray[np.bool_]]:
        """Ends of searches, side by side."""
        found = self._module.solve_batch(self.targets(poses), starts)
        return found.positions, found.success


class ConstrainedPoses(PoseSearches):
    """Poses of any frame in any other, with dofs that follow, as constraints of postures."""

    __slots__ = ("_problem", "_seen")

    def __init__(self, seen: SeenFrame, names: tuple[str, ...]) -> None:
        """Poses of a frame by dofs of some names (k,)."""
        super().__init__(seen.skeleton, tuple(seen.skeleton.dof(name) for name in names))
        self._seen = seen.on(seen.skeleton.clone())
        self._problem = posture_problem(self._seen, self.dof_indices)

    def near(self, poses: FloatArray, starts: FloatArray) -> tuple[FloatArray, NDArray[np.bool_]]:
        """Ends of searches, one after the other."""
        ends, reached, q = np.array(starts), np.zeros(len(starts), dtype=bool), self.skeleton.positions
        known: FloatArray | None = None
        for i, pose in enumerate(poses):
            if known is None or not np.array_equal(pose, known):
                self._problem.clear()
                require_pose(self._problem, self._seen, pose, np.zeros(3), 0.0)
                known = pose
            seed = q.copy()
            seed[self.dof_indices] = starts[i]
            found = self._problem.solve(seed, max_starts=1, max_escapes=0, tolerance=_TOLERANCE)
            ends[i], reached[i] = found.positions[self.dof_indices], found.is_feasible
        return ends, reached
