"""MuJoCo: its stages, then the motions of two bodies by `mj_objectVelocity` and `mj_objectAcceleration`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np

from _peers import Call, Names
from _peers._mujoco import Mujoco
from _peers._peer import FloatArray, homogeneous, rows
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

_BODY = mujoco.mjtObj.mjOBJ_XBODY


class MujocoSkeleton(Mujoco):
    """Model, data and two bodies; vectors in world axes, combined with `mju_cross` and numpy."""

    def __init__(self, robot: RobotFile, names: Names) -> None:
        super().__init__(robot, names)
        self._observer = self._model.body(OBSERVERS[robot.name]).id

    def single(self, operation: str, states: States) -> Call | None:
        """A Python function that writes the state, calls the stages and asks."""
        if operation in (OWN_JACOBIAN, CACHED_MASS):
            return None
        functions: dict[str, tuple[Callable[..., Any], Callable[[Any, int], FloatArray]]] = {
            RELATIVE_VELOCITY: (self._relative_velocity(), lambda r, _: np.concatenate(r)),
            RELATIVE_ACCELERATION: (self._relative_acceleration(), self._read_acceleration),
            CACHED_TRANSFORM: (self._transform_again, lambda r, _: homogeneous(r[0].reshape(3, 3), r[1])),
        }
        if operation not in functions:
            return super().single(operation, states)
        function, read = functions[operation]
        vectors = self._vectors(states)
        self._data.qpos[:] = vectors["q"][0]
        mujoco.mj_kinematics(self._model, self._data)
        return Call(function, rows(*(vectors[name] for name in INPUTS[operation])) or [()], read)

    def _relative_velocity(self) -> Callable[..., Any]:
        m, d, hand, observer = self._model, self._data, self._hand, self._observer
        of_hand, of_observer, carried = np.zeros(6), np.zeros(6), np.zeros(3)
        spin, here, there = of_observer[:3], d.xpos[hand], d.xpos[observer]
        axes = d.xmat[hand].reshape(3, 3)
        velocity, cross = mujoco.mj_objectVelocity, mujoco.mju_cross
        move = self._velocity_stages()

        def run(q: FloatArray, v: FloatArray) -> Any:
            move(q, v)
            velocity(m, d, _BODY, hand, of_hand, 0)
            velocity(m, d, _BODY, observer, of_observer, 0)
            cross(carried, spin, here - there)
            relative = of_hand - of_observer
            relative[3:] -= carried
            return relative.reshape(2, 3) @ axes

        return run

    def _relative_acceleration(self) -> Callable[..., Any]:
        m, d, hand, observer = self._model, self._data, self._hand, self._observer
        qacc, here, there = d.qacc, d.xpos[hand], d.xpos[observer]
        axes = d.xmat[hand].reshape(3, 3)
        of_hand, of_observer = np.zeros(6), np.zeros(6)
        rates_hand, rates_observer = np.zeros(6), np.zeros(6)
        spin, turn = of_observer[:3], rates_observer[:3]
        a, b, c = np.zeros(3), np.zeros(3), np.zeros(3)
        velocity, acceleration = mujoco.mj_objectVelocity, mujoco.mj_objectAcceleration
        cross, rne = mujoco.mju_cross, mujoco.mj_rnePostConstraint
        move = self._velocity_stages()

        def run(q: FloatArray, v: FloatArray, accelerations: FloatArray) -> Any:
            move(q, v)
            qacc[:] = accelerations
            rne(m, d)
            velocity(m, d, _BODY, hand, of_hand, 0)
            velocity(m, d, _BODY, observer, of_observer, 0)
            acceleration(m, d, _BODY, hand, rates_hand, 0)
            acceleration(m, d, _BODY, observer, rates_observer, 0)
            arm = here - there
            cross(a, turn, arm)
            cross(b, spin, arm)
            relative = of_hand[3:] - of_observer[3:] - b
            cross(c, spin, relative + relative + b)
            rates = rates_hand - rates_observer
            rates[3:] -= a + c
            cross(a, spin, of_hand[:3])
            rates[:3] -= a
            return rates.reshape(2, 3) @ axes

        return run

    def _velocity_stages(self) -> Callable[[FloatArray, FloatArray], None]:
        m, d = self._model, self._data
        qpos, qvel = d.qpos, d.qvel
        kinematics, com_pos, com_vel = mujoco.mj_kinematics, mujoco.mj_comPos, mujoco.mj_comVel

        def move(q: FloatArray, v: FloatArray) -> None:
            qpos[:] = q
            qvel[:] = v
            kinematics(m, d)
            com_pos(m, d)
            com_vel(m, d)

        return move

    def _transform_again(self) -> tuple[FloatArray, FloatArray]:
        return self._data.xmat[self._hand], self._data.xpos[self._hand]

    def _read_acceleration(self, classical: FloatArray, _: int) -> FloatArray:
        angular, linear = self._relative_velocity()(self._data.qpos.copy(), self._data.qvel.copy())
        return np.concatenate([classical[0], classical[1] - np.cross(angular, linear)])
