"""Numbers that are added to an HDF5 file one after the other."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from kido.errors import MissingDependencyError
from kido.recording._tables import Rows

__all__ = ["CACHE_BYTES", "CACHE_SLOTS", "CHUNK_BYTES", "Stream", "hdf5", "reserve_room"]

CHUNK_BYTES = 1 << 16
CACHE_BYTES = 2 * CHUNK_BYTES
"""Memory of HDF5 for each stream, of which the last chunk alone grows; 8 MB otherwise, full after a while."""
CACHE_SLOTS = 11


def hdf5(purpose: str) -> Any:
    """The package h5py. Raises MissingDependencyError."""
    try:
        import h5py
    except ImportError:
        raise MissingDependencyError("h5py", "record", purpose) from None
    return h5py


def reserve_room(path: Path, size: int) -> None:
    """Have a file be of a size [bytes], with room on its disk. Raises OSError where there is none."""
    if hasattr(os, "posix_fallocate"):
        with path.open("rb+") as file:
            os.posix_fallocate(file.fileno(), 0, size)


class Stream:
    """Numbers of one type in a dataset that grows; made when the file is, so that no other table has to
    be."""

    def __init__(self, file: Any, name: str, dtype: str, compression: str | None) -> None:
        """A new dataset of a file."""
        self.name = name
        packed = {} if compression is None else {"compression": compression, "shuffle": True}
        chunk = CHUNK_BYTES // np.dtype(dtype).itemsize
        self._data = file.create_dataset(name, (0,), dtype, maxshape=(None,), chunks=(chunk,), **packed)
        self._count = 0
        self._path: Path | None = None

    def __len__(self) -> int:
        return self._count

    def append(self, numbers: Rows) -> None:
        """Add numbers (n,)."""
        first, self._count = self._count, self._count + len(numbers)
        if len(numbers):
            self._data.resize(self._count, axis=0)
            self._data[first:] = numbers

    def read(self, start: int, stop: int) -> Rows:
        """Numbers from one to before another."""
        if self._path is None:
            return np.asarray(self._data[start:stop])
        with hdf5("a recording in a file").File(self._path, "r") as file:
            return np.asarray(file[self.name][start:stop])

    def reopen_from(self, path: Path) -> None:
        """Read from the file, which is opened for each question from now on."""
        self._data, self._path = None, path
