"""What pink and mink have in common: tasks on a configuration, and steps that are quadratic programs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

import numpy as np

from benchmarks._ik._arms import TOOL
from benchmarks._ik._g1 import FEET, HANDS, Goal
from benchmarks._ik._solver import ANGULAR, LINEAR, FloatArray, Search, Solver
from benchmarks._ik._steps import (
    FOLLOWED,
    GAZE,
    POSTURE,
    REACHING,
    STANDING,
    STEP,
    are_small,
    until_still,
    until_there,
)


class Stepper(ABC):
    """One library with one robot loaded.

    Attributes:
        failure: what it raises where a quadratic program has no solution.
        damping: of the whole set of tasks [-]; of those tried, the one by which most goals are reached.
    """

    failure: type[Exception]
    damping: float

    @abstractmethod
    def transform(self, pose: FloatArray) -> Any:
        """A pose (4, 4) [m] as the library's own transform."""

    @abstractmethod
    def configuration(self, positions: FloatArray) -> Any:
        """The robot at positions of the library."""

    @abstractmethod
    def velocity(self, configuration: Any, tasks: list[Any], time: float) -> FloatArray:
        """The velocity (n,) that does most for the tasks in a step of a time [s], by daqp."""

    @abstractmethod
    def pose(self, link: str, weight: float, damping: float = 0.0) -> Any:
        """The task of a link."""

    @abstractmethod
    def com(self, weight: float) -> Any:
        """The task of the center of mass, damped."""

    @abstractmethod
    def gaze(self, weight: float) -> Any:
        """The task of the camera, damped; its target is what is seen (3,) [m]."""

    @abstractmethod
    def posture(self, weight: float, positions: FloatArray) -> Any:
        """The task of the joints at positions of the library."""

    def place(self, positions: FloatArray) -> FloatArray:
        """Positions of Pinocchio (7 + n,) as the library has them."""
        return positions

    def read(self, positions: FloatArray) -> FloatArray:
        """Positions of the library as Pinocchio has them (7 + n,)."""
        return positions

    def step(self, configuration: Any, tasks: list[Any], time: float) -> float:
        """One step of a time [s]; how far the joint that moves farthest moves [rad, m]."""
        velocity = self.velocity(configuration, tasks, time)
        configuration.integrate_inplace(velocity, time)
        return float(np.abs(velocity).max()) * time


class SteppedArm(Solver):
    """One task, limits of positions and velocities on, in a loop."""

    def __init__(self, stepper: Stepper) -> None:
        self._stepper, self._tasks = stepper, [stepper.pose(TOOL, 1.0)]

    def prepare(self, target: FloatArray) -> Any:
        """The library's own transform."""
        return self._stepper.transform(target)

    def single(self) -> Search:
        """From one start, to convergence."""
        return self._solve

    def following(self) -> Search:
        """One step."""
        return self._follow

    def _follow(self, target: Any, start: FloatArray) -> FloatArray | None:
        configuration = self._aim(target, start)
        try:
            self._stepper.step(configuration, self._tasks, FOLLOWED)
        except self._stepper.failure:
            return None
        return np.array(configuration.q)

    def _solve(self, target: Any, start: FloatArray) -> FloatArray | None:
        return _reached(self._stepper, self._aim(target, start), self._tasks)

    def _aim(self, target: Any, start: FloatArray) -> Any:
        self._tasks[0].set_target(target)
        return self._stepper.configuration(start)


class SteppedHumanoid:
    """Tasks of links, all of one weight, limits of positions on, in a loop."""

    def __init__(self, stepper: Stepper, links: Iterable[str], start: FloatArray) -> None:
        self._stepper, self._tasks = stepper, [stepper.pose(link, 1.0) for link in links]
        self._start = stepper.place(start)
        self.read = stepper.read

    def solve(self, targets: FloatArray) -> FloatArray | None:
        """Steps until the poses are reached."""
        for task, target in zip(self._tasks, targets, strict=True):
            task.set_target(self._stepper.transform(target))
        return _reached(self._stepper, self._stepper.configuration(self._start), self._tasks)


class SteppedTaskSet:
    """Weighted tasks: frames, center of mass, gaze, posture; limits of positions on."""

    def __init__(self, stepper: Stepper, start: FloatArray) -> None:
        self._stepper, self.home, self.read = stepper, stepper.place(start), stepper.read
        weights = (*(STANDING,) * len(FEET), *(REACHING,) * len(HANDS))
        self._links = [
            stepper.pose(link, weight, stepper.damping)
            for link, weight in zip((*FEET, *HANDS), weights, strict=True)
        ]
        self._com, self._gaze = stepper.com(STANDING), stepper.gaze(GAZE)
        self._tasks = [*self._links, self._com, self._gaze, stepper.posture(POSTURE, self.home)]

    def solve(self, goal: Goal, begin: FloatArray) -> FloatArray:
        """Steps until all is reached, or nothing moves."""
        stepper, tasks, configuration = self._stepper, self._tasks, self._aim(goal, begin)

        def is_there() -> bool:
            com, gaze = (task.compute_error(configuration) for task in (self._com, self._gaze))
            there = are_small([task.compute_error(configuration) for task in self._links])
            return bool(there and np.linalg.norm(com) < LINEAR and np.linalg.norm(gaze) < ANGULAR)

        until_still(is_there, lambda: stepper.step(configuration, tasks, STEP), stepper.failure)
        return np.array(configuration.q)

    def follow(self, goal: Goal, begin: FloatArray) -> FloatArray:
        """One step."""
        configuration = self._aim(goal, begin)
        try:
            self._stepper.step(configuration, self._tasks, FOLLOWED)
        except self._stepper.failure:
            return begin
        return np.array(configuration.q)

    def _aim(self, goal: Goal, begin: FloatArray) -> Any:
        for task, target in zip(self._links, goal.poses, strict=True):
            task.set_target(self._stepper.transform(target))
        self._com.set_target(goal.com)
        self._gaze.set_target(goal.seen)
        return self._stepper.configuration(begin)


def _reached(stepper: Stepper, configuration: Any, tasks: list[Any]) -> FloatArray | None:
    """Positions of the library that all tasks reach by steps; None where they do not."""

    def errors() -> list[FloatArray]:
        return [task.compute_error(configuration) for task in tasks]

    there = until_there(errors, lambda: stepper.step(configuration, tasks, STEP), stepper.failure)
    return np.array(configuration.q) if there else None
