"""Values that are equal where what they hold is equal, whatever classes of users' own stand in them."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from kido.typing import Value

__all__ = ["Content", "is_instance_of_dataclass"]


class Content(Value):
    """Base of values that hold users' dataclasses: compared field by field, arrays number by number.

    NaN is equal to NaN, for a value is equal to its copy.
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Content) or type(other) is not type(self):
            return NotImplemented
        return _same(self, other)

    def __hash__(self) -> int:
        return _hash(self)


def is_instance_of_dataclass(value: object) -> bool:
    """Whether `value` is an instance of a dataclass, and not the class itself."""
    return is_dataclass(value) and not isinstance(value, type)


def _same(a: Any, b: Any) -> bool:
    if a is b:
        return True
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and _same_numbers(a, b)
    if type(a) is type(b):
        if is_instance_of_dataclass(a):
            return all(_same(getattr(a, name), getattr(b, name)) for name in _compared(a))
        if isinstance(a, tuple | list):
            return len(a) == len(b) and all(map(_same, a, b))
        if isinstance(a, dict):
            return a.keys() == b.keys() and all(_same(value, b[key]) for key, value in a.items())
    return bool(a == b) or _both_nan(a, b)


def _hash(value: Any) -> int:
    if isinstance(value, np.ndarray):
        return hash((value.shape, *map(_hash, value.ravel().tolist())))
    if is_instance_of_dataclass(value):
        return hash((type(value), *(_hash(getattr(value, name)) for name in _compared(value))))
    if isinstance(value, tuple | list):
        return hash((type(value), *map(_hash, value)))
    if isinstance(value, dict):
        return hash((dict, frozenset((key, _hash(held)) for key, held in value.items())))
    if _both_nan(value, value) or not isinstance(value, Hashable):
        return hash(type(value))
    return hash(value)


def _compared(value: Any) -> list[str]:
    return [field.name for field in fields(value) if field.compare]


def _same_numbers(a: np.ndarray, b: np.ndarray) -> bool:
    floating = a.dtype.kind == b.dtype.kind == "f"
    return np.array_equal(a, b, equal_nan=floating)


def _both_nan(a: object, b: object) -> bool:
    return isinstance(a, float) and isinstance(b, float) and a != a and b != b
