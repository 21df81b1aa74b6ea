"""A joint between two links."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

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
from kido.typing import ArrayLike, FloatArray, TransformLike
from kido.values import Value

__all__ = ["JointDescription"]


@dataclass(frozen=True, slots=True, eq=False, init=False)
class JointDescription(Value):
    """A joint from link `parent` (None: the world) to link `child`.

    Pose of the child in the parent: T_parent_joint @ T(q) @ inv(T_child_joint), both offsets (4, 4); T(q) as
    `JointType` defines it. `axes` (k, 3) are unit vectors in the joint frame; `pitch` is the translation per
    turn of a screw [m]; `euler_order` is that of an euler joint. `dof_names` None leaves the naming to those
    who compile the description; `line` is where the model file has the joint.

    Raises ValueError or DescriptionError, naming the argument.
    """

    name: str
    type: JointType
    parent: str | None
    child: str
    T_parent_joint: FloatArray
    T_child_joint: FloatArray
    axes: FloatArray
    pitch: float
    euler_order: str
    limits: JointLimits
    dynamics: JointDynamics
    mimic: Mimic | None
    calibration: Calibration | None
    safety: Safety | None
    dof_names: tuple[str, ...] | None
    line: int | None

    def __init__(
        self,
        name: str,
        type: JointType | str,
        parent: str | None,
        child: str,
        T_parent_joint: TransformLike | None = None,
        T_child_joint: TransformLike | None = None,
        axes: ArrayLike = (),
        *,
        pitch: float = 0.0,
        euler_order: str = "xyz",
        limits: JointLimits | None = None,
        dynamics: JointDynamics | None = None,
        mimic: Mimic | None = None,
        calibration: Calibration | None = None,
        safety: Safety | None = None,
        dof_names: Iterable[str] | None = None,
        line: int | None = None,
    ) -> None:
        joint_type = _joint_type(type)
        num_dofs = joint_type.num_dofs
        if not name:
            raise DescriptionError("name: expected a nonempty string, got ''", "joint", name)
        self._assign(
            name=name,
            type=joint_type,
            parent=parent,
            child=child,
            T_parent_joint=frozen_transform("T_parent_joint", T_parent_joint),
            T_child_joint=frozen_transform("T_child_joint", T_child_joint),
            axes=joint_axes(joint_type, axes),
            pitch=_finite_pitch(pitch),
            euler_order=_known_order(euler_order),
            limits=no_limits(num_dofs) if limits is None else limits.for_dofs(num_dofs),
            dynamics=no_dynamics(num_dofs) if dynamics is None else dynamics.for_dofs(num_dofs),
            mimic=mimic,
            calibration=calibration,
            safety=safety,
            dof_names=None if dof_names is None else _dof_names(tuple(dof_names), num_dofs),
            line=line,
        )

    @property
    def num_dofs(self) -> int:
        """Number of degrees of freedom."""
        return self.type.num_dofs


def _joint_type(name: str) -> JointType:
    try:
        return JointType(name)
    except ValueError:
        known = ", ".join(JointType)
        raise DescriptionError(f"type: expected one of {known}, got {name!r}") from None


def _finite_pitch(pitch: float) -> float:
    if not math.isfinite(pitch):
        raise DescriptionError(f"pitch: expected a finite number [m], got {pitch}")
    return float(pitch)


def _known_order(order: str) -> str:
    if order not in EULER_ORDERS:
        raise DescriptionError(f"euler_order: expected one of {', '.join(EULER_ORDERS)}, got {order!r}")
    return order


def _dof_names(names: tuple[str, ...], num_dofs: int) -> tuple[str, ...]:
    if len(names) != num_dofs or len(set(names)) != num_dofs:
        raise DescriptionError(f"dof_names: expected {num_dofs} different names, got {names}")
    return names
