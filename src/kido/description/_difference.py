"""Differences of two models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

import numpy as np

from kido.description._outline import RULE, Outline, has_one_friction, outline
from kido.description._scene import SceneDescription
from kido.math import so3_log
from kido.typing import FloatArray, frozen_array
from kido.values import Value, checked_part, number, text, value

__all__ = ["Difference", "differences"]

_JOINT = "joint "
_ROUNDING = 1e-12
"""Numbers that are shown as zero: of poses [m, rad], of others by the largest beside them."""


@value
class Difference(Value):
    """One difference: its place, as "robot 'arm': link 'hand': mass", and both sides as texts.

    A side is "missing" where it has nothing there; a pose is told as place [m] and rotation vector [rad].
    `amount` is by how much numbers differ at most; None: they are no numbers.
    """

    place: str = text()
    first: str = text()
    second: str = text()
    amount: float | None = number(default=None, finite=False)

    def __str__(self) -> str:
        by = "" if self.amount is None else f" (by {self.amount:.3g})"
        return f"{self.place}: {self.first} / {self.second}{by}"


def differences(
    first: SceneDescription, second: SceneDescription, *, tolerance: float = 1e-6
) -> tuple[Difference, ...]:
    """Differences of two models: gravity, robots, links, masses, joints, poses, limits, shapes,
    surfaces and their rules, constraints, states. Parts are compared by name, shapes of a link by order; a
    joint whose name the other side does not have, with the one of the same type that holds the same link.

    Where each side has one robot alone, these are compared whatever their names; others that are called
    otherwise with the one of most of whose links they are. A body alone is compared whether it is a robot or
    an object. Names of shapes, options of
    simulators, sensors, diagnostics and files do not count.

    Args:
        first: a scene.
        second: another one.
        tolerance: numbers may differ by this times the larger of 1 and their magnitude.

    Raises TypeError or ValueError naming the argument.
    """
    checked_part("first", SceneDescription, first)
    checked_part("second", SceneDescription, second)
    if frozen_array("tolerance", tolerance, ()) < 0.0:
        raise ValueError(f"tolerance: expected 0 or above, got {tolerance!r}")
    single = len(first.robots) == len(second.robots) == 1
    names = {second.robots[0].name: first.robots[0].name} if single else _renamed(first, second)
    one, other = outline(first), outline(second, names)
    if has_one_friction(first) and has_one_friction(second):
        del one[RULE], other[RULE]
    other = _alike(one, other)
    one = _alike(other, one)
    if not single:
        _tell_names(one, other, names)
    _join_renamed(one, other)
    return tuple(_compared("", one, other, tolerance))


def _renamed(first: SceneDescription, second: SceneDescription) -> dict[str, str]:
    """Names of robots and objects that only the second has, with those that only the first has and that have
    most of their links."""
    one, other = _links(first), _links(second)
    alone = {name: links for name, links in one.items() if name not in other}
    found = {}
    for name, links in other.items():
        if name in one or not alone:
            continue
        nearest = max(alone, key=lambda each: len(alone[each] & links))
        if 2 * len(alone[nearest] & links) > len(alone[nearest] | links):
            found[name] = nearest
            del alone[nearest]
    return found


def _links(scene: SceneDescription) -> dict[str, set[str]]:
    """Names of links by robot or object."""
    links = {placed.name: {link.name for link in placed.robot.links} for placed in scene.robots}
    return links | {placed.name: {placed.link.name} for placed in scene.objects}


def _tell_names(one: Outline, other: Outline, names: Mapping[str, str]) -> None:
    """Add the names of robots and objects of which these are the others' to both."""
    for new, old in names.items():
        for kind in ("robot", "object"):
            mine, theirs = one.get(f"{kind} {old!r}"), other.get(f"{kind} {old!r}")
            if isinstance(mine, dict) and isinstance(theirs, dict):
                mine["name"], theirs["name"] = repr(old), repr(new)


def _alike(one: Outline, other: Outline) -> Outline:
    """The other outline, with objects under the names of robots where the first has robots of these names: a
    body alone is either."""
    names = {name.replace("object", "robot", 1): name for name in other if name.startswith("object ")}
    moved = {name: robot for robot, name in names.items() if robot in one and robot not in other}
    return {moved.get(name, name): part for name, part in other.items()}


def _join_renamed(one: Outline, other: Outline) -> None:
    """Tell joints of one type that hold the same child and are called otherwise under one name."""
    for name, robot in one.items():
        twin = other.get(name)
        if not (isinstance(robot, dict) and isinstance(twin, dict)):
            continue
        renamed = {
            (joint.get("type"), joint.get("child")): each for each, joint in _joints_beside(twin, robot)
        }
        for each, joint in _joints_beside(robot, twin):
            called = renamed.get((joint.get("type"), joint.get("child")))
            if called is None:
                continue
            same = twin.pop(called)
            assert isinstance(same, dict)
            robot[each] = {"name": each.removeprefix(_JOINT), **joint}
            twin[each] = {"name": called.removeprefix(_JOINT), **same}


def _joints_beside(robot: Outline, twin: Outline) -> list[tuple[str, Outline]]:
    """Joints of a robot whose names another one does not have."""
    return [
        (name, part)
        for name, part in robot.items()
        if isinstance(part, dict) and "child" in part and name not in twin
    ]


def _compared(place: str, first: Outline, second: Outline, tolerance: float) -> Iterator[Difference]:
    for name in dict.fromkeys(chain(first, second)):
        here = f"{place}: {name}" if place else name
        one, other = first.get(name), second.get(name)
        if isinstance(one, dict) and isinstance(other, dict):
            yield from _compared(here, one, other, tolerance)
        elif isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
            amount = _amount(one, other, tolerance)
            if amount is not None:
                yield Difference(here, _shown(one), _shown(other), amount)
        elif isinstance(one, np.ndarray | dict) or isinstance(other, np.ndarray | dict) or one != other:
            yield Difference(here, _shown(one), _shown(other))


def _amount(one: FloatArray, other: FloatArray, tolerance: float) -> float | None:
    """By how much numbers differ, infinite where their shapes do; None: by less than the tolerance."""
    if one.shape != other.shape:
        return np.inf
    with np.errstate(invalid="ignore"):
        gap = np.where(one == other, 0.0, np.abs(one - other))
        scale = np.maximum(1.0, np.fmin(np.abs(one), np.abs(other)))
    return float(gap.max()) if (gap > tolerance * scale).any() else None


def _shown(part: Any) -> str:
    if part is None:
        return "missing"
    if isinstance(part, dict):
        return "there"
    if isinstance(part, str):
        return part or "''"
    if part.shape == (4, 4):
        place, turn = (np.where(np.abs(x) < _ROUNDING, 0.0, x) for x in (part[:3, 3], so3_log(part[:3, :3])))
        return f"at {_numbers(place)} turned by {_numbers(turn)}"
    finite = np.abs(part[np.isfinite(part)])
    rounding = _ROUNDING * finite.max(initial=0.0)
    return _numbers(np.where(np.abs(part) < rounding, 0.0, part))


def _numbers(array: FloatArray) -> str:
    text = np.array2string(array + 0.0, precision=6, separator=", ", threshold=40)
    return " ".join(text.split()).replace("[ ", "[").replace(" ]", "]").replace(" ,", ",")
