"""One model and the files that it includes: errors and diagnostics name the right one."""

from __future__ import annotations

from kido.description import Diagnostic
from kido.errors import ModelFileError
from kido.io._xml import Element, XmlFile, tag_of

__all__ = ["MjcfFile", "mark_source"]

_SOURCE = "{urn:kido}source"
_QUOTED = 200


def mark_source(element: Element, file: str) -> None:
    """Say that an element, and what stands in it, comes from a file of this name."""
    element.set(_SOURCE, file)


class MjcfFile(XmlFile):
    """Errors and diagnostics of a model, at elements that may come from several files.

    They name the element itself, and where it has no name the nearest one around it that has.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.notes: list[tuple[Element, Diagnostic]] = []
        self._told: set[tuple[str, int | None, str]] = set()

    def file_of(self, element: Element) -> str:
        """Name of the file that has the element."""
        place: Element | None = element
        while place is not None:
            source = place.get(_SOURCE)
            if source is not None:
                return str(source)
            place = place.getparent()
        return self.name

    def error(self, element: Element, message: str) -> ModelFileError:
        """Error at this element."""
        return ModelFileError(self.file_of(element), element.sourceline, _label(element), message)

    def note(self, element: Element, kind: str, message: str) -> None:
        """Record a diagnostic at this element, once."""
        file, text = self.file_of(element), f"{_label(element)}: {message}"
        key = (file, element.sourceline, text)
        if key not in self._told:
            self._told.add(key)
            named = _named(element)
            subject = None if named is None else named.get("name")
            diagnostic = Diagnostic(text, file, element.sourceline, kind, subject)
            self.notes.append((element, diagnostic))
            self.diagnostics.append(diagnostic)


def _label(element: Element) -> str:
    named = _named(element)
    if named is None:
        return f"<{tag_of(element)}>"
    name = named.get("name") or ""
    quoted = repr(name) if len(name) <= _QUOTED else f"{name[:_QUOTED]!r}..."
    label = f"<{tag_of(named)} name={quoted}>"
    return label if named is element else f"<{tag_of(element)}> in {label}"


def _named(element: Element) -> Element | None:
    """The element itself or the nearest one around it that has a name."""
    place: Element | None = element
    while place is not None and not place.get("name"):
        place = place.getparent()
    return place
