"""Drake: relative motions by `CalcSpatialVelocity` and by Jacobian and bias."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from pydrake.multibody.tree import JacobianWrtVariable

from _peers import Call, Names
from _peers._drake import ORIGIN, Drake
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

_INPUTS = {**INPUTS, RELATIVE_VELOCITY: ("x",), RELATIVE_ACCELERATION: ("x", "a")}


class DrakeSkeleton(Drake):
    """Plant, context and two frames."""

    def __init__(self, robot: RobotFile, names: Names) -> None:
        super().__init__(robot, names)
        self._observer = self._plant.GetBodyByName(OBSERVERS[robot.name]).body_frame()

    def single(self, operation: str, states: States) -> Call | None:
        """A Python function that sets the context and asks."""
        c = self._coordinates
        functions: dict[str, tuple[Callable[..., Any], Callable[[Any, int], FloatArray]]] = {
            RELATIVE_VELOCITY: (self._relative_velocity, lambda r, _: r.get_coeffs()),
            RELATIVE_ACCELERATION: (self._relative_acceleration, self._read_acceleration),
            CACHED_TRANSFORM: (self._transform_again, lambda r, _: r.GetAsMatrix4()),
            CACHED_MASS: (self._mass_again, lambda r, _: c.kido_matrix(states.q[0], r)),
        }
        if operation == OWN_JACOBIAN:
            return None
        if operation not in functions:
            return super().single(operation, states)
        function, read = functions[operation]
        columns = self._columns(states)
        self._plant.SetPositions(self._context, columns["q"][0])
        return Call(function, rows(*(columns[name] for name in _INPUTS[operation])) or [()], read)

    def _relative_velocity(self, x: FloatArray) -> Any:
        context, hand = self._context, self._hand_frame
        self._plant.SetPositionsAndVelocities(context, x)
        return hand.CalcSpatialVelocity(context, self._observer, hand)

    def _relative_acceleration(self, x: FloatArray, a: FloatArray) -> Any:
        plant, context, hand, observer = self._plant, self._context, self._hand_frame, self._observer
        plant.SetPositionsAndVelocities(context, x)
        speeds = JacobianWrtVariable.kV
        jacobian = plant.CalcJacobianSpatialVelocity(context, speeds, hand, ORIGIN, observer, hand)
        bias = plant.CalcBiasSpatialAcceleration(context, speeds, hand, ORIGIN, observer, hand)
        return jacobian @ a + bias.get_coeffs()

    def _transform_again(self) -> Any:
        return self._plant.EvalBodyPoseInWorld(self._context, self._hand)

    def _mass_again(self) -> Any:
        return self._plant.CalcMassMatrix(self._context)

    def _read_acceleration(self, classical: FloatArray, _: int) -> FloatArray:
        hand = self._hand_frame
        velocity = hand.CalcSpatialVelocity(self._context, self._observer, hand).get_coeffs()
        return np.concatenate([classical[:3], classical[3:] - np.cross(velocity[:3], velocity[3:])])
