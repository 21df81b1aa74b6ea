"""Positions of dofs as commands read and print them: in radians or degrees, without what is but rounding."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from rich.console import Console

from kido.description import degrees_of
from kido.skeleton import DegreeOfFreedom
from kido.tree import number_text
from kido.typing import FloatArray

__all__ = ["DofNumbers", "print_json_of", "without_rounding"]

_ROUNDING = 1e-12
"""Below it, numbers are zero [rad, m]."""


class DofNumbers:
    """Numbers of dofs in the units that a user asked for.

    Attributes:
        units: of each dof, "deg", "rad" or "m".
    """

    __slots__ = ("_dofs", "_scale", "units")

    def __init__(self, dofs: Sequence[DegreeOfFreedom], *, degrees: bool) -> None:
        """Numbers of dofs; `degrees` says whether those of angles are in degrees."""
        self._dofs = tuple(dofs)
        own = [dof.coordinate.unit for dof in self._dofs]
        shown = [degrees_of(unit) if degrees else (1.0, unit) for unit in own]
        self.units = tuple(unit for _, unit in shown)
        self._scale: FloatArray = np.array([factor for factor, _ in shown])

    def shown(self, positions: FloatArray) -> FloatArray:
        """Positions (..., k) [rad, m] in these units."""
        return without_rounding(positions) * self._scale

    def read(self, numbers: Sequence[float]) -> FloatArray:
        """Positions (k,) [rad, m] of numbers in these units."""
        return np.asarray(numbers) / self._scale

    def rows(self, positions: FloatArray) -> Iterator[tuple[str, ...]]:
        """Name, value, limits and unit of each, as texts."""
        for told in self.told(positions):
            numbers = (told["value"], *(_bound(told, side) for side in ("lower", "upper")))
            yield told["dof"], *map(number_text, numbers), told["unit"]

    def told(self, positions: FloatArray) -> list[dict[str, Any]]:
        """Name, value, limits and unit of each; limits that are not there are None."""
        values = self.shown(np.asarray(positions)).tolist()
        lower, upper = (
            self.shown(np.array([getattr(dof, f"position_{side}_limit") for dof in self._dofs])).tolist()
            for side in ("lower", "upper")
        )
        return [
            {
                "dof": dof.name,
                "value": value,
                "lower": _finite(low),
                "upper": _finite(high),
                "unit": unit,
            }
            for dof, value, low, high, unit in zip(self._dofs, values, lower, upper, self.units, strict=True)
        ]


def without_rounding(numbers: FloatArray | Iterable[float]) -> FloatArray:
    """Numbers (...), those that are but rounding zero."""
    values = np.asarray(numbers, dtype=float)
    return np.where(np.abs(values) < _ROUNDING, 0.0, values)


def print_json_of(console: Console, told: object) -> None:
    """Print JSON."""
    console.print(json.dumps(told, indent=1), soft_wrap=True)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _bound(told: dict[str, Any], side: str) -> float:
    value = told[side]
    if value is None:
        return -math.inf if side == "lower" else math.inf
    return float(value)
