"""Files of values: JSON, with every number exact."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from kido.typing import PathLike
from kido.values._checks import checked_path
from kido.values._decoding import Decoder
from kido.values._encoding import Encoder, known_classes

__all__ = ["load_value", "save_value"]

V = TypeVar("V")

_FORMAT = "kido"
_VERSION = 1
_WIDTH = 110


def save_value(value: object, path: PathLike) -> None:
    """Write a value to a file.

    Raises TypeError for what cannot be written, naming its place, ValueError for two different classes of one
    name, and OSError.
    """
    content = {
        "format": _FORMAT,
        "version": _VERSION,
        "value": Encoder().encode(value, type(value).__name__),
    }
    checked_path("path", path).write_bytes((_pretty(content) + "\n").encode())


def load_value(kind: type[V], path: PathLike, types: Iterable[type] = ()) -> V:
    """A value of some class from a file, which may name classes of kido and `types`.

    Raises SavedFileError for what is no such file, TypeError or ValueError naming `types`, and OSError.
    """
    file = checked_path("path", path)
    decoder = Decoder(str(file), known_classes((kind, *types)))
    try:
        value = decoder.decode(_read(decoder, file), kind.__name__)
    except RecursionError:
        raise decoder.error(kind.__name__, "expected less nesting") from None
    if not isinstance(value, kind):
        raise decoder.error(kind.__name__, f"expected a {kind.__name__}, got a {type(value).__name__}")
    return value


def _read(decoder: Decoder, file: Path) -> Any:
    """The part of a file that stands for the value, its format being checked."""
    content = file.read_bytes()
    try:
        document = json.loads(content, parse_constant=_refuse_constant)
    except ValueError as error:
        raise decoder.error("", f"expected JSON: {error}") from error
    if not isinstance(document, dict) or document.get("format") != _FORMAT or "value" not in document:
        raise decoder.error("", f"expected an object with format {_FORMAT!r}, version and value")
    if document.get("version") != _VERSION:
        raise decoder.error("version", f"expected {_VERSION}, got {document.get('version')!r}")
    return document["value"]


def _refuse_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number in JSON")


def _pretty(value: Any, indent: int = 0) -> str:
    """JSON on one line where it is short or a list of numbers, else with one item a line."""
    flat = json.dumps(value, ensure_ascii=False, allow_nan=False)
    if indent + len(flat) <= _WIDTH or not _nested(value):
        return flat
    margin = " " * (indent + 1)
    if isinstance(value, dict):
        opening, closing = "{", "}"
        items = [f"{json.dumps(key)}: {_pretty(item, indent + 1)}" for key, item in value.items()]
    else:
        opening, closing = "[", "]"
        items = [_pretty(item, indent + 1) for item in value]
    return f"{opening}\n{margin}" + f",\n{margin}".join(items) + f"\n{' ' * indent}{closing}"


def _nested(value: Any) -> bool:
    return isinstance(value, dict) or (
        isinstance(value, list) and any(isinstance(x, dict | list) for x in value)
    )
