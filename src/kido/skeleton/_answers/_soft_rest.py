"""Point masses around bodies, beyond the rigid bodies that they make where they rest."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from kido.skeleton._answers._answers import EDITS, Answers
from kido.typing import FloatArray

__all__ = ["NO_SOFT_REST", "SoftRest", "soft_rest"]


class SoftRest:
    """Contributions of all soft bodies of a skeleton, in world axes; each is computed where it is asked
    for."""

    __slots__ = ("_bodies",)

    def __init__(self, bodies: tuple[Any, ...]) -> None:
        self._bodies = bodies

    @property
    def kinetic(self) -> float:
        """Kinetic energy [J]."""
        return float(sum(body._kinetic_beyond() for body in self._bodies))

    @property
    def potential(self) -> float:
        """Potential energy in gravity, of springs and of gas [J]."""
        return float(sum(body._potential_beyond() for body in self._bodies))

    @property
    def first(self) -> FloatArray:
        """First moment of mass (3,) [kg m]."""
        return _sum([body._first_beyond() for body in self._bodies])

    @property
    def linear(self) -> FloatArray:
        """Linear momentum (3,) [kg m/s]."""
        return _sum([body._linear_beyond() for body in self._bodies])

    def about(self, center: FloatArray) -> FloatArray:
        """Angular momentum (3,) about a point (3,) [kg m^2/s]."""
        return _sum([body._angular_beyond(center) for body in self._bodies])


NO_SOFT_REST = SoftRest(())


def soft_rest(answers: Answers, bodies: Iterable[Any]) -> SoftRest:
    """Of all soft bodies; `NO_SOFT_REST` itself where there are none."""
    if answers.soft_bodies[0] != EDITS.count:
        answers.soft_bodies = EDITS.count, tuple(body for body in bodies if body._is_soft)
    soft = answers.soft_bodies[1]
    return SoftRest(soft) if soft else NO_SOFT_REST


def _sum(vectors: list[FloatArray]) -> FloatArray:
    """Of vectors (3,); zero of none."""
    return np.sum(vectors, axis=0) if vectors else np.zeros(3)
