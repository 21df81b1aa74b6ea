"""mink: as pink, on MuJoCo."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping
from pathlib import Path

import mink
import mujoco
import numpy as np
from mink.exceptions import NoSolutionFound

from benchmarks._ik._arms import TOOL, Arm
from benchmarks._ik._g1 import AXIS, CAMERA, FEET, HANDS, Goal
from benchmarks._ik._humanoid import (
    GAZE,
    POSTURE,
    REACHING,
    STANDING,
    is_small,
    until_still,
    until_there,
    without_meshes,
)
from benchmarks._ik._solver import ANGULAR, LINEAR, FloatArray, Search, Solver

_FOLLOWED = 0.1
"""Step in which a target is followed [s]."""
_STEP = 0.5
_STEPS = 100
_DAMPING = 1e-3
"""Of the whole set of tasks [-]; of those tried, the one by which most goals are reached."""


class MinkArm(Solver):
    """`solve_ik` with daqp, limits of positions and velocities on, in a loop."""

    name = library = "mink"
    settings = f"daqp, steps of {_STEP} s, at most {_STEPS}, velocity limits, until 1 mm and 10 mrad"

    def __init__(self, arm: Arm, folder: Path) -> None:
        self._model = mujoco.MjModel.from_xml_path(str(arm.path))
        self._task = mink.FrameTask(TOOL, "body", position_cost=1.0, orientation_cost=1.0)
        speeds = dict(zip(arm.joint_names, arm.speed[:, None], strict=True))
        self._limits = [mink.ConfigurationLimit(self._model), mink.VelocityLimit(self._model, speeds)]

    def prepare(self, target: FloatArray) -> mink.SE3:
        """mink's own transform."""
        return mink.SE3.from_matrix(target)

    def single(self) -> Search:
        """From one start, to convergence."""
        return self._solve

    def following(self) -> Search:
        """One step."""
        return self._follow

    def _follow(self, target: mink.SE3, start: FloatArray) -> FloatArray | None:
        task = self._task
        task.set_target(target)
        configuration = mink.Configuration(self._model, start)
        try:
            velocity = mink.solve_ik(configuration, [task], _FOLLOWED, solver="daqp", limits=self._limits)
        except NoSolutionFound:
            return None
        configuration.integrate_inplace(velocity, _FOLLOWED)
        return configuration.q.copy()

    def _solve(self, target: mink.SE3, start: FloatArray) -> FloatArray | None:
        task = self._task
        task.set_target(target)
        configuration = mink.Configuration(self._model, start)
        for _ in range(_STEPS):
            error = task.compute_error(configuration)
            if np.linalg.norm(error[:3]) < LINEAR and np.linalg.norm(error[3:]) < ANGULAR:
                return configuration.q
            try:
                velocity = mink.solve_ik(configuration, [task], _STEP, solver="daqp", limits=self._limits)
            except NoSolutionFound:
                return None
            configuration.integrate_inplace(velocity, _STEP)
        return None


class MinkHumanoid:
    """As pink, on MuJoCo."""

    library = "mink"

    def __init__(
        self, path: Path, levels: Mapping[str, int], joints: tuple[str, ...], start: FloatArray
    ) -> None:
        model = mujoco.MjModel.from_xml_string(_bare(path))
        self._tasks = [
            mink.FrameTask(link, "body", position_cost=1.0, orientation_cost=1.0) for link in levels
        ]
        self._model, self._limits = model, [mink.ConfigurationLimit(model)]
        self._order = _order(model, joints)
        self._start = np.zeros(model.nq)
        self._start[self._order] = start

    def solve(self, targets: FloatArray) -> FloatArray | None:
        """Steps until the poses are reached."""
        for task, target in zip(self._tasks, targets, strict=True):
            task.set_target(mink.SE3.from_matrix(target))
        configuration = mink.Configuration(self._model, self._start)

        def step() -> None:
            velocity = mink.solve_ik(configuration, self._tasks, _STEP, solver="daqp", limits=self._limits)
            configuration.integrate_inplace(velocity, _STEP)

        def errors() -> list[FloatArray]:
            return [task.compute_error(configuration) for task in self._tasks]

        return configuration.q if until_there(errors, step, NoSolutionFound) else None

    def read(self, positions: FloatArray) -> FloatArray:
        """In Pinocchio's order."""
        return positions[self._order]


