"""Options that all analytical methods of kido take, and dofs that they do not solve for."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

import numpy as np

from kido.ik._analytical._solution import Comparison
from kido.ik._query import IKQuery
from kido.ik._user_output import norm
from kido.skeleton import DegreeOfFreedom
from kido.typing import FloatArray
from kido.values import checked_part, register

__all__ = [
    "ExtraDofUtilization",
    "checked_comparison",
    "checked_utilization",
    "dof_names",
    "transpose_gradient",
]


@register
class ExtraDofUtilization(Enum):
    """Time at which dofs of a module that its analytical method does not solve for are moved."""

    UNUSED = 0
    """Never."""
    PRE_ANALYTICAL = 1
    """Before the solution is computed, against the error that there is."""
    POST_ANALYTICAL = 2
    """After it is computed, against the error that it leaves."""
    PRE_AND_POST_ANALYTICAL = 3
    """Before and after."""

    @property
    def before(self) -> bool:
        """Whether they are moved before the solution is computed."""
        return self in (ExtraDofUtilization.PRE_ANALYTICAL, ExtraDofUtilization.PRE_AND_POST_ANALYTICAL)

    @property
    def after(self) -> bool:
        """Whether they are moved after the solution is computed."""
        return self in (ExtraDofUtilization.POST_ANALYTICAL, ExtraDofUtilization.PRE_AND_POST_ANALYTICAL)


def transpose_gradient(ik: IKQuery, error: FloatArray, places: list[int], length_clamp: float) -> FloatArray:
    """The step (k,) of the Jacobian transpose for an error (m,), of the dofs of a module at some places.

    The error is shortened to the clamp, and the step where a shorter one leaves less of the error.

    Source: Buss, Introduction to inverse kinematics with Jacobian transpose, pseudoinverse and damped least
    squares methods (2004), for the length of the step.
    """
    gradient = np.zeros(len(ik.dofs))
    J = ik.weighted_jacobian(len(error))[:, places]
    e = error * min(1.0, length_clamp / max(norm(error), 1e-300))
    step = J.T @ e
    made = J @ step
    square = float(made @ made)
    best = float(e @ made) / square if square > 0.0 else 1.0
    gradient[places] = min(1.0, best) * step
    return gradient


def checked_utilization(name: str, value: ExtraDofUtilization) -> ExtraDofUtilization:
    """Time at which extra dofs are moved. Raises TypeError naming it."""
    return checked_part(name, ExtraDofUtilization, value)


def checked_comparison(name: str, value: Comparison | None) -> Comparison | None:
    """Order of solutions: whether one is better than another; None: the nearer one is. Raises TypeError."""
    if value is not None and not callable(value):
        raise TypeError(f"{name}: expected a function of two solutions and a module, got {value!r}")
    return value


def dof_names(name: str, dofs: Iterable[DegreeOfFreedom | str]) -> tuple[str, ...]:
    """Names of dofs that are given by name or as they are. Raises TypeError or ValueError naming the
    argument."""
    if isinstance(dofs, str) or not isinstance(dofs, Iterable):
        raise TypeError(f"{name}: expected degrees of freedom or their names, got {dofs!r}")
    names = tuple(dof.name if isinstance(dof, DegreeOfFreedom) else dof for dof in dofs)
    for one in names:
        if not isinstance(one, str):
            raise TypeError(f"{name}: expected degrees of freedom or their names, got {one!r}")
    if len(set(names)) != len(names):
        raise ValueError(f"{name}: expected different dofs, got {list(names)}")
    return names
