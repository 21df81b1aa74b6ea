"""kido's inverse kinematics: a module of an arm, hierarchies of a humanoid."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import kido
from benchmarks._ik._arms import TOOL, Arm
from benchmarks._ik._g1 import AXIS, CAMERA, FEET, HANDS, Goal
from benchmarks._ik._objective import Chain, Objective
from benchmarks._ik._solver import FloatArray, Search, Solver
from kido.ik import CenterOfMass, LookAt, Posture
from kido.optimize import ModularFunction

_TORSO, _ROOT_DOFS = "torso_link", 6
_LARGEST_CHANGE = 0.05
"""Of a joint from one target that is followed to the next [rad]."""


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
        """`track`, by at most 0.05 rad."""
        module = self.module(kido.SearchSettings())

        def run(target: FloatArray, start: FloatArray) -> FloatArray:
            module.positions = start
            module.target.set_transform(target)
            return module.track(largest_change=_LARGEST_CHANGE).positions

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


class _Humanoid:
    """A robot with a free root."""

    library = "kido"

    def __init__(self, path: Path, joints: tuple[str, ...], start: FloatArray) -> None:
        self.robot = kido.load(path, root="free")
        names = [dof.name for dof in self.robot.dofs]
        self._places: NDArray[np.intp] = np.array([names.index(name) for name in joints])
        positions = self.robot.positions.copy()
        positions[:6], positions[self._places] = [0.0, 0.0, 0.0, *start[:3]], start[7:]
        self.robot.positions = self.home = positions

    def module(self, node: str, level: int) -> kido.InverseKinematics:
        """The module of a body that moves all dofs, in a level."""
        ik = kido.InverseKinematics.of(self.robot.body(node))
        ik.use_whole_body()
        ik.hierarchy_level = level
        return ik

    def read(self, positions: FloatArray) -> FloatArray:
        """The root's rotation as a quaternion, after its place."""
        turn = Rotation.from_rotvec(np.array(positions[:3])).as_quat()
        return np.concatenate([positions[3:6], turn, positions[self._places]])


class KidoHumanoid(_Humanoid):
    """The skeleton's positions stay where they are; targets are set and `solve` called."""

    def __init__(
        self, path: Path, levels: Mapping[str, int], joints: tuple[str, ...], start: FloatArray
    ) -> None:
        super().__init__(path, joints, start)
        self._modules = [self.module(name, level) for name, level in levels.items()]
        self._whole = kido.ik.WholeBodyIK(self.robot)

    def solve(self, targets: FloatArray) -> FloatArray:
        """With default settings."""
        for ik, target in zip(self._modules, targets, strict=True):
            ik.target.set_transform(target)
        return self._whole.solve().positions


class KidoTaskSet(_Humanoid):
    """Feet and balance in level 0, hands in 1, the gaze in 2, the posture of all joints in 3."""

    def __init__(self, path: Path, joints: tuple[str, ...], start: FloatArray) -> None:
        super().__init__(path, joints, start)
        robot = self.robot
        self._links = [self.module(name, level) for names, level in ((FEET, 0), (HANDS, 1)) for name in names]
        self._com = self.module(robot.bodies[0].name, 0)
        self._com.error_method, self._com.dofs = CenterOfMass(), robot.dofs
        self._gaze = self.module(CAMERA, 2)
        self._gaze.error_method = LookAt(AXIS)
        rest = self.module(_TORSO, 3)
        rest.dofs = robot.dofs[_ROOT_DOFS:]
        rest.error_method = Posture(self.home[_ROOT_DOFS:])
        self._whole, self._begun = kido.ik.WholeBodyIK(robot), self.home

    def solve(self, goal: Goal, begin: FloatArray) -> FloatArray:
        """With default settings."""
        self._aim(goal, begin)
        return self._whole.solve().positions

    def nearest(self, goal: Goal, begin: FloatArray) -> FloatArray:
        """The nearest answer of that."""
        self._aim(goal, begin)
        return self._whole.solve().nearest.positions

    def follow(self, goal: Goal, begin: FloatArray) -> FloatArray:
        """`track`, by at most 0.05 rad."""
        self._aim(goal, begin)
        return self._whole.track(largest_change=_LARGEST_CHANGE).positions

    def _aim(self, goal: Goal, begin: FloatArray) -> None:
        if begin is not self._begun:
            self.robot.positions = self._begun = begin
        for ik, target in zip(self._links, goal.poses, strict=True):
            ik.target.set_transform(target)
        self._com.target.set_translation(goal.com)
        self._gaze.target.set_translation(goal.seen)
