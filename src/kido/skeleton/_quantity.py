"""Answers about a whole skeleton that are kept until something that they depend on changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar, overload

import numpy as np

if TYPE_CHECKING:
    from kido.skeleton._core_skeleton import SkeletonCore

__all__ = ["Quantity", "quantity"]

V = TypeVar("V")

_ROWS = {"positions": 0, "velocities": 1, "accelerations": 2, "forces": 3}


class Quantity(Generic[V]):
    """A read-only attribute that is computed where it is asked for and kept as long as its inputs stay.

    Versions only grow, so their sum tells whether an input changed.
    """

    def __init__(self, compute: Callable[[Any], V], rows: int, dynamics: bool) -> None:
        self.__doc__ = compute.__doc__
        self._compute = compute
        self._name = compute.__name__
        self._rows = rows
        self._dynamics = dynamics

    @overload
    def __get__(self, skeleton: None, owner: type) -> Quantity[V]: ...
    @overload
    def __get__(self, skeleton: SkeletonCore, owner: type) -> V: ...
    def __get__(self, skeleton: SkeletonCore | None, owner: type) -> Quantity[V] | V:
        if skeleton is None:
            return self
        state = skeleton._state or skeleton._ready()
        stamp = state.stamp(self._rows)
        if self._dynamics:
            stamp += skeleton._dynamics_version
        cache = skeleton._cache  # another one once the skeleton is changed
        kept = cache.get(self._name)
        if kept is not None and kept[0] == stamp:
            value: V = kept[1]
            return value
        value = self._compute(skeleton)
        if isinstance(value, np.ndarray):
            value.setflags(write=False)
        cache[self._name] = (stamp, value)
        return value

    def __set__(self, skeleton: SkeletonCore, value: object) -> NoReturn:
        raise AttributeError(f"{self._name} follows from the skeleton's state and cannot be set")


def quantity(*inputs: str) -> Callable[[Callable[[Any], V]], Quantity[V]]:
    """Makes a method an attribute that is computed where it is asked for, and kept.

    Args:
        inputs: what it depends on, of "positions", "velocities", "accelerations", "forces", and "dynamics":
            all that is neither in the model nor a number of the dofs, as external forces, springs, or the
            time step.

    The arrays that it gives are read-only.
    """
    rows = sum(1 << _ROWS[name] for name in inputs if name in _ROWS)

    def decorate(compute: Callable[[Any], V]) -> Quantity[V]:
        return Quantity(compute, rows, "dynamics" in inputs)

    return decorate
