"""A humanoid with its whole set of tasks, feet, balance, hands, gaze, posture: within reach, out of reach,
and on the way there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from benchmarks._ik._g1 import G1, Goal
from benchmarks._ik._humanoid import TaskSet, TaskSetType
from benchmarks._ik._judge import FloatArray
from benchmarks._ik._solver import ANGULAR, LINEAR
from benchmarks._ik._timing import Timed, one_by_one
from benchmarks._peers import installed
from benchmarks._peers._kido_ik import KidoTaskSet
from benchmarks._table import Table, duration

LARGE = 0.2
"""Change of a joint from one target to the next that counts as a jump [rad]."""

_AWAY = np.array([1.0, 0.0, 0.0])
"""By how much a hand's target is too far [m]."""
_FAR, _LINES, _STEPS = 100, 10, 100
_MOST = 8.0
_EXACT = 2e-6

_Search = Callable[[Goal, FloatArray], FloatArray]


@dataclass(frozen=True)
class Reached:
    """Goals within reach.

    Attributes:
        timed: times of the calls.
        converged, exact: shares of those within 1 mm and 10 mrad of all, and within 2e-6.
        posture: median distance of the joints of those from the posture [rad].
    """

    timed: Timed
    converged: float
    exact: float
    posture: float


@dataclass(frozen=True)
class Far:
    """Goals whose left hand is too far away.

    Attributes:
        timed: times of the calls.
        standing: share of those with feet and balance within 1 mm and 10 mrad.
        nearest: the same of the answers that come nearest, wherever they are.
        left: median distance of that hand from its target, of those [m].
        kept, stood: the same where searches begin at positions that reach the goals themselves, and the
            number of these.
    """

    timed: Timed
    standing: float
    nearest: float
    left: float
    kept: float
    stood: int


@dataclass(frozen=True)
class Pulled:
    """The left hand's target goes 1 m away in steps of 1 cm, each followed or solved from the last positions.

    Attributes:
        steps: number of steps.
        jumps: those in which a joint moved by more than LARGE.
        largest: change of a joint in a step [rad].
        standing: share of steps after which feet and balance are within 1 mm and 10 mrad.
        median, slowest: time of a step [s].
    """

    steps: int
    jumps: int
    largest: float
    standing: float
    median: float
    slowest: float


@dataclass(frozen=True)
class Found:
    """What libraries made of the goals.

    Attributes:
        reached, far: by library.
        pulled: by library and call: "kido, following" is its step for that, "kido" its search.
    """

    reached: dict[str, Reached]
    far: dict[str, Far]
    pulled: dict[str, Pulled]


def measure(count: int) -> Found:
    """kido and the peers that are installed, on `count` random positions of the joints and the root."""
    judge = G1()
    goals = [judge.goal(q) for q in judge.draw(count)]
    peers, _ = installed("task set")
    kinds: dict[str, TaskSetType] = {"kido": KidoTaskSet, **peers}
    solvers = {name: kind(judge.path, judge.joint_names, judge.neutral) for name, kind in kinds.items()}
    found = Found({}, {}, {})
    for name, solver in solvers.items():
        found.reached[name] = _reached(judge, solver, goals)
        nearest = solver.nearest if isinstance(solver, KidoTaskSet) else solver.solve
        found.far[name] = _far(judge, solver, nearest, goals[:_FAR])
        for label, search in ((f"{name}, following", solver.follow), (name, solver.solve)):
            found.pulled[label] = _pulled(judge, solver, search, goals[:_LINES])
    return found


def tables(found: Found) -> Sequence[Table]:
    """Within reach, out of reach, pulled; one row a library, or a call of it."""
    return [_reached_table(found), _far_table(found), _pulled_table(found)]


def _reached_table(found: Found) -> Table:
    rows = [
        [
            name,
            f"{100 * r.converged:.4g} %{_of(r.timed, found.reached)}",
            f"{100 * r.exact:.4g} %",
            *r.timed.text.split(", "),
            f"{r.posture:.2f} rad",
        ]
        for name, r in found.reached.items()
    ]
    columns = ["library", "1 mm, 10 mrad", "1e-6", "median", "95th percentile", "posture"]
    notes = [
        "g1, free root: reachable targets as above, from all positions zero; feet and center of mass in",
        "level 0, hands in 1, the camera's gaze in 2, the posture zero in 3, which is wished for only",
        "pink, mink, placo: weights 300, 3, 1, 1e-3, steps until 1 mm and 10 mrad, or until nothing moves",
        "posture: median distance of the joints from it",
    ]
    return Table("Whole set of tasks, within reach", columns, rows, notes)


def _far_table(found: Found) -> Table:
    rows = [
        [
            name,
            f"{100 * f.standing:.4g} %",
            f"{100 * f.nearest:.4g} %",
            f"{100 * f.kept:.4g} % of {f.stood}",
            *f.timed.text.split(", "),
            duration(float(f.timed.times.max())),
            f"{f.left:.3f} m",
        ]
        for name, f in found.far.items()
    ]
    columns = [
        "library",
        "feet and balance",
        "nearest answer",
        "kept",
        "median",
        "95th percentile",
        "longest",
    ]
    columns.append("hand's distance")
    notes = [
        "the same goals with the left hand's target 1 m further along x: distance that is left, median",
        "feet and balance: of the answers that steps from all positions zero lead to; nearest answer: of",
        "those of all starts, which kido returns beside them; kept: from positions that reach the goals",
    ]
    return Table("Whole set of tasks, a hand out of reach", columns, rows, notes)


