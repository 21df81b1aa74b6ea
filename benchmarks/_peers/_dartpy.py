"""dartpy: the skeleton's setters, then one of its methods."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dartpy
import numpy as np

from _operations import ABA, CRBA, DERIVATIVES_FD, DERIVATIVES_ID, FK, HAND, INPUTS, JACOBIAN, MINV, RNEA
from _peers._peer import Call, FloatArray, Keep, Names, rows
from _robots import RobotFile
from _states import ROOT, Coordinates, States

ORIGIN = np.zeros(3)


class Dart:
    """DART computes lazily; setting the state is part of every call."""

    name = "dartpy"
    library = "dartpy"

    def __init__(self, robot: RobotFile, names: Names) -> None:
        loader = dartpy.utils.DartLoader()
        kinds = dartpy.utils.DartLoaderRootJointType
        options = dartpy.utils.DartLoaderOptions()
        options.mDefaultRootJointType = kinds.FLOATING if robot.free else kinds.FIXED
        loader.setOptions(options)
        self._skeleton = loader.parseSkeleton(str(robot.path))
        dofs = [self._skeleton.getDof(i).getName() for i in range(self._skeleton.getNumDofs())]
        order = [
            *(range(ROOT) if robot.free else ()),
            *(names.dofs.index(name) for name in dofs[ROOT * robot.free :]),
        ]
        self._coordinates = Coordinates(order, robot.free, world_angular=True, world_linear=True)
        self._bodies = [self._skeleton.getBodyNode(name) for name in names.bodies]
        self._hand = self._skeleton.getBodyNode(robot.hand)
        count = self._hand.getNumDependentGenCoords()
        self._hand_dofs = [self._hand.getDependentGenCoordIndex(i) for i in range(count)]

    def single(self, operation: str, states: States) -> Call | None:
        """A Python function that sets the state and asks."""
        if operation in (DERIVATIVES_FD, DERIVATIVES_ID):
            return None
        c = self._coordinates
        functions: dict[str, tuple[Callable[..., Any], Callable[..., FloatArray]]] = {
            ABA: (self._forward_dynamics, c.kido_acceleration),
            RNEA: (self._inverse_dynamics, lambda q, v, r: c.to_kido(q, r)),
            CRBA: (self._mass_matrix, lambda q, v, r: c.kido_matrix(q, r)),
            MINV: (self._inverse_mass_matrix, lambda q, v, r: c.kido_matrix(q, r)),
            FK: (self._transforms, lambda q, v, r: np.stack([pose.matrix() for pose in r])),
            HAND: (self._transform, lambda q, v, r: r.matrix()),
            JACOBIAN: (self._jacobian, lambda q, v, r: self._read_jacobian(q, r)),
        }
        function, read = functions[operation]
        vectors = self._vectors(states)
        arguments = rows(*(vectors[name] for name in INPUTS[operation]))
        keep = {FK: self._keep_transforms, HAND: self._keep_transform}.get(operation)
        return Call(function, arguments, lambda r, i: read(states.q[i], states.v[i], r), keep)

    def _keep_transforms(self, samples: int) -> Keep:
        transforms = np.zeros((samples, len(self._bodies), 4, 4))

        def keep(result: Any, i: int) -> None:
            transforms[i] = [pose.matrix() for pose in result]

        return keep

    def _keep_transform(self, samples: int) -> Keep:
        transforms = np.zeros((samples, 4, 4))

        def keep(result: Any, i: int) -> None:
            transforms[i] = result.matrix()

        return keep

    def batch(self, operation: str, states: States) -> None:
        """dartpy has none."""

    def _vectors(self, states: States) -> dict[str, FloatArray]:
        c = self._coordinates
        return {
            "q": self._positions(states),
            "v": c.velocities(states),
            "a": c.accelerations(states),
            "tau": c.forces(states),
        }

    def _positions(self, states: States) -> FloatArray:
        q = self._coordinates.joint_positions(states)
        return np.hstack([states.q[:, :ROOT], q]) if self._coordinates.free else np.ascontiguousarray(q)

    def _forward_dynamics(self, q: FloatArray, v: FloatArray, tau: FloatArray) -> Any:
        skeleton = self._skeleton
        skeleton.setPositions(q)
        skeleton.setVelocities(v)
        skeleton.setForces(tau)
        skeleton.computeForwardDynamics()
        return skeleton.getAccelerations()

    def _inverse_dynamics(self, q: FloatArray, v: FloatArray, a: FloatArray) -> Any:
        skeleton = self._skeleton
        skeleton.setPositions(q)
        skeleton.setVelocities(v)
        skeleton.setAccelerations(a)
        skeleton.computeInverseDynamics()
        return skeleton.getForces()

    def _mass_matrix(self, q: FloatArray) -> Any:
        self._skeleton.setPositions(q)
        return self._skeleton.getMassMatrix()

    def _inverse_mass_matrix(self, q: FloatArray) -> Any:
        self._skeleton.setPositions(q)
        return self._skeleton.getInvMassMatrix()

    def _transforms(self, q: FloatArray) -> list[Any]:
        self._skeleton.setPositions(q)
        return [body.getWorldTransform() for body in self._bodies]

    def _transform(self, q: FloatArray) -> Any:
        self._skeleton.setPositions(q)
        return self._hand.getWorldTransform()

    def _jacobian(self, q: FloatArray) -> Any:
        self._skeleton.setPositions(q)
        return self._hand.getWorldJacobian(ORIGIN)

    def _read_jacobian(self, q: FloatArray, columns: FloatArray) -> FloatArray:
        full = np.zeros((6, len(self._coordinates.order)))
        full[:, self._hand_dofs] = columns
        return self._coordinates.kido_jacobian(q, full[:3], full[3:])
