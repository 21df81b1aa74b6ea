"""Refusal of attributes that a class does not declare."""

from __future__ import annotations

from difflib import get_close_matches
from inspect import get_annotations
from typing import Any, ClassVar

__all__ = ["DeclaredAttributes"]

_NEAR = 0.5
"""Similarity of names that are suggested [-]."""


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
            near = get_close_matches(name, sorted(declared), cutoff=_NEAR)
            hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}{hint}")
        super().__setattr__(name, value)
