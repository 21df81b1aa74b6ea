"""Recorder of a world, which writes what it sees to a store."""

from __future__ import annotations

import threading
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kido import _core
from kido.errors import EditError, KidoError, RecordingError
from kido.io import MeshSource, kido_bytes
from kido.recording._event import Event
from kido.recording._layout import PartLayout, SignalNames
from kido.recording._settings import RecordSettings
from kido.recording._signals import Signal
from kido.recording._tables import PackedModel, Store, StoredPart
from kido.recording._tracks import part_layout, part_tables
from kido.recording._writer_thread import WriterThread
from kido.skeleton import EDITS, SoftBodyNode
from kido.typing import FloatArray
from kido.world import SavedWorld, WatchedWorld, World, WorldObserver

__all__ = ["WorldRecorder"]

_PERIOD = 0.5
"""Wall-clock time between writings [s]."""
_MOST_BYTES = 4 << 20
"""Memory of samples after which they are written."""
_BOUND = 8
"""Times as much memory after which the simulation waits."""


class WorldRecorder(WorldObserver):
    """Writes what it sees of a world to a store, part by part.

    A part ends where the world is edited, or its time is set. It is begun in the store with its first
    sample, when the shapes of the user's signals are known.

    Attributes:
        has_failed: whether something could not be written; then nothing more is.
    """

    def __init__(
        self,
        world: World,
        store: Store,
        settings: RecordSettings,
        signals: Sequence[Signal],
        meshes: MeshSource,
    ) -> None:
        self._world, self._store, self._settings, self._signals = world, store, settings, tuple(signals)
        self._meshes = meshes
        self._taking = threading.Lock()
        self._thread = WriterThread(self._write_safely, _PERIOD)
        self._sampler: _core.WorldSampler | None = None
        self._watched: WatchedWorld | None = None
        self._model = -1, ""
        self._part: StoredPart | None = None
        self._next_part: PartLayout | None = None
        self._clock = 0.0, 0
        self._asked: list[Asked] = []
        self._events: list[bytes] = []
        self._jobs: list[Callable[[], object]] = []
        self._num_parts, self._num_models = 0, 0
        self._samples = 0
        self._error: Exception | None = None
        self.has_failed = False
        self._owed = 0  # bytes of models that are not written yet
        self._is_simple = False
        self._written = time.monotonic()

    # ---- what the world tells

    def watch(self, watched: WatchedWorld) -> _core.WorldSampler:
        """A sampler for a world that was compiled anew."""
        settings, step = self._settings, self._world.time_step
        goes_on = self._part is not None and watched.same_model and self._watched is not None
        if self._sampler is not None and not goes_on:
            self._sampler.finish(False)
        self.flush()
        before, self._watched = self._watched, watched
        self._clock = watched.clock[0], watched.clock[1]
        if not goes_on:
            self._model = self._save_model()
            self._begin("start" if before is None else "edit")
            if before is not None:
                self.add_event("edit", _what_changed(before, watched))
        self._sampler = _core.WorldSampler(
            watched.native,
            watched.states,
            watched.softs,
            settings.every(step),
            settings.keyframe_every(step),
            settings.accelerations,
            settings.joint_forces,
            settings.contacts,
            settings.constraints,
            len(watched.between_bodies),
            len(watched.by_rows),
            watched.is_fresh,
            self._ask,
            self._write_now,
        )
        self._sampler.set_patience(_MOST_BYTES, 1.2 * _PERIOD)
        self._sampler.ask_always(not (goes_on and self._is_simple))
        if self.has_failed or not self._thread.is_here:
            self._sampler.close()
        return self._sampler

    def begin_anew(self, clock: tuple[float, int, int]) -> None:
        """The time was set: a new part begins."""
        self._clock = clock[0], clock[1]
        if self._sampler is None or self._watched is None:
            return
        try:
            self.flush()
        finally:
            step = self._world.time_step
            self._sampler.begin(self._settings.every(step), self._settings.keyframe_every(step))
            self._begin("jump")
            self.add_event("jump", f"time set to {self._world.time:g} s")

    def loads_changed(self) -> float:
        """Constants of joints or soft bodies are others now: the number of the model that has them."""
        self._model = self._save_model()
        return float(self._model[0])

    # ---- parts

    def _begin(self, began: str) -> None:
        """Have the next sample begin a part."""
        self._part = None
        self._next_part = PartLayout(began=began)

    def _layout(self, began: str, signals: Sequence[SignalNames]) -> PartLayout:
        assert self._watched is not None
        number, reason = self._model
        step = self._world.time_step
        return part_layout(
            self._watched,
            self._world.frames,
            signals,
            began=began,
            clock=self._clock,
            time_step=step,
            every=self._settings.every(step),
            model=number,
            no_model=reason,
        )

    def _save_model(self) -> tuple[int, str]:
        """Keep the world as it is built now: the number of the model, or -1 and why there is none."""
        try:
            packed = self._packed(self._world.to_value())
        except (KidoError, TypeError, ValueError) as error:
            return -1, str(error)
        self._owed += len(packed) if isinstance(packed, bytes) else 0
        self._jobs.append(lambda: self._store.add_model(packed))
        self._num_models += 1
        return self._num_models - 1, ""

    def _packed(self, model: Any) -> PackedModel:
        if self._store.is_memory:
            value: SavedWorld = model
            return value
        path = Path(self._store.name).absolute()
        return zlib.compress(kido_bytes(model, path, meshes=self._meshes), 3)

    # ---- samples

    def _ask(self) -> None:
        """Read signals and frames, before the sample that they belong to."""
        world, edits = self._world, EDITS.count
        if self._is_simple and self._next_part is None and not len(world.frames):
            return
        points = [
            body.displacements
            for skeleton in world.skeletons
            for body in skeleton.bodies
            if isinstance(body, SoftBodyNode)
        ]
        values = [signal.read(world) for signal in self._signals]
        if EDITS.count != edits:
            names = ", ".join(signal.name for signal in self._signals)
            raise EditError(f"signals: one of {names} has edited the world; do that between steps")
        frames = tuple(frame.name for frame in world.frames)
        poses = np.array([frame.transform() for frame in world.frames]).reshape(len(frames), 4, 4)
        self._see_shapes(values, frames)
        with self._taking:
            if self._sampler is not None:
                del self._asked[self._sampler.samples :]  # what was interrupted before its sample was taken
            self._asked.append((values, poses, np.concatenate(points) if points else _NO_POINTS))

    def _see_shapes(self, values: Sequence[FloatArray], frames: tuple[str, ...]) -> None:
        """Begin a part where there are others than before."""
        known = None if self._part is None else self._part.layout
        shapes = [value.shape for value in values]
        if known is not None and (known.frames, [one.shape for one in known.signals]) == (frames, shapes):
            return
        began = "names" if self._next_part is None else self._next_part.began
        if self._next_part is None and self._sampler is not None:
            self.flush()
            self._sampler.want_keyframe()
            self._model = self._save_model()
        signals = [
            SignalNames(signal.name, signal.unit, value.shape)
            for signal, value in zip(self._signals, values, strict=True)
        ]
        layout = self._layout(began, signals)
        self._jobs.append(lambda: self._open_part(layout))
        self.flush()
        self.raise_error()

    def _open_part(self, layout: PartLayout) -> None:
        self._part = self._store.add_part(layout, part_tables(layout, self._settings))
        self._next_part, self._samples = None, 0
        self._is_simple = not (layout.signals or layout.frames or layout.points)
        if self._sampler is not None:
            self._sampler.ask_always(not self._is_simple)
        self._num_parts += 1

    def _write_now(self) -> None:
        """Have samples written; wait where there are too many, or nothing was written for long."""
        late = time.monotonic() - self._written > 1.2 * _PERIOD
        if late or self._sampler is None or self._sampler.bytes > _BOUND * _MOST_BYTES:
            self.flush()
        elif self._thread.is_here:
            self._thread.ask()
        else:
            self._sampler.close()
        self.raise_error()

    def raise_error(self) -> None:
        """Raises what writing has failed with, once: RecordingError."""
        error, self._error = self._error, None
        if error is not None:
            raise RecordingError(self._store.name, f"nothing more is recorded: {error}") from error

    def flush(self) -> None:
        """Write what was sampled. Where that fails, nothing more is recorded; see `raise_error`."""
        if not self._thread.is_here and self._sampler is not None:
            self._sampler.close()  # the file is the other process's
        self._thread.call()

    def end(self) -> None:
        """Write what was sampled, and no more from now on."""
        try:
            self.flush()
        finally:
            self._thread.end()
            self._sampler = self._watched = None

    def _write_safely(self) -> None:
        """In the thread."""
        if self.has_failed:
            return
        try:
            self._write()
        except Exception as error:
            self._error, self.has_failed = error, True
            if self._sampler is not None:
                self._sampler.close()

    def _write(self) -> None:
        sampler = self._sampler
        if sampler is not None and self._part is not None and sampler.samples + sampler.bytes:
            with self._taking:
                rows = sampler.take()
                count = len(rows["step"])
                asked, self._asked = self._asked[:count], self._asked[count:]
            self._store.reserve(sum(memoryview(numbers).nbytes for numbers in rows.values()))
            self._append(self._part, rows, _filled(asked, self._part.layout, count))
        owed, self._owed = self._owed, 0
        self._store.reserve(owed + sum(map(len, self._events)))
        while self._jobs:
            self._jobs.pop(0)()
        if self._events:
            count = len(self._events)
            self._store.add_events(self._events[:count])
            del self._events[:count]
        self._store.flush()
        self._written = time.monotonic()

    def _append(
        self,
        part: StoredPart,
        rows: dict[str, Any],
        asked: Sequence[tuple[list[FloatArray], FloatArray, FloatArray]],
    ) -> None:
        count = len(rows["step"])
        unknown = [not dof.known for dof in part.layout.dofs]
        if "actuator_forces" in part.tables and any(unknown):
            known = rows.get("actuator_forces", np.zeros((count, len(unknown))))
            known[:, unknown] = np.nan
            rows["actuator_forces"] = known
        rows["keyframe_numbers"] = np.frombuffer(rows["keyframe_numbers"], dtype=np.uint8)
        kept = part.tables["keyframe_numbers"]
        rows["keyframes"][:, 1] += self._samples
        rows["keyframes"][:, 2] = len(kept) + np.cumsum(rows["keyframes"][:, 2])
        if part.layout.frames:
            rows["frames"] = np.array([poses for _, poses, _ in asked]).reshape(
                -1, len(part.layout.frames), 4, 4
            )
        if part.layout.points:
            rows["points"] = np.array([points for _, _, points in asked], dtype=np.float32)
        for place, signal in enumerate(part.layout.signals):
            shape = (count, *signal.shape)
            rows[f"signals/{signal.name}"] = np.array([values[place] for values, _, _ in asked]).reshape(
                shape
            )
        times = rows.pop("time")
        for name, table in _last_is(part.tables, "time"):
            if name == "time":
                table.append(times)
            elif name in rows:
                table.append(rows[name])
            else:
                table.append_zeros(count)
        self._samples += count

    # ---- events

    def add_event(self, kind: str, text: str, data: Mapping[str, Any] | None = None) -> Event:
        """Keep what happened now."""
        number = max(0, self._num_parts if self._next_part is not None else self._num_parts - 1)
        event = Event(self._world.time, self._world.num_steps, kind, text, dict(data or {}), number)
        self._events.append(event.to_json())
        return event


