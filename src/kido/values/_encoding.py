"""Encoding of values as JSON.

Strings, finite numbers, true, false and null stand for themselves, a list for a tuple. What else there is has
a key that begins with "$", which no field of a dataclass has: "$type" with the fields of a dataclass,
"$array", "$float", "$list", "$dict", "$enum", "$class", "$path", "$named_tuple" with the items of one of
kido's. A class is written as a name.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import fields
from enum import Enum
from functools import lru_cache
from pathlib import PurePath
from typing import Any

import numpy as np

from kido.values._content import is_instance_of_dataclass, refuse_unkept
from kido.values._registry import companions_of, is_of_kido, is_registered, tag_of

__all__ = ["ARRAY_KINDS", "ARRAY_TYPES", "Encoder", "init_names", "known_classes"]

_PLAIN = (bool, int, str, type(None))
ARRAY_KINDS = "biuf"
ARRAY_TYPES = frozenset(
    ["bool", "float16", "float32", "float64"]
    + [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
)
_LARGEST_ITEM = 8
_CAN_BE_SAVED = (
    "numbers, strings, arrays, tuples, lists, dictionaries, enums, classes, paths and dataclasses of them"
)


def known_classes(types: Iterable[type]) -> dict[str, type]:
    """Classes by what they are written as, each with those that were registered with it.

    Raises TypeError for what is no class, ValueError for two of one name.
    """
    known: dict[str, type] = {}
    for kind in types:
        if not isinstance(kind, type):
            raise TypeError(f"types: expected classes, got {kind!r}")
        for one in (kind, *companions_of(kind)):
            _remember(known, one, "types")
    return known


def _remember(known: dict[str, type], kind: type, place: str) -> str:
    tag = tag_of(kind)
    if known.setdefault(tag, kind) is not kind:
        raise ValueError(f"{place}: expected classes of different names, got two named {tag!r}")
    return tag


@lru_cache(maxsize=1024)
def init_names(kind: type) -> tuple[str, ...]:
    """Fields of a dataclass that its constructor takes."""
    return tuple(field.name for field in fields(kind) if field.init)


class Encoder:
    """Writes one value. Two classes of one name in it raise ValueError, what cannot be written TypeError."""

    def __init__(self) -> None:
        self._tags: dict[str, type] = {}

    def encode(self, value: Any, place: str) -> Any:
        """`value` in types that JSON has; `place` is its path in messages."""
        if isinstance(value, np.generic):
            value = value.item()
        if type(value) in _PLAIN:
            return value
        if type(value) is float:
            return value if math.isfinite(value) else {"$float": str(value)}
        if type(value) is tuple:
            return [self.encode(item, f"{place}[{i}]") for i, item in enumerate(value)]
        if type(value) is list:
            return {"$list": self.encode(tuple(value), place)}
        if type(value) is dict:
            return {"$dict": self.encode(tuple(value.items()), place)}
        return self._encode_object(value, place)

    def _encode_object(self, value: Any, place: str) -> Any:
        if isinstance(value, np.ndarray):
            return _encode_array(value, place)
        if isinstance(value, Enum) and value.name in type(value).__members__:
            return {"$enum": self._tag(type(value), place), "name": value.name}
        if isinstance(value, type):
            return {"$class": self._tag(value, place)}
        if isinstance(value, PurePath):
            return {"$path": str(value)}
        if isinstance(value, tuple) and is_registered(type(value)):
            return {
                "$named_tuple": self._tag(type(value), place),
                "items": self.encode(tuple(value), place),
            }
        if is_instance_of_dataclass(value):
            self._refuse_unkept(value, place)
            kind: type = type(value)
            names = init_names(kind)
            content = {name: self.encode(getattr(value, name), f"{place}.{name}") for name in names}
            return {"$type": self._tag(kind, place), **content}
        raise TypeError(f"{place}: expected what can be saved ({_CAN_BE_SAVED}), got {value!r}")

    def _refuse_unkept(self, value: Any, place: str) -> None:
        if not is_of_kido(type(value)):
            try:
                refuse_unkept(value, (f.name for f in fields(value) if f.init))
            except TypeError as error:
                raise TypeError(f"{place}: {error}") from None

    def _tag(self, kind: type, place: str) -> str:
        return _remember(self._tags, kind, place)


def _encode_array(array: np.ndarray, place: str) -> dict[str, Any]:
    if array.dtype.kind not in ARRAY_KINDS or array.dtype.itemsize > _LARGEST_ITEM:
        raise TypeError(f"{place}: expected an array of numbers, got {array.dtype}")
    numbers = array.tolist()
    encoded: dict[str, Any] = {"$array": numbers if _all_finite(array) else _with_words(numbers)}
    if array.dtype != np.float64:
        encoded["dtype"] = array.dtype.name
    if array.size == 0 and array.ndim > 1:
        encoded["shape"] = list(array.shape)
    return encoded


def _all_finite(array: np.ndarray) -> bool:
    return array.dtype.kind != "f" or bool(np.isfinite(array).all())


def _with_words(numbers: Any) -> Any:
    if isinstance(numbers, list):
        return [_with_words(number) for number in numbers]
    return numbers if math.isfinite(numbers) else str(numbers)
