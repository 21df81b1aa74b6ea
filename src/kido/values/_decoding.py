"""Decoding of values from JSON. Classes are those of kido, and those that the caller names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from kido import _core
from kido.errors import SavedFileError
from kido.values._encoding import ARRAY_TYPES, init_names
from kido.values._registry import class_of_tag

__all__ = ["Decoder"]

_REAL = frozenset((float, int))
_LISTED, _SHOWN = 8, 80
"""Keys that are listed in a message, and characters of each."""


class Decoder:
    """Reads one file. What is wrong with it raises SavedFileError, naming the file and the place in it."""

    def __init__(self, file: str, known: Mapping[str, type]) -> None:
        self._file = file
        self._known = known
        self._readers: dict[str, Callable[[Any, dict[str, Any], str], Any]] = {
            "$type": self._dataclass,
            "$array": self._array,
            "$float": self._float,
            "$list": self._list,
            "$dict": self._dict,
            "$enum": self._enum,
            "$class": self._class,
            "$path": self._path,
            "$named_tuple": self._named_tuple,
        }

    def decode(self, value: Any, place: str) -> Any:
        """The object that `value`, of a JSON file, stands for; `place` is its path in messages."""
        if isinstance(value, list):
            return tuple(self.decode(item, f"{place}[{i}]") for i, item in enumerate(value))
        if not isinstance(value, dict):
            return value
        key = next(iter(value), None)
        if key not in self._readers:
            key = next((key for key in value if key in self._readers), None)
        if key is None:
            expected = f"expected one key of {', '.join(self._readers)}"
            got = ", ".join(name[:_SHOWN] for name in list(value)[:_LISTED])
            raise self.error(place, f"{expected}, got {got}")
        try:
            return self._readers[key](value[key], value, place)
        except SavedFileError:
            raise
        except (TypeError, ValueError, OverflowError, KeyError) as error:
            raise self.error(place, str(error)) from error

    def error(self, place: str, message: str) -> SavedFileError:
        """An error that names file and place."""
        return SavedFileError(self._file, place, message)

    def _find(self, tag: Any, place: str) -> type:
        found = (self._known.get(tag) or class_of_tag(tag)) if isinstance(tag, str) else None
        if found is None:
            raise self.error(
                place, f"unknown class {_core.brief(tag)}: pass it in `types` where the file is loaded"
            )
        return found

    def _dataclass(self, tag: Any, value: dict[str, Any], place: str) -> Any:
        kind = self._find(tag, place)
        if not is_dataclass(kind):
            raise self.error(place, f"expected a dataclass, got {tag}")
        names, renamed = init_names(kind), _renamed(kind)
        given = {
            renamed.get(key, key): self.decode(item, f"{place}.{key}")
            for key, item in value.items()
            if key != "$type"
        }
        unknown = [key for key in given if key not in names]
        if unknown:
            raise self.error(
                place, f"expected fields of {tag}: {', '.join(names)}; got {_core.brief(unknown[0])}"
            )
        return kind(**given)

    def _class(self, tag: Any, value: dict[str, Any], place: str) -> type:
        return self._find(tag, place)

    def _enum(self, tag: Any, value: dict[str, Any], place: str) -> Enum:
        kind, name = self._find(tag, place), str(value.get("name"))
        if not issubclass(kind, Enum) or name not in kind.__members__:
            raise self.error(place, f"expected a member of an enum, got {_core.brief(name)} of {tag}")
        return kind[name]

    def _array(self, numbers: Any, value: dict[str, Any], place: str) -> np.ndarray:
        name = value.get("dtype", "float64")
        if not isinstance(name, str) or name not in ARRAY_TYPES:
            raise self.error(
                place, f"expected numbers, got dtype {name if isinstance(name, str) else _core.brief(name)}"
            )
        dtype = np.dtype(name)
        _check_numbers(numbers, dtype.kind)
        array = np.array(numbers, dtype=dtype)
        if array.size == 0:
            array = array.reshape(value.get("shape", array.shape))
        array.flags.writeable = False
        return array

    def _float(self, word: Any, value: dict[str, Any], place: str) -> float:
        _check_numbers(word, "f")
        return float(word)

    def _list(self, items: Any, value: dict[str, Any], place: str) -> list[Any]:
        return list(self._items(items, place))

    def _dict(self, items: Any, value: dict[str, Any], place: str) -> dict[Any, Any]:
        return dict(self._items(items, place))

    def _items(self, items: Any, place: str) -> tuple[Any, ...]:
        if not isinstance(items, list):
            raise self.error(place, f"expected a list, got {_core.brief(items)}")
        return tuple(self.decode(items, place))

    def _path(self, path: Any, value: dict[str, Any], place: str) -> Path:
        return Path(path)

    def _named_tuple(self, tag: Any, value: dict[str, Any], place: str) -> tuple[Any, ...]:
        kind = self._find(tag, place)
        if not (issubclass(kind, tuple) and hasattr(kind, "_fields")):
            raise self.error(place, f"expected a named tuple, got {tag}")
        made: tuple[Any, ...] = kind(*self._items(value.get("items"), place))
        return made


@lru_cache(maxsize=1024)
def _renamed(kind: type) -> dict[str | None, str]:
    """Names of fields by their former ones."""
    return {field.metadata.get("former_name"): field.name for field in fields(kind) if field.init}


def _check_numbers(value: Any, kind: str) -> None:
    """Raises TypeError where there is something else than numbers of a kind in nested lists."""
    if isinstance(value, list):
        if kind == "f" and _REAL.issuperset(map(type, value)):
            return
        for item in value:
            _check_numbers(item, kind)
        return
    good = {
        "b": isinstance(value, bool),
        "f": isinstance(value, int | float) or value in ("inf", "-inf", "nan"),
    }.get(kind, isinstance(value, int))
    if not good or (kind != "b" and isinstance(value, bool)):
        raise TypeError(f"expected a number, got {_core.brief(value)}")
