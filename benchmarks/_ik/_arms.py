"""The arms, each a chain of its own in a file that every library reads."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks import _robots
from benchmarks._ik import _chain, _iiwa

FloatArray = NDArray[np.float64]

BASE, TOOL = "base", "tool"
"""First and last link of every chain."""


@dataclass(frozen=True)
class Arm:
    """A serial chain of revolute joints.

    Attributes:
        name: short name in the tables.
        path: URDF file; links from `base` to `tool`.
        joint_names: in their order.
        poses: (n + 1, 4, 4) of each joint on the link before it, and of the tool on the last link [m].
        axes: (n, 3) of the joints there.
        lower, upper, speed: (n,) limits [rad], [rad], [rad/s].
    """

    name: str
    path: Path
    joint_names: tuple[str, ...]
    poses: FloatArray
    axes: FloatArray
    lower: FloatArray
    upper: FloatArray
    speed: FloatArray

    @property
    def dofs(self) -> int:
        """Number of joints."""
        return len(self.axes)

    @property
    def middle(self) -> FloatArray:
        """The middle of the limits (n,) [rad]."""
        return (self.lower + self.upper) / 2


_SHIPPED = {
    "panda": ("panda_description/urdf/panda.urdf", "panda_link0", "panda_link8"),
    "ur5": ("ur_description/urdf/ur5_robot.urdf", "base_link", "ee_link"),
    "xarm7": ("xarm_description/urdf/xarm7.urdf", "link_base", "link7"),
    "talos": ("talos_data/robots/talos_full_v2.urdf", "torso_2_link", "arm_left_7_link"),
    "g1": ("g1_description/urdf/g1_29dof_rev_1_0.urdf", "torso_link", "left_rubber_hand"),
}

NAMES = ("panda", "ur5", "xarm7", "iiwa14", "talos")
"""Every arm; of talos it is the left one, from the torso."""

HAND = "g1"
"""One more, which is only pulled: the left hand of the humanoid, from its torso."""


def write(name: str, folder: Path) -> Arm:
    """Write an arm's file into a folder.

    Raises FileNotFoundError where the robots of the package example-robot-data are not installed.
    """
    if name == "iiwa14":
        links = _iiwa.chain()
    else:
        file, base, tip = _SHIPPED[name]
        links = _chain.read(_robots.installed() / file, base, tip)
    path = _chain.write(links, folder / f"{name}.urdf", name)
    moving = links[:-1]
    numbers = [
        np.array([getattr(link, key) for link in moving]) for key in ("axis", "lower", "upper", "speed")
    ]
    poses = np.array([link.pose for link in links])
    return Arm(name, path, tuple(link.joint for link in moving), poses, *numbers)
