"""A joint between two links."""

from __future__ import annotations

from collections.abc import Iterable

from kido.description._actuator import ActuatorType
from kido.description._axes import joint_axes
from kido.description._joint_part import (
    Calibration,
    JointDynamics,
    JointLimits,
    Mimic,
    Safety,
    no_dynamics,
    no_limits,
)
from kido.description._joint_type import EULER_ORDERS, JointType
from kido.description._transform import frozen_transform
from kido.errors import DescriptionError
from kido.values import (
    Array,
    Checked,
    Transform,
    Value,
    checked,
    checked_items,
    checked_member,
    number,
    part,
    text,
    value,
    whole,
)

__all__ = ["JointDescription"]


def _joint_type(name: str, value: JointType | str) -> JointType:
    try:
        return JointType(value)
    except ValueError:
        known = ", ".join(JointType)
        raise DescriptionError(f"{name}: expected one of {known}, got {value!r}") from None


def _known_order(name: str, value: str) -> str:
    if not isinstance(value, str) or value not in EULER_ORDERS:
        raise DescriptionError(f"{name}: expected one of {', '.join(EULER_ORDERS)}, got {value!r}")
    return value


def _actuator(name: str, value: ActuatorType | str | None) -> ActuatorType | None:
    return None if value is None else checked_member(name, ActuatorType, value)


def _several_names(name: str, value: Iterable[str] | None) -> tuple[str, ...] | None:
    if isinstance(value, str):
        raise TypeError(f"{name}: expected several names, got {value!r}")
    return None if value is None else checked_items(name, str, value)


@value
class JointDescription(Value):
    """A joint from link `parent` (None: the world) to link `child`.

    Pose of the child in the parent: T_parent_joint @ T(q) @ inv(T_child_joint), both offsets (4, 4); T(q) as
    `JointType` defines it. `axes` (k, 3) are unit vectors in the joint frame; `pitch` is the translation per
    turn of a screw [m]; `euler_order` is that of an euler joint. `dof_names` None leaves the naming to those
    who compile the description; `line` is where the model file has the joint.

    Raises ValueError or DescriptionError, naming the argument.
    """

    name: str = text(empty=True)
    type: Checked[JointType | str, JointType] = checked(_joint_type)
    parent: str | None = text(empty=True, optional=True)
    child: str = text(empty=True)
    T_parent_joint: Transform = checked(frozen_transform, default=None)
    T_child_joint: Transform = checked(frozen_transform, default=None)
    axes: Array = checked(default=())
    pitch: float = number(unit="m", default=0.0, kw_only=True)
    euler_order: str = checked(_known_order, default="xyz", kw_only=True)
    limits: Checked[JointLimits | None, JointLimits] = part(JointLimits, default=None, kw_only=True)
    dynamics: Checked[JointDynamics | None, JointDynamics] = part(JointDynamics, default=None, kw_only=True)
    mimic: Mimic | None = part(Mimic, default=None, kw_only=True)
    calibration: Calibration | None = part(Calibration, default=None, kw_only=True)
    safety: Safety | None = part(Safety, default=None, kw_only=True)
    dof_names: Checked[Iterable[str] | None, tuple[str, ...] | None] = checked(
        _several_names, default=None, kw_only=True
    )
    actuator: Checked[ActuatorType | str | None, ActuatorType | None] = checked(
        _actuator, default=None, kw_only=True
    )
    line: int | None = whole(default=None, kw_only=True)

    def _check(self) -> None:
        count = self.type.num_dofs
        if not self.name:
            raise DescriptionError("name: expected a nonempty string, got ''", "joint", self.name)
        limits, dynamics, names = self.limits, self.dynamics, self.dof_names
        self._assign(
            axes=joint_axes(self.type, self.axes),
            limits=no_limits(count) if limits is None else limits.for_dofs(count),
            dynamics=no_dynamics(count) if dynamics is None else dynamics.for_dofs(count),
            dof_names=None if names is None else _dof_names(names, count),
        )

    @property
    def num_dofs(self) -> int:
        """Number of degrees of freedom."""
        return self.type.num_dofs


def _dof_names(names: tuple[str, ...], num_dofs: int) -> tuple[str, ...]:
    if len(names) != num_dofs or len(set(names)) != num_dofs:
        raise DescriptionError(f"dof_names: expected {num_dofs} different names, got {names}")
    return names
