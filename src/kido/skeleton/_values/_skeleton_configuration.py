"""Numbers of some degrees of freedom as a value."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kido.errors import UnknownNameError
from kido.skeleton._dof_quantities import STATES
from kido.skeleton._joints._actuator import ActuatorType
from kido.skeleton._numbers import COMMAND, FORCE, POSITION, VELOCITY
from kido.skeleton._values._saved_value import SavedValue
from kido.typing import ArrayLike, FloatArray, frozen_array

if TYPE_CHECKING:
    from kido.skeleton._core_skeleton import SkeletonCore

__all__ = ["SkeletonConfiguration", "checked_dof_names", "write_configuration", "write_state_rows"]


@dataclass(frozen=True, slots=True, eq=False, init=False)
class SkeletonConfiguration(SavedValue):
    """Positions, velocities, accelerations, forces and commands of named dofs; None: not part of it.

    Attributes:
        dof_names: k different names.
        positions: (k,) [rad, m].
        velocities: (k,) [rad/s, m/s].
        accelerations: (k,) [rad/s^2, m/s^2].
        forces: (k,) [N m, N].
        commands: (k,), in the unit that the actuator type says.
    """

    dof_names: tuple[str, ...]
    positions: FloatArray | None
    velocities: FloatArray | None
    accelerations: FloatArray | None
    forces: FloatArray | None
    commands: FloatArray | None

    def __init__(
        self,
        dof_names: Iterable[str],
        *,
        positions: ArrayLike | None = None,
        velocities: ArrayLike | None = None,
        accelerations: ArrayLike | None = None,
        forces: ArrayLike | None = None,
        commands: ArrayLike | None = None,
    ) -> None:
        """Each array has shape (k,) [rad, m, s, N]. Raises TypeError or ValueError, naming the argument."""
        names = checked_dof_names(dof_names)
        given = (positions, velocities, accelerations, forces, commands)
        arrays = {
            name: None if values is None else frozen_array(name, values, (len(names),), unit)
            for (name, (_, unit, _)), values in zip(STATES.items(), given, strict=True)
        }
        self._assign(dof_names=names, **arrays)


def checked_dof_names(names: Iterable[str]) -> tuple[str, ...]:
    """Different strings. Raises TypeError or ValueError."""
    if isinstance(names, str):
        raise TypeError(f"dof_names: expected several names, got {names!r}")
    checked = tuple(names)
    for name in checked:
        if not isinstance(name, str):
            raise TypeError(f"dof_names: expected strings, got {name!r}")
    if len(set(checked)) != len(checked):
        raise ValueError(f"dof_names: expected different names, got {checked}")
    return checked


def write_configuration(skeleton: SkeletonCore, value: SkeletonConfiguration) -> None:
    """Give the named dofs the numbers that the value has.

    Raises UnknownNameError or ValueError, before anything changed.
    """
    dofs = skeleton._dofs_by_name()
    for name in value.dof_names:
        if name not in dofs:
            raise UnknownNameError("dof", name, dofs, skeleton.name)
    places = [dofs[name].dof(name).index for name in value.dof_names]
    rows = skeleton._block.state.copy()
    for name, (row, _, _) in STATES.items():
        values = getattr(value, name)
        if values is not None:
            rows[row, places] = values
    if value.forces is not None and value.commands is None:
        driven = [i for i in places if skeleton.dofs[i].joint.actuator is ActuatorType.FORCE]
        rows[COMMAND, driven] = rows[FORCE, driven]
    skeleton._refuse_commands(rows[COMMAND])
    write_state_rows(skeleton, rows)


def write_state_rows(skeleton: SkeletonCore, rows: FloatArray) -> None:
    """Write positions, velocities, accelerations, forces and commands (5, num_dofs) as they are."""
    if skeleton._state is None:
        np.copyto(skeleton._block.state, rows)
    else:
        for name, (row, _, _) in STATES.items():
            skeleton._state.set_part(row, 0, skeleton.num_dofs, name, rows[row])
    if skeleton._leads:
        skeleton._follow_mimics(POSITION)
        skeleton._follow_mimics(VELOCITY)
