"""Closed forms of seven joints, of which one is locked."""

from __future__ import annotations

from collections.abc import Sequence
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

_SWEPT = 64
_MOST = 5.0


@dataclass(frozen=True)
class Sweep:
    """An arm of seven joints.

    Attributes:
        locked: name of the joint that is locked; its family.
        one: all branches with the joint locked at one position.
        sweep: all branches for many positions of it.
        success: share of targets with one of them within the limits.
        ssik: all solutions of ssik; None where it is not there.
    """

    locked: str
    one: Timed
    sweep: Timed
    success: float
    ssik: Timed | None


def measure(contest: Contest) -> Sweep | None:
    """None for arms without seven joints."""
    own = contest.solvers["kido"]
    assert isinstance(own, KidoArm)
    form = kido.ik.ClosedForm(own.skeleton.tree, TOOL)
    if form.locked_dof is None or form.family is None:
        return None
    arm = contest.arm
    rows = np.repeat(arm.middle[None], _SWEPT, axis=0)
    rows[:, form.locked_dof] = np.linspace(arm.lower[form.locked_dof], arm.upper[form.locked_dof], _SWEPT)
    one = one_by_one(lambda T, q: form.solve(T, near=q), [(T, arm.middle) for T in contest.targets], _MOST)
    sweep = one_by_one(lambda T: form.solve_all(T, near=rows), [(T,) for T in contest.targets], _MOST)
    answers = [_within(contest, found) for found in sweep.answers]
    reached = contest.judge.reached(contest.targets[: len(answers)], answers)
    locked = f"{arm.joint_names[form.locked_dof]}, {form.family}"
    return Sweep(locked, one, sweep, float(reached.mean()), _ssik(contest))


def table(sweeps: dict[str, Sweep]) -> Table:
    """One row an arm."""
    rows = [
        [
            arm,
            s.locked,
            s.one.text,
            duration(s.sweep.median),
            f"{100 * s.success:.4g} %",
            s.ssik.text if s.ssik else "-",
        ]
        for arm, s in sweeps.items()
    ]
    columns = ["arm", "joint held", "one position", f"{_SWEPT} positions", "within limits", "ssik"]
    notes = [
        "one position: every solution with the joint in the middle of its limits; median, 95th percentile",
        f"{_SWEPT} positions: the same for so many over its range; within limits: targets for which one is",
        "ssik: all solutions over its own samples of the redundancy",
    ]
    return Table("Seven joints in closed form", columns, rows, notes)


def _within(contest: Contest, found: Sequence[Any]) -> FloatArray | None:
    """A solution within the limits, whole turns added where that helps."""
    arm = contest.arm
    rows = np.concatenate(
        [solutions.positions for solutions in found if solutions.reached] or [arm.middle[None]]
    )
    turned = rows + 2 * np.pi * np.ceil((arm.lower - rows) / (2 * np.pi))
    good = turned[(turned <= arm.upper).all(axis=1)]
    return good[0] if len(good) else None


def _ssik(contest: Contest) -> Timed | None:
    solver = contest.solvers.get("ssik")
    if solver is None:
        return None
    return one_by_one(solver.branches, [(T,) for T in contest.targets], _MOST)
