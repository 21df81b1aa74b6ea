"""Batches on one core."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from time import perf_counter
from typing import Any

import numpy as np

import _agreement
import _states
from _contest import Contest
from _measure import Block, Effort, fastest
from _operations import BATCH, batch_target
from _peers import CHECKED, Batch, Call, Peer
from _rows import Row
from _states import States
from _table import duration

SAMPLES = 10_000
NEW_ARRAY = "new array"
SIZE = "samples"
HOW = "peer's way"

_MOST_BYTES = 256e6
_MOST_LOOPED = 1000
_LOOP_TIME = 6e-3
_BATCH_TIME = 0.3


def measure(contest: Contest, effort: Effort, operations: Iterable[str] = BATCH) -> list[Row]:
    """One row an operation, times a sample."""
    return [_row(contest, operation, effort) for operation in operations]


def batch_size(contest: Contest, operation: str) -> int:
    """10 000 samples, or fewer where the result would be larger than 256 MB."""
    shape = contest.kido.result_shape(operation)
    return min(SAMPLES, int(_MOST_BYTES / (8 * math.prod(shape))))


def kido_batch(contest: Contest, operation: str, states: States) -> Callable[[], Any]:
    """kido's call with an array to write into."""
    out = np.zeros((len(states), *contest.kido.result_shape(operation)))
    return contest.kido.batch(operation, states, out=out)


def _row(contest: Contest, operation: str, effort: Effort) -> Row:
    samples = batch_size(contest, operation)
    states = _states.draw(contest.robot.dofs, samples)
    candidates = {
        "kido": (kido_batch(contest, operation, states), samples),
        NEW_ARRAY: (contest.kido.batch(operation, states), samples),
    }
    flagged = contest.flagged(operation)
    ways = {}
    for name, peer in contest.peers.items():
        batch = _peer_batch(peer, operation, states)
        if batch is None:
            continue
        candidates[name] = (batch.function, batch.samples)
        ways[name] = batch.how
        difference = _difference(batch, contest, operation, states)
        if difference > _agreement.TOLERANCE:
            flagged[name] = difference
    calls = fastest({name: Block(function) for name, (function, _) in candidates.items()}, effort)
    times = {name: calls[name] / count for name, (_, count) in candidates.items()}
    own, new = times.pop("kido"), times.pop(NEW_ARRAY)
    row = Row(contest.robot.name, operation, own, times, batch_target(operation), flagged)
    row.extra.update({NEW_ARRAY: duration(new), SIZE: str(samples), HOW: ways.get(row.best or "", "-")})
    return row


def _peer_batch(peer: Peer, operation: str, states: States) -> Batch | None:
    call = peer.single(operation, states.first(2))
    if call is None:
        return None
    start = perf_counter()
    call.function(*call.arguments[1])
    spent = perf_counter() - start

    def within(seconds: float, most: int) -> States:
        return states.first(min(most, max(2, math.ceil(seconds / spent))))

    batch = peer.batch(operation, within(_BATCH_TIME, len(states)))
    if batch is not None:
        return batch
    looped = peer.single(operation, within(_LOOP_TIME, min(len(states), _MOST_LOOPED)))
    assert looped is not None
    return _loop(looped)


def _loop(call: Call) -> Batch:
    function, arguments = call.function, call.arguments
    count = len(arguments)

    def read(_: Any) -> np.ndarray[Any, np.dtype[np.float64]]:
        return np.stack([_agreement.value(call, i) for i in range(min(count, CHECKED))])

    if not call.returns_array:

        def leave() -> None:
            for row in arguments:
                function(*row)

        return Batch(leave, count, read, "loop")

    out = np.zeros((count, *np.shape(function(*arguments[0]))))
    pairs = list(zip(arguments, out, strict=True))

    def keep() -> None:
        for row, result in pairs:
            result[...] = function(*row)

    return Batch(keep, count, read, "loop")


def _difference(batch: Batch, contest: Contest, operation: str, states: States) -> float:
    found = batch.read(batch.function())
    few = states.first(len(found))
    expected = contest.kido.batch(operation, few)()
    return float(np.abs(found - expected).max() / np.abs(expected).max())
