"""Everything that a skeleton shows of itself: every public attribute and every question without arguments, of
each of its parts.

What a class shows is found by looking, so that a new attribute is compared by itself. A value of a kind that
is not known here raises, so that nothing is left out in silence.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import PurePath
from types import FunctionType, MethodType
from typing import Any

import numpy as np

import kido
from kido.errors import KidoError
from kido.optimize import Constraints, Function, MultiFunction, Problem, Solver
from kido.skeleton import Addon, DegreeOfFreedom, Joint, Node, Signal
from kido.values import Value

Portrait = dict[str, Any]
"""What was asked, part by part, and the answer in plain types."""

_PARTS = (kido.Skeleton, kido.BodyNode, Joint, Node, DegreeOfFreedom, Addon)
_PLAIN = (bool, int, float, complex, str, bytes, type(None), type, range)

_CHANGING = re.compile(
    "add_|apply_|clear_|compute_(forward|inverse|impulse_forward)_|move_|remove$|reattach$|reset_|set_|solve_and_|split$|use_"
)
"""Methods that can be called without arguments, and change something."""

_LEFT_OUT = (
    "check",
    "child_frames",
    "clone",
    "to_value",  # holds users' functions, which are equal to themselves alone
    "copy",
    "copy_to",
    "find_solution",
    "kinematics_counts",
    "search_problem",
    "solve_all",
    "summary",
    "track",
)
"""Those that count what was computed, make copies, are another name, or take their time; and frames that are
nobody's."""


def portrait(robot: kido.Skeleton, *, solves: bool = False) -> Portrait:
    """Everything that a skeleton and its parts show; `solves`: what their modules find, too."""
    found: Portrait = {}
    for place, part in parts(robot):
        for name, ask in questions(part):
            if name != "solve" or solves:
                found[f"{place}.{name}"] = answer(ask)
    return found


def parts(robot: kido.Skeleton) -> Iterator[tuple[str, Any]]:
    """A skeleton and all that belongs to it, each with its place."""
    yield "skeleton", robot
    yield from _addons("skeleton", robot)
    for body in robot.bodies:
        joint = body.parent_joint
        for part in (body, joint, *body.nodes()):
            place = f"{'joint' if part is joint else type(part).__name__} {part.index}"
            yield place, part
            yield from _addons(place, part)
        yield from ((f"dof {dof.index}", dof) for dof in joint.dofs)


def _addons(place: str, owner: Any) -> Iterator[tuple[str, Any]]:
    yield from ((f"{place}.{type(addon).__name__}", addon) for addon in owner.addons)


def questions(part: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    """What any object can be asked without arguments: attributes, and methods that change nothing."""
    for name, is_method in (*_asked(type(part)), *((own, False) for own in getattr(part, "__dict__", ()))):
        if name.startswith("_") or (name == "problem" and part._problem is None):
            continue  # a problem that was not asked for is made anew at each look
        yield name, getattr(part, name) if is_method else functools.partial(getattr, part, name)


@functools.cache
def _asked(kind: type) -> tuple[tuple[str, bool], ...]:
    """Names of attributes, and of methods that take no arguments; and whether it is a method."""
    found = []
    for name in dir(kind):
        member = inspect.getattr_static(kind, name)
        if name.startswith("_") or name in _LEFT_OUT or _CHANGING.match(name):
            continue
        if isinstance(member, staticmethod | classmethod | type):
            continue
        if not callable(member):
            found.append((name, False))
        elif not _takes_arguments(member):
            found.append((name, True))
    return tuple(found)


def _takes_arguments(method: Callable[..., Any]) -> bool:
    """Whether a method has to be given more than its object."""
    return any(
        p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
        for p in list(inspect.signature(method).parameters.values())[1:]
    )


def answer(ask: Callable[[], Any]) -> Any:
    """An answer in plain types; an error as its class and text."""
    try:
        return plain(ask())
    except (KidoError, ValueError, TypeError) as error:
        return f"{type(error).__name__}: {error}"


def plain(value: Any) -> Any:
    """A value in plain types that == compares bit for bit; parts of a skeleton as their class and name."""
    kind = type(value)
    if kind is float:  # most values are one of these
        return value.hex()
    if kind is str or kind is bool or kind is int:
        return value
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, Enum | PurePath):
        return type(value).__name__, str(value)
    if isinstance(value, float):
        return value.hex()
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, Mapping):
        return {repr(plain(key)): plain(item) for key, item in value.items()}
    if isinstance(value, frozenset | set):
        return type(value).__name__, sorted(map(repr, map(plain, value)))
    if isinstance(value, tuple | list | Iterator | Constraints):
        return type(value).__name__, *map(plain, value)
    return _of_object(value)


def _of_object(value: Any) -> Any:
    kind = type(value).__name__
    if isinstance(value, Addon):
        return kind, "of", plain(value.owner)
    if isinstance(value, _PARTS) or value is kido.WORLD:
        return kind, value.name
    if isinstance(value, kido.SimpleFrame):
        return kind, value.name, *_shown(value, only=_FRAME)
    if isinstance(value, kido.Tree):
        return kind, hash(value)
    if isinstance(value, Signal):
        return kind
    if isinstance(value, Value) or (is_dataclass(value) and not isinstance(value, type)):
        return kind, *((f.name, plain(getattr(value, f.name))) for f in fields(value) if f.repr)
    if isinstance(value, Function | MultiFunction):
        return kind, *((name, plain(held)) for name, held in sorted(vars(value).items()))
    if isinstance(value, Problem | Solver):
        return kind, *_shown(value)
    if isinstance(value, FunctionType | MethodType):
        return kind, value.__qualname__
    raise AssertionError(f"tests/_portrait.py does not say what to show of a {type(value)}")


_FRAME = ("parent_frame", "relative_transform", "relative_spatial_velocity", "relative_spatial_acceleration")


def _shown(value: Any, only: Iterable[str] | None = None) -> Iterator[tuple[str, Any]]:
    for name, ask in questions(value):
        if only is None or name in only:
            yield name, answer(ask)


def differences(one: Portrait, other: Portrait) -> list[str]:
    """The questions that two portraits answer differently, or that one of them has alone."""
    return [
        name for name in {**one, **other} if name not in one or name not in other or one[name] != other[name]
    ]
