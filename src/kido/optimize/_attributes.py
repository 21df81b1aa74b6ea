"""Refusal of attributes that a class does not declare."""

from __future__ import annotations

from inspect import get_annotations
from typing import Any, ClassVar

from kido.errors import unknown_attribute

__all__ = ["DeclaredAttributes"]


class DeclaredAttributes:
    """Base of classes whose objects refuse attributes that their class does not declare.

    A class that is defined with `closed=True` refuses public names that are neither members nor annotations
    of it or its bases, with an AttributeError that suggests the nearest names. A class that derives from it
    is open again, unless it is closed itself: classes of your own may add attributes.
    """

    __slots__ = ()

    _declared: ClassVar[frozenset[str] | None] = None

    def __init_subclass__(cls, *, closed: bool = False, **options: Any) -> None:
        super().__init_subclass__(**options)
        annotated = (name for base in cls.__mro__ for name in get_annotations(base))
        cls._declared = frozenset((*dir(cls), *annotated)) if closed else None

    def __setattr__(self, name: str, value: object) -> None:
        declared = type(self)._declared
        if declared is not None and name not in declared and not name.startswith("_"):
            raise unknown_attribute(type(self), name, declared)
        super().__setattr__(name, value)
