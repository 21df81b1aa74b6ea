"""<include> elements: what other files hold takes their place."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from kido.errors import ModelFileError
from kido.io._mjcf._file import MjcfFile, mark_source
from kido.io._model_bytes import read_model_bytes
from kido.io._xml import Element, parse_xml
from kido.typing import PathLike

__all__ = ["ModelFiles"]

_MOST_FILES = 1000


@dataclass
class ModelFiles:
    """The files that a model may include: below its own folder, or below one of `roots`.

    `directory` is that of the model; None: it is no file, and includes nothing.
    """

    file: MjcfFile
    directory: Path | None
    roots: tuple[Path, ...]
    max_bytes: int
    count: int = 0

    def __init__(
        self, file: MjcfFile, directory: PathLike | None, roots: Iterable[PathLike], max_bytes: int
    ) -> None:
        self.file = file
        self.directory = None if directory is None else Path(os.path.abspath(directory))
        given = [Path(os.path.abspath(root)) for root in roots]
        self.roots = tuple(given) if self.directory is None else (self.directory, *given)
        self.max_bytes = max_bytes
        self.count = 0

    def expand(self, root: Element, directory: Path | None, opened: tuple[Path, ...]) -> None:
        """Replace every <include> below `root`; raises ModelFileError. `opened` are the files so far."""
        included = set(opened)
        pending = [(element, directory) for element in root.iter("include")]
        while pending:
            element, folder = pending.pop(0)
            path = self.locate(element, folder)
            if path in included:
                raise self.file.error(
                    element, f"file: {element.get('file')!r} is included twice, or by itself"
                )
            included.add(path)
            content = self.parse(element, path)
            pending += [(inner, path.parent) for inner in content.iter("include")]
            _replace(element, content, str(path))

    def locate(self, element: Element, folder: Path | None) -> Path:
        """The file that an element names, which has to lie below one of the folders that are allowed."""
        name = element.get("file")
        if not name:
            raise self.file.error(element, "file: expected a name, but it is missing or empty")
        if folder is None or self.directory is None:
            raise self.file.error(element, f"file: {name!r} is relative to a model that is no file")
        near = Path(os.path.normpath(folder / name))
        path = near if near.exists() else Path(os.path.normpath(self.directory / name))
        if not any(path.is_relative_to(root) for root in self.roots):
            asked = "include_roots=[folder] allows another one"
            raise self.file.error(element, f"file: {name!r} lies outside of {self.directory}; {asked}")
        return path

    def parse(self, element: Element, path: Path) -> Element:
        """Root element of a file that `element` names; raises ModelFileError."""
        self.count += 1
        if self.count > _MOST_FILES:
            raise self.file.error(element, f"expected a model of at most {_MOST_FILES} files, got more")
        try:
            return parse_xml(read_model_bytes(path, self.max_bytes), str(path))
        except (OSError, ValueError) as error:
            if isinstance(error, ModelFileError):
                raise
            reason = getattr(error, "strerror", None) or error
            raise self.file.error(element, f"file: {element.get('file')!r}: {reason}") from error


def _replace(include: Element, content: Element, file: str) -> None:
    parent = include.getparent()
    assert parent is not None  # a root is no include
    position = parent.index(include)
    children = list(content)
    for child in children:
        mark_source(child, file)
    parent[position : position + 1] = children
