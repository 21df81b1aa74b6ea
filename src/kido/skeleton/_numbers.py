"""The numbers of joints and bodies, kept in one block for each skeleton.

A joint or body knows its block and its place in it. On its own it has a block to itself; in a skeleton all
share the skeleton's, dofs and bodies in the skeleton's order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kido.tree import NUMBERS
from kido.typing import FloatArray

__all__ = ["DOF_DEFAULTS", "Block", "Place", "gather"]

STATE_ROWS = 5
"""Rows of `Block.state`: positions, velocities, accelerations, forces, commands."""
POSITION, VELOCITY, ACCELERATION, FORCE, COMMAND = range(STATE_ROWS)

DOF_DEFAULTS = (
    *(-np.inf, np.inf) * 4,  # limits of position, velocity, acceleration, force
    *(0.0,) * 6,  # initial position and velocity, rest position, stiffness, damping, friction
    0.0,  # constraint impulse
)
(
    POSITION_LOWER,
    POSITION_UPPER,
    VELOCITY_LOWER,
    VELOCITY_UPPER,
    ACCELERATION_LOWER,
    ACCELERATION_UPPER,
    FORCE_LOWER,
    FORCE_UPPER,
    INITIAL_POSITION,
    INITIAL_VELOCITY,
    REST_POSITION,
    STIFFNESS,
    DAMPING,
    FRICTION,
    CONSTRAINT_IMPULSE,
) = range(len(DOF_DEFAULTS))

_IDENTITY_ROW = np.eye(4)[:3].ravel()


class Block:
    """State (5, dofs), properties of dofs (15, dofs), rows of bodies and joints (bodies, 41).

    Arrays that are shared with another block or a tree are read-only; who writes copies them first.
    """

    __slots__ = ("dofs", "rows", "state")

    def __init__(self, state: FloatArray, dofs: FloatArray, rows: FloatArray) -> None:
        self.state = state
        self.dofs = dofs
        self.rows = rows

    @classmethod
    def default(cls, num_dofs: int) -> Block:
        """The block of one joint and its body, massless, with nothing set."""
        dofs = np.repeat(np.array(DOF_DEFAULTS)[:, None], num_dofs, axis=1)
        rows = np.zeros((1, NUMBERS))
        rows[0, :12] = rows[0, 12:24] = _IDENTITY_ROW
        return cls(np.zeros((STATE_ROWS, num_dofs)), dofs, rows)

    def writable_dofs(self) -> FloatArray:
        """Properties of dofs, to write into."""
        if not self.dofs.flags.writeable:
            self.dofs = self.dofs.copy()
        return self.dofs

    def writable_rows(self) -> FloatArray:
        """Rows of bodies, to write into."""
        if not self.rows.flags.writeable:
            self.rows = self.rows.copy()
        return self.rows

    def insert(self, row: int, dof: int, other: Block) -> None:
        """Put the numbers of another block in between, its bodies before `row`, its dofs before `dof`."""
        self.state = _inserted(self.state, dof, other.state, 1)
        self.dofs = _inserted(self.dofs, dof, other.dofs, 1)
        self.rows = _inserted(self.rows, row, other.rows, 0)

    def share(self) -> Block:
        """A block with the same numbers; what is constant is not copied before somebody writes."""
        self.dofs.flags.writeable = False
        self.rows.flags.writeable = False
        return Block(self.state.copy(), self.dofs, self.rows)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a body and its joint stand in a block."""

    block: Block
    row: int
    first: int
    count: int


def gather(places: Sequence[Place]) -> Block:
    """One block of what stands at the given places, in their order."""
    blocks = list({id(place.block): place.block for place in places}.values())
    first_dof, first_row, offsets = 0, 0, {}
    for block in blocks:
        offsets[id(block)] = (first_dof, first_row)
        first_dof += block.state.shape[1]
        first_row += block.rows.shape[0]
    dofs: list[int] = []
    rows: list[int] = []
    for place in places:
        dof_offset, row_offset = offsets[id(place.block)]
        rows.append(row_offset + place.row)
        dofs.extend(range(dof_offset + place.first, dof_offset + place.first + place.count))
    if not places:
        return Block(np.zeros((STATE_ROWS, 0)), np.zeros((len(DOF_DEFAULTS), 0)), np.zeros((0, NUMBERS)))
    return Block(
        np.ascontiguousarray(_joined([block.state for block in blocks], 1)[:, dofs]),
        np.ascontiguousarray(_joined([block.dofs for block in blocks], 1)[:, dofs]),
        np.ascontiguousarray(_joined([block.rows for block in blocks], 0)[rows]),
    )


def _inserted(array: FloatArray, index: int, between: FloatArray, axis: int) -> FloatArray:
    before, after = np.split(array, [index], axis=axis)
    return np.ascontiguousarray(np.concatenate([before, between, after], axis=axis))


def _joined(arrays: list[FloatArray], axis: int) -> FloatArray:
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays, axis=axis)
