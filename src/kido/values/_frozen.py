"""Checks that users' dataclasses are frozen, and frozen copies of their content."""

from __future__ import annotations

from copy import copy
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

import numpy as np

from kido.values._content import is_instance_of_dataclass
from kido.values._value import Value

__all__ = ["frozen_content", "is_frozen", "require_frozen"]

T = TypeVar("T")


def is_frozen(kind: type) -> bool:
    """True for a frozen dataclass."""
    return is_dataclass(kind) and bool(kind.__dataclass_params__.frozen)  # type: ignore[attr-defined]


def require_frozen(name: str, kind: object) -> None:
    """Raises TypeError, naming the argument, for what is no frozen dataclass."""
    if not (isinstance(kind, type) and is_frozen(kind)):
        shown = kind.__qualname__ if isinstance(kind, type) else repr(kind)
        raise TypeError(f"{name}: expected a frozen dataclass, @dataclass(frozen=True), got {shown}")


def frozen_content(value: T) -> T:
    """The same value where nothing in it can change, else a copy of it.

    In the copy arrays are read-only copies, and lists and dictionaries copies that nobody else has.
    """
    return value if isinstance(value, Value) else _frozen(value)


def _frozen(value: Any) -> Any:
    if value is None or isinstance(value, Value):
        return value
    if isinstance(value, np.ndarray):
        return _read_only(value)
    if isinstance(value, list):
        return [_frozen(item) for item in value]
    if isinstance(value, dict):
        return {key: _frozen(item) for key, item in value.items()}
    if type(value) is tuple:
        items = tuple(map(_frozen, value))
        return value if all(map(_is, items, value)) else items
    return _frozen_dataclass(value) if is_instance_of_dataclass(value) else value


def _frozen_dataclass(value: Any) -> Any:
    content = {field.name: getattr(value, field.name) for field in fields(value)}
    changed = {name: frozen for name, item in content.items() if (frozen := _frozen(item)) is not item}
    if not changed:
        return value
    made = copy(value)
    for name, item in changed.items():
        object.__setattr__(made, name, item)
    return made


def _read_only(array: np.ndarray) -> np.ndarray:
    """The array itself where nobody can write to it, which is where no array below it can be written to."""
    below: Any = array
    while isinstance(below, np.ndarray) and not below.flags.writeable:
        below = below.base
    if below is None:
        return array
    made = array.copy()
    made.flags.writeable = False
    return made


def _is(a: object, b: object) -> bool:
    return a is b
