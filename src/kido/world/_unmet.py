"""Constraints that cannot be met."""

from __future__ import annotations

from typing import NamedTuple

from kido.constraint import Constraint
from kido.typing import FloatArray

__all__ = ["UnmetConstraint"]


class UnmetConstraint(NamedTuple):
    """A rigid constraint that stayed violated for many steps, as one of two that contradict each other.

    It gives way softly until it can be met.

    Attributes:
        constraint: which.
        error: by how much it is violated; see `World.constraint_error`.
    """

    constraint: Constraint
    error: FloatArray
