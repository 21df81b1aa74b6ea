"""The body that was clicked on, and its numbers."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from kido.description import degrees_of
from kido.errors import RemovedError
from kido.skeleton import BodyNode, DegreeOfFreedom
from kido.typing import FloatArray
from kido.world import World

if TYPE_CHECKING:
    from viser import ViserServer

__all__ = ["Selection"]

_NOTHING = "Click on a body."
_SMALL = 5e-5
"""Numbers below are shown as 0."""
_MARKUP = re.compile(r"[\\`*_{}\[\]<>|~]")
_BREAK = "<wbr/>"
"""Where a long name may go on in the next line."""
_AXES, _THICKNESS = 0.15, 0.004
"""Length and radius of the axes of the selected body, by the size of the scene."""


class Selection:
    """The selected body: its axes in the scene, its numbers in the panel.

    Attributes:
        body: which is selected; None: none.
        listeners: are told which body was clicked on.
    """

    __slots__ = ("_axes", "_degrees", "_text", "_world", "body", "listeners")

    def __init__(self, server: ViserServer, world: World | None, size: float, *, degrees: bool) -> None:
        self.body: BodyNode | None = None
        self._world, self._degrees = world, degrees
        self.listeners: list[Callable[[BodyNode | None], object]] = []
        with server.gui.add_folder("Selected body", expand_by_default=True):
            self._text: Any = server.gui.add_markdown(_NOTHING)
        self._axes: Any = server.scene.add_frame(
            "/selected", axes_length=_AXES * size, axes_radius=_THICKNESS * size, visible=False
        )

    def select(self, body: BodyNode | None) -> None:
        """Select a body, or none."""
        self.body = body
        self._axes.visible = body is not None
        self._text.content = _NOTHING if body is None else self.text()

    def text(self) -> str:
        """The numbers of the selected body, in Markdown."""
        body = self.body
        return "" if body is None else _table(body, self._world, self._degrees)

    def place(self, position: FloatArray, quaternion: FloatArray) -> None:
        """Put the axes at a position (3,) [m] and a quaternion (4,), w first."""
        self._axes.position, self._axes.wxyz = position, quaternion

    def refresh(self) -> None:
        """Show the numbers as they are now."""
        if self.body is not None:
            self._text.content = self.text()

    @property
    def pose(self) -> FloatArray | None:
        """Pose (4, 4) of the selected body in the world [m]; None where none is selected, or it was removed,
        which ends the selection."""
        if self.body is None:
            return None
        try:
            return self.body.transform()
        except RemovedError:
            self.select(None)
            return None


def _table(body: BodyNode, world: World | None, degrees: bool) -> str:
    joint = body.parent_joint
    rate, rate_unit = degrees_of("rad/s") if degrees else (1.0, "rad/s")
    rows = [
        ("skeleton", _plain(body.skeleton.name)),
        ("joint", f"{_plain(joint.name)} ({type(joint).__name__})"),
        ("mass", f"{body.mass:.4g} kg"),
        ("position", _numbers(body.transform()[:3, 3], "m")),
        ("velocity", _numbers(body.linear_velocity(), "m/s")),
        ("angular velocity", _numbers(rate * body.angular_velocity(), rate_unit)),
    ]
    rows += [(_plain(dof.name), _motion(dof, degrees)) for dof in joint.dofs]
    if world is not None and any(body.skeleton is skeleton for skeleton in world.skeletons):
        wrench = world.contact_wrench(body)
        rows.append(("contact force", _numbers(wrench[3:], "N")))
    lines = [f"**{_plain(body.name)}**", "", "| | |", "|---|---|"]
    return "\n".join([*lines, *(f"| {name} | {value} |" for name, value in rows)])


def _motion(dof: DegreeOfFreedom, degrees: bool) -> str:
    """Position and velocity of a dof."""
    unit = dof.coordinate.unit
    factor, shown = degrees_of(unit) if degrees else (1.0, unit)
    place, speed = (
        0.0 if abs(number) < _SMALL else number for number in (factor * dof.position, factor * dof.velocity)
    )
    return f"{place:.4g} {shown}, {speed:.3g} {shown}/s"


def _plain(name: str) -> str:
    """A name in Markdown, whatever its letters mean there."""
    marked = _MARKUP.sub(lambda found: f"\\{found.group()}", " ".join(name.split()))
    return marked.replace("\\_", f"\\_{_BREAK}")


def _numbers(vector: FloatArray, unit: str) -> str:
    shown = np.where(np.abs(vector) < _SMALL, 0.0, vector)
    return ", ".join(f"{number:.3f}" for number in shown) + f" {unit}"
