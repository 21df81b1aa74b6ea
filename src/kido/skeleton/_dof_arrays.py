"""Numbers of degrees of freedom by name: the same for a joint, a skeleton and a single dof."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from kido import _core
from kido.skeleton import _data as numbers
from kido.skeleton._data import SkeletonData
from kido.typing import ArrayLike, FloatArray, frozen_array

__all__ = [
    "PROPERTIES",
    "STATES",
    "DofArray",
    "DofArrays",
    "DofProperty",
    "DofValue",
    "StateArray",
    "StateValue",
    "check_bounds",
    "one_number",
]

DofMapping: TypeAlias = Mapping[str, float]
"""Numbers of some dofs, by their names."""


@dataclass(frozen=True, slots=True)
class DofProperty:
    """A constant of each dof: the row it stands in, its unit, what it may be, and whether the tree has it,
    which is then compiled anew."""

    row: int
    unit: str
    text: str
    finite: bool = False
    smallest: float | None = None
    bounds: tuple[int, int] | None = None
    in_tree: bool = False

    def check(self, name: str, values: ArrayLike, count: int) -> FloatArray:
        """`values` for `count` dofs, a number standing for all.

        Raises TypeError or ValueError, naming the argument.
        """
        array = frozen_array(name, values, None, self.unit, finite=self.finite)
        if array.shape not in ((), (count,)):
            raise ValueError(f"{name}: expected shape ({count},) [{self.unit}], got {array.shape}")
        if self.smallest is not None and (array < self.smallest).any():
            raise ValueError(
                f"{name}: expected no number below {self.smallest:g} [{self.unit}], got {array.tolist()}"
            )
        return np.broadcast_to(array, (count,))


def _limit(row: int, pair: tuple[int, int], unit: str, text: str) -> DofProperty:
    return DofProperty(row, unit, text, bounds=pair, in_tree=True)


_POSITION = (numbers.POSITION_LOWER, numbers.POSITION_UPPER)
_VELOCITY = (numbers.VELOCITY_LOWER, numbers.VELOCITY_UPPER)
_ACCELERATION = (numbers.ACCELERATION_LOWER, numbers.ACCELERATION_UPPER)
_FORCE = (numbers.FORCE_LOWER, numbers.FORCE_UPPER)

PROPERTIES: dict[str, DofProperty] = {
    "position_lower_limits": _limit(_POSITION[0], _POSITION, "rad, m", "Lowest positions"),
    "position_upper_limits": _limit(_POSITION[1], _POSITION, "rad, m", "Highest positions"),
    "velocity_lower_limits": _limit(_VELOCITY[0], _VELOCITY, "rad/s, m/s", "Lowest velocities"),
    "velocity_upper_limits": _limit(_VELOCITY[1], _VELOCITY, "rad/s, m/s", "Highest velocities"),
    "acceleration_lower_limits": _limit(
        _ACCELERATION[0], _ACCELERATION, "rad/s^2, m/s^2", "Lowest accelerations"
    ),
    "acceleration_upper_limits": _limit(
        _ACCELERATION[1], _ACCELERATION, "rad/s^2, m/s^2", "Highest accelerations"
    ),
    "force_lower_limits": _limit(_FORCE[0], _FORCE, "N m, N", "Lowest generalized forces"),
    "force_upper_limits": _limit(_FORCE[1], _FORCE, "N m, N", "Highest generalized forces"),
    "initial_positions": DofProperty(
        numbers.INITIAL_POSITION, "rad, m", "Positions that `reset_positions` restores", True
    ),
    "initial_velocities": DofProperty(
        numbers.INITIAL_VELOCITY, "rad/s, m/s", "Velocities that `reset_velocities` restores", True
    ),
    "rest_positions": DofProperty(numbers.REST_POSITION, "rad, m", "Positions to which springs pull", True),
    "spring_stiffness": DofProperty(
        numbers.STIFFNESS, "N m/rad, N/m", "Spring force by displacement from the rest position", True, 0.0
    ),
    "damping": DofProperty(numbers.DAMPING, "N m s/rad, N s/m", "Damping force by velocity", True, 0.0),
    "coulomb_friction": DofProperty(numbers.FRICTION, "N m, N", "Largest dry friction", True, 0.0),
    "armature": DofProperty(
        numbers.ARMATURE,
        "kg m^2, kg",
        "Inertia of rotors as the dofs feel it, their own times the gear ratio squared: it adds to the "
        "diagonal of the mass matrix",
        True,
        0.0,
        in_tree=True,
    ),
    "limit_stiffness": DofProperty(
        numbers.LIMIT_STIFFNESS,
        "N m/rad, N/m",
        "Stiffness of limits of positions; where it, the damping and the frequency are zero, they are hard",
        True,
        0.0,
    ),
    "limit_damping": DofProperty(
        numbers.LIMIT_DAMPING, "N m s/rad, N s/m", "Damping of limits of positions", True, 0.0
    ),
    "limit_frequency": DofProperty(
        numbers.LIMIT_FREQUENCY,
        "Hz",
        "Frequency with which what a limit of positions holds would swing; above zero it stands for "
        "stiffness and damping",
        True,
        0.0,
    ),
    "limit_damping_ratio": DofProperty(
        numbers.LIMIT_DAMPING_RATIO,
        "-",
        "Damping ratio of limits of positions that are given by their frequency",
        True,
        0.0,
    ),
    "constraint_impulses": DofProperty(
        numbers.CONSTRAINT_IMPULSE, "N m s, N s", "Impulses that constraints gave in the last step", True
    ),
}
"""The constants of dofs, by the name of the attribute that has them."""

STATES: dict[str, tuple[int, str, str]] = {
    "positions": (numbers.POSITION, "rad, m", "Positions"),
    "velocities": (numbers.VELOCITY, "rad/s, m/s", "Velocities; those of ball and free joints are twists"),
    "accelerations": (numbers.ACCELERATION, "rad/s^2, m/s^2", "Accelerations"),
    "forces": (numbers.FORCE, "N m, N", "Generalized forces"),
    "commands": (
        numbers.COMMAND,
        "of the actuator type",
        "Commands, in the unit that the actuator type says",
    ),
}
"""The numbers that change in time, by the name of the attribute that has them: row, unit, text."""

STATE_UNITS = {row: unit for row, unit, _ in STATES.values()}
"""Units of the numbers that change in time, by row."""


class DofArray:
    """An attribute that holds a constant of each dof (num_dofs,). A read-only copy is given; a number set
    stands for all."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name
        self.property = PROPERTIES[name]
        self.__doc__ = f"{self.property.text} (num_dofs,) [{self.property.unit}]."

    @overload
    def __get__(self, joint: None, owner: type) -> DofArray: ...
    @overload
    def __get__(self, joint: DofArrays, owner: type) -> FloatArray: ...
    def __get__(self, joint: DofArrays | None, owner: type) -> DofArray | FloatArray:
        return self if joint is None else joint._get_property(self.property)

    def __set__(self, joint: DofArrays, values: ArrayLike | DofMapping) -> None:
        joint._set_property(self.name, self.property, values)


