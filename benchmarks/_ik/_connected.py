"""The path that leads from positions to a target nearby without a jump, by Pinocchio in tiny steps."""

from __future__ import annotations

import numpy as np
import pinocchio

from benchmarks._ik._arms import TOOL, Arm
from benchmarks._ik._judge import FloatArray

FLOOR = 0.01
"""Motion that a joint may always have beside its motion on the path [rad]: a step of 1 cm at 1 m."""

_PARTS, _AFTER = 10, 60
_SMALL, _REACHED = 1e-4, 1e-5
_LARGEST = 0.02
_DAMPING, _LEAST = 1e-2, 1e-8
_LENGTH = 0.4
_ALIGNED = pinocchio.ReferenceFrame.LOCAL_WORLD_ALIGNED


class ConnectedPath:
    """Damped least squares with limits: the target moves from where the tool is in ten parts, and joints move
    by at most 0.02 rad in a step, until the error stays as it is."""

    def __init__(self, arm: Arm) -> None:
        self._arm = arm
        self._model = pinocchio.buildModelFromUrdf(str(arm.path))
        self._data = self._model.createData()
        self._tool = self._model.getFrameId(TOOL)

    def ratios(self, start: FloatArray, answer: FloatArray, target: FloatArray) -> tuple[float, float]:
        """How many times more joints move from positions to an answer (n,) than on the path to a target
        (4, 4) [m]: the one that moves farthest than the one that does there; and each than itself, at most.
        """
        moved, path = np.abs(answer - start), self.motion(start, target)
        farthest = float(moved.max() / max(float(path.max()), FLOOR))
        return farthest, float(np.max(moved / np.maximum(path, FLOOR)))

    def motion(self, start: FloatArray, target: FloatArray) -> FloatArray:
        """The largest distance of each joint (n,) from its start on the path [rad]."""
        q, farthest, goal = start.copy(), np.zeros(len(start)), pinocchio.SE3(target)
        pinocchio.framesForwardKinematics(self._model, self._data, q)
        tool = self._data.oMf[self._tool].copy()
        parts = np.concatenate([np.linspace(0.0, 1.0, _PARTS + 1)[1:], np.ones(_AFTER)])
        for part in parts:
            error = self._error(q, pinocchio.SE3.Interpolate(tool, goal, part))
            if part == 1.0 and np.abs(error).max() < _REACHED:
                break
            step = self._step(q, error)
            q = q + step
            farthest = np.maximum(farthest, np.abs(q - start))
            if part == 1.0 and np.abs(step).max() < _SMALL:
                break
        return farthest

    def _error(self, q: FloatArray, target: pinocchio.SE3) -> FloatArray:
        """Displacement [m] and turn (6,), a radian as 0.4 m."""
        pinocchio.computeJointJacobians(self._model, self._data, q)
        pose = pinocchio.updateFramePlacement(self._model, self._data, self._tool)
        turn = pinocchio.log3(target.rotation @ pose.rotation.T)
        return np.concatenate([target.translation - pose.translation, _LENGTH * turn])

    def _step(self, q: FloatArray, error: FloatArray) -> FloatArray:
        """A step within the limits; a joint that it would take beyond stays, the others make up for it."""
        J = pinocchio.getFrameJacobian(self._model, self._data, self._tool, _ALIGNED).copy()
        J[3:] *= _LENGTH
        damping = _DAMPING * (error @ error) + _LEAST
        free, step = np.ones(len(q), dtype=bool), np.zeros(len(q))
        for _ in range(len(q)):
            part = J[:, free]
            step[:] = 0.0
            step[free] = part.T @ np.linalg.solve(part @ part.T + damping * np.eye(6), error)
            step *= min(1.0, _LARGEST / max(np.abs(step).max(), 1e-300))
            beyond = free & ((q + step < self._arm.lower) | (q + step > self._arm.upper))
            if not beyond.any():
                break
            free &= ~beyond
            if not free.any():
                return np.zeros(len(q))
        return np.clip(q + step, self._arm.lower, self._arm.upper) - q
