"""Declarations of fields whose values are checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, field
from typing import Any, Generic, TypeAlias, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from kido.typing import ArrayLike, FloatArray, TransformLike, frozen_array

__all__ = ["Array", "Checked", "Transform", "array", "checked", "flag", "items", "number", "read_only"]

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


def number(*, unit: str = "", finite: bool = True, default: Any = MISSING, kw_only: bool = False) -> Any:
    """Declare a field that holds a float; with a default of None, or None.

    Args:
        unit: that messages name.
        finite: whether infinity is refused too; NaN always is.
        default: what the field is where it is not given.
        kw_only: whether the constructor takes it by keyword only.
    """

    def check(name: str, value: float | None) -> float | None:
        if value is None and default is None:
            return None
        return float(frozen_array(name, value, (), unit, finite=finite))  # type: ignore[arg-type]

    return checked(check, default=default, kw_only=kw_only)


def items(*, default: Any = MISSING, kw_only: bool = False) -> Any:
    """Declare a field that takes anything to go through, and holds a tuple.

    Args:
        default: what the field holds where it is not given.
        kw_only: whether the constructor takes it by keyword only.
    """
    return checked(lambda name, value: tuple(value), default=default, kw_only=kw_only)


def flag(*, default: Any = MISSING, kw_only: bool = False) -> Any:
    """Declare a field that holds True or False: what `bool` makes of what is given.

    Args:
        default: what the field is where it is not given.
        kw_only: whether the constructor takes it by keyword only.
    """
    return checked(lambda name, value: bool(value), default=default, kw_only=kw_only)


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
