"""pink and mink with several frame tasks: velocity steps until all poses are reached."""

from __future__ import annotations

import importlib
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import numpy as np

from _ik._judge import ANGULAR, LINEAR, FloatArray

NAMES = ("pink", "mink")
"""Libraries that take several targets."""

_STEP = 0.5
_STEPS = 100


class Peer(Protocol):
    """A library with the humanoid loaded."""

    def solve(self, targets: FloatArray) -> FloatArray | None:
        """Positions for poses (t, 4, 4) [m]; None where it gives up."""

    def read(self, positions: FloatArray) -> FloatArray:
        """These positions as Pinocchio has them (7 + n,); not on the clock."""


class PeerType(Protocol):
    """The class of a peer."""

    library: str

    def __call__(
        self, path: Path, links: tuple[str, ...], joints: tuple[str, ...], start: FloatArray
    ) -> Peer:
        """Load the robot, with joints in Pinocchio's order; steps begin at positions `start` (7 + n,)."""


def load(name: str) -> PeerType:
    """The class for a library. Raises ImportError where it is not installed."""
    importlib.import_module(name)
    return {"pink": Pink, "mink": Mink}[name]


class Pink:
    """`solve_ik` with daqp, limits of positions on, in a loop."""

    library = "pin-pink"

    def __init__(
        self, path: Path, links: tuple[str, ...], joints: tuple[str, ...], start: FloatArray
    ) -> None:
        self._pink, self._pinocchio = (importlib.import_module(name) for name in ("pink", "pinocchio"))
        flyer = self._pinocchio.JointModelFreeFlyer()
        self._model = self._pinocchio.buildModelFromUrdf(str(path), flyer)
        self._data = self._model.createData()
        self._tasks = [self._pink.FrameTask(link, position_cost=1.0, orientation_cost=1.0) for link in links]
        limit = self._pink.limits.ConfigurationLimit
        self._limits = [limit(self._model)]
        self._start = start

    def solve(self, targets: FloatArray) -> FloatArray | None:
        """Steps until the poses are reached."""
        for task, target in zip(self._tasks, targets, strict=True):
            task.set_target(self._pinocchio.SE3(target))
        configuration = self._pink.Configuration(self._model, self._data, self._start, copy_data=False)

        def step() -> None:
            velocity = self._pink.solve_ik(
                configuration, self._tasks, _STEP, solver="daqp", limits=self._limits, safety_break=False
            )
            configuration.integrate_inplace(velocity, _STEP)

        def errors() -> list[FloatArray]:
            return [task.compute_error(configuration) for task in self._tasks]

        return configuration.q if _until_there(errors, step, self._pink.exceptions.NoSolutionFound) else None

    def read(self, positions: FloatArray) -> FloatArray:
        """As they are."""
        return positions


class Mink:
    """As pink, on MuJoCo."""

    library = "mink"

    def __init__(
        self, path: Path, links: tuple[str, ...], joints: tuple[str, ...], start: FloatArray
    ) -> None:
        self._mink = importlib.import_module("mink")
        model = importlib.import_module("mujoco").MjModel.from_xml_string(_bare(path))
        self._tasks = [
            self._mink.FrameTask(link, "body", position_cost=1.0, orientation_cost=1.0) for link in links
        ]
        self._model, self._limits = model, [self._mink.ConfigurationLimit(model)]
        places = [int(model.joint(name).qposadr[0]) for name in joints]
        self._order = [0, 1, 2, 4, 5, 6, 3, *places]  # of Pinocchio's positions among MuJoCo's
        self._start = np.zeros(model.nq)
        self._start[self._order] = start

    def solve(self, targets: FloatArray) -> FloatArray | None:
        """Steps until the poses are reached."""
        for task, target in zip(self._tasks, targets, strict=True):
            task.set_target(self._mink.SE3.from_matrix(target))
        configuration = self._mink.Configuration(self._model, self._start)

        def step() -> None:
            velocity = self._mink.solve_ik(
                configuration, self._tasks, _STEP, solver="daqp", limits=self._limits
            )
            configuration.integrate_inplace(velocity, _STEP)

        def errors() -> list[FloatArray]:
            return [task.compute_error(configuration) for task in self._tasks]

        return configuration.q if _until_there(errors, step, self._mink.exceptions.NoSolutionFound) else None

    def read(self, positions: FloatArray) -> FloatArray:
        """In Pinocchio's order."""
        return positions[self._order]


def _until_there(
    errors: Callable[[], list[FloatArray]], step: Callable[[], None], failure: type[Exception]
) -> bool:
    """Take steps until all errors, lengths first, are small; whether they are."""
    for _ in range(_STEPS):
        if all(np.linalg.norm(e[:3]) < LINEAR and np.linalg.norm(e[3:]) < ANGULAR for e in errors()):
            return True
        try:
            step()
        except failure:
            return False
    return False


def _bare(path: Path) -> str:
    """The robot without meshes, on a floating joint."""
    root = ET.parse(path).getroot()
    for link in root.findall("link"):
        for shown in (*link.findall("visual"), *link.findall("collision")):
            link.remove(shown)
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
