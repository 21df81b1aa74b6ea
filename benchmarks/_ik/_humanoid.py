"""Interface of adaptors for a humanoid with several targets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

import numpy as np

from benchmarks._ik._solver import ANGULAR, LINEAR, FloatArray

_STEPS = 100


class Humanoid(Protocol):
    """A library with the humanoid loaded."""

    def solve(self, targets: FloatArray) -> FloatArray | None:
        """Positions for poses (t, 4, 4) [m]; None where it gives up."""

    def read(self, positions: FloatArray) -> FloatArray:
        """These positions as Pinocchio has them (7 + n,); not on the clock."""


class HumanoidType(Protocol):
    """The class of an adaptor."""

    library: str

    def __call__(
        self, path: Path, levels: Mapping[str, int], joints: tuple[str, ...], start: FloatArray
    ) -> Humanoid:
        """Load the robot; `levels` of the links that have targets, joints in Pinocchio's order.

        Searches begin at positions `start` (7 + n,).
        """


def until_there(
    errors: Callable[[], list[FloatArray]], step: Callable[[], None], failure: type[Exception]
) -> bool:
    """Take at most 100 steps until all errors, lengths first, are small; whether they are."""
    for _ in range(_STEPS):
        if all(np.linalg.norm(e[:3]) < LINEAR and np.linalg.norm(e[3:]) < ANGULAR for e in errors()):
            return True
        try:
            step()
        except failure:
            return False
    return False
