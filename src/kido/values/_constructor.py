"""Constructors of values, made when they are first called: of a hundred classes that are imported, a command
makes few."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, dataclass, field, fields
from typing import Any

__all__ = ["Constructor"]


class Constructor:
    """The `__init__` of a value: that of a frozen dataclass with the class's fields.

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
        function = _made_by_dataclass(self._owner)
        if vars(self._owner).get("__init__") is self:
            setattr(self._owner, "__init__", function)  # noqa: B010 - mypy knows of no such attribute
        return function if owner is None else function.__get__(owner, kind)


def _has_default(given: Field[Any]) -> bool:
    return given.default is not MISSING or given.default_factory is not MISSING


def _made_by_dataclass(owner: Any) -> Callable[..., None]:
    """That of a dataclass with the same fields and nothing else."""
    content = {f.name: _same(f) for f in fields(owner)}
    annotations = {f.name: f.type for f in fields(owner)}
    described = {"__module__": owner.__module__, "__qualname__": owner.__qualname__}
    after = {"__annotations__": annotations, "__post_init__": owner.__post_init__}
    twin: Any = type(owner.__name__, (), described | after | content)
    made: Callable[..., None] = dataclass(frozen=True, slots=True, eq=False, repr=False)(twin).__init__
    return made


def _same(given: Field[Any]) -> Any:
    """A field as declared, that no class has taken."""
    options: Any = {"default": given.default, "default_factory": given.default_factory}
    return field(**options, init=given.init, kw_only=bool(given.kw_only))
