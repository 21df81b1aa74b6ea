"""The <model> element: a robot or an object."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kido.description import (
    ClosureDescription,
    FrameDescription,
    JointDescription,
    JointType,
    LinkDescription,
    RobotDescription,
    SensorDescription,
)
from kido.io._writers._joint_losses import report_joint, report_numbers
from kido.io._writers._losses import Losses
from kido.io._writers._names import Names
from kido.io._writers._placement_losses import report_link
from kido.io._writers._pose_text import inverse
from kido.io._writers._sdf._closure import write_closure
from kido.io._writers._sdf._joint import write_joint
from kido.io._writers._sdf._output import Output
from kido.io._writers._sdf._shape import write_shape
from kido.io._writers._serial_joints import report_chains, single_dofs
from kido.io._writers._world_link import on_the_world
from kido.io._writers._xml_text import element, leaf
from kido.io._xml import Element
from kido.typing import FloatArray

__all__ = ["ModelNames", "sensor_type", "write_model"]

_SPLIT = (JointType.EULER, JointType.PLANAR, JointType.TRANSLATIONAL, JointType.TRANSLATIONAL2D)
_ROOT_JOINT = "root_joint"
_SENSORS = (
    *("air_pressure", "air_speed", "altimeter", "boundingbox_camera", "camera", "contact", "custom", "depth"),
    *("depth_camera", "force_torque", "gps", "gpu_lidar", "gpu_ray", "imu", "lidar", "logical_camera"),
    *("magnetometer", "multicamera", "navsat", "ray", "rfid", "rfidtag", "rgbd", "rgbd_camera"),
    *("segmentation_camera", "sonar", "thermal", "thermal_camera", "transceiver"),
    *("wide_angle_camera", "wideanglecamera"),
)


def sensor_type(sensor: SensorDescription) -> str | None:
    """Name in SDF of a type of sensors; None where it has none of it."""
    return sensor.type if sensor.type in _SENSORS else None


@dataclass(frozen=True)
class ModelNames:
    """Names in a <model>, in which links, joints and frames have different ones."""

    links: dict[str | None, str]
    joints: dict[str, str]
    frames: Names

    @classmethod
    def of(cls, robot: RobotDescription, losses: Losses) -> ModelNames:
        """Names of a robot, as they are where SDF allows it."""
        names = Names(("world",))
        links: dict[str | None, str] = {None: "world"}
        for link in robot.links:
            links[link.name] = _named(link.name, "link", names, losses)
        joints = {joint.name: _named(joint.name, "joint", names, losses) for joint in robot.joints}
        return cls(links, joints, names)


def write_model(
    output: Output,
    parent: Element,
    robot: RobotDescription,
    *,
    name: str,
    T: FloatArray,
    static: bool,
    self_collide: bool = False,
    sensors: Mapping[str, Iterable[SensorDescription]] | None = None,
    closures: Sequence[ClosureDescription] = (),
) -> None:
    """Add <model>. `sensors` are those on links, by their names; `closures` hold its links."""
    held = {end.link or "" for closure in closures for _, end in closure.references()}
    robot = on_the_world(robot, output.losses, {*(sensors or {}), *held})
    divided = single_dofs(robot, lambda joint: joint.type in _SPLIT)
    report_chains(divided, output.losses)
    robot = divided.robot
    made = element(parent, "model", name=_named(name, "robot", Names(("world",)), output.losses))
    output.pose(made, T, "robot", name)
    if static:
        leaf(made, "static", True)
    if self_collide:
        leaf(made, "self_collide", True)
    names = ModelNames.of(robot, output.losses)
    poses = _poses(robot) if output.is_old else {}
    joints = {joint.child: joint for joint in robot.joints}
    for link in robot.links:
        _write_link(output, made, link, joints[link.name], names, poses, (sensors or {}).get(link.name, ()))
    for joint in robot.joints:
        if joint.type is JointType.FREE:
            _report_free(joint, output.losses)
            if static:
                how = f"it does not move: a static model, whose joint is the weld {_ROOT_JOINT!r}"
                output.losses.equivalent("robot", name, how)
        elif not (static and joint.parent is None and joint.type is JointType.WELD):
            write_joint(output, made, joint, names.links, names.joints)
        elif joint.name != _ROOT_JOINT:
            output.losses.ignored("joint", joint.name, "the name of the weld of a static model")
    for closure in closures:
        joint_name = _named(closure.name, "constraint", names.frames, output.losses)
        write_closure(output, made, closure, joint_name, names.links, _poses(robot), T)
        _report_tree(robot, closure, output.losses)
    for link in robot.links:
        for frame in link.frames:
            _write_frame(output, made, link, frame, names)


def _named(name: str, kind: str, names: Names, losses: Losses) -> str:
    """A name that SDF allows: without "::", not between double underscores, not taken."""
    plain = name.replace("::", "_")
    if plain.startswith("__") and plain.endswith("__"):
        plain = plain.strip("_") or kind
    found = names.new(plain)
    if found != name:
        losses.substituted(kind, name, f"named {found!r}: SDF does not allow its name, or has it already")
    return found


def _write_link(
    output: Output,
    model: Element,
    link: LinkDescription,
    joint: JointDescription,
    names: ModelNames,
    poses: dict[str | None, FloatArray],
    sensors: Iterable[SensorDescription],
) -> None:
    made = element(model, "link", name=names.links[link.name])
    _write_place(output, made, link, joint, names, poses)
    _write_inertial(made, link)
    report_link(link, output.losses)
    if not link.gravity:
        leaf(made, "gravity", False)
    for tag, shapes in (("visual", link.visuals), ("collision", link.collisions)):
        taken = Names()
        for placed in shapes:
            write_shape(output, made, tag, link, placed, taken)
    for sensor in sensors:
        _write_sensor(output, made, sensor)


def _write_place(
    output: Output,
    made: Element,
    link: LinkDescription,
    joint: JointDescription,
    names: ModelNames,
    poses: dict[str | None, FloatArray],
) -> None:
    T_joint_link = inverse(joint.T_child_joint)
    if poses:
        output.pose(made, poses[link.name], "link", link.name)
    elif joint.type is JointType.FREE or (joint.parent is None and joint.type is JointType.WELD):
        relative_to = None if joint.parent is None else names.links[joint.parent]
        output.pose(made, joint.T_parent_joint @ T_joint_link, "link", link.name, relative_to)
    else:
        output.pose(made, T_joint_link, "link", link.name, names.joints[joint.name])


def _write_inertial(made: Element, link: LinkDescription) -> None:
    """Add <inertial>, of no mass where the link has none: without it, SDF takes a kilogram."""
    inertial = element(made, "inertial")
    inertia = link.inertia
    if inertia is not None and inertia.com.any():
        leaf(inertial, "pose", np.concatenate([inertia.com, np.zeros(3)]))
    leaf(inertial, "mass", 0.0 if inertia is None else inertia.mass)
    moment = np.zeros((3, 3)) if inertia is None else inertia.moment
    part = element(inertial, "inertia")
    for tag, i, j in _MOMENTS:
        leaf(part, tag, float(moment[i, j]))


def _write_sensor(output: Output, made: Element, sensor: SensorDescription) -> None:
    part = element(made, "sensor", name=sensor.name, type=sensor_type(sensor))
    if sensor.place is not None:
        output.pose(part, sensor.place.T_link_frame, "sensor", sensor.name)
    if sensor.rate is not None:
        leaf(part, "update_rate", sensor.rate)
    for option in sensor.options:
        output.losses.ignored("sensor", sensor.name, f"its option {option!r}")


def _write_frame(
    output: Output, model: Element, link: LinkDescription, frame: FrameDescription, names: ModelNames
) -> None:
    if output.is_old:
        output.losses.ignored(frame.kind, frame.name, f"a {frame.kind} on link {link.name!r}")
        return
    if frame.kind != "frame":
        output.losses.substituted(frame.kind, frame.name, f"a {frame.kind} is written as a frame")
    name = _named(frame.name, frame.kind, names.frames, output.losses)
    made = element(model, "frame", name=name, attached_to=names.links[link.name])
    output.pose(made, frame.origin, frame.kind, frame.name)


def _report_free(joint: JointDescription, losses: Losses) -> None:
    """Report what a link without a joint does not say."""
    report_numbers(joint, (), losses)
    report_joint(joint, losses)
    if joint.parent is not None:
        how = f"written as free in the world, not in {joint.parent!r}: the same motion, other coordinates"
        losses.substituted("joint", joint.name, how)
    elif (joint.T_child_joint != np.eye(4)).any():
        how = "its coordinates count from the pose of the link, without an offset in it"
        losses.substituted("joint", joint.name, how)
    if joint.parent is None and joint.name != _ROOT_JOINT:
        losses.ignored("joint", joint.name, "the name of a free joint")


def _report_tree(robot: RobotDescription, closure: ClosureDescription, losses: Losses) -> None:
    """Report a closure that readers take for a joint of the tree: it holds links that move freely."""
    joints = {joint.child: joint for joint in robot.joints}

    def base(link: str | None) -> str | None:
        while link is not None and joints[link].parent is not None:
            link = joints[link].parent
        return link

    bases = [base(end.link) for _, end in closure.references()]
    loose = [link for link in bases if link is not None and joints[link].type is JointType.FREE]
    if loose and bases[0] != bases[1]:
        how = f"it becomes the joint of {loose[0]!r}, which is free: the same motion, other coordinates"
        losses.substituted("constraint", closure.name, how)


def _poses(robot: RobotDescription) -> dict[str | None, FloatArray]:
    """Poses of the links in the model's frame, all positions being zero."""
    poses: dict[str | None, FloatArray] = {None: np.eye(4)}
    for joint in robot.depth_first_joints():
        T_joint_link = inverse(joint.T_child_joint)
        poses[joint.child] = poses[joint.parent] @ joint.T_parent_joint @ T_joint_link
    return poses


_MOMENTS = (("ixx", 0, 0), ("ixy", 0, 1), ("ixz", 0, 2), ("iyy", 1, 1), ("iyz", 1, 2), ("izz", 2, 2))
