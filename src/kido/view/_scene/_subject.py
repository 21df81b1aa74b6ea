"""What a scene shows: skeletons, and the contacts between them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol, TypeAlias, TypeGuard, cast

from kido.skeleton import Skeleton
from kido.world import Contact

__all__ = ["SceneLike", "SceneSource", "Subject"]


class SceneSource(Protocol):
    """Skeletons that touch each other, as a World is, or a recording at a time."""

    @property
    def skeletons(self) -> Sequence[Skeleton]:
        """The skeletons as they stand now."""
        ...

    @property
    def contacts(self) -> Sequence[Contact]:
        """The points where their shapes touch."""
        ...


SceneLike: TypeAlias = Skeleton | SceneSource | Iterable[Skeleton | SceneSource]
"""A skeleton, a world, or several."""


def _is_source(part: Any) -> TypeGuard[SceneSource]:
    return hasattr(type(part), "skeletons") and hasattr(type(part), "contacts")


class Subject:
    """What a scene was made of."""

    __slots__ = ("_parts",)

    def __init__(self, what: SceneLike) -> None:
        """Raises TypeError, naming `what`."""
        if isinstance(what, Skeleton) or _is_source(what):
            self._parts: tuple[Skeleton | SceneSource, ...] = (what,)
            return
        expected = "what: expected a Skeleton or several, or a World"
        try:
            self._parts = tuple(cast(Iterable[Skeleton | SceneSource], what))
        except TypeError:
            raise TypeError(f"{expected}, got {type(what).__name__}") from None
        for part in self._parts:
            if not (isinstance(part, Skeleton) or _is_source(part)):
                raise TypeError(f"{expected}, got {type(part).__name__} among them")

    @property
    def skeletons(self) -> list[Skeleton]:
        """The skeletons that there are now, each once."""
        found: list[Skeleton] = []
        for part in self._parts:
            found += [part] if isinstance(part, Skeleton) else part.skeletons
        return list({id(skeleton): skeleton for skeleton in found}.values())

    @property
    def contacts(self) -> list[Contact]:
        """The contacts that there are now."""
        worlds = [part for part in self._parts if not isinstance(part, Skeleton)]
        return [contact for world in worlds for contact in world.contacts]

    @property
    def has_contacts(self) -> bool:
        """Whether anything knows of contacts."""
        return any(not isinstance(part, Skeleton) for part in self._parts)
