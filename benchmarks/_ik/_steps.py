"""Steps of weighted tasks: their weights, their lengths, and when they end."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks._ik._solver import ANGULAR, LINEAR, FloatArray

STANDING, REACHING, GAZE, POSTURE = 300.0, 3.0, 1.0, 1e-3
"""Weights of the tasks for libraries that have no levels, or two."""

FOLLOWED = 0.1
"""Step in which a target is followed [s]."""
STEP, STEPS = 0.5, 100
"""Step of a search [s], and how many it takes at most."""
SETTINGS = f"steps of {STEP} s, at most {STEPS}, velocity limits, until 1 mm and 10 mrad"
"""Of an arm, in words."""

_STILL = 1e-4
"""Change of a joint in a step that counts as none [rad, m]."""


def until_there(
    errors: Callable[[], list[FloatArray]], step: Callable[[], object], failure: type[Exception]
) -> bool:
    """Take at most 100 steps until all errors, lengths first, are small; whether they are."""
    for _ in range(STEPS):
        if are_small(errors()):
            return True
        try:
            step()
        except failure:
            return False
    return False


def until_still(is_there: Callable[[], bool], step: Callable[[], float], failure: type[Exception]) -> None:
    """Take at most 100 steps until all is reached, or a step moves no joint; `step` says how much."""
    for _ in range(STEPS):
        if is_there():
            return
        try:
            if step() < _STILL:
                return
        except failure:
            return


def are_small(poses: list[FloatArray]) -> bool:
    """Whether errors of poses (6,), lengths first, are small [m], [rad]."""
    return all(np.linalg.norm(e[:3]) < LINEAR and np.linalg.norm(e[3:]) < ANGULAR for e in poses)
