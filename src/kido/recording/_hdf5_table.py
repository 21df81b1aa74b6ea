"""Tables in an HDF5 file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from kido.errors import MissingDependencyError
from kido.recording._tables import Rows, Table, TableSpec

__all__ = ["HDF5Table", "hdf5"]

_CHUNK_BYTES = 1 << 15
_LEAST_ROWS = 32


def hdf5(purpose: str) -> Any:
    """The package h5py. Raises MissingDependencyError."""
    try:
        import h5py
    except ImportError:
        raise MissingDependencyError("h5py", "record", purpose) from None
    return h5py


class HDF5Table(Table):
    """A table that is a dataset of an HDF5 file.

    Of one that may be blank nothing is written as long as all rows are zeros, not even how many they are.
    """

    def __init__(self, data: Any, spec: TableSpec) -> None:
        """A dataset without rows."""
        self._name: str = data.name
        self._data = data
        self._spec = spec
        self._count = 0
        self._path: Path | None = None
        self._is_blank = spec.may_be_blank

    @classmethod
    def made(cls, group: Any, name: str, spec: TableSpec, compression: str | None) -> HDF5Table:
        """A new, empty dataset of a group."""
        row = int(np.prod(spec.shape, dtype=np.int64)) * np.dtype(spec.dtype).itemsize
        chunk = (max(_LEAST_ROWS, _CHUNK_BYTES // row), *spec.shape)
        packed = {} if compression is None else {"compression": compression, "shuffle": True}
        data = group.create_dataset(
            name, (0, *spec.shape), spec.dtype, maxshape=(None, *spec.shape), chunks=chunk, **packed
        )
        if spec.unit:
            data.attrs["unit"] = spec.unit
        if spec.columns:
            data.attrs["columns"] = list(spec.columns)
        return cls(data, spec)

    def append(self, rows: Rows) -> None:
        """Add rows (n, ...)."""
        count = len(rows)
        if not count:
            return
        first, self._count = self._count, self._count + count
        if self._is_blank and not rows.any():
            return
        self._data.resize(self._count, axis=0)
        self._data[first:] = rows
        if self._is_blank:
            self._data.flush()  # before it is known how many samples there are
            self._is_blank = False

    def __len__(self) -> int:
        return self._count

    def read(self, start: int = 0, stop: int | None = None) -> Rows:
        """Rows from `start` to before `stop`, as a new array."""
        first, last, _ = slice(start, stop).indices(self._count)
        if self._is_blank:
            return np.zeros((last - first, *self._spec.shape), self._spec.dtype)
        if self._path is None:
            return np.asarray(self._data[first:last])
        with hdf5("recordings in files").File(self._path, "r") as file:
            return np.asarray(file[self._name][first:last])

    def find(self, file: Any) -> None:
        """Go on in the same file, which was opened again."""
        self._data = file[self._name]

    def reopen_from(self, path: Path) -> None:
        """Read from the file, which is opened for each question from now on."""
        self._data, self._path = None, path
