"""Bounds of what an error method measures."""

from __future__ import annotations

from dataclasses import dataclass

from kido.typing import FloatArray

__all__ = ["ErrorBounds"]


@dataclass(frozen=True, slots=True, eq=False)
class ErrorBounds:
    """Bounds of the change of what an error method measures, between which there is no error.

    Attributes:
        jacobian: derivative (m, k) of what is measured by the module's velocities, between the bounds too.
        lower, upper: lowest and highest change (m,) of it that leave no error, in the units of the error; may
            be infinite.
    """

    jacobian: FloatArray
    lower: FloatArray
    upper: FloatArray
