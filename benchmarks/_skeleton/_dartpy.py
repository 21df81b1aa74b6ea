"""dartpy: the same questions by the same names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from _operations import JACOBIAN
from _peers import Call, Names
from _peers._dartpy import ORIGIN, Dart
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


class DartSkeleton(Dart):
    """A Skeleton of DART and two of its bodies."""

    def __init__(self, robot: RobotFile, names: Names) -> None:
        super().__init__(robot, names)
        self._observer = self._skeleton.getBodyNode(OBSERVERS[robot.name])

    def single(self, operation: str, states: States) -> Call | None:
        """A Python function that sets the state and asks."""
        c = self._coordinates
        functions: dict[str, tuple[Callable[..., Any], Callable[[Any, int], FloatArray]]] = {
            JACOBIAN: (self._full_jacobian, lambda r, i: c.kido_jacobian(states.q[i], r[:3], r[3:])),
            RELATIVE_VELOCITY: (self._relative_velocity, lambda r, _: np.asarray(r)),
            RELATIVE_ACCELERATION: (self._relative_acceleration, lambda r, _: np.asarray(r)),
            CACHED_TRANSFORM: (self._hand.getWorldTransform, lambda r, _: r.matrix()),
            CACHED_MASS: (self._skeleton.getMassMatrix, lambda r, _: c.kido_matrix(states.q[0], r)),
        }
        if operation == OWN_JACOBIAN:
            return super().single(JACOBIAN, states)
        if operation not in functions:
            return super().single(operation, states)
        function, read = functions[operation]
        vectors = self._vectors(states)
        self._skeleton.setPositions(vectors["q"][0])
        return Call(function, rows(*(vectors[name] for name in INPUTS[operation])) or [()], read)

    def _full_jacobian(self, q: FloatArray) -> Any:
        self._skeleton.setPositions(q)
        return self._skeleton.getWorldJacobian(self._hand, ORIGIN)

    def _relative_velocity(self, q: FloatArray, v: FloatArray) -> Any:
        skeleton = self._skeleton
        skeleton.setPositions(q)
        skeleton.setVelocities(v)
        return self._hand.getSpatialVelocity(self._observer, self._hand)

    def _relative_acceleration(self, q: FloatArray, v: FloatArray, a: FloatArray) -> Any:
        skeleton = self._skeleton
        skeleton.setPositions(q)
        skeleton.setVelocities(v)
        skeleton.setAccelerations(a)
        return self._hand.getSpatialAcceleration(self._observer, self._hand)
