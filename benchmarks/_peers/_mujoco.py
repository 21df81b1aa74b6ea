"""MuJoCo: the shortest sequence of its stages that yields each quantity; positions are written in place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from mujoco import rollout
from scipy.spatial.transform import Rotation

import kido
from benchmarks._operations import (
    ABA,
    ABA_ACTUATORS,
    ABA_SPRINGS,
    CACHED_MASS,
    CACHED_TRANSFORM,
    CRBA,
    DERIVATIVES_FD,
    DERIVATIVES_ID,
    FK,
    HAND,
    INPUTS,
    JACOBIAN,
    MINV,
    OWN_JACOBIAN,
    RELATIVE_ACCELERATION,
    RELATIVE_VELOCITY,
    RNEA,
)
from benchmarks._peers._peer import CHECKED, Batch, Call, FloatArray, Keep, Names, homogeneous, rows
from benchmarks._robots import OBSERVERS, RobotFile
from benchmarks._states import ROOT, Coordinates, States, root_quaternions
from benchmarks._world._mjcf import mjcf
from benchmarks._world._setup import (
    FRICTION,
    Setup,
    free_positions,
    has_free_root,
    hinges,
    quaternion,
    servos,
)

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


class MujocoTree:
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


_BODY = mujoco.mjtObj.mjOBJ_XBODY


class MujocoSkeleton(MujocoTree):
    """Model, data and two bodies; vectors in world axes, combined with `mju_cross` and numpy."""

    def __init__(self, robot: RobotFile, names: Names) -> None:
        super().__init__(robot, names)
        self._observer = self._model.body(OBSERVERS[robot.name]).id

    def single(self, operation: str, states: States) -> Call | None:
        """A Python function that writes the state, calls the stages and asks."""
        if operation in (OWN_JACOBIAN, CACHED_MASS, ABA_SPRINGS, ABA_ACTUATORS):
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


_DIVERGED = (
    mujoco.mjtWarning.mjWARN_BADQPOS,
    mujoco.mjtWarning.mjWARN_BADQVEL,
    mujoco.mjtWarning.mjWARN_BADQACC,
)


class MujocoWorld:
    """A scene with MuJoCo's defaults; tuned: with elliptic cones and contacts as stiff as its step allows."""

    library = "mujoco"

    def __init__(self, setup: Setup, tuned: bool) -> None:
        friction = f'friction="{FRICTION} 0 0" condim="3"'
        geom = f'{friction} solref="{2 * setup.step} 1"' if tuned else friction
        options = f'timestep="{setup.step}" gravity="0 0 -9.81" cone="{"elliptic" if tuned else "pyramidal"}"'
        if any(servos(skeleton) for skeleton in setup.trees):
            options += ' integrator="implicitfast"'
        self.model = mujoco.MjModel.from_xml_string(mjcf(setup, options, geom))
        if setup.closures and tuned:
            self.model.eq_solref[:] = 2 * setup.step, 1.0
        self.data = mujoco.MjData(self.model)
        self._moving = setup.moving
        for skeleton in self._moving:
            for joint in hinges(skeleton):
                at = self._address(joint)
                self.data.qpos[at] = joint.positions[0]
            for i, servo in enumerate(servos(skeleton)):
                stands = servo.velocity == 0.0
                self.data.ctrl[i] = servo.joint.positions[0] if stands else servo.velocity
        mujoco.mj_forward(self.model, self.data)

    def step(self, count: int) -> None:
        mujoco.mj_step(self.model, self.data, nstep=count)

    def step_each(self, count: int) -> None:
        model, data, step = self.model, self.data, mujoco.mj_step
        for _ in range(count):
            step(model, data)

    def positions(self) -> list[FloatArray]:
        """Of the skeletons that move; NaN once it diverged, after which MuJoCo starts anew."""
        broken = any(self.data.warning[kind].number for kind in _DIVERGED)
        return [self._positions(skeleton) * (np.nan if broken else 1.0) for skeleton in self._moving]

    def depth(self) -> float:
        """Largest depth of two shapes where everything is now [m], by MuJoCo's collision functions."""
        return max(0.0, -self.data.contact.dist.min()) if self.data.ncon else 0.0

    def put(self, positions: list[FloatArray]) -> None:
        """Move everything, and find what touches."""
        for skeleton, q in zip(self._moving, positions, strict=True):
            free = has_free_root(skeleton)
            if free:
                at = self._address(skeleton.joint(0))
                self.data.qpos[at : at + 3] = q[3:6]
                R = Rotation.from_rotvec(np.array(q[:3])).as_matrix()
                self.data.qpos[at + 3 : at + 7] = quaternion(R)
            for joint, value in zip(hinges(skeleton), q[6 * free :], strict=True):
                self.data.qpos[self._address(joint)] = value
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_comPos(self.model, self.data)
        mujoco.mj_collision(self.model, self.data)

    def _positions(self, skeleton: kido.Skeleton) -> FloatArray:
        own = [self.data.qpos[self._address(joint)] for joint in hinges(skeleton)]
        if not has_free_root(skeleton):
            return np.array(own)
        at = self._address(skeleton.joint(0))
        q = self.data.qpos
        return np.concatenate([free_positions(q[at : at + 3], q[at + 3 : at + 7]), own])

    def _address(self, joint: kido.Joint) -> int:
        return int(self.model.joint(f"{joint.skeleton.name}/{joint.name}").qposadr[0])


class MujocoRollout:
    """Many copies of a scene, stepped by `mujoco.rollout`."""

    def __init__(self, setup: Setup, copies: int) -> None:
        world = MujocoWorld(setup, tuned=False)
        self._model, self._datas = world.model, []
        size = mujoco.mj_stateSize(self._model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
        state = np.empty(size)
        mujoco.mj_getState(self._model, world.data, state, mujoco.mjtState.mjSTATE_FULLPHYSICS)
        self._states = np.tile(state, (copies, 1))
        self._copies = copies

    def run(self, steps: int, threads: int) -> None:
        """Step all copies from the start; `threads` work."""
        while len(self._datas) < threads:
            self._datas.append(mujoco.MjData(self._model))
        with rollout.Rollout(nthread=threads if threads > 1 else 0) as runner:
            models = [self._model] * self._copies
            runner.rollout(models, self._datas[:threads], self._states, nstep=steps)


class MujocoFiles:
    """Compiled models; of a URDF, meshes are taken from the folder that an extension names."""

    name = "mujoco"
    library = "mujoco"

    def with_meshes(self, path: Path, folder: Path) -> Callable[[], Any]:
        """A URDF, what is seen and what collides."""
        meshes = path.parents[1] / "meshes"
        compiler = (
            f'<mujoco><compiler meshdir="{meshes}" strippath="true" discardvisual="false"/></mujoco></robot>'
        )
        copy = folder / "with_compiler.urdf"
        copy.write_text(path.read_text().replace("</robot>", compiler))
        return lambda: mujoco.MjModel.from_xml_path(str(copy))

    def world(self, path: Path) -> Callable[[], Any]:
        """A model of its own format."""
        return lambda: mujoco.MjModel.from_xml_path(str(path))
