"""One call for each target: how many are reached, and how long it takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks._ik._contest import Contest
from benchmarks._ik._solver import Search, Solver
from benchmarks._ik._timing import RESTARTING, Timed, one_by_one, restarted
from benchmarks._table import Table

_MOST = 12.0
"""Time that one library may take for one arm [s]; it solves fewer targets then."""


@dataclass(frozen=True)
class Score:
    """What became of the targets.

    Attributes:
        reached: whether each is (m,).
        timed: times of the calls, failures included.
        all: whether there was time for all targets.
    """

    reached: NDArray[np.bool_]
    timed: Timed
    all: bool

    @property
    def success(self) -> float:
        """Share of the targets that are reached."""
        return float(self.reached.mean())

    @property
    def text(self) -> str:
        """Success, median and 95th percentile."""
        count = "" if self.all else f" of {len(self.timed.times)}"
        return f"{100 * self.success:.4g} %{count}, {self.timed.text}"


Scores = dict[str, dict[str, Score]]
"""By library and arm."""


def whole(contest: Contest) -> dict[str, Score]:
    """Calls with restarts: a library's own, else the benchmark's."""
    scores = {}
    for name, solver in contest.solvers.items():
        search, single = solver.complete(), solver.single()
        if search is None and single is not None:
            search = restarted(single, contest.arm)
        if search is not None:
            scores[name] = _score(contest, solver, search)
    return scores


def single(contest: Contest) -> dict[str, Score]:
    """Calls from the middle of the limits alone."""
    searches = {name: (solver, solver.single()) for name, solver in contest.solvers.items()}
    return {
        name: _score(contest, solver, search)
        for name, (solver, search) in searches.items()
        if search is not None
    }


def table(title: str, scores: Scores, arms: Sequence[str], notes: Sequence[str]) -> Table:
    """Libraries by arms: success, median and 95th percentile."""
    rows = [
        [name, *(by_arm[arm].text if arm in by_arm else "-" for arm in arms)]
        for name, by_arm in scores.items()
    ]
    return Table(f"{title}: success, median, 95th percentile", ["library", *arms], rows, list(notes))


def restart_note() -> str:
    """What is done about libraries that do not restart."""
    names = "dartpy, pink, mink, placo and drake"
    return (
        f"{names} are restarted from random positions by the benchmark, for {RESTARTING * 1e3:g} ms at most"
    )


def _score(contest: Contest, solver: Solver, search: Search) -> Score:
    start = contest.arm.middle
    timed = one_by_one(search, [(solver.prepare(target), start) for target in contest.targets], _MOST)
    count = len(timed.answers)
    answers = [None if q is None else np.asarray(q, dtype=float) for q in timed.answers]
    reached = contest.judge.reached(contest.targets[:count], answers)
    return Score(reached, timed, count == len(contest.targets))
