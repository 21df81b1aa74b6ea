"""The objective of a search, as native code asks for it."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from kido.ik._search._pose_problem import grouped
from kido.math import so3_exp, so3_right_jacobian_inverse
from kido.optimize import Function, checked_array, checked_number
from kido.skeleton import DegreeOfFreedom, Skeleton
from kido.typing import FloatArray

__all__ = ["SearchObjective"]


class _HasObjectives(Protocol):
    """A module or a hierarchy."""

    @property
    def lowered_functions(self) -> tuple[Function, ...]: ...


class SearchObjective:
    """Sum of the objectives of a module or a hierarchy at the positions of the skeleton, and its gradient by
    velocities.

    Attributes:
        moves: places of the dofs that are moved for it.
    """

    __slots__ = ("_dofs", "_functions", "_groups", "_limits", "_skeleton", "moves")

    def __init__(
        self, skeleton: Skeleton, owner: _HasObjectives, dofs: tuple[DegreeOfFreedom, ...], moves: list[int]
    ) -> None:
        """The objectives of `owner`, functions of the positions of some dofs, for which some are moved."""
        self.moves = moves
        self._skeleton, self._dofs = skeleton, [dof.index for dof in dofs]
        self._functions = owner.lowered_functions
        tree = skeleton.tree
        self._limits = tree.lower_limits[self._dofs], tree.upper_limits[self._dofs]
        places = {dof: i for i, dof in enumerate(dofs)}
        self._groups = [
            ([places[dof.joint.dof(dof.index_in_joint + i)] for i in range(3)], dof)
            for dof in dofs
            if grouped(dof) and dof.index_in_joint % 3 == 0
        ]

    def __call__(self) -> tuple[float, FloatArray]:
        """The value, and the gradient (num_dofs,) by the velocities of all dofs of the skeleton.

        Raises TypeError or ValueError, naming the function, for what is no number or no array (k,) of finite
        numbers.
        """
        x = self._skeleton.positions[self._dofs]
        value, gradient = 0.0, np.zeros(len(x))
        for function in self._functions:
            value += _value(function, x)
            gradient += _gradient(function, x, *self._limits)
        for places, dof in self._groups:
            rotation = dof.joint.positions[:3]
            rate = so3_exp(rotation) if dof.index_in_joint else so3_right_jacobian_inverse(rotation)
            gradient[places] = rate.T @ gradient[places]  # positions change by `rate` times velocities
        whole = np.zeros(self._skeleton.num_dofs)
        whole[self._dofs] = gradient
        return value, whole


def _value(function: Function, x: FloatArray) -> float:
    got = function.value(x)
    return got if type(got) is float else checked_number(f"{function.name}.value", got)


def _gradient(function: Function, x: FloatArray, lower: FloatArray, upper: FloatArray) -> FloatArray:
    got = function.gradient_within(x, lower, upper)
    if type(got) is np.ndarray and got.dtype == np.float64 and got.shape == x.shape:
        return got
    return checked_array(f"{function.name}.gradient", got, x.shape)
