"""Constructors of values, compiled when they are first called: of a hundred classes that are imported, a
command makes few."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import MISSING, Field, fields
from typing import Any

__all__ = ["Constructor"]

_set = object.__setattr__


class _Factory:
    """Stands in signatures for what a function makes."""

    def __repr__(self) -> str:
        return "<factory>"


_FACTORY = _Factory()


class Constructor:
    """The `__init__` of a value: that of a frozen dataclass with the class's fields, to its signature.

    Whoever asks the class for it, as a call does, finds the function, which takes its place.
    """

    __slots__ = ("_owner",)

    def __init__(self, owner: type) -> None:
        """Raises TypeError where a field without a default follows one with a default."""
        self._owner = owner
        optional = ""
        for given in fields(owner):
            if not given.init or given.kw_only:
                continue
            if _has_default(given):
                optional = optional or given.name
            elif optional:
                raise TypeError(f"non-default argument {given.name!r} follows default argument {optional!r}")

    def __get__(self, owner: object, kind: type | None = None) -> Any:
        function = _compiled(self._owner)
        if vars(self._owner).get("__init__") is self:
            setattr(self._owner, "__init__", function)  # noqa: B010 - mypy knows of no such attribute
        return function if owner is None else function.__get__(owner, kind)


def _has_default(given: Field[Any]) -> bool:
    return given.default is not MISSING or given.default_factory is not MISSING


def _compiled(owner: type) -> Callable[..., None]:
    declared = fields(owner)
    taken = [f for f in declared if f.init and not f.kw_only]
    by_keyword = [f for f in declared if f.init and f.kw_only]
    this = "self" if all(f.name != "self" for f in declared) else "__kido_self__"
    arguments = [this, *map(_argument, taken), *(["*"] if by_keyword else []), *map(_argument, by_keyword)]
    body = [f"__kido_set__({this}, {f.name!r}, {_given(f)})" for f in declared if f.init or _has_default(f)]
    lines = [
        "def closed(__kido_set__, __kido_factory__, __kido_fields__):",
        f" def __init__({', '.join(arguments)}):",
        *(f"  {line}" for line in (*body, f"{this}.__post_init__()")),
        " return __init__",
    ]
    made: dict[str, Any] = {}
    exec("\n".join(lines), vars(sys.modules[owner.__module__]), made)  # as dataclasses do
    function: Any = made["closed"](_set, _FACTORY, {f.name: f for f in declared})
    function.__qualname__ = f"{owner.__qualname__}.__init__"
    function.__annotations__ = {f.name: f.type for f in (*taken, *by_keyword)} | {"return": None}
    return function  # type: ignore[no-any-return]


def _argument(given: Field[Any]) -> str:
    if given.default_factory is not MISSING:
        return f"{given.name}=__kido_factory__"
    return given.name if given.default is MISSING else f"{given.name}=__kido_fields__[{given.name!r}].default"


def _given(given: Field[Any]) -> str:
    """Source of what a field is set to: the argument, or what the class says."""
    field = f"__kido_fields__[{given.name!r}]"
    if given.default_factory is not MISSING:
        made = f"{field}.default_factory()"
        return f"{made} if {given.name} is __kido_factory__ else {given.name}" if given.init else made
    return given.name if given.init else f"{field}.default"
