"""Answers for targets out of reach: connected with the given positions, and nearer ones of other branches beside them."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import kido
from kido import InverseKinematics, SearchSettings
from kido.ik import IKStatus

from _arms import planar_arm  # isort: skip


def example(name: str = "arm") -> InverseKinematics:
    robot = kido.gallery.arm()
    return InverseKinematics.of(robot.end_effector("tool"))


STEP = 0.01
"""Distance of two targets of a path [m]."""


def pulled(ik: InverseKinematics, direction: np.ndarray, length: float) -> list[kido.IKResult]:
    """Answers that were applied while the target was pulled along a line, out and back, in small steps."""
    start = ik.transform()
    results = []
    way = np.arange(0.0, length, STEP)
    for s in np.concatenate([way, way[::-1]]):
        ik.target.set_transform(start)
        ik.target.set_translation(start[:3, 3] + s * direction)
        results.append(ik.solve_and_apply())
        np.testing.assert_array_equal(ik.positions, results[-1].positions)
    return results
