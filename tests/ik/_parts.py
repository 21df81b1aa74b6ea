"""The parts that a module of an arm of seven joints can be given, by name."""

from __future__ import annotations

import numpy as np

from kido.ik import (
    CenterOfMass,
    DampedLeastSquares,
    ErrorMethod,
    GradientMethod,
    JacobianInverse,
    JacobianPseudoinverse,
    JacobianTranspose,
    LookAt,
    OrientationError,
    PointToLine,
    PointToPlane,
    PoseError,
    PositionError,
    Posture,
    SelectivelyDampedLeastSquares,
    TaskSpaceRegion,
)
from kido.optimize import (
    GaussNewtonSolver,
    GradientDescentSolver,
    LevenbergMarquardtSolver,
    NloptSolver,
    SciPySolver,
    Solver,
)

Q = np.array([0.2, 0.6, -0.3, 1.2, 0.4, 0.8, 0.1])
"""Positions within its limits [rad]."""

ERROR_METHODS: dict[str, ErrorMethod] = {
    "region": TaskSpaceRegion((0.1, 0.1, 0.2), (0.0, 0.05, 0.05), from_center=False),
    "pose": PoseError(),
    "position": PositionError(),
    "orientation": OrientationError(),
    "look at": LookAt((0.0, 0.0, 1.0)),
    "look at in a cone": LookAt((0.0, 0.0, 1.0), 0.3),
    "plane": PointToPlane(),
    "between planes": PointToPlane(-0.1, 0.2),
    "line": PointToLine(),
    "center of mass": CenterOfMass(linear_weights=(1.0, 1.0, 0.0)),
    "posture": Posture(Q),
}
GRADIENT_METHODS: dict[str, GradientMethod] = {
    "damped": DampedLeastSquares(0.1),
    "transpose": JacobianTranspose(),
    "inverse": JacobianInverse(),
    "pseudoinverse": JacobianPseudoinverse(),
    "selectively damped": SelectivelyDampedLeastSquares(),
}
SOLVERS: dict[str, Solver | None] = {
    "search": None,
    "gradient descent": GradientDescentSolver(step_size=1.0, max_iterations=20),
    "Gauss-Newton": GaussNewtonSolver(max_iterations=20),
    "Levenberg-Marquardt": LevenbergMarquardtSolver(max_iterations=20),
    "SLSQP": SciPySolver(max_iterations=20),
    "trust-constr": SciPySolver(method="trust-constr", max_iterations=5),
    "NLopt SLSQP": NloptSolver(max_iterations=20),
    "NLopt COBYLA": NloptSolver(algorithm="COBYLA", max_iterations=20),
}
