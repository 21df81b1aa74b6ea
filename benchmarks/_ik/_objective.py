"""Objectives of an arm, and how far positions are from a minimum that keeps target and limits; by Pinocchio
and numpy alone."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np
import pinocchio
from scipy.optimize import nnls

from benchmarks._ik._arms import TOOL, Arm
from benchmarks._ik._judge import FloatArray

SIX = 6
"""Joints that a pose takes: an arm that has no more is to be at the target's place only."""

_REST = 0.3
_STEP = 1e-4
_AT_LIMIT = 1e-7
_ALIGNED = pinocchio.ReferenceFrame.LOCAL_WORLD_ALIGNED


class Chain:
    """An arm's tool: Jacobian, and rows of the target's error that are to be zero.

    Attributes:
        arm: the arm.
        full: whether the target is a pose; else its place alone.
    """

    def __init__(self, arm: Arm) -> None:
        self.arm, self.full = arm, arm.dofs > SIX
        self._model = pinocchio.buildModelFromUrdf(str(arm.path))
        self._data = self._model.createData()
        self._tool = self._model.getFrameId(TOOL)

    def jacobian(self, q: FloatArray) -> FloatArray:
        """Of the rows that count (6 or 3, n), lengths first, in world axes [m, -]."""
        J = pinocchio.computeFrameJacobian(self._model, self._data, q, self._tool, _ALIGNED)
        return J if self.full else J[:3]

    def pose(self, q: FloatArray) -> pinocchio.SE3:
        """The tool's pose [m]."""
        pinocchio.framesForwardKinematics(self._model, self._data, q)
        return self._data.oMf[self._tool]


class Objective(ABC):
    """A function of the positions, with a factor.

    Attributes:
        scale: the factor [-].
    """

    def __init__(self, chain: Chain, scale: float) -> None:
        self.scale = scale
        self._chain = chain

    def value(self, q: FloatArray) -> float:
        """The number that is to be small."""
        return self.scale * self.plain(q)

    def gradient(self, q: FloatArray) -> FloatArray:
        """Derivative (n,)."""
        return self.scale * self._plain_gradient(q)

    @abstractmethod
    def plain(self, q: FloatArray) -> float:
        """The value without the factor."""

    @abstractmethod
    def _plain_gradient(self, q: FloatArray) -> FloatArray:
        """Its derivative (n,)."""


class NearPosture(Objective):
    """Half the squared distance from positions at 0.3 of the way between the limits [rad^2]."""

    def __init__(self, chain: Chain, scale: float) -> None:
        super().__init__(chain, scale)
        self._rest = chain.arm.lower + _REST * (chain.arm.upper - chain.arm.lower)

    def plain(self, q: FloatArray) -> float:
        """Of positions (n,)."""
        away = q - self._rest
        return 0.5 * float(away @ away)

    def _plain_gradient(self, q: FloatArray) -> FloatArray:
        return q - self._rest


class Manipulability(Objective):
    """Minus the square root of det(J J^T), in meters and radians.

    Source: Yoshikawa, Manipulability of robotic mechanisms (1985).
    """

    def plain(self, q: FloatArray) -> float:
        """Of positions (n,)."""
        J = self._chain.jacobian(q)
        return -float(np.sqrt(max(np.linalg.det(J @ J.T), 0.0)))

    def _plain_gradient(self, q: FloatArray) -> FloatArray:
        full = pinocchio.computeFrameJacobian(
            self._chain._model, self._chain._data, q, self._chain._tool, _ALIGNED
        )
        J = full if self._chain.full else full[:3]
        square = J @ J.T
        measure = float(np.sqrt(max(np.linalg.det(square), 0.0)))
        if measure == 0.0:
            return np.zeros(len(q))
        B = np.linalg.solve(square, J)
        v, w = full[:3], full[3:]
        moved = _cross(v, B[:3])
        rate = (w * _from(moved)).sum(axis=0) + (v * _before(_cross(B[:3], w))).sum(axis=0)
        if self._chain.full:
            turned = _cross(w, B[3:])
            rate += (w * (_from(turned) - turned)).sum(axis=0)
        return -measure * rate


OBJECTIVES: dict[str, Callable[[Chain, float], Objective]] = {
    "posture": NearPosture,
    "manipulability": Manipulability,
}
"""Objectives by name, from an arm's chain and a factor."""


def kkt_residual(chain: Chain, objective: Objective, q: FloatArray) -> float:
    """How far positions are from the conditions of Karush, Kuhn and Tucker: the largest component of the
    gradient of the Lagrangian with the best multipliers, relative to that of the objective's gradient where
    that is above 1.

    Everything is that of the objective without its factor; its gradient is made of differences.
    """
    steps = _STEP * np.eye(len(q))
    near = np.array([objective.plain(q + step) - objective.plain(q - step) for step in steps])
    far = np.array([objective.plain(q + 2 * step) - objective.plain(q - 2 * step) for step in steps])
    gradient = (8.0 * near - far) / (12.0 * _STEP)
    eye = np.eye(len(q))
    low, high = q <= chain.arm.lower + _AT_LIMIT, q >= chain.arm.upper - _AT_LIMIT
    J = chain.jacobian(q)
    columns = np.concatenate([J, -J, eye[low], -eye[high]]).T
    multipliers, _ = nnls(columns, gradient)
    left = gradient - columns @ multipliers
    return float(np.abs(left).max() / max(1.0, np.abs(gradient).max()))


def _cross(a: FloatArray, b: FloatArray) -> FloatArray:
    """Cross products of columns (3, n)."""
    return a[[1, 2, 0]] * b[[2, 0, 1]] - a[[2, 0, 1]] * b[[1, 2, 0]]


def _from(columns: FloatArray) -> FloatArray:
    """Sums (3, n) over each column and those after it."""
    return np.cumsum(columns[:, ::-1], axis=1)[:, ::-1]


def _before(columns: FloatArray) -> FloatArray:
    """Sums (3, n) over the columns before each."""
    return np.cumsum(columns, axis=1) - columns
