"""JSON of files that others may have written: each key once, numbers that can be held, a bounded size."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

from kido._core import brief

__all__ = ["JsonError", "read_json"]

_MOST_PARTS = 2**23
"""Lists and objects: each takes thirty times as much memory as its two brackets in the file."""
_MOST_DIGITS = 4300
_DIGITS = bytes.maketrans(b"123456789E", b"000000000e")
_VAST = (b"e000", b"0" * 300)
"""What a number that no double holds has, all digits being 0; others that have it are read with care too."""
_SPACED_KEY = re.compile(rb'"\s+:')
_INNER = frozenset((dict, list))
_NUMBERS = frozenset((float, int))
_KEY = re.compile(r"[A-Za-z_$][\w$]{,80}")


class JsonError(ValueError):
    """Fault of a text of JSON: its `place`, as "value.links[3]", empty where it is the whole, and a
    `message`."""

    def __init__(self, place: str, message: str) -> None:
        self.place = place
        self.message = message
        super().__init__(place, message)


class _RefusedError(Exception):
    """Something is wrong that JSON allows."""


class _Wrong(NamedTuple):
    """Stands where something is wrong."""

    message: str


def read_json(content: bytes) -> Any:
    """Content of a text of JSON.

    Raises JsonError for what is no JSON, NaN and infinities, a key that an object has twice, numbers beyond
    those of double precision, and more lists and objects than memory is for.
    """
    parts = content.count(b"[") + content.count(b"{")
    if parts > _MOST_PARTS:
        raise JsonError("", f"expected at most {_MOST_PARTS} lists and objects, got {parts}")
    try:
        try:
            found = _parsed(content, _refused)
            if _SPACED_KEY.search(content) is None and content.count(b'":') == _number_of_keys(found):
                return found  # as many keys as there are in the text: none of them was there before
            return _parsed(content, _refused, each_key_once=True)
        except _RefusedError:
            raise JsonError(*_first_wrong(_parsed(content, _Wrong, each_key_once=True))) from None
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise JsonError("", f"expected JSON: {error}") from error
    except RecursionError:
        raise JsonError("", "expected less nesting") from None


def _number_of_keys(document: Any) -> int:
    """Keys of all objects, but for those in lists that begin with a number."""
    number, waiting = 0, [document] if type(document) in _INNER else []
    while waiting:
        part = waiting.pop()
        if type(part) is dict:
            number += len(part)
            waiting += [item for item in part.values() if type(item) in _INNER]
        elif part and type(part[0]) not in _NUMBERS:
            waiting += [item for item in part if type(item) in _INNER]
    return number


def _parsed(content: bytes, wrong: Callable[[str], Any], *, each_key_once: bool = False) -> Any:
    """Content of a text; `wrong` makes what stands for that which is refused, or raises _RefusedError."""

    def object_of(pairs: list[tuple[str, Any]]) -> Any:
        found = dict(pairs)
        if len(found) == len(pairs):
            return found
        (key, count), *_ = Counter(key for key, _ in pairs).most_common(1)
        return wrong(f"expected each key once, got {brief(key)} {count} times")

    def real(digits: str) -> Any:
        number = float(digits)
        return number if math.isfinite(number) else wrong(f"expected a finite number, got {brief(digits)}")

    def whole(digits: str) -> Any:
        is_long = len(digits) > _MOST_DIGITS
        return wrong(f"expected a number, got {len(digits)} digits") if is_long else int(digits)

    digits = content.translate(_DIGITS, b"+")
    is_vast = any(sign in digits for sign in _VAST) or not json.detect_encoding(content).startswith("utf-8")
    return json.loads(
        content,
        object_pairs_hook=object_of if each_key_once else None,
        parse_constant=lambda word: wrong(f"{word} is no number in JSON"),
        parse_float=real if is_vast else None,
        parse_int=whole if is_vast else None,
    )


def _refused(message: str) -> Any:
    raise _RefusedError(message)


def _first_wrong(document: Any) -> tuple[str, str]:
    """Place and message of the first part that is wrong; empty if there is none."""
    waiting: list[tuple[str, Any]] = [("", document)]
    while waiting:
        place, part = waiting.pop()
        if isinstance(part, _Wrong):
            return place.removeprefix("."), part.message
        if isinstance(part, dict):
            inner = [(f"{place}{_step(key)}", item) for key, item in part.items()]
        else:
            inner = [(f"{place}[{i}]", item) for i, item in enumerate(part)] if isinstance(part, list) else []
        waiting += reversed([(name, item) for name, item in inner if isinstance(item, dict | list | _Wrong)])
    return "", ""


def _step(key: str) -> str:
    return f".{key}" if _KEY.fullmatch(key) else f"[{brief(key)}]"
