"""Results for waypoints."""

from __future__ import annotations

from enum import Enum

import numpy as np

from kido.typing import FloatArray
from kido.values import Value, read_only, register, value

__all__ = ["WaypointPath", "WaypointResult", "WaypointStatus"]


@register
class WaypointStatus(str, Enum):
    """Outcome of a waypoint."""

    REACHED = "reached"
    """The frame is there within the tolerances, the joints within their limits."""
    NOT_REACHED = "not reached"
    """No seed led there; the positions are those that came nearest."""
    TIMED_OUT = "timed out"
    """The time budget ended the search; the positions are those that came nearest."""
    STOPPED = "stopped"
    """`keep_going` said no; the positions are those that came nearest."""

    def __str__(self) -> str:
        return self.value


@value
class WaypointResult(Value):
    """Result of one waypoint. Its arrays are read-only.

    Attributes:
        status: outcome.
        positions: (num_dofs,) of the skeleton [rad, m].
        position_error: distance (3,) from the pose along the axes of the world, or of the frame in which the
            pose is given [m].
        orientation_error: angle between the axes of pose and frame [rad], whether it counts or not.
        solves: programs that were solved.
        relaxations: times that a tolerance was grown.
        seeds: random postures that were started from; 0 means the posture before.
    """

    status: WaypointStatus
    positions: FloatArray = read_only()
    position_error: FloatArray = read_only()
    orientation_error: float
    solves: int
    relaxations: int
    seeds: int

    @property
    def success(self) -> bool:
        """Whether the waypoint is reached within its tolerances."""
        return self.status is WaypointStatus.REACHED

    @property
    def message(self) -> str:
        """The outcome in words."""
        off = f"{float(np.abs(self.position_error).max()):.3g} m and {self.orientation_error:.3g} rad off"
        return f"{self.status}: {off}, after {self.solves} programs and {self.seeds} random seeds"

    def __bool__(self) -> bool:
        return self.success


@value
class WaypointPath(Value):
    """Positions for waypoints, one after the other. Its array is read-only.

    Attributes:
        start: (num_dofs,) before the first waypoint [rad, m].
        results: one for each waypoint up to the end, or up to the first that was not reached.
        num_waypoints: how many there were.
        dof_names: names of the dofs (num_dofs,).
    """

    start: FloatArray = read_only()
    results: tuple[WaypointResult, ...]
    num_waypoints: int
    dof_names: tuple[str, ...]

    @property
    def positions(self) -> FloatArray:
        """(n, num_dofs) of the results [rad, m]."""
        return np.array([result.positions for result in self.results]).reshape(-1, len(self.start))

    @property
    def success(self) -> bool:
        """Whether every waypoint is reached within its tolerances."""
        return len(self.results) == self.num_waypoints and all(self.results)

    @property
    def failed(self) -> int | None:
        """Index of the first waypoint that is not reached; None where all are."""
        return next((i for i, result in enumerate(self.results) if not result), None)

    @property
    def message(self) -> str:
        """The outcome in words."""
        if self.failed is None:
            return f"all {self.num_waypoints} waypoints reached"
        return f"waypoint {self.failed} of {self.num_waypoints}: {self.results[self.failed].message}"

    def __bool__(self) -> bool:
        return self.success

    def __len__(self) -> int:
        return len(self.results)