class MinkTaskSet:
    """As pink, on MuJoCo, with its own gaze."""

    library = "mink"

    def __init__(self, path: Path, joints: tuple[str, ...], start: FloatArray) -> None:
        model = mujoco.MjModel.from_xml_string(_bare(path))
        weights = (*(STANDING,) * len(FEET), *(REACHING,) * len(HANDS))
        self._links = [
            mink.FrameTask(link, "body", position_cost=weight, orientation_cost=weight, lm_damping=_DAMPING)
            for link, weight in zip((*FEET, *HANDS), weights, strict=True)
        ]
        self._com, self._gaze = (
            mink.ComTask(cost=STANDING, lm_damping=_DAMPING),
            mink.LookAtTask(CAMERA, "body", AXIS, cost=GAZE, lm_damping=_DAMPING),
        )
        self._order = _order(model, joints)
        self.home = np.zeros(model.nq)
        self.home[self._order] = start
        posture = mink.PostureTask(model, cost=POSTURE)
        posture.set_target(self.home)
        self._tasks = [*self._links, self._com, self._gaze, posture]
        self._model, self._limits = model, [mink.ConfigurationLimit(model)]

    def solve(self, goal: Goal, begin: FloatArray) -> FloatArray:
        """Steps until all is reached, or nothing moves."""
        configuration = self._aim(goal, begin)

        def is_there() -> bool:
            poses = [task.compute_error(configuration) for task in self._links]
            return is_small(
                poses, self._com.compute_error(configuration), self._gaze.compute_error(configuration)
            )

        until_still(is_there, lambda: self._step(configuration, _STEP), NoSolutionFound)
        return configuration.q.copy()

    def follow(self, goal: Goal, begin: FloatArray) -> FloatArray:
        """One step."""
        configuration = self._aim(goal, begin)
        try:
            self._step(configuration, _FOLLOWED)
        except NoSolutionFound:
            return begin
        return configuration.q.copy()

    def read(self, positions: FloatArray) -> FloatArray:
        """In Pinocchio's order."""
        return positions[self._order]

    def _aim(self, goal: Goal, begin: FloatArray) -> mink.Configuration:
        for task, target in zip(self._links, goal.poses, strict=True):
            task.set_target(mink.SE3.from_matrix(target))
        self._com.set_target(goal.com)
        self._gaze.set_target(goal.seen)
        return mink.Configuration(self._model, begin)

    def _step(self, configuration: mink.Configuration, time: float) -> float:
        velocity = mink.solve_ik(configuration, self._tasks, time, solver="daqp", limits=self._limits)
        configuration.integrate_inplace(velocity, time)
        return float(np.abs(velocity).max()) * time


def _order(model: mujoco.MjModel, joints: tuple[str, ...]) -> list[int]:
    """Of Pinocchio's positions among MuJoCo's."""
    return [0, 1, 2, 4, 5, 6, 3, *(int(model.joint(name).qposadr[0]) for name in joints)]


def _bare(path: Path) -> str:
    """The robot without meshes, on a floating joint."""
    root = ET.fromstring(without_meshes(path))
    carried = {joint.find("child").attrib["link"] for joint in root.findall("joint")}
    first = next(
        name for name in (link.attrib["name"] for link in root.findall("link")) if name not in carried
    )
    ET.SubElement(ET.SubElement(root, "mujoco"), "compiler", fusestatic="false")
    ET.SubElement(root, "link", name="world")
    hanger = ET.SubElement(root, "joint", name="root_joint", type="floating")
    ET.SubElement(hanger, "parent", link="world")
    ET.SubElement(hanger, "child", link=first)
    return ET.tostring(root, encoding="unicode")
