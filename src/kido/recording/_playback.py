"""Skeletons that are moved through a recording."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from kido.recording._models import Models
from kido.recording._part import RecordingPart
from kido.skeleton import ShapeNode, SimulationView, Skeleton, SoftBodyNode
from kido.typing import FloatArray
from kido.world import Contact, World

__all__ = ["Playback", "interpolated", "place_points"]


class PlaybackSource(Protocol):
    """Interface of recordings for a playback."""

    @property
    def name(self) -> str: ...
    @property
    def start_time(self) -> float: ...
    @property
    def models(self) -> Models: ...
    def part_at(self, time: float, *, clamped: bool = False) -> RecordingPart: ...


def interpolated(skeletons: Sequence[Skeleton], q0: FloatArray, q1: FloatArray, share: float) -> FloatArray:
    """Positions (num_dofs,) of skeletons on the way from q0 to q1, along the group: rotations of ball and
    free joints turn about one axis."""
    if share == 0.0:
        return q0
    parts, first = [], 0
    for skeleton in skeletons:
        n = skeleton.num_dofs
        start, end = q0[first : first + n], q1[first : first + n]
        if n:
            tree = skeleton.tree
            parts.append(tree.integrate(start, tree.difference(start, end), share))
        first += n
    return np.concatenate(parts) if parts else q0


def place_points(part: RecordingPart, skeletons: Sequence[Skeleton], sample: int, share: float) -> None:
    """Put point masses where they were at a sample, or a share of the way to the next one."""
    if not part.layout.points:
        return
    rows = part.rows("points", sample, sample + 2)
    there = np.asarray(rows[0] + share * (rows[-1] - rows[0]), dtype=np.float64)
    if not np.isfinite(there).all():
        return
    bodies = {(skeleton.name, body.name): body for skeleton in skeletons for body in skeleton.bodies}
    first = 0
    for points in part.layout.points:
        body = bodies.get((points.skeleton, points.body))
        if isinstance(body, SoftBodyNode) and body.num_points == points.count:
            body.displacements = there[first : first + points.count]
        first += points.count


class Playback:
    """The skeletons of a recording, moved to any time: set `time`, and look at `skeletons` and `contacts`.

    They are the playback's own. Where the world was edited meanwhile, other skeletons take their place.
    """

    __slots__ = ("_part", "_recording", "_sample", "_shapes", "_time", "_world")

    def __init__(self, recording: PlaybackSource, time: float | None = None) -> None:
        """Begin at a time [s]; None: at the start. Raises RecordingError where there is no model."""
        self._recording = recording
        self._part: RecordingPart | None = None
        self._world: World | None = None
        self._shapes: list[ShapeNode] = []
        self._sample = 0
        self._time = 0.0
        self.time = recording.start_time if time is None else time

    @property
    def time(self) -> float:
        """The time at which the skeletons stand [s]. Can be set; before the start and after the end they
        stand as they do there."""
        return self._time

    @time.setter
    def time(self, time: float) -> None:
        part = self._recording.part_at(time, clamped=True)
        if self._world is None or self._part is None or part.index != self._part.index:
            self._world = self._recording.models.world(part).clone()
            self._shapes = _shapes(part, self._world)
        self._part, self._time = part, float(min(max(time, part.times[0]), part.times[-1]))
        self._sample, share = part.sample_at(time)
        self._place(part, self._world, share)

    def _place(self, part: RecordingPart, world: World, share: float) -> None:
        rows = {
            name: part.rows(name, self._sample, self._sample + 2)
            for name in ("positions", "velocities", "commands")
        }
        place_points(part, world.skeletons, self._sample, share)
        first = 0
        if not part.layout.dofs:
            return
        q, v = rows["positions"], rows["velocities"]
        positions = interpolated(world.skeletons, q[0], q[-1], share)
        velocities = v[0] if share == 0.0 else v[0] + share * (v[-1] - v[0])
        for skeleton in world.skeletons:
            n = skeleton.num_dofs
            if n:
                state, own = SimulationView(skeleton).state, slice(first, first + n)
                state.positions, state.velocities = positions[own], velocities[own]
                state.commands = rows["commands"][0][own]
            first += n

    @property
    def skeletons(self) -> tuple[Skeleton, ...]:
        """The skeletons where they were at `time`."""
        assert self._world is not None
        return self._world.skeletons

    @property
    def contacts(self) -> list[Contact]:
        """The contacts of the last sample at or before `time`."""
        assert self._part is not None
        _, shapes, numbers = self._part.contact_rows(self._sample, self._sample + 1)
        return [
            Contact(self._shapes[first], self._shapes[second], row[0:3], row[3:6], float(row[9]), row[6:9])
            for (first, second), row in zip(shapes.tolist(), numbers, strict=True)
        ]

    @property
    def frames(self) -> dict[str, FloatArray]:
        """Poses (4, 4) of the free frames in the world [m], by name, of the last sample at or before
        `time`."""
        assert self._part is not None
        names = self._part.layout.frames
        if not names:
            return {}
        return dict(zip(names, self._part.rows("frames", self._sample, self._sample + 1)[0], strict=True))

    def __repr__(self) -> str:
        return f"<Playback of {self._recording.name!r} at {self._time:g} s>"


def _shapes(part: RecordingPart, world: World) -> list[ShapeNode]:
    """The shapes of a world in the order of the recording, by their names."""
    known = {
        (skeleton.name, node.body.name, str(node.name)): node
        for skeleton in world.skeletons
        for body in skeleton.bodies
        for node in body.shape_nodes
    }
    return [known[shape.skeleton, shape.body, shape.shape] for shape in part.layout.shapes]
