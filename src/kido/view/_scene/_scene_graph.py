"""All that is drawn of skeletons and worlds, and where it is: one for pictures, films and viewers."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from kido.errors import ModelWarning, warn_outside_kido
from kido.frame import Frame
from kido.skeleton import Skeleton
from kido.typing import ArrayLike, FloatArray, read_only
from kido.values import checked_flag, checked_positive
from kido.view._scene._arguments import checked_frames, checked_lines
from kido.view._scene._body_items import BodyItems
from kido.view._scene._item import DEFAULT_LAYERS, DrawnItem, Layer, checked_layers
from kido.view._scene._outline import extent, seen_points
from kido.view._scene._placed import Owner, joined_key
from kido.view._scene._placement import Placement
from kido.view._scene._scene_change import SceneChange, change_between
from kido.view._scene._scene_notes import SceneNotes
from kido.view._scene._subject import SceneLike, Subject

__all__ = ["SceneGraph"]

_NO_POSES: FloatArray = read_only(np.empty((0, 4, 4)))
_OF_BODIES = (Layer.VISUAL, Layer.COLLISION, Layer.INERTIA, Layer.STICKS)
"""Layers by which the size of a scene is measured."""


class SceneGraph:
    """All that is drawn of skeletons and worlds, and where it is.

    `update` looks at what is shown as it is now, and says what became of it since the last time. What is
    fixed to a body is made once and only moves; it is made anew where its skeleton was edited.
    """

    __slots__ = (
        "_before",
        "_layers",
        "_notes",
        "_placed",
        "_problems",
        "_size",
        "_sticks",
        "_subject",
    )

    def __init__(
        self,
        what: SceneLike,
        layers: Iterable[Layer | str] = DEFAULT_LAYERS,
        *,
        frames: bool | Iterable[Frame] = (),
        trajectories: Iterable[ArrayLike] = (),
        size: float | None = None,
        force_scale: float | None = None,
        sticks_without_shapes: bool = True,
    ) -> None:
        """Make a scene.

        Args:
            what: a skeleton, a world, or several; what has `skeletons` and `contacts` counts as a world.
            layers: what is shown of it.
            frames: those whose axes are drawn; True: of all bodies.
            trajectories: lines of points (k, 3) [m].
            size: by which marks, arrows and lines are as large as suits [m]; None: that of what is shown at
                the beginning.
            force_scale: length of forces [m/N]; None: as suits the weight of what is shown.
            sticks_without_shapes: whether a skeleton is drawn by sticks where none of its shapes is shown.

        Raises TypeError or ValueError, naming the argument.

        Warns:
            ModelWarning: meshes that cannot be drawn, in whose place boxes stand.
        """
        self._subject = Subject(what)
        self._layers = checked_layers("layers", layers)
        self._notes = SceneNotes(self._subject, checked_frames(frames), checked_lines(trajectories))
        if force_scale is not None:
            self._notes.force_scale = checked_positive("force_scale", force_scale, "m/N")
        self._sticks = checked_flag("sticks_without_shapes", sticks_without_shapes)
        self._placed = Placement()
        self._problems: set[str] = set()
        self._before: tuple[tuple[DrawnItem, ...], FloatArray] = (), _NO_POSES
        self._size = 1.0
        self._size = self._measured() if size is None else checked_positive("size", size, "m")

    # ---- what is shown

    @property
    def layers(self) -> tuple[Layer, ...]:
        """Layers that are shown. Can be set."""
        return self._layers

    @layers.setter
    def layers(self, layers: Iterable[Layer | str]) -> None:
        self._layers = checked_layers("layers", layers)
        self._placed = Placement()

    @property
    def frames(self) -> bool | tuple[Frame, ...]:
        """Frames whose axes are drawn; True: of all bodies. Can be set."""
        return self._notes.frames

    @frames.setter
    def frames(self, frames: bool | Iterable[Frame]) -> None:
        self._notes.frames = checked_frames(frames)

    @property
    def trajectories(self) -> tuple[FloatArray, ...]:
        """Lines of points (k, 3) [m]. Can be set."""
        return self._notes.lines

    @trajectories.setter
    def trajectories(self, trajectories: Iterable[ArrayLike]) -> None:
        self._notes.lines = checked_lines(trajectories)

    @property
    def skeletons(self) -> list[Skeleton]:
        """The skeletons that are shown."""
        return self._subject.skeletons

    @property
    def size(self) -> float:
        """Size by which marks, arrows and lines are as large as suits [m]."""
        return self._size

    @property
    def problems(self) -> tuple[str, ...]:
        """Meshes that cannot be drawn, and why."""
        return tuple(problem for part in self._placed.parts for problem in part.problems)

    # ---- from frame to frame

    @property
    def items(self) -> tuple[DrawnItem, ...]:
        """Items of the last `update`."""
        return self._before[0]

    @property
    def poses(self) -> FloatArray:
        """Poses of the items at the last `update` (n, 4, 4), in the world [m]."""
        return self._before[1]

    def update(self) -> SceneChange:
        """Look at what is shown as it is now."""
        self._renew()
        items, poses = self._placed.items, self._placed.poses()
        notes = self._notes.placed(self._placed, self._layers, self._size)
        if notes:
            items = (*items, *(item for item, _ in notes))
            poses = np.concatenate([poses, np.array([pose for _, pose in notes])])
        present = items, read_only(poses)
        change = change_between(self._before, *present)
        self._before = present
        return change

    def owner(self, key: str) -> Owner:
        """The shape, body, node or skeleton that an item of a key belongs to; None for those of no skeleton.

        Raises KeyError.
        """
        for part in self._placed.parts:
            for item, owner in zip(part.items, part.owners, strict=True):
                if item.key == key:
                    return owner
        for item in self.items:
            if item.key == key:
                paths = {part.path: part.skeleton for part in self._placed.parts}
                return paths.get(key.partition("/")[0])
        raise KeyError(key)

    def seen_points(self) -> FloatArray:
        """Points (k, 3) [m] that a picture has to show to show everything whole, as of the last `update`."""
        return seen_points(*self._before)

    # ---- parts

    def _renew(self) -> None:
        """Draw skeletons that came, and anew those that are other ones now."""
        skeletons, parts = self._subject.skeletons, self._placed.parts
        same = len(parts) == len(skeletons) and all(
            part.skeleton is skeleton and part.hold for part, skeleton in zip(parts, skeletons, strict=True)
        )
        if not same:
            known = {id(part.skeleton): part for part in parts}
            parts = tuple(
                self._part(skeleton, path, known.get(id(skeleton)))
                for skeleton, path in zip(skeletons, _paths(skeletons), strict=True)
            )
        renewed = [part for part in parts if part.renew_looks()]
        if renewed or not same:
            self._placed = Placement(parts)

    def _part(self, skeleton: Skeleton, path: str, known: BodyItems | None) -> BodyItems:
        if known is not None and known.path == path and known.hold:
            return known
        part = BodyItems(skeleton, path, self._layers, self._size, known, sticks=self._sticks)
        self._report(part.problems)
        return part

    def _report(self, problems: Iterable[str]) -> None:
        for problem in problems:
            if problem not in self._problems:
                self._problems.add(problem)
                warn_outside_kido(problem, ModelWarning)

    def _measured(self) -> float:
        """Size of bodies, and of the places of frames and trajectories [m]."""
        layers, self._layers = self._layers, tuple(x for x in self._layers if x in _OF_BODIES)
        try:
            self._renew()
        finally:
            self._layers = layers
        placed, self._placed = self._placed, Placement()
        return extent(seen_points(placed.items, placed.poses(), self._notes.places(placed.parts)))


def _paths(skeletons: Iterable[Skeleton]) -> list[str]:
    """Names of skeletons, those that were there before with a number behind them."""
    counts: dict[str, int] = {}
    paths = []
    for skeleton in skeletons:
        count = counts[skeleton.name] = counts.get(skeleton.name, 0) + 1
        paths.append(joined_key(skeleton.name if count == 1 else f"{skeleton.name}#{count}"))
    return paths
