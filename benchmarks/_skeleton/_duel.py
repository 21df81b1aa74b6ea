"""One robot in all libraries: answers are compared, then timed."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks import _agreement, _states
from benchmarks._measure import STATES, Block, Effort, fastest
from benchmarks._peers import Call, Peer, PeerType, UnsupportedRobotError
from benchmarks._peers._kido import KidoSkeleton
from benchmarks._robots import RobotFile
from benchmarks._skeleton._questions import QUESTIONS
from benchmarks._skeleton._row import Row, comparison
from benchmarks._table import Table


def measure(robot: RobotFile, adaptors: Mapping[str, PeerType], effort: Effort) -> tuple[list[Row], Table]:
    """Rows of all questions, and their table."""
    own = KidoSkeleton(robot)
    peers: dict[str, Peer] = {}
    notes = []
    for name, adaptor in adaptors.items():
        try:
            peers[name] = adaptor(robot, own.names)
        except UnsupportedRobotError as error:
            notes.append(f"{name} is skipped: {error}")
    rows = [_row(robot, operation, own, peers, effort) for operation in QUESTIONS]
    worst = (f"{name} {max(row.differences.get(name, 0.0) for row in rows):.0e}" for name in peers)
    notes.append("largest relative difference from kido: " + ", ".join(worst))
    return rows, comparison(f"{robot}", rows, list(peers), notes)


def _row(
    robot: RobotFile, operation: str, own: KidoSkeleton, peers: Mapping[str, Peer], effort: Effort
) -> Row:
    states = _states.draw(robot.dofs, STATES)
    reference = own.single(operation, states)
    calls: dict[str, Call] = {}
    for name, peer in peers.items():
        call = peer.single(operation, states)
        if call is not None:
            calls[name] = call
    differences = {name: _agreement.difference(call, reference) for name, call in calls.items()}
    candidates = {name: Block(call.function, call.arguments) for name, call in calls.items()}
    candidates = {"kido": Block(reference.function, reference.arguments), **candidates}
    return Row(robot.name, operation, fastest(candidates, effort), differences)
