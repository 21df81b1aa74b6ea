"""Numbers of some degrees of freedom as a value."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from kido.errors import UnknownNameError
from kido.skeleton._dof_quantities import STATES
from kido.skeleton._joints._actuator import ActuatorType
from kido.skeleton._numbers import COMMAND, FORCE
from kido.typing import ArrayLike, FloatArray, frozen_array
from kido.values import Checked, Value, checked, value

if TYPE_CHECKING:
    from kido.skeleton._core_skeleton import SkeletonCore

__all__ = ["SkeletonConfiguration", "checked_dof_names", "write_configuration", "write_state_rows"]


OptionalArray: TypeAlias = Checked[ArrayLike | None, FloatArray | None]
"""Annotation of a field that takes numbers or None."""


def checked_dof_names(name: str, names: Iterable[str]) -> tuple[str, ...]:
    """Different strings. Raises TypeError or ValueError."""
    if isinstance(names, str):
        raise TypeError(f"{name}: expected several names, got {names!r}")
    found = tuple(names)
    for one in found:
        if not isinstance(one, str):
            raise TypeError(f"{name}: expected strings, got {one!r}")
    if len(set(found)) != len(found):
        raise ValueError(f"{name}: expected different names, got {found}")
    return found


@value
class SkeletonConfiguration(Value):
    """Positions, velocities, accelerations, forces and commands of named dofs; None: not part of it.

    Attributes:
        dof_names: k different names.
        positions: (k,) [rad, m].
        velocities: (k,) [rad/s, m/s].
        accelerations: (k,) [rad/s^2, m/s^2].
        forces: (k,) [N m, N].
        commands: (k,), in the unit that the actuator type says.
    """

    dof_names: Checked[Iterable[str], tuple[str, ...]] = checked(checked_dof_names)
    positions: OptionalArray = checked(default=None, kw_only=True)
    velocities: OptionalArray = checked(default=None, kw_only=True)
    accelerations: OptionalArray = checked(default=None, kw_only=True)
    forces: OptionalArray = checked(default=None, kw_only=True)
    commands: OptionalArray = checked(default=None, kw_only=True)

    def _check(self) -> None:
        for name, (_, unit, _) in STATES.items():
            values = getattr(self, name)
            if values is not None:
                self._assign(**{name: frozen_array(name, values, (len(self.dof_names),), unit)})


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
        return
    for name, (row, _, _) in STATES.items():
        skeleton._state.set_part(row, 0, skeleton.num_dofs, name, rows[row])
