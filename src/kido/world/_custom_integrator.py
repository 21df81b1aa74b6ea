"""Integrators of the user's own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from kido import _core
from kido.tree import Tree
from kido.typing import ArrayLike, FloatArray, frozen_array
from kido.values import Value, value

__all__ = ["CustomIntegrator", "SmoothMotion"]


@dataclass(frozen=True, eq=False)
class SmoothMotion:
    """A skeleton that nothing touches in a step, and how it would move.

    Velocities are those of the joints: of ball and free joints twists in the axes of the child, which are not
    the rates of the positions. `integrate` moves on the joints' groups.

    Attributes:
        skeleton: its name.
        positions, velocities: (num_dofs,) at the start of the step [rad, m; rad/s, m/s]; read-only.
        time_step: [s].
    """

    skeleton: str
    positions: FloatArray
    velocities: FloatArray
    time_step: float
    _native: _core.World
    _index: int
    _tree: Tree

    @property
    def num_dofs(self) -> int:
        """Dofs of the skeleton."""
        return len(self.positions)

    def accelerations(self, positions: ArrayLike, velocities: ArrayLike) -> FloatArray:
        """Accelerations (num_dofs,) [rad/s^2, m/s^2] at positions and velocities (num_dofs,)
        [rad, m; rad/s, m/s], under the step's commands, springs, dampers, external forces and gravity.

        Raises TypeError or ValueError, naming the argument.
        """
        q = np.array(frozen_array("positions", positions, (self.num_dofs,), "rad, m"))
        v = np.array(frozen_array("velocities", velocities, (self.num_dofs,), "rad/s, m/s"))
        return self._native.accelerations(self._index, q, v)

    def integrate(self, positions: ArrayLike, velocities: ArrayLike, time: float) -> FloatArray:
        """Positions (num_dofs,) [rad, m] after a time [s] at constant velocities (num_dofs,), on the group
        for ball and free joints. Raises TypeError or ValueError, naming the argument."""
        return self._tree.integrate(positions, velocities, time)

    def difference(self, start: ArrayLike, end: ArrayLike) -> FloatArray:
        """The constant velocities (num_dofs,) [rad/s, m/s] that lead from start to end (num_dofs,) [rad, m]
        in a second. Raises TypeError or ValueError, naming the argument."""
        return self._tree.difference(start, end)


@value
class CustomIntegrator(Value, ABC):
    """Integrator in Python of skeletons in a step in which nothing touches, holds or drives them.

    One of your own derives from it, and has `advance`. With it, all skeletons that move are trees to the
    world, single rigid bodies too. It is a frozen value: what it is told are fields of the class, decorated
    by `kido.values.value`; clones of a world share it, and pickles hold it.
    """

    @abstractmethod
    def advance(self, motion: SmoothMotion) -> tuple[ArrayLike, ArrayLike]:
        """Positions and velocities (num_dofs,) [rad, m; rad/s, m/s] of a skeleton at the end of a step."""
