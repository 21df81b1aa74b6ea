"""Notes of a scene beside bodies: frames, trajectories, contacts, centers of mass, a grid."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from kido.errors import RemovedError
from kido.frame import Frame
from kido.skeleton import BodyNode, FrameNode, Skeleton
from kido.typing import FloatArray
from kido.view._scene._body_items import BodyItems
from kido.view._scene._contact_items import (
    center_of_mass_item,
    contact_items,
    force_items,
    force_scale,
    plumb_items,
    stand_of,
    support_items,
)
from kido.view._scene._item import DrawnItem, Layer
from kido.view._scene._note_items import axes_item, grid_item, trajectory_items
from kido.view._scene._outline import seen_points
from kido.view._scene._placed import AT_ORIGIN, joined_key
from kido.view._scene._placement import Placement
from kido.view._scene._subject import Subject
from kido.world import Contact

__all__ = ["SceneNotes"]

_OF_BALANCE = {Layer.SUPPORT, Layer.CENTER_OF_MASS}
_OF_CONTACTS = {Layer.CONTACTS, Layer.FORCES, *_OF_BALANCE}

PlacedNote = tuple[DrawnItem, FloatArray]
"""An item and its pose (4, 4) in the world [m]."""


class SceneNotes:
    """Notes of a scene beside bodies.

    Attributes:
        frames: whose axes are drawn; True: of all bodies.
        lines: trajectories (k, 3) [m].
        force_scale: length of forces [m/N]; None: as suits the weight of what is shown.
    """

    __slots__ = ("_grid", "_known", "_lines_drawn", "_subject", "force_scale", "frames", "lines")

    def __init__(
        self, subject: Subject, frames: bool | tuple[Frame, ...], lines: tuple[FloatArray, ...]
    ) -> None:
        self._subject = subject
        self.frames, self.lines = frames, lines
        self.force_scale: float | None = None
        self._known: dict[str, DrawnItem] = {}
        self._grid: DrawnItem | None = None
        self._lines_drawn: tuple[object, list[DrawnItem]] = None, []

    def placed(self, bodies: Placement, layers: tuple[Layer, ...], size: float) -> list[PlacedNote]:
        """Items of a scene of a size [m] beside those of bodies; what looks as before is the same
        item."""
        found = list(self._all(bodies, layers, size))
        taken: dict[str, DrawnItem] = {}
        same = []
        for item, pose in found:
            before = self._known.get(item.key)
            kept = before if before is not None and item.looks_like(before) else item
            taken[kept.key] = kept
            same.append((kept, pose))
        self._known = taken
        return same

    def places(self, parts: Sequence[BodyItems]) -> list[FloatArray]:
        """Points (k, 3) of lines and frames [m]."""
        return [*self.lines, *(frame.transform()[None, :3, 3] for frame in self._living_frames(parts))]

    def _all(self, bodies: Placement, layers: tuple[Layer, ...], size: float) -> Iterator[PlacedNote]:
        parts = bodies.parts
        if Layer.FRAMES in layers:
            yield from self._axes(parts, size)
        if Layer.TRAJECTORIES in layers:
            yield from _at_origin(self._trajectories(size))
        if not _OF_CONTACTS.isdisjoint(layers):
            contacts = self._subject.contacts
            yield from _at_origin(self._touching(contacts, layers, size))
            for part in parts:
                yield from _balance(part, contacts, layers, size)
        if Layer.GRID in layers:
            if self._grid is None:
                self._grid = _grid_below(bodies, size)
            yield self._grid, AT_ORIGIN

    def _axes(self, parts: Sequence[BodyItems], size: float) -> Iterator[PlacedNote]:
        counts: dict[str, int] = {}
        for frame in self._living_frames(parts):
            key = joined_key(*_names_of(frame), Layer.FRAMES.value)
            count = counts[key] = counts.get(key, 0) + 1
            yield axes_item(key if count == 1 else f"{key}#{count}", size), frame.transform()

    def _living_frames(self, parts: Sequence[BodyItems]) -> Iterator[Frame]:
        frames: Iterable[Frame]
        if isinstance(self.frames, bool):
            frames = [body for part in parts for body in part.skeleton.bodies]
        else:
            frames = self.frames
        for frame in frames:
            try:
                frame.transform()
            except RemovedError:
                continue
            yield frame

    def _trajectories(self, size: float) -> list[DrawnItem]:
        if self._lines_drawn[0] is not self.lines:
            self._lines_drawn = self.lines, list(trajectory_items(self.lines, size))
        return self._lines_drawn[1]

    def _touching(
        self, contacts: Sequence[Contact], layers: tuple[Layer, ...], size: float
    ) -> Iterator[DrawnItem]:
        if Layer.CONTACTS in layers:
            yield from contact_items(contacts, size)
        if Layer.FORCES in layers:
            scale = self.force_scale or force_scale(self._subject.skeletons, size)
            yield from force_items(contacts, size, scale)


def _balance(
    part: BodyItems, contacts: Sequence[Contact], layers: tuple[Layer, ...], size: float
) -> Iterator[PlacedNote]:
    """Support of a skeleton, and its center of mass."""
    skeleton = part.skeleton
    if _OF_BALANCE.isdisjoint(layers) or not _has_mass(skeleton):
        return
    stand = stand_of(skeleton, contacts)
    if Layer.SUPPORT in layers and stand is not None:
        yield from _at_origin(support_items(part.path, stand, size))
    if Layer.CENTER_OF_MASS in layers:
        pose = np.eye(4)
        pose[:3, 3] = com = skeleton.com()
        yield center_of_mass_item(part.path, size), pose
        if stand is not None:
            yield from _at_origin(plumb_items(part.path, com, stand, size))


def _has_mass(skeleton: Skeleton) -> bool:
    return skeleton.mobile and skeleton.num_dofs > 0 and skeleton.mass > 0.0


def _grid_below(bodies: Placement, size: float) -> DrawnItem:
    """Lines on the ground, or below what is lower."""
    points = seen_points(bodies.items, bodies.poses())
    center = 0.5 * (points[:, :2].min(axis=0) + points[:, :2].max(axis=0))
    return grid_item(center, min(0.0, float(points[:, 2].min())), size)


def _names_of(frame: Frame) -> list[str]:
    """Names of a frame and of what it belongs to."""
    if isinstance(frame, BodyNode):
        return [frame.skeleton.name, frame.name]
    if isinstance(frame, FrameNode) and not frame.is_removed:
        return [frame.skeleton.name, frame.body.name, frame.name]
    return ["frames", frame.name]


def _at_origin(items: Iterable[DrawnItem]) -> Iterator[PlacedNote]:
    return ((item, AT_ORIGIN) for item in items)
