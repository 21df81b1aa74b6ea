"""Numbers of all dofs of a skeleton, in its data and in the state of its compiled tree."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from kido import _core
from kido.skeleton._answers._answers import Answers
from kido.skeleton._data import ACCELERATION, FORCE, POSITION, VELOCITY
from kido.skeleton._dof_arrays import STATES, DofArrays, DofMapping, DofProperty, check_bounds
from kido.typing import ArrayLike, FloatArray

__all__ = ["SkeletonNumbers"]


class SkeletonNumbers(DofArrays):
    """Positions to commands, limits, springs and so on of all dofs, one after the other."""

    __slots__ = ()

    _answers: Answers

    @property
    def num_dofs(self) -> int:
        """Number of degrees of freedom."""
        return int(self._answers.data.state.shape[1])

    @property
    def locked_dofs(self) -> frozenset[int]:
        """Indices of the dofs of joints whose actuator is `locked`."""
        return self._answers.data.locked

    def _drop_tree(self) -> None:
        """Forget what was compiled."""
        raise NotImplementedError

    def _refuse_commands(self, values: ArrayLike) -> None:
        """Raises ValueError where a joint that takes no commands would get some."""
        raise NotImplementedError

    def _get_property(self, prop: DofProperty) -> FloatArray:
        return _core.frozen_row(self._answers.data.dofs, prop.row)

    def _set_property(self, name: str, prop: DofProperty, values: ArrayLike | DofMapping) -> None:
        if isinstance(values, Mapping):
            values = self._named(self._get_property(prop), name, values, prop.unit)
        array = prop.check(name, values, self.num_dofs)
        check_bounds(name, prop, array, self._answers.data, slice(None))
        self._answers.data.writable_dofs()[prop.row] = array
        self._answers.dynamics_changed()
        if prop.in_tree:
            self._drop_tree()

    def _get_state(self, row: int) -> FloatArray:
        return _core.frozen_row(self._answers.data.state, row)

    def _set_state(self, name: str, row: int, values: ArrayLike | DofMapping) -> None:
        if type(values) is not np.ndarray and isinstance(values, Mapping):
            values = self._named(self._get_state(row), name, values, STATES[name][1])
        state = self._answers.state or self._answers.compiled()
        if row == POSITION:
            state.positions = values
        elif row == VELOCITY:
            state.velocities = values
        elif row == ACCELERATION:
            state.accelerations = values
        elif row == FORCE:
            state.forces = values
            state.command_forces(self._answers.data.actuators)
        else:
            self._refuse_commands(values)
            state.commands = values
