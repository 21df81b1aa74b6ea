"""Sliders of joints."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

from kido.description import Coordinate, degrees_of
from kido.errors import RemovedError
from kido.math import euler_to_matrix, matrix_to_euler, so3_exp, so3_log
from kido.skeleton import DegreeOfFreedom, Joint, Skeleton
from kido.typing import FloatArray
from kido.view._viewer._widgets import Widget, Widgets

if TYPE_CHECKING:
    from viser import ViserServer

__all__ = ["JointPanel"]

_STEPS = 1000
"""From one end of a slider to the other."""
_DIGITS, _DIGITS_OF_DEGREES = 3, 1
"""After the point: as many as the number fields of the panel have room for."""
_OPEN = 12
"""Sliders up to so many are shown at once; more are folded."""
_ANGLES = ("roll", "pitch", "yaw")
_PITCH = 0.5 * math.pi


class _Slider:
    """One slider: what it shows, and how its value is set."""

    __slots__ = ("read", "widget")

    def __init__(self, widget: Widget[float], read: Callable[[], float]) -> None:
        self.widget, self.read = widget, read

    def refresh(self) -> None:
        with suppress(RemovedError):  # its joint has gone, and sliders are made anew soon
            value = self.read()
            if abs(value - self.widget.value) > 1e-9:
                self.widget.value = value


class JointPanel:
    """Sliders for the positions of a skeleton's joints, within their limits.

    The rotation of ball and free joints has the angles roll, pitch, yaw about fixed axes. Dofs that follow
    others have no slider. After an edit of the structure `holds` is false: make another one.
    """

    __slots__ = ("_dofs", "_folder", "_sliders", "_widgets", "skeleton")

    def __init__(self, server: ViserServer, widgets: Widgets, skeleton: Skeleton, *, degrees: bool) -> None:
        self.skeleton, self._widgets = skeleton, widgets
        self._dofs = _description(skeleton)
        joints = [joint for joint in skeleton.joints if joint.num_dofs]
        few = skeleton.num_dofs <= _OPEN
        self._folder = server.gui.add_folder(f"Joints of {skeleton.name}", expand_by_default=few)
        self._sliders: list[_Slider] = []
        with self._folder:
            for joint in joints:
                self._sliders += _joint_sliders(widgets, joint, degrees)

    @property
    def holds(self) -> bool:
        """Whether the joints and their limits are those that the sliders were made for."""
        return self._dofs == _description(self.skeleton)

    @property
    def sliders(self) -> list[Callable[[], object]]:
        """Functions that show the position of each slider as it is now."""
        return [slider.refresh for slider in self._sliders]

    def remove(self) -> None:
        """Take the sliders away."""
        self._widgets.remove(self._folder)


def _description(skeleton: Skeleton) -> tuple[object, ...]:
    return (
        skeleton.joints,
        tuple(dof.name for dof in skeleton.dofs),
        skeleton.position_lower_limits.tobytes(),
        skeleton.position_upper_limits.tobytes(),
        tuple(skeleton.leading_dofs),
    )


def _joint_sliders(widgets: Widgets, joint: Joint, degrees: bool) -> list[_Slider]:
    following = joint.skeleton.leading_dofs
    dofs = list(joint.dofs)
    vector = [dof for dof in dofs if dof.coordinate is Coordinate.ROTATION_VECTOR]
    found = _rotation_sliders(widgets, joint, vector, degrees) if len(vector) == 3 else []
    others = dofs if len(vector) != 3 else [dof for dof in dofs if dof not in vector]
    return found + [_dof_slider(widgets, dof, degrees) for dof in others if dof.index not in following]


def _dof_slider(widgets: Widgets, dof: DegreeOfFreedom, degrees: bool) -> _Slider:
    low, high = _range(dof, dof.coordinate.reach)

    def set_position(value: float) -> None:
        dof.position = value

    unit = dof.coordinate.unit
    return _slider(widgets, dof.name, (low, high), lambda: dof.position, set_position, unit, degrees)


def _slider(
    widgets: Widgets,
    label: str,
    ends: tuple[float, float],
    read: Callable[[], float],
    write: Callable[[float], None],
    unit: str,
    degrees: bool,
) -> _Slider:
    """A slider of a number with a unit, in degrees where that is an angle and they are wanted."""
    factor, shown_unit = degrees_of(unit) if degrees else (1.0, unit)
    low, high = (factor * end for end in ends)
    digits = _DIGITS if factor == 1.0 else _DIGITS_OF_DEGREES

    def shown() -> float:
        """The number within the ends of its slider, in digits that can be read."""
        return min(max(round(factor * float(read()), digits) + 0.0, low), high)

    step = (high - low) / _STEPS
    widget = widgets.slider(
        label, low, high, shown(), step, lambda value: write(value / factor), f"[{shown_unit}]"
    )
    return _Slider(widget, shown)


def _range(dof: DegreeOfFreedom, reach: float) -> tuple[float, float]:
    """The limits; where there is none, so far from the position or from zero."""
    lower, upper = float(dof.position_lower_limit), float(dof.position_upper_limit)
    low = lower if math.isfinite(lower) else min(-reach, float(dof.position) - reach)
    high = upper if math.isfinite(upper) else max(reach, float(dof.position) + reach)
    if high <= low:  # both limits at one place, or one of them far from zero
        high = low + (reach if math.isinf(upper) else 1e-6)
    return low, high


def _rotation_sliders(
    widgets: Widgets, joint: Joint, dofs: Sequence[DegreeOfFreedom], degrees: bool
) -> list[_Slider]:
    """Angles about fixed axes; the ones last set are kept while they are those of the rotation."""
    first = dofs[0].index_in_joint
    shown = np.zeros(3)

    def vector() -> FloatArray:
        return np.asarray(joint.positions[first : first + 3])

    def angles() -> FloatArray:
        R = so3_exp(vector())
        if not np.allclose(R, euler_to_matrix(shown[::-1], "ZYX"), atol=1e-9):
            shown[:] = matrix_to_euler(R, "ZYX")[::-1]
        return shown

    def setter(axis: int) -> Callable[[float], None]:
        def set_angle(value: float) -> None:
            angles()[axis] = value
            positions = np.array(joint.positions)
            positions[first : first + 3] = so3_log(euler_to_matrix(shown[::-1], "ZYX"))
            joint.positions = positions

        return set_angle

    def reader(axis: int) -> Callable[[], float]:
        return lambda: float(angles()[axis])

    found = []
    for axis, name in enumerate(_ANGLES):
        reach = _PITCH if axis == 1 else math.pi
        label, ends = f"{joint.name} {name}", (-reach, reach)
        found.append(_slider(widgets, label, ends, reader(axis), setter(axis), "rad", degrees))
    return found
