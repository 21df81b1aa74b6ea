"""kido: attributes of a Skeleton are set, a body or the skeleton is asked."""

from __future__ import annotations

from typing import Any

import numpy as np

import kido
from _operations import CRBA, HAND, JACOBIAN
from _peers import Call, Names
from _peers._peer import FloatArray, rows
from _robots import RobotFile
from _skeleton._questions import (
    CACHED_MASS,
    CACHED_TRANSFORM,
    INPUTS,
    OBSERVERS,
    OWN_JACOBIAN,
    RELATIVE_ACCELERATION,
    RELATIVE_VELOCITY,
)
from _states import States


class Kido:
    """A robot as `kido.Skeleton`."""

    def __init__(self, robot: RobotFile) -> None:
        self.skeleton = kido.load(robot.path, root="free" if robot.free else "fixed")
        self._hand = self.skeleton.body(robot.hand)
        self._observer = self.skeleton.body(OBSERVERS[robot.name])

    @property
    def names(self) -> Names:
        """Names of dofs and bodies."""
        return Names(self.skeleton.tree.dof_names, self.skeleton.tree.body_names)

    def single(self, operation: str, states: States) -> Call:
        """A Python function that sets the state and asks."""
        functions = {
            HAND: self._transform,
            JACOBIAN: self._jacobian,
            OWN_JACOBIAN: self._own_jacobian,
            RELATIVE_VELOCITY: self._relative_velocity,
            RELATIVE_ACCELERATION: self._relative_acceleration,
            CRBA: self._mass_matrix,
            CACHED_TRANSFORM: self._hand.transform,
            CACHED_MASS: self._mass_matrix_again,
        }
        self.skeleton.positions = states.q[0]
        inputs = [getattr(states, name) for name in INPUTS[operation]]
        read = self._read_own if operation == OWN_JACOBIAN else _read
        return Call(functions[operation], rows(*inputs) or [()], read)

    def _transform(self, q: FloatArray) -> FloatArray:
        self.skeleton.positions = q
        return self._hand.transform()

    def _jacobian(self, q: FloatArray) -> FloatArray:
        self.skeleton.positions = q
        return self.skeleton.jacobian(self._hand, in_coordinates_of=kido.WORLD)

    def _own_jacobian(self, q: FloatArray) -> FloatArray:
        self.skeleton.positions = q
        return self._hand.jacobian(in_coordinates_of=kido.WORLD)

    def _relative_velocity(self, q: FloatArray, v: FloatArray) -> FloatArray:
        skeleton = self.skeleton
        skeleton.positions = q
        skeleton.velocities = v
        return self._hand.spatial_velocity(relative_to=self._observer)

    def _relative_acceleration(self, q: FloatArray, v: FloatArray, a: FloatArray) -> FloatArray:
        skeleton = self.skeleton
        skeleton.positions = q
        skeleton.velocities = v
        skeleton.accelerations = a
        return self._hand.spatial_acceleration(relative_to=self._observer)

    def _mass_matrix(self, q: FloatArray) -> FloatArray:
        self.skeleton.positions = q
        return self.skeleton.mass_matrix

    def _mass_matrix_again(self) -> FloatArray:
        return self.skeleton.mass_matrix

    def _read_own(self, columns: FloatArray, _: int) -> FloatArray:
        full = np.zeros((6, self.skeleton.num_dofs))
        full[:, self._hand.dependent_dof_indices] = columns
        return full


def _read(result: Any, _: int) -> FloatArray:
    return np.asarray(result)
