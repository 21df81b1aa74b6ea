"""Humanoids whose feet, hands and eyes the demo knows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kido.description import JointType, RobotDescription

__all__ = ["SIDES", "Humanoid", "humanoid_of"]

SIDES = (("left", 1.0), ("right", -1.0))
"""The sides of a humanoid, and which way along y they are."""


@dataclass(frozen=True)
class Humanoid:
    """Names of the bodies that a task is for, left before right, and where on them.

    A sole is the plane at the height `sole` of a foot's coordinates [m], with `corners` (k, 2) [m]. A palm is
    the plane that fingertips and heel of a hand touch: its middle is at `palm` (3,) of the left hand's
    coordinates [m], turned by `cup` about z [rad]; the right hand mirrors it in y. `eye` looks along its x
    axis. `pushed` is a body that may be pushed at. `posture` has joint positions of standing at ease [rad];
    other joints are at zero.
    """

    feet: tuple[str, str]
    sole: float
    corners: tuple[tuple[float, float], ...]
    hands: tuple[str, str]
    palm: tuple[float, float, float]
    cup: float
    eye: str
    pushed: str
    posture: Mapping[str, float]

    @property
    def bodies(self) -> tuple[str, ...]:
        """All of its bodies, the feet first."""
        return (*self.feet, *self.hands, self.eye, self.pushed)


_LIMBS = {"hip_pitch": -0.2, "knee": 0.42, "ankle_pitch": -0.22, "shoulder_pitch": 0.25, "elbow": 0.9}
_SHOULDER_ROLL = 0.15

_G1 = Humanoid(
    feet=("left_ankle_roll_link", "right_ankle_roll_link"),
    sole=-0.035,
    corners=((-0.05, 0.025), (-0.05, -0.025), (0.12, -0.03), (0.12, 0.03)),
    hands=("left_rubber_hand", "right_rubber_hand"),
    palm=(0.07, -0.0305, 0.0),
    cup=-0.31,
    eye="d435_link",
    pushed="torso_link",
    posture={f"{side}_{name}_joint": q for side, _ in SIDES for name, q in _LIMBS.items()}
    | {f"{side}_shoulder_roll_joint": sign * _SHOULDER_ROLL for side, sign in SIDES},
)


def humanoid_of(robot: RobotDescription) -> Humanoid | None:
    """The known humanoid that a robot is, by its names; None where it is none, or its root is not free."""
    links, joints = ({part.name for part in parts} for parts in (robot.links, robot.joints))
    is_free = [joint.type for joint in robot.root_joints] == [JointType.FREE]
    is_known = links.issuperset(_G1.bodies) and joints.issuperset(_G1.posture)
    return _G1 if is_free and is_known else None
