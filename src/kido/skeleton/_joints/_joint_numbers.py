"""Numbers of a joint: where it sits, and those of its dofs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from kido import _core
from kido.errors import RemovedError
from kido.skeleton._data import (
    ACTUATOR,
    COMMAND,
    FORCE,
    SkeletonData,
    Slot,
)
from kido.skeleton._dof_arrays import (
    PROPERTIES,
    STATE_UNITS,
    STATES,
    DofArrays,
    DofMapping,
    DofProperty,
    check_bounds,
)
from kido.skeleton._joints._actuator import ACTUATORS, ActuatorType
from kido.skeleton._names import checked_index
from kido.skeleton._nodes._addon import AddonManager
from kido.skeleton._placement import placement
from kido.tree import T_CHILD_JOINT, T_PARENT_JOINT
from kido.typing import ArrayLike, FloatArray, TransformLike, frozen_array, read_only

__all__ = ["JointNumbers"]

_IDENTITY = np.eye(4)


class JointNumbers(DofArrays, AddonManager):
    """Place, positions to commands, limits, springs and so on of a joint.

    Attributes:
        _data: where they stand; None once the joint was removed.
        _row, _first: the joint's row among the bodies there, and its first dof.
    """

    __slots__ = ("_data", "_first", "_row")

    num_dofs: ClassVar[int] = 0
    """Number of degrees of freedom."""

    _data: SkeletonData | None
    _row: int
    _first: int

    @property
    def name(self) -> str:
        """Name of the joint."""
        raise NotImplementedError

    def _compiled_state(self) -> _core.State | None:
        """The state of the skeleton's compiled tree; None where there is none."""
        raise NotImplementedError

    def _follow_leaders(self, row: int) -> None:
        """Positions or velocities were written into the data: move the dofs that follow others."""
        raise NotImplementedError

    def _structure_changed(self) -> None:
        raise NotImplementedError

    def _dynamics_changed(self) -> None:
        raise NotImplementedError

    # ---- where the joint sits

    @property
    def T_parent_joint(self) -> FloatArray:
        """Pose (4, 4) of the joint in the parent body [m]. Set: a transform, or a translation (3,)."""
        return self._offset(T_PARENT_JOINT)

    @T_parent_joint.setter
    def T_parent_joint(self, transform: TransformLike) -> None:
        self._write_row(T_PARENT_JOINT, placement("T_parent_joint", transform)[:3].ravel())

    @property
    def T_child_joint(self) -> FloatArray:
        """Pose (4, 4) of the joint in the child body [m]. Set: a transform, or a translation (3,)."""
        return self._offset(T_CHILD_JOINT)

    @T_child_joint.setter
    def T_child_joint(self, transform: TransformLike) -> None:
        self._write_row(T_CHILD_JOINT, placement("T_child_joint", transform)[:3].ravel())

    def _offset(self, part: slice) -> FloatArray:
        T = _IDENTITY.copy()
        T[:3] = self._home().rows[self._row, part].reshape(3, 4)
        return read_only(T)

    def _write_row(self, part: slice | int, values: Any) -> None:
        self._home().writable_rows()[self._row, part] = values
        self._structure_changed()

    # ---- where the numbers stand

    def _home(self) -> SkeletonData:
        if self._data is None:
            raise RemovedError("joint", self.name)
        return self._data

    def _check_alive(self) -> None:
        self._home()

    def _slot(self) -> Slot:
        return Slot(self._home(), self._row, self._first, self.num_dofs)

    def _slice(self) -> slice:
        return slice(self._first, self._first + self.num_dofs)

    def _code(self, column: int) -> int:
        return int(self._home().codes[self._row, column])

    def _write_code(self, column: int, code: int) -> None:
        self._home().write_codes(self._row, column, code)

    @property
    def _actuator(self) -> ActuatorType:
        return ACTUATORS[self._code(ACTUATOR)]

    # ---- constants of dofs

    def _get_property(self, prop: DofProperty) -> FloatArray:
        return _core.frozen_row(self._home().dofs, prop.row, self._first, self.num_dofs)

    def _set_property(self, name: str, prop: DofProperty, values: ArrayLike | DofMapping) -> None:
        if isinstance(values, Mapping):
            values = self._named(self._get_property(prop), name, values, prop.unit)
        array = prop.check(name, values, self.num_dofs)
        check_bounds(name, prop, array, self._home(), self._slice())
        self._home().writable_dofs()[prop.row, self._slice()] = array
        if prop.in_tree:
            self._structure_changed()
        self._dynamics_changed()

    def set_position_limits(self, lower: ArrayLike, upper: ArrayLike) -> None:
        """Set both limits (num_dofs,) [rad, m] at once, a number standing for all; infinity is no limit.

        Raises TypeError or ValueError, naming the argument.
        """
        low = PROPERTIES["position_lower_limits"].check("lower", lower, self.num_dofs)
        high = PROPERTIES["position_upper_limits"].check("upper", upper, self.num_dofs)
        if (low > high).any() or (low == np.inf).any() or (high == -np.inf).any():
            raise ValueError(f"lower: expected no number above upper, got {low.tolist()} and {high.tolist()}")
        self.position_lower_limits = -np.inf
        self.position_upper_limits = high
        self.position_lower_limits = low

    def has_position_limit(self, index: int) -> bool:
        """Whether dof number `index` has a finite limit of position."""
        dof = checked_index("dof", index, self.num_dofs)
        bounds = self.position_lower_limits[dof], self.position_upper_limits[dof]
        return bool(np.isfinite(bounds).any())

    # ---- numbers that change in time

    def _get_state(self, row: int) -> FloatArray:
        data = self._home()
        native = data.native
        if native is None:
            return _core.frozen_row(data.numbers, row, self._first, self.num_dofs)
        return native.frozen(row, self._first, self.num_dofs)

    def _set_state(self, name: str, row: int, values: ArrayLike | DofMapping) -> None:
        if isinstance(values, Mapping):
            values = self._named(self._get_state(row), name, values, STATES[name][1])
        if row == COMMAND:
            self._refuse_commands(values)
        self._write_state(name, row, values)
        if row == FORCE and self._actuator is ActuatorType.FORCE:
            self._write_state(name, COMMAND, values)

    def _refuse_commands(self, values: ArrayLike) -> None:
        if not self._actuator.takes_commands and np.any(np.asarray(values) != 0.0):
            raise ValueError(f"commands: {self.name!r} takes none, its actuator type is {self._actuator}")

    def _write_state(self, name: str, row: int, values: ArrayLike) -> None:
        state = self._compiled_state()
        if np.ndim(values) == 0 and self.num_dofs:
            values = np.full(self.num_dofs, values)
        if state is not None:
            state.set_part(row, self._first, self.num_dofs, name, values)
            return
        array = frozen_array(name, values, (self.num_dofs,), STATE_UNITS[row])
        self._home().state[row, self._slice()] = array
        self._follow_leaders(row)
