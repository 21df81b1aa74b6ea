"""Robots and parts of modules from which random tests choose."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kido import gallery
from kido.ik import (
    DampedLeastSquares,
    ErrorMethod,
    GradientMethod,
    JacobianPseudoinverse,
    JacobianTranspose,
    LookAt,
    OrientationError,
    PointToLine,
    PointToPlane,
    PoseError,
    PositionError,
    TaskSpaceRegion,
)
from kido.optimize import Function
from kido.typing import FloatArray

ROBOTS = (gallery.arm7, gallery.arm, gallery.humanoid, gallery.quadruped)
METHODS: tuple[Callable[[FloatArray], ErrorMethod], ...] = (
    lambda _: TaskSpaceRegion(),
    lambda size: TaskSpaceRegion(3.0 * size, size),
    lambda size: TaskSpaceRegion([np.inf] * 3, size),
    lambda size: TaskSpaceRegion(3.0 * size, size, from_center=False, weights=[0, 1, 0.3, 1, 0, 1]),
    lambda _: PositionError(),
    lambda _: OrientationError(),
    lambda _: PoseError(),
    lambda _: PointToPlane(),
    lambda size: PointToPlane(-size[0], size[1]),
    lambda _: PointToLine(),
    lambda _: LookAt((0.0, 0.0, 1.0)),
    lambda size: LookAt((0.0, 0.0, 1.0), 3.0 * size[0]),
)
GRADIENT_METHODS: tuple[GradientMethod | None, ...] = (
    None,
    None,
    JacobianPseudoinverse(),
    JacobianTranspose(),
    DampedLeastSquares(0.2),
)


class Catenaries(Function):
    """A convex function of the user's own, whose minimum is at a center."""

    def __init__(self, center: FloatArray) -> None:
        self.center = center

    def value(self, x: FloatArray) -> float:
        return float(np.cosh(0.5 * (x - self.center)).sum())

    def gradient(self, x: FloatArray) -> FloatArray:
        return 0.5 * np.sinh(0.5 * (x - self.center))
