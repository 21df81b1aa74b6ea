"""Robots written as SKEL text, by the shortest way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kido.description import Inertia, JointDescription, JointType, RobotDescription
from kido.math import inverse_transform, matrix_to_euler

Array = NDArray[np.float64]


def skel_text(robot: RobotDescription) -> str:
    """A file with this robot alone, without its shapes; children stand before their parents."""
    poses: dict[str | None, Array] = {None: np.eye(4)}
    for joint in robot.depth_first_joints():
        offset = joint.T_parent_joint @ inverse_transform(joint.T_child_joint)
        poses[joint.child] = poses[joint.parent] @ offset
    bodies = (
        f"<body name='{link.name}'><gravity>{int(link.gravity)}</gravity>"
        f"{_transformation(poses[link.name])}{_inertia(link.inertia)}</body>"
        for link in reversed(robot.links)
    )
    inside = "\n".join([*bodies, *map(_joint, reversed(robot.joints))])
    return f"<skel version='1.0'><skeleton name='{robot.name}'>\n{inside}\n</skeleton></skel>"


def _transformation(pose: Array) -> str:
    numbers = [*pose[:3, 3], *matrix_to_euler(pose[:3, :3], "XYZ")]
    return f"<transformation>{_text(numbers)}</transformation>"


def _inertia(inertia: Inertia | None) -> str:
    if inertia is None:
        return "<inertia><mass>0</mass></inertia>"
    names = zip(
        ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"),
        ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)),
        strict=True,
    )
    moment = "".join(f"<{name}>{_text([inertia.moment[index]])}</{name}>" for name, index in names)
    offset = f"<offset>{_text(inertia.com)}</offset>"
    return (
        f"<inertia><mass>{_text([inertia.mass])}</mass>{offset}"
        f"<moment_of_inertia>{moment}</moment_of_inertia></inertia>"
    )


def _joint(joint: JointDescription) -> str:
    actuator = "" if joint.actuator is None else f" actuator='{joint.actuator}'"
    ends = f"<parent>{joint.parent or 'world'}</parent><child>{joint.child}</child>"
    inside = "".join((*_motion(joint), *_dofs(joint)))
    place = _transformation(joint.T_child_joint)
    return f"<joint name='{joint.name}' type='{joint.type}'{actuator}>{ends}{place}{inside}</joint>"


def _motion(joint: JointDescription) -> Iterator[str]:
    if joint.type is JointType.EULER:
        yield f"<axis_order>{joint.euler_order}</axis_order>"
    elif joint.type.spec.orthogonal_axes:
        first, second = (f"<xyz>{_text(axis)}</xyz>" for axis in joint.axes)
        axes = (
            f"<translation_axis1>{first}</translation_axis1><translation_axis2>{second}</translation_axis2>"
        )
        yield f"<plane type='arbitrary'>{axes}</plane>"
    else:
        pitch = f"<pitch>{_text([joint.pitch])}</pitch>" if joint.type is JointType.SCREW else ""
        for tag, axis in zip(("axis", "axis2"), joint.axes, strict=False):
            yield f"<{tag}><xyz>{_text(axis)}</xyz>{pitch}</{tag}>"


def _dofs(joint: JointDescription) -> Iterator[str]:
    names = joint.dof_names or joint.type.spec.dof_names(joint.name, joint.euler_order)
    limits, dynamics = joint.limits, joint.dynamics
    bounds = {
        "position": (limits.lower, limits.upper),
        "velocity": (limits.lowest_velocity, limits.velocity),
        "acceleration": (limits.lowest_acceleration, limits.acceleration),
        "force": (limits.lowest_effort, limits.effort),
    }
    passive = {
        "damping": dynamics.damping,
        "friction": dynamics.friction,
        "spring_stiffness": dynamics.stiffness,
        "spring_rest_position": dynamics.rest_position,
    }
    for i, name in enumerate(names):
        inside = "".join(
            f"<{tag} lower='{_text([low[i]])}' upper='{_text([high[i]])}'/>"
            for tag, (low, high) in bounds.items()
        )
        inside += "".join(f"<{tag}>{_text([values[i]])}</{tag}>" for tag, values in passive.items())
        yield f"<dof local_index='{i}' name='{name}'>{inside}</dof>"


def _text(numbers: ArrayLike | Iterable[float]) -> str:
    return " ".join(repr(float(number)) for number in np.asarray(numbers))
