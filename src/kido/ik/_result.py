"""What a search for positions gives."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from kido.typing import FloatArray

__all__ = ["IKResult", "IKResults", "IKStatus"]


class IKStatus(str, Enum):
    """How a search ended."""

    SOLVED = "solved"
    """The target is reached, within the limits of the joints."""
    NOT_REACHED = "not reached"
    """No start reached the target; the positions are those that came nearest."""

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True, eq=False)
class IKResult:
    """Positions that put a body at a target, or as near as the search came.

    Attributes:
        positions: (k,) of the dofs of the module [rad, m].
        dof_names: their names.
        status: how the search ended.
        angular_error, linear_error: what is left between body and target [rad], [m].
        start: which start gave the positions; 0 is the given one.
        iterations: of that start.
    """

    positions: FloatArray
    dof_names: tuple[str, ...]
    status: IKStatus
    angular_error: float
    linear_error: float
    start: int
    iterations: int

    @property
    def success(self) -> bool:
        """Whether the target is reached."""
        return self.status is IKStatus.SOLVED

    @property
    def message(self) -> str:
        """The outcome in words."""
        left = f"{self.linear_error:.3g} m and {self.angular_error:.3g} rad from the target"
        if self.success:
            return f"solved: {left}, by start {self.start} in {self.iterations} iterations"
        return f"not reached: {left}; out of reach, or between limits that no start got around"

    def __bool__(self) -> bool:
        return self.success


@dataclass(frozen=True, slots=True, eq=False)
class IKResults:
    """Positions for many targets; entry i of each array belongs to target i.

    Attributes:
        positions: (..., k) of the dofs of the module [rad, m].
        dof_names: their names.
        success: (...) whether the target is reached.
        angular_error, linear_error: (...) what is left [rad], [m].
        start: (...) which start gave the positions; 0 is the given one.
        iterations: (...) of that start.
    """

    positions: FloatArray
    dof_names: tuple[str, ...]
    success: NDArray[np.bool_]
    angular_error: FloatArray
    linear_error: FloatArray
    start: NDArray[np.int32]
    iterations: NDArray[np.int32]

    @classmethod
    def of(cls, dof_names: tuple[str, ...], results: list[IKResult]) -> IKResults:
        """Many results for the same dofs as one."""
        rows = [(r.success, r.angular_error, r.linear_error, r.start, r.iterations) for r in results]
        columns = np.array(rows, dtype=np.float64).reshape(-1, 5).T
        positions = np.array([r.positions for r in results]).reshape(len(results), len(dof_names))
        start, iterations = columns[3:].astype(np.int32)
        return cls(positions, dof_names, columns[0].astype(bool), columns[1], columns[2], start, iterations)

    def __len__(self) -> int:
        return len(self.positions)

    def __getitem__(self, index: int) -> IKResult:
        status = IKStatus.SOLVED if self.success[index] else IKStatus.NOT_REACHED
        return IKResult(
            self.positions[index],
            self.dof_names,
            status,
            float(self.angular_error[index]),
            float(self.linear_error[index]),
            int(self.start[index]),
            int(self.iterations[index]),
        )
