"""Signals of the user's: numbers that are asked for with each sample."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any, NamedTuple, TypeAlias

from kido import _core
from kido.typing import FloatArray
from kido.values import checked_name, checked_text

__all__ = ["Signal", "SignalLike", "checked_signals"]

SignalLike: TypeAlias = "str | Callable[[Any], Any] | tuple[str | Callable[[Any], Any], str]"
"""A function of the world or an attribute of it, as "kinetic_energy"; or either of them with a unit."""

_RESERVED = frozenset(
    {
        "positions",
        "velocities",
        "commands",
        "accelerations",
        "actuator_forces",
        "friction_forces",
        "limit_forces",
        "contact_forces",
        "contact_depths",
        "constraint_forces",
    }
)
"""Names of what is recorded anyway."""


class Signal(NamedTuple):
    """A signal: its name, a function of the world, unit."""

    name: str
    function: Callable[[Any], Any]
    unit: str

    def read(self, world: Any) -> FloatArray:
        """The value now, of any shape. Raises what the function raises; TypeError, ValueError naming it."""
        value = self.function(world)
        try:
            numbers: FloatArray = _core.real_array(value, copy=True)
        except (TypeError, ValueError) as error:
            raise type(error)(f"signal {self.name!r}: expected numbers, got {_core.brief(value)}") from error
        return numbers


def checked_signals(signals: Mapping[str, SignalLike]) -> tuple[Signal, ...]:
    """Signals by name. Raises TypeError, ValueError naming the signal."""
    if not isinstance(signals, Mapping):
        raise TypeError(f"signals: expected functions by name, got {_core.brief(signals)}")
    return tuple(_signal(name, given) for name, given in signals.items())


def _signal(name: str, given: SignalLike) -> Signal:
    checked_name("signals", name)
    if name in _RESERVED or "/" in name or name.startswith("."):
        raise ValueError(
            f"signals: {name!r} cannot be the name of one: no '/', and none of what is recorded anyway"
        )
    function, unit = given if isinstance(given, tuple) and len(given) == 2 else (given, "")
    checked_text(f"signals: unit of {name!r}", unit)
    if isinstance(function, str):
        function = attrgetter(checked_name(f"signals: attribute of {name!r}", function))
    if not callable(function):
        raise TypeError(f"signals: expected a function or attribute for {name!r}, got {_core.brief(given)}")
    return Signal(name, function, unit)
