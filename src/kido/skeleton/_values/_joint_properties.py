"""Everything of a joint that does not change in time, as a value."""

from __future__ import annotations

from typing import Any

import numpy as np

from kido._core import brief
from kido.description import EULER_ORDERS, Mimic, joint_axes
from kido.skeleton._data import SkeletonData
from kido.skeleton._dof_arrays import PROPERTIES, check_bounds
from kido.skeleton._joints._actuator import ActuatorType
from kido.skeleton._joints._joint_kind import JointKind
from kido.skeleton._nodes._addon import Addon, Extension
from kido.skeleton._placement import placement
from kido.skeleton._values._skeleton_configuration import checked_dof_names
from kido.skeleton._values._skeleton_state import check_extension
from kido.typing import ArrayLike, FloatArray, TransformLike, frozen_array
from kido.values import Value, checked_flag, checked_member, checked_name, frozen_content, value

__all__ = ["DOF_PROPERTIES", "AddonProperties", "JointProperties", "checked_addons"]

DOF_PROPERTIES = {name: prop for name, prop in PROPERTIES.items() if name != "constraint_impulses"}
"""The constants of dofs that are no part of the state."""


@value
class AddonProperties(Value):
    """An addon: its class, and an instance of the class's `Properties`, None where there is none."""

    kind: type[Addon]
    properties: Any = None

    def _check(self) -> None:
        check_extension(self.kind, Addon, "properties", self.properties)
        self._assign(properties=frozen_content(self.properties))


@value
class JointProperties(Value):
    """A joint: its class, and all that `Joint` and the class say of it; arrays have one number for each dof.

    `axes` (k, 3), `pitch` [m] and `order` are those of the classes that have them, `properties` those of a
    user joint.
    """

    kind: type[JointKind]
    name: str
    T_parent_joint: FloatArray
    T_child_joint: FloatArray
    axes: FloatArray
    pitch: float
    order: str
    position_lower_limits: FloatArray
    position_upper_limits: FloatArray
    velocity_lower_limits: FloatArray
    velocity_upper_limits: FloatArray
    acceleration_lower_limits: FloatArray
    acceleration_upper_limits: FloatArray
    force_lower_limits: FloatArray
    force_upper_limits: FloatArray
    initial_positions: FloatArray
    initial_velocities: FloatArray
    rest_positions: FloatArray
    spring_stiffness: FloatArray
    damping: FloatArray
    coulomb_friction: FloatArray
    armature: FloatArray
    limit_stiffness: FloatArray
    limit_damping: FloatArray
    limit_frequency: FloatArray
    limit_damping_ratio: FloatArray
    actuator: ActuatorType
    limits_enforced: bool
    mimic: Mimic | None
    dof_names: tuple[str, ...] | None
    properties: Any
    addons: tuple[AddonProperties, ...]

    def __init__(
        self,
        kind: type[JointKind],
        name: str,
        T_parent_joint: TransformLike | None = None,
        T_child_joint: TransformLike | None = None,
        axes: ArrayLike = (),
        pitch: float = 0.0,
        order: str = "xyz",
        actuator: ActuatorType | str = ActuatorType.FORCE,
        limits_enforced: bool = True,
        mimic: Mimic | None = None,
        dof_names: tuple[str, ...] | None = None,
        properties: object = None,
        addons: tuple[AddonProperties, ...] = (),
        **numbers: ArrayLike,
    ) -> None:
        _check_kind(kind, properties)
        if not isinstance(order, str) or order not in EULER_ORDERS:
            raise ValueError(f"order: expected one of {', '.join(EULER_ORDERS)}, got {brief(order)}")
        if mimic is not None and not isinstance(mimic, Mimic):
            raise TypeError(f"mimic: expected a Mimic or None, got {mimic!r}")
        self._assign(
            kind=kind,
            name=checked_name("name", name),
            T_parent_joint=_pose("T_parent_joint", T_parent_joint),
            T_child_joint=_pose("T_child_joint", T_child_joint),
            axes=_axes(kind, axes),
            pitch=float(frozen_array("pitch", pitch, (), "m")),
            order=order,
            **_dof_numbers(kind.num_dofs, numbers),
            actuator=checked_member("actuator", ActuatorType, actuator),
            limits_enforced=checked_flag("limits_enforced", limits_enforced),
            mimic=mimic,
            dof_names=_dof_names(kind, dof_names),
            properties=frozen_content(properties),
            addons=checked_addons("addons", addons),
        )


def checked_addons(name: str, addons: object) -> tuple[AddonProperties, ...]:
    """Addons of different classes. Raises TypeError or ValueError."""
    if not isinstance(addons, tuple) or not all(isinstance(addon, AddonProperties) for addon in addons):
        raise TypeError(f"{name}: expected a tuple of AddonProperties, got {addons!r}")
    if len({addon.kind for addon in addons}) != len(addons):
        raise ValueError(f"{name}: expected one of each class")
    return addons


def _check_kind(kind: type[JointKind], properties: object) -> None:
    if not (isinstance(kind, type) and issubclass(kind, JointKind)):
        raise TypeError(f"kind: expected a class that derives from Joint, got {kind!r}")
    if issubclass(kind, Extension):
        check_extension(kind, Extension, "properties", properties)
    elif kind.type is None:
        raise TypeError(f"kind: expected a type of joints, got {kind.__name__}")
    elif properties is not None:
        raise TypeError(f"properties of a {kind.__name__}: expected None, got {properties!r}")


def _pose(name: str, transform: TransformLike | None) -> FloatArray:
    return frozen_array(name, placement(name, transform), (4, 4), "m")


def _axes(kind: type[JointKind], axes: ArrayLike) -> FloatArray:
    if kind.type is not None:
        return joint_axes(kind.type, axes)
    if np.size(axes):
        raise ValueError(f"axes: expected none of a {kind.__name__}, got {axes!r}")
    return frozen_array("axes", np.zeros((0, 3)), (0, 3))


def _dof_numbers(num_dofs: int, given: dict[str, ArrayLike]) -> dict[str, FloatArray]:
    """The arrays of all constants of dofs, with defaults for those that are not given."""
    block = SkeletonData.default(num_dofs)
    for name, values in given.items():
        if name not in DOF_PROPERTIES:
            raise TypeError(f"unknown argument {name!r}; numbers of dofs are {', '.join(DOF_PROPERTIES)}")
        prop = DOF_PROPERTIES[name]
        block.dofs[prop.row] = prop.check(name, np.zeros(0) if np.size(values) == 0 else values, num_dofs)
    for name, prop in DOF_PROPERTIES.items():
        check_bounds(name, prop, block.dofs[prop.row], block, slice(None))
    return {
        name: frozen_array(name, block.dofs[prop.row], (num_dofs,), prop.unit, finite=False)
        for name, prop in DOF_PROPERTIES.items()
    }


def _dof_names(kind: type[JointKind], names: tuple[str, ...] | None) -> tuple[str, ...] | None:
    if names is None:
        return None
    checked = checked_dof_names("dof_names", names)
    if len(checked) != kind.num_dofs:
        raise ValueError(f"dof_names: expected {kind.num_dofs} names, got {checked}")
    return checked
