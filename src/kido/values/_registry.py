"""Registry of the classes of kido in files, by tags without their modules."""

from __future__ import annotations

from importlib import import_module
from typing import TypeVar
from weakref import WeakKeyDictionary

__all__ = ["class_of_tag", "companions_of", "is_of_kido", "is_registered", "register", "tag_of"]

T = TypeVar("T", bound=type)

_CLASSES: dict[str, type] = {}
_COMPANIONS: WeakKeyDictionary[type, tuple[type, ...]] = WeakKeyDictionary()
_PACKAGES = [
    f"kido.{name}"
    for name in ("skeleton", "io", "constraint", "world", "ik", "gallery", "optimize", "lcp", "view")
]
"""Imported one after the other where a tag is not known yet."""


def is_of_kido(kind: type) -> bool:
    """True for classes that kido itself defines."""
    return kind.__module__.partition(".")[0] == "kido"


def tag_of(kind: type) -> str:
    """Tag of a class in files: its qualified name, after "kido." where kido defines it."""
    return f"kido.{kind.__qualname__}" if is_of_kido(kind) else kind.__qualname__


def register(kind: T, *companions: type) -> T:
    """Enter a class of kido, so that files which name it can be loaded; others are left to the caller.

    Args:
        kind: the class.
        companions: classes that are saved with it, which a caller who names the class need not name.

    Raises ValueError where another class of kido has its tag.
    """
    if companions:
        _COMPANIONS[kind] = companions
    if is_of_kido(kind):
        known = _CLASSES.setdefault(tag_of(kind), kind)
        if known is not kind:
            raise ValueError(f"{tag_of(kind)}: {known.__module__} and {kind.__module__} both define it")
    return kind


def is_registered(kind: type) -> bool:
    """Whether files that name a class of kido can be loaded."""
    return is_of_kido(kind) and _CLASSES.get(tag_of(kind)) is kind


def companions_of(kind: type) -> tuple[type, ...]:
    """The classes that are saved with a class."""
    return _COMPANIONS.get(kind, ())


def class_of_tag(tag: str) -> type | None:
    """The class of kido that a tag names; None where there is none. Imports
    packages of kido until one has it."""
    if tag.startswith("kido."):
        for package in _PACKAGES:
            if tag in _CLASSES:
                break
            import_module(package)
    return _CLASSES.get(tag)
