"""Data of a skeleton: every number of its dofs, bodies and joints, in arrays that native code works on.

A joint or body knows its data and its slot in it. On its own it has data to itself; in a skeleton all share
the skeleton's, dofs and bodies in the skeleton's order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kido import _core
from kido._shared_lock import SharedLock
from kido.tree import INERTIA, NUMBERS, T_CHILD_JOINT, T_PARENT_JOINT, euler_code
from kido.typing import FloatArray, read_only

__all__ = ["DOF_DEFAULTS", "SkeletonData", "Slot", "gather"]

STATE_ROWS = 5
"""Rows of `SkeletonData.state`: positions, velocities, accelerations, forces, commands."""
POSITION, VELOCITY, ACCELERATION, FORCE, COMMAND = range(STATE_ROWS)

DOF_DEFAULTS = (
    *(-np.inf, np.inf) * 4,  # limits of position, velocity, acceleration, force
    *(0.0,) * 7,  # initial position and velocity, rest position, stiffness, damping, friction, armature
    *(0.0,) * 4,  # stiffness, damping, frequency and damping ratio of limits
    0.0,  # constraint impulse
)
POSITION_LOWER = int(_core.DofConstant.POSITION_LOWER)
POSITION_UPPER = int(_core.DofConstant.POSITION_UPPER)
VELOCITY_LOWER = int(_core.DofConstant.VELOCITY_LOWER)
VELOCITY_UPPER = int(_core.DofConstant.VELOCITY_UPPER)
ACCELERATION_LOWER = int(_core.DofConstant.ACCELERATION_LOWER)
ACCELERATION_UPPER = int(_core.DofConstant.ACCELERATION_UPPER)
FORCE_LOWER = int(_core.DofConstant.FORCE_LOWER)
FORCE_UPPER = int(_core.DofConstant.FORCE_UPPER)
INITIAL_POSITION = int(_core.DofConstant.INITIAL_POSITION)
INITIAL_VELOCITY = int(_core.DofConstant.INITIAL_VELOCITY)
REST_POSITION = int(_core.DofConstant.REST_POSITION)
STIFFNESS = int(_core.DofConstant.STIFFNESS)
DAMPING = int(_core.DofConstant.DAMPING)
FRICTION = int(_core.DofConstant.FRICTION)
ARMATURE = int(_core.DofConstant.ARMATURE)
LIMIT_STIFFNESS = int(_core.DofConstant.LIMIT_STIFFNESS)
LIMIT_DAMPING = int(_core.DofConstant.LIMIT_DAMPING)
LIMIT_FREQUENCY = int(_core.DofConstant.LIMIT_FREQUENCY)
LIMIT_DAMPING_RATIO = int(_core.DofConstant.LIMIT_DAMPING_RATIO)
CONSTRAINT_IMPULSE = int(_core.DofConstant.CONSTRAINT_IMPULSE)

PARENT = int(_core.BodyCode.PARENT)
JOINT_TYPE = int(_core.BodyCode.JOINT_TYPE)
EULER_ORDER = int(_core.BodyCode.EULER_ORDER)
DOF_COUNT = int(_core.BodyCode.DOF_COUNT)
ACTUATOR = int(_core.BodyCode.ACTUATOR)
GRAVITY = int(_core.BodyCode.GRAVITY)
COLLIDABLE = int(_core.BodyCode.COLLIDABLE)
LIMITS_ENFORCED = int(_core.BodyCode.LIMITS_ENFORCED)
"""Columns of `SkeletonData.codes`: parent body (-1: the world), codes of the joint's type and order of axes,
its number of dofs and actuator; whether gravity acts on the body, whether it can touch others, whether the
joint's limits hold."""
_DEFAULT_CODES = (-1, 0, euler_code("xyz"), 0, 0, 1, 1, 1)

_replacing = SharedLock()
"""So that an array that a thread writes a copy of does not take the place of one that another made longer."""

_NO_COMMANDS = (_core.Actuator.PASSIVE, _core.Actuator.MIMIC, _core.Actuator.LOCKED)
_IDLE_ACTUATORS = [int(kind) for kind in _NO_COMMANDS]
_NO_WRENCH = read_only(np.zeros(6))
_IDENTITY_ROW = np.eye(4)[:3].ravel()

IntArray = NDArray[np.int32]


