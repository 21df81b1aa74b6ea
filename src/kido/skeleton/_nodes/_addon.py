"""Data and functions of any kind, at most one of each type on a skeleton, body, joint or node."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, NoReturn, Protocol, SupportsIndex, TypeVar

from kido import _core
from kido.errors import EditError
from kido.values import frozen_content, register, require_frozen

__all__ = ["Addon", "AddonManager", "Extension", "require_addon_type"]

A = TypeVar("A", bound="Addon")
E = TypeVar("E", bound="Extension")


class Extension:
    """Base of addons, nodes and joints of users: a `State` and `Properties` that travel with the skeleton.

    A class that derives from one of them may define `State` and `Properties`, frozen dataclasses whose fields
    have defaults; TypeError is raised for other classes. They stand in `self.state` and `self.properties`,
    and are carried by clone, copy, move, save and restore. Arrays that are set in them become read-only
    copies; lists and dictionaries become copies, which clones and copies of the skeleton do not share.
    """

    __slots__ = ()

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for role in ("State", "Properties"):
            kind = vars(cls).get(role)
            if kind is not None:
                require_frozen(f"{role} of {cls.__name__}", kind)
                register(kind)
        register(cls, *(kind for kind in (cls.State, cls.Properties) if kind is not None))

    State: ClassVar[type | None] = None
    Properties: ClassVar[type | None] = None

    _state: Any = None
    _properties: Any = None

    @property
    def state(self) -> Any:
        """Changes in time, an instance of `State`. Set: None is the default one; raises TypeError."""
        return self._state

    @state.setter
    def state(self, state: Any) -> None:
        self._state = self._checked("state", self.State, state)

    @property
    def properties(self) -> Any:
        """Stays in time, an instance of `Properties`. Set: None is the default one; raises TypeError."""
        return self._properties

    @properties.setter
    def properties(self, properties: Any) -> None:
        self._properties = self._checked("properties", self.Properties, properties)

    def _start(self, properties: object, state: object) -> None:
        self._properties = self._checked("properties", self.Properties, properties)
        self._state = self._checked("state", self.State, state)

    def _checked(self, role: str, kind: type | None, value: object) -> object:
        if value is None:
            return None if kind is None else frozen_content(kind())
        if kind is None or not isinstance(value, kind):
            expected = "None" if kind is None else f"a {kind.__qualname__}"
            raise TypeError(f"{role} of a {type(self).__name__}: expected {expected}, got {value!r}")
        return frozen_content(value)

    def _blank_copy(self: E) -> E:
        copy = type(self).__new__(type(self))
        copy._start(self.properties, self.state)
        return copy

    def copied_from(self, original: Any) -> None:
        """Called on a fresh copy, for what a class of your own keeps besides State and Properties."""

    def _to_pickle(self) -> dict[str, Any] | None:
        """Content for pickles of the skeleton in place of the attributes; None: these."""
        return None

    def _take_pickled(self, content: dict[str, Any]) -> bool:
        """Take what `_to_pickle` gave; false where `copied_from` is to be called."""
        return False


class Addon(Extension, _core.KnownAttributes):
    """Base of what is attached once to an object, `owner`: a skeleton, body, joint or node.

    An addon of your own derives from this class, and is attached by `owner.create_addon(MyAddon, ...)`, which
    calls its `__init__` with `owner` and the further arguments.
    """

    __slots__ = ("__weakref__", "_properties", "_state", "owner")

    owner: AddonManager
    _another: ClassVar[str] = "make another by `create_addon`"
    """What gives a second one, for the message where one is copied alone."""

    def __init__(self, owner: AddonManager, properties: object = None, state: object = None) -> None:
        """`properties` and `state` are instances of the class's `Properties` and `State`, or None: the
        default ones.

        Raises TypeError where they are not.
        """
        self.owner = owner
        self._start(properties, state)

    def _copy_onto(self, owner: AddonManager) -> None:
        copy = self._blank_copy()
        copy.owner = owner
        owner._store(copy)
        copy.copied_from(self)

    def __reduce_ex__(self, protocol: SupportsIndex) -> str | tuple[Any, ...]:
        if not self.owner._pickles_addons:
            raise TypeError(
                f"cannot pickle {type(self).__name__} of {self.owner!r} alone: pickle the skeleton, and it "
                "goes along"
            )
        return super().__reduce_ex__(protocol)

    def __copy__(self) -> NoReturn:
        raise TypeError(
            f"cannot copy {type(self).__name__} of {self.owner!r} alone: copy what it is attached to, and it "
            f"goes along, or {self._another}"
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.owner!r}>"


class _HasAddons(Protocol):
    _addons: dict[type[Addon], Addon] | None

    def _check_alive(self) -> None: ...


class AddonManager:
    """Base of everything that addons can be attached to."""

    __slots__ = ()

    _addons: dict[type[Addon], Addon] | None

    @property
    def _pickles_addons(self) -> bool:
        """Whether this is pickled attribute by attribute, addons too; skeletons make theirs anew."""
        return False

    def create_addon(self, kind: type[A], *args: Any, **options: Any) -> A:
        """Make an addon of type `kind` and attach it, in place of one of the same type.

        Args:
            kind: a class that derives from Addon.
            args: what its `__init__` takes after the owner.
            options: what it takes by keyword.

        Raises:
            TypeError: `kind` is no type of addon, or takes other arguments.
        """
        self._check_alive()
        require_addon_type(kind)
        addon = kind(self, *args, **options)
        self._store(addon)
        return addon

    def addon(self, kind: type[A]) -> A | None:
        """The addon of exactly this type; None where there is none. Raises TypeError for no type of addon."""
        self._check_alive()
        require_addon_type(kind)
        found = (self._addons or {}).get(kind)
        return found if isinstance(found, kind) else None

    def has_addon(self, kind: type[Addon]) -> bool:
        """Whether there is an addon of exactly this type. Raises TypeError for what is no type of addon."""
        self._check_alive()
        require_addon_type(kind)
        return kind in (self._addons or {})

    def remove_addon(self: _HasAddons, kind: type[Addon]) -> None:
        """Take the addon of this type away.

        Raises EditError where there is none, TypeError for what is no type of addon.
        """
        self._check_alive()
        require_addon_type(kind)
        if kind not in (self._addons or {}):
            raise EditError(f"{self!r} has no addon of type {kind.__name__}")
        left = {own: addon for own, addon in (self._addons or {}).items() if own is not kind}
        self._addons = left or None

    @property
    def addons(self) -> tuple[Addon, ...]:
        """All addons, in the order in which they were attached."""
        self._check_alive()
        return tuple(self._all_addons())

    def _check_alive(self) -> None:
        """Raises RemovedError where this was removed."""

    def _all_addons(self) -> Iterator[Addon]:
        yield from (self._addons or {}).values()

    def _forget_addons(self: _HasAddons) -> None:
        self._addons = None

    def _store(self: _HasAddons, addon: Addon) -> None:
        self._addons = {**(self._addons or {}), type(addon): addon}

    def _copy_addons_from(self, other: AddonManager) -> None:
        self._forget_addons()
        for addon in other._all_addons():
            addon._copy_onto(self)


def require_addon_type(kind: object) -> None:
    """Raises TypeError for what is no type of addon."""
    if not (isinstance(kind, type) and issubclass(kind, Addon)):
        raise TypeError(f"kind: expected a class that derives from Addon, got {kind!r}")
