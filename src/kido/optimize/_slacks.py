"""Equality constraints that depend on each other, for solvers that cannot bear them."""

from __future__ import annotations

import numpy as np

from kido.optimize._evaluator import Evaluator
from kido.optimize._function import ModularFunction
from kido.optimize._multi_function import ModularMultiFunction
from kido.optimize._problem import Problem
from kido.typing import FloatArray

__all__ = ["with_slacks"]

_SCALE = 1e-5
"""Constraints are met to its square times their multipliers."""


def with_slacks(evaluator: Evaluator, x: FloatArray) -> tuple[Problem, FloatArray]:
    """The evaluator's problem in numbers z = (x, s), and where it starts for `x` (n,) [-].

    Every row of h becomes h + c s = 0 with a number s of its own, and the objective grows by half of s·s:
    so the gradients of the rows are independent, and h is met up to c² times its multipliers. Friedlander and
    Orban, A primal-dual regularized interior-point method for convex quadratic programs (2012).
    """
    problem, n = evaluator.problem, len(x)
    m = len(evaluator.equality_values(x))
    wide = Problem(
        n + m,
        ModularFunction(
            lambda z: evaluator.value(z[:n]) + 0.5 * float(z[n:] @ z[n:]),
            lambda z: np.concatenate([evaluator.gradient(z[:n]), z[n:]]),
        ),
        lower_bounds=np.concatenate([problem.lower_bounds, np.full(m, -np.inf)]),
        upper_bounds=np.concatenate([problem.upper_bounds, np.full(m, np.inf)]),
    )
    wide.equality_constraints.add(
        ModularMultiFunction(
            lambda z: evaluator.equality_values(z[:n]) + _SCALE * z[n:],
            lambda z: np.hstack([evaluator.equality_jacobian(z[:n]), _SCALE * np.eye(m)]),
        )
    )
    if len(problem.inequality_constraints):
        wide.inequality_constraints.add(
            ModularMultiFunction(
                lambda z: evaluator.inequality_values(z[:n]),
                lambda z: np.pad(evaluator.inequality_jacobian(z[:n]), ((0, 0), (0, m))),
            )
        )
    return wide, np.concatenate([x, np.zeros(m)])
