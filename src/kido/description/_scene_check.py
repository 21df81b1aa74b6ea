"""Checks of a scene: unique names, and references to existing parts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from kido.description._reference import Reference, SceneParts
from kido.errors import DescriptionError, UnknownNameError

__all__ = ["ScenePart", "check_references", "check_unique"]


class ScenePart(Protocol):
    """A part of a scene that has a name and refers to others."""

    @property
    def name(self) -> str:
        """Name in the scene."""
        ...

    def references(self) -> Iterable[tuple[str, Reference]]:
        """The arguments that refer to other parts, each with its name."""
        ...


def check_unique(kind: str, names: Iterable[str]) -> None:
    """Raises DescriptionError, naming the first name that comes twice."""
    taken: set[str] = set()
    for name in names:
        if name in taken:
            raise DescriptionError("expected unique names, got two of this name", kind, name)
        taken.add(name)


def check_references(kind: str, elements: Sequence[ScenePart], parts: SceneParts) -> None:
    """Raises DescriptionError, naming the element, where one refers to what is not there."""
    for element in elements:
        for argument, reference in element.references():
            try:
                reference.check(parts)
            except (UnknownNameError, DescriptionError) as error:
                raise DescriptionError(f"{argument}: {error}", kind, element.name) from None
