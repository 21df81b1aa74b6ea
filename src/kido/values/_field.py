"""Declarations of fields whose values are checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, field
from typing import Any, Generic, TypeAlias, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from kido.typing import ArrayLike, FloatArray, TransformLike, frozen_array
from kido.values._checks import (
    checked_flag,
    checked_items,
    checked_name,
    checked_part,
    checked_path,
    checked_positive,
    checked_text,
    checked_whole,
)

__all__ = [
    "Array",
    "Checked",
    "Transform",
    "array",
    "checked",
    "file_path",
    "flag",
    "items",
    "number",
    "part",
    "read_only",
    "text",
    "whole",
]

G = TypeVar("G", contravariant=True)
H = TypeVar("H", covariant=True)


class Checked(Generic[G, H]):
    """Annotation of a field that takes one type (G) and holds another (H), for those who read types.

    At run time the field is an attribute like any other: what the declared check returned.
    """

    @overload
    def __get__(self, owner: None, cls: type) -> Checked[G, H]: ...
    @overload
    def __get__(self, owner: object, cls: type) -> H: ...
    def __get__(self, owner: object, cls: type) -> Any:
        raise NotImplementedError

    def __set__(self, owner: object, value: G) -> None:
        raise NotImplementedError


Array: TypeAlias = Checked[ArrayLike, FloatArray]
"""Annotation of a field that takes numbers and holds a read-only array."""

Transform: TypeAlias = Checked[TransformLike | None, FloatArray]
"""Annotation of a field that takes a transform or None and holds a read-only matrix (4, 4)."""


def checked(
    check: Callable[[str, Any], Any] | None = None,
    *,
    default: Any = MISSING,
    kw_only: bool = False,
    former_name: str | None = None,
) -> Any:
    """Declare a field that holds what `check(name, value)` returns; it raises for what the field cannot be.

    Args:
        check: takes the name of the field and what was given; None: the class's `_check` sees to the field.
        default: what is given to `check` where nothing else is; without it, the field has to be given.
        kw_only: whether the constructor takes it by keyword only.
        former_name: the name of the field in files that were written before it was renamed.
    """
    metadata: dict[str, Any] = {} if check is None else {"check": check}
    if former_name is not None:
        metadata["former_name"] = former_name
    return field(default=default, kw_only=kw_only, metadata=metadata)


def array(
    *shape: int, unit: str = "", finite: bool = True, default: Any = MISSING, kw_only: bool = False
) -> Any:
    """Declare a field that holds a read-only float64 array of a shape, -1 for any length.

    Args:
        shape: of the array; nothing: a single number (),
        unit: that messages name.
        finite: whether infinity is refused too; NaN always is.
        default: what the field is where it is not given.
        kw_only: whether the constructor takes it by keyword only.
    """

    def check(name: str, value: ArrayLike) -> FloatArray:
        return frozen_array(name, value, shape, unit, finite=finite)

    return checked(check, default=default, kw_only=kw_only)


def number(
    *,
    unit: str = "",
    finite: bool = True,
    positive: bool = False,
    default: Any = MISSING,
    kw_only: bool = False,
) -> Any:
    """Declare a field that holds a float; with a default of None, or None.

    Args:
        unit: that messages name.
        finite: whether infinity is refused too; NaN always is.
        positive: whether only finite numbers above zero are accepted.
        default: what the field is where it is not given.
        kw_only: whether the constructor takes it by keyword only.
    """

    def check(name: str, value: float | None) -> float | None:
        if value is None and default is None:
            return None
        if positive:
            return checked_positive(name, value, unit)  # type: ignore[arg-type]
        return float(frozen_array(name, value, (), unit, finite=finite))  # type: ignore[arg-type]

    return checked(check, default=default, kw_only=kw_only)


def items(kind: type | tuple[type, ...] = object, *, default: Any = MISSING, kw_only: bool = False) -> Any:
    """Declare a field that takes anything to go through, and holds a tuple.

    Args:
        kind: class of the items, or several; others are refused.
        default: what the field holds where it is not given.
        kw_only: whether the constructor takes it by keyword only.
    """
    return checked(lambda name, value: checked_items(name, kind, value), default=default, kw_only=kw_only)


def part(
    kind: type | tuple[type, ...],
    *,
    optional: bool = False,
    default: Any = MISSING,
    kw_only: bool = False,
) -> Any:
    """Declare a field that holds an instance of a class.

    Args:
        kind: the class, or several.
        optional: whether it may be None.
        default: what the field is where it is not given; None is one that it may be.
        kw_only: whether the constructor takes it by keyword only.
    """
    or_none = " or None" if optional or default is None else ""
    return _or_none(
        lambda name, value: checked_part(name, kind, value, or_none=or_none), optional, default, kw_only
    )


def text(
    *, empty: bool = False, optional: bool = False, default: Any = MISSING, kw_only: bool = False
) -> Any:
    """Declare a field that holds a string.

    Args:
        empty: whether it may be the empty one.
        optional: whether it may be None.
        default: what the field is where it is not given; None is one that it may be.
        kw_only: whether the constructor takes it by keyword only.
    """
    return _or_none(checked_text if empty else checked_name, optional, default, kw_only)


def whole(*, optional: bool = False, default: Any = MISSING, kw_only: bool = False) -> Any:
    """Declare a field that holds a whole number.

    Args:
        optional: whether it may be None.
        default: what the field is where it is not given; None is one that it may be.
        kw_only: whether the constructor takes it by keyword only.
    """
    return _or_none(checked_whole, optional, default, kw_only)


def file_path(*, optional: bool = False, default: Any = MISSING, kw_only: bool = False) -> Any:
    """Declare a field that takes a path in any form and holds a Path.

    Args:
        optional: whether it may be None.
        default: what the field is where it is not given; None is one that it may be.
        kw_only: whether the constructor takes it by keyword only.
    """
    return _or_none(checked_path, optional, default, kw_only)


def flag(*, default: Any = MISSING, kw_only: bool = False) -> Any:
    """Declare a field that holds True or False.

    Args:
        default: what the field is where it is not given.
        kw_only: whether the constructor takes it by keyword only.
    """
    return checked(checked_flag, default=default, kw_only=kw_only)


def _or_none(check: Callable[[str, Any], Any], optional: bool, default: Any, kw_only: bool) -> Any:
    def check_given(name: str, value: Any) -> Any:
        return None if value is None and (optional or default is None) else check(name, value)

    return checked(check_given, default=default, kw_only=kw_only)


def read_only(*, default: Any = MISSING, kw_only: bool = False) -> Any:
    """Declare a field that holds an array as it is given, read-only and not copied: for large results.

    Whoever makes the value gives the array away.

    Args:
        default: what the field holds where it is not given.
        kw_only: whether the constructor takes it by keyword only.
    """
    return checked(_read_only_view, default=default, kw_only=kw_only)


def _read_only_view(name: str, value: ArrayLike) -> NDArray[Any]:
    view = np.asarray(value).view()
    view.flags.writeable = False
    return view
