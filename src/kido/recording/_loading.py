"""Recordings in files, whole or not."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from kido.errors import RecordingError
from kido.recording._hdf5_store import FORMAT, FORMAT_VERSION, GLOBAL_STREAMS, STREAMS
from kido.recording._hdf5_stream import hdf5
from kido.recording._layout import PartLayout
from kido.recording._mended_file import MendedFile
from kido.recording._recording import Recording
from kido.recording._tables import PackedModel, Rows, Store, StoredPart, Table, TableSpec
from kido.recording._tracks import RAGGED
from kido.typing import PathLike
from kido.values import checked_flag, checked_items, checked_path

__all__ = ["is_recording", "load_recording"]

_SIGNATURE = b"\x89HDF\r\n\x1a\n"


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
    hdf5("a recording in a file")
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
        self._models = self._read("models")
        self._model_ends = self._read("model_ends")
        self._events = self._read("events").tobytes()
        self._whole: dict[str, int] = {}
        self._table_names = _table_names(self._read("parts").tobytes())
        self._parts = self._read_parts()
        self.notes = tuple(dict.fromkeys(self._said))

    def _check(self) -> None:
        try:
            kind, version = self._file.attrs.get("format"), int(self._file.attrs.get("version", 0))
        except (OSError, RuntimeError, ValueError, KeyError) as error:
            raise RecordingError(self._path, f"nothing of it is whole: {error}") from error
        if kind != FORMAT:
            raise RecordingError(
                self._path, f"is no recording of kido's, but another HDF5 file (format {kind!r})"
            )
        if version > FORMAT_VERSION:
            self._said.append(
                f"written by a newer kido (format {version}): what this one, of format {FORMAT_VERSION}, "
                "does not know is left out"
            )
        if not len(self._read("closed")):
            self._said.append(
                "was not closed: it is still being recorded, or its process ended; last samples are missing"
            )

    def _read(self, name: str) -> Rows:
        """A stream of the whole recording, as far as it is whole."""
        dtype = GLOBAL_STREAMS[name]
        try:
            data = self._file[f"{STREAMS}/{name}"]
            return np.asarray(data[: _whole_count(data, self._size)])
        except (KeyError, OSError, RuntimeError):
            self._said.append(f"{name} are missing")
            return np.zeros(0, dtype)

    def _read_parts(self) -> list[StoredPart]:
        starts = self._read("starts")
        starts = starts[: len(starts) // 3 * 3].reshape(-1, 3)
        parts: list[StoredPart] = []
        for index, line in enumerate(self._read("parts").tobytes().splitlines()):
            try:
                parts.append(self._read_part(index, line, starts))
            except (KeyError, OSError, RuntimeError, ValueError, TypeError) as error:
                self._said.append(f"part {index} and what follows are missing: {error}")
                break
        return parts

    def _read_part(self, index: int, line: bytes, starts: Rows) -> StoredPart:
        told = json.loads(line)
        layout = PartLayout.from_json(json.dumps(told["layout"]))
        if layout.unknown:
            self._said.append(f"not known here: {', '.join(sorted(layout.unknown))}")
        if layout.model >= len(self._model_ends):
            self._said.append(f"model {layout.model} is missing")
        tables = {}
        for place, one in enumerate(told["tables"]):
            spec = TableSpec(tuple(one["shape"]), one["dtype"])
            tables[one["name"]] = self._table(one["name"], spec, index, place, starts)
        limit = _whole_samples(tables)
        cut = max(len(table) for name, table in tables.items() if name not in RAGGED) - limit
        if cut > 0:
            self._said.append(f"{cut} samples of part {index} are not whole")
        for name, table in tables.items():
            if name not in RAGGED:
                table.fill(limit)
                table.limit(limit)
        _limit_keyframes(tables)
        _limit_inputs(tables)
        return StoredPart(layout, tables)

    def _table(self, name: str, spec: TableSpec, part: int, place: int, starts: Rows) -> ReadTable:
        """A table of a part, as far as its stream is whole; it ends where that of a later part begins."""
        own = starts[(starts[:, 0] == part) & (starts[:, 1] == place)]
        if not len(own):
            return ReadTable(None, spec, 0, 0)
        data = self._file[f"{STREAMS}/part/{name}"]
        if name not in self._whole:
            self._whole[name] = _whole_count(data, self._size)
        later = [int(row[2]) for row in starts if row[0] > part and self._name_of(row) == name]
        first, last = int(own[0, 2]), min([self._whole[name], *later])
        return ReadTable(data, spec, first, max(0, last - first))

    def _name_of(self, start: Rows) -> str:
        """Name of the table that begins somewhere."""
        names = self._table_names[int(start[0])] if start[0] < len(self._table_names) else []
        return names[int(start[1])] if start[1] < len(names) else ""

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

    def reserve(self, count: int) -> None:
        """Nothing: it is only read."""

    def close(self, *, is_whole: bool = True) -> None:
        """Close the file; nothing more can be read."""
        self._file.close()


class ReadTable(Table):
    """A table of a part in a file that is read: numbers of a stream from `first` on; without `data` it is
    blank."""

    def __init__(self, data: Any, spec: TableSpec, first: int, count: int) -> None:
        """`count`: of numbers."""
        self._data, self._spec, self._first = data, spec, first
        self._width = int(np.prod(spec.shape, dtype=np.int64))
        self._count = count // self._width
        self.is_blank = data is None

    def limit(self, count: int) -> None:
        """Only so many rows count."""
        self._count = min(self._count, count)

    def fill(self, count: int) -> None:
        """Have so many rows of zeros, where the file has none."""
        if self.is_blank:
            self._count = count

    def append_zeros(self, count: int) -> NoReturn:
        """Not in a file that is read."""
        raise RecordingError(self._data.file.filename, "was opened for reading")

    def append(self, rows: Rows) -> NoReturn:
        """Not in a file that is read."""
        raise RecordingError(self._data.file.filename, "was opened for reading")

    def __len__(self) -> int:
        return self._count

    def read(self, start: int = 0, stop: int | None = None) -> Rows:
        """Rows from `start` to before `stop`, as a new array."""
        first, last, _ = slice(start, stop).indices(self._count)
        shape = max(0, last - first), *self._spec.shape
        if self.is_blank or last <= first:
            return np.zeros(shape, self._spec.dtype)
        low, high = (self._first + k * self._width for k in (first, last))
        return np.asarray(self._data[low:high]).reshape(shape)


def _table_names(parts: bytes) -> list[list[str]]:
    """Names of the tables of each part."""
    found = []
    for line in parts.splitlines():
        try:
            found.append([one["name"] for one in json.loads(line)["tables"]])
        except (ValueError, KeyError, TypeError):
            break
    return found


def _whole_count(data: Any, size: int) -> int:
    """Numbers before the first chunk that the file, of a size in bytes, does not hold all of."""
    count: int = len(data)
    for first in range(0, count, data.chunks[0]):
        try:
            chunk = data.id.get_chunk_info_by_coord((first,))
        except (OSError, RuntimeError, ValueError):
            return first
        if chunk.byte_offset is not None and chunk.byte_offset + chunk.size > size:
            return first
    return count


def _whole_samples(tables: Mapping[str, ReadTable]) -> int:
    """Number of samples that have all of their numbers."""
    count = min(
        len(table)
        for name, table in tables.items()
        if name in ("time", "step") or not (name in RAGGED or table.is_blank)
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


def _limit_keyframes(tables: Mapping[str, ReadTable]) -> None:
    """Keep those whose numbers are whole."""
    keyframes, states = tables["keyframes"], tables.get("keyframe_states")
    if states is not None:
        keyframes.limit(len(states))
    ends = keyframes.read()[:, 2]
    keyframes.limit(int(np.searchsorted(ends, len(tables["keyframe_numbers"]), side="right")))


def _limit_inputs(tables: Mapping[str, ReadTable]) -> None:
    """Keep those whose numbers are whole."""
    inputs = tables["inputs"]
    ends = np.cumsum(inputs.read()[:, 3])
    inputs.limit(int(np.searchsorted(ends, len(tables["input_numbers"]), side="right")))


# ---- opening


def _opened(path: Path, said: list[str]) -> Any:
    """The file; where it was not closed, as if it had been, and where it is cut off as if zeros followed.

    HDF5's own mode for files that others write waits for minutes where one was killed. Raises RecordingError,
    OSError.
    """
    h5py = hdf5("a recording in a file")
    try:
        return h5py.File(path, "r")
    except PermissionError:
        raise
    except (OSError, RuntimeError) as error:
        reason = str(error)
    mended = MendedFile.of(path)
    if mended is not None:
        try:
            file = h5py.File(mended, "r")
        except (OSError, RuntimeError) as error:
            mended.close()
            reason = str(error)
        else:
            if mended.missing:
                said.append(f"is cut off: {mended.missing} of {mended.stored} bytes are missing")
            return file
    raise RecordingError(path, f"nothing of it is whole: {reason}")
