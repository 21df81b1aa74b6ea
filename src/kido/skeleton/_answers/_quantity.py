"""Answers about a whole skeleton that are cached until something that they depend on changes."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, Generic, NoReturn, ParamSpec, Protocol, TypeVar, overload

import numpy as np

from kido import _core
from kido.errors import EditError
from kido.skeleton._answers._answers import Answers

__all__ = ["HasAnswers", "Quantity", "quantity", "undisturbed"]

V = TypeVar("V")
P = ParamSpec("P")
Owner = TypeVar("Owner", bound="HasAnswers")

_ROWS = {"positions": 0, "velocities": 1, "accelerations": 2, "forces": 3}


class HasAnswers(Protocol):
    """Owner of quantities, or part of one."""

    @property
    def _answers(self) -> Answers: ...


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
        return self._computed(answers, stamp, state)

    def _computed(self, answers: Answers, stamp: int, state: _core.State) -> V:
        cache = answers.cache  # another one once the skeleton is changed
        if answers.state is not state:
            answers.refuse_if_changed(state)
        try:
            value = self._compute(answers)
        except (ValueError, IndexError):
            answers.refuse_if_changed(state)
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
        return self._computed(answers, stamp, state)

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


def undisturbed(method: Callable[Concatenate[Owner, P], V]) -> Callable[Concatenate[Owner, P], V]:
    """Makes errors of a method EditErrors where the structure changed meanwhile, by another thread.

    For what looks at many parts, or asks several questions, one after the other.
    """

    @wraps(method)
    def guarded(owner: Owner, /, *args: P.args, **kwargs: P.kwargs) -> V:
        answers = owner._answers
        edits = answers.edits
        try:
            return method(owner, *args, **kwargs)
        except EditError:
            raise
        except (ValueError, LookupError):
            answers.refuse_if_edited(edits)
            raise

    return guarded