def _pulled_table(found: Found) -> Table:
    rows = [
        [
            name,
            f"{1000.0 * p.jumps / p.steps:.1f}",
            f"{p.largest:.2f} rad",
            f"{100 * p.standing:.4g} %",
            *(duration(p.median), duration(p.slowest)),
        ]
        for name, p in found.pulled.items()
    ]
    columns = ["library", "jumps", "largest change", "feet and balance kept", "median", "longest"]
    notes = [
        f"from reached goals the left hand's target goes 1 m away along x in steps of 1 cm, {_LINES} times;",
        f"jumps of a joint by more than {LARGE} rad in 1000 steps; following: kido's `track`, by at most",
        "0.05 rad, one step of 0.1 s of pink, mink, placo; else the search as above, from the last positions",
    ]
    return Table("Whole set of tasks, a hand pulled out of reach", columns, rows, notes)


def _of(timed: Timed, reached: dict[str, Reached]) -> str:
    most = max(len(r.timed.times) for r in reached.values())
    return "" if len(timed.times) == most else f" of {len(timed.times)}"


def _reached(judge: G1, solver: TaskSet, goals: Sequence[Goal]) -> Reached:
    timed = one_by_one(solver.solve, [(goal, solver.home) for goal in goals], _MOST)
    ends = [solver.read(q) for q in timed.answers]
    left = [judge.left(q, goal) for q, goal in zip(ends, goals, strict=False)]
    there = [e.is_small(ANGULAR, LINEAR) for e in left]
    away = [np.linalg.norm(q[7:] - judge.neutral[7:]) for q, good in zip(ends, there, strict=True) if good]
    exact = float(np.mean([e.is_small(_EXACT, _EXACT) for e in left]))
    return Reached(timed, float(np.mean(there)), exact, float(np.median(away)) if away else np.nan)


def _far(judge: G1, solver: TaskSet, nearest: _Search, goals: Sequence[Goal]) -> Far:
    far = [goal.moved(0, _AWAY) for goal in goals]
    timed = one_by_one(solver.solve, [(goal, solver.home) for goal in far], _MOST)
    left = [judge.left(solver.read(q), goal) for q, goal in zip(timed.answers, far, strict=False)]
    standing = [e for e in left if e.is_standing(ANGULAR, LINEAR)]
    distances = [e.distances[2] for e in standing]
    distance = float(np.median(distances)) if distances else np.nan
    ends = [(nearest(goal, solver.home), goal) for goal in far[: len(left)]]
    near = np.mean([_stands(judge, solver, q, goal) for q, goal in ends])
    kept = _kept(judge, solver, goals[: len(left)])
    share = float(np.mean(kept)) if kept else np.nan
    return Far(timed, len(standing) / len(left), float(near), distance, share, len(kept))


def _kept(judge: G1, solver: TaskSet, goals: Sequence[Goal]) -> list[bool]:
    """Whether feet and balance stay, for goals that are reached before a hand is too far."""
    kept = []
    for goal in goals:
        q = np.array(solver.solve(goal, solver.home))
        if judge.left(solver.read(q), goal).is_small(ANGULAR, LINEAR):
            far = goal.moved(0, _AWAY)
            kept.append(_stands(judge, solver, solver.solve(far, q), far))
    return kept


def _stands(judge: G1, solver: TaskSet, q: FloatArray, goal: Goal) -> bool:
    return judge.left(solver.read(q), goal).is_standing(ANGULAR, LINEAR)


def _pulled(judge: G1, solver: TaskSet, search: _Search, goals: Sequence[Goal]) -> Pulled:
    changes, times, standing, end = [], [], [], perf_counter() + _MOST
    for goal in goals:
        q = np.array(solver.solve(goal, solver.home))
        if not judge.left(solver.read(q), goal).is_small(ANGULAR, LINEAR):
            continue
        for part in np.linspace(0.0, 1.0, _STEPS + 1)[1:]:
            moved = goal.moved(0, part * _AWAY)
            begin = perf_counter()
            new = np.array(search(moved, q))
            times.append(perf_counter() - begin)
            changes.append(_largest(solver.read, q, new))
            standing.append(judge.left(solver.read(new), moved).is_standing(ANGULAR, LINEAR))
            q = new
        if perf_counter() > end:
            break
    if not changes:
        return Pulled(1, 0, np.nan, np.nan, np.nan, np.nan)
    jumps = int(np.sum(np.array(changes) > LARGE))
    return Pulled(
        *(len(changes), jumps, max(changes), float(np.mean(standing))), float(np.median(times)), max(times)
    )


def _largest(read: Callable[[FloatArray], FloatArray], q: FloatArray, new: FloatArray) -> float:
    """Largest change of a joint [rad]."""
    return float(np.abs(read(new)[7:] - read(q)[7:]).max())
