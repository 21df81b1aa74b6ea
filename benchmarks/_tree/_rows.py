"""One line of a comparison: times of all libraries for one operation on one robot."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

from benchmarks._table import Table, duration, verdict


@dataclass(frozen=True)
class Row:
    """Times of one operation on one robot.

    Attributes:
        robot, operation: what.
        kido: time of kido [s] a call, or a sample of a batch.
        peers: time [s] by peer.
        target: ratio of the fastest peer's time to kido's to be reached; None where the row only informs.
        flagged: peers that compute something else, by their difference from kido; they count for nothing.
        extra: further cells by column.
    """

    robot: str
    operation: str
    kido: float
    peers: dict[str, float]
    target: float | None
    flagged: dict[str, float] = field(default_factory=dict)
    extra: dict[str, str] = field(default_factory=dict)

    @property
    def best(self) -> str | None:
        """The fastest peer that agrees with kido."""
        agreeing = {name: time for name, time in self.peers.items() if name not in self.flagged}
        return min(agreeing, key=lambda name: agreeing[name]) if agreeing else None

    @property
    def ratio(self) -> float | None:
        """How many times faster than the best peer kido is."""
        return self.peers[self.best] / self.kido if self.best else None

    def cells(self, peers: Iterable[str], extra: Iterable[str]) -> list[str]:
        """Text of a table row."""
        ratio = "-" if self.ratio is None else f"{self.ratio:.2f} x"
        target = "-" if self.target is None else f"{self.target:g} x"
        return [
            self.operation,
            duration(self.kido),
            *(self.extra.get(column, "-") for column in extra),
            *(self._peer_cell(name) for name in peers),
            self.best or "-",
            ratio,
            target,
            verdict(self.ratio, self.target),
        ]

    def record(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {**asdict(self), "best": self.best, "ratio": self.ratio}

    def _peer_cell(self, name: str) -> str:
        if name not in self.peers:
            return "-"
        return duration(self.peers[name]) + ("!" if name in self.flagged else "")


def comparison(
    title: str,
    rows: list[Row],
    peers: Iterable[str],
    *,
    extra: tuple[str, ...] = (),
    notes: Iterable[str] = (),
) -> Table:
    """A table of rows, one column a library."""
    names = [name for name in peers if any(name in row.peers for row in rows)]
    columns = ["operation", "kido", *extra, *names, "best peer", "ratio", "target", ""]
    table = Table(title, columns, [row.cells(names, extra) for row in rows], list(notes))
    for row in rows:
        for name, difference in row.flagged.items():
            table.notes.append(
                f"! {name} differs by {difference:.0e} in {row.operation} and counts for nothing"
            )
    return table
