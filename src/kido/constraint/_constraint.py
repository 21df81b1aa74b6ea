"""Base of constraints of a world."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from kido.constraint._softness import Softness
from kido.skeleton import BodyNode, DegreeOfFreedom, Skeleton
from kido.values import checked_name, checked_part, register

__all__ = ["Constraint", "Part", "checked_softness"]

if TYPE_CHECKING:
    from typing_extensions import Self

Part = Skeleton | BodyNode | DegreeOfFreedom | None
"""What a constraint holds; None: the world."""


class Constraint:
    """Base of what `World.constraints` takes.

    Its parts are set once, by the constructor; all else are attributes, which copies share or copy.
    """

    __slots__ = ("_name", "_parts")

    _name: str | None

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        register(cls)

    def __init__(self, *parts: Part) -> None:
        self._parts = parts

    @property
    def name(self) -> str | None:
        """Name, by which `World.constraints` finds it; None: it has none. Can be set."""
        return getattr(self, "_name", None)

    @name.setter
    def name(self, name: str | None) -> None:
        self._name = None if name is None else checked_name("name", name)

    @property
    def parts(self) -> tuple[Part, ...]:
        """The bodies, dofs or skeletons that it holds; None: the world."""
        return self._parts

    @property
    def skeletons(self) -> tuple[Skeleton, ...]:
        """The skeletons of its parts, each once. Raises RemovedError where a part belongs to none."""
        found: list[Skeleton] = []
        for part in self._parts:
            if part is None:
                continue
            skeleton = part if isinstance(part, Skeleton) else part.skeleton
            if not any(skeleton is other for other in found):
                found.append(skeleton)
        return tuple(found)

    def copy_to(self, *parts: Part) -> Self:
        """The same constraint between other parts, such as those of clones. Raises as the constructor."""
        return self.from_content(self.content(), *parts)

    def content(self) -> dict[str, Any]:
        """All attributes but the parts."""
        slots = (name for kind in type(self).__mro__ for name in getattr(kind, "__slots__", ()))
        names = {*slots, *getattr(self, "__dict__", ())} - {"_parts", "__dict__", "__weakref__"}
        return {name: getattr(self, name) for name in sorted(names) if hasattr(self, name)}

    @classmethod
    def from_content(cls, content: dict[str, Any], *parts: Part) -> Self:
        """A constraint of this class with these parts and attributes. Raises as the constructor."""
        made = cls.__new__(cls)
        made._hold(*parts)
        for name, attribute in content.items():
            setattr(made, name, attribute)
        return made

    def _hold(self, *parts: Part) -> None:
        """Take parts; raises where they do not go together."""
        Constraint.__init__(self, *parts)

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"cannot pickle {self!r} alone: pickle its world, and it goes along")

    def __repr__(self) -> str:
        names = ", ".join("the world" if part is None else repr(part.name) for part in self._parts)
        return f"<{type(self).__name__} of {names}>"


def checked_softness(softness: Softness | None) -> Softness | None:
    """A softness, or None: rigid; raises TypeError naming the argument."""
    return None if softness is None else checked_part("softness", Softness, softness, or_none=" or None")
