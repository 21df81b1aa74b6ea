"""Interface of adaptors for a humanoid with several targets."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

import numpy as np

from benchmarks._ik._g1 import Goal
from benchmarks._ik._solver import ANGULAR, LINEAR, FloatArray

STANDING, REACHING, GAZE, POSTURE = 300.0, 3.0, 1.0, 1e-3
"""Weights of the tasks for libraries that have no levels, or two."""

_STEPS = 100
_STILL = 1e-4
"""Change of a joint in a step that counts as none [rad, m]."""


class Humanoid(Protocol):
    """A library with the humanoid loaded."""

    def solve(self, targets: FloatArray) -> FloatArray | None:
        """Positions for poses (t, 4, 4) [m]; None where it gives up."""

    def read(self, positions: FloatArray) -> FloatArray:
        """These positions as Pinocchio has them (7 + n,); not on the clock."""


class HumanoidType(Protocol):
    """The class of an adaptor."""

    library: str

    def __call__(
        self, path: Path, levels: Mapping[str, int], joints: tuple[str, ...], start: FloatArray
    ) -> Humanoid:
        """Load the robot; `levels` of the links that have targets, joints in Pinocchio's order.

        Searches begin at positions `start` (7 + n,).
        """


class TaskSet(Protocol):
    """A library with the humanoid and its whole set of tasks: feet, balance, hands, gaze, posture.

    Attributes:
        home: positions of the library that are all zero, or as near as limits let.
    """

    home: FloatArray

    def solve(self, goal: Goal, begin: FloatArray) -> FloatArray:
        """Positions that reach a goal, or come near it, from positions of the library."""

    def follow(self, goal: Goal, begin: FloatArray) -> FloatArray:
        """The next positions, where the goal moves a little at every call."""

    def read(self, positions: FloatArray) -> FloatArray:
        """As Pinocchio has them (7 + n,); not on the clock."""


class TaskSetType(Protocol):
    """The class of an adaptor."""

    library: str

    def __call__(self, path: Path, joints: tuple[str, ...], start: FloatArray) -> TaskSet:
        """Load the robot; joints in Pinocchio's order, its positions `start` (7 + n,) for `home`."""


def until_still(is_there: Callable[[], bool], step: Callable[[], float], failure: type[Exception]) -> None:
    """Take at most 100 steps until all is reached, or a step moves no joint; `step` says how much."""
    for _ in range(_STEPS):
        if is_there():
            return
        try:
            if step() < _STILL:
                return
        except failure:
            return


def is_small(poses: list[FloatArray], com: FloatArray, gaze: FloatArray) -> bool:
    """Whether errors of poses (6,), lengths first, of center of mass and gaze are small [m], [rad]."""
    there = all(np.linalg.norm(e[:3]) < LINEAR and np.linalg.norm(e[3:]) < ANGULAR for e in poses)
    return bool(there and np.linalg.norm(com) < LINEAR and np.linalg.norm(gaze) < ANGULAR)


def until_there(
    errors: Callable[[], list[FloatArray]], step: Callable[[], None], failure: type[Exception]
) -> bool:
    """Take at most 100 steps until all errors, lengths first, are small; whether they are."""
    for _ in range(_STEPS):
        if all(np.linalg.norm(e[:3]) < LINEAR and np.linalg.norm(e[3:]) < ANGULAR for e in errors()):
            return True
        try:
            step()
        except failure:
            return False
    return False


def without_meshes(path: Path) -> str:
    """The text of a URDF file without what is seen and what collides."""
    root = ET.parse(path).getroot()
    for link in root.findall("link"):
        for shown in (*link.findall("visual"), *link.findall("collision")):
            link.remove(shown)
    return ET.tostring(root, encoding="unicode")
