"""mink: as pink, on MuJoCo."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from pathlib import Path

import mink
import mujoco
import numpy as np
from mink.exceptions import NoSolutionFound

from benchmarks._ik._arms import Arm
from benchmarks._ik._g1 import AXIS, CAMERA
from benchmarks._ik._humanoid import without_meshes
from benchmarks._ik._solver import FloatArray
from benchmarks._ik._steps import SETTINGS
from benchmarks._peers._stepped import SteppedArm, SteppedHumanoid, SteppedTaskSet, Stepper


class _Mink(Stepper):
    """A model of MuJoCo, its limits, and where it has Pinocchio's positions."""

    failure = NoSolutionFound
    damping = 1e-3

    def __init__(self, model: mujoco.MjModel, limits: list[mink.Limit], order: Sequence[int] = ()) -> None:
        self._model, self._limits, self._order = model, limits, list(order)

    def transform(self, pose: FloatArray) -> mink.SE3:
        return mink.SE3.from_matrix(pose)

    def configuration(self, positions: FloatArray) -> mink.Configuration:
        return mink.Configuration(self._model, positions)

    def velocity(self, configuration: mink.Configuration, tasks: list[mink.Task], time: float) -> FloatArray:
        return mink.solve_ik(configuration, tasks, time, solver="daqp", limits=self._limits)

    def pose(self, link: str, weight: float, damping: float = 0.0) -> mink.FrameTask:
        return mink.FrameTask(link, "body", position_cost=weight, orientation_cost=weight, lm_damping=damping)

    def com(self, weight: float) -> mink.ComTask:
        return mink.ComTask(cost=weight, lm_damping=self.damping)

    def gaze(self, weight: float) -> mink.LookAtTask:
        return mink.LookAtTask(CAMERA, "body", AXIS, cost=weight, lm_damping=self.damping)

    def posture(self, weight: float, positions: FloatArray) -> mink.PostureTask:
        task = mink.PostureTask(self._model, cost=weight)
        task.set_target(positions)
        return task

    def place(self, positions: FloatArray) -> FloatArray:
        placed = np.zeros(self._model.nq)
        placed[self._order] = positions
        return placed

    def read(self, positions: FloatArray) -> FloatArray:
        return positions[self._order]


class MinkArm(SteppedArm):
    """`solve_ik` with daqp."""

    name = library = "mink"
    settings = f"daqp, {SETTINGS}"

    def __init__(self, arm: Arm, folder: Path) -> None:
        model = mujoco.MjModel.from_xml_path(str(arm.path))
        speeds = dict(zip(arm.joint_names, arm.speed[:, None], strict=True))
        super().__init__(_Mink(model, [mink.ConfigurationLimit(model), mink.VelocityLimit(model, speeds)]))


class MinkHumanoid(SteppedHumanoid):
    """`solve_ik` with daqp."""

    library = "mink"

    def __init__(
        self, path: Path, levels: Mapping[str, int], joints: tuple[str, ...], start: FloatArray
    ) -> None:
        super().__init__(_floating(path, joints), levels, start)


class MinkTaskSet(SteppedTaskSet):
    """`solve_ik` with daqp."""

    library = "mink"

    def __init__(self, path: Path, joints: tuple[str, ...], start: FloatArray) -> None:
        super().__init__(_floating(path, joints), start)


def _floating(path: Path, joints: tuple[str, ...]) -> _Mink:
    """The robot with a free root, and limits of positions; joints in Pinocchio's order."""
    model = mujoco.MjModel.from_xml_string(_bare(path))
    order = [0, 1, 2, 4, 5, 6, 3, *(int(model.joint(name).qposadr[0]) for name in joints)]
    return _Mink(model, [mink.ConfigurationLimit(model)], order)


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
