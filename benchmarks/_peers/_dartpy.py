"""dartpy: setters of a skeleton, then one of its methods; the inverse kinematics of a body node."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import dartpy
import numpy as np

from benchmarks._ik._arms import TOOL, Arm
from benchmarks._ik._solver import FloatArray, Search, Solver
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
from benchmarks._peers._dart_world import DartWorld as DartWorld
from benchmarks._peers._peer import Call, Keep, Names, rows
from benchmarks._robots import OBSERVERS, RobotFile
from benchmarks._skeleton._fifty import BRANCH, ENDS, TIP
from benchmarks._skeleton._questions import DAMPING, EVERY, STIFFNESS, TIME_STEP
from benchmarks._states import ROOT, Coordinates, States

ORIGIN = np.zeros(3)


class DartTree:
    """DART computes lazily; setting the state is part of every call."""

    name = "dartpy"
    library = "dartpy"

    def __init__(self, robot: RobotFile, names: Names) -> None:
        self._skeleton = _load(robot.path, free=robot.free)
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
        return _accelerations(self._skeleton, q, v, tau)

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


class DartSkeleton(DartTree):
    """A Skeleton of DART and two of its bodies."""

    def __init__(self, robot: RobotFile, names: Names) -> None:
        super().__init__(robot, names)
        self._observer = self._skeleton.getBodyNode(OBSERVERS[robot.name])
        self._root_dofs = ROOT * robot.free
        self._sprung = self._sprung_skeleton()
        self._driven = self._driven_skeleton(names)

    def single(self, operation: str, states: States) -> Call | None:
        """A Python function that sets the state and asks."""
        c = self._coordinates

        def read_acceleration(result: Any, i: int) -> FloatArray:
            return c.kido_acceleration(states.q[i], states.v[i], result)

        functions: dict[str, tuple[Callable[..., Any], Callable[[Any, int], FloatArray]]] = {
            JACOBIAN: (self._full_jacobian, lambda r, i: c.kido_jacobian(states.q[i], r[:3], r[3:])),
            ABA_SPRINGS: (self._sprung_dynamics, read_acceleration),
            ABA_ACTUATORS: (self._driven_dynamics, read_acceleration),
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

    def _sprung_skeleton(self) -> Any:
        skeleton = self._skeleton.clone()
        skeleton.setTimeStep(TIME_STEP)
        for i in range(self._root_dofs, skeleton.getNumDofs()):
            skeleton.getDof(i).setSpringStiffness(STIFFNESS)
            skeleton.getDof(i).setDampingCoefficient(DAMPING)
        return skeleton

    def _driven_skeleton(self, names: Names) -> Any:
        skeleton = self._skeleton.clone()
        driven = names.dofs[self._root_dofs :: EVERY]
        for i in range(skeleton.getNumJoints()):
            joint = skeleton.getJoint(i)
            if joint.getName() in driven:
                joint.setActuatorType(dartpy.dynamics.ActuatorType.ACCELERATION)
        return skeleton

    def _sprung_dynamics(self, q: FloatArray, v: FloatArray, tau: FloatArray) -> Any:
        return _accelerations(self._sprung, q, v, tau)

    def _driven_dynamics(self, q: FloatArray, v: FloatArray, commands: FloatArray) -> Any:
        skeleton = self._driven
        skeleton.setPositions(q)
        skeleton.setVelocities(v)
        skeleton.setCommands(commands)
        skeleton.computeForwardDynamics()
        return skeleton.getAccelerations()

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


def _accelerations(skeleton: Any, q: FloatArray, v: FloatArray, tau: FloatArray) -> Any:
    skeleton.setPositions(q)
    skeleton.setVelocities(v)
    skeleton.setForces(tau)
    skeleton.computeForwardDynamics()
    return skeleton.getAccelerations()


class DartArm(Solver):
    """`findSolution` with the default error method, gradient method and solver."""

    name = library = "dartpy"

    def __init__(self, arm: Arm, folder: Path) -> None:
        self._skeleton = _load(arm.path, free=False)
        self._module = self._skeleton.getBodyNode(TOOL).getOrCreateIK()
        self._target = self._module.getTarget()

    def prepare(self, target: FloatArray) -> dartpy.math.Isometry3:
        """DART's own transform."""
        return dartpy.math.Isometry3(target)

    def single(self) -> Search:
        """From the positions of the skeleton."""
        return self._solve

    def _solve(self, target: dartpy.math.Isometry3, start: FloatArray) -> FloatArray | None:
        self._skeleton.setPositions(start)
        self._target.setTransform(target)
        return self._skeleton.getPositions() if self._module.solveAndApply(False) else None


class DartEditing:
    """A skeleton of 50 bodies that is edited and copied."""

    library = "dartpy"

    def __init__(self, path: Path) -> None:
        skeleton = _load(path, free=True)
        self._branch, self._tip = skeleton.getBodyNode(BRANCH), skeleton.getBodyNode(TIP)
        self._ends = [skeleton.getBodyNode(name) for name in ENDS]
        self.clone = skeleton.clone

    def edit(self, end: int) -> Any:
        """Move the branch to one of two bodies, and ask its tip."""
        self._branch.moveTo(self._ends[end])
        return self._tip.getWorldTransform()


def _load(path: Path, *, free: bool) -> Any:
    kinds = dartpy.utils.DartLoaderRootJointType
    options = dartpy.utils.DartLoaderOptions()
    options.mDefaultRootJointType = kinds.FLOATING if free else kinds.FIXED
    loader = dartpy.utils.DartLoader()
    loader.setOptions(options)
    return loader.parseSkeleton(str(path))
