"""A kido skeleton in DART as well, and the maps between their velocities."""

from __future__ import annotations

from collections.abc import Iterator

import dartpy as dart
import numpy as np
from numpy.typing import NDArray

import kido
from kido.math import adjoint, inverse_transform

Array = NDArray[np.float64]

WORLD = dart.dynamics.Frame.World()


def isometry(T: Array) -> dart.math.Isometry3:
    """A transform (4, 4) as DART takes it."""
    pose = dart.math.Isometry3()
    pose.set_rotation(T[:3, :3])
    pose.set_translation(T[:3, 3])
    return pose


class DartTwin:
    """The same bodies, joints and numbers in DART.

    DART has the velocity of a free joint in the axes of the parent, kido has the twist of the joint's moving
    frame: v_kido = X v_dart. Joints `translational2d` are left out: DART's Jacobian of them is not the
    derivative of their transform where the child's offset turns.
    """

    def __init__(self, skeleton: kido.Skeleton) -> None:
        self.kido = skeleton
        self.dart = dart.dynamics.Skeleton(skeleton.name)
        self.dart.setGravity(skeleton.gravity)
        self.dart.setTimeStep(skeleton.time_step)
        for body in skeleton.bodies:
            self._add(body)
        self.set_state()

    def _add(self, body: kido.BodyNode) -> None:
        joint = body.parent_joint
        create = getattr(self.dart, f"create{type(joint).__name__}AndBodyNodePair")
        parent = None if body.parent_body is None else self.body(body.parent_body)
        made, other = create() if parent is None else create(parent)
        made.setName(joint.name)
        other.setName(body.name)
        made.setTransformFromParentBodyNode(isometry(joint.T_parent_joint))
        made.setTransformFromChildBodyNode(isometry(joint.T_child_joint))
        self._set_axes(joint, made)
        inertia = body.inertia
        other.setInertia(dart.dynamics.Inertia(inertia.mass, inertia.com, inertia.moment))
        other.setGravityMode(body.gravity_mode)
        made.setActuatorType(getattr(dart.dynamics.ActuatorType, joint.actuator.name))
        for i in range(joint.num_dofs):
            made.setSpringStiffness(i, joint.spring_stiffness[i])
            made.setRestPosition(i, joint.rest_positions[i])
            made.setDampingCoefficient(i, joint.damping[i])

    @staticmethod
    def _set_axes(joint: kido.Joint, made: dart.dynamics.Joint) -> None:
        match joint:
            case kido.RevoluteJoint() | kido.PrismaticJoint():
                made.setAxis(joint.axis)
            case kido.ScrewJoint():
                made.setAxis(joint.axis)
                made.setPitch(joint.pitch)
            case kido.UniversalJoint():
                made.setAxis1(joint.axis1)
                made.setAxis2(joint.axis2)
            case kido.PlanarJoint():
                made.setArbitraryPlane(joint.axis1, joint.axis2)

    def body(self, body: kido.BodyNode) -> dart.dynamics.BodyNode:
        """The same body in DART."""
        return self.dart.getBodyNode(body.name)

    def velocity_map(self) -> Array:
        """X (num_dofs, num_dofs): kido's velocities are X times DART's."""
        X = np.eye(self.kido.num_dofs)
        for joint, other in self._free_joints():
            X[joint, joint] = other.getRelativeJacobian()
        return self._from_child @ X

    def map_rate(self) -> Array:
        """Time derivative (num_dofs, num_dofs) of the map."""
        dX = np.zeros((self.kido.num_dofs, self.kido.num_dofs))
        for joint, other in self._free_joints():
            dX[joint, joint] = other.getRelativeJacobianTimeDeriv()
        return self._from_child @ dX

    def _free_joints(self) -> Iterator[tuple[slice, dart.dynamics.FreeJoint]]:
        for index, joint in enumerate(self.kido.joints):
            if isinstance(joint, kido.FreeJoint):
                dofs = joint.dof_indices
                yield slice(dofs.start, dofs.stop), self.dart.getJoint(index)

    @property
    def _from_child(self) -> Array:
        """From twists of child bodies to those of the free joints' moving frames."""
        result = np.eye(self.kido.num_dofs)
        for joint in self.kido.joints:
            if isinstance(joint, kido.FreeJoint):
                dofs = np.ix_(joint.dof_indices, joint.dof_indices)
                result[dofs] = adjoint(inverse_transform(joint.T_child_joint))
        return result

    def set_state(self) -> None:
        """Give DART kido's positions, velocities and accelerations."""
        self.dart.setPositions(self.kido.positions)
        X = self.velocity_map()
        v = np.linalg.solve(X, self.kido.velocities)
        self.dart.setVelocities(v)
        self.dart.setAccelerations(np.linalg.solve(X, self.kido.accelerations - self.map_rate() @ v))

    def accelerations(self) -> Array:
        """DART's accelerations (num_dofs,) in kido's terms."""
        return (
            self.velocity_map() @ self.dart.getAccelerations() + self.map_rate() @ self.dart.getVelocities()
        )

    def forces(self, forces: Array) -> Array:
        """Generalized forces (num_dofs,) of DART in kido's terms."""
        return np.linalg.solve(self.velocity_map().T, forces)

    def matrix(self, matrix: Array) -> Array:
        """A mass matrix (num_dofs, num_dofs) of DART in kido's terms."""
        inverse = np.linalg.inv(self.velocity_map())
        return inverse.T @ matrix @ inverse

    def columns(self, jacobian: Array) -> Array:
        """A Jacobian (..., num_dofs) of DART in kido's terms."""
        return jacobian @ np.linalg.inv(self.velocity_map())

    def derivative_columns(self, jacobian: Array, derivative: Array) -> Array:
        """The time derivative (..., num_dofs) of a Jacobian of DART in kido's terms."""
        inverse = np.linalg.inv(self.velocity_map())
        return (derivative - jacobian @ inverse @ self.map_rate()) @ inverse
