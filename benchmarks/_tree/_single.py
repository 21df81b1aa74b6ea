"""Single calls from Python."""

from __future__ import annotations

from collections.abc import Iterable

from benchmarks import _states
from benchmarks._measure import STATES, Block, Effort, fastest
from benchmarks._operations import SINGLE, single_target
from benchmarks._tree._contest import Contest
from benchmarks._tree._rows import Row


def measure(contest: Contest, effort: Effort, operations: Iterable[str] = SINGLE) -> list[Row]:
    """One row an operation."""
    return [_row(contest, operation, effort) for operation in operations]


def _row(contest: Contest, operation: str, effort: Effort) -> Row:
    states = _states.draw(contest.robot.dofs, STATES)
    own = contest.kido.single(operation, states)
    candidates = {"kido": Block(own.function, own.arguments)}
    for name, peer in contest.peers.items():
        call = peer.single(operation, states)
        if call is not None:
            candidates[name] = Block(call.function, call.arguments)
    times = fastest(candidates, effort)
    kido = times.pop("kido")
    target = single_target(operation, contest.robot.name)
    return Row(contest.robot.name, operation, kido, times, target, contest.flagged(operation))
