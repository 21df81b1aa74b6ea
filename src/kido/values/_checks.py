"""Checks of what is given: names, flags, whole numbers, members of enums, parts. Each names the argument."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from numbers import Integral
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from kido._core import brief
from kido.typing import ArrayLike, PathLike, frozen_array

__all__ = [
    "checked_flag",
    "checked_items",
    "checked_member",
    "checked_name",
    "checked_part",
    "checked_path",
    "checked_positive",
    "checked_text",
    "checked_whole",
]

M = TypeVar("M", bound=Enum)
T = TypeVar("T")

_LONGEST_PATH = 32_767
"""Characters of the longest path that a system has: Windows; of Linux it is 4095."""

_PATH = type(Path())
"""The class of paths of this system, which nobody can change."""


def checked_flag(name: str, value: bool) -> bool:
    """True or False; raises TypeError for anything else, as a text would be true whatever it says."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name}: expected True or False, got {brief(value)}")
    return bool(value)


def checked_text(name: str, value: object) -> str:
    """A string; raises TypeError."""
    if not isinstance(value, str):
        raise TypeError(f"{name}: expected a string, got {type(value).__name__}")
    return value


def checked_name(name: str, value: object) -> str:
    """A string that is not empty; raises TypeError or ValueError."""
    text = checked_text(name, value)
    if not text:
        raise ValueError(f"{name}: expected a nonempty string, got ''")
    return text


def checked_whole(name: str, value: int) -> int:
    """A whole number; raises TypeError."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"{name}: expected an integer, got {brief(value)}")
    return int(value)


def checked_positive(name: str, value: ArrayLike, unit: str = "") -> float:
    """A positive finite number in a `unit`, its `shape` being (); raises TypeError or ValueError."""
    number = float(frozen_array(name, value, (), unit))
    if number <= 0.0:
        in_unit = f" [{unit}]" if unit else ""
        raise ValueError(f"{name}: expected a positive number{in_unit}, got {number}")
    return number


def checked_member(name: str, kind: type[M], value: Any) -> M:
    """A member of an enum of strings, or that of a value; raises ValueError that lists them."""
    try:
        return kind(value)
    except ValueError:
        known = ", ".join(member.value for member in kind)
        raise ValueError(f"{name}: expected one of {known}, got {brief(value)}") from None


def checked_part(name: str, kind: type[T] | tuple[type[T], ...], value: Any, *, or_none: str = "") -> T:
    """An instance of a class, or of one of several; raises TypeError, `or_none` being what else would do."""
    if not isinstance(value, kind):
        raise TypeError(f"{name}: expected {_kinds(kind)}{or_none}, got {brief(value)}")
    checked: T = value
    return checked


def checked_function(name: str, value: Any, *, or_none: bool = False) -> Any:
    """A function, or None where that would do; raises TypeError."""
    if not callable(value) and (value is not None or not or_none):
        raise TypeError(f"{name}: expected a function{' or None' if or_none else ''}, got {brief(value)}")
    return value


def checked_items(name: str, kind: type[T] | tuple[type[T], ...], values: Iterable[Any]) -> tuple[T, ...]:
    """Instances of a class, as a tuple; raises TypeError for what cannot be gone through, and for others."""
    if type(values) is tuple and not values:
        return values
    try:
        given = tuple(values)
    except TypeError:
        raise TypeError(f"{name}: expected an iterable, got {brief(values)}") from None
    return tuple(checked_part(name, kind, value) for value in given)


def _kinds(kind: type | tuple[type, ...]) -> str:
    """Classes in words, "a string" for str."""
    names = [
        "string" if one is str else one.__name__ for one in (kind if isinstance(kind, tuple) else (kind,))
    ]
    return " or ".join(f"{'an' if name[0] in 'AEIOU' else 'a'} {name}" for name in names)


def checked_path(name: str, value: PathLike) -> Path:
    """A path; raises TypeError, and ValueError for one that is longer than those of any system."""
    try:
        path = value if type(value) is _PATH else Path(value)
    except TypeError:
        raise TypeError(f"{name}: expected a path, got {brief(value)}") from None
    if len(str(path)) > _LONGEST_PATH:
        raise ValueError(
            f"{name}: expected a path of {_LONGEST_PATH} characters at most, got {brief(str(path))}"
        )
    return path
