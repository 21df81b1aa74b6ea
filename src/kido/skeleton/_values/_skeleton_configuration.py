"""Numbers of some degrees of freedom as a value."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from kido.skeleton._dof_arrays import STATES
from kido.typing import ArrayLike, FloatArray, frozen_array
from kido.values import Checked, Value, checked, checked_items, value

__all__ = ["SkeletonConfiguration", "checked_dof_names"]


OptionalArray: TypeAlias = Checked[ArrayLike | None, FloatArray | None]
"""Annotation of a field that takes numbers or None."""


def checked_dof_names(name: str, names: Iterable[str]) -> tuple[str, ...]:
    """Different strings. Raises TypeError or ValueError."""
    if isinstance(names, str):
        raise TypeError(f"{name}: expected several names, got {names!r}")
    found: tuple[str, ...] = checked_items(name, str, names)
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

    Raises TypeError or ValueError naming the argument.
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
