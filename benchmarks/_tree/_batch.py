"""Batches on one core."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import _agreement, _states
from benchmarks._measure import Block, Effort, fastest
from benchmarks._operations import BATCH, batch_target
from benchmarks._peers import CHECKED, Batch, Call, Keep, Peer
from benchmarks._states import States
from benchmarks._table import duration
from benchmarks._tree._contest import Contest
from benchmarks._tree._rows import Row

FloatArray = NDArray[np.float64]

SAMPLES = 10_000
NEW_ARRAY = "new array"
SIZE = "samples"
HOW = "peer's way"

_KEPT = ""
_LEFT = ", peers keep nothing"
_MOST_BYTES = 256e6
_MOST_LOOPED = 1000
_LOOP_TIME = 6e-3
_BATCH_TIME = 20e-3
_TRIALS = 3


def measure(contest: Contest, effort: Effort, operations: Iterable[str] = BATCH) -> list[Row]:
    """One row an operation, times a sample; for transforms a second one where peers keep no results."""
    return [row for operation in operations for row in _rows(contest, operation, effort)]


def batch_size(contest: Contest, operation: str) -> int:
    """10 000 samples, or fewer where the result would be larger than 256 MB."""
    shape = contest.kido.result_shape(operation)
    return min(SAMPLES, int(_MOST_BYTES / (8 * math.prod(shape))))


def kido_batch(contest: Contest, operation: str, states: States) -> Callable[[], Any]:
    """kido's call with an array to write into."""
    out = np.zeros((len(states), *contest.kido.result_shape(operation)))
    return contest.kido.batch(operation, states, out=out)


def _rows(contest: Contest, operation: str, effort: Effort) -> list[Row]:
    samples = batch_size(contest, operation)
    states = _states.draw(contest.robot.dofs, samples)
    batches: dict[str, dict[str, Batch]] = {
        name: _peer_batches(peer, operation, states) for name, peer in contest.peers.items()
    }
    flagged = contest.flagged(operation)
    for name, found in batches.items():
        differences = [_difference(batch, contest, operation, states) for batch in found.values()]
        difference = max(differences, default=0.0)
        if difference > _agreement.TOLERANCE:
            flagged[name] = difference
    candidates = {
        "kido": (kido_batch(contest, operation, states), samples),
        NEW_ARRAY: (contest.kido.batch(operation, states), samples),
    }
    for name, found in batches.items():
        candidates.update({name + kind: (batch.function, batch.samples) for kind, batch in found.items()})
    calls = fastest({name: Block(function) for name, (function, _) in candidates.items()}, effort)
    times = {name: calls[name] / count for name, (_, count) in candidates.items()}
    rows = []
    for kind in (_KEPT, _LEFT):
        peers = {name: times[name + kind] for name, found in batches.items() if kind in found}
        if kind == _LEFT and not peers:
            continue
        target = batch_target(operation) if kind == _KEPT else None
        row = Row(contest.robot.name, operation + kind, times["kido"], peers, target, flagged)
        way = batches[row.best][kind].how if row.best else "-"
        row.extra.update({NEW_ARRAY: duration(times[NEW_ARRAY]), SIZE: str(samples), HOW: way})
        rows.append(row)
    return rows


def _peer_batches(peer: Peer, operation: str, states: States) -> dict[str, Batch]:
    call = peer.single(operation, states.first(2))
    if call is None:
        return {}
    block = Block(call.function, call.arguments)
    spent = min(block.time(1) for _ in range(_TRIALS))

    def within(seconds: float, most: int) -> States:
        return states.first(min(most, max(2, math.ceil(seconds / spent))))

    batch = peer.batch(operation, within(_BATCH_TIME, len(states)))
    if batch is not None:
        return {_KEPT: batch}
    looped = peer.single(operation, within(_LOOP_TIME, min(len(states), _MOST_LOOPED)))
    assert looped is not None
    if looped.keep is None:
        return {_KEPT: _copying_loop(looped)}
    return {_KEPT: _keeping_loop(looped, looped.keep), _LEFT: _bare_loop(looped)}


def _copying_loop(call: Call) -> Batch:
    function, arguments = call.function, call.arguments
    out = np.zeros((len(arguments), *np.shape(function(*arguments[0]))))
    pairs = list(zip(arguments, out, strict=True))

    def run() -> None:
        for row, result in pairs:
            result[...] = function(*row)

    return _loop(call, run)


def _keeping_loop(call: Call, make_room: Callable[[int], Keep]) -> Batch:
    function, arguments = call.function, call.arguments
    keep = make_room(len(arguments))

    def run() -> None:
        for i, row in enumerate(arguments):
            keep(function(*row), i)

    return _loop(call, run)


def _bare_loop(call: Call) -> Batch:
    function, arguments = call.function, call.arguments

    def run() -> None:
        for row in arguments:
            function(*row)

    return _loop(call, run)


def _loop(call: Call, run: Callable[[], None]) -> Batch:
    def read(_: Any) -> FloatArray:
        return np.stack([_agreement.value(call, i) for i in range(min(len(call.arguments), CHECKED))])

    return Batch(run, len(call.arguments), read, "loop")


def _difference(batch: Batch, contest: Contest, operation: str, states: States) -> float:
    found = batch.read(batch.function())
    few = states.first(len(found))
    expected = contest.kido.batch(operation, few)()
    return float(np.abs(found - expected).max() / np.abs(expected).max())
