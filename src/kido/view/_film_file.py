"""Film files: MP4 by ffmpeg, GIF by Pillow."""

from __future__ import annotations

import os
import threading
from abc import ABC, abstractmethod
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kido.errors import MissingDependencyError

__all__ = ["FILM_SUFFIXES", "FilmFile", "film_file", "shown_rate"]

FILM_SUFFIXES = (".mp4", ".gif")
"""Formats of films, by suffix."""

_QUALITY = 18
"""Constant rate factor of H.264: 0 is without loss, 51 the worst."""
_COLORS = 256
_SAMPLED = 8
"""Frames out of which the colors of a GIF are chosen."""

Pixels = NDArray[np.uint8]


def shown_rate(suffix: str, rate: float) -> float:
    """The rate [1/s] nearest to one asked for that a format has: a GIF shows frames for whole hundredths of a
    second, two at least."""
    return rate if suffix != ".gif" else 100.0 / max(2, round(100.0 / rate))


class FilmFile(ABC):
    """A file of frames, written to by `add`, and whole once it is left by `with`.

    It is written beside its place and moved there in the end; where an error leaves it, nothing is there, and
    a thread that still adds to it adds nothing.
    """

    def __init__(self, path: Path, rate: float) -> None:
        self._path, self._rate = path, rate
        self._lock, self._has_ended = threading.Lock(), False
        self._part = path.with_name(f".{path.stem}.{os.getpid()}.part{path.suffix}")

    def __enter__(self) -> FilmFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            self._has_ended = True
            try:
                self._finish(kept=error is None)
                if error is None:
                    os.replace(self._part, self._path)
            finally:
                self._part.unlink(missing_ok=True)

    def add(self, frame: Pixels) -> None:
        """Add a frame (height, width, 3); all have one size."""
        with self._lock:
            if not self._has_ended:
                self._add(frame)

    @abstractmethod
    def _add(self, frame: Pixels) -> None:
        """Add a frame, as `add`."""

    @abstractmethod
    def _finish(self, *, kept: bool) -> None:
        """Write what is left, if it is kept."""


def film_file(path: Path, rate: float) -> FilmFile:
    """A file of frames at a rate [1/s], its format by its suffix. Raises MissingDependencyError."""
    return _Gif(path, rate) if path.suffix.lower() == ".gif" else _Mp4(path, rate)


class _Mp4(FilmFile):
    """H.264, as every browser plays it; an odd row or column is there twice, for it codes even sizes only."""

    def __init__(self, path: Path, rate: float) -> None:
        super().__init__(path, rate)
        try:
            import imageio_ffmpeg
        except ImportError:
            raise MissingDependencyError("imageio-ffmpeg", "render", "a film in MP4") from None
        self._open = imageio_ffmpeg.write_frames
        self._writer: Any = None

    def _add(self, frame: Pixels) -> None:
        height, width, _ = frame.shape
        if width % 2 or height % 2:
            frame = np.pad(frame, ((0, height % 2), (0, width % 2), (0, 0)), mode="edge")
        if self._writer is None:
            self._writer = self._open(
                str(self._part),
                (frame.shape[1], frame.shape[0]),
                fps=self._rate,
                codec="libx264",
                quality=None,
                macro_block_size=2,
                ffmpeg_log_level="error",
                output_params=["-crf", str(_QUALITY), "-preset", "veryfast", "-movflags", "+faststart"],
            )
            self._writer.send(None)
        self._writer.send(np.ascontiguousarray(frame))

    def _finish(self, *, kept: bool) -> None:
        if self._writer is not None:
            self._writer.close()


class _Gif(FilmFile):
    """Frames in colors that are chosen once for all of them, so that what stands still does not flicker."""

    def __init__(self, path: Path, rate: float) -> None:
        super().__init__(path, rate)
        try:
            from PIL import Image
        except ImportError:
            raise MissingDependencyError("pillow", "render", "a film in GIF") from None
        self._image = Image
        self._frames: list[Any] = []

    def _add(self, frame: Pixels) -> None:
        self._frames.append(self._image.fromarray(np.ascontiguousarray(frame)))

    def _finish(self, *, kept: bool) -> None:
        if not (kept and self._frames):
            return
        palette = self._palette()
        first, *others = (
            frame.quantize(palette=palette, dither=self._image.Dither.NONE) for frame in self._frames
        )
        delay = round(1000.0 / self._rate)
        first.save(
            self._part,
            save_all=True,
            append_images=others,
            duration=delay,
            loop=0,
            optimize=False,
            disposal=1,
        )

    def _palette(self) -> Any:
        """An image in the colors of some frames."""
        count = len(self._frames)
        chosen = {round(i * (count - 1) / max(1, _SAMPLED - 1)) for i in range(_SAMPLED)}
        together = np.concatenate([np.asarray(self._frames[i]) for i in sorted(chosen)])
        method = self._image.Quantize.MEDIANCUT
        return self._image.fromarray(together).quantize(_COLORS, method=method)
