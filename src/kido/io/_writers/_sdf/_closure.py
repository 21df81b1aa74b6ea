"""Closures of loops as <joint> elements between links that hang on joints already."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from kido.description import ClosureDescription, ClosureType
from kido.io._writers._sdf._output import Output
from kido.io._writers._xml_text import element, leaf
from kido.io._xml import Element
from kido.typing import FloatArray

__all__ = ["closure_owner", "write_closure"]

_TYPES = {ClosureType.WELD: "fixed", ClosureType.REVOLUTE: "revolute", ClosureType.BALL: "ball"}
_NEAR = 1e-9
_Z = (0.0, 0.0, 1.0)


def closure_owner(closure: ClosureDescription) -> str | None:
    """The robot whose links a closure holds, to each other or to the world; None if they are of two."""
    owners = {end.owner for _, end in closure.references()} - {None}
    return owners.pop() if len(owners) == 1 else None


def write_closure(
    output: Output,
    model: Element,
    closure: ClosureDescription,
    name: str,
    links: Mapping[str | None, str],
    poses: Mapping[str | None, FloatArray],
    T_world_model: FloatArray,
) -> None:
    """Add the joint that closes a loop, between links whose `poses` (4, 4) in the model are those at rest.

    A joint of SDF holds together what coincides at rest; a closure of other frames is reported.
    """
    kind = _TYPES.get(closure.type)
    ends = (closure.first, closure.second)
    first, second = ends if ends[1].link is not None else ends[::-1]
    T_model = [_place(end.link, end.T_link_frame, poses, T_world_model) for end in (first, second)]
    apart = np.abs(T_model[0] - T_model[1])
    off = apart[:3, 3].max() if closure.type is ClosureType.BALL else apart.max()
    if kind is None or not closure.active or off > _NEAR:
        why = "SDF has joints of type fixed, revolute and ball, of frames that coincide at rest"
        output.losses.left_out("constraint", closure.name, why)
        return
    made = element(model, "joint", name=name, type=kind)
    output.pose(made, second.T_link_frame, "constraint", closure.name)
    leaf(made, "parent", links[first.link])
    leaf(made, "child", links[second.link])
    if closure.type is ClosureType.REVOLUTE:
        axis = element(made, "axis")
        leaf(axis, "xyz", _Z)
        element(axis, "limit")
    for option in closure.options:
        output.losses.ignored("constraint", closure.name, f"its option {option!r}")


def _place(
    link: str | None, T: FloatArray, poses: Mapping[str | None, FloatArray], T_world_model: FloatArray
) -> FloatArray:
    """Pose (4, 4) in the model of a frame on a link, or on the world."""
    base = np.linalg.inv(T_world_model) if link is None else poses[link]
    return np.asarray(base @ T)
