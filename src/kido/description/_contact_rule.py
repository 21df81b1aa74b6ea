"""Contacts that a scene excludes, and pairs of shapes that it gives contact parameters of their own."""

from __future__ import annotations

from dataclasses import dataclass

from kido.description._named_values import NamedValues, Options, checked_name
from kido.description._reference import LinkReference, ShapeReference
from kido.errors import DescriptionError
from kido.values import Value, value

__all__ = ["ContactExclusion", "ContactPair"]


@dataclass(frozen=True, slots=True)
class ContactExclusion:
    """Two links that never touch."""

    first: LinkReference
    second: LinkReference

    def __post_init__(self) -> None:
        if self.first == self.second:
            raise DescriptionError(
                "expected two different links, got one twice", "contact exclusion", self.name
            )

    @property
    def name(self) -> str:
        """The two links, for messages."""
        return f"{self.first.owner}/{self.first.link} - {self.second.owner}/{self.second.link}"

    def references(self) -> tuple[tuple[str, LinkReference], ...]:
        """The links, by the names of their arguments."""
        return ("first", self.first), ("second", self.second)


@value
class ContactPair(Value):
    """Two shapes whose contact has parameters of its own: `options`, as friction or restitution."""

    name: str
    first: ShapeReference
    second: ShapeReference
    options: NamedValues
    line: int | None

    def __init__(
        self,
        name: str,
        first: ShapeReference,
        second: ShapeReference,
        options: Options = (),
        line: int | None = None,
    ) -> None:
        checked_name("contact pair", name)
        if first == second:
            raise DescriptionError("expected two different shapes, got one twice", "contact pair", name)
        self._assign(name=name, first=first, second=second, options=NamedValues(options), line=line)

    def references(self) -> tuple[tuple[str, ShapeReference], ...]:
        """The shapes, by the names of their arguments."""
        return ("first", self.first), ("second", self.second)
