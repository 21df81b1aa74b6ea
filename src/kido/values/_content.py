"""Equality and hash of values by content."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import fields, is_dataclass
from functools import cached_property
from inspect import signature
from typing import Any

import numpy as np

__all__ = ["hash_of_content", "is_instance_of_dataclass", "refuse_unkept", "same_content"]


def is_instance_of_dataclass(value: object) -> bool:
    """True for an instance of a dataclass, False for the class itself."""
    return is_dataclass(value) and not isinstance(value, type)


def refuse_unkept(value: Any, names: Iterable[str]) -> None:
    """Raises TypeError for an instance of a user's dataclass that its constructor does not make of the fields
    of these names: it has other attributes, or the constructor other arguments."""
    kind = type(value)
    known = {field.name for field in fields(value)}
    for name in getattr(value, "__dict__", ()):
        if name not in known and not isinstance(getattr(kind, name, None), cached_property):
            raise TypeError(
                f"{kind.__qualname__}: {name!r} is no field, and would not be kept; declare it as one, in a "
                "class decorated with kido.values.value or dataclass(frozen=True)"
            )
    try:
        signature(kind).bind(**dict.fromkeys(names))
    except TypeError as error:
        what = "its constructor does not take its fields"
        raise TypeError(f"{kind.__qualname__}: {what}: {error}") from None


def same_content(a: Any, b: Any) -> bool:
    """Deep equality of two values: dataclasses of one class field by field, whatever their own == says,
    arrays number by number, tuples, lists and dictionaries item by item. NaN is the same as NaN."""
    if a is b:
        return True
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and _same_numbers(a, b)
    if type(a) is type(b):
        if is_instance_of_dataclass(a):
            return all(same_content(getattr(a, name), getattr(b, name)) for name in _compared(a))
        if isinstance(a, tuple | list):
            return len(a) == len(b) and all(map(same_content, a, b))
        if isinstance(a, dict):
            return a.keys() == b.keys() and all(same_content(value, b[key]) for key, value in a.items())
    return bool(a == b) or _both_nan(a, b)


def hash_of_content(value: Any) -> int:
    """A hash that is the same for values of the same content."""
    if isinstance(value, np.ndarray):
        return _hash_of_array(value)
    if is_instance_of_dataclass(value):
        return hash((type(value), *(hash_of_content(getattr(value, name)) for name in _compared(value))))
    if isinstance(value, tuple | list):
        return hash((type(value), *map(hash_of_content, value)))
    if isinstance(value, dict):
        return hash((dict, frozenset((key, hash_of_content(item)) for key, item in value.items())))
    if _both_nan(value, value) or not isinstance(value, Hashable):
        return hash(type(value))
    return hash(value)


def _compared(value: Any) -> list[str]:
    return [field.name for field in fields(value) if field.compare]


def _same_numbers(a: np.ndarray, b: np.ndarray) -> bool:
    floating = a.dtype.kind == b.dtype.kind == "f"
    return np.array_equal(a, b, equal_nan=floating)


def _hash_of_array(array: np.ndarray) -> int:
    """The same for arrays of equal numbers, of whatever type they are: zeros have a sign, NaN has bits."""
    if array.dtype.kind not in "biuf":
        return hash((array.shape, *map(hash_of_content, array.ravel().tolist())))
    numbers = array.astype(np.float64) + 0.0
    return hash((array.shape, np.where(np.isnan(numbers), np.nan, numbers).tobytes()))


def _both_nan(a: object, b: object) -> bool:
    return isinstance(a, float) and isinstance(b, float) and a != a and b != b
