"""One SDFormat file: numbers, flags and texts of its elements, and a diagnostic for whatever is not read."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TypeAlias

from kido.description import Diagnostic
from kido.io._xml import Element, XmlFile, shown, tag_of

__all__ = ["MAX_DIAGNOSTICS", "Log", "MadeFile", "SdfFile", "Version", "content"]

Version: TypeAlias = tuple[int, int]

MAX_DIAGNOSTICS = 10_000
"""Diagnostics that are kept of one read; of more, the number is told."""

_OWNERS = frozenset(("link", "joint", "frame", "model", "world", "include", "actor", "light"))
_REPEATED = frozenset(
    ("world", "physics", "model", "include", "link", "joint", "frame", "visual", "collision", "sensor")
)
_FLAGS = {"true": True, "1": True, "false": False, "0": False}
_WITHOUT_EFFECT = frozenset(
    (
        ("enable_wind", "false"),
        ("kinematic", "false"),
        ("must_be_base_link", "false"),
        ("allow_auto_disable", "true"),
        ("cast_shadows", "true"),
        ("provide_feedback", "false"),
        ("collide_without_contact", "false"),
    )
)


class Log:
    """Counts the diagnostics of one read, over all its files; `MAX_DIAGNOSTICS` of them are kept."""

    def __init__(self) -> None:
        self.count = 0

    def takes_more(self) -> bool:
        """Whether the next diagnostic is kept."""
        self.count += 1
        return self.count <= MAX_DIAGNOSTICS

    @property
    def left_out(self) -> int:
        """Number of diagnostics that are not kept."""
        return max(self.count - MAX_DIAGNOSTICS, 0)


class SdfFile(XmlFile):
    """Access to the elements of one file, for one robot or world: its `diagnostics` are theirs.

    `version` is that of its <sdf>; `folder`, where relative names start, None for a text without place.
    """

    def __init__(
        self, name: str, version: Version, folder: Path | None, log: Log, diagnostics: list[Diagnostic]
    ) -> None:
        super().__init__(name)
        self.version = version
        self.folder = folder
        self.log = log
        self.diagnostics = diagnostics

    def for_robot(self) -> SdfFile:
        """The same file for another robot, with diagnostics of its own."""
        return SdfFile(self.name, self.version, self.folder, self.log, [])

    def note(self, element: Element, kind: str, message: str) -> None:
        """Record a diagnostic at this element."""
        if not self.log.takes_more():
            return
        super().note(element, kind, message)

    def ignore_rest(self, element: Element, tags: Iterable[str] = (), attributes: Iterable[str] = ()) -> None:
        """A diagnostic for each child and attribute of the element that is not known, and for each
        child but the first of those that an element has once."""
        for name in element.attrib:
            if name not in attributes:
                self.note(element, "ignored", f"{name}: ignored: {shown(str(element.get(name)))}")
        seen: set[str] = set()
        for child in element:
            tag = str(child.tag)
            if tag not in tags:
                self.ignore(child)
            elif tag in seen and tag not in _REPEATED:
                self.ignore(child, f"only the first <{tag}> is read")
            seen.add(tag)

    def ignore(self, element: Element, why: str = "") -> None:
        """A diagnostic for an element that is not honoured; none where its value has no effect."""
        text = content(element)
        if (element.tag, text.lower()) in _WITHOUT_EFFECT:
            return
        hint = why or (shown(text) if text else element.get("name") or element.get("filename") or "")
        self.note(element, "ignored", f"ignored: {hint}" if hint else "ignored")

    def child_number(
        self, parent: Element, tag: str, default: float | None = None, *, infinite: bool = False
    ) -> float:
        """The number of a child element; a missing one gives the default or raises ModelFileError."""
        child = parent.find(tag)
        if child is None:
            if default is None:
                raise self.error(parent, f"expected a <{tag}> element, got none")
            return default
        self._check_leaf(child)
        return self.values(child, 1, infinite=infinite)[0]

    def child_numbers(
        self, parent: Element, tag: str, count: int, default: tuple[float, ...] | None = None
    ) -> tuple[float, ...]:
        """The numbers of a child element; a missing one gives the default or raises ModelFileError."""
        child = parent.find(tag)
        if child is None:
            if default is None:
                raise self.error(parent, f"expected a <{tag}> element, got none")
            return default
        self._check_leaf(child)
        return self.values(child, count)

    def _check_leaf(self, element: Element) -> None:
        if len(element) or element.attrib:
            self.ignore_rest(element)

    def values(self, element: Element, count: int, *, infinite: bool = False) -> tuple[float, ...]:
        """The `count` numbers that an element holds; raises ModelFileError."""
        return self.parsed(element, "", (element.text or "").strip(), count, infinite=infinite)

    def child_flag(self, parent: Element, tag: str, default: bool = False) -> bool:
        """The flag of a child element: true, false, 1 or 0."""
        child = parent.find(tag)
        if child is None:
            return default
        self._check_leaf(child)
        return self.as_flag(child, content(child))

    def flag_attribute(self, element: Element, name: str, default: bool = False) -> bool:
        """An attribute as a flag."""
        text = element.get(name)
        return default if text is None else self.as_flag(element, text.strip(), f"{name}: ")

    def as_flag(self, element: Element, text: str, label: str = "") -> bool:
        """A text as a flag; raises ModelFileError."""
        try:
            return _FLAGS[text.lower()]
        except KeyError:
            raise self.error(element, f"{label}expected true or false, got {shown(text)}") from None

    def _place(self, element: Element) -> tuple[Element, str]:
        """The nearest link, joint, model or world that holds the element, and the path from there."""
        path: list[str] = []
        owner = element
        parent = owner.getparent()
        while owner.tag not in _OWNERS and parent is not None:
            path.append(tag_of(owner))
            owner, parent = parent, parent.getparent()
        return owner, "/".join(reversed(path))

    def child_text(self, parent: Element, tag: str) -> str:
        """The nonempty text of a child element; raises ModelFileError."""
        child = self.child(parent, tag)
        text = content(child)
        if not text:
            raise self.error(child, "expected a text, got none")
        return text


class MadeFile(SdfFile):
    """A file that was made of another one, whose diagnostics are known: its own are none."""

    def note(self, element: Element, kind: str, message: str) -> None:
        """Record nothing."""


def content(element: Element | None) -> str:
    """The text of an element without space around it; empty where there is none."""
    return "" if element is None else (element.text or "").strip()