class SkeletonData:
    """State (5, dofs), constants of dofs (20, dofs), rows of bodies and joints (bodies, 41), codes of bodies
    and joints (bodies, 8), external wrenches on the bodies (bodies, 6) about their origins, in their axes;
    None where nothing acts.

    Attributes:
        numbers: the state where it stands, whose motion may be that of before the last steps of a world: for
            reading there is `state`.
        native: what works on `numbers`, once the skeleton was compiled; brings what a world has moved.

    Arrays that are shared with other data or a tree are read-only; who writes copies them first.
    """

    __slots__ = (
        "_actuators",
        "_idle",
        "_knows_idle",
        "_locked",
        "codes",
        "dofs",
        "native",
        "numbers",
        "rows",
        "wrenches",
    )

    native: _core.State | None
    wrenches: FloatArray | None
    _actuators: NDArray[np.uint8] | None
    _idle: NDArray[np.bool_] | None
    _knows_idle: bool
    _locked: frozenset[int] | None

    def __init__(
        self,
        state: FloatArray,
        dofs: FloatArray,
        rows: FloatArray,
        codes: IntArray,
        wrenches: FloatArray | None = None,
    ) -> None:
        self.numbers = state
        self.native = None
        self.dofs = dofs
        self.rows = rows
        self.codes = codes
        self.wrenches = None
        if wrenches is not None:
            self.set_wrenches(wrenches)
        self._forget_actuators()

    @classmethod
    def default(cls, num_dofs: int, joint_type: int = 0) -> SkeletonData:
        """The data of one joint and its body, massless, with nothing set."""
        dofs = np.repeat(np.array(DOF_DEFAULTS)[:, None], num_dofs, axis=1)
        rows = np.zeros((1, NUMBERS))
        rows[0, T_PARENT_JOINT] = rows[0, T_CHILD_JOINT] = _IDENTITY_ROW
        codes = np.array([_DEFAULT_CODES], dtype=np.int32)
        codes[0, JOINT_TYPE], codes[0, DOF_COUNT] = joint_type, num_dofs
        return cls(np.zeros((STATE_ROWS, num_dofs)), dofs, rows, codes)

    @property
    def state(self) -> FloatArray:
        """Positions, velocities, accelerations, forces, commands (5, num_dofs), where they stand, with what a
        world has moved."""
        native = self.native
        if native is not None:
            native.settle()
        return self.numbers

    def native_state(self, tree: _core.Tree) -> _core.State:
        """A native state that works on these numbers; that of another tree does so no more."""
        self.native = _core.State(tree, self.state)
        return self.native

    @property
    def num_dofs(self) -> int:
        """Number of degrees of freedom."""
        return int(self.numbers.shape[1])

    @property
    def num_bodies(self) -> int:
        """Number of bodies."""
        return len(self.rows)

    @property
    def actuators(self) -> NDArray[np.uint8]:
        """Actuators of the dofs (dofs,), as `kido._core.Actuator` counts."""
        kept = self._actuators
        if kept is None:
            codes = self.codes
            kept = self._actuators = _core.codes_of_dofs(codes, ACTUATOR)
            if self.codes is not codes:  # an edit by another thread
                self._forget_actuators()
        return kept

    @property
    def idle(self) -> NDArray[np.bool_] | None:
        """The dofs (dofs,) that take no commands; None where all take some."""
        if not self._knows_idle:
            actuators = self.actuators
            idle = np.isin(actuators, _IDLE_ACTUATORS)
            self._idle = idle if idle.any() else None
            self._knows_idle = self._actuators is actuators  # not so after an edit by another thread
        return self._idle

    @property
    def locked(self) -> frozenset[int]:
        """The dofs whose actuator is `locked`; the same object until actuators change."""
        kept = self._locked
        if kept is None:
            actuators = self.actuators
            kept = frozenset(np.flatnonzero(actuators == int(_core.Actuator.LOCKED)).tolist())
            self._locked = kept if self._actuators is actuators else None
        return kept

    def _forget_actuators(self) -> None:
        self._actuators = self._locked = None
        self._knows_idle = False

    # ---- writing

    def writable_dofs(self) -> FloatArray:
        """Constants of dofs, to write into."""
        if not self.dofs.flags.writeable:
            with _replacing:
                self.dofs = self.dofs.copy()
        return self.dofs

    def wrench(self, row: int) -> FloatArray:
        """External wrench (6,) on a body; read-only."""
        return _NO_WRENCH if self.wrenches is None else _core.frozen_row(self.wrenches, row)

    def all_wrenches(self) -> FloatArray:
        """External wrenches (bodies, 6), to read."""
        return np.zeros((self.num_bodies, 6)) if self.wrenches is None else self.wrenches

    def set_wrenches(self, wrenches: FloatArray) -> None:
        """Set the external wrenches on all bodies (bodies, 6)."""
        self.wrenches = np.array(wrenches, order="C") if wrenches.any() else None

    def set_wrench(self, row: int, wrench: FloatArray) -> None:
        """Set the external wrench (6,) on a body."""
        if self.wrenches is None:
            if not wrench.any():
                return
            with _replacing:
                self.wrenches = np.zeros((self.num_bodies, 6))
        self.wrenches[row] = wrench

    def writable_rows(self) -> FloatArray:
        """Rows of bodies, to write into."""
        if not self.rows.flags.writeable:
            with _replacing:
                self.rows = self.rows.copy()
        return self.rows

    def write_codes(self, rows: int | slice, column: int, codes: int | Sequence[int]) -> None:
        """Set one code of some bodies and their joints."""
        if not self.codes.flags.writeable:
            with _replacing:
                self.codes = self.codes.copy()
        self.codes[rows, column] = codes
        self._forget_actuators()

    def copy_body(self, row: int, source: SkeletonData, source_row: int) -> None:
        """Give a body what another one has apart from its joint: inertia, flags, wrench."""
        self.writable_rows()[row, INERTIA] = source.rows[source_row, INERTIA]
        for column in (GRAVITY, COLLIDABLE):
            self.write_codes(row, column, int(source.codes[source_row, column]))
        self.set_wrench(row, source.wrench(source_row))

    # ---- parts

    def insert(self, row: int, dof: int, other: SkeletonData) -> None:
        """Put other data in between, its bodies before `row`, its dofs before `dof`."""
        with _replacing:
            self.numbers, self.native = _inserted(self.state, dof, other.state, 1), None
            self.dofs = _inserted(self.dofs, dof, other.dofs, 1)
            if self.wrenches is not None or other.wrenches is not None:
                self.wrenches = _inserted(self.all_wrenches(), row, other.all_wrenches(), 0)
            self.rows = _inserted(self.rows, row, other.rows, 0)
            self.codes = _inserted(self.codes, row, other.codes, 0)
        self._forget_actuators()

    def share(self) -> SkeletonData:
        """Data with the same numbers; what is constant is not copied before somebody writes."""
        for constant in (self.dofs, self.rows, self.codes):
            constant.flags.writeable = False
        return SkeletonData(self.state.copy(), self.dofs, self.rows, self.codes, self.wrenches)

    def taken_out(self, slot: Slot) -> SkeletonData:
        """A copy of what stands in a slot, by itself."""
        part, row = slice(slot.first, slot.first + slot.num_dofs), slice(slot.row, slot.row + 1)
        alone = SkeletonData(
            self.state[:, part].copy(),
            self.dofs[:, part].copy(),
            self.rows[row].copy(),
            self.codes[row].copy(),
            None if self.wrenches is None else self.wrenches[row],
        )
        alone.write_codes(0, PARENT, -1)
        return alone


