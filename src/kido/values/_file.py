"""Files of values: JSON, with every number exact."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, TypeVar

from kido._core import brief
from kido.typing import PathLike
from kido.values._checks import checked_path
from kido.values._decoding import Decoder
from kido.values._encoding import Encoder, known_classes
from kido.values._json import JsonError, read_json
from kido.values._text_file import write_text_file

__all__ = [
    "document_of",
    "load_value",
    "read_document",
    "save_value",
    "value_of_document",
    "write_document",
]

V = TypeVar("V")

_FORMAT = "kido"
_VERSION = 1
_WIDTH = 110
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False)


def save_value(value: object, path: PathLike) -> None:
    """Write a value to a file.

    Raises TypeError for what cannot be written, naming its place, ValueError for two different classes of one
    name, and OSError.
    """
    write_document(document_of(value), path)


def load_value(kind: type[V], path: PathLike, types: Iterable[type] = ()) -> V:
    """A value of some class from a file, which may name classes of kido and `types`.

    Raises SavedFileError for what is no such file, TypeError or ValueError naming `types`, and OSError.
    """
    file = checked_path("path", path)
    known = known_classes((kind, *types))
    decoder = Decoder(str(file), known)
    return _decoded((kind,), decoder, _document(decoder, file.read_bytes()))


def document_of(value: object) -> dict[str, Any]:
    """Content of the file of a value, in types that JSON has. Raises as `save_value`."""
    encoded = Encoder().encode(value, type(value).__name__)
    return {"format": _FORMAT, "version": _VERSION, "value": encoded}


def write_document(document: Mapping[str, Any], path: PathLike) -> None:
    """Write what `document_of` gave, in place of a file that is there; where that fails, the old one stays.

    Raises OSError.
    """
    write_text_file(checked_path("path", path), _pretty(document) + "\n")


def read_document(content: bytes, file: str) -> dict[str, Any]:
    """The document in a file of bytes, its format being checked. Raises SavedFileError."""
    return _document(Decoder(file, {}), content)


def value_of_document(
    kinds: tuple[type[V], ...], document: Mapping[str, Any], file: str, types: Iterable[type] = ()
) -> V:
    """The value of one of some classes in a document. Raises as `load_value`."""
    return _decoded(kinds, Decoder(file, known_classes((*kinds, *types))), document)


def _decoded(kinds: tuple[type[V], ...], decoder: Decoder, document: Mapping[str, Any]) -> V:
    names = " or ".join(kind.__name__ for kind in kinds)
    place = names if len(kinds) == 1 else "value"
    if not isinstance(document["value"], dict):
        raise decoder.error(place, f"expected a {names}, got a {type(document['value']).__name__}")
    try:
        value = decoder.decode(document["value"], place)
    except RecursionError:
        raise decoder.error(place, "expected less nesting") from None
    if not isinstance(value, kinds):
        raise decoder.error(place, f"expected a {names}, got a {type(value).__name__}")
    return value


def _document(decoder: Decoder, content: bytes) -> dict[str, Any]:
    try:
        document = read_json(content)
    except JsonError as error:
        raise decoder.error(error.place, error.message) from error
    if not isinstance(document, dict) or document.get("format") != _FORMAT or "value" not in document:
        raise decoder.error("", f"expected an object with format {_FORMAT!r}, version and value")
    if document.get("version") != _VERSION or isinstance(document["version"], bool):
        got = brief(document.get("version"))
        raise decoder.error("version", f"expected {_VERSION}, got {got}: written by another version of kido")
    return document


def _pretty(value: Any) -> str:
    """JSON on one line where it is short or a list of numbers, else with one item a line."""
    return _laid_out(value, 0)[0]


def _laid_out(value: Any, indent: int) -> tuple[str, bool]:
    """JSON of a part, and whether it stands on one line."""
    if not _nested(value):
        return _ENCODER.encode(value), True
    margin = " " * (indent + 1)
    parts = value.values() if isinstance(value, dict) else value
    laid_out = [_laid_out(part, indent + 1) for part in parts]
    items = [text for text, _ in laid_out]
    opening, closing = "[", "]"
    if isinstance(value, dict):
        opening, closing = "{", "}"
        items = [f"{_key(key)}: {text}" for key, text in zip(value, items, strict=True)]
    length = indent + sum(map(len, items)) + 2 * len(items)
    if length <= _WIDTH and all(is_flat for _, is_flat in laid_out):
        return f"{opening}{', '.join(items)}{closing}", True
    return f"{opening}\n{margin}" + f",\n{margin}".join(items) + f"\n{' ' * indent}{closing}", False


@lru_cache(maxsize=1024)
def _key(key: str) -> str:
    return _ENCODER.encode(key)


def _nested(value: Any) -> bool:
    if isinstance(value, list):
        return any(isinstance(x, dict | list) for x in value)
    return isinstance(value, dict)
