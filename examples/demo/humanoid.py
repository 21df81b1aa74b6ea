"""Humanoids whose feet, hands and eyes the demo knows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kido.description import JointType, RobotDescription

__all__ = ["Humanoid", "humanoid_of"]


@dataclass(frozen=True)
class Humanoid:
    """Names of the bodies that a task is for, left before right, and where on them.

    `sole` is the height of a foot's origin above the floor [m], `palm` the way from a hand's origin along its
    x axis to its palm [m]; palms face each other along y. `eye` looks along its x axis. `crouch` has joint
    positions with bent knees [rad].
    """

    feet: tuple[str, str]
    sole: float
    hands: tuple[str, str]
    palm: float
    eye: str
    crouch: Mapping[str, float]

    @property
    def bodies(self) -> tuple[str, ...]:
        """All of its bodies, the feet first."""
        return (*self.feet, *self.hands, self.eye)


_LEG = {"hip_pitch": -0.5, "knee": 1.0, "ankle_pitch": -0.5, "elbow": 0.6}

_G1 = Humanoid(
    feet=("left_ankle_roll_link", "right_ankle_roll_link"),
    sole=0.035,
    hands=("left_rubber_hand", "right_rubber_hand"),
    palm=0.09,
    eye="d435_link",
    crouch={f"{side}_{name}_joint": q for side in ("left", "right") for name, q in _LEG.items()},
)


def humanoid_of(robot: RobotDescription) -> Humanoid | None:
    """The known humanoid that a robot is, by its names; None where it is none, or its root is not free."""
    links, joints = ({part.name for part in parts} for parts in (robot.links, robot.joints))
    is_free = [joint.type for joint in robot.root_joints] == [JointType.FREE]
    is_known = links.issuperset(_G1.bodies) and joints.issuperset(_G1.crouch)
    return _G1 if is_free and is_known else None
