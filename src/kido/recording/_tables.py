"""Tables that rows are added to, in memory or in a file."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kido.recording._layout import PartLayout
from kido.world import SavedWorld

__all__ = ["MemoryStore", "PackedModel", "Store", "StoredPart", "Table", "TableSpec"]

Rows = NDArray[Any]

PackedModel: TypeAlias = "SavedWorld | bytes"
"""A model as a value, or as compressed bytes of kido's JSON."""


class TableSpec(NamedTuple):
    """A table: shape and type of a row, unit, and names of its columns where there are any; whether it has a
    row for each sample, and may be left out of a file as long as all are zeros."""

    shape: tuple[int, ...] = ()
    dtype: str = "f8"
    unit: str = ""
    columns: tuple[str, ...] = ()
    may_be_blank: bool = False


class Table(ABC):
    """Rows of one shape, in the order in which they came."""

    @abstractmethod
    def append(self, rows: Rows) -> None:
        """Add rows (n, ...)."""

    @abstractmethod
    def append_zeros(self, count: int) -> None:
        """Add so many rows of zeros."""

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def read(self, start: int = 0, stop: int | None = None) -> Rows:
        """Rows from `start` to before `stop`, as a new array."""


class MemoryTable(Table):
    """A table in memory."""

    def __init__(self, spec: TableSpec) -> None:
        self._blocks = [np.zeros((0, *spec.shape), spec.dtype)]
        self._dtype = spec.dtype
        self._count = 0

    def append(self, rows: Rows) -> None:
        """Add rows (n, ...)."""
        self._blocks.append(np.asarray(rows, self._dtype))
        self._count += len(rows)

    def append_zeros(self, count: int) -> None:
        """Add so many rows of zeros."""
        self._blocks.append(np.broadcast_to(np.zeros((), self._dtype), (count, *self._blocks[0].shape[1:])))
        self._count += count

    def __len__(self) -> int:
        return self._count

    def read(self, start: int = 0, stop: int | None = None) -> Rows:
        """Rows from `start` to before `stop`, as a new array."""
        if len(self._blocks) > 1:
            self._blocks = [np.concatenate(self._blocks)]
        return np.array(self._blocks[0][start:stop])


class StoredPart(NamedTuple):
    """A part of a recording in its store: what its tables mean, and these by name."""

    layout: PartLayout
    tables: Mapping[str, Table]


class Store(ABC):
    """Storage of a recording: its parts, whole models as bytes, events.

    Attributes:
        name: of the file, or of the world.
        notes: what is not whole, or not known, in a file.
    """

    name: str
    notes: tuple[str, ...] = ()

    @property
    @abstractmethod
    def parts(self) -> list[StoredPart]:
        """The parts, in their order."""

    @abstractmethod
    def add_part(self, layout: PartLayout, specs: Mapping[str, TableSpec]) -> StoredPart:
        """Begin a part with tables."""

    @property
    @abstractmethod
    def is_memory(self) -> bool:
        """Whether models are kept as values, else as bytes."""

    @abstractmethod
    def add_model(self, model: PackedModel) -> None:
        """Keep a model, whose number is how many there were before."""

    @abstractmethod
    def model(self, number: int) -> PackedModel:
        """The model of a number."""

    @abstractmethod
    def add_events(self, lines: Iterable[bytes]) -> None:
        """Add events, each one as JSON."""

    @abstractmethod
    def events(self) -> list[bytes]:
        """The events, each one as JSON."""

    @abstractmethod
    def flush(self) -> None:
        """Bring what was added to where it outlives the process, where there is such a place."""

    @abstractmethod
    def reserve(self, count: int) -> None:
        """Have room for so many bytes more. Raises OSError where there is none."""

    @abstractmethod
    def close(self, *, is_whole: bool = True) -> None:
        """Write no more; reading goes on. Doing so twice does no harm. `is_whole`: whether all was
        written."""


class MemoryStore(Store):
    """A recording in memory."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._parts: list[StoredPart] = []
        self._models: list[PackedModel] = []
        self._events: list[bytes] = []

    @property
    def parts(self) -> list[StoredPart]:
        """The parts, in their order."""
        return self._parts

    def add_part(self, layout: PartLayout, specs: Mapping[str, TableSpec]) -> StoredPart:
        """Begin a part with tables."""
        part = StoredPart(layout, {name: MemoryTable(spec) for name, spec in specs.items()})
        self._parts.append(part)
        return part

    @property
    def is_memory(self) -> bool:
        """True."""
        return True

    def add_model(self, model: PackedModel) -> None:
        """Keep a model, whose number is how many there were before."""
        self._models.append(model)

    def model(self, number: int) -> PackedModel:
        """The model of a number."""
        return self._models[number]

    def add_events(self, lines: Iterable[bytes]) -> None:
        """Add events, each one as JSON."""
        self._events.extend(lines)

    def events(self) -> list[bytes]:
        """The events, each one as JSON."""
        return list(self._events)

    def flush(self) -> None:
        """Nothing: memory ends with the process."""

    def reserve(self, count: int) -> None:
        """Nothing."""

    def close(self, *, is_whole: bool = True) -> None:
        """Nothing."""
