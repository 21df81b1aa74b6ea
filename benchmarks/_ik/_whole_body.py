"""A humanoid with several targets in levels: how many are converged, and how long one call takes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pinocchio
from scipy.spatial.transform import Rotation

from benchmarks import _robots
from benchmarks._ik._humanoid import Humanoid, HumanoidType
from benchmarks._ik._judge import FloatArray
from benchmarks._ik._solver import ANGULAR, LINEAR
from benchmarks._ik._timing import Timed, one_by_one
from benchmarks._peers import installed
from benchmarks._peers._kido import KidoHumanoid
from benchmarks._table import Table

TARGETS = {
    "left_ankle_roll_link": 0,
    "right_ankle_roll_link": 0,
    "left_rubber_hand": 1,
    "right_rubber_hand": 2,
}
"""Links of the g1, and the levels of their targets."""

_FILE = "g1_description/urdf/g1_29dof_rev_1_0.urdf"
_COUNT = 200
_ROOT = 0.2
_MOST = 12.0
_NEAR = 1e-6


@dataclass(frozen=True)
class Score:
    """Times of the calls, and shares of those within 1 mm and 10 mrad of all targets, and within 2e-6."""

    timed: Timed
    converged: float
    exact: float


def measure(count: int = _COUNT) -> dict[str, Score]:
    """kido and the peers that are installed, on at most 200 random positions of the joints and the root."""
    path = _robots.installed() / _FILE
    judge = _Judge(path)
    targets = [judge.poses(q) for q in judge.draw(min(count, _COUNT))]
    found, _ = installed("whole body")
    kinds: dict[str, HumanoidType] = {"kido": KidoHumanoid, **found}
    solvers = {name: kind(path, TARGETS, judge.joint_names, judge.neutral) for name, kind in kinds.items()}
    return {name: _score(judge, solver, targets) for name, solver in solvers.items()}


def table(scores: dict[str, Score]) -> Table:
    """One row a library."""
    rows = [
        [name, f"{100 * s.converged:.4g} %", f"{100 * s.exact:.4g} %", *s.timed.text.split(", ")]
        for name, s in scores.items()
    ]
    columns = ["library", "1 mm, 10 mrad", "1e-6", "median", "95th percentile"]
    notes = [
        f"g1, free root: reachable targets, root within {_ROOT} m and {_ROOT} rad, from all positions zero",
        "feet in level 0, one hand each in 1 and 2; pink and mink weigh all alike, and stop at 1 mm, 10 mrad",
    ]
    return Table("Whole body: four targets in three levels", columns, rows, notes)


class _Judge:
    """Forward kinematics by Pinocchio; positions are its own, root first."""

    def __init__(self, path: Path) -> None:
        self._model = pinocchio.buildModelFromUrdf(str(path), pinocchio.JointModelFreeFlyer())
        self._data = self._model.createData()
        self._frames = [self._model.getFrameId(name) for name in TARGETS]
        self.joint_names = tuple(self._model.names)[2:]
        self.lower, self.upper = self._model.lowerPositionLimit[7:], self._model.upperPositionLimit[7:]
        self.neutral = np.clip(pinocchio.neutral(self._model), *self._limits())

    def draw(self, count: int) -> FloatArray:
        """Random positions (count, 7 + n)."""
        rng = np.random.default_rng(0)
        q = np.repeat(self.neutral[None], count, axis=0)
        q[:, :3] += rng.uniform(-_ROOT, _ROOT, (count, 3))
        q[:, 3:7] = Rotation.from_rotvec(rng.uniform(-_ROOT, _ROOT, (count, 3))).as_quat()
        q[:, 7:] = rng.uniform(self.lower, self.upper, (count, len(self.lower)))
        return q

    def poses(self, q: FloatArray) -> FloatArray:
        """Poses (4, 4, 4) of the links at positions (7 + n,) [m]."""
        pinocchio.framesForwardKinematics(self._model, self._data, q)
        return np.array([self._data.oMf[frame].homogeneous for frame in self._frames])

    def error(self, q: FloatArray, targets: FloatArray) -> tuple[float, float]:
        """The largest angle [rad] and distance [m] that is left; infinite beyond the limits."""
        if not np.all((q[7:] >= self.lower - _NEAR) & (q[7:] <= self.upper + _NEAR)):
            return np.inf, np.inf
        poses = self.poses(q)
        turns = np.swapaxes(poses[:, :3, :3], 1, 2) @ targets[:, :3, :3]
        apart = np.linalg.norm(poses[:, :3, 3] - targets[:, :3, 3], axis=1)
        return float(Rotation.from_matrix(turns).magnitude().max()), float(apart.max())

    def _limits(self) -> tuple[FloatArray, FloatArray]:
        free = np.full(7, np.inf)
        return np.concatenate([-free, self.lower]), np.concatenate([free, self.upper])


def _score(judge: _Judge, solver: Humanoid, targets: list[FloatArray]) -> Score:
    timed = one_by_one(solver.solve, [(rows,) for rows in targets], _MOST)
    left = np.array(
        [
            (np.inf, np.inf) if q is None else judge.error(solver.read(q), rows)
            for q, rows in zip(timed.answers, targets, strict=False)
        ]
    )
    converged = np.all(left <= [ANGULAR, LINEAR], axis=1)
    return Score(timed, float(converged.mean()), float(np.all(left <= 2.0 * _NEAR, axis=1).mean()))
