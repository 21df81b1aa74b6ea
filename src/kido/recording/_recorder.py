"""Recording of a world while it is simulated."""

from __future__ import annotations

import atexit
import weakref
from collections.abc import Mapping, Sequence
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, NoReturn

from kido.io import MeshSource
from kido.recording._event import Event, checked_mark
from kido.recording._hdf5_store import HDF5Store
from kido.recording._recording import Recording
from kido.recording._settings import RecordSettings
from kido.recording._signals import Signal, SignalLike, checked_signals
from kido.recording._tables import MemoryStore, Store
from kido.recording._tracks import table_types
from kido.recording._world_recorder import WorldRecorder
from kido.typing import PathLike
from kido.values import checked_member, checked_part, checked_path
from kido.world import World

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Recorder", "record"]


class Recorder(Recording):
    """A recording that goes on: what is asked of it is answered as of the last sample.

    It ends with the `with` block, or by `close`; then it is a recording like any other.
    """

    __slots__ = ("_at_exit", "_recorder", "_world")

    def __init__(self, world: World, store: Store, recorder: WorldRecorder) -> None:
        super().__init__(store, trusted=True)
        self._world = world
        self._recorder: WorldRecorder | None = recorder
        self._at_exit = partial(_close, weakref.WeakMethod(self.close))
        atexit.register(self._at_exit)
        world.attach(recorder)

    @property
    def is_open(self) -> bool:
        """Whether it still records."""
        return self._recorder is not None

    def mark(self, text: str, **data: Any) -> Event:
        """Keep what happens now, with numbers or texts that belong to it.

        Raises:
            TypeError, ValueError: no text, or data that JSON does not have.
            RuntimeError: the recording was closed.
        """
        checked_mark(text, data)
        if self._recorder is None:
            raise RuntimeError("mark: the recording was closed")
        return self._recorder.add_event("mark", text, data)

    def flush(self) -> None:
        """Write all samples now; else they are written four times a second.

        Raises RecordingError where that fails, as on a full disk.
        """
        if self._recorder is not None:
            self._recorder.flush()
            self._recorder.raise_error()

    def close(self) -> None:
        """Take the last sample, and end the recording; doing so twice does no harm.

        Raises RecordingError where the last samples could not be written.
        """
        recorder, self._recorder = self._recorder, None
        if recorder is None:
            return
        atexit.unregister(self._at_exit)
        try:
            self._world.detach(recorder)
        finally:
            try:
                recorder.end()
            finally:
                self._store.close(is_whole=not recorder.has_failed)
        recorder.raise_error()

    def _bring_up(self) -> None:
        """Write what was sampled, before it is read."""
        if self._recorder is not None:
            self._recorder.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None and self._recorder is not None:
            self._recorder.add_event("error", f"{type(error).__name__}: {error}")
        try:
            self.close()
        except Exception as failed:
            if error is None:
                raise
            note = getattr(error, "add_note", None)
            if note is not None:
                note(f"the recording failed, too: {failed}")

    def __reduce__(self) -> NoReturn:
        raise TypeError("a recorder cannot be pickled: pickle its world, or load its file")


def record(
    world: World,
    path: PathLike | None = None,
    *,
    rate: float = 50.0,
    keyframe_interval: float = 1.0,
    signals: Mapping[str, SignalLike] | None = None,
    accelerations: bool = False,
    joint_forces: bool = True,
    contacts: bool = True,
    constraints: bool = True,
    meshes: MeshSource | str = MeshSource.PATH,
    compression: str | None = None,
) -> Recorder:
    """Record a world from its next step on.

    Positions, velocities, commands, contacts, forces of joints and constraints, free frames, edits, and what
    the user marks and asks for are recorded, with all that it takes to have the world again as it stood at
    any time. With a path it goes to an HDF5 file several times a second, and memory stays bounded; without,
    to memory.

    Args:
        world: what is recorded.
        path: the file, which is replaced where there is one; None: memory.
        rate: samples a second of simulated time [1/s]; infinite: after each step.
        keyframe_interval: simulated time between moments at which all that a step begins with is kept [s],
            from which others are simulated again.
        signals: functions of the world by name, or attributes such as "kinetic_energy", or either with a
            unit, as ("energy", "J"); they are asked for with each sample, and give numbers of any shape.
        accelerations: whether accelerations are recorded.
        joint_forces: whether forces of actuators, friction and limits are.
        contacts: whether points of contact and their forces are.
        constraints: whether wrenches and forces of the world's constraints are.
        meshes: "path": the model names the files of its meshes; "content": it encloses them.
        compression: of the file, as h5py names it: "gzip", "lzf"; None: none, which is fastest.

    Returns:
        The recording, to be closed, or used in a `with` block.

    Raises:
        TypeError, ValueError: naming the argument.
        MissingDependencyError: files need h5py.
        EditError: inside a step.
        OSError: the file cannot be made.
    """
    checked_part("world", World, world)
    settings = RecordSettings(rate, keyframe_interval, accelerations, joint_forces, contacts, constraints)
    checked = checked_signals({} if signals is None else signals)
    source = checked_member("meshes", MeshSource, meshes)
    names = [signal.name for signal in checked]
    store = _store(world.name, path, settings, names, compression)
    return _started(world, store, settings, checked, source)


def _store(
    title: str, path: PathLike | None, settings: RecordSettings, signals: list[str], compression: str | None
) -> Store:
    """The place that samples go to: a file, or memory. Raises as `record`."""
    if compression not in (None, "gzip", "lzf"):
        raise ValueError(f"compression: expected 'gzip', 'lzf' or None, got {compression!r}")
    if path is None:
        return MemoryStore(title)
    return HDF5Store(checked_path("path", path), table_types(settings, signals), compression=compression)


def _started(
    world: World, store: Store, settings: RecordSettings, signals: Sequence[Signal], meshes: MeshSource
) -> Recorder:
    """A recorder that takes what comes from now on; where it cannot, its store is closed."""
    recorder = WorldRecorder(world, store, settings, signals, meshes)
    try:
        return Recorder(world, store, recorder)
    except BaseException:
        recorder.end()
        store.close()
        raise


def _close(recorder: weakref.WeakMethod[Any]) -> None:
    """At the end of the interpreter."""
    close = recorder()
    if close is not None:
        close()
