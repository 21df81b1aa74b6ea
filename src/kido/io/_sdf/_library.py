"""Files that are included: found, read once each, and counted, so that includes end."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from kido.description import Diagnostic
from kido.errors import ModelFileError
from kido.io._model_bytes import read_model_bytes
from kido.io._sdf._file import Log, MadeFile, SdfFile, Version, content
from kido.io._sdf._model_finder import ModelFinder
from kido.io._sdf._urdf_model import model_of_urdf
from kido.io._xml import Element, parse_xml, shown, tag_of

__all__ = ["OLDEST", "Document", "Library", "sdf_version"]

OLDEST: Version = (1, 4)
NEWEST: Version = (1, 12)

_LEAST = 1024
"""What a file counts for at least [bytes]."""

_VERSION = re.compile(r"(\d{1,4})\.(\d{1,4})(?:\.\d{1,4})?")
_MANIFESTS = ("model.config", "manifest.xml")


class Document(NamedTuple):
    """The root element of a file, and where the file lies; of a robot in URDF the model that says the same,
    and what is to be said of it (`notes`)."""

    root: Element
    path: Path
    num_bytes: int
    notes: tuple[Diagnostic, ...] | None = None


class Library:
    """The included files of one read.

    All of them together, each as often as it is included, have at most `max_bytes` bytes.
    """

    def __init__(self, finder: ModelFinder, log: Log, max_bytes: int) -> None:
        self.finder = finder
        self.log = log
        self.max_bytes = max_bytes
        self._left = max_bytes
        self._documents: dict[Path, Document] = {}

    def include(self, file: SdfFile, element: Element, uri: str) -> Document | None:
        """The file that an <include> names; None if there is none. Raises ModelFileError, OSError."""
        found = self.finder.locate(file, element, uri)
        if found is None:
            return None
        path = self._model_file(file, element, found) if found.is_dir() else found
        if path is None:
            return None
        document = self._documents.get(path)
        if document is None:
            data = read_model_bytes(path, self.max_bytes)
            document = self._document(data, path)
            self._documents[path] = document
        self._left -= max(document.num_bytes, _LEAST)
        if self._left < 0:
            limit = f"expected included files of at most {self.max_bytes / 2**20:.4g} MiB together"
            raise file.error(element, f"{limit}; max_bytes lets more be read")
        return document

    def mentions(self, root: Element, tags: Iterable[str]) -> bool:
        """Whether the file of `root`, or one that was included, has an element of one of some tags."""
        roots = (root, *(document.root for document in self._documents.values()))
        return any(next(one.iter(*tags), None) is not None for one in roots)

    def _document(self, data: bytes, path: Path) -> Document:
        root = parse_xml(data, str(path))
        if root.tag != "robot":
            return Document(root, path, len(data))
        model, notes = model_of_urdf(root, path, self.finder.beside(path.parent))
        return Document(model, path, len(data), notes)

    def open(self, document: Document, at: SdfFile) -> SdfFile:
        """The included file, with the diagnostics of the one that includes it."""
        path = document.path
        kind = SdfFile if document.notes is None else MadeFile
        file = kind(str(path), OLDEST, path.parent, self.log, at.diagnostics)
        at.diagnostics.extend(note for note in document.notes or () if self.log.takes_more())
        file.version = sdf_version(file, document.root)
        return file

    def _model_file(self, file: SdfFile, element: Element, folder: Path) -> Path | None:
        """The newest file that the manifest of a model's folder lists; None without a manifest."""
        manifest = next(filter(Path.is_file, (folder / name for name in _MANIFESTS)), None)
        if manifest is None:
            model = folder / "model.sdf"
            return model if model.is_file() else None
        root = parse_xml(read_model_bytes(manifest, self.max_bytes), str(manifest))
        listed = [(_listed_version(child), content(child)) for child in root.iterfind("sdf")]
        known = [entry for entry in listed if entry[0] <= NEWEST and entry[1]]
        if not known:
            raise ModelFileError(str(manifest), root.sourceline, f"<{tag_of(root)}>", "lists no <sdf> file")
        name = max(known)[1]
        inside = self.finder.locate_in(file, element, folder, name)
        if inside is None:
            raise file.error(element, f"model file not found: {shown(str(folder / name))}")
        return inside


def sdf_version(file: SdfFile, root: Element) -> Version:
    """Version of an <sdf> element; raises ModelFileError for what is no <sdf>, or older than 1.4."""
    if root.tag != "sdf":
        raise file.error(root, f"expected an <sdf> element, got <{tag_of(root)}>")
    text = file.text(root, "version").strip()
    match = _VERSION.fullmatch(text)
    if match is None:
        raise file.error(root, f"version: expected a version as 1.11, got {shown(text)}")
    version = (int(match[1]), int(match[2]))
    if version < OLDEST:
        raise file.error(root, f"version: expected at least 1.4, got {text}")
    if version > NEWEST:
        file.note(root, "version", f"version: {text} is read as 1.12, the newest that is known")
        return NEWEST
    return version


def _listed_version(element: Element) -> Version:
    match = _VERSION.fullmatch((element.get("version") or "").strip())
    return (0, 0) if match is None else (int(match[1]), int(match[2]))
