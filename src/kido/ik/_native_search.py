"""The native search for poses: many starts and targets side by side.

Damped least squares with an active set of joint limits; damping after Sugihara (2011). The answer for a target is that of
the first start that reaches it, in the order of starts, so it depends on nothing but the target and the settings.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kido import _core
from kido.ik._settings import SearchSettings
from kido.tree import Tree
from kido.typing import FloatArray

__all__ = ["SearchOutcome", "seed_range", "search_poses"]

_OPEN_TURN, _OPEN_SLIDE = np.pi, 1.0


@dataclass(frozen=True, slots=True)
class SearchOutcome:
    """Positions (n, k), errors [rad], [m], whether reached, which start, its iterations (n,)."""

    positions: FloatArray
    angular_error: FloatArray
    linear_error: FloatArray
    reached: np.ndarray
    start: np.ndarray
    iterations: np.ndarray


def search_poses(
    tree: Tree,
    body: int,
    point: FloatArray,
    targets: FloatArray,
    starts: FloatArray,
    path: list[int],
    moves: np.ndarray,
    settings: SearchSettings,
) -> SearchOutcome:
    """Search positions of the dofs that move a body.

    Args:
        tree: the robot.
        body: index of the body.
        point: frame (4, 4) on the body that is to be at the target [m].
        targets: (n, 4, 4) in the world [m].
        starts: (1 or n, k) positions of the dofs of `path` [rad, m].
        path: indices of the dofs that move the body, root first.
        moves: (k,) which of them may be moved.
        settings: of the search.
    """
    lower, upper = tree.lower_limits[path], tree.upper_limits[path]
    low, high = seed_range(tree, path, starts[0])
    rows = np.concatenate([targets[:, :3, :3].transpose(0, 2, 1).reshape(-1, 9), targets[:, :3, 3]], axis=1)
    s = settings
    numbers = np.array(
        [
            s.angular_weight,
            s.linear_weight,
            s.angular_tolerance,
            s.linear_tolerance,
            s.largest_step,
            s.damping,
            s.least_damping,
        ]
    )
    ranges = np.stack([lower, upper, low, high, moves.astype(np.float64)])
    outcome = _core.solve_poses(
        tree, body, point, rows, starts, ranges, numbers, s.max_iterations, s.max_starts, s.seed
    )
    return SearchOutcome(*outcome)


def seed_range(tree: Tree, dofs: list[int], around: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Finite ranges (k,), (k,) [rad, m] that random starts are drawn from: the limits, else one turn or 1 m around."""
    lower, upper = tree.lower_limits[dofs], tree.upper_limits[dofs]
    slides = tree.slides[dofs]
    reach = np.where(slides, _OPEN_SLIDE, _OPEN_TURN)
    low = np.where(np.isfinite(lower), lower, np.where(np.isfinite(upper), upper - 2.0 * reach, around - reach))
    high = np.where(np.isfinite(upper), upper, np.where(np.isfinite(lower), lower + 2.0 * reach, around + reach))
    return low, high
