"""The stages of a step, and the signals before and after each of them."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Generic, ParamSpec, TypeVar

from kido.skeleton import Connection, Signal
from kido.values import checked_member

__all__ = ["Stage", "StageSignals"]

P = ParamSpec("P")
W = TypeVar("W")


class Stage(str, Enum):
    """The parts of a step, in their order."""

    DETECT = "detect"
    """Which shapes touch, and where."""
    ACCELERATE = "accelerate"
    """What velocities gain without impulses: by gravity, commands, springs, external forces."""
    PREPARE = "prepare"
    """The rows of contacts and constraints, and how bodies respond to them."""
    SOLVE = "solve"
    """Impulses of contacts, limits, motors and constraints."""
    MOVE = "move"
    """Velocities and positions at the end of the step."""


class StageSignal(Signal[P]):
    """A signal whose world is told when somebody begins to listen."""

    __slots__ = ("_changed",)

    def __init__(self, changed: Callable[[], None]) -> None:
        super().__init__()
        self._changed = changed

    def connect(self, callback: Callable[P, object]) -> Connection[P]:
        """Have `callback` called from now on; the connection ends that. Raises TypeError for no function."""
        connection = super().connect(callback)
        self._changed()
        return connection

    @property
    def is_heard(self) -> bool:
        """Whether anybody listens."""
        return bool(self._connections)


class StageSignals(Generic[W]):
    """Signals of a world before and after each stage of a step; callbacks are given the world."""

    __slots__ = ("_after", "_before")

    def __init__(self, changed: Callable[[], None]) -> None:
        self._before: tuple[StageSignal[[W]], ...] = tuple(StageSignal(changed) for _ in Stage)
        self._after: tuple[StageSignal[[W]], ...] = tuple(StageSignal(changed) for _ in Stage)

    def before(self, stage: Stage | str) -> Signal[[W]]:
        """The signal before a stage. Raises ValueError for an unknown one."""
        return self._before[_STAGES.index(checked_member("stage", Stage, stage))]

    def after(self, stage: Stage | str) -> Signal[[W]]:
        """The signal after a stage. Raises ValueError for an unknown one."""
        return self._after[_STAGES.index(checked_member("stage", Stage, stage))]

    @property
    def are_heard(self) -> bool:
        """Whether anybody listens to any of them."""
        return any(signal.is_heard for signal in (*self._before, *self._after))


_STAGES = list(Stage)
