"""Cost of a call from Python before any arithmetic."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from pathlib import Path

import kido
from benchmarks import _robots, _states
from benchmarks._measure import STATES, Block, Effort, fastest
from benchmarks._operations import ABA
from benchmarks._peers import PeerType
from benchmarks._table import Table, duration
from benchmarks._tree._contest import Contest
from benchmarks._tree._rows import Row


def measure(folder: Path, adaptors: Mapping[str, PeerType], effort: Effort, rows: list[Row]) -> Table:
    """Calls that compute next to nothing, and what share of a small robot's call they are."""
    contest = Contest.load(_robots.write("chain1", folder, shipped=False), dict(adaptors))
    states = _states.draw(1, STATES)
    getter = operator.attrgetter("num_dofs")
    candidates = {
        "empty Python function in the timing loop": Block(
            lambda *_: None, list(zip(*[states.q] * 3, strict=True))
        ),
        "kido.num_threads()": Block(kido.num_threads),
        "tree.num_dofs": Block(getter, [(contest.kido.tree,)]),
    }
    one_body = f"{ABA} of one body"
    own = contest.kido.single(ABA, states)
    candidates[f"kido, {one_body}"] = Block(own.function, own.arguments)
    for name, peer in contest.peers.items():
        call = peer.single(ABA, states)
        if call is not None:
            candidates[f"{name}, {one_body}"] = Block(call.function, call.arguments)
    times = fastest(candidates, effort)
    table = Table("Floor: what a call costs before any arithmetic", ["call", "time"])
    table.rows = [[name, duration(time)] for name, time in times.items()]
    floor = times[f"kido, {one_body}"]
    for row in rows:
        if row.robot in ("panda", "ur5") and row.operation == ABA:
            share = 100 * floor / row.kido
            table.notes.append(
                f"{row.robot}: a call of one body is {share:.0f} % of kido's {duration(row.kido)} for {ABA}"
            )
    return table
