"""Values that are saved to files and loaded from them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from os import fspath
from pathlib import Path
from typing import Any, ClassVar, NoReturn, TypeVar

from kido.skeleton._values._content import Content
from kido.skeleton._values._value_decoding import Decoder
from kido.skeleton._values._value_encoding import Encoder, known_classes
from kido.typing import PathLike

__all__ = ["SavedValue"]

V = TypeVar("V", bound="SavedValue")

_FORMAT = "kido"
_VERSION = 1
_WIDTH = 110


class SavedValue(Content):
    """Base of the values that have a file format of their own: JSON, with every number exact."""

    __slots__ = ()

    known_types: ClassVar[tuple[type, ...]] = ()
    """The classes that files of this value may name without being passed to `load`."""

    def save(self, path: PathLike) -> None:
        """Write this value to a file, as JSON that people can read; `load` gives an equal one.

        Classes are written as names. Raises TypeError for what cannot be written, naming its place,
        ValueError for two different classes of one name, and OSError.
        """
        content = {
            "format": _FORMAT,
            "version": _VERSION,
            "value": Encoder().encode(self, type(self).__name__),
        }
        Path(path).write_bytes((_pretty(content) + "\n").encode())

    @classmethod
    def load(cls: type[V], path: PathLike, types: Iterable[type] = ()) -> V:
        """Read what `save` wrote.

        Args:
            path: the file.
            types: classes of your own that the file names: joints, nodes, addons (their `State` and
                `Properties` come with them), and dataclasses or enums that they hold. No class is looked for
                anywhere else.

        Raises:
            SavedFileError: the file holds something else, is malformed, or names another class.
            TypeError, ValueError: naming `types`.
            OSError: the file cannot be read.
        """
        known = known_classes((cls, *cls.known_types, *types))
        decoder = Decoder(fspath(path), known)
        try:
            value = decoder.decode(_read(decoder, path), cls.__name__)
        except RecursionError:
            raise decoder.error(cls.__name__, "expected less nesting") from None
        if not isinstance(value, cls):
            raise decoder.error(cls.__name__, f"expected a {cls.__name__}, got a {type(value).__name__}")
        return value


def _read(decoder: Decoder, path: PathLike) -> Any:
    """The part of a file that stands for the value, its format being checked."""
    content = Path(path).read_bytes()
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
