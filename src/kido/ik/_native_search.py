"""The native search for poses: many starts and targets side by side.

Damped least squares with an active set of joint limits; damping after Sugihara (2011). The answer for a
target is that of the first start that reaches it, in the order of starts, so it depends on nothing but the
target and the settings.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kido import _core
from kido.ik._result import IKResults
from kido.ik._settings import SearchSettings
from kido.tree import Tree
from kido.typing import FloatArray

__all__ = ["PosePlan", "seed_range"]

_OPEN_TURN, _OPEN_SLIDE = np.pi, 1.0


@dataclass(frozen=True, slots=True, eq=False)
class PosePlan:
    """What stays the same from one target to the next.

    Attributes:
        tree, body, point: the robot, the body, and the frame (4, 4) on it that is to be at the targets [m].
        path: indices of the dofs that move the body, root first.
        dofs: indices of those that may be moved; own: their places in `path`; names: their names.
        ranges: (5, len(path)) limits, range of random starts, whether the dof may be moved.
        settings: of the search.
    """

    tree: Tree
    body: int
    point: FloatArray
    path: NDArray[np.int64]
    dofs: NDArray[np.int64]
    own: NDArray[np.int64]
    names: tuple[str, ...]
    ranges: FloatArray
    settings: SearchSettings

    @classmethod
    def make(
        cls,
        tree: Tree,
        body: int,
        point: FloatArray,
        path: list[int],
        dofs: list[int],
        settings: SearchSettings,
    ) -> PosePlan:
        """Plan a search for the dofs `dofs` of a body that those of `path` move."""
        low, high = seed_range(tree, path)
        moves = np.isin(path, dofs).astype(np.float64)
        ranges = np.stack([tree.lower_limits[path], tree.upper_limits[path], low, high, moves])
        own = np.array([path.index(dof) for dof in dofs], dtype=np.int64)
        names = tuple(tree.dof_names[dof] for dof in dofs)
        return cls(tree, body, point, np.array(path), np.array(dofs), own, names, ranges, settings)

    def search(self, targets: FloatArray, starts: FloatArray) -> IKResults:
        """Positions for targets (n, 4, 4) [m] from starts (1 or n, len(path)) [rad, m]."""
        s = self.settings
        rows = np.empty((len(targets), 12))
        rows[:, :9] = targets[:, :3, :3].transpose(0, 2, 1).reshape(-1, 9)
        rows[:, 9:] = targets[:, :3, 3]
        positions, angular, linear, reached, start, iterations = _core.solve_poses(
            self.tree,
            self.body,
            self.point,
            rows,
            starts,
            self.ranges,
            s.numbers,
            s.max_iterations,
            s.max_starts,
            s.seed,
        )
        return IKResults(positions[:, self.own], self.names, reached, angular, linear, start, iterations)


def seed_range(tree: Tree, dofs: list[int]) -> tuple[FloatArray, FloatArray]:
    """Finite ranges (k,), (k,) [rad, m] that random starts are drawn from: the limits, else a turn or 2 m."""
    lower, upper = tree.lower_limits[dofs], tree.upper_limits[dofs]
    reach = np.where(tree.slides[dofs], _OPEN_SLIDE, _OPEN_TURN)
    low = np.where(np.isfinite(lower), lower, np.where(np.isfinite(upper), upper - 2.0 * reach, -reach))
    high = np.where(np.isfinite(upper), upper, np.where(np.isfinite(lower), lower + 2.0 * reach, reach))
    return low, high
