"""Degrees of freedom of a joint: names, limits, passive forces, initial state."""

from __future__ import annotations

import math

import numpy as np

from kido.description import JointDynamics, JointLimits
from kido.io._tracked_xml import TrackedXml
from kido.io._xml import Element, shown
from kido.typing import FloatArray

__all__ = ["Dofs", "read_dofs"]

_PASSIVE = {
    "damping": "damping",
    "friction": "friction",
    "spring_stiffness": "stiffness",
    "spring_rest_position": "rest_position",
}
_BOUNDED = {"position": "position", "velocity": "velocity", "acceleration": "acceleration", "force": "effort"}


class Dofs:
    """Numbers of the dofs of one joint, arrays (count,); what is not told is what DART takes.

    Attributes:
        lower, upper: bounds of "position", "velocity", "acceleration", "effort".
        passive: "damping", "friction", "stiffness", "rest_position".
        initial: "position" and "velocity"; None where the file is silent.
        names: of dofs that have one of their own.
        is_limited, is_passive: whether the file says anything of bounds, of passive forces.
    """

    def __init__(self, count: int) -> None:
        self.lower = {name: np.full(count, -math.inf) for name in _BOUNDED.values()}
        self.upper = {name: np.full(count, math.inf) for name in _BOUNDED.values()}
        self.passive = {name: np.zeros(count) for name in _PASSIVE.values()}
        self.initial: dict[str, FloatArray | None] = {"position": None, "velocity": None}
        self.names: dict[int, str] = {}
        self.is_limited = self.is_passive = False

    def limits(self) -> JointLimits | None:
        """The bounds, None where there are none; raises ValueError where they enclose nothing."""
        lower, upper = self.lower, self.upper
        if not self.is_limited:
            return None
        own = {
            f"{name}_lower": lower[name]
            for name in ("velocity", "effort", "acceleration")
            if (lower[name] != -upper[name]).any()
        }
        return JointLimits(
            lower["position"],
            upper["position"],
            upper["velocity"],
            upper["effort"],
            upper["acceleration"],
            **own,
        )

    def dynamics(self) -> JointDynamics | None:
        """The passive forces, None where there are none; raises ValueError where they are negative."""
        return None if not self.is_passive else JointDynamics(**self.passive)


def read_dofs(file: TrackedXml, joint: Element, count: int, num_axes: int) -> Dofs:
    """The dofs of a joint, `count` of them.

    The first `num_axes` may be described by <axis>, <axis2>, ...; what a <dof> says replaces that.
    """
    dofs = Dofs(count)
    if count == 0:
        return dofs
    for index in range(num_axes):
        _read_axis(file, joint, "axis" if index == 0 else f"axis{index + 1}", dofs, index)
    for tag, quantity in (("init_pos", "position"), ("init_vel", "velocity")):
        if joint.find(tag) is not None:
            dofs.initial[quantity] = np.array(file.numbers_of(joint, tag, count))
    for element in file.find_all(joint, "dof"):
        _read_dof(file, element, dofs, _local_index(file, element, count), count)
    for quantity in ("position", "velocity"):
        _check_initial(file, joint, dofs, quantity)
    return dofs


def _read_axis(file: TrackedXml, joint: Element, tag: str, dofs: Dofs, index: int) -> None:
    axis = file.find(joint, tag)
    if axis is None:
        return
    if axis.find("damping") is not None:
        dofs.is_passive = True
        dofs.passive["damping"][index] = file.number_of(axis, "damping")
    dynamics = file.find(axis, "dynamics")
    if dynamics is not None:
        _read_passive(file, dynamics, dofs, index)
    limit = file.find(axis, "limit")
    if limit is not None:
        dofs.is_limited = True
        for side, bounds in (("lower", dofs.lower), ("upper", dofs.upper)):
            bound = bounds["position"]
            bound[index] = file.number_of(limit, side, float(bound[index]), infinite=True)


def _read_passive(file: TrackedXml, element: Element, dofs: Dofs, index: int) -> None:
    for tag, name in _PASSIVE.items():
        if element.find(tag) is not None:
            dofs.is_passive = True
            dofs.passive[name][index] = file.number_of(element, tag)


def _local_index(file: TrackedXml, dof: Element, count: int) -> int:
    text = file.attribute(dof, "local_index")
    if text is None and count == 1:
        return 0
    text = file.text(dof, "local_index")
    if not text.strip().isdecimal() or not text.isascii() or int(text[:9]) >= count or len(text) > 9:
        raise file.error(dof, f"local_index: expected a whole number below {count}, got {shown(text)}")
    return int(text)


def _read_dof(file: TrackedXml, element: Element, dofs: Dofs, index: int, count: int) -> None:
    name = file.attribute(element, "name")
    if name:
        dofs.names[index] = name
    for tag, quantity in _BOUNDED.items():
        bounded = file.find(element, tag)
        if bounded is None:
            continue
        dofs.is_limited = True
        for side, bounds in (("lower", dofs.lower), ("upper", dofs.upper)):
            bound = bounds[quantity]
            bound[index] = file.number(bounded, side, float(bound[index]), infinite=True)
        if quantity in dofs.initial and bounded.get("initial") is not None:
            state = dofs.initial[quantity]
            state = np.zeros(count) if state is None else state
            state[index] = file.number(bounded, "initial")
            dofs.initial[quantity] = state
    _read_passive(file, element, dofs, index)


def _check_initial(file: TrackedXml, joint: Element, dofs: Dofs, quantity: str) -> None:
    state = dofs.initial[quantity]
    if state is None:
        return
    outside = (state < dofs.lower[quantity]) | (state > dofs.upper[quantity])
    if outside.any():
        which = ", ".join(str(index) for index in np.flatnonzero(outside))
        file.note(joint, "limit", f"initial {quantity} of dof {which} is beyond the limits")
