"""Forward dynamics of a skeleton by itself, against the tree's method that does the work."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from benchmarks import _states
from benchmarks._measure import STATES, Block, Effort, fastest
from benchmarks._operations import ABA, ABA_ACTUATORS, ABA_SPRINGS
from benchmarks._peers._kido import KidoSkeleton
from benchmarks._robots import RobotFile
from benchmarks._skeleton._questions import MOST_OVER_KERNEL
from benchmarks._table import Table, duration, verdict

_NAMES = {ABA: "by commands", ABA_SPRINGS: "springs, dampers", ABA_ACTUATORS: "every third dof accelerated"}


@dataclass(frozen=True)
class KernelRow:
    """Times [s] of one call of a skeleton, and of the tree's method for the same answer."""

    robot: str
    operation: str
    skeleton: float
    tree: float

    @property
    def excess(self) -> float:
        """Time that the skeleton adds [s]."""
        return self.skeleton - self.tree

    def cells(self) -> list[str]:
        """Text of a table row."""
        times = [duration(self.skeleton), duration(self.tree), duration(self.excess)]
        target = f"<= {duration(MOST_OVER_KERNEL)}"
        return [self.robot, _NAMES[self.operation], *times, target, verdict(MOST_OVER_KERNEL, self.excess)]

    def record(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {**asdict(self), "excess": self.excess}


def measure(robot: RobotFile, effort: Effort) -> list[KernelRow]:
    """Rows of all kinds of forward dynamics. Raises RuntimeError where both do not agree."""
    own = KidoSkeleton(robot)
    states = _states.draw(robot.dofs, STATES)
    rows = []
    for operation in _NAMES:
        skeleton, kernel = own.kernel(operation, states)
        skeleton.compute_forward_dynamics()
        answer = kernel()
        expected = answer[0] if isinstance(answer, tuple) else answer
        if not np.array_equal(skeleton.accelerations, expected):
            raise RuntimeError(f"{robot.name}, {operation}: the skeleton and its tree do not agree")
        candidates = {"skeleton": Block(skeleton.compute_forward_dynamics), "tree": Block(kernel)}
        rows.append(KernelRow(robot.name, operation, **fastest(candidates, effort)))
    return rows


def table(rows: list[KernelRow]) -> Table:
    """The rows of all robots."""
    columns = ["robot", "forward dynamics", "skeleton", "tree", "more", "target", ""]
    note = "`compute_forward_dynamics()` alone, and `forward_dynamics` or `hybrid_dynamics` of its tree"
    return Table("Forward dynamics beside its kernel", columns, [row.cells() for row in rows], [note])