class StateArray:
    """An attribute that holds a number of each dof that changes in time (num_dofs,). A read-only copy is
    given."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name
        self.row, self.unit, text = STATES[name]
        self.__doc__ = f"{text} (num_dofs,) [{self.unit}]."

    @overload
    def __get__(self, joint: None, owner: type) -> StateArray: ...
    @overload
    def __get__(self, joint: DofArrays, owner: type) -> FloatArray: ...
    def __get__(self, joint: DofArrays | None, owner: type) -> StateArray | FloatArray:
        return self if joint is None else joint._get_state(self.row)

    def __set__(self, joint: DofArrays, values: ArrayLike | DofMapping) -> None:
        joint._set_state(self.name, self.row, values)


class DofArrays(_core.KnownAttributes):
    """Base of what has dofs one after the other: a joint, a skeleton, a selection."""

    __slots__ = ()

    positions = StateArray()
    velocities = StateArray()
    accelerations = StateArray()
    forces = StateArray()
    commands = StateArray()
    position_lower_limits = DofArray()
    position_upper_limits = DofArray()
    velocity_lower_limits = DofArray()
    velocity_upper_limits = DofArray()
    acceleration_lower_limits = DofArray()
    acceleration_upper_limits = DofArray()
    force_lower_limits = DofArray()
    force_upper_limits = DofArray()
    initial_positions = DofArray()
    initial_velocities = DofArray()
    rest_positions = DofArray()
    spring_stiffness = DofArray()
    damping = DofArray()
    coulomb_friction = DofArray()
    armature = DofArray()
    limit_stiffness = DofArray()
    limit_damping = DofArray()
    limit_frequency = DofArray()
    limit_damping_ratio = DofArray()
    constraint_impulses = DofArray()

    def reset_positions(self) -> None:
        """Set the positions to the initial ones."""
        self.positions = self.initial_positions

    def reset_velocities(self) -> None:
        """Set the velocities to the initial ones."""
        self.velocities = self.initial_velocities

    def _get_property(self, prop: DofProperty) -> FloatArray:
        raise NotImplementedError

    def _set_property(self, name: str, prop: DofProperty, values: ArrayLike | DofMapping) -> None:
        raise NotImplementedError

    def _get_state(self, row: int) -> FloatArray:
        raise NotImplementedError

    def _set_state(self, name: str, row: int, values: ArrayLike | DofMapping) -> None:
        raise NotImplementedError

    def _index_of_dof(self, name: str) -> int:
        """Index, among these dofs, of the one of a name. Raises UnknownNameError."""
        raise NotImplementedError

    def _named(self, present: FloatArray, name: str, by_name: DofMapping, unit: str) -> FloatArray:
        """The present numbers of all dofs, but for those that are given by the names of dofs."""
        values = present.copy()
        for dof, value in by_name.items():
            values[self._index_of_dof(dof)] = one_number(f"{name}[{dof!r}]", value, unit)
        return values


class OneDof(_core.KnownAttributes):
    """Base of a single dof."""

    __slots__ = ()

    def _joint_and_index(self) -> tuple[DofArrays, int]:
        raise NotImplementedError


class DofValue:
    """An attribute of one dof that holds one of its constants."""

    def __init__(self, plural: str) -> None:
        self.plural = plural

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name
        prop = PROPERTIES[self.plural]
        self.__doc__ = f"{prop.text}, of this dof [{prop.unit}]."

    @overload
    def __get__(self, dof: None, owner: type) -> DofValue: ...
    @overload
    def __get__(self, dof: OneDof, owner: type) -> float: ...
    def __get__(self, dof: OneDof | None, owner: type) -> DofValue | float:
        if dof is None:
            return self
        joint, index = dof._joint_and_index()
        return float(joint._get_property(PROPERTIES[self.plural])[index])

    def __set__(self, dof: OneDof, value: float) -> None:
        joint, index = dof._joint_and_index()
        prop = PROPERTIES[self.plural]
        values = joint._get_property(prop).copy()
        values[index] = one_number(self.name, value, prop.unit)
        joint._set_property(self.name, prop, values)


class StateValue:
    """An attribute of one dof that holds a number that changes in time."""

    def __init__(self, plural: str) -> None:
        self.plural = plural

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name
        self.row, self.unit, text = STATES[self.plural]
        self.__doc__ = f"{text}, of this dof [{self.unit}]."

    @overload
    def __get__(self, dof: None, owner: type) -> StateValue: ...
    @overload
    def __get__(self, dof: OneDof, owner: type) -> float: ...
    def __get__(self, dof: OneDof | None, owner: type) -> StateValue | float:
        if dof is None:
            return self
        joint, index = dof._joint_and_index()
        return float(joint._get_state(self.row)[index])

    def __set__(self, dof: OneDof, value: float) -> None:
        joint, index = dof._joint_and_index()
        values = joint._get_state(self.row).copy()
        values[index] = one_number(self.name, value, self.unit)
        joint._set_state(self.name, self.row, values)


def one_number(name: str, value: float, unit: str) -> float:
    """A number; raises TypeError where it is none."""
    if isinstance(value, bool | str | bytes) or np.ndim(value) != 0:
        raise TypeError(f"{name}: expected a number [{unit}], got {_core.brief(value)}")
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name}: expected a number [{unit}], got {_core.brief(value)}") from None


def check_bounds(
    name: str, prop: DofProperty, values: FloatArray, data: SkeletonData, part: slice | NDArray[np.intp]
) -> None:
    """Raises ValueError where a lower limit would lie above the upper one."""
    if prop.bounds is None:
        return
    lower_row, upper_row = prop.bounds
    lower = values if prop.row == lower_row else data.dofs[lower_row, part]
    upper = values if prop.row == upper_row else data.dofs[upper_row, part]
    if (lower > upper).any() or (lower == np.inf).any() or (upper == -np.inf).any():
        raise ValueError(
            f"{name}: expected lower <= upper, got {lower.tolist()} and {upper.tolist()} [{prop.unit}]"
        )
