"""Answers about a whole skeleton that are kept until something that they depend on changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

if TYPE_CHECKING:
    from kido.skeleton._core_skeleton import SkeletonCore

__all__ = ["quantity"]

S = TypeVar("S", bound="SkeletonCore")

_ROWS = {"positions": 0, "velocities": 1, "accelerations": 2, "forces": 3}


def quantity(*inputs: str) -> Callable[[Callable[[S], Any]], Any]:
    """A property that is computed where it is asked for and kept as long as its inputs stay.

    Args:
        inputs: of "positions", "velocities", "accelerations", "forces", and "dynamics": all that is not the model's nor
            a number of the dofs, as external forces, springs or the time step.

    The arrays that it gives are read-only.
    """
    rows = tuple(_ROWS[name] for name in inputs if name in _ROWS)
    dynamics = "dynamics" in inputs

    def decorate(compute: Callable[[S], Any]) -> Any:
        name = compute.__name__

        def get(skeleton: S) -> Any:
            state = skeleton._state or skeleton._ready()
            stamp = tuple(map(state.version, rows))
            if dynamics:
                stamp = (*stamp, skeleton._dynamics_version)
            cache = skeleton._cache
            kept = cache.get(name)
            if kept is not None and kept[0] == stamp:
                return kept[1]
            value = compute(skeleton)
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
            cache[name] = (stamp, value)
            return value

        get.__name__ = name
        get.__doc__ = compute.__doc__
        return property(get)

    return decorate
