"""Closed forms of six joints: whether every solution is found, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import kido
from benchmarks._ik._arms import TOOL
from benchmarks._ik._contest import Contest
from benchmarks._ik._judge import FloatArray
from benchmarks._ik._timing import Timed, one_by_one
from benchmarks._peers._kido_ik import KidoArm
from benchmarks._table import Table, duration

_RIGHT = 1e-6
_SAME = 1e-3
_SEEDS = 200
_MOST = 10.0
_LOCKED = 100

Find = Callable[[Any], FloatArray]
"""All solutions (k, n) [rad] for a prepared target."""


@dataclass(frozen=True)
class Branches:
    """What a library gives for random targets, and for targets at a singular wrist.

    Attributes:
        timed: times of the calls.
        found, wrong, missing: number of its solutions; of those that are none; of those that it lacks.
        singular: share of singular targets for which it has a right one.
    """

    timed: Timed
    found: int
    wrong: int
    missing: int
    singular: float


def measure(contest: Contest) -> dict[str, Branches]:
    """All libraries with closed forms for the arm; what one lacks is what search or another one finds."""
    finders = _finders(contest)
    timed = {
        name: one_by_one(find, [(contest.solvers[name].prepare(T),) for T in contest.targets], _MOST)
        for name, find in finders.items()
    }
    counts = {name: [0, 0, 0] for name in finders}
    for i, (target, searched) in enumerate(zip(contest.targets, _searched(contest), strict=True)):
        given = {name: _rows(t.answers[i]) for name, t in timed.items() if i < len(t.answers)}
        right = {name: rows[_right(contest, target, rows)] for name, rows in given.items()}
        truth = _distinct(np.concatenate([searched, *right.values()]))
        for name, rows in given.items():
            missing = sum(not len(right[name]) or _apart(right[name], q).min() > _SAME for q in truth)
            counts[name] = np.add(counts[name], [len(rows), len(rows) - len(right[name]), missing]).tolist()
    singular = _singular_targets(contest)
    return {
        name: Branches(timed[name], *counts[name], _answered(contest, name, finders[name], singular))
        for name in finders
    }


def table(arm: str, found: dict[str, Branches]) -> Table:
    """One row a library."""
    rows = [
        [
            name,
            duration(b.timed.median),
            duration(b.timed.tail),
            str(b.found),
            str(b.wrong),
            str(b.missing),
            f"{100 * b.singular:.4g} %",
        ]
        for name, b in found.items()
    ]
    columns = ["library", "median", "95th percentile", "solutions", "wrong", "missing", "singular wrist"]
    notes = [
        f"wrong: more than {_RIGHT:g} rad or m off; missing: found by {_SEEDS} searches, or by another one",
        f"singular wrist: share of {_LOCKED} targets with joint 5 at 0 for which there is a right solution",
        "eaik: without the solutions that it marks as of least squares",
    ]
    return Table(f"{arm}: every solution in closed form", columns, rows, notes)


def _finders(contest: Contest) -> dict[str, Find]:
    solvers, finders = contest.solvers, {}
    own = solvers["kido"]
    assert isinstance(own, KidoArm)
    finders["kido"] = kido.ik.ClosedForm(own.skeleton.tree, TOOL).solve
    for name in ("eaik", "ssik"):
        if name in solvers:
            finders[name] = solvers[name].branches
    return finders


def _rows(answer: Any) -> FloatArray:
    """Solutions (k, n) of a library, without those that it says are none."""
    if isinstance(answer, kido.ik.ClosedFormSolutions):
        return answer.positions if answer.reached else answer.positions[:0]
    if isinstance(answer, tuple):
        positions, squares = answer
        return np.asarray(positions, dtype=float).reshape(len(squares), -1)[~squares]
    return np.array(answer, dtype=float).reshape(len(answer), -1)


def _right(contest: Contest, target: FloatArray, rows: FloatArray) -> np.ndarray:
    if not len(rows):
        return np.zeros(0, dtype=bool)
    angles, distances = contest.judge.distances(np.repeat(target[None], len(rows), axis=0), rows)
    return (angles < _RIGHT) & (distances < _RIGHT)


def _searched(contest: Contest) -> list[FloatArray]:
    """Right solutions that numerical searches find for each target, from many starts each."""
    own, arm = contest.solvers["kido"], contest.arm
    assert isinstance(own, KidoArm)
    settings = kido.SearchSettings(max_starts=1, angular_tolerance=1e-9, linear_tolerance=1e-9)
    module = own.module(settings)
    starts = np.random.default_rng(3).uniform(-np.pi, np.pi, (_SEEDS, arm.dofs))
    starts = np.clip(starts, arm.lower, arm.upper)
    found = []
    for target in contest.targets:
        results = module.solve_batch(np.repeat(target[None], _SEEDS, axis=0), starts)
        rows = _distinct(results.positions[results.success])
        found.append(rows[_right(contest, target, rows)].reshape(-1, arm.dofs))
    return found


def _apart(rows: FloatArray, q: FloatArray) -> FloatArray:
    """Largest difference of an angle (k,) between rows (k, n) and q (n,)."""
    return np.abs((rows - q + np.pi) % (2 * np.pi) - np.pi).max(axis=1)


def _distinct(rows: FloatArray) -> FloatArray:
    """Rows of which no two are the same."""
    kept: list[FloatArray] = []
    left = rows
    while len(left):
        kept.append(left[0])
        left = left[_apart(left, left[0]) > _SAME]
    return np.array(kept).reshape(-1, rows.shape[1])


def _singular_targets(contest: Contest) -> FloatArray:
    rng = np.random.default_rng(4)
    positions = rng.uniform(contest.arm.lower, contest.arm.upper, (_LOCKED, contest.arm.dofs))
    positions[:, 4] = 0.0
    return contest.judge.forward(positions)


def _answered(contest: Contest, name: str, find: Find, targets: FloatArray) -> float:
    rows = [(target, _rows(find(contest.solvers[name].prepare(target)))) for target in targets]
    return float(np.mean([_right(contest, target, found).any() for target, found in rows]))
