"""XML files whose readers are told what they have not looked at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from kido.io._xml import Element, XmlFile, shown, tag_of

__all__ = ["TrackedXml"]

_MOST_NOTES = 500
"""Of so many elements and attributes that are ignored each is named; the others are counted."""

_MOST = 1_000_000
_TRUTH = {"true": True, "1": True, "false": False, "0": False}


class TrackedXml(XmlFile):
    """Typed access to the elements of one file, which remembers what has been asked for.

    What nobody has asked for is ignored, and `note_unread` says so. Messages name the nearest element whose
    tag is among the `landmarks` ("<joint name='elbow'>") and the path below it.
    """

    def __init__(self, name: str, landmarks: frozenset[str]) -> None:
        super().__init__(name)
        self._landmarks = landmarks
        self._read: dict[Element, set[str]] = {}
        self._texts: set[Element] = set()
        self._done: set[Element] = set()

    def note(self, element: Element, kind: str, message: str, *, subject: str | None = None) -> None:
        """Record a diagnostic at this element; `subject` None: the name of the element that messages name."""
        super().note(element, kind, message)
        if subject is not None:
            self.diagnostics[-1] = replace(self.diagnostics[-1], subject=subject)

    # ---- elements

    def enter(self, root: Element) -> Element:
        """The root, which counts as read from now on."""
        self._read.setdefault(root, set())
        return root

    def find(self, element: Element, tag: str) -> Element | None:
        """First child of this tag; None if there is none."""
        found = element.find(tag)
        return None if found is None else self.enter(found)

    def find_all(self, element: Element, tag: str) -> list[Element]:
        """All children of this tag, in the order of the file."""
        return [self.enter(child) for child in element.iterchildren(tag)]

    def child(self, element: Element, tag: str) -> Element:
        """First child of this tag; raises ModelFileError if there is none."""
        return self.enter(super().child(element, tag))

    # ---- attributes

    def attribute(self, element: Element, name: str) -> str | None:
        """An attribute; None if it is missing."""
        self._read.setdefault(element, set()).add(name)
        return element.get(name)

    def text(self, element: Element, attribute: str) -> str:
        """Nonempty attribute; raises ModelFileError if it is missing or empty."""
        self.attribute(element, attribute)
        return super().text(element, attribute)

    def number(
        self, element: Element, attribute: str, default: float | None = None, *, infinite: bool = False
    ) -> float:
        """One number; a missing attribute gives the default, or raises ModelFileError if that is None."""
        self.attribute(element, attribute)
        return super().number(element, attribute, default, infinite=infinite)

    def numbers(
        self, element: Element, attribute: str, count: int, default: tuple[float, ...] | None = None
    ) -> tuple[float, ...]:
        """`count` finite numbers; a missing attribute gives the default or raises ModelFileError."""
        self.attribute(element, attribute)
        return super().numbers(element, attribute, count, default)

    # ---- texts

    def content(self, element: Element) -> str:
        """The text of an element, without white space around it; raises ModelFileError if there is none."""
        self._texts.add(element)
        text = (element.text or "").strip()
        if not text:
            raise self.error(element, "expected a value, but it is empty")
        return text

    def content_of(self, element: Element, tag: str) -> str | None:
        """The text of the first child of this tag; None if there is none."""
        child = self.find(element, tag)
        return None if child is None else self.content(child)

    def number_of(
        self, element: Element, tag: str, default: float | None = None, *, infinite: bool = False
    ) -> float:
        """The number in the first child of this tag; a missing one gives the default, or raises
        ModelFileError if that is None."""
        return self._floats_of(element, tag, 1, None if default is None else (default,), infinite)[0]

    def numbers_of(
        self, element: Element, tag: str, count: int, default: tuple[float, ...] | None = None
    ) -> tuple[float, ...]:
        """The `count` numbers in the first child of this tag; a missing one gives the default, or raises
        ModelFileError if that is None."""
        return self._floats_of(element, tag, count, default, False)

    def whole_of(self, element: Element, tag: str) -> int:
        """The positive whole number in the child of this tag; raises ModelFileError."""
        return self.wholes_of(element, tag, 1)[0]

    def wholes_of(self, element: Element, tag: str, count: int) -> tuple[int, ...]:
        """The `count` positive whole numbers in the child of this tag; raises ModelFileError."""
        child = self.child(element, tag)
        numbers = self.parsed(child, "", self.content(child), count)
        if any(not 1.0 <= number <= _MOST or number != int(number) for number in numbers):
            expected = f"expected whole numbers from 1 to {_MOST}"
            raise self.error(child, f"{expected}, got {shown(self.content(child))}")
        return tuple(int(number) for number in numbers)

    def flag_of(self, element: Element, tag: str, default: bool) -> bool:
        """Whether the first child of this tag says "true" or "1", not "false" or "0"."""
        text = self.content_of(element, tag)
        if text is None:
            return default
        if text.lower() not in _TRUTH:
            child = self.child(element, tag)
            raise self.error(child, f"expected true, false, 1 or 0, got {shown(text)}")
        return _TRUTH[text.lower()]

    def _floats_of(
        self, element: Element, tag: str, count: int, default: tuple[float, ...] | None, infinite: bool
    ) -> tuple[float, ...]:
        child = self.find(element, tag)
        if child is None:
            if default is None:
                self.child(element, tag)
            return default or ()
        return self.parsed(child, "", self.content(child), count, infinite=infinite)

    # ---- what is left

    def note_unread(self, root: Element) -> None:
        """Record a diagnostic "ignored" for each element, attribute and text that nobody has asked for; below
        an ignored element nothing is said, nor below one for which this was called before. Of very many the
        rest are counted in one.
        """
        self._done.add(root)
        count = 0
        for element, what in self._unread(root):
            count += 1
            if count <= _MOST_NOTES:
                self.note(element, "ignored", what)
        if count > _MOST_NOTES:
            more = f"{count - _MOST_NOTES} more elements and attributes are ignored"
            self.note(root, "ignored", more)

    def _unread(self, root: Element) -> Iterator[tuple[Element, str]]:
        waiting = [root]
        while waiting:
            element = waiting.pop()
            yield from self._unread_of(element)
            before: set[str] = set()
            inside = []
            for child in element:
                if child in self._read:
                    if child not in self._done:
                        inside.append(child)
                    before.add(tag_of(child))
                else:
                    again = ": there is one before it" if tag_of(child) in before else ""
                    yield child, f"ignored{again}"
            waiting.extend(reversed(inside))

    def _unread_of(self, element: Element) -> Iterator[tuple[Element, str]]:
        """Attributes and texts of an element that nobody has asked for."""
        for name in element.attrib:
            if str(name) not in self._read[element]:
                yield element, f"attribute {shown(str(name))} ignored"
        texts = [] if element in self._texts else [element.text]
        for text in (*texts, *(child.tail for child in element)):
            if text is not None and text.strip():
                yield element, f"text {shown(text.strip())} ignored"

    def _place(self, element: Element) -> tuple[Element, str]:
        path: list[str] = []
        place = element
        parent = place.getparent()
        while parent is not None and tag_of(place) not in self._landmarks:
            path.append(tag_of(place))
            place, parent = parent, parent.getparent()
        return place, "/".join(reversed(path))
