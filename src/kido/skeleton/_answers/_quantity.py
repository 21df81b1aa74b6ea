"""Answers about a whole skeleton that are cached until something that they depend on changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, NoReturn, Protocol, TypeVar, overload

import numpy as np

from kido.skeleton._answers._answers import Answers

__all__ = ["HasAnswers", "Quantity", "quantity"]

V = TypeVar("V")

_ROWS = {"positions": 0, "velocities": 1, "accelerations": 2, "forces": 3}


class HasAnswers(Protocol):
    """Owner of quantities."""

    _answers: Answers


class Quantity(Generic[V]):
    """A function of a skeleton's data, computed when it is asked for and cached as long as its inputs stay.

    As an attribute of a class it is read-only. Versions of inputs only grow, so their sum tells whether one
    changed.
    """

    def __init__(self, compute: Callable[[Answers], V], rows: int, dynamics: bool) -> None:
        self.__doc__ = compute.__doc__
        self._compute = compute
        self._name = compute.__name__
        self._rows = rows
        self._dynamics = dynamics

    def of(self, answers: Answers) -> V:
        """The answer, from the cache where it holds."""
        state = answers.state or answers.ready()
        stamp = state.stamp(self._rows)
        if self._dynamics:
            stamp += answers.dynamics_version
        cached = answers.cache.get(self._name)
        if cached is not None and cached[0] == stamp:
            value: V = cached[1]
            return value
        return self._computed(answers, stamp)

    def _computed(self, answers: Answers, stamp: int) -> V:
        cache = answers.cache  # another one once the skeleton is changed
        try:
            value = self._compute(answers)
        except (ValueError, IndexError):
            answers.refuse_if_changed(cache)
            raise
        if isinstance(value, np.ndarray):
            value.setflags(write=False)
        cache[self._name] = (stamp, value)
        return value

    @overload
    def __get__(self, owner: None, kind: type) -> Quantity[V]: ...
    @overload
    def __get__(self, owner: HasAnswers, kind: type) -> V: ...
    def __get__(self, owner: HasAnswers | None, kind: type) -> Quantity[V] | V:
        if owner is None:
            return self
        answers = owner._answers
        state = answers.state
        if state is None:
            return self.of(answers)
        stamp = state.stamp(self._rows)
        if self._dynamics:
            stamp += answers.dynamics_version
        cached = answers.cache.get(self._name)
        if cached is not None and cached[0] == stamp:
            value: V = cached[1]
            return value
        return self._computed(answers, stamp)

    def __set__(self, owner: HasAnswers, value: object) -> NoReturn:
        raise AttributeError(f"{self._name} follows from the skeleton's state and cannot be set")


def quantity(*inputs: str) -> Callable[[Callable[[Answers], V]], Quantity[V]]:
    """Makes a function of answers a cached quantity.

    Args:
        inputs: what it depends on, of "positions", "velocities", "accelerations", "forces", and "dynamics":
            all that is neither in the tree nor a number of the dofs, as external forces, springs, or the
            time step.

    The arrays that it gives are read-only.
    """
    rows = sum(1 << _ROWS[name] for name in inputs if name in _ROWS)

    def decorate(compute: Callable[[Answers], V]) -> Quantity[V]:
        return Quantity(compute, rows, "dynamics" in inputs)

    return decorate
