"""Recordings in HDF5 files that are being written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import numpy as np

from kido.recording._hdf5_table import HDF5Table, hdf5
from kido.recording._layout import PartLayout
from kido.recording._tables import PackedModel, Store, StoredPart, TableSpec

__all__ = ["FORMAT", "FORMAT_VERSION", "HDF5Store"]

FORMAT = "kido recording"
FORMAT_VERSION = 1

_MODELS = {"models": TableSpec(dtype="u1"), "model_ends": TableSpec(dtype="i8")}
_EVENTS = {"events": TableSpec(dtype="u1")}
_CLOSED = {"closed": TableSpec(dtype="u1")}


class HDF5Store(Store):
    """A recording in a file that is being written, in the single-writer mode of HDF5: its metadata are
    written in an order in which the file is whole at any time, so that it can be read meanwhile, and after a
    kill.

    That mode allows no new tables. So the file is closed and opened again for each new part.
    """

    def __init__(self, path: Path, *, compression: str | None = None) -> None:
        """Make the file, in place of one that is there. Raises MissingDependencyError, OSError."""
        h5py = hdf5("recordings in files")
        self.name = str(path)
        self._path = path
        self._compression = compression
        self._file: Any = h5py.File(path, "w", libver=("v110", "v110"))
        self._tables: dict[str, HDF5Table] = {}
        self._parts: list[StoredPart] = []
        self._file.attrs["format"] = FORMAT
        self._file.attrs["version"] = FORMAT_VERSION
        self._file.attrs["made"] = datetime.now(timezone.utc).isoformat(timespec="seconds")
        self._file.create_group("parts")
        for name, spec in (_MODELS | _EVENTS | _CLOSED).items():
            self._tables[name] = HDF5Table.made(self._file, name, spec, self._compression)
        self._begin_swmr()

    def _begin_swmr(self) -> None:
        self._file.flush()
        self._file.swmr_mode = True

    @property
    def parts(self) -> list[StoredPart]:
        """The parts, in their order."""
        return self._parts

    def add_part(self, layout: PartLayout, specs: Mapping[str, TableSpec]) -> StoredPart:
        """Begin a part with tables."""
        self._reopen()
        group = self._file["parts"].create_group(str(len(self._parts)))
        text = layout.to_json().encode()
        group.create_dataset("layout", data=np.frombuffer(text, dtype=np.uint8))
        self._describe(group, layout)
        tables = {name: HDF5Table.made(group, name, spec, self._compression) for name, spec in specs.items()}
        part = StoredPart(layout, tables)
        self._parts.append(part)
        self._begin_swmr()
        return part

    def _describe(self, group: Any, layout: PartLayout) -> None:
        """Names and units of columns, for those who read the file without kido."""
        group.create_dataset(
            "dof_names", data=[f"{dof.skeleton}/{dof.dof}".encode() for dof in layout.dofs] or [b""]
        )
        group.create_dataset("dof_units", data=[dof.unit.encode() for dof in layout.dofs] or [b""])
        group.create_dataset("shape_names", data=[str(shape).encode() for shape in layout.shapes] or [b""])

    def _reopen(self) -> None:
        h5py = hdf5("recordings in files")
        self._file.close()
        self._file = h5py.File(self._path, "r+", libver=("v110", "v110"))
        for table in self._all_tables():
            table.find(self._file)

    def _all_tables(self) -> list[HDF5Table]:
        of_parts: list[Any] = [table for part in self._parts for table in part.tables.values()]
        return [*self._tables.values(), *of_parts]

    @property
    def is_memory(self) -> bool:
        """False."""
        return False

    def add_model(self, model: PackedModel) -> None:
        """Keep a model, whose number is how many there were before."""
        assert isinstance(model, bytes)
        models, ends = self._tables["models"], self._tables["model_ends"]
        models.append(np.frombuffer(model, dtype=np.uint8))
        ends.append(np.array([len(models)]))

    def model(self, number: int) -> bytes:
        """The model of a number."""
        ends = self._tables["model_ends"].read()
        first = int(ends[number - 1]) if number else 0
        return bytes(self._tables["models"].read(first, int(ends[number])).tobytes())

    def add_events(self, lines: Iterable[bytes]) -> None:
        """Add events, each one as JSON."""
        text = b"".join(line + b"\n" for line in lines)
        if text:
            self._tables["events"].append(np.frombuffer(text, dtype=np.uint8))

    def events(self) -> list[bytes]:
        """The events, each one as JSON."""
        return list(self._tables["events"].read().tobytes().splitlines())

    def flush(self) -> None:
        """Bring what was added to the file."""
        if self._file:
            self._file.flush()

    def close(self) -> None:
        """Write no more, and mark the file as whole."""
        if not self._file:
            return
        try:
            self._tables["closed"].append(np.ones(1, dtype=np.uint8))
        finally:
            self._file.close()
            self._file = None
            for table in self._all_tables():
                table.reopen_from(self._path)
