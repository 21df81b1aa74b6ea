"""SciPy: the target as constraint of a nonlinear program, solved by SLSQP."""

from __future__ import annotations

import numpy as np
import pinocchio
from scipy.optimize import minimize

from benchmarks._ik._arms import Arm
from benchmarks._ik._objective import Chain, Objective
from benchmarks._ik._solver import FloatArray

_STEPS = 60
_TOLERANCE = 1e-12
_EXACT = 1e-6


class ScipyObjective:
    """`minimize` with SLSQP, exact derivatives by Pinocchio, bounds."""

    library = "scipy"
    restarts = False

    def __init__(self, arm: Arm, chain: Chain, objective: Objective) -> None:
        self._chain, self._objective = chain, objective
        self._bounds = list(zip(arm.lower, arm.upper, strict=True))
        self._options = {"maxiter": _STEPS, "ftol": _TOLERANCE * objective.scale}

    def prepare(self, target: FloatArray) -> pinocchio.SE3:
        """Pinocchio's own transform."""
        return pinocchio.SE3(target)

    def search(self, target: pinocchio.SE3, start: FloatArray) -> FloatArray | None:
        """From one start."""
        constraint = {
            "type": "eq",
            "fun": lambda q: self._error(target, q),
            "jac": lambda q: self._jacobian(target, q),
        }
        found = minimize(
            self._objective.value,
            start,
            jac=self._objective.gradient,
            bounds=self._bounds,
            constraints=[constraint],
            method="SLSQP",
            options=self._options,
        )
        return found.x if np.abs(self._error(target, found.x)).max() < _EXACT else None

    def _error(self, target: pinocchio.SE3, q: FloatArray) -> FloatArray:
        pose = self._chain.pose(q)
        if not self._chain.full:
            return np.asarray(pose.translation - target.translation)
        turn = pinocchio.log3(pose.rotation @ target.rotation.T)
        return np.concatenate([pose.translation - target.translation, turn])

    def _jacobian(self, target: pinocchio.SE3, q: FloatArray) -> FloatArray:
        J = self._chain.jacobian(q)
        if not self._chain.full:
            return J
        turn = self._chain.pose(q).rotation @ target.rotation.T
        return np.concatenate([J[:3], pinocchio.Jlog3(turn) @ turn.T @ J[3:]])
