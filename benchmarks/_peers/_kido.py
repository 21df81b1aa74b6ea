"""kido: methods of Tree, attributes and answers of Skeleton, modules of inverse kinematics."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import kido
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
from benchmarks._peers._peer import Call, FloatArray, Names, rows
from benchmarks._robots import OBSERVERS, RobotFile
from benchmarks._skeleton._fifty import BRANCH, ENDS, TIP
from benchmarks._skeleton._questions import DAMPING, EVERY, STIFFNESS, TIME_STEP
from benchmarks._states import ROOT, States

_METHODS = {
    ABA: "forward_dynamics",
    RNEA: "inverse_dynamics",
    CRBA: "mass_matrix",
    MINV: "inverse_mass_matrix",
    FK: "forward_kinematics",
    HAND: "transform",
    JACOBIAN: "jacobian",
    DERIVATIVES_FD: "forward_dynamics_derivatives",
    DERIVATIVES_ID: "inverse_dynamics_derivatives",
}


class KidoTree:
    """A robot as `kido.Tree`."""

    name = "kido"
    library = "kido"

    def __init__(self, robot: RobotFile) -> None:
        self.tree = kido.load_tree(robot.path, root="free" if robot.free else "fixed")
        self._body = self.tree.body_index(robot.hand)

    @property
    def names(self) -> Names:
        """Names of the tree's dofs and bodies."""
        return Names(self.tree.dof_names, self.tree.body_names)

    def single(self, operation: str, states: States) -> Call:
        """`tree.method(q, v, ...)` with a new array as result."""
        inputs = [getattr(states, name) for name in INPUTS[operation]]
        arguments = rows(*inputs, after=self._extra(operation))
        return Call(getattr(self.tree, _METHODS[operation]), arguments, lambda result, _: np.asarray(result))

    def batch(self, operation: str, states: States, *, out: FloatArray | None = None) -> Callable[[], Any]:
        """The same method on all states at once, as a function of nothing."""
        arguments = [*(getattr(states, name) for name in INPUTS[operation]), *self._extra(operation)]
        method = getattr(self.tree, _METHODS[operation])
        return lambda: method(*arguments, out=out)

    def result_shape(self, operation: str) -> tuple[int, ...]:
        """Shape of the result of one sample."""
        n = self.tree.num_dofs
        shapes: dict[str, tuple[int, ...]] = {
            CRBA: (n, n),
            MINV: (n, n),
            FK: (self.tree.num_bodies, 4, 4),
            HAND: (4, 4),
            JACOBIAN: (6, n),
        }
        return shapes.get(operation, (n,))

    def _extra(self, operation: str) -> tuple[Any, ...]:
        if operation == JACOBIAN:
            return (self._body, None, "world")
        return (self._body,) if operation == HAND else ()


