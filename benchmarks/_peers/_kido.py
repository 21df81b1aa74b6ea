"""kido: methods of Tree, attributes and answers of Skeleton, modules of inverse kinematics."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import kido
from benchmarks._ik._arms import TOOL, Arm
from benchmarks._ik._objective import Chain, Objective
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
from benchmarks._peers._peer import Call, Names, rows
from benchmarks._robots import OBSERVERS, RobotFile
from benchmarks._skeleton._fifty import BRANCH, ENDS, TIP
from benchmarks._skeleton._questions import DAMPING, EVERY, STIFFNESS, TIME_STEP
from benchmarks._states import ROOT, States
from kido.optimize import ModularFunction

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


class KidoArm(Solver):
    """The target is set and `solve` called; the start is the skeleton's positions, set where they change."""

    name = library = "kido"

    def __init__(self, arm: Arm, folder: Path) -> None:
        self.skeleton = kido.load(arm.path)

    def module(self, settings: kido.SearchSettings) -> kido.InverseKinematics:
        """The module of the tool of a skeleton of its own."""
        module = kido.InverseKinematics.of(self.skeleton.clone().body(TOOL))
        module.settings = settings
        return module

    def single(self) -> Search:
        """With one start."""
        return _search(self.module(kido.SearchSettings(max_starts=1)))

    def following(self) -> Search:
        """`track`, by at most 0.1 rad."""
        module = self.module(kido.SearchSettings())

        def run(target: FloatArray, start: FloatArray) -> FloatArray:
            module.positions = start
            module.target.set_transform(target)
            return module.track(largest_change=0.1).positions

        return run

    def complete(self) -> Search:
        """With the settings' own number of starts."""
        return _search(self.module(kido.SearchSettings()))


def _search(module: kido.InverseKinematics) -> Search:
    begun: list[FloatArray | None] = [None]

    def run(target: FloatArray, start: FloatArray) -> FloatArray:
        if start is not begun[0]:
            module.positions = begun[0] = start
        module.target.set_transform(target)
        return module.solve().positions

    return run


class KidoObjective:
    """A module with an objective; the start is the skeleton's positions, set where they change."""

    library = "kido"
    restarts = True

    def __init__(self, arm: Arm, chain: Chain, objective: Objective) -> None:
        module = kido.InverseKinematics.of(kido.load(arm.path).body(TOOL))
        if not chain.full:
            module.error_method = kido.ik.PositionError()
        module.objective = ModularFunction(objective.value, objective.gradient)
        self.search = _search(module)

    def prepare(self, target: FloatArray) -> FloatArray:
        """As it is."""
        return target


class KidoHumanoid:
    """The skeleton's positions stay where they are; targets are set and `solve` called."""

    def __init__(
        self, path: Path, levels: Mapping[str, int], joints: tuple[str, ...], start: FloatArray
    ) -> None:
        robot = kido.load(path, root="free")
        names = [dof.name for dof in robot.dofs]
        self._places: NDArray[np.intp] = np.array([names.index(name) for name in joints])
        self._modules = [kido.InverseKinematics.of(robot.body(name)) for name in levels]
        for ik, level in zip(self._modules, levels.values(), strict=True):
            ik.use_whole_body()
            ik.hierarchy_level = level
        positions = robot.positions.copy()
        positions[:6], positions[self._places] = [0.0, 0.0, 0.0, *start[:3]], start[7:]
        robot.positions = positions
        self._whole = kido.ik.WholeBodyIK(robot)

    def solve(self, targets: FloatArray) -> FloatArray:
        """With default settings."""
        for ik, target in zip(self._modules, targets, strict=True):
            ik.target.set_transform(target)
        return self._whole.solve().positions

    def read(self, positions: FloatArray) -> FloatArray:
        """The root's rotation as a quaternion, after its place."""
        turn = Rotation.from_rotvec(np.array(positions[:3])).as_quat()
        return np.concatenate([positions[3:6], turn, positions[self._places]])


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
