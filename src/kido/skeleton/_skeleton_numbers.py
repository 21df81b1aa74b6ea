"""Numbers of all dofs of a skeleton, in its data and in the state of its compiled tree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import SupportsIndex

import numpy as np

from kido import _core
from kido.skeleton._answers._answers import Answers
from kido.skeleton._answers._quantity import undisturbed
from kido.skeleton._data import ACCELERATION, FORCE, POSITION, VELOCITY
from kido.skeleton._dof_arrays import STATES, DofArrays, DofMapping, DofProperty, check_bounds
from kido.typing import ArrayLike, FloatArray, frozen_array

__all__ = ["SkeletonNumbers"]


class SkeletonNumbers(DofArrays):
    """Positions to commands, limits, springs and so on of all dofs, one after the other."""

    __slots__ = ()

    _answers: Answers

    @property
    def num_dofs(self) -> int:
        """Number of degrees of freedom."""
        return int(self._answers.data.numbers.shape[1])

    @property
    def locked_dofs(self) -> frozenset[int]:
        """Indices of the dofs of joints whose actuator is `locked`."""
        return self._answers.data.locked

    # ---- motion

    def random_positions(
        self, rng: np.random.Generator, size: SupportsIndex | tuple[int, ...] = ()
    ) -> FloatArray:
        """Positions drawn uniformly within the limits, as `Tree.random_positions` draws them.

        Nothing moves. Joints that follow others are drawn like the others, and follow where the positions
        are set.

        Args:
            rng: where the numbers come from.
            size: leading shape of the result.

        Returns:
            (*size, num_dofs) [rad, m].

        Raises:
            TypeError: rng is not a numpy.random.Generator.
            ValueError: a negative size.
        """
        return self._answers.ready_tree().random_positions(rng, size)

    @undisturbed
    def integrate_positions(self, dt: float) -> None:
        """Move for a time [s] with the present velocities: q becomes integrate(q, v, dt)."""
        self.positions = self._answers.ready_tree().integrate(self.positions, self.velocities, dt)

    @undisturbed
    def integrate_velocities(self, dt: float) -> None:
        """Change the velocities as the present accelerations do in a time [s]. Raises TypeError or
        ValueError."""
        self.velocities = self.velocities + self.accelerations * frozen_array("dt", dt, (), "s")

    def position_differences(self, start: ArrayLike, end: ArrayLike) -> FloatArray:
        """The velocity (num_dofs,) that leads from one position to another in 1 s [rad/s, m/s].

        Args:
            start: positions (num_dofs,) [rad, m].
            end: positions (num_dofs,) [rad, m].

        Raises:
            TypeError, ValueError: not numbers of that shape.
        """
        n, unit = self.num_dofs, "rad, m"
        first, last = frozen_array("start", start, (n,), unit), frozen_array("end", end, (n,), unit)
        return self._answers.ready_tree().difference(first, last)

    # ---- access

    def _drop_tree(self) -> None:
        """Forget what was compiled."""
        raise NotImplementedError

    def _refuse_commands(self, values: ArrayLike) -> None:
        """Raises ValueError where a joint that takes no commands would get some."""
        raise NotImplementedError

    def _get_property(self, prop: DofProperty) -> FloatArray:
        return _core.frozen_row(self._answers.data.dofs, prop.row)

    @undisturbed
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
        data = self._answers.data
        native = data.native
        return _core.frozen_row(data.numbers, row) if native is None else native.frozen(row)

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
