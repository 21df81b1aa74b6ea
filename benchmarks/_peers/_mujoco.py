"""MuJoCo: the shortest sequence of its stages that yields each quantity; positions are written in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np
from mujoco import rollout

from _operations import ABA, CRBA, DERIVATIVES_FD, DERIVATIVES_ID, FK, HAND, INPUTS, JACOBIAN, MINV, RNEA
from _peers._peer import CHECKED, Batch, Call, FloatArray, Keep, Names, homogeneous, rows
from _robots import RobotFile
from _states import ROOT, Coordinates, States, root_quaternions

_OFF = (
    "CONSTRAINT",
    "EQUALITY",
    "FRICTIONLOSS",
    "LIMIT",
    "CONTACT",
    "SPRING",
    "DAMPER",
    "ACTUATION",
    "SENSOR",
)


class Mujoco:
    """Constraints, contacts, passive forces and sensors are off."""

    name = "mujoco"
    library = "mujoco"

    def __init__(self, robot: RobotFile, names: Names) -> None:
        self._model = mujoco.MjModel.from_xml_path(str(robot.floating_path or robot.path))
        for flag in _OFF:
            self._model.opt.disableflags |= int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag}"))
        self._model.opt.timestep = 1.0
        self._data = mujoco.MjData(self._model)
        joints = [self._model.joint(i).name for i in range(self._model.njnt)][robot.free :]
        order = [*(range(ROOT) if robot.free else ()), *(names.dofs.index(name) for name in joints)]
        self._coordinates = Coordinates(order, robot.free, linear_first=True, world_linear=True)
        self._hand = self._model.body(robot.hand).id
        known = {self._model.body(i).name: i for i in range(self._model.nbody)}
        self._bodies = [known.get(name, 0) for name in names.bodies]

    def single(self, operation: str, states: States) -> Call | None:
        """A Python function that writes the state, calls the stages and leaves the result in an array."""
        if operation in (DERIVATIVES_FD, DERIVATIVES_ID):
            return None
        c = self._coordinates
        functions: dict[str, tuple[Callable[..., Any], Callable[..., FloatArray]]] = {
            ABA: (self._forward_dynamics(), c.kido_acceleration),
            RNEA: (self._inverse_dynamics(), lambda q, v, r: c.to_kido(q, r)),
            CRBA: (self._mass_matrix(), lambda q, v, r: c.kido_matrix(q, r)),
            MINV: (self._inverse_mass_matrix(), lambda q, v, r: c.kido_matrix(q, r)),
            FK: (self._kinematics(), lambda q, v, r: self._transforms()),
            HAND: (self._kinematics(), lambda q, v, r: self._transform(self._hand)),
            JACOBIAN: (self._jacobian(), lambda q, v, r: c.kido_jacobian(q, r[3:], r[:3])),
        }
        function, read = functions[operation]
        vectors = self._vectors(states)
        arguments = rows(*(vectors[name] for name in INPUTS[operation]))
        keep = {FK: self._keep_transforms, HAND: self._keep_transform}.get(operation)
        return Call(function, arguments, lambda r, i: read(states.q[i], states.v[i], r), keep)

    def batch(self, operation: str, states: States) -> Batch | None:
        """`mujoco.rollout` of one step of 1 s on one thread: the change of velocity is the acceleration."""
        if operation != ABA:
            return None
        vectors = self._vectors(states)
        n, nq, nv = len(states), self._model.nq, self._model.nv
        initial = np.hstack([np.zeros((n, 1)), vectors["q"], vectors["v"]])
        control = np.ascontiguousarray(vectors["tau"][:, np.newaxis])
        out = np.zeros((n, 1, 1 + nq + nv))
        roller = rollout.Rollout(nthread=0)
        spec = int(mujoco.mjtState.mjSTATE_QFRC_APPLIED)
        models, datas = [self._model] * n, [self._data]

        def run() -> FloatArray:
            roller.rollout(
                models, datas, initial, control, control_spec=spec, skip_checks=True, nstep=1, state=out
            )
            return out

        def read(result: FloatArray) -> FloatArray:
            accelerations = (result[:, 0, 1 + nq :] - vectors["v"])[:CHECKED]
            few = zip(states.q, states.v, accelerations, strict=False)
            return np.stack([self._coordinates.kido_acceleration(*triple) for triple in few])

        return Batch(run, n, read, "mujoco.rollout")

    def _vectors(self, states: States) -> dict[str, FloatArray]:
        coordinates = self._coordinates
        q = coordinates.joint_positions(states)
        if coordinates.free:
            q = np.hstack([states.q[:, 3:ROOT], np.roll(root_quaternions(states), 1, axis=1), q])
        return {
            "q": np.ascontiguousarray(q),
            "v": coordinates.velocities(states),
            "a": coordinates.accelerations(states),
            "tau": coordinates.forces(states),
        }

    def _forward_dynamics(self) -> Callable[..., FloatArray]:
        m, d = self._model, self._data
        qpos, qvel, applied, acceleration = d.qpos, d.qvel, d.qfrc_applied, d.qacc
        forward = mujoco.mj_forward

        def run(q: FloatArray, v: FloatArray, tau: FloatArray) -> FloatArray:
            qpos[:] = q
            qvel[:] = v
            applied[:] = tau
            forward(m, d)
            return acceleration

        return run

    def _inverse_dynamics(self) -> Callable[..., FloatArray]:
        m, d = self._model, self._data
        qpos, qvel, acceleration, result = d.qpos, d.qvel, d.qacc, np.zeros(self._model.nv)
        kinematics, com_pos = mujoco.mj_kinematics, mujoco.mj_comPos
        com_vel, rne = mujoco.mj_comVel, mujoco.mj_rne

        def run(q: FloatArray, v: FloatArray, a: FloatArray) -> FloatArray:
            qpos[:] = q
            qvel[:] = v
            acceleration[:] = a
            kinematics(m, d)
            com_pos(m, d)
            com_vel(m, d)
            rne(m, d, 1, result)
            return result

        return run

    def _mass_matrix(self) -> Callable[..., FloatArray]:
        m, d = self._model, self._data
        qpos, result = d.qpos, np.zeros((m.nv, m.nv))
        kinematics, com_pos = mujoco.mj_kinematics, mujoco.mj_comPos
        make, full = mujoco.mj_makeM, mujoco.mj_fullM

        def run(q: FloatArray) -> FloatArray:
            qpos[:] = q
            kinematics(m, d)
            com_pos(m, d)
            make(m, d)
            full(m, d, result)
            return result

        return run

    def _inverse_mass_matrix(self) -> Callable[..., FloatArray]:
        m, d = self._model, self._data
        qpos, result, identity = d.qpos, np.zeros((m.nv, m.nv)), np.eye(m.nv)
        kinematics, com_pos = mujoco.mj_kinematics, mujoco.mj_comPos
        make, factor, solve = mujoco.mj_makeM, mujoco.mj_factorM, mujoco.mj_solveM

        def run(q: FloatArray) -> FloatArray:
            qpos[:] = q
            kinematics(m, d)
            com_pos(m, d)
            make(m, d)
            factor(m, d)
            solve(m, d, result, identity)
            return result

        return run

    def _kinematics(self) -> Callable[..., None]:
        m, d = self._model, self._data
        qpos, kinematics = d.qpos, mujoco.mj_kinematics

        def run(q: FloatArray) -> None:
            qpos[:] = q
            kinematics(m, d)

        return run

    def _jacobian(self) -> Callable[..., FloatArray]:
        m, d, hand = self._model, self._data, self._hand
        qpos, result = d.qpos, np.zeros((6, m.nv))
        linear, angular = result[:3], result[3:]
        kinematics, com_pos, jacobian = mujoco.mj_kinematics, mujoco.mj_comPos, mujoco.mj_jacBody

        def run(q: FloatArray) -> FloatArray:
            qpos[:] = q
            kinematics(m, d)
            com_pos(m, d)
            jacobian(m, d, linear, angular, hand)
            return result

        return run

    def _keep_transforms(self, samples: int) -> Keep:
        return _keep(samples, self._data.xmat, self._data.xpos)

    def _keep_transform(self, samples: int) -> Keep:
        return _keep(samples, self._data.xmat[self._hand], self._data.xpos[self._hand])

    def _transform(self, body: int) -> FloatArray:
        return homogeneous(self._data.xmat[body].reshape(3, 3), self._data.xpos[body])

    def _transforms(self) -> FloatArray:
        return np.stack([self._transform(body) for body in self._bodies])


def _keep(samples: int, rotation: FloatArray, translation: FloatArray) -> Keep:
    rotations = np.zeros((samples, *rotation.shape))
    translations = np.zeros((samples, *translation.shape))

    def keep(_: None, i: int) -> None:
        rotations[i] = rotation
        translations[i] = translation

    return keep
