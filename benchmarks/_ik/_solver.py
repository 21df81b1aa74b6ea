"""Interface of adaptors of inverse kinematics."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from benchmarks._ik._arms import Arm

FloatArray = NDArray[np.float64]

LINEAR, ANGULAR = 1e-3, 1e-2
"""Distance [m] and angle [rad] that count as reached."""

Search = Callable[[Any, FloatArray], FloatArray | None]
"""From a prepared target and positions (n,) to start from, positions (n,); None where it says it failed."""


class Solver:
    """One library with one arm loaded; a library overrides what it has.

    Attributes:
        name: name in the tables.
        library: name of the installed distribution.
        settings: those that are not the library's defaults.
    """

    name = ""
    library = ""
    settings = ""

    def prepare(self, target: FloatArray) -> Any:
        """A pose (4, 4) [m] in the form that the library likes best."""
        return target

    def single(self) -> Search | None:
        """One search from the given start only; None where the library has no such thing."""
        return None

    def following(self) -> Search | None:
        """One step of the library's way to follow a target; None where it has none."""
        return None

    def complete(self) -> Search | None:
        """The library's own call that tries other starts too, or needs none; None where it has none."""
        return None


class SolverType(Protocol):
    """The class of an adaptor."""

    name: str
    library: str
    settings: str

    def __call__(self, arm: Arm, folder: Path) -> Solver:
        """Load the arm; `folder` takes files. Raises UnsupportedArmError where the library cannot."""


class UnsupportedArmError(Exception):
    """A library cannot solve an arm; the message says why."""
