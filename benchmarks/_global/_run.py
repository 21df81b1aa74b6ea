"""The benchmark of global inverse kinematics: postures within reach, proofs out of it."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks._global import _relaxation
from benchmarks._global._targets import Target, Targets
from benchmarks._harness import Session, Subsystem
from benchmarks._ik import _arms
from benchmarks._ik._arms import TOOL
from benchmarks._table import Table, duration, verdict
from kido.ik import GlobalIK, GlobalIKResult

_ARMS = ("ur5", "panda", "iiwa14", "xarm7")
_COUNT, _QUICK_COUNT = 30, 3
_REACHABLE, _QUICK_REACHABLE = 500, 50

_OUT: dict[str, Callable[[Targets], Target]] = {
    "position, 5 cm": lambda targets: targets.outside(False, 0.05),
    "position, 2 cm": lambda targets: targets.outside(False, 0.02),
    "pose, 5 cm": lambda targets: targets.outside(True, 0.05),
    "pose, 2 cm": lambda targets: targets.outside(True, 0.02),
    "orientation, 5 cm": lambda targets: targets.turned(0.05),
    "limits only, 5 cm": lambda targets: targets.beyond_limits(0.05),
}
_WITHOUT_LIMITS = ("ur5",)
"""Arms whose joints turn all the way: no pose fails by its limits."""

_RELAXED = ("ur5", "iiwa14")
_INTERVALS = {1: 8, 2: 1}
"""How many poses are solved for each number of intervals."""

_AIMS = {
    "reachable": (0.3e-3, 3e-3),
    "position, 5 cm": (0.3, 1.0),
    "position, 2 cm": (np.inf, 3.0),
    "pose, 5 cm": (0.05, 0.3),
    "pose, 2 cm": (np.inf, 3.0),
    "orientation, 5 cm": (0.05, 0.3),
    "limits only, 5 cm": (0.05, 0.3),
}
"""Median and largest time [s], for targets within reach the 99th percentile."""


def _measure(session: Session) -> dict[str, Any]:
    quick, record = session.options.quick, []
    arms = session.options.robots or _ARMS
    rows: dict[str, dict[str, str]] = {}
    worst: dict[str, list[tuple[float, float]]] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in arms:
            targets = Targets(_arms.write(name, session.folder), seed=7)
            for kind, found in _kinds(name, targets, quick).items():
                seconds, right, nodes = _timed(targets, found, infeasible=kind in _OUT)
                tail = np.max(seconds) if kind in _OUT else np.percentile(seconds, 99)
                median = float(np.median(seconds))
                record.append({"arm": name, "kind": kind, "seconds": seconds, "right": right, "nodes": nodes})
                shown = f"{duration(median)} / {duration(tail)}"
                rows.setdefault(kind, {})[name] = shown if right == len(found) else f"{shown} ({right})"
                aim = kind if kind in _OUT else "reachable"
                worst.setdefault(aim, []).append((median, float(tail)))
                boxes = int(np.median(nodes))
                session.say(f"{name}, {kind}: {shown}, {right} of {len(found)}, {boxes} boxes")
    session.add(_table(rows, arms, quick))
    session.add(_aims(worst))
    session.add(_relaxation.table(_relaxed(session, arms, quick)))
    return {"rows": record}


def _relaxed(
    session: Session, arms: tuple[str, ...], quick: bool
) -> dict[tuple[str, int, str], dict[str, _relaxation.Relaxed]]:
    """Mixed-integer programs by arm, intervals and approach; two intervals take a minute."""
    found = {}
    for name in (arm for arm in _RELAXED if arm in arms):
        targets = Targets(_arms.write(name, session.folder), seed=7)
        for intervals, count in {1: 1}.items() if quick else _INTERVALS.items():
            for approach in _relaxation.APPROACHES:
                found[name, intervals, approach] = _relaxation.measure(targets, intervals, approach, count)
    return found


def _kinds(name: str, targets: Targets, quick: bool) -> dict[str, list[Target]]:
    """Targets by kind."""
    count = _QUICK_REACHABLE if quick else _REACHABLE
    found = {
        "within reach, pose": [targets.reachable(True) for _ in range(count)],
        "within reach, position": [targets.reachable(False) for _ in range(count)],
    }
    for kind, draw in _OUT.items():
        if kind.startswith("limits") and name in _WITHOUT_LIMITS:
            continue
        found[kind] = [draw(targets) for _ in range(_QUICK_COUNT if quick else _COUNT)]
    return found


def _timed(targets: Targets, found: list[Target], infeasible: bool) -> tuple[list[float], int, list[int]]:
    """Seconds of each, how many verdicts are right, and boxes."""
    seconds, right, nodes = [], 0, []
    for target in found:
        search = GlobalIK(targets.skeleton)
        tool = targets.skeleton.body(TOOL)
        if target.is_pose:
            search.add_world_pose_constraint(tool, target.pose)
        else:
            search.add_world_position_constraint(tool, target.pose[:3, 3])
        before = time.perf_counter()
        result: GlobalIKResult = search.solve(time_budget=60.0)
        seconds.append(time.perf_counter() - before)
        right += result.infeasible if infeasible else result.success
        nodes.append(result.nodes)
    return seconds, right, nodes


def _table(rows: dict[str, dict[str, str]], arms: tuple[str, ...], quick: bool) -> Table:
    """Kinds by arms."""
    lines = [[kind, *(cells.get(arm, "-") for arm in arms)] for kind, cells in rows.items()]
    count = _QUICK_COUNT if quick else _COUNT
    notes = [
        f"within reach: median / 99th percentile of {_QUICK_REACHABLE if quick else _REACHABLE} targets; out "
        f"of reach: median / longest of {count} proofs; (n): verdicts that are right, where not all",
        "the distance by which a target is missed is that of the best of 300 searches: "
        "sqrt(dp^2 + (0.3 m angle)^2) for poses",
    ]
    return Table("A posture, or a proof that there is none", ["target", *arms], lines, notes)


def _aims(worst: dict[str, list[tuple[float, float]]]) -> Table:
    """The worst arm against the aims."""
    table = Table("kido against its aims", ["what, worst arm", "median", "aim", "longest", "aim", ""])
    for kind, times in worst.items():
        median, tail = (max(pair[k] for pair in times) for k in (0, 1))
        aim = _AIMS[kind]
        good = verdict(min(aim[0] / median, aim[1] / tail), 1.0)
        middle = duration(aim[0]) if np.isfinite(aim[0]) else "-"
        table.rows.append([kind, duration(median), middle, duration(tail), duration(aim[1]), good])
    return table


SUBSYSTEM = Subsystem("global", "global inverse kinematics, kido.ik.GlobalIK", _ARMS, _measure)
