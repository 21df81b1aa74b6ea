"""One line of the comparison: times of all libraries for one question to one robot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from benchmarks._agreement import TOLERANCE
from benchmarks._skeleton._questions import INFORMING, QUESTIONS, RIVALS, TARGET
from benchmarks._table import Table, duration, verdict


@dataclass(frozen=True)
class Row:
    """Times of one question to one robot.

    Attributes:
        robot, operation: what.
        times: time [s] by library, kido among them.
        differences: largest relative difference from kido's answer by peer.
    """

    robot: str
    operation: str
    times: dict[str, float]
    differences: dict[str, float]

    def ratio(self, name: str) -> float | None:
        """Time of a peer by that of kido; None where it has no such question or another answer."""
        if name not in self.times or self.differences[name] > TOLERANCE:
            return None
        return self.times[name] / self.times["kido"]

    @property
    def worst(self) -> float | None:
        """The smallest ratio to the libraries that the target is about."""
        ratios = [ratio for ratio in map(self.ratio, RIVALS) if ratio is not None]
        return min(ratios) if ratios else None

    def cells(self, peers: Sequence[str]) -> list[str]:
        """Text of a table row."""
        cells = [QUESTIONS[self.operation], duration(self.times["kido"])]
        cells += [self._peer_cell(name) for name in peers]
        if self.operation in INFORMING:
            return [*cells, "-", "-"]
        return [*cells, f">= {TARGET:g} x", verdict(self.worst, TARGET)]

    def record(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {**asdict(self), "ratios": {name: self.ratio(name) for name in self.differences}}

    def _peer_cell(self, name: str) -> str:
        if name not in self.times:
            return "-"
        ratio = self.ratio(name)
        return duration(self.times[name]) + ("!" if ratio is None else f", {ratio:.2f} x")


def comparison(title: str, rows: Sequence[Row], peers: Sequence[str], notes: Sequence[str]) -> Table:
    """A table of one robot, one column a library."""
    columns = ["question", "kido", *peers, "target", ""]
    return Table(title, columns, [row.cells(peers) for row in rows], list(notes))
