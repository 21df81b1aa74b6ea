"""An element with the defaults of its class, and typed access to its attributes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from kido.errors import ModelFileError
from kido.io._mjcf._file import MjcfFile
from kido.io._xml import Element, tag_of

__all__ = ["Node", "Values"]

Values = Mapping[str, tuple[str, Element]]
"""Text of each attribute, and the element that says it: the element itself or one of its defaults."""

_QUOTED = 200
_LARGEST = 2**31


@dataclass(frozen=True, slots=True)
class Node:
    """An element whose attributes are its own or, where it has none, those of its class of defaults.

    `suffix` is what the names have got that a copy of the element refers to; empty for the element itself.
    """

    file: MjcfFile
    element: Element
    values: Values
    suffix: str = ""

    @property
    def tag(self) -> str:
        """Tag of the element."""
        return tag_of(self.element)

    @property
    def line(self) -> int | None:
        """Line of the element in its file."""
        return self.element.sourceline

    def get(self, attribute: str) -> str | None:
        """Text of an attribute; None where neither the element nor its defaults have it."""
        found = self.values.get(attribute)
        return None if found is None else found[0]

    def has(self, attribute: str) -> bool:
        """Whether the element or its defaults have the attribute."""
        return attribute in self.values

    def error(self, message: str, attribute: str = "") -> ModelFileError:
        """Error at the element, or where the attribute is said."""
        found = self.values.get(attribute)
        return self.file.error(self.element if found is None else found[1], message)

    def note(self, kind: str, message: str, attribute: str = "") -> None:
        """Record a diagnostic at the element, or where the attribute is said."""
        found = self.values.get(attribute)
        self.file.note(self.element if found is None else found[1], kind, message)

    def text(self, attribute: str) -> str:
        """Nonempty attribute; raises ModelFileError if it is missing or empty."""
        value = self.get(attribute)
        if not value:
            state = "missing" if value is None else "empty"
            raise self.error(f"{attribute}: expected a value, but it is {state}", attribute)
        return value

    def floats(self, attribute: str, least: int = 0, most: int | None = None) -> tuple[float, ...]:
        """Finite numbers, from `least` to `most` of them; raises ModelFileError."""
        text = self.text(attribute)
        try:
            numbers = tuple(map(float, text.split()))
        except ValueError:
            numbers = ()
            least = max(least, 1)
        few, many = len(numbers) < least, most is not None and len(numbers) > most
        if few or many or not all(map(math.isfinite, numbers)) or "_" in text:
            shown = repr(text) if len(text) <= _QUOTED else f"{text[:_QUOTED]!r}..."
            expected = f"{attribute}: expected {_count_text(least, most)}, got {shown}"
            raise self.error(expected, attribute)
        return numbers

    def number(self, attribute: str, default: float | None = None) -> float:
        """One finite number; a missing attribute gives the default, or raises ModelFileError without one."""
        if default is not None and attribute not in self.values:
            return default
        return self.floats(attribute, 1, 1)[0]

    def numbers(self, attribute: str, default: tuple[float, ...]) -> tuple[float, ...]:
        """As many finite numbers as the default has."""
        if attribute not in self.values:
            return default
        return self.floats(attribute, len(default), len(default))

    def leading(self, attribute: str, default: tuple[float, ...]) -> tuple[float, ...]:
        """At most as many finite numbers as the default has, which gives those that are missing."""
        if attribute not in self.values:
            return default
        found = self.floats(attribute, 1, len(default))
        return found + default[len(found) :]

    def whole(self, attribute: str, default: int) -> int:
        """A whole number of 32 bits."""
        value = self.number(attribute, default)
        if value != int(value) or not -_LARGEST <= value < 2 * _LARGEST:
            raise self.error(f"{attribute}: expected a whole number, got {value:g}", attribute)
        return int(value)

    def choice(self, attribute: str, known: tuple[str, ...], default: str) -> str:
        """One of some words."""
        value = self.get(attribute)
        if value is None:
            return default
        if value not in known:
            shown = repr(value[:_QUOTED])
            raise self.error(f"{attribute}: expected one of {', '.join(known)}, got {shown}", attribute)
        return value

    def flag(self, attribute: str, default: bool) -> bool:
        """True or false."""
        return self.choice(attribute, ("true", "false"), "true" if default else "false") == "true"

    def limited(self, attribute: str, range_attribute: str, autolimits: bool) -> bool:
        """Whether a range holds: as "true" or "false" say; "auto" where there is one and `autolimits`.

        Raises ModelFileError for a range of which nothing says whether it holds.
        """
        said = self.choice(attribute, ("true", "false", "auto"), "auto")
        if said != "auto":
            return said == "true"
        if self.has(range_attribute) and not autolimits:
            expected = (
                f"expected {attribute}='true' or 'false' beside it: autolimits of the compiler is false"
            )
            raise self.error(f"{range_attribute}: {expected}", range_attribute)
        return self.has(range_attribute)


def _count_text(least: int, most: int | None) -> str:
    if least == most:
        return "a finite number" if least == 1 else f"{least} finite numbers"
    return f"{least} to {most} finite numbers" if most is not None else "finite numbers"
