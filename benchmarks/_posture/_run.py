"""The benchmark of postures under constraints: a pose of five arms, a humanoid that stands."""

from __future__ import annotations

import importlib.util
import warnings
from typing import Any

import numpy as np

from benchmarks._harness import Session, Subsystem
from benchmarks._ik import _arms
from benchmarks._posture import _arms_contest, _humanoid
from benchmarks._posture._arms_contest import Score
from benchmarks._table import Table, duration, verdict

_COUNT, _QUICK_COUNT = 300, 30
_STANDING, _QUICK_STANDING = 40, 5
_AIMS = {"median": 0.3e-3, "one start": 0.95, "restarts": 1.0, "humanoid": 5.0}


def _measure(session: Session) -> dict[str, Any]:
    record: dict[str, Any] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _measure_arms(session, record)
        _measure_humanoid(session, record)
    return record


def _has_drake() -> bool:
    return importlib.util.find_spec("pydrake") is not None


def _measure_arms(session: Session, record: dict[str, Any]) -> None:
    count = _QUICK_COUNT if session.options.quick else _COUNT
    table = Table(
        "a pose of an arm: position within 0.5 mm on each axis, orientation within 5 mrad",
        ["arm", "library", "one start", "median", "restarts, 50 ms", "median", "95 %"],
        notes=["times are of whole calls, constraints included; one start of kido has up to 8 escapes"],
    )
    makers = {"kido": _arms_contest.kido_attempt} | (
        {"drake": _arms_contest.drake_attempt} if _has_drake() else {}
    )
    scores: dict[str, list[Score]] = {}
    for name in session.options.robots or _arms.NAMES:
        arm = _arms.write(name, session.folder)
        for library, make in makers.items():
            score = _arms_contest.measure(arm, make(arm), count)
            scores.setdefault(library, []).append(score)
            table.rows.append([name, library, *_cells(score)])
            session.say(" ".join(table.rows[-1]))
            record[f"{name}, {library}"] = score.__dict__
    session.add(table)
    session.add(_arm_aims(scores["kido"]))


def _cells(score: Score) -> list[str]:
    tail = duration(float(np.percentile(score.many, 95)))
    return [
        f"{100.0 * np.mean(score.one_right):.1f} %",
        duration(float(np.median(score.one))),
        f"{100.0 * np.mean(score.many_right):.1f} %",
        duration(float(np.median(score.many))),
        tail,
    ]


def _arm_aims(scores: list[Score]) -> Table:
    """The mean success and the median of the arms' medians against the aims."""
    table = Table("kido against its aims, arms", ["what", "measured", "aim", ""])
    median = float(np.median([np.median(score.one) for score in scores]))
    one = float(np.mean([np.mean(score.one_right) for score in scores]))
    many = float(np.mean([np.mean(score.many_right) for score in scores]))
    aim = _AIMS["median"]
    table.rows.append(["median of a pose", duration(median), duration(aim), verdict(aim / median, 1.0)])
    for what, share in (("one start", one), ("restarts", many)):
        aim = _AIMS[what]
        table.rows.append([what, f"{100 * share:.1f} %", f"{100 * aim:.0f} %", verdict(share / aim, 1.0)])
    return table


def _measure_humanoid(session: Session, record: dict[str, Any]) -> None:
    count = _QUICK_STANDING if session.options.quick else _STANDING
    table = Table(
        "a humanoid on two feet: a hand, centre of mass, no collision, near its posture; one start",
        ["library", "solved", "median", "95 %", "mean cost where solved"],
    )
    score, costs, own = _humanoid.measure_kido(count)
    rows = {"kido": (score, costs)}
    if _has_drake():
        for solver in ("SNOPT", "IPOPT"):
            rows[f"drake, {solver}"] = _humanoid.measure_drake(own, session.folder, solver, count)
    for library, (found, paid) in rows.items():
        right = np.array(found.one_right)
        cost = float(np.mean(np.array(paid)[right])) if right.any() else np.nan
        tail = duration(float(np.percentile(found.one, 95)))
        median = duration(float(np.median(found.one)))
        table.rows.append([library, f"{100 * right.mean():.0f} %", median, tail, f"{cost:.3f}"])
        session.say(" ".join(table.rows[-1]))
        record[f"humanoid, {library}"] = {"seconds": found.one, "right": found.one_right, "cost": paid}
    peers = [float(np.median(found.one)) for name, (found, _) in rows.items() if name != "kido"]
    if peers:
        ratio = min(peers) / float(np.median(score.one))
        table.notes.append(f"fastest peer / kido: {ratio:.1f}, aim 5: {verdict(ratio, _AIMS['humanoid'])}")
    session.add(table)


SUBSYSTEM = Subsystem("posture", "postures under constraints, kido.ik.PostureProblem", _arms.NAMES, _measure)
