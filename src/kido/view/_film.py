"""Films, in one call or frame by frame."""

from __future__ import annotations

import base64
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kido.frame import Frame
from kido.typing import ArrayLike, FloatArray, PathLike
from kido.values import checked_positive
from kido.view._arguments import checked_file
from kido.view._camera import CameraLike
from kido.view._film_file import FILM_SUFFIXES, FilmFile, film_file, shown_rate
from kido.view._look import Look, checked_look, shown_layers
from kido.view._motion import motion_of
from kido.view._scene import DrawnItem, Layer, SceneGraph, SceneLike, reached_points, seen_points
from kido.view._scene_renderer import SceneRenderer

__all__ = ["FILM_SIZE", "Film", "film"]

FILM_SIZE = (960, 720)
"""Width and height of a film [pixel]."""
_FINE, _SHADOW = 2, 256
"""Pixels drawn along each side of a pixel of the picture, and along the edges of the floor."""
_AHEAD = 2
"""Frames that are drawn and wait to be put together, at most."""


@dataclass(frozen=True, slots=True, eq=False)
class Film:
    """A film that was made.

    Attributes:
        data: bytes of the file.
        suffix: of its name, ".mp4" or ".gif".
        size: (width, height) [pixel].
        rate: frames a second.
        num_frames: how many there are.
        last_frame: pixels (height, width, 3).
    """

    data: bytes = field(repr=False)
    suffix: str
    size: tuple[int, int]
    rate: float
    num_frames: int
    last_frame: NDArray[np.uint8] = field(repr=False)

    @property
    def duration(self) -> float:
        """Length of the film [s]."""
        return self.num_frames / self.rate

    def save(self, path: PathLike) -> None:
        """Write it to a file, whose name ends as the format does. Raises ValueError, FileNotFoundError or
        OSError."""
        target = checked_file(path, (self.suffix,))
        assert target is not None
        target.write_bytes(self.data)

    def _repr_html_(self) -> str:
        width, height = self.size
        content = base64.b64encode(self.data).decode()
        if self.suffix == ".gif":
            return f'<img width="{width}" height="{height}" src="data:image/gif;base64,{content}">'
        return (
            f'<video width="{width}" height="{height}" controls loop autoplay muted '
            f'src="data:video/mp4;base64,{content}"></video>'
        )


def film(
    what: SceneLike,
    path: PathLike | None = None,
    *,
    duration: float | None = None,
    positions: ArrayLike | None = None,
    rate: float = 30.0,
    speed: float = 1.0,
    size: tuple[int, int] = FILM_SIZE,
    camera: CameraLike = None,
    show: Iterable[Layer | str] = (),
    frames: bool | Iterable[Frame] = (),
    trajectories: Iterable[ArrayLike] = (),
    collision: bool = False,
    sticks: bool | None = None,
    background: str | ArrayLike = "white",
    ground: bool | float = True,
) -> Film:
    """Make a film of a world, which is simulated, of a recording, which is replayed, or of a skeleton that
    takes given positions.

    A copy is simulated or moved: the world stays as it is, and what listens to its signals is not called. A
    world with a controller of yours is recorded while you run it, and the recording is filmed.

    Args:
        what: a world, a recording or a skeleton.
        path: file to write, .mp4 or .gif; None: none, and the film is in MP4.
        duration: that a world is simulated for, or a recording is replayed for [s]; None: all of the
            recording.
        positions: of a skeleton, one row (k, num_dofs) for each frame [rad, m].
        rate: frames a second [1/s]; of a GIF, the nearest that the format has.
        speed: how much faster the film is than what it shows.
        size: (width, height) [pixel].
        camera: as of `render`; named cameras see all that happens from one place.
        show: as of `render`.
        frames: as of `render`.
        trajectories: as of `render`.
        collision: as of `render`.
        sticks: as of `render`.
        background: as of `render`.
        ground: as of `render`.

    Returns:
        The film, which shows itself in a notebook.

    Raises:
        MissingDependencyError: the extra `render` is not installed.
        RenderError: this machine has no OpenGL.
        TypeError, ValueError: naming the argument.
        FileNotFoundError: there is no such folder.
        DivergedError: the world's numbers were no longer finite; no file is written.

    Warns:
        ModelWarning: meshes that are not found or cannot be read; boxes stand in their place.
    """
    target = checked_file(path, FILM_SUFFIXES)
    suffix = ".mp4" if target is None else target.suffix.lower()
    shown = shown_rate(suffix, checked_positive("rate", rate, "1/s"))
    look = checked_look(size, camera, background, ground)
    layers = shown_layers(show, collision=collision, sticks=sticks)
    motion = motion_of(what, duration=duration, positions=positions, rate=shown, speed=speed, frames=frames)
    scene = SceneGraph(
        motion.what,
        layers,
        frames=motion.frames,
        trajectories=trajectories,
        sticks_without_shapes=sticks is not False,
    )
    shots = [_shot(scene), *(_shot(scene) for _ in motion.advances)]
    return _filmed(shots, look, target, suffix, shown)


def _filmed(shots: list[_Shot], look: Look, target: Path | None, suffix: str, rate: float) -> Film:
    """The film of some frames, which is in the file too, if there is one."""
    with _place_of(target, suffix) as place:
        last = _write(place, shots, look, rate)
        data = place.read_bytes()
    return Film(data, suffix, look.size, rate, len(shots), last)


@contextmanager
def _place_of(target: Path | None, suffix: str) -> Iterator[Path]:
    """The file to write; without one, a file in a folder of its own, which is gone in the end."""
    if target is not None:
        yield target
        return
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder) / f"film{suffix}"


@dataclass(frozen=True, slots=True, eq=False)
class _Shot:
    """A frame: items, their poses (n, 4, 4), points (k, 3) that have to be seen, and points (k, 3) over which
    everything reaches [m]."""

    items: tuple[DrawnItem, ...]
    poses: FloatArray
    points: FloatArray
    reach: FloatArray


def _shot(scene: SceneGraph) -> _Shot:
    change = scene.update()
    shown = change.items, change.poses
    seen = seen_points(*shown)
    ends = all(item.is_bounded for item in change.items)
    return _Shot(*shown, seen, seen if ends else reached_points(*shown))


def _write(path: Path, shots: list[_Shot], look: Look, rate: float) -> NDArray[np.uint8]:
    """Write a file; the last frame (height, width, 3)."""
    points = np.concatenate([shot.points for shot in shots])
    ends = all(shot.reach is shot.points for shot in shots)
    reach = points if ends else np.concatenate([shot.reach for shot in shots])
    first = shots[0]
    everything = [item for shot in shots for item in shot.items]
    with (
        film_file(path, rate) as file,
        SceneRenderer(
            look,
            first.items,
            first.poses,
            points,
            reach,
            fine=_FINE,
            shadow_pixels=_SHADOW,
            all_items=everything,
        ) as renderer,
        ThreadPoolExecutor(1, "kido film") as thread,  # puts a frame together while the next is drawn
    ):
        waiting: deque[Future[NDArray[np.uint8]]] = deque()
        for shot in shots:
            picture = renderer.draw(shot.items, shot.poses)
            if len(waiting) == _AHEAD:
                waiting.popleft().result()
            waiting.append(thread.submit(_added, file, picture))
        return [frame.result() for frame in waiting][-1]


def _added(file: FilmFile, picture: Callable[[], NDArray[np.uint8]]) -> NDArray[np.uint8]:
    """Put a frame together and write it."""
    frame = picture()
    file.add(frame)
    return frame
