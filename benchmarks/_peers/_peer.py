"""Interface of adaptors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from benchmarks._robots import RobotFile
from benchmarks._states import States

FloatArray = NDArray[np.float64]

Keep = Callable[[Any, int], None]
"""Copies a result to the row of an index."""

CHECKED = 8
"""Samples of a batch whose results are compared with kido's."""


@dataclass(frozen=True)
class Names:
    """Dofs in the order of the states, and bodies in the order of their transforms."""

    dofs: Sequence[str]
    bodies: Sequence[str]


@dataclass(frozen=True)
class Call:
    """One operation on one state.

    Attributes:
        function: what is timed.
        arguments: its arguments, one tuple a state, in the form the library likes best.
        read: the result in kido's coordinates, from what the function returned and the index of the state.
        keep: makes room for the transforms of so many states, and gives a function that copies there what the
            function returned for one state; None where the function returns the result as one array.
    """

    function: Callable[..., Any]
    arguments: Sequence[tuple[Any, ...]]
    read: Callable[[Any, int], FloatArray]
    keep: Callable[[int], Keep] | None = None


@dataclass(frozen=True)
class Batch:
    """One operation on many states.

    Attributes:
        function: runs it on all `samples` states.
        samples: how many.
        read: the results of the first CHECKED samples in kido's coordinates, from what the function returned.
        how: the means, for the table.
    """

    function: Callable[[], Any]
    samples: int
    read: Callable[[Any], FloatArray]
    how: str


class Peer(Protocol):
    """One library with one robot loaded."""

    def single(self, operation: str, states: States) -> Call | None:
        """How one call is made; None where the library has no such operation."""

    def batch(self, operation: str, states: States) -> Batch | None:
        """The library's own way to do a batch; None where it is a Python loop over single calls."""


class PeerType(Protocol):
    """The class of an adaptor.

    Attributes:
        name: name in the tables.
        library: name of the installed distribution.
    """

    name: str
    library: str

    def __call__(self, robot: RobotFile, names: Names) -> Peer:
        """Load the robot. Raises UnsupportedRobotError where the library cannot."""


class UnsupportedRobotError(Exception):
    """A library cannot load a robot; the message says why."""


def rows(*columns: Any, before: tuple[Any, ...] = (), after: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """One tuple of arguments a state, from arrays (samples, ...) and what is the same for all."""
    return [(*before, *row, *after) for row in zip(*map(list, columns), strict=True)]


def homogeneous(rotation: FloatArray, translation: FloatArray) -> FloatArray:
    """Transform (4, 4)."""
    transform = np.eye(4)
    transform[:3, :3], transform[:3, 3] = rotation, translation
    return transform
