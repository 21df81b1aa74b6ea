"""Point masses that frames lead."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from kido import _core
from kido.frame import Frame
from kido.skeleton._answers._answers import EDITS
from kido.typing import FloatArray

__all__ = ["SoftPins"]


class SoftPins:
    """Pins of points of a soft body to frames: for each a frame (None: the world), and a place in
    it."""

    __slots__ = ("_places", "_soft")

    def __init__(self, soft: _core.SoftState) -> None:
        self._soft = soft
        self._places: dict[int, tuple[Frame | None, FloatArray]] = {}

    def __iter__(self) -> Iterator[int]:
        return iter(self._places)

    @property
    def moves(self) -> bool:
        """Whether worlds have to ask where frames are."""
        return any(frame is not None for frame, _ in self._places.values())

    def mask(self) -> NDArray[np.bool_]:
        """Of all points (n,)."""
        mask = np.zeros(len(self._soft.targets), dtype=bool)
        mask[list(self._places)] = True
        return mask

    def add(self, points: Sequence[int], frame: Frame | None, places: FloatArray) -> None:
        """Pin points to places (k, 3) in a frame [m]."""
        for point, place in zip(points, places, strict=True):
            self._places[point] = (frame, np.array(place))
        self._tell()

    def remove(self, points: Iterable[int]) -> None:
        """Let points go."""
        for point in points:
            self._places.pop(point, None)
        self._tell()

    def restore(self, points: FloatArray, targets: FloatArray) -> None:
        """Have these points pinned where they were, in the world; those that a frame leads are led by it
        still."""
        before, self._places = self._places, {}
        for point, target in zip(points.astype(int).tolist(), targets, strict=True):
            frame, place = before.get(point, (None, target))
            self._places[point] = (None, np.array(target)) if frame is None else (frame, place)
        self._tell()

    def lead(self) -> None:
        """Say where frames are, and how fast."""
        targets, velocities = np.zeros((2, len(self._soft.targets), 3))
        for point, (frame, place) in self._places.items():
            if frame is None:
                targets[point] = place
                continue
            T = frame.transform()
            targets[point] = T[:3, :3] @ place + T[:3, 3]
            velocities[point] = frame.linear_velocity(place)
        self._soft.targets = targets
        self._soft.target_velocities = velocities

    def _tell(self) -> None:
        before = self._soft.material_version
        self._soft.set_pinned(self.mask().astype(np.uint8))
        if self._soft.material_version != before:
            EDITS.count += 1
        if self._places or self._soft.targets.any():
            self.lead()
