"""The models of a recording, built again."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from pathlib import Path

from kido.errors import KidoError, RecordingError
from kido.io import model_of_bytes
from kido.recording._part import RecordingPart
from kido.recording._tables import Store
from kido.typing import PathLike
from kido.world import SavedWorld, World

__all__ = ["Models"]


class Models:
    """The models of a recording, each read once."""

    def __init__(self, store: Store, types: Iterable[type], mesh_folder: PathLike | None) -> None:
        self._store = store
        self._types = tuple(types)
        self._mesh_folder = mesh_folder
        self._read: dict[int, SavedWorld] = {}
        self._worlds: dict[int, World] = {}

    def saved(self, part: RecordingPart, number: int | None = None) -> SavedWorld:
        """The model of a part, or that of a number. Raises RecordingError, SavedFileError."""
        layout, name = part.layout, self._store.name
        index = layout.model if number is None else number
        if index < 0:
            raise RecordingError(name, f"holds no model of the world: {layout.no_model or 'it is not whole'}")
        if index not in self._read:
            self._read[index] = self._decoded(index)
        return self._read[index]

    def _decoded(self, index: int) -> SavedWorld:
        name = self._store.name
        try:
            packed = self._store.model(index)
            if not isinstance(packed, bytes):
                return packed
            content = zlib.decompress(packed)
        except (zlib.error, IndexError, OSError) as error:
            raise RecordingError(name, f"its model {index} is not whole: {error}") from error
        path = Path(name).absolute()
        model = model_of_bytes(content, path, types=self._types, mesh_folder=self._mesh_folder)
        if not isinstance(model, SavedWorld):
            raise RecordingError(name, f"model {index}: expected a world, got a {type(model).__name__}")
        return model

    def world(self, part: RecordingPart) -> World:
        """The world of a part, at whatever time; the same one each time. Raises as `saved`."""
        index = part.layout.model
        if index not in self._worlds:
            try:
                self._worlds[index] = self.saved(part).build()
            except RecordingError:
                raise
            except KidoError as error:
                raise RecordingError(
                    self._store.name, f"its model {index} cannot be built: {error}"
                ) from error
        return self._worlds[index]
