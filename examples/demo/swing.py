"""A robot left to itself: no motors, no friction, no joint stops."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from examples.demo.integrator import rollout
from kido import Tree
from kido.description import JointDescription, JointType, RobotDescription
from kido.typing import FloatArray

__all__ = ["Swing", "held_joints", "swing", "swing_tree"]

_FASTEST = 2.0


@dataclass(frozen=True)
class Swing:
    """A free motion, one row per time step.

    `times` (k,) [s], `positions` (k, num_dofs) [rad, m], `velocities` (k, num_dofs) [rad/s, m/s]; `kinetic`,
    `potential` (k,) [J]; `momentum` (k, 6) about the center of mass [kg m^2/s, kg m/s]; `seconds` it took
    [s]; `diverged` if it ended early, because no finite state follows the last one.
    """

    tree: Tree
    times: FloatArray
    positions: FloatArray
    velocities: FloatArray
    kinetic: FloatArray
    potential: FloatArray
    momentum: FloatArray
    seconds: float
    diverged: bool

    @property
    def total(self) -> FloatArray:
        """Energy (k,) [J]."""
        return self.kinetic + self.potential

    @property
    def energy_drift(self) -> FloatArray:
        """Energy over that of the start (k,) [J]."""
        energy = self.total
        return np.asarray(energy - energy[0])

    @property
    def floats(self) -> bool:
        """Whether there is no gravity."""
        return not self.tree.gravity.any()


def held_joints(robot: RobotDescription) -> list[JointDescription]:
    """Joints that a swing without stops and couplings has to hold: slides, which would leave, and mimics."""
    return [joint for joint in robot.joints if joint.type is JointType.PRISMATIC or joint.mimic is not None]


def swing_tree(robot: RobotDescription) -> Tree:
    """The robot with `held_joints` welded where they are nearest to zero; no gravity if its root is free."""
    held = {joint.name for joint in held_joints(robot)}
    joints = [_welded(joint) if joint.name in held else joint for joint in robot.joints]
    is_free = any(joint.type is JointType.FREE for joint in robot.root_joints)
    welded = RobotDescription(robot.name, robot.links, joints, source=robot.source)
    options = {"gravity": (0.0, 0.0, 0.0)} if is_free else {}
    return Tree.from_description(welded, **options)


def swing(tree: Tree, rng: np.random.Generator, seconds: float, dt: float) -> Swing:
    """Release the robot at its zero position with random velocities of at most 2 rad/s.

    Without gravity its center of mass is at rest.

    Args:
        tree: the robot.
        rng: where the velocities come from.
        seconds: duration [s].
        dt: time step [s].

    Raises:
        SingularMassError: joints move nothing of mass.
    """
    steps = round(seconds / dt)
    q, v = tree.positions(), np.asarray(rng.uniform(-_FASTEST, _FASTEST, tree.num_dofs))
    if not tree.gravity.any():
        v[3:6] -= _com_drift(tree, q, v)
    start = time.perf_counter()
    qs, vs = rollout(tree, q, v, dt, steps)
    took = time.perf_counter() - start
    kinetic, potential = tree.kinetic_energy(qs, vs), tree.potential_energy(qs)
    momentum = tree.centroidal_momentum(qs, vs)
    times = np.linspace(0.0, dt * (len(qs) - 1), len(qs))
    return Swing(tree, times, qs, vs, kinetic, potential, momentum, took, len(qs) <= steps)


def _com_drift(tree: Tree, q: FloatArray, v: FloatArray) -> FloatArray:
    """The velocity (3,) [m/s] of the center of mass in axes of the free root, where dofs 3 to 5 translate."""
    return np.asarray(np.linalg.solve(tree.com_jacobian(q)[:, 3:6], tree.com_velocity(q, v)))


def _welded(joint: JointDescription) -> JointDescription:
    T_parent_joint = joint.T_parent_joint.copy()
    if joint.type is JointType.PRISMATIC:
        slide = np.clip(0.0, joint.limits.lower, joint.limits.upper) * joint.axes[0]
        T_parent_joint[:3, 3] += T_parent_joint[:3, :3] @ slide
    place = (T_parent_joint, joint.T_child_joint)
    return JointDescription(joint.name, JointType.WELD, joint.parent, joint.child, *place, line=joint.line)
