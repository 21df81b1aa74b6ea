"""Inertias of bodies with and without their point masses."""

from __future__ import annotations

import numpy as np

from kido.description import Inertia, SoftSkin
from kido.typing import FloatArray

__all__ = ["core_of", "joined_inertia"]

_LEAST_SHARE = 1e-9
"""Share of a body's mass below which what its points leave of it counts as nothing."""


def core_of(whole: Inertia, skin: SoftSkin, name: str) -> Inertia:
    """Inertia of a named body less that of points at rest. Raises ValueError where no body can have it."""
    points = skin.inertia
    mass = whole.mass - points.mass
    if mass < -_LEAST_SHARE * whole.mass:
        raise ValueError(
            f"inertia: the points of {name!r} weigh {points.mass:g} kg, more than the body with them: "
            f"{whole.mass:g} kg"
        )
    if mass <= _LEAST_SHARE * whole.mass:
        return Inertia(0.0)
    com = (whole.mass * whole.com - points.mass * points.com) / mass
    moment = _about_origin(whole) - _about_origin(points) - _about_origin(Inertia(mass, com))
    if np.abs(moment).max() <= _LEAST_SHARE * np.abs(_about_origin(whole)).max():
        return Inertia(mass, com)
    core = Inertia(mass, com, 0.5 * (moment + moment.T))
    problem = core.problem()
    if problem:
        raise ValueError(f"inertia: the points of {name!r} leave one that no body can have: {problem}")
    return core


def joined_inertia(one: Inertia, other: Inertia) -> Inertia:
    """Inertia of two bodies in one frame together."""
    mass = one.mass + other.mass
    com = (one.mass * one.com + other.mass * other.com) / mass
    moment = _about_origin(one) + _about_origin(other) - _about_origin(Inertia(mass, com))
    return Inertia(mass, com, moment)


def _about_origin(inertia: Inertia) -> FloatArray:
    c = inertia.com
    return np.asarray(inertia.moment + inertia.mass * (c @ c * np.eye(3) - np.outer(c, c)))
