"""The length that makes a search dimensionless: the Python twin of the native header of that name.

Errors of position, translational dofs and steps along them are divided by it, so that arms of kilometres and
targets far away converge as others do, and no square overflows. It is a power of two, and 1 for robots and
distances of ordinary size: their numbers are divided without rounding.

Source: Angeles, Fundamentals of Robotic Mechanical Systems (2014), section 5.8.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from kido.ik._query import IKQuery
from kido.skeleton import BodyNode
from kido.typing import FloatArray

__all__ = ["SearchScale", "characteristic_length", "length_rows", "path_reach"]

_ORDINARY, _LARGEST, _LARGEST_RATIO = 8.0, 2.0**500, 2.0**300


class SearchScale:
    """Units in which one start of a module's search measures errors and dofs.

    Attributes:
        length: the characteristic length [m].
        rows: factors (m,) of the error's components [-].
        dofs: unit (k,) of each dof [rad, m].
    """

    __slots__ = ("_name", "dofs", "length", "rows")

    def __init__(
        self,
        ik: IKQuery,
        is_prismatic: NDArray[np.bool_],
        rows: int,
        reach: float,
        distance: float,
    ) -> None:
        """Units for m = `rows` components and k dofs, by reach and distance of the target [m]."""
        self._name = ik.error_method.name
        self.length = characteristic_length(reach, distance, bool(is_prismatic.any()))
        self.dofs = np.where(is_prismatic, self.length, 1.0)
        self.rows = np.ones(rows)
        if self.length != 1.0:
            self.rows[length_rows(ik, rows)] = 1.0 / self.length

    def scaled(self, error: FloatArray) -> FloatArray:
        """An error (m,) in these units [-]. Raises ValueError where it has another number of components."""
        if len(error) != len(self.rows):
            expected = f"expected shape ({len(self.rows)},) as at the positions before"
            raise ValueError(f"{self._name}.compute_error: {expected}, got ({len(error)},)")
        return error if self.length == 1.0 else self.rows * error

    def scaled_jacobian(self, jacobian: FloatArray) -> FloatArray:
        """Derivative (m, k) of the scaled error by the dofs in their units [-]."""
        return jacobian if self.length == 1.0 else self.rows[:, None] * jacobian * self.dofs

    def divided(self, positions: FloatArray) -> FloatArray:
        """Differences of positions (k,) [rad, m] in the units of the dofs [-]."""
        return positions if self.length == 1.0 else positions / self.dofs

    def multiplied(self, step: FloatArray) -> FloatArray:
        """A step (k,) in the units of the dofs [-] as one of positions [rad, m]."""
        return step if self.length == 1.0 else step * self.dofs


def characteristic_length(reach: float, distance: float, translates: bool) -> float:
    """Length [m] of a search by the reach of the robot [m], and by the distance of the target [m] where a dof
    translates."""
    extent = max(reach, distance if translates else 0.0, distance / _LARGEST_RATIO)
    return 2.0 ** (math.frexp(min(extent, _LARGEST))[1] - 1) if extent > _ORDINARY else 1.0


def path_reach(body: BodyNode, point: FloatArray) -> float:
    """Sum of the offsets from the first joint that moves a body to a frame (4, 4) on the body [m]."""
    total = float(np.abs(point[:3, 3]).sum())
    for carrier in body.ancestors():
        joint = carrier.parent_joint
        total += float(np.abs(joint.T_child_joint[:3, 3]).sum())
        if carrier.parent_body is not None:
            total += float(np.abs(joint.T_parent_joint[:3, 3]).sum())
    return total


def length_rows(ik: IKQuery, count: int) -> NDArray[np.bool_]:
    """Whether each of the `count` components of a module's error is a length (count,), else it is an
    angle."""
    return np.array([ik.error_lengths(row)[1] > 0.0 for row in np.eye(count)], dtype=bool)
