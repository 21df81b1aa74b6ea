"""Results of a step, or of many."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kido.ik._differential._differential_task import DifferentialTask
from kido.ik._differential._scaled_step import ActiveLimit, DifferentialIKStatus
from kido.typing import FloatArray, read_only
from kido.values import Value, checked, register, value

__all__ = [
    "ConvergenceStatus",
    "DifferentialIKConvergence",
    "DifferentialIKStep",
    "DifferentialIKSteps",
    "Layout",
]

_SOLVED = 0


class Layout(NamedTuple):
    """Layout of the arrays of a step.

    Attributes:
        tasks: in the order of their errors, as they were given: (task, first row).
        dofs: dof of each unknown.
        rows: names of the limits by rows, one for each row.
    """

    tasks: tuple[tuple[DifferentialTask, int], ...]
    dofs: tuple[int, ...]
    rows: tuple[str, ...]


def status_of(code: int) -> DifferentialIKStatus:
    """Outcome of a program of native code."""
    return DifferentialIKStatus.SOLUTION_FOUND if code == _SOLVED else DifferentialIKStatus.NO_SOLUTION


class DifferentialIKStep:
    """Velocities that serve the tasks within the limits. As an array, it is these velocities."""

    __slots__ = ("_found", "_layout")

    def __init__(
        self, found: tuple[FloatArray, int, int, FloatArray, FloatArray, bool], layout: Layout
    ) -> None:
        """Used by `DifferentialIK.solve`."""
        self._found = found
        self._layout = layout

    @property
    def velocities(self) -> FloatArray:
        """(num_dofs,) [rad/s, m/s]; zeros where there is no solution. Read-only."""
        return self._found[0]

    @property
    def iterations(self) -> int:
        """Changes of the active set."""
        return self._found[2]

    @property
    def is_relaxed(self) -> bool:
        """Whether limits by rows contradicted each other or those of dofs, and were widened by as little as
        possible: as where the robot is beyond them, and cannot come back in a step."""
        return self._found[5]

    @property
    def status(self) -> DifferentialIKStatus:
        """Outcome: NO_SOLUTION where equations and limits contradict each other."""
        return status_of(self._found[1])

    @property
    def success(self) -> bool:
        """Whether there is a solution."""
        return self._found[1] == _SOLVED

    def error(self, task: DifferentialTask) -> FloatArray:
        """Error (rows,) of a task before the step [rad, m]. Raises ValueError for a task of another
        problem."""
        for known, first in self._layout.tasks:
            if known is task:
                return read_only(self._found[3][first : first + task.rows])
        raise ValueError(f"task: expected one of the {len(self._layout.tasks)} of the problem")

    @property
    def active_limits(self) -> tuple[ActiveLimit, ...]:
        """The limits that velocities reach: of dofs, kind "dof", and by rows, kind: the limit's class."""
        n, sides = len(self._layout.dofs), self._found[4]
        return tuple(
            ActiveLimit(
                "dof" if i < n else self._layout.rows[i - n],
                self._layout.dofs[i] if i < n else int(i) - n,
                "lower" if sides[i] < 0.0 else "upper",
            )
            for i in np.flatnonzero(sides)
        )

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.velocities, dtype=dtype)

    def __len__(self) -> int:
        return len(self.velocities)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.velocities)

    def __bool__(self) -> bool:
        return self.success

    def __repr__(self) -> str:
        return f"<DifferentialIKStep: {self.status}, velocities {self.velocities.tolist()}>"


class DifferentialIKSteps:
    """Velocities of many states, one step each. Its arrays are read-only.

    Attributes:
        velocities: (..., num_dofs) [rad/s, m/s]; zeros where there is no solution.
        success: (...) whether there is a solution.
        iterations: (...) changes of the active set.
        is_relaxed: (...) whether limits by rows were widened.
    """

    __slots__ = ("_errors", "_layout", "is_relaxed", "iterations", "success", "velocities")

    def __init__(self, found: Any, shape: tuple[int, ...], layout: Layout) -> None:
        """Used by `DifferentialIK.solve_batch`."""
        velocities, codes, iterations, errors, _, relaxed = found
        self.velocities: FloatArray = read_only(velocities.reshape(*shape, velocities.shape[-1]))
        self.success: NDArray[np.bool_] = (codes == _SOLVED).reshape(shape)
        self.iterations: NDArray[np.intc] = iterations.reshape(shape)
        self.is_relaxed: NDArray[np.bool_] = relaxed.reshape(shape)
        for array in (self.success, self.iterations, self.is_relaxed):
            array.setflags(write=False)
        self._errors = errors.reshape(*shape, errors.shape[-1])
        self._layout = layout

    def error(self, task: DifferentialTask) -> FloatArray:
        """Errors (..., rows) of a task [rad, m]. Raises ValueError for a task of another problem."""
        for known, first in self._layout.tasks:
            if known is task:
                return read_only(self._errors[..., first : first + task.rows])
        raise ValueError(f"task: expected one of the {len(self._layout.tasks)} of the problem")


@register
class ConvergenceStatus(str, Enum):
    """Outcome of many steps towards the tasks."""

    SOLVED = "solved"
    """The errors of all tasks that have to converge are within the tolerance."""
    STUCK = "stuck"
    """Steps do not reduce the errors any more, nor do they after leaps to other positions: limits, or other
    tasks, are in the way."""
    NO_SOLUTION = "no solution"
    """Equations and limits contradict each other."""
    MAX_STEPS = "max_steps"
    """The number of steps ran out."""

    def __str__(self) -> str:
        return self.value


@value
class DifferentialIKConvergence(Value):
    """End of a sequence of steps, and its reason.

    Attributes:
        positions: (num_dofs,) [rad, m]; where tasks are not done, the nearest that were found: those with the
            least weighted squares of errors.
        status: outcome.
        steps: how many were made.
        error: the largest component with a weight of the errors that had to converge [rad, m].
    """

    positions: FloatArray = checked()
    status: ConvergenceStatus
    steps: int
    error: float

    def _check(self) -> None:
        object.__setattr__(self, "positions", read_only(np.array(self.positions)))

    @property
    def success(self) -> bool:
        """Whether the status is SOLVED."""
        return self.status is ConvergenceStatus.SOLVED

    def __bool__(self) -> bool:
        return self.success
