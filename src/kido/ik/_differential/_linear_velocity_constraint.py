"""A constraint of velocities by rows."""

from __future__ import annotations

import math

import numpy as np

from kido.typing import ArrayLike, FloatArray, frozen_array, read_only
from kido.values import Array, Value, checked, value

__all__ = ["LinearVelocityConstraint"]


def _bounds(name: str, given: ArrayLike) -> FloatArray:
    return frozen_array(name, given, None, "rad/s, m/s", finite=False)


@value
class LinearVelocityConstraint(Value):
    """lower <= A v <= upper for velocities v (n,).

    Attributes:
        A: (k, n) [-]; one row may be given as (n,).
        lower, upper: (k,) [rad/s, m/s], or one number for all rows. Both equal are an equation.

    Raises TypeError or ValueError naming the argument: shapes that do not fit, NaN, a lower bound above the
    upper one.
    """

    A: Array = checked(lambda name, given: frozen_array(name, given, None))
    lower: Array = checked(_bounds, default=-math.inf)
    upper: Array = checked(_bounds, default=math.inf)

    def _check(self) -> None:
        A = np.atleast_2d(self.A)
        if A.ndim != 2 or A.shape[1] == 0:
            raise ValueError(f"A: expected shape (k, n) or (n,), got {self.A.shape}")
        self._assign(A=A)
        for name in ("lower", "upper"):
            given = getattr(self, name)
            if given.shape not in ((), (len(A),)):
                raise ValueError(f"{name}: expected shape ({len(A)},) or one number, got {given.shape}")
            object.__setattr__(self, name, read_only(np.array(np.broadcast_to(given, len(A)))))
        if not np.all((self.lower <= self.upper) & (self.lower < math.inf) & (self.upper > -math.inf)):
            raise ValueError(
                f"lower: expected at most upper, got {self.lower.tolist()}, {self.upper.tolist()}"
            )