class KidoSkeleton:
    """A robot as `kido.Skeleton`."""

    def __init__(self, robot: RobotFile) -> None:
        self.skeleton = kido.load(robot.path, root="free" if robot.free else "fixed")
        self._hand = self.skeleton.body(robot.hand)
        self._observer = self.skeleton.body(OBSERVERS[robot.name])
        self._root_dofs = ROOT * robot.free
        self._sprung = self._sprung_skeleton()
        self._driven = self._driven_skeleton()

    @property
    def names(self) -> Names:
        """Names of dofs and bodies."""
        return Names(self.skeleton.tree.dof_names, self.skeleton.tree.body_names)

    def single(self, operation: str, states: States) -> Call:
        """A Python function that sets the state and asks."""
        functions = {
            HAND: self._transform,
            JACOBIAN: self._jacobian,
            OWN_JACOBIAN: self._own_jacobian,
            RELATIVE_VELOCITY: self._relative_velocity,
            RELATIVE_ACCELERATION: self._relative_acceleration,
            ABA: self._forward_dynamics,
            ABA_SPRINGS: self._sprung_dynamics,
            ABA_ACTUATORS: self._driven_dynamics,
            CRBA: self._mass_matrix,
            CACHED_TRANSFORM: self._hand.transform,
            CACHED_MASS: self._mass_matrix_again,
        }
        self.skeleton.positions = states.q[0]
        inputs = [getattr(states, name) for name in INPUTS[operation]]
        read = self._read_own if operation == OWN_JACOBIAN else _read
        return Call(functions[operation], rows(*inputs) or [()], read)

    def kernel(self, operation: str, states: States) -> tuple[kido.Skeleton, Callable[[], Any]]:
        """A skeleton in a state, and its tree's method that gives the same accelerations, as a function of
        nothing."""
        q, v, tau = states.q[0], states.v[0], states.tau[0]
        skeleton = {ABA: self.skeleton, ABA_SPRINGS: self._sprung, ABA_ACTUATORS: self._driven}[operation]
        skeleton.positions, skeleton.velocities, skeleton.commands = q, v, tau
        tree, h = skeleton.tree, skeleton.time_step
        prescribed = np.array([dof.joint.actuator == "acceleration" for dof in skeleton.dofs])
        if operation == ABA:
            return skeleton, partial(tree.forward_dynamics, q, v, tau)
        pull = tree.spring_forces(tree.integrate(q, v, h), skeleton.rest_positions, skeleton.spring_stiffness)
        given = np.where(prescribed, tau, 0.0)
        force = np.where(prescribed, 0.0, tau) + (-skeleton.damping * v + pull)
        added = h * skeleton.damping + h * h * skeleton.spring_stiffness
        return skeleton, partial(
            tree.hybrid_dynamics, q, v, force, given, prescribed=prescribed, added_inertia=added
        )

    def _transform(self, q: FloatArray) -> FloatArray:
        self.skeleton.positions = q
        return self._hand.transform()

    def _jacobian(self, q: FloatArray) -> FloatArray:
        self.skeleton.positions = q
        return self.skeleton.jacobian(self._hand, in_coordinates_of=kido.WORLD)

    def _own_jacobian(self, q: FloatArray) -> FloatArray:
        self.skeleton.positions = q
        return self._hand.jacobian(in_coordinates_of=kido.WORLD)

    def _relative_velocity(self, q: FloatArray, v: FloatArray) -> FloatArray:
        skeleton = self.skeleton
        skeleton.positions = q
        skeleton.velocities = v
        return self._hand.spatial_velocity(relative_to=self._observer)

    def _relative_acceleration(self, q: FloatArray, v: FloatArray, a: FloatArray) -> FloatArray:
        skeleton = self.skeleton
        skeleton.positions = q
        skeleton.velocities = v
        skeleton.accelerations = a
        return self._hand.spatial_acceleration(relative_to=self._observer)

    def _forward_dynamics(self, q: FloatArray, v: FloatArray, tau: FloatArray) -> FloatArray:
        return _accelerations(self.skeleton, q, v, tau)

    def _sprung_dynamics(self, q: FloatArray, v: FloatArray, tau: FloatArray) -> FloatArray:
        return _accelerations(self._sprung, q, v, tau)

    def _driven_dynamics(self, q: FloatArray, v: FloatArray, commands: FloatArray) -> FloatArray:
        return _accelerations(self._driven, q, v, commands)

    def _sprung_skeleton(self) -> kido.Skeleton:
        skeleton = self.skeleton.clone()
        skeleton.time_step = TIME_STEP
        for dof in skeleton.dofs[self._root_dofs :]:
            dof.spring_stiffness, dof.damping = STIFFNESS, DAMPING
        return skeleton

    def _driven_skeleton(self) -> kido.Skeleton:
        skeleton = self.skeleton.clone()
        for dof in skeleton.dofs[self._root_dofs :: EVERY]:
            dof.joint.actuator = "acceleration"
        return skeleton

    def _mass_matrix(self, q: FloatArray) -> FloatArray:
        self.skeleton.positions = q
        return self.skeleton.mass_matrix

    def _mass_matrix_again(self) -> FloatArray:
        return self.skeleton.mass_matrix

    def _read_own(self, columns: FloatArray, _: int) -> FloatArray:
        full = np.zeros((6, self.skeleton.num_dofs))
        full[:, self._hand.dependent_dof_indices] = columns
        return full


def _read(result: Any, _: int) -> FloatArray:
    return np.asarray(result)


def _accelerations(skeleton: kido.Skeleton, q: FloatArray, v: FloatArray, commands: FloatArray) -> FloatArray:
    skeleton.positions = q
    skeleton.velocities = v
    skeleton.commands = commands
    skeleton.compute_forward_dynamics()
    return skeleton.accelerations


class KidoEditing:
    """A skeleton of 50 bodies that is edited and copied."""

    library = "kido"

    def __init__(self, path: Path) -> None:
        skeleton = kido.load(path, root="free")
        self._branch, self._tip = skeleton.body(BRANCH), skeleton.body(TIP)
        self._ends = [skeleton.body(name) for name in ENDS]
        skeleton.positions = np.linspace(-1.0, 1.0, skeleton.num_dofs)
        self.clone = skeleton.clone

    def edit(self, end: int) -> FloatArray:
        """Move the branch to one of two bodies, and ask its tip."""
        self._branch.move_to(self._ends[end])
        return self._tip.transform()
