"""Contacts that a scene excludes, and pairs of shapes that it gives contact parameters of their own."""

from __future__ import annotations

from kido.description._named_values import NamedValues, Options, name_of, named_values
from kido.description._reference import LinkReference, ShapeReference
from kido.errors import DescriptionError
from kido.values import Checked, Value, checked, part, value, whole

__all__ = ["ContactExclusion", "ContactPair"]


@value
class ContactExclusion(Value):
    """Two links that never touch."""

    first: LinkReference = part(LinkReference)
    second: LinkReference = part(LinkReference)

    def _check(self) -> None:
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

    name: str = checked(name_of("contact pair"))
    first: ShapeReference = part(ShapeReference)
    second: ShapeReference = part(ShapeReference)
    options: Checked[Options, NamedValues] = checked(named_values, default=())
    line: int | None = whole(default=None)

    def _check(self) -> None:
        if self.first == self.second:
            raise DescriptionError("expected two different shapes, got one twice", "contact pair", self.name)

    def references(self) -> tuple[tuple[str, ShapeReference], ...]:
        """The shapes, by the names of their arguments."""
        return ("first", self.first), ("second", self.second)
