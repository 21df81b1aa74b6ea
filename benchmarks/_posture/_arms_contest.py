"""One pose of five arms as a posture problem: kido beside Drake with SNOPT."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

import kido
from benchmarks._ik._arms import TOOL, Arm
from benchmarks._ik._judge import Judge
from benchmarks._ik._solver import ANGULAR, LINEAR, FloatArray
from kido.ik import PostureProblem

_SHARE = 0.5
"""Of the tolerances that bounds are, for both libraries."""

_BUDGET = 0.05
"""Of all starts together [s]."""

Attempt = Callable[[FloatArray, FloatArray, int], FloatArray | None]
"""Positions for a target (4, 4) from a start (n,), with at most so many starts."""


@dataclass
class Score:
    """Seconds of each target and whether it was reached: from one start, and with restarts."""

    one: list[float] = field(default_factory=list)
    one_right: list[bool] = field(default_factory=list)
    many: list[float] = field(default_factory=list)
    many_right: list[bool] = field(default_factory=list)


def kido_attempt(arm: Arm) -> Attempt:
    """The problem is built anew for each target, in the time that counts."""
    robot = kido.load(arm.path)
    tool, problem = robot.body(TOOL), PostureProblem(robot)

    def attempt(target: FloatArray, start: FloatArray, starts: int) -> FloatArray | None:
        problem.clear()
        place, slack = target[:3, 3], _SHARE * LINEAR
        problem.add_position_constraint(tool, place - slack, place + slack)
        problem.add_orientation_constraint(tool, _SHARE * ANGULAR, rotation=target[:3, :3])
        result = problem.solve(start, max_starts=starts, time_budget=_BUDGET)
        return np.asarray(result.positions) if result.success else None

    return attempt


def drake_attempt(arm: Arm, seed: int = 0) -> Attempt:
    """A program for each target, from random postures after the first start."""
    from pydrake.math import RigidTransform

    from benchmarks._peers._drake import DrakeArm

    search = DrakeArm(arm, arm.path.parent).single()
    rng = np.random.default_rng(seed)

    def attempt(target: FloatArray, start: FloatArray, starts: int) -> FloatArray | None:
        given, began = RigidTransform(target), time.perf_counter()
        for k in range(starts):
            q = search(given, start if k == 0 else rng.uniform(arm.lower, arm.upper))
            if q is not None or time.perf_counter() - began > _BUDGET:
                return q
        return None

    return attempt


def measure(arm: Arm, attempt: Attempt, count: int) -> Score:
    """Targets within the limits, from near the middle of these."""
    judge, score = Judge(arm), Score()
    start = arm.middle + 0.05 * (arm.upper - arm.lower)
    for target in judge.targets(count):
        for starts, seconds, right in (
            (1, score.one, score.one_right),
            (10**6, score.many, score.many_right),
        ):
            before = time.perf_counter()
            answer = attempt(target, start, starts)
            seconds.append(time.perf_counter() - before)
            right.append(bool(judge.reached(target[None], [answer])[0]))
    return score
