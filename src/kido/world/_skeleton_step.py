"""Forces on a skeleton in a time step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kido.skeleton import FreeJoint, Skeleton
from kido.typing import FloatArray
from kido.world._wrench_sums import crosses, moved_wrenches

__all__ = ["SkeletonStep", "leading_bodies"]


@dataclass(frozen=True, eq=False)
class SkeletonStep:
    """Forces on a skeleton in the last step of its world, as means over the step.

    They belong together: the inverse dynamics of the motion at the beginning of the step, under the wrenches
    of contacts, constraints and from outside, is the sum of the forces in the dofs.

    Attributes:
        skeleton: whose they are.
        duration: of the step [s]; 0 where none was made.
        positions, velocities: at the beginning (num_dofs,) [rad, m; rad/s, m/s].
        accelerations: over the step (num_dofs,) [rad/s^2, m/s^2].
        end_positions, end_velocities: at the end (num_dofs,).
        actuators, joint_friction, limits, springs, dampers: forces in the dofs (num_dofs,) [N m, N]. Where an
            actuator prescribes the motion, springs and dampers count as part of it.
        couplings: the same of what couples dofs, such as mimic joints.
        contacts, constraints, external: wrenches on the bodies (num_bodies, 6), torque and force about their
            origins in their axes [N m, N].
        joint_wrenches: what the parent joints apply on the bodies (num_bodies, 6), in the same way.
        transforms: poses of the bodies at the beginning (num_bodies, 4, 4) [m].
    """

    skeleton: Skeleton
    duration: float
    positions: FloatArray
    velocities: FloatArray
    accelerations: FloatArray
    end_positions: FloatArray
    end_velocities: FloatArray
    actuators: FloatArray
    joint_friction: FloatArray
    limits: FloatArray
    springs: FloatArray
    dampers: FloatArray
    couplings: FloatArray
    contacts: FloatArray
    constraints: FloatArray
    external: FloatArray
    joint_wrenches: FloatArray
    transforms: FloatArray

    @property
    def mean_velocities(self) -> FloatArray:
        """Velocities in the middle of the step (num_dofs,), in the axes of its beginning [rad/s, m/s]."""
        gained = np.array(self.accelerations)
        for joint in self.skeleton.joints:
            if isinstance(joint, FreeJoint):
                k = joint.dofs[0].index
                gained[k + 3 : k + 6] += crosses(self.velocities[k : k + 3], self.velocities[k + 3 : k + 6])
        return np.asarray(self.velocities + 0.5 * self.duration * gained)

    def in_world(self, wrenches: FloatArray) -> FloatArray:
        """Sum (6,) of wrenches on the bodies (num_bodies, 6): torque about the world's origin and force, in
        world axes [N m, N]."""
        if not wrenches.any():
            return np.zeros(6)
        return np.asarray(moved_wrenches(self.transforms, wrenches).sum(axis=0))


def leading_bodies(skeleton: Skeleton) -> Iterator[int]:
    """Of each body the index of that which it is welded to, at the end of all welds; -1: the world."""
    leaders: list[int] = []
    for body in skeleton.bodies:
        parent = body.parent_body
        if body.parent_joint.num_dofs > 0:
            leaders.append(body.index)
        else:
            leaders.append(-1 if parent is None else leaders[parent.index])
        yield leaders[-1]
