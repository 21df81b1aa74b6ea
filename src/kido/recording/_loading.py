"""Recordings in files, whole or not."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from kido.errors import RecordingError
from kido.recording._hdf5_store import FORMAT, FORMAT_VERSION
from kido.recording._hdf5_table import hdf5
from kido.recording._layout import PartLayout
from kido.recording._recording import Recording
from kido.recording._tables import PackedModel, Rows, Store, StoredPart, Table, TableSpec
from kido.typing import PathLike
from kido.values import checked_flag, checked_items, checked_path

__all__ = ["is_recording", "load_recording"]

_SIGNATURE = b"\x89HDF\r\n\x1a\n"
_STORED_END = 28
"""Where the superblock, of version 2 and 3, says how long the file is."""


def is_recording(path: Path) -> bool:
    """Whether a file begins as HDF5 files do."""
    try:
        with path.open("rb") as file:
            return file.read(len(_SIGNATURE)) == _SIGNATURE
    except OSError:
        return False


def load_recording(
    path: PathLike,
    *,
    trusted: bool = False,
    types: Iterable[type] = (),
    mesh_folder: PathLike | None = None,
) -> Recording:
    """Open a recording.

    One that is cut off, or whose process was killed, or of a newer kido, opens as far as it is whole and
    known; what is not, is in its `notes`. One that is being recorded can be opened, too.

    Args:
        path: the file.
        trusted: whether `world_at` may hand the solver's numbers in it to compiled code as they are, as it
            then goes on from the keyframe before: for files that you trust. Else steps are made again from
                where the
            solver remembered nothing, which takes longer.
        types: classes of your own in the model; see `kido.io.read_kido_file`.
        mesh_folder: where meshes go that the model encloses; likewise.

    Raises:
        RecordingError: it is no recording, or nothing of it is whole.
        MissingDependencyError: h5py is not installed.
        TypeError: naming the argument.
        OSError: it cannot be read.
    """
    file = checked_path("path", path)
    checked_flag("trusted", trusted)
    checked_items("types", type, types)
    hdf5("recordings in files")
    if not file.is_file():
        file.open("rb").close()  # raises what is wrong
    if not is_recording(file):
        raise RecordingError(file, "is no recording of kido's: it does not begin as HDF5 files do")
    return Recording(ReadStore(file), trusted=trusted, types=types, mesh_folder=mesh_folder)


class ReadStore(Store):
    """A recording in a file that is read."""

    def __init__(self, path: Path) -> None:
        """Raises RecordingError, OSError."""
        self.name = str(path)
        self._path = path
        self._said: list[str] = []
        self._file = _opened(path, self._said)
        self._size = os.path.getsize(path)
        self._check()
        self._models = self._read("models", "u1")
        self._model_ends = self._read("model_ends", "i8")
        self._events = self._read("events", "u1").tobytes()
        self._parts = self._read_parts()
        self.notes = tuple(dict.fromkeys(self._said))

    def _check(self) -> None:
        try:
            kind, version = self._file.attrs.get("format"), int(self._file.attrs.get("version", 0))
        except (OSError, RuntimeError, ValueError) as error:
            raise RecordingError(self._path, f"is not whole at its beginning: {error}") from error
        if kind != FORMAT:
            raise RecordingError(
                self._path, f"is no recording of kido's, but another HDF5 file (format {kind!r})"
            )
        if version > FORMAT_VERSION:
            self._said.append(
                f"written by a newer kido (format {version}): what this one, of format {FORMAT_VERSION}, "
                "does not know is left out"
            )
        if not len(self._read("closed", "u1")):
            self._said.append(
                "was not closed: it is still being recorded, or its process ended; last samples are missing"
            )

    def _read(self, name: str, dtype: str) -> Rows:
        """A table that belongs to the whole recording, as far as it is whole."""
        try:
            return self._whole(self._file[name]).read()
        except (KeyError, OSError, RuntimeError):
            self._said.append(f"{name} is missing")
            return np.zeros(0, dtype)

    def _read_parts(self) -> list[StoredPart]:
        parts: list[StoredPart] = []
        try:
            groups = self._file["parts"]
            count = len(groups)
        except (KeyError, OSError, RuntimeError) as error:
            raise RecordingError(self._path, f"nothing of it is whole: {error}") from error
        for index in range(count):
            try:
                parts.append(self._read_part(groups[str(index)]))
            except (KeyError, OSError, RuntimeError, ValueError, TypeError) as error:
                self._said.append(f"part {index} and what follows are missing: {error}")
                break
        return parts

    def _read_part(self, group: Any) -> StoredPart:
        layout = PartLayout.from_json(group["layout"][:].tobytes().decode())
        if layout.unknown:
            self._said.append(f"not known here: {', '.join(sorted(layout.unknown))}")
        if layout.model >= len(self._model_ends):
            self._said.append(f"model {layout.model} is missing")
        tables: dict[str, ReadTable] = {}
        for name in _names(group):
            tables[name] = self._whole(group[name])
        limit = _whole_samples(tables)
        cut = max(len(table) for name, table in tables.items() if name not in _RAGGED) - limit
        if cut > 0:
            self._said.append(f"{cut} samples of part {group.name.rsplit('/', 1)[-1]} are not whole")
        for name, table in tables.items():
            if name not in _RAGGED:
                table.fill(limit)
                table.limit(limit)
        keyframes = tables.get("keyframes")
        if keyframes is not None:
            _limit_keyframes(keyframes, tables)
        inputs = tables.get("inputs")
        if inputs is not None:
            _limit_inputs(inputs, tables)
        return StoredPart(layout, tables)

    def _whole(self, data: Any) -> ReadTable:
        """A table of a dataset, as far as its chunks lie within the file."""
        table = ReadTable(data)
        table.limit(_whole_rows(data, self._size))
        return table

    @property
    def parts(self) -> list[StoredPart]:
        """The parts, in their order."""
        return self._parts

    def add_part(self, layout: PartLayout, specs: Mapping[str, TableSpec]) -> NoReturn:
        """Not in a file that is read."""
        raise RecordingError(self._path, "was opened for reading")

    @property
    def is_memory(self) -> bool:
        """False."""
        return False

    def add_model(self, model: PackedModel) -> NoReturn:
        """Not in a file that is read."""
        raise RecordingError(self._path, "was opened for reading")

    def add_events(self, lines: Iterable[bytes]) -> None:
        """Not in a file that is read."""
        raise RecordingError(self._path, "was opened for reading")

    def model(self, number: int) -> bytes:
        """The model of a number. Raises IndexError."""
        first = int(self._model_ends[number - 1]) if number else 0
        return bytes(self._models[first : int(self._model_ends[number])].tobytes())

    def events(self) -> list[bytes]:
        """The events, each one as JSON."""
        return self._events.splitlines()

    def flush(self) -> None:
        """Nothing: it is only read."""

    def close(self) -> None:
        """Close the file; nothing more can be read."""
        self._file.close()


class ReadTable(Table):
    """A table in a file that is read."""

    def __init__(self, data: Any) -> None:
        self._data = data
        self._count = len(data)
        self.is_blank = self._count == 0

    def limit(self, count: int) -> None:
        """Only so many rows count."""
        self._count = min(self._count, count)

    def fill(self, count: int) -> None:
        """Have so many rows of zeros, where the file has none."""
        if self.is_blank:
            self._count = count

    def append(self, rows: Rows) -> NoReturn:
        """Not in a file that is read."""
        raise RecordingError(self._data.file.filename, "was opened for reading")

    def __len__(self) -> int:
        return self._count

    def read(self, start: int = 0, stop: int | None = None) -> Rows:
        """Rows from `start` to before `stop`, as a new array."""
        first, last, _ = slice(start, stop).indices(self._count)
        if self.is_blank:
            return np.zeros((last - first, *self._data.shape[1:]), self._data.dtype)
        return np.asarray(self._data[first:last])


def _names(group: Any) -> list[str]:
    """Tables of a part that can grow, those of signals too."""
    names = [name for name in group if hasattr(group[name], "maxshape") and group[name].maxshape[0] is None]
    signals = group.get("signals", {})
    return names + [f"signals/{name}" for name in signals]


def _whole_rows(data: Any, size: int) -> int:
    """Rows before the first chunk that the file, of a size in bytes, does not hold all of."""
    count = len(data)
    rows = data.chunks[0]
    for first in range(0, count, rows):
        try:
            place = (first, *(0 for _ in data.shape[1:]))
            chunk = data.id.get_chunk_info_by_coord(place)
        except (OSError, RuntimeError, ValueError):
            return first
        if chunk.byte_offset is not None and chunk.byte_offset + chunk.size > size:
            return first
    return count


def _whole_samples(tables: Mapping[str, ReadTable]) -> int:
    """How many samples have all of their numbers."""
    count = min(
        len(table)
        for name, table in tables.items()
        if name in ("time", "step") or not (name in _RAGGED or table.is_blank)
    )
    for counts, streams in (
        ("contact_counts", ("contact_shapes", "contact_numbers")),
        ("row_sizes", ("row_forces",)),
    ):
        if counts in tables:
            sizes = tables[counts].read(0, count)
            if not len(sizes):
                continue
            ends = np.cumsum(sizes.reshape(len(sizes), -1).sum(axis=1))
            least = min(len(tables[name]) for name in streams if name in tables)
            count = min(count, int(np.searchsorted(ends, least, side="right")))
    return count


_RAGGED = frozenset(
    {
        "contact_shapes",
        "contact_numbers",
        "row_forces",
        "keyframes",
        "keyframe_states",
        "keyframe_numbers",
        "inputs",
        "input_numbers",
    }
)
"""Tables that have no row for each sample."""


def _limit_keyframes(keyframes: ReadTable, tables: Mapping[str, ReadTable]) -> None:
    """Keep those whose numbers are whole."""
    states = tables.get("keyframe_states")
    if states is not None:
        keyframes.limit(len(states))
    ends = keyframes.read()[:, 2]
    keyframes.limit(int(np.searchsorted(ends, len(tables["keyframe_numbers"]), side="right")))


def _limit_inputs(inputs: ReadTable, tables: Mapping[str, ReadTable]) -> None:
    """Keep those whose numbers are whole."""
    ends = np.cumsum(inputs.read()[:, 3])
    inputs.limit(int(np.searchsorted(ends, len(tables["input_numbers"]), side="right")))


# ---- opening


def _opened(path: Path, said: list[str]) -> Any:
    """The file; where it was not closed, in the mode that reads what another process writes; where it is cut
    off, as if zeros followed. Raises RecordingError, OSError."""
    h5py = hdf5("recordings in files")
    reasons = []
    for options in ({}, {"swmr": True, "libver": "latest"}):
        try:
            return h5py.File(path, "r", **options)
        except PermissionError:
            raise
        except (OSError, RuntimeError) as error:
            reasons.append(str(error))
    padded = _padded(path)
    if padded is not None:
        try:
            file = h5py.File(padded, "r")
            said.append(f"is cut off: {padded.stored - padded.size} of {padded.stored} bytes are missing")
            return file
        except (OSError, RuntimeError) as error:
            reasons.append(str(error))
    raise RecordingError(path, f"nothing of it is whole: {reasons[-1]}")


class _Padded(io.RawIOBase):
    """A file that is followed by zeros, up to the size that it says of itself."""

    def __init__(self, path: Path, stored: int) -> None:
        self._file = path.open("rb")
        self.stored = stored
        self.size = os.path.getsize(path)
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = 0) -> int:
        self._at = offset + (0, self._at, self.stored)[whence]
        return self._at

    def readinto(self, buffer: Any) -> int:
        self._file.seek(self._at)
        count = max(0, min(len(buffer), self.stored - self._at))
        read = self._file.read(count)
        buffer[: len(read)] = read
        buffer[len(read) : count] = bytes(count - len(read))
        self._at += count
        return count


def _padded(path: Path) -> _Padded | None:
    """The file with what is missing; None where it does not say that anything is."""
    with path.open("rb") as file:
        head = file.read(_STORED_END + 8)
    if len(head) < _STORED_END + 8 or head[8] not in (2, 3):
        return None
    stored = int.from_bytes(head[_STORED_END:], "little")
    return _Padded(path, stored) if os.path.getsize(path) < stored < 1 << 48 else None
