"""Joint paths through many poses."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kido.typing import FloatArray
from kido.values import Value, read_only, value

__all__ = ["JointPath"]


@value
class JointPath(Value):
    """Positions for poses, one after the other. Its arrays are read-only.

    Attributes:
        positions: (n, k) of the dofs that move [rad, m].
        dof_names: their names (k,).
        reached: (n,) whether each pose is reached, within the limits.
        largest_change: of each dof from a pose to the next (k,) that is no jump [rad, m].
    """

    positions: FloatArray = read_only()
    dof_names: tuple[str, ...]
    reached: NDArray[np.bool_] = read_only()
    largest_change: FloatArray = read_only()

    @property
    def changes(self) -> FloatArray:
        """Change (n - 1, k) of each dof from a pose to the next [rad, m]."""
        return np.diff(self.positions, axis=0)

    @property
    def jumps(self) -> tuple[int, ...]:
        """Indices of poses to which a dof moves by more than its largest change from the pose before."""
        far = (np.abs(self.changes) > self.largest_change).any(axis=1)
        return tuple(int(i) + 1 for i in np.flatnonzero(far))

    @property
    def missed(self) -> tuple[int, ...]:
        """Indices of poses that are not reached."""
        return tuple(int(i) for i in np.flatnonzero(~self.reached))

    @property
    def success(self) -> bool:
        """Whether every pose is reached, without a jump."""
        return bool(self.reached.all()) and not self.jumps

    @property
    def message(self) -> str:
        """The outcome in words: no connection without a jump was found where there is one."""
        n = len(self.positions)
        if self.success:
            return f"all {n} poses reached without a jump"
        told = []
        if self.missed:
            told.append(f"{len(self.missed)} of {n} poses not reached, the first at {self.missed[0]}")
        if self.jumps:
            first = self.jumps[0]
            change = np.abs(self.changes[first - 1])
            worst = int(np.argmax(change / self.largest_change))
            told.append(
                f"no connection found to the pose at {first}, where {self.dof_names[worst]!r} jumps by "
                f"{change[worst]:.3g}" + (f" ({len(self.jumps)} jumps in all)" if len(self.jumps) > 1 else "")
            )
        return "; ".join(told)

    def __bool__(self) -> bool:
        return self.success

    def __len__(self) -> int:
        return len(self.positions)
