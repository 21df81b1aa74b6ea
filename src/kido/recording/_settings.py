"""Settings of recorders."""

from __future__ import annotations

import math
from dataclasses import dataclass

from kido.typing import frozen_array
from kido.values import checked_flag

__all__ = ["RecordSettings"]

_FLAGS = ("accelerations", "joint_forces", "contacts", "constraints")


@dataclass(frozen=True)
class RecordSettings:
    """Selection of what is recorded of a world, and how often.

    Attributes:
        rate: samples a second of simulated time [1/s]; infinite: after each step.
        keyframe_interval: simulated time between moments at which all that a step begins with is kept [s];
            infinite: at the beginning and the end alone.
        accelerations: whether accelerations are recorded.
        joint_forces: whether forces of actuators, joint friction and limits are.
        contacts: whether points of contact and their forces are.
        constraints: whether wrenches and forces of the world's constraints are.

    Raises TypeError, ValueError naming the attribute.
    """

    rate: float = 50.0
    keyframe_interval: float = 1.0
    accelerations: bool = False
    joint_forces: bool = True
    contacts: bool = True
    constraints: bool = True

    def __post_init__(self) -> None:
        for name, unit in (("rate", "1/s"), ("keyframe_interval", "s")):
            given = float(frozen_array(name, getattr(self, name), (), unit, finite=False))
            if given <= 0.0:
                raise ValueError(f"{name}: expected a positive number [{unit}], got {given}")
            object.__setattr__(self, name, given)
        for name in _FLAGS:
            checked_flag(name, getattr(self, name))

    def every(self, time_step: float) -> int:
        """Steps between samples, of a time step [s]."""
        return 1 if math.isinf(self.rate) else max(1, round(min(1.0 / (self.rate * time_step), 1e15)))

    def keyframe_every(self, time_step: float) -> int:
        """Samples between keyframes, of a time step [s]."""
        return max(1, round(min(self.keyframe_interval / (self.every(time_step) * time_step), 1e15)))
