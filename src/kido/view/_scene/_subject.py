"""Subject of a scene: skeletons, and the contacts between them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol, TypeAlias, TypeGuard, cast

from kido.skeleton import Skeleton
from kido.tree import Tree
from kido.world import Contact

__all__ = [
    "SceneLike",
    "ScenePlayback",
    "SceneRecording",
    "SceneSource",
    "Subject",
    "is_recording",
]


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


class ScenePlayback(SceneSource, Protocol):
    """Skeletons that stand as they did at a time, which can be set [s]."""

    time: float


class SceneRecording(Protocol):
    """A world over time, as a recording is."""

    @property
    def start_time(self) -> float:
        """The earliest time [s]."""
        ...

    @property
    def end_time(self) -> float:
        """The latest time [s]."""
        ...

    def playback(self) -> ScenePlayback:
        """Skeletons of its own, which can be moved to any time."""
        ...


ScenePart: TypeAlias = Skeleton | SceneSource | SceneRecording
"""A skeleton, a world, or a recording, which is shown as it ends."""

SceneLike: TypeAlias = ScenePart | Iterable[ScenePart]
"""A skeleton, a world, a recording, or several."""


def _is_source(part: Any) -> TypeGuard[SceneSource]:
    return hasattr(type(part), "skeletons") and hasattr(type(part), "contacts")


def is_recording(part: Any) -> TypeGuard[SceneRecording]:
    """Whether something is a world over time."""
    return all(hasattr(type(part), name) for name in ("start_time", "end_time", "playback"))


def _present(part: Any) -> Skeleton | SceneSource:
    """Owner of skeletons now: of a recording, those of its end."""
    if not is_recording(part):
        shown: Skeleton | SceneSource = part
        return shown
    playback = part.playback()
    playback.time = part.end_time
    return playback


def _named(part: object) -> str:
    """The type of something that is not shown, and what to show in its place."""
    if isinstance(part, Tree):
        return "a Tree, which has neither positions nor shapes: load the robot by kido.load"
    return type(part).__name__


class Subject:
    """Subject that a scene was made of."""

    __slots__ = ("_parts",)

    def __init__(self, what: SceneLike) -> None:
        """Raises TypeError, naming `what`."""
        expected = "what: expected a Skeleton or several, or a World"
        if isinstance(what, Skeleton) or _is_source(what) or is_recording(what):
            given: tuple[Any, ...] = (what,)
        else:
            try:
                given = tuple(cast(Iterable[Any], what))
            except TypeError:
                raise TypeError(f"{expected}, got {_named(what)}") from None
        for part in given:
            if not (isinstance(part, Skeleton) or _is_source(part) or is_recording(part)):
                raise TypeError(f"{expected}, got {_named(part)} among them")
        self._parts: tuple[Skeleton | SceneSource, ...] = tuple(map(_present, given))

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
