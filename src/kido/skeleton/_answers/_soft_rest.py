"""Point masses around bodies, beyond the rigid bodies that they make where they rest."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from kido.skeleton._answers._answers import EDITS, Answers
from kido.typing import FloatArray

__all__ = ["NO_SOFT_REST", "SoftRest", "soft_rest"]


@dataclass(frozen=True)
class SoftRest:
    """Kinetic and potential energy [J], first moment of mass (3,) [kg m], linear momentum (3,) [kg m/s], and
    angular
    momentum (3,) [kg m^2/s] about a point `origin` (3,) [m], all in world axes."""

    kinetic: float
    potential: float
    first: FloatArray
    linear: FloatArray
    angular: FloatArray
    origin: FloatArray

    def about(self, center: FloatArray) -> FloatArray:
        """The angular momentum (3,) about another point (3,) [m]."""
        return np.asarray(self.angular + np.cross(self.origin - center, self.linear))


_ZERO = np.zeros(3)
NO_SOFT_REST = SoftRest(0.0, 0.0, _ZERO, _ZERO, _ZERO, _ZERO)


def soft_rest(answers: Answers, bodies: Iterable[Any]) -> SoftRest:
    """The sum over all soft bodies; `NO_SOFT_REST` itself where there are none. Angular momentum is about the
    world's
    origin."""
    if answers.soft_bodies[0] != EDITS.count:
        answers.soft_bodies = EDITS.count, tuple(body for body in bodies if body._is_soft)
    soft = answers.soft_bodies[1]
    if not soft:
        return NO_SOFT_REST
    parts = [body._beyond_rigid() for body in soft]
    return SoftRest(
        sum(part.kinetic for part in parts),
        sum(part.potential for part in parts),
        np.sum([part.first for part in parts], axis=0),
        np.sum([part.linear for part in parts], axis=0),
        np.sum([part.about(_ZERO) for part in parts], axis=0),
        _ZERO,
    )
