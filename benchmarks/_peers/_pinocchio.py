"""Pinocchio: one function of model, data and vectors an operation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pinocchio as pin

from _operations import (
    ABA,
    CRBA,
    DERIVATIVES_FD,
    DERIVATIVES_ID,
    FK,
    HAND,
    INPUTS,
    JACOBIAN,
    MINV,
    RNEA,
)
from _peers._peer import CHECKED, Batch, Call, FloatArray, Keep, Names, UnsupportedRobotError, rows
from _robots import RobotFile
from _states import ROOT, Coordinates, States, root_quaternions

_MOST_DOFS = 400


class Pinocchio:
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
