"""XML files: safe parsing, and attributes that name file, line and element when they are wrong."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from contextlib import contextmanager

from lxml import etree

from kido.description import Diagnostic
from kido.errors import ModelFileError

__all__ = ["Element", "XmlFile", "parse_xml", "prefixed", "root_tag", "shown", "split_tag", "tag_of"]

Element = etree._Element

_QUOTED = 200
_BEFORE_ROOT = re.compile(rb"\xef\xbb\xbf|\s+|<\?.*?\?>|<!--.*?-->", re.DOTALL)
_ROOT = re.compile(rb"<([A-Za-z_][A-Za-z0-9_.-]*)[\s/>]")
_TEXTS = etree.XPath("boolean(//text()[normalize-space()])")
_COMPRESSED = {
    b"\x1f\x8b": "gzip",
    b"PK\x03\x04": "zip",
    b"BZh": "bzip2",
    b"\xfd7zXZ": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
}
"""Compressed files, by what they begin with."""
_DOCTYPE_REFUSED = "a document type declaration (<!DOCTYPE>) is refused: entities are not expanded"


def tag_of(element: Element) -> str:
    """Tag with its namespace in braces."""
    return str(element.tag)


def split_tag(element: Element) -> tuple[str, str]:
    """Namespace, empty if there is none, and local name, which holds an undeclared prefix."""
    namespace, _, local_name = tag_of(element).rpartition("}")
    return namespace.removeprefix("{"), local_name


def parse_xml(data: bytes, file: str, encoding: str | None = None) -> Element:
    """Root element, without comments and processing instructions.

    Elements without prefix lose their namespace, undeclared prefixes are let through. Entities, document
    types and the network are off. Raises ModelFileError with the line.
    """
    if not data.strip():
        raise ModelFileError(file, None, None, "the file is empty")
    for begin, kind in _COMPRESSED.items():
        if data.startswith(begin):
            raise ModelFileError(file, None, None, f"compressed ({kind}): expected XML; unpack it first")
    if _declares_document_type(data):
        raise ModelFileError(file, None, None, _DOCTYPE_REFUSED)
    root = _parse(data, file, encoding)
    if root.getroottree().docinfo.doctype:
        raise ModelFileError(file, None, None, _DOCTYPE_REFUSED)
    for element in prefixed(root):
        namespace, local_name = split_tag(element)
        if namespace and element.prefix is None and ":" not in local_name:
            element.tag = local_name
    return root


def root_tag(data: bytes, file: str) -> str:
    """Local name of the root element, by which formats know each other; raises ModelFileError."""
    position = 0
    while (skipped := _BEFORE_ROOT.match(data, position)) is not None and skipped.end() > position:
        position = skipped.end()
    found = _ROOT.match(data, position)
    if found is None:  # another encoding, or no XML
        return split_tag(parse_xml(data, file))[1]
    return found[1].decode("ascii")


def prefixed(root: Element) -> list[Element]:
    """The elements that have a namespace, or a prefix that is not declared, in the order of the file."""
    return [element for element in root.iter("*") if "{" in tag_of(element) or ":" in tag_of(element)]


def has_texts(root: Element) -> bool:
    """Whether there is a text besides white space, in an element or between some."""
    return bool(_TEXTS(root))


def _declares_document_type(data: bytes) -> bool:
    position = 0
    while (skipped := _BEFORE_ROOT.match(data, position)) is not None:
        position = skipped.end()
    return data.startswith(b"<!DOCTYPE", position)


def _parse(data: bytes, file: str, encoding: str | None) -> Element:
    parser = _parser(encoding)
    try:
        return etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        faults = [entry for entry in parser.error_log if not _is_let_through(entry)]
        if faults or not parser.error_log:
            line, message = (faults[0].line, faults[0].message) if faults else (error.lineno, error.msg)
            plain = str(message).partition(", use XML_PARSE_HUGE")[0]
            raise ModelFileError(file, line or None, None, f"not well-formed XML: {plain}") from error
    recovered = etree.fromstring(data, _parser(encoding, recover=True))
    if recovered is None:
        raise ModelFileError(file, None, None, "not well-formed XML: there is no element")
    return recovered


def _is_let_through(entry: etree._LogEntry) -> bool:
    """Prefixes without a namespace, and versions of XML that there are not: some exporters write 0.0."""
    return entry.domain == etree.ErrorDomains.NAMESPACE or entry.type == etree.ErrorTypes.ERR_UNKNOWN_VERSION


def _parser(encoding: str | None, recover: bool = False) -> etree.XMLParser:
    return etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        remove_comments=True,
        remove_pis=True,
        recover=recover,
        encoding=encoding,
    )


class XmlFile:
    """Typed access to the attributes of one file's elements; collects diagnostics.

    Errors name the top element ("<joint name='elbow'>") and, in the message, the path below it.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.diagnostics: list[Diagnostic] = []

    def error(self, element: Element, message: str) -> ModelFileError:
        """Error at this element."""
        top, path = self._place(element)
        text = f"{path}: {message}" if path else message
        return ModelFileError(self.name, element.sourceline, _label(top), text)

    def note(self, element: Element, kind: str, message: str) -> None:
        """Record a diagnostic at this element."""
        top, path = self._place(element)
        label, subject = _label(top), None if top.getparent() is None else top.get("name")
        text = ": ".join(part for part in (label, path, message) if part)
        self.diagnostics.append(Diagnostic(text, self.name, element.sourceline, kind, subject))

    @contextmanager
    def at(self, element: Element) -> Iterator[None]:
        """Turn a ValueError raised inside into a ModelFileError at this element."""
        try:
            yield
        except ModelFileError:
            raise
        except ValueError as error:
            raise self.error(element, str(error)) from error

    def child(self, element: Element, tag: str) -> Element:
        """First child of this tag; raises ModelFileError if there is none."""
        found = element.find(tag)
        if found is None:
            raise self.error(element, f"expected a <{tag}> element, got none")
        return found

    def text(self, element: Element, attribute: str) -> str:
        """Nonempty attribute; raises ModelFileError if it is missing or empty."""
        value = element.get(attribute)
        if not value:
            state = "missing" if value is None else "empty"
            raise self.error(element, f"{attribute}: expected a value, but it is {state}")
        return value

    def number(
        self, element: Element, attribute: str, default: float | None = None, *, infinite: bool = False
    ) -> float:
        """One number; a missing attribute gives the default, or raises ModelFileError if that is None."""
        text = element.get(attribute)
        if text is None and default is not None:
            return default
        value = _finite_number(text)
        return self._floats(element, attribute, 1, infinite)[0] if value is None else value

    def numbers(
        self, element: Element, attribute: str, count: int, default: tuple[float, ...] | None = None
    ) -> tuple[float, ...]:
        """`count` finite numbers; a missing attribute gives the default or raises ModelFileError."""
        if default is not None and element.get(attribute) is None:
            return default
        return self._floats(element, attribute, count, False)

    def _floats(self, element: Element, attribute: str, count: int, infinite: bool) -> tuple[float, ...]:
        text = element.get(attribute) or self.text(element, attribute)
        return self.parsed(element, attribute, text, count, infinite=infinite)

    def parsed(
        self, element: Element, what: str, text: str, count: int, *, infinite: bool = False
    ) -> tuple[float, ...]:
        """The numbers that stand in a text of this element, `count` of them; raises ModelFileError that names
        `what`, an attribute; empty where it is the element's own text."""
        try:
            values = tuple(map(float, text.split()))
        except ValueError:
            values = ()
        if len(values) == count and math.isfinite(sum(values)) and "_" not in text:
            return values
        good = not any(map(math.isnan, values)) if infinite else all(map(math.isfinite, values))
        if len(values) != count or not good or "_" in text:
            expected = "a number" if count == 1 else f"{count} numbers"
            finite = "" if infinite else "finite "
            expected = expected.replace("number", f"{finite}number")
            of_attribute = f"{what}: " if what else ""
            raise self.error(element, f"{of_attribute}expected {expected}, got {shown(text)}{_hint(text)}")
        return values

    def _place(self, element: Element) -> tuple[Element, str]:
        """The element by which messages name this one, and the path from there."""
        return _place(element)


def shown(text: str) -> str:
    """Text as messages quote it: a long one by its beginning."""
    return repr(text) if len(text) <= _QUOTED else f"{text[:_QUOTED]!r}... ({len(text)} characters)"


def _finite_number(text: str | None) -> float | None:
    """The number that a text is; None where it is none, infinite, or written otherwise than in XML."""
    try:
        value = float(text) if text and "_" not in text else math.inf
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _hint(text: str) -> str:
    return " (an unexpanded xacro expression)" if "${" in text or "$(" in text else ""


def _place(element: Element) -> tuple[Element, str]:
    """The element below the root that holds this one, and the path from there."""
    path: list[str] = []
    top = element
    parent = top.getparent()
    while parent is not None and parent.getparent() is not None:
        path.append(tag_of(top))
        top, parent = parent, parent.getparent()
    return top, "/".join(reversed(path))


def _label(element: Element) -> str:
    name = element.get("name")
    return f"<{tag_of(element)}>" if name is None else f"<{tag_of(element)} name={shown(name)}>"
