"""A world as it stood."""

from __future__ import annotations

from typing import NamedTuple

from kido import _core
from kido.frame import SimpleFrame
from kido.typing import FloatArray
from kido.world._compiled import CompiledWorld
from kido.world._frames import FrameMotion

__all__ = ["Snapshot"]


class Snapshot(NamedTuple):
    """A world as it stood: time [s], number of steps, states of the skeletons (5, num_dofs), contacts, and
    wrenches from outside on the bodies of each skeleton (num_bodies, 6) in the last step and in the next one;
    None: none."""

    time: float
    steps: int
    states: tuple[FloatArray, ...]
    compiled: CompiledWorld
    numbers: _core.WorldCopy
    acted: tuple[FloatArray | None, ...]
    waiting: tuple[FloatArray | None, ...]
    counts: tuple[float, int, int]
    frames: tuple[tuple[SimpleFrame, FrameMotion], ...] = ()
