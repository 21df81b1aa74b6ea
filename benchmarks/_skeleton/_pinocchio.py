"""Pinocchio: forward kinematics, then the motions of two frames as Motion and SE3."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pinocchio as pin

from _peers import Call, Names
from _peers._peer import FloatArray, rows
from _peers._pinocchio import Pinocchio
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


class PinocchioSkeleton(Pinocchio):
    """Model, Data and two frames."""

    def __init__(self, robot: RobotFile, names: Names) -> None:
        super().__init__(robot, names)
        self._observer = self._model.getFrameId(OBSERVERS[robot.name])

    def single(self, operation: str, states: States) -> Call | None:
        """A Python function that computes with the state and asks."""
        c = self._coordinates
        functions: dict[str, tuple[Callable[..., Any], Callable[[Any, int], FloatArray]]] = {
            RELATIVE_VELOCITY: (self._relative_velocity, _read_motion),
            RELATIVE_ACCELERATION: (self._relative_acceleration, _read_motion),
            CACHED_TRANSFORM: (self._transform_again, lambda r, _: r.homogeneous),
            CACHED_MASS: (self._mass_again, lambda r, _: c.kido_matrix(states.q[0], r)),
        }
        if operation == OWN_JACOBIAN:
            return None
        if operation not in functions:
            return super().single(operation, states)
        function, read = functions[operation]
        vectors = self._vectors(states)
        pin.crba(self._model, self._data, vectors["q"][0])
        pin.framesForwardKinematics(self._model, self._data, vectors["q"][0])
        return Call(function, rows(*(vectors[name] for name in INPUTS[operation])) or [()], read)

    def _relative_velocity(self, q: FloatArray, v: FloatArray) -> Any:
        model, data, hand, observer = self._model, self._data, self._hand, self._observer
        pin.forwardKinematics(model, data, q, v)
        pose = pin.updateFramePlacement(model, data, observer).actInv(
            pin.updateFramePlacement(model, data, hand)
        )
        return pin.getFrameVelocity(model, data, hand) - pose.actInv(
            pin.getFrameVelocity(model, data, observer)
        )

    def _relative_acceleration(self, q: FloatArray, v: FloatArray, a: FloatArray) -> Any:
        model, data, hand, observer = self._model, self._data, self._hand, self._observer
        pin.forwardKinematics(model, data, q, v, a)
        pose = pin.updateFramePlacement(model, data, observer).actInv(
            pin.updateFramePlacement(model, data, hand)
        )
        carried = pose.actInv(pin.getFrameVelocity(model, data, observer))
        relative = pin.getFrameVelocity(model, data, hand) - carried
        return (
            pin.getFrameAcceleration(model, data, hand)
            - pose.actInv(pin.getFrameAcceleration(model, data, observer))
            + relative.cross(carried)
        )

    def _transform_again(self) -> Any:
        return self._data.oMf[self._hand]

    def _mass_again(self) -> Any:
        return self._data.M


def _read_motion(motion: Any, _: int) -> FloatArray:
    return np.concatenate([motion.angular, motion.linear])
