"""Lines and planes on which what is dragged stays."""

from __future__ import annotations

import numpy as np

from kido.typing import ArrayLike, FloatArray, frozen_array

__all__ = ["Guide"]


class Guide:
    """A line or plane in the world on which what is dragged stays; without either, all of space.

    It goes through where the drag begins.
    """

    __slots__ = ("_is_line", "direction", "origin")

    def __init__(
        self,
        origin: ArrayLike = (0.0, 0.0, 0.0),
        *,
        line: ArrayLike | None = None,
        plane: ArrayLike | None = None,
    ) -> None:
        """A guide through a point.

        Args:
            origin: (3,) in the world [m].
            line: direction (3,) of a line; None: no line.
            plane: normal (3,) of a plane; None: no plane.

        Raises TypeError or ValueError: both, or no direction.
        """
        if line is not None and plane is not None:
            raise ValueError("line, plane: expected one of them, got both")
        self.origin = frozen_array("origin", origin, (3,), "m")
        self._is_line = line is not None
        self.direction: FloatArray | None = None
        if line is not None:
            self.direction = _unit("line", line)
        elif plane is not None:
            self.direction = _unit("plane", plane)

    @property
    def is_free(self) -> bool:
        """Whether there is neither a line nor a plane."""
        return self.direction is None

    def free_axes(self, axes: FloatArray) -> tuple[bool, bool, bool]:
        """Whether each column of a rotation (3, 3) leads along the guide, to rounding."""
        if self.direction is None:
            return True, True, True
        along = np.abs(axes.T @ self.direction)
        free = along > 1.0 - 1e-6 if self._is_line else along < 1e-6
        return bool(free[0]), bool(free[1]), bool(free[2])

    def nearest(self, transform: FloatArray) -> FloatArray:
        """The pose (4, 4) [m] with the same orientation at the nearest point of the guide."""
        if self.direction is None:
            return transform
        placed = np.array(transform)
        away = placed[:3, 3] - self.origin
        along = self.direction * float(self.direction @ away)
        placed[:3, 3] = self.origin + (along if self._is_line else away - along)
        return placed


def _unit(name: str, vector: ArrayLike) -> FloatArray:
    v = frozen_array(name, vector, (3,))
    length = float(np.linalg.norm(v))
    if length == 0.0:
        raise ValueError(f"{name}: expected a direction, got {v.tolist()}")
    return np.asarray(v / length)
