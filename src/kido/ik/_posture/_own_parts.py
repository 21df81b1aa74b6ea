"""Whether objects that name parts belong to a problem's skeletons, before they are known by name alone."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np

from kido.frame import Frame
from kido.ik._carrier import carrier_of
from kido.skeleton import DegreeOfFreedom, Joint, Skeleton

__all__ = ["of_own_parts"]

_PLAIN = frozenset({np.ndarray, float, int, bool, str, type(None)})
"""Classes of numbers and names, which are asked first, because they are what most arguments are."""

M = TypeVar("M", bound=Callable[..., Any])


def of_own_parts(method: M) -> M:
    """The same method of something with `skeletons`, which raises ValueError for a frame, joint or dof of
    another skeleton, whatever its name."""
    names = list(inspect.signature(method).parameters)[1:]

    @wraps(method)
    def checked(self: Any, *args: Any, **options: Any) -> Any:
        for i, value in enumerate(args):
            if type(value) not in _PLAIN:
                _refuse_foreign(names[i] if i < len(names) else "", value, self.skeletons)
        for name, value in options.items():
            if type(value) not in _PLAIN:
                _refuse_foreign(name, value, self.skeletons)
        return method(self, *args, **options)

    return cast(M, checked)


def _refuse_foreign(name: str, value: Any, skeletons: tuple[Skeleton, ...]) -> None:
    for part, skeleton in _parts(value):
        if not any(skeleton is own for own in skeletons):
            raise ValueError(
                f"{name}: {part!r} belongs to a skeleton {skeleton.name!r} that is not the problem's"
            )


def _parts(value: Any) -> Iterator[tuple[str, Skeleton]]:
    """Names of frames, joints and dofs in an argument, and the skeletons that they belong to."""
    if isinstance(value, Frame):
        if (carrier := carrier_of(value)) is not None:
            yield value.name, carrier.skeleton
    elif isinstance(value, (Joint, DegreeOfFreedom)):
        yield value.name, value.skeleton
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _parts(key)
            yield from _parts(item)
    elif isinstance(value, (tuple, list, set, frozenset)):
        for item in value:
            yield from _parts(item)