class Slot(NamedTuple):
    """Place of a body and its joint in data."""

    data: SkeletonData
    row: int
    first: int
    num_dofs: int


def gather(slots: Sequence[Slot]) -> SkeletonData:
    """Data of what stands in the given slots, in their order; parents are to be written."""
    if not slots:
        return SkeletonData(
            np.zeros((STATE_ROWS, 0)),
            np.zeros((len(DOF_DEFAULTS), 0)),
            np.zeros((0, NUMBERS)),
            np.zeros((0, len(_DEFAULT_CODES)), dtype=np.int32),
        )
    sources = list({id(slot.data): slot.data for slot in slots}.values())
    first_dof, first_row, offsets = 0, 0, {}
    for data in sources:
        offsets[id(data)] = (first_dof, first_row)
        first_dof += data.num_dofs
        first_row += data.num_bodies
    dofs: list[int] = []
    rows: list[int] = []
    for slot in slots:
        dof_offset, row_offset = offsets[id(slot.data)]
        rows.append(row_offset + slot.row)
        dofs.extend(range(dof_offset + slot.first, dof_offset + slot.first + slot.num_dofs))
    idle = all(data.wrenches is None for data in sources)
    return SkeletonData(
        np.ascontiguousarray(_joined([data.state for data in sources], 1)[:, dofs]),
        np.ascontiguousarray(_joined([data.dofs for data in sources], 1)[:, dofs]),
        np.ascontiguousarray(_joined([data.rows for data in sources], 0)[rows]),
        np.ascontiguousarray(_joined([data.codes for data in sources], 0)[rows]),
        None if idle else _joined([data.all_wrenches() for data in sources], 0)[rows],
    )


def _inserted(array: NDArray[Any], index: int, between: NDArray[Any], axis: int) -> NDArray[Any]:
    before, after = np.split(array, [index], axis=axis)
    return np.ascontiguousarray(np.concatenate([before, between, after], axis=axis))


def _joined(arrays: list[NDArray[Any]], axis: int) -> NDArray[Any]:
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays, axis=axis)
