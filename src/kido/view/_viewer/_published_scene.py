"""A scene in browsers."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kido.math import matrix_to_quaternion
from kido.typing import FloatArray
from kido.view._scene import DrawnItem, SceneChange, TriangleSurface
from kido.view._viewer._batches import Batch, Mould, batch_key
from kido.view._viewer._note_nodes import NoteNode

if TYPE_CHECKING:
    from viser import SceneApi

__all__ = ["PublishedScene"]

_W_FIRST = [3, 0, 1, 2]


class PublishedScene:
    """The items of a scene in browsers.

    Surfaces with one mould stand in one batch, whose poses are two arrays in one message; what did not move
    is not sent. Where an item comes, goes or looks different, its batch alone is sent again. The surface of a
    soft body has a batch of its own, and where its points moved, they alone are sent.
    """

    __slots__ = ("_attach", "_batches", "_moulds", "_names", "_notes", "_places", "_scene", "_sort")

    def __init__(
        self, scene: SceneApi, attach: Callable[[Batch], None], sort: Callable[[DrawnItem], Hashable]
    ) -> None:
        """An empty scene.

        Args:
            scene: of viser.
            attach: called with each batch of surfaces that comes, for clicks and drags.
            sort: items that it gives different answers for stand in different batches.
        """
        self._scene, self._attach, self._sort = scene, attach, sort
        self._moulds: dict[int, tuple[TriangleSurface, Mould]] = {}
        self._batches: dict[Hashable, Batch] = {}
        self._notes: dict[str, NoteNode] = {}
        self._places: dict[Hashable | str, NDArray[np.intp]] = {}
        self._names = 0

    def show(self, change: SceneChange) -> None:
        """Show a scene as it is now. Call it inside one atomic block of the server."""
        if change.is_structural or not self._places:
            self._rebuild(change.items)
            moved = np.ones(len(change.items), dtype=bool)
        else:
            moved = change.moved
            self._deform(change.deformed)
        if moved.any():
            self._place(change.poses, moved)

    def clear(self) -> None:
        """Take everything away."""
        for batch in self._batches.values():
            batch.remove()
        for note in self._notes.values():
            note.remove()
        self._batches, self._notes, self._places = {}, {}, {}

    # ---- what is there

    def _rebuild(self, items: Sequence[DrawnItem]) -> None:
        groups: dict[Hashable, list[int]] = {}
        notes: dict[str, int] = {}
        for index, item in enumerate(items):
            if isinstance(item.geometry, TriangleSurface):
                if len(item.geometry.triangles):
                    key = self._sort(item), batch_key(item, self._mould(item))
                    groups.setdefault(key, []).append(index)
            else:
                notes[item.key] = index
        self._places = {}
        self._renew_batches(items, groups)
        self._renew_notes(items, notes)
        used = {id(item.geometry) for item in items}
        self._moulds = {key: kept for key, kept in self._moulds.items() if key in used}

    def _renew_batches(self, items: Sequence[DrawnItem], groups: dict[Hashable, list[int]]) -> None:
        before, self._batches = self._batches, {}
        for key, indices in groups.items():
            members = [items[i] for i in indices]
            old = before.get(key)
            if old is not None and _alike(old.items, members):
                old.items = tuple(members)
                self._batches[key] = before.pop(key)
            elif old is not None and members[0].is_soft and members[0].deforms(old.items[0]):
                old.deform(members[0])
                self._batches[key] = before.pop(key)
            else:
                self._batches[key] = self._batch(members)
            self._places[key] = np.array(indices, dtype=np.intp)
        for batch in before.values():
            batch.remove()

    def _batch(self, members: Sequence[DrawnItem]) -> Batch:
        self._names += 1
        moulds = [self._mould(item) for item in members]
        name = f"/{members[0].key}" if len(members) == 1 else "/bodies"
        sizes = np.stack([mould.size for mould in moulds])
        batch = Batch(self._scene, f"{name}/{self._names}", moulds[0], members, sizes)
        self._attach(batch)
        return batch

    def _renew_notes(self, items: Sequence[DrawnItem], notes: dict[str, int]) -> None:
        for key in [key for key in self._notes if key not in notes]:
            self._notes.pop(key).remove()
        for key, index in notes.items():
            item, shown = items[index], self._notes.get(key)
            if shown is not None and type(shown.item.geometry) is not type(item.geometry):
                self._notes.pop(key).remove()
                shown = None
            if shown is None:
                self._notes[key] = NoteNode(self._scene, f"/{key}", item)
            elif not item.looks_like(shown.item):
                shown.change(item)
            self._places[key] = np.array([index], dtype=np.intp)

    def _deform(self, items: Sequence[DrawnItem]) -> None:
        """Show items whose points moved, and nothing else of the scene's structure did."""
        wanted = {item.key: item for item in items}
        for batch in self._batches.values():
            item = wanted.get(batch.items[0].key)
            if item is not None:
                batch.deform(item)

    def _mould(self, item: DrawnItem) -> Mould:
        geometry: Any = item.geometry
        if item.is_soft:
            return Mould.of_soft(item, geometry)
        known = self._moulds.get(id(geometry))
        if known is None:
            known = self._moulds[id(geometry)] = geometry, Mould.of(geometry)
        return known[1]

    # ---- where it is

    def _place(self, poses: FloatArray, moved: NDArray[np.bool_]) -> None:
        quaternions = matrix_to_quaternion(poses[:, :3, :3])[:, _W_FIRST]
        positions = poses[:, :3, 3]
        for key, batch in self._batches.items():
            where = self._places[key]
            if moved[where].any():
                batch.place(positions[where], quaternions[where])
        for name, note in self._notes.items():
            (index,) = self._places[name]
            if moved[index]:
                note.place(positions[index], quaternions[index])


def _alike(before: Sequence[DrawnItem], now: Sequence[DrawnItem]) -> bool:
    return len(before) == len(now) and all(
        old.key == new.key and new.looks_like(old) for old, new in zip(before, now, strict=True)
    )
