"""Style of answers: JSON, degrees."""

from __future__ import annotations

import math
from dataclasses import dataclass

__all__ = ["AnswerStyle"]


@dataclass(frozen=True)
class AnswerStyle:
    """Style of answers: JSON, degrees.

    Attributes:
        degrees: whether angles are in degrees.
        as_json: whether in JSON.
        timed: whether with the time that they took.
    """

    degrees: bool = False
    as_json: bool = False
    timed: bool = True

    def angle(self, radians: float) -> float:
        """An angle [rad] in the unit of angles."""
        return math.degrees(radians) if self.degrees else radians
