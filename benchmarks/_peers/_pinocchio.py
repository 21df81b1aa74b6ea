"""Pinocchio: functions of model, data and vectors; motions as Motion and SE3."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin

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
from benchmarks._peers._peer import CHECKED, Batch, Call, FloatArray, Keep, Names, UnsupportedRobotError, rows
from benchmarks._robots import OBSERVERS, RobotFile
from benchmarks._states import ROOT, Coordinates, States, root_quaternions

_MOST_DOFS = 400


class PinocchioTree:
    """Vectors are converted to Pinocchio's order beforehand; transforms stay in its Data."""

    name = "pinocchio"
    library = "pin"

    def __init__(self, robot: RobotFile, names: Names) -> None:
        if robot.dofs > _MOST_DOFS:
            raise UnsupportedRobotError("its Data takes memory of order dofs^3, 32 GB for 1000 dofs")
        root = (pin.JointModelFreeFlyer(),) if robot.free else ()
        self._model = pin.buildModelFromUrdf(str(robot.path), *root)
        self._data = self._model.createData()
        self._hand = self._model.getFrameId(robot.hand)
        self._bodies = [self._model.getFrameId(name) for name in names.bodies]
        self._lumped = len(names.bodies) == robot.bodies + (not robot.free)
        self._kinematics = pin.forwardKinematics if self._lumped else pin.framesForwardKinematics
        order = list(range(ROOT)) if robot.free else []
        order += [names.dofs.index(name) for name in list(self._model.names)[2 if robot.free else 1 :]]
        self._coordinates = Coordinates(order, robot.free, linear_first=True)

    def single(self, operation: str, states: States) -> Call:
        """The library's function itself, with model, data and vectors."""
        coordinates = self._coordinates
        functions: dict[str, tuple[Callable[..., Any], Callable[..., FloatArray]]] = {
            ABA: (pin.aba, coordinates.kido_acceleration),
            RNEA: (pin.rnea, lambda q, v, r: coordinates.to_kido(q, r)),
            CRBA: (pin.crba, lambda q, v, r: coordinates.kido_matrix(q, r)),
            MINV: (pin.computeMinverse, lambda q, v, r: coordinates.kido_matrix(q, r)),
            FK: (self._kinematics, lambda q, v, r: self._transforms()),
            HAND: (pin.forwardKinematics, lambda q, v, r: self._transform(self._hand)),
            JACOBIAN: (pin.computeFrameJacobian, lambda q, v, r: self._read_jacobian(q, r)),
            DERIVATIVES_FD: (pin.computeABADerivatives, self._read_derivatives),
            DERIVATIVES_ID: (pin.computeRNEADerivatives, self._read_derivatives),
        }
        function, read = functions[operation]
        vectors = self._vectors(states)
        after = (self._hand, pin.LOCAL_WORLD_ALIGNED) if operation == JACOBIAN else ()
        before = (self._model, self._data)
        arguments = rows(*(vectors[name] for name in INPUTS[operation]), before=before, after=after)
        keep = {FK: self._keep_transforms, HAND: self._keep_transform}.get(operation)
        return Call(function, arguments, lambda r, i: read(states.q[i], states.v[i], r), keep)

    def batch(self, operation: str, states: States) -> Batch | None:
        """`abaInParallel` and `rneaInParallel` on one thread, with matrices (dofs, samples) and an output."""
        functions = {
            ABA: (pin.abaInParallel, self._coordinates.kido_acceleration),
            RNEA: (pin.rneaInParallel, lambda q, v, r: self._coordinates.to_kido(q, r)),
        }
        if operation not in functions:
            return None
        function, read = functions[operation]
        vectors = self._vectors(states)
        matrices = [np.asfortranarray(vectors[name].T) for name in INPUTS[operation]]
        pool = pin.ModelPool(self._model, 1)
        out = np.zeros_like(matrices[1])

        def run() -> FloatArray:
            function(1, pool, *matrices, out)
            return out

        def read_few(result: FloatArray) -> FloatArray:
            few = zip(states.q, states.v, result.T[:CHECKED], strict=False)
            return np.stack([read(*row) for row in few])

        return Batch(run, len(states), read_few, function.__name__)

    def _vectors(self, states: States) -> dict[str, FloatArray]:
        coordinates = self._coordinates
        q = coordinates.joint_positions(states)
        if coordinates.free:
            q = np.hstack([states.q[:, 3:ROOT], root_quaternions(states), q])
        return {
            "q": np.ascontiguousarray(q),
            "v": coordinates.velocities(states),
            "a": coordinates.accelerations(states),
            "tau": coordinates.forces(states),
        }

    def _keep_transforms(self, samples: int) -> Keep:
        placements = list(self._data.oMi if self._lumped else self._data.oMf)
        rotations = np.zeros((samples, 3 * len(placements), 3))
        translations = np.zeros((samples, 3 * len(placements)))
        rotation_views = [placement.rotation for placement in placements]
        translation_views = [placement.translation for placement in placements]
        concatenate = np.concatenate

        def keep(_: None, i: int) -> None:
            concatenate(rotation_views, out=rotations[i])
            concatenate(translation_views, out=translations[i])

        return keep

    def _keep_transform(self, samples: int) -> Keep:
        placement = self._data.oMi[self._model.frames[self._hand].parentJoint]
        rotation, translation = placement.rotation, placement.translation
        rotations, translations = np.zeros((samples, 3, 3)), np.zeros((samples, 3))

        def keep(_: None, i: int) -> None:
            rotations[i] = rotation
            translations[i] = translation

        return keep

    def _transform(self, frame: int) -> FloatArray:
        pin.updateFramePlacement(self._model, self._data, frame)
        transform: FloatArray = self._data.oMf[frame].homogeneous
        return transform

    def _transforms(self) -> FloatArray:
        return np.stack([self._transform(frame) for frame in self._bodies])

    def _read_jacobian(self, q: FloatArray, rows: FloatArray) -> FloatArray:
        linear, angular = rows.reshape(2, 3, -1)
        return self._coordinates.kido_jacobian(q, angular, linear)

    def _read_derivatives(self, q: FloatArray, v: FloatArray, result: Any) -> FloatArray:
        return np.stack([self._coordinates.kido_matrix(q, matrix) for matrix in result])


class PinocchioSkeleton(PinocchioTree):
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
        if operation in (OWN_JACOBIAN, ABA_SPRINGS, ABA_ACTUATORS):
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


class PinocchioFiles:
    """Model and geometry of a URDF; packages lie beside the folder of the robots."""

    name = "pinocchio"
    library = "pin"

    def robot(self, path: Path) -> Callable[[], Any]:
        """The tree alone."""
        return lambda: pin.buildModelFromUrdf(str(path))

    def with_meshes(self, path: Path, folder: Path) -> Callable[[], Any]:
        """The tree, what is seen and what collides."""
        packages = [str(parent) for parent in path.parents]
        return lambda: pin.buildModelsFromUrdf(str(path), packages)
