"""Interface of adaptors for a humanoid with several targets."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from benchmarks._ik._g1 import Goal
from benchmarks._ik._solver import FloatArray


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


def without_meshes(path: Path) -> str:
    """The text of a URDF file without what is seen and what collides."""
    root = ET.parse(path).getroot()
    for link in root.findall("link"):
        for shown in (*link.findall("visual"), *link.findall("collision")):
            link.remove(shown)
    return ET.tostring(root, encoding="unicode")
