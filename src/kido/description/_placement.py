"""Robots and free objects at their places in a scene."""

from __future__ import annotations

from dataclasses import replace

from kido.description._joint import JointDescription
from kido.description._joint_type import JointType
from kido.description._link import LinkDescription
from kido.description._named_values import checked_name
from kido.description._robot import RobotDescription
from kido.description._transform import frozen_transform
from kido.typing import FloatArray
from kido.values import Checked, Transform, Value, checked, flag, part, value

__all__ = ["OBJECT_JOINT", "ObjectPlacement", "RobotPlacement"]

OBJECT_JOINT = "root_joint"
"""Name of the joint between the world and an object."""


@value
class RobotPlacement(Value):
    """A robot in a scene, under a name that is unique there; None: the robot's own.

    `T_world_robot` (4, 4) is the pose of what the robot takes for the world [m]. `mobile` says whether
    simulation moves it; `self_collision` whether its links can touch each other, `adjacent_collision` whether
    those joined by a joint can, too.
    """

    robot: RobotDescription = part(RobotDescription)
    name: Checked[str | None, str] = checked(default=None)
    T_world_robot: Transform = checked(frozen_transform, default=None)
    mobile: bool = flag(default=True, kw_only=True)
    self_collision: bool = flag(default=False, kw_only=True)
    adjacent_collision: bool = flag(default=False, kw_only=True)

    def _check(self) -> None:
        self._assign(name=checked_name("robot", self.robot.name if self.name is None else self.name))

    @property
    def shape_counts(self) -> dict[str, int]:
        """Number of collision shapes of each link."""
        return {link.name: len(link.collisions) for link in self.robot.links}

    @property
    def dof_counts(self) -> dict[str, int]:
        """Number of dofs of each joint."""
        return {joint.name: joint.num_dofs for joint in self.robot.joints}

    def placed(self) -> RobotDescription:
        """The robot by itself, at its place and under its name in the scene."""
        robot = self.robot
        if robot.name == self.name and (self.T_world_robot == frozen_transform("identity", None)).all():
            return robot
        joints = [
            _moved(joint, self.T_world_robot) if joint.parent is None else joint for joint in robot.joints
        ]
        return RobotDescription(self.name, robot.links, joints, robot.diagnostics, robot.source)


@value
class ObjectPlacement(Value):
    """A rigid body by itself in a scene: a crate, or the ground; named as its link.

    `T_world_link` (4, 4) is its pose [m]; `fixed` objects never move.
    """

    link: LinkDescription = part(LinkDescription)
    T_world_link: Transform = checked(frozen_transform, default=None)
    fixed: bool = flag(default=False, kw_only=True)

    @property
    def name(self) -> str:
        """Name of the object, that of its link."""
        return self.link.name

    @property
    def joint_type(self) -> JointType:
        """Type of the joint between the world and the object: weld or free."""
        return JointType.WELD if self.fixed else JointType.FREE

    @property
    def shape_counts(self) -> dict[str, int]:
        """Number of collision shapes of the link."""
        return {self.name: len(self.link.collisions)}

    @property
    def dof_counts(self) -> dict[str, int]:
        """Number of dofs of the joint `OBJECT_JOINT`."""
        return {OBJECT_JOINT: self.joint_type.num_dofs}

    def placed(self) -> RobotDescription:
        """The object as a robot of one link, at its place."""
        joint = JointDescription(OBJECT_JOINT, self.joint_type, None, self.name, self.T_world_link)
        return RobotDescription(self.name, [self.link], [joint])


def _moved(joint: JointDescription, T_world_robot: FloatArray) -> JointDescription:
    """A joint on the world, moved by a pose."""
    return replace(joint, T_parent_joint=T_world_robot @ joint.T_parent_joint)
