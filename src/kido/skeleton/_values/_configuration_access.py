"""The numbers of a configuration, put into a skeleton."""

from __future__ import annotations

import numpy as np

from kido.errors import UnknownNameError
from kido.skeleton._data import COMMAND, FORCE, POSITION, VELOCITY
from kido.skeleton._dof_arrays import STATES
from kido.skeleton._joints._actuator import ActuatorType
from kido.skeleton._values._parts import SkeletonParts
from kido.skeleton._values._skeleton_configuration import SkeletonConfiguration
from kido.typing import FloatArray

__all__ = ["write_configuration", "write_state_rows"]


def write_configuration(skeleton: SkeletonParts, value: SkeletonConfiguration) -> None:
    """Give the named dofs the numbers that the value has.

    Raises UnknownNameError or ValueError, before anything changed.
    """
    dofs = skeleton._dofs_by_name()
    for name in value.dof_names:
        if name not in dofs:
            raise UnknownNameError("dof", name, dofs, skeleton.name)
    places = [dofs[name].dof(name).index for name in value.dof_names]
    rows = skeleton._answers.data.state.copy()
    for name, (row, _, _) in STATES.items():
        values = getattr(value, name)
        if values is not None:
            rows[row, places] = values
    if value.forces is not None and value.commands is None:
        driven = [i for i in places if skeleton.dofs[i].joint._actuator is ActuatorType.FORCE]
        rows[COMMAND, driven] = rows[FORCE, driven]
    skeleton._refuse_commands(rows[COMMAND])
    write_state_rows(skeleton, rows)


def write_state_rows(skeleton: SkeletonParts, rows: FloatArray) -> None:
    """Write positions, velocities, accelerations, forces and commands (5, num_dofs) as they are."""
    state = skeleton._answers.state
    if state is None:
        np.copyto(skeleton._answers.data.state, rows)
        skeleton._mimics.follow(POSITION)
        skeleton._mimics.follow(VELOCITY)
        return
    for name, (row, _, _) in STATES.items():
        state.set_part(row, 0, skeleton.num_dofs, name, rows[row])
