"""Drake: a continuous MultibodyPlant, its context, and one Calc or Eval method."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import JacobianWrtVariable, MultibodyForces

from _operations import ABA, CRBA, DERIVATIVES_FD, DERIVATIVES_ID, FK, HAND, INPUTS, JACOBIAN, MINV, RNEA
from _peers._peer import Call, FloatArray, Keep, Names, rows
from _robots import RobotFile
from _states import ROOT, Coordinates, States, root_quaternions

ORIGIN = np.zeros(3)


class Drake:
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
