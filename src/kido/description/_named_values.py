"""Plain values by name: options of solvers, integrators, constraints, sensors."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from numbers import Integral, Real
from typing import Any, TypeAlias

from kido._core import brief
from kido.errors import DescriptionError
from kido.values import Value, value

__all__ = ["NamedValues", "OptionValue", "Options", "checked_name", "name_of", "named_values"]

OptionValue: TypeAlias = bool | int | float | str | tuple[float, ...]
"""A plain value: a number, a text, several numbers."""

Options: TypeAlias = Mapping[str, OptionValue | Sequence[float]] | Iterable[tuple[str, OptionValue]]
"""One of the `NamedValues`."""


@value
class NamedValues(Value, Mapping[str, OptionValue]):
    """A mapping that cannot be changed: bools, finite numbers, texts, and tuples of finite numbers, by name.

    Two are equal whatever their order. Raises DescriptionError, naming the value.
    """

    pairs: tuple[tuple[str, OptionValue], ...]
    _by_name: dict[str, OptionValue] = field(init=False, repr=False, compare=False)

    def __init__(self, pairs: Options = ()) -> None:
        by_name: dict[str, OptionValue] = {}
        for name, given in _pairs(pairs):
            if checked_name("option", name) in by_name:
                raise DescriptionError(
                    "expected different names, got two options of this name", "option", name
                )
            by_name[name] = _plain(name, given)
        ordered = tuple(sorted(by_name.items()))
        self._assign(pairs=ordered, _by_name=dict(ordered))

    def __getitem__(self, name: str) -> OptionValue:
        return self._by_name[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)

    def __repr__(self) -> str:
        return f"NamedValues(pairs={self._by_name!r})"


def checked_name(kind: str, name: str) -> str:
    """A nonempty string; raises DescriptionError."""
    if not isinstance(name, str) or not name:
        raise DescriptionError(f"name: expected a nonempty string, got {name!r}", kind, str(name))
    return name


def name_of(kind: str) -> Callable[[str, Any], str]:
    """Check of a field that holds the name of a part of a scene: a DescriptionError says of which kind."""
    return lambda _, value: checked_name(kind, value)


def named_values(name: str, value: Options) -> NamedValues:
    """Check of a field that takes plain values by name and holds NamedValues."""
    return NamedValues(value)


def _pairs(pairs: Options) -> list[tuple[str, Any]]:
    items: Any = pairs.items() if isinstance(pairs, Mapping) else pairs
    try:
        return [(name, value) for name, value in items]
    except (TypeError, ValueError):
        expected = "expected a mapping, or pairs of name and value"
        raise DescriptionError(f"options: {expected}, got {brief(pairs)}") from None


def _plain(name: str, value: OptionValue | Sequence[float]) -> OptionValue:
    if isinstance(value, bool | str):
        return value
    if isinstance(value, Real):
        return _finite(name, int(value) if isinstance(value, Integral) else float(value))
    numbers: Any = value
    try:
        return tuple(float(_finite(name, number)) for number in numbers)
    except TypeError:
        expected = "expected a bool, a number, a string or several numbers"
        raise DescriptionError(f"{expected}, got {value!r}", "option", name) from None


def _finite(name: str, number: int | float) -> int | float:
    if not math.isfinite(number):
        raise DescriptionError(f"expected a finite number, got {number}", "option", name)
    return number