Asked = tuple[list[FloatArray], FloatArray, FloatArray]
"""Values of signals, poses of frames, displacements of point masses (n, 3) [m]."""
_NO_POINTS: FloatArray = np.zeros((0, 3))


def _filled(asked: list[Asked], layout: PartLayout, count: int) -> list[Asked]:
    """Answers for each of so many samples; NaN for the last one where the world was edited before it
    was taken."""
    if len(asked) == count or not (layout.signals or layout.frames or layout.points):
        return asked
    values = [np.full(signal.shape, np.nan) for signal in layout.signals]
    points = np.full((sum(points.count for points in layout.points), 3), np.nan)
    return asked + [(values, np.full((len(layout.frames), 4, 4), np.nan), points)] * (count - len(asked))


def _last_is(tables: Mapping[str, Any], name: str) -> list[tuple[str, Any]]:
    """Tables by name, one of them last: as many rows as it has are whole."""
    return sorted(tables.items(), key=lambda item: item[0] == name)


def _what_changed(before: WatchedWorld, after: WatchedWorld) -> str:
    """In words."""
    old, new = ({skeleton.name for skeleton in one.skeletons} for one in (before, after))
    said = [
        f"{word} {', '.join(sorted(names))}"
        for word, names in (("added", new - old), ("removed", old - new))
        if names
    ]
    return "; ".join(said) or "the world was edited"
