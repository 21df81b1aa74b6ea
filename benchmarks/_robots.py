"""The robots that are timed, written to files that every library reads."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from benchmarks import _urdf


@dataclass(frozen=True)
class RobotFile:
    """One robot on disk.

    Attributes:
        name: short name in the tables.
        path: URDF file.
        floating_path: the same robot under a world link by a floating joint; None where the base is fixed.
        hand: the body whose transform and Jacobian are timed.
        bodies, dofs: number of moving bodies, and of degrees of freedom.
    """

    name: str
    path: Path
    floating_path: Path | None
    hand: str
    bodies: int
    dofs: int

    @property
    def free(self) -> bool:
        """Whether the root link moves freely."""
        return self.floating_path is not None

    def __str__(self) -> str:
        root = "free" if self.free else "fixed"
        return f"{self.name} ({root} root, {self.bodies} moving bodies, {self.dofs} dofs)"


@dataclass(frozen=True)
class _Shipped:
    path: str
    hand: str
    free: bool = False


_SHIPPED = {
    "panda": _Shipped("panda_description/urdf/panda.urdf", "panda_leftfinger"),
    "ur5": _Shipped("ur_description/urdf/ur5_robot.urdf", "wrist_3_link"),
    "g1": _Shipped("g1_description/urdf/g1_29dof_rev_1_0.urdf", "left_wrist_yaw_link", free=True),
    "talos": _Shipped("talos_data/robots/talos_full_v2.urdf", "arm_left_7_link", free=True),
}
_CHAINS = {"chain1": 1, "chain10": 10, "chain100": 100, "chain1000": 1000}

NAMES = (*_SHIPPED, "chain10", "chain100", "chain1000")
QUICK = ("panda", "g1", "chain100")


OBSERVERS = {
    "panda": "panda_link4",
    "ur5": "forearm_link",
    "g1": "right_wrist_yaw_link",
    "talos": "arm_right_7_link",
}
"""The body from which the motion of the hand is seen, by robot."""


def write(name: str, folder: Path, *, shipped: bool) -> RobotFile:
    """Write one robot's files into a folder; `shipped` keeps links behind fixed joints apart.

    Raises FileNotFoundError where the robots of the package example-robot-data are not installed.
    """
    if name in _CHAINS:
        robot, hand, free = _urdf.chain(_CHAINS[name]), f"link{_CHAINS[name] - 1}", False
    else:
        entry = _SHIPPED[name]
        robot, hand, free = _urdf.read(installed() / entry.path), entry.hand, entry.free
        robot = robot if shipped else _urdf.lump(robot)
    moving = sum(joint.kind != "fixed" for joint in robot.joints)
    path = _urdf.write(robot, folder / f"{name}.urdf", name=name)
    floating = (
        _urdf.write(robot, folder / f"{name}_floating.urdf", name=name, floating=True) if free else None
    )
    return RobotFile(name, path, floating, hand, moving + free, moving + 6 * free)


def installed() -> Path:
    """Folder of the robots of the package example-robot-data; FileNotFoundError where it is not installed."""
    try:
        files = distribution("example-robot-data").files or []
    except PackageNotFoundError:
        files = []
    for file in files:
        if str(file).endswith(_SHIPPED["panda"].path):
            return Path(str(file.locate())).resolve().parents[2]
    raise FileNotFoundError(
        "robots: expected the package example-robot-data (pip install example-robot-data)"
    )
