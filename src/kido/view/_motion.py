"""Motion in the frames of a film."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from kido.frame import Frame
from kido.skeleton import BodyNode, FrameNode, Skeleton
from kido.typing import ArrayLike, FloatArray, frozen_array
from kido.values import checked_positive
from kido.view._scene import SceneLike, SceneRecording, is_recording
from kido.world import World

__all__ = ["Motion", "motion_of"]

_MOST_FRAMES = 100_000


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
    """Something that moves, and what brings it from frame to frame.

    Attributes:
        what: that is shown; it stands as in the first frame.
        frames: whose axes are drawn; True: of all bodies.
        count: number of frames.
        advances: brings `what` to the next frame, `count` - 1 times.
    """

    what: SceneLike
    frames: bool | Sequence[Frame]
    count: int
    advances: Iterator[None]


def motion_of(
    what: SceneLike,
    *,
    duration: float | None,
    positions: ArrayLike | None,
    rate: float,
    speed: float,
    frames: bool | Iterable[Frame],
) -> Motion:
    """The motion of a film.

    Args:
        what: a world, a copy of which is simulated; a skeleton, a copy of which takes positions; or a
            recording, which is replayed.
        duration: that is simulated, or replayed from the beginning [s].
        positions: of the skeleton, one row (k, num_dofs) for each frame [rad, m].
        rate: frames a second.
        speed: how much faster the film is than what it shows.
        frames: whose axes are drawn, of `what` or free ones.

    Raises TypeError or ValueError, naming the argument.
    """
    checked_positive("speed", speed)
    if isinstance(what, World):
        if positions is not None:
            raise ValueError("positions: expected None for a world, which is simulated for a `duration`")
        if duration is None:
            raise ValueError("duration: expected the time that is simulated [s], got None")
        return _simulated(what, checked_positive("duration", duration, "s"), speed / rate, frames)
    if isinstance(what, Skeleton):
        if positions is None:
            raise ValueError("positions: expected those of each frame (k, num_dofs) for a film of a skeleton")
        if duration is not None:
            raise ValueError("duration: expected None for a skeleton, whose positions say how long it moves")
        return _moved(what, frozen_array("positions", positions, (-1, what.num_dofs), "rad, m"), frames)
    if is_recording(what):
        if positions is not None:
            raise ValueError("positions: expected None for a recording, which has its own")
        return _replayed(what, duration, speed / rate, frames)
    raise TypeError(
        f"what: expected a World, a Skeleton or a recording for a film, got {type(what).__name__}"
    )


def _simulated(world: World, duration: float, interval: float, frames: bool | Iterable[Frame]) -> Motion:
    """A copy of a world in time."""
    count = _checked_count(round(duration / interval) + 1)
    copy = world.clone()
    pairs = list(zip(world.skeletons, copy.skeletons, strict=True))

    def advances() -> Iterator[None]:
        for k in range(1, count):
            wanted = round(k * interval / copy.time_step)
            done = copy.num_steps - world.num_steps
            if wanted > done:
                copy.step(wanted - done)
            yield

    return Motion(copy, _of_copies(frames, pairs), count, advances())


def _replayed(
    recording: SceneRecording, duration: float | None, interval: float, frames: bool | Iterable[Frame]
) -> Motion:
    """A recording from its beginning on."""
    start, whole = recording.start_time, recording.end_time - recording.start_time
    length = whole if duration is None else min(whole, checked_positive("duration", duration, "s"))
    count = _checked_count(round(length / interval) + 1)
    playback = recording.playback()
    playback.time = start

    def advances() -> Iterator[None]:
        for k in range(1, count):
            playback.time = start + k * interval
            yield

    return Motion(playback, _of_copies(frames, ()), count, advances())


def _moved(skeleton: Skeleton, rows: FloatArray, frames: bool | Iterable[Frame]) -> Motion:
    """A copy of a skeleton that takes positions (k, num_dofs) one after the other."""
    if not len(rows):
        raise ValueError("positions: expected at least one row, got none")
    copy = skeleton.clone()
    copy.positions = rows[0]

    def advances() -> Iterator[None]:
        for row in rows[1:]:
            copy.positions = row
            yield

    return Motion(copy, _of_copies(frames, [(skeleton, copy)]), _checked_count(len(rows)), advances())


def _checked_count(count: int) -> int:
    if count > _MOST_FRAMES:
        raise ValueError(f"duration: expected at most {_MOST_FRAMES} frames, got {count}")
    return count


def _of_copies(frames: Any, pairs: Sequence[tuple[Skeleton, Skeleton]]) -> bool | Sequence[Frame]:
    """The frames of copies in place of those of the originals."""
    if isinstance(frames, bool):
        return frames
    given = (frames,) if isinstance(frames, Frame) else tuple(frames)
    return tuple(_of_copy(frame, pairs) for frame in given)


def _of_copy(frame: Frame, pairs: Sequence[tuple[Skeleton, Skeleton]]) -> Frame:
    for original, copy in pairs:
        if isinstance(frame, BodyNode) and frame.skeleton is original:
            return copy.bodies[frame.index]
        if isinstance(frame, FrameNode) and frame.skeleton is original:
            return copy.bodies[frame.body.index].node(type(frame), frame.name)
    return frame
