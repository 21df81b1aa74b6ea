"""Recordings in HDF5 files that are being written."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import numpy as np

from kido.recording._hdf5_stream import CACHE_BYTES, CACHE_SLOTS, CHUNK_BYTES, Stream, hdf5, reserve_room
from kido.recording._hdf5_views import write_views
from kido.recording._layout import PartLayout
from kido.recording._tables import PackedModel, Rows, Store, StoredPart, Table, TableSpec

__all__ = ["FORMAT", "FORMAT_VERSION", "GLOBAL_STREAMS", "STREAMS", "HDF5Store", "part_line"]

FORMAT = "kido recording"
FORMAT_VERSION = 1

_RESERVE = 8 << 20
"""By how much room in the file is extended [bytes]; what is not used is given back in the end."""
_SLACK = 2 << 20
"""Room that is left for what HDF5 adds."""

STREAMS = "streams"
"""The group of what grows."""

GLOBAL_STREAMS = {
    "models": "u1",
    "model_ends": "i8",
    "events": "u1",
    "parts": "u1",
    "starts": "i8",
    "closed": "u1",
}
"""Streams of the whole recording: models as compressed JSON and where they end; events and parts, a line of
JSON each; where tables of parts begin in their streams: part, table, number; whether the file was closed."""


class HDF5Store(Store):
    """A recording in a file that is being written, in the single-writer mode of HDF5: its metadata are
    written in an order in which the file is whole at any time, so that it can be read meanwhile, and after a
    kill.

    That mode allows no new tables. So all tables of one name are one stream, which was made when the file
    was, part by part. Once it is closed, they get views with names and units.
    """

    def __init__(self, path: Path, tables: Mapping[str, str], *, compression: str | None = None) -> None:
        """Make the file, in place of one that is there.

        `tables`: types of all that parts may have, by name. Raises MissingDependencyError, OSError.
        """
        h5py = hdf5("a recording in a file")
        self.name = str(path)
        self._path = path
        with open(path, "ab"):  # whose errors are plainer than those of HDF5
            pass
        cache = {"rdcc_nbytes": CACHE_BYTES, "rdcc_nslots": CACHE_SLOTS}
        self._file: Any = h5py.File(path, "w", libver=("v110", "v110"), **cache)
        self._parts: list[StoredPart] = []
        self._file.attrs["format"] = FORMAT
        self._file.attrs["version"] = FORMAT_VERSION
        self._file.attrs["made"] = datetime.now(timezone.utc).isoformat(timespec="seconds")
        self._file.create_group("parts")
        group = self._file.create_group(STREAMS)
        names = GLOBAL_STREAMS | {f"part/{name}": dtype for name, dtype in tables.items()}
        self._streams = {name: Stream(group, name, dtype, compression) for name, dtype in names.items()}
        for name, stream in self._streams.items():
            stream.name = f"{STREAMS}/{name}"
        self._file.flush()
        self._file.swmr_mode = True
        self._used, self._reserved = os.path.getsize(path) + len(names) * CHUNK_BYTES, 0
        self.reserve(0)

    @property
    def parts(self) -> list[StoredPart]:
        """The parts, in their order."""
        return self._parts

    def add_part(self, layout: PartLayout, specs: Mapping[str, TableSpec]) -> StoredPart:
        """Begin a part with tables."""
        index = len(self._parts)
        self._streams["parts"].append(np.frombuffer(part_line(layout, specs), dtype=np.uint8))
        tables = {
            name: StreamTable(self, self._streams[f"part/{name}"], spec, index, place)
            for place, (name, spec) in enumerate(specs.items())
        }
        self._parts.append(StoredPart(layout, tables))
        for table in tables.values():
            table.begin_unless_blank()
        self.flush()  # before anything is known to belong to the part
        return self._parts[-1]

    def add_start(self, part: int, table: int, first: int) -> None:
        """Keep where a table begins in its stream."""
        self._streams["starts"].append(np.array([part, table, first]))

    @property
    def is_memory(self) -> bool:
        """False."""
        return False

    def add_model(self, model: PackedModel) -> None:
        """Keep a model, whose number is how many there were before."""
        assert isinstance(model, bytes)
        models = self._streams["models"]
        models.append(np.frombuffer(model, dtype=np.uint8))
        self._streams["model_ends"].append(np.array([len(models)]))

    def model(self, number: int) -> bytes:
        """The model of a number."""
        ends = self._streams["model_ends"].read(0, number + 1)
        first = int(ends[number - 1]) if number else 0
        return bytes(self._streams["models"].read(first, int(ends[number])).tobytes())

    def add_events(self, lines: Iterable[bytes]) -> None:
        """Add events, each one as JSON."""
        text = b"".join(line + b"\n" for line in lines)
        self._streams["events"].append(np.frombuffer(text, dtype=np.uint8))

    def events(self) -> list[bytes]:
        """The events, each one as JSON."""
        events = self._streams["events"]
        return list(events.read(0, len(events)).tobytes().splitlines())

    def reserve(self, count: int) -> None:
        """Have room for so many bytes more, and for what HDF5 adds to them. Raises OSError where there is
        none.

        HDF5 itself does not survive a disk that is full: it would end the process.
        """
        self._used += count + count // 50
        if self._used + _SLACK > self._reserved:
            reserve_room(self._path, self._used + _SLACK + _RESERVE)
            self._reserved = self._used + _SLACK + _RESERVE

    def flush(self) -> None:
        """Bring what was added to the file."""
        if self._file:
            self._file.flush()

    def close(self, *, is_whole: bool = True) -> None:
        """Write no more; where all was written, mark the file as whole, and add views of the parts."""
        if not self._file:
            return
        try:
            if is_whole:
                self._streams["closed"].append(np.ones(1, dtype=np.uint8))
        finally:
            self._file.close()
            self._file = None
            for stream in self._streams.values():
                stream.reopen_from(self._path)
        if is_whole:
            write_views(self._path, [(part.layout, _placed(part)) for part in self._parts])


class StreamTable(Table):
    """A table of a part, as numbers in the stream of its name.

    Of one that may be blank nothing is written as long as all rows are zeros.
    """

    def __init__(self, store: HDF5Store, stream: Stream, spec: TableSpec, part: int, place: int) -> None:
        self._store, self.stream, self.spec = store, stream, spec
        self._part, self._place = part, place
        self.first = -1
        self._width = int(np.prod(spec.shape, dtype=np.int64))
        self._count = 0

    @property
    def is_blank(self) -> bool:
        """Whether nothing was written."""
        return self.first < 0

    def begin_unless_blank(self) -> None:
        """Have it begin here in its stream, unless it may be left out."""
        if not self.spec.may_be_blank:
            self._begin()

    def _begin(self) -> None:
        self.first = len(self.stream)
        self._store.add_start(self._part, self._place, self.first)

    def append_zeros(self, count: int) -> None:
        """Add so many rows of zeros."""
        self._count += count
        if not self.is_blank:
            self.stream.append(np.zeros(count * self._width, self.spec.dtype))

    def append(self, rows: Rows) -> None:
        """Add rows (n, ...)."""
        before, self._count = self._count, self._count + len(rows)
        if self.is_blank:
            if not rows.any():
                return
            self._begin()
            self.stream.append(np.zeros(before * self._width, self.spec.dtype))
            self._store.flush()  # before it is known how many samples there are
        self.stream.append(np.asarray(rows, self.spec.dtype).ravel())

    def __len__(self) -> int:
        return self._count

    def read(self, start: int = 0, stop: int | None = None) -> Rows:
        """Rows from `start` to before `stop`, as a new array."""
        first, last, _ = slice(start, stop).indices(self._count)
        shape = max(0, last - first), *self.spec.shape
        if self.is_blank or last <= first:
            return np.zeros(shape, self.spec.dtype)
        low, high = (self.first + k * self._width for k in (first, last))
        return self.stream.read(low, high).reshape(shape)


def part_line(layout: PartLayout, specs: Mapping[str, TableSpec]) -> bytes:
    """A part as a line of JSON: its layout, and its tables in their order."""
    tables = [{"name": name, **spec._asdict()} for name, spec in specs.items()]
    told = {"layout": json.loads(layout.to_json()), "tables": tables}
    return json.dumps(told, ensure_ascii=False).encode() + b"\n"


def _placed(part: StoredPart) -> dict[str, tuple[TableSpec, int, int]]:
    """Tables of a part: shape, where it begins in its stream (-1: it is blank), number of rows."""
    tables: Any = part.tables
    return {name: (table.spec, table.first, len(table)) for name, table in tables.items()}
