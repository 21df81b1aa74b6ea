"""Forces in joints in a step."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kido.skeleton import ActuatorType
from kido.typing import FloatArray
from kido.world._skeleton_step import SkeletonStep

__all__ = ["JointForces", "joint_forces"]


class JointForces(NamedTuple):
    """Generalized forces on the dofs of a skeleton in the last step, on its average [N m, N].

    Together with springs, dampers and external forces, they are M a + C + G.

    Attributes:
        actuators: of the actuators (num_dofs,): forces of commands, of servos, of what follows a leader, and
            those that a given acceleration or velocity, or a locked joint, took.
        limits: of position limits (num_dofs,).
        friction: of Coulomb friction in the joints (num_dofs,).
        constraints: of all else that holds (num_dofs,): contacts, and the world's constraints.
    """

    actuators: FloatArray
    limits: FloatArray
    friction: FloatArray
    constraints: FloatArray


def joint_forces(step: SkeletonStep) -> JointForces:
    """The forces on the dofs of a skeleton in a step; `step` has the wrenches on its bodies."""
    skeleton, tree = step.skeleton, step.skeleton.tree
    actuators, constraints = np.array(step.actuators), np.array(step.couplings)
    for joint in skeleton.joints:
        if joint.actuator is ActuatorType.MIMIC and joint.num_dofs:
            own = [dof.index for dof in joint.dofs]
            actuators[own] += constraints[own]
            constraints[own] = 0.0
        elif joint.actuator.is_kinematic and joint.num_dofs:
            own = [dof.index for dof in joint.dofs]
            actuators[own] -= _passive_forces(step)[own]
    wrenches = step.contacts + step.constraints
    for body in np.flatnonzero(wrenches.any(axis=1)).tolist():
        constraints += tree.jacobian(step.positions, body, frame="body").T @ wrenches[body]
    return JointForces(actuators, step.limits, step.joint_friction, constraints)


def _passive_forces(step: SkeletonStep) -> FloatArray:
    """Forces (num_dofs,) of springs and dampers at the end of a step, which count as part of an actuator that
    prescribes the motion in `SkeletonStep`."""
    skeleton, end = step.skeleton, step.velocities + step.duration * step.accelerations
    stiffness = skeleton.spring_stiffness
    springs = skeleton.tree.spring_forces(step.positions, skeleton.rest_positions, stiffness)
    return np.asarray(springs - (step.duration * stiffness + skeleton.damping) * end)
