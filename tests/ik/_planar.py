"""A redundant arm in the plane, and joints that like to be somewhere."""

from __future__ import annotations

import math

import numpy as np
from _poses import Array, planar_arm

from kido import InverseKinematics
from kido.ik import PositionError
from kido.optimize import LeastSquaresFunction

LENGTHS = np.array([1.0, 0.8, 0.6])
REST = np.array([0.2, 0.5, 0.9])
TARGET = np.array([0.9, 1.1])


class Rest(LeastSquaresFunction):
    """Half the squared distance of three dofs from where they like to be, times a weight."""

    def __init__(self, weight: float = 1.0) -> None:
        self.root = math.sqrt(weight)

    def residuals(self, x: Array) -> Array:
        return self.root * (x - REST)

    def jacobian(self, x: Array) -> Array:
        return self.root * np.eye(3)


def redundant() -> InverseKinematics:
    """Three links in the plane, and a wish for the position of their tip: one dof is left over."""
    arm = planar_arm(*LENGTHS)
    arm.positions = [0.6, 0.4, -0.3]
    ik = InverseKinematics.of(arm.end_effector("tip"))
    ik.error_method = PositionError()
    ik.target.set_translation((*TARGET, 0.0))
    return ik


def tip(x: Array) -> Array:
    """Place (2,) of the tip at positions (3,) [m]."""
    angles = np.cumsum(x)
    return np.array([LENGTHS @ np.cos(angles), LENGTHS @ np.sin(angles)])


def tip_jacobian(x: Array) -> Array:
    """Its derivative (2, 3) [m/rad]."""
    angles = np.cumsum(x)
    slopes = np.stack([-LENGTHS * np.sin(angles), LENGTHS * np.cos(angles)])
    return np.cumsum(slopes[:, ::-1], axis=1)[:, ::-1]
