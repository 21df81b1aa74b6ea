"""Drake: a continuous MultibodyPlant, its context, and Calc or Eval methods; an InverseKinematics program."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.multibody.inverse_kinematics import InverseKinematics
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import JacobianWrtVariable, MultibodyForces
from pydrake.solvers import SnoptSolver

from benchmarks._ik._arms import BASE, TOOL, Arm
from benchmarks._ik._solver import ANGULAR, LINEAR, FloatArray, Search, Solver
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
from benchmarks._peers._peer import Call, Keep, Names, rows
from benchmarks._robots import OBSERVERS, RobotFile
from benchmarks._states import ROOT, Coordinates, States, root_quaternions

ORIGIN = np.zeros(3)


class DrakeTree:
    """Drake caches by context; setting the context's state is part of every call."""

    name = "drake"
    library = "drake"

    def __init__(self, robot: RobotFile, names: Names) -> None:
        plant = MultibodyPlant(0.0)
        Parser(plant).AddModels(str(robot.path))
        self._plant, self._free = plant, robot.free
        if not robot.free:
            plant.WeldFrames(plant.world_frame(), plant.GetFrameByName(names.bodies[0]))
        plant.Finalize()
        self._context = plant.CreateDefaultContext()
        force_port = plant.get_applied_generalized_force_input_port()
        self._applied = force_port.FixValue(self._context, np.zeros(plant.num_velocities()))
        self._coordinates = Coordinates(self._order(names), robot.free, world_angular=True, world_linear=True)
        self._bodies = [plant.GetBodyByName(name) for name in names.bodies]
        self._hand = plant.GetBodyByName(robot.hand)
        self._hand_frame, self._world = self._hand.body_frame(), plant.world_frame()
        self._forces = MultibodyForces(plant)

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
            FK: (self._transforms, lambda q, v, r: np.stack([pose.GetAsMatrix4() for pose in r])),
            HAND: (self._transform, lambda q, v, r: r.GetAsMatrix4()),
            JACOBIAN: (self._jacobian, lambda q, v, r: c.kido_jacobian(q, r[:3], r[3:])),
        }
        function, read = functions[operation]
        arguments = rows(*(self._columns(states)[name] for name in self._inputs(operation)))
        keep = {FK: self._keep_transforms, HAND: self._keep_transform}.get(operation)
        return Call(function, arguments, lambda r, i: read(states.q[i], states.v[i], r), keep)

    def _keep_transforms(self, samples: int) -> Keep:
        transforms = np.zeros((samples, len(self._bodies), 4, 4))

        def keep(result: Any, i: int) -> None:
            transforms[i] = [pose.GetAsMatrix4() for pose in result]

        return keep

    def _keep_transform(self, samples: int) -> Keep:
        transforms = np.zeros((samples, 4, 4))

        def keep(result: Any, i: int) -> None:
            transforms[i] = result.GetAsMatrix4()

        return keep

    def batch(self, operation: str, states: States) -> None:
        """Drake has none."""

    def _order(self, names: Names) -> list[int]:
        joints = [self._plant.get_joint(index) for index in self._plant.GetJointIndices()]
        moving = [joint for joint in joints if joint.num_velocities() == 1]
        moving.sort(key=lambda joint: joint.velocity_start())
        root = range(ROOT) if self._free else ()
        return [*root, *(names.dofs.index(joint.name()) for joint in moving)]

    @staticmethod
    def _inputs(operation: str) -> tuple[str, ...]:
        inputs = INPUTS[operation]
        return ("x", inputs[2]) if len(inputs) == 3 else inputs

    def _columns(self, states: States) -> dict[str, FloatArray]:
        c = self._coordinates
        q = c.joint_positions(states)
        if self._free:
            q = np.hstack([np.roll(root_quaternions(states), 1, axis=1), states.q[:, 3:ROOT], q])
        x = np.hstack([q, c.velocities(states)])
        return {
            "q": np.ascontiguousarray(q),
            "x": x,
            "a": c.accelerations(states),
            "tau": c.forces(states),
        }

    def _forward_dynamics(self, x: FloatArray, tau: FloatArray) -> Any:
        self._plant.SetPositionsAndVelocities(self._context, x)
        self._applied.GetMutableData().get_mutable_value().SetFromVector(tau)
        return self._plant.EvalTimeDerivatives(self._context).get_generalized_velocity().CopyToVector()

    def _inverse_dynamics(self, x: FloatArray, a: FloatArray) -> Any:
        plant, context, forces = self._plant, self._context, self._forces
        plant.SetPositionsAndVelocities(context, x)
        plant.CalcForceElementsContribution(context, forces)
        return plant.CalcInverseDynamics(context, a, forces)

    def _mass_matrix(self, q: FloatArray) -> Any:
        self._plant.SetPositions(self._context, q)
        return self._plant.CalcMassMatrix(self._context)

    def _inverse_mass_matrix(self, q: FloatArray) -> Any:
        return np.linalg.inv(self._mass_matrix(q))

    def _transforms(self, q: FloatArray) -> list[Any]:
        self._plant.SetPositions(self._context, q)
        pose = self._plant.EvalBodyPoseInWorld
        return [pose(self._context, body) for body in self._bodies]

    def _transform(self, q: FloatArray) -> Any:
        self._plant.SetPositions(self._context, q)
        return self._plant.EvalBodyPoseInWorld(self._context, self._hand)

    def _jacobian(self, q: FloatArray) -> Any:
        plant, world = self._plant, self._world
        plant.SetPositions(self._context, q)
        return plant.CalcJacobianSpatialVelocity(
            self._context, JacobianWrtVariable.kV, self._hand_frame, ORIGIN, world, world
        )


_INPUTS = {**INPUTS, RELATIVE_VELOCITY: ("x",), RELATIVE_ACCELERATION: ("x", "a")}


class DrakeSkeleton(DrakeTree):
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
        if operation in (OWN_JACOBIAN, ABA_SPRINGS, ABA_ACTUATORS):
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


_SHARE = 0.5


class DrakeArm(Solver):
    """Position and orientation constraints of half the tolerances, joint limits on."""

    name = library = "drake"
    settings = "SNOPT, bounds of 0.5 mm on each axis and 5 mrad"

    def __init__(self, arm: Arm, folder: Path) -> None:
        self._plant = plant = MultibodyPlant(0.0)
        Parser(plant).AddModels(str(arm.path))
        plant.WeldFrames(plant.world_frame(), plant.GetFrameByName(BASE))
        plant.Finalize()
        self._tool, self._world = plant.GetFrameByName(TOOL), plant.world_frame()
        self._solver = SnoptSolver()

    def prepare(self, target: FloatArray) -> RigidTransform:
        """Drake's own transform."""
        return RigidTransform(target)

    def single(self) -> Search:
        """One program, one guess."""
        return self._solve

    def _solve(self, target: RigidTransform, start: FloatArray) -> FloatArray | None:
        ik = InverseKinematics(self._plant)
        place, slack = target.translation(), np.full(3, _SHARE * LINEAR)
        ik.AddPositionConstraint(self._tool, np.zeros(3), self._world, place - slack, place + slack)
        ik.AddOrientationConstraint(
            self._world, target.rotation(), self._tool, RotationMatrix(), _SHARE * ANGULAR
        )
        result = self._solver.Solve(ik.prog(), start, None)
        return result.GetSolution(ik.q()) if result.is_success() else None
