"""Random targets, and whether positions reach them, by Pinocchio's forward kinematics."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pinocchio
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from benchmarks._ik._arms import TOOL, Arm
from benchmarks._ik._solver import ANGULAR, LINEAR

FloatArray = NDArray[np.float64]

_OUTSIDE = 1e-6
"""A limit may be missed by this much [rad]; TRAC-IK keeps limits in single precision."""


class Judge:
    """Forward kinematics of an arm, apart from all libraries that solve."""

    def __init__(self, arm: Arm) -> None:
        self._arm = arm
        self._model = pinocchio.buildModelFromUrdf(str(arm.path))
        self._data = self._model.createData()
        self._tool = self._model.getFrameId(TOOL)

    def forward(self, positions: FloatArray) -> FloatArray:
        """Poses (m, 4, 4) [m] of the tool at positions (m, n) [rad]."""
        return np.array([self._pose(q) for q in positions]).reshape(-1, 4, 4)

    def targets(self, count: int, seed: int = 0) -> FloatArray:
        """Poses (count, 4, 4) [m] at positions that are uniform within the limits."""
        rng = np.random.default_rng(seed)
        return self.forward(rng.uniform(self._arm.lower, self._arm.upper, (count, self._arm.dofs)))

    def distances(self, targets: FloatArray, positions: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Angles (m,) [rad] and distances (m,) [m] between targets and the tool at positions."""
        poses = self.forward(positions)
        turns = np.swapaxes(poses[:, :3, :3], 1, 2) @ targets[:, :3, :3]
        angles = Rotation.from_matrix(turns).magnitude() if len(turns) else np.zeros(0)
        return angles, np.linalg.norm(poses[:, :3, 3] - targets[:, :3, 3], axis=1)

    def inside(self, positions: FloatArray) -> NDArray[np.bool_]:
        """Whether positions (m, n) [rad] are within the limits (m,)."""
        above = positions >= self._arm.lower - _OUTSIDE
        return np.all(above & (positions <= self._arm.upper + _OUTSIDE), axis=1)

    def reached(self, targets: FloatArray, answers: Sequence[FloatArray | None]) -> NDArray[np.bool_]:
        """Whether each answer is positions within the limits that reach the target; None does not."""
        good = np.zeros(len(targets), dtype=bool)
        given = [i for i, q in enumerate(answers) if q is not None and np.isfinite(q).all()]
        positions = np.array([answers[i] for i in given]).reshape(-1, self._arm.dofs)
        angles, distances = self.distances(targets[given], positions)
        good[given] = (angles <= ANGULAR) & (distances <= LINEAR) & self.inside(positions)
        return good

    def _pose(self, q: FloatArray) -> FloatArray:
        pinocchio.framesForwardKinematics(self._model, self._data, q)
        return self._data.oMf[self._tool].homogeneous
