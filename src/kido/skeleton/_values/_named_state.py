"""Named states of descriptions, given to skeletons."""

from __future__ import annotations

import numpy as np

from kido.description import JointState, NamedState
from kido.errors import DescriptionError, UnknownNameError
from kido.skeleton._data import (
    COMMAND,
    INITIAL_POSITION,
    INITIAL_VELOCITY,
    POSITION,
    POSITION_LOWER,
    POSITION_UPPER,
    STATE_ROWS,
    VELOCITY,
)
from kido.skeleton._values._configuration_access import write_state_rows
from kido.skeleton._values._parts import SkeletonParts
from kido.typing import FloatArray

__all__ = ["joint_states", "named_motion", "write_motion"]

_ROWS = {"positions": POSITION, "velocities": VELOCITY, "commands": COMMAND}


def named_motion(skeleton: SkeletonParts, state: NamedState, owner: str) -> FloatArray:
    """Positions, velocities and commands (3, num_dofs) of a skeleton in a state that calls it `owner`.

    Raises UnknownNameError for a joint that it does not have, DescriptionError for other numbers of dofs,
    ValueError for commands of a joint that takes none.
    """
    motion = np.zeros((3, skeleton.num_dofs))
    motion[0] = _at_rest(skeleton)
    joints = {body._joint.name: body._joint for body in skeleton.bodies}
    for told in state.joints:
        if told.owner != owner:
            continue
        if told.joint not in joints:
            raise UnknownNameError("joint", told.joint, joints, skeleton.name)
        joint = joints[told.joint]
        for row, name in enumerate(_ROWS):
            numbers = getattr(told, name)
            if numbers is None:
                continue
            if len(numbers) != joint.num_dofs:
                what = f"has {joint.num_dofs} dofs, got {len(numbers)} {name}"
                raise DescriptionError(what, "joint", told.joint)
            motion[row, joint._slice()] = numbers
    skeleton._refuse_commands(motion[2])
    return motion


def write_motion(skeleton: SkeletonParts, motion: FloatArray, initial: bool) -> None:
    """Set positions, velocities and commands; nothing accelerates, and no forces act. Where that is wanted,
    they are the initial ones, too."""
    if initial:
        constants = skeleton._answers.data.writable_dofs()
        constants[INITIAL_POSITION], constants[INITIAL_VELOCITY] = motion[0], motion[1]
    rows = np.zeros((STATE_ROWS, skeleton.num_dofs))
    for row, numbers in zip(_ROWS.values(), motion, strict=True):
        rows[row] = numbers
    write_state_rows(skeleton, rows)
    skeleton._answers.dynamics_changed()


def joint_states(skeleton: SkeletonParts, owner: str) -> list[JointState]:
    """The joints of a skeleton that are not at rest where its description has them."""
    state, rest = skeleton._answers.data.state, _at_rest(skeleton)
    found = []
    for joint in (body._joint for body in skeleton.bodies):
        part = joint._slice()
        numbers = {name: state[row, part] for name, row in _ROWS.items()}
        changed = {
            "positions": (numbers["positions"] != rest[part]).any(),
            "velocities": numbers["velocities"].any(),
            "commands": numbers["commands"].any(),
        }
        if any(changed.values()):
            told = {name: numbers[name] if changed[name] else None for name in _ROWS}
            found.append(JointState(owner, joint.name, **told))
    return found


def _at_rest(skeleton: SkeletonParts) -> FloatArray:
    """Zero, or the nearest position that limits allow."""
    dofs = skeleton._answers.data.dofs
    rest: FloatArray = np.clip(0.0, dofs[POSITION_LOWER], dofs[POSITION_UPPER])
    return rest
