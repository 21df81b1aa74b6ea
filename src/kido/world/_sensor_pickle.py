"""Sensors of a rollout as bytes, without the world whose parts they name."""

from __future__ import annotations

import io
import pickle
from collections.abc import Mapping

from kido.skeleton import BodyNode, ShapeNode, Skeleton
from kido.world._rollout_sensors import RolloutSensor
from kido.world._world import World

__all__ = ["packed_sensors", "unpacked_sensors"]

_Place = tuple[int, ...]
"""Index of a skeleton in its world, of a body in it, of a shape on that."""


def packed_sensors(world: World, sensors: Mapping[str, RolloutSensor]) -> bytes:
    """Sensors pickled, where skeletons, bodies and shapes of the world are places in it.

    Raises what their own attributes raise that do not pickle.
    """
    stream = io.BytesIO()
    _Packer(stream, world).dump(dict(sensors))
    return stream.getvalue()


def unpacked_sensors(world: World, packed: bytes) -> dict[str, RolloutSensor]:
    """The same sensors of another world that is built alike."""
    sensors: dict[str, RolloutSensor] = _Unpacker(io.BytesIO(packed), world).load()
    return sensors


class _Packer(pickle.Pickler):
    def __init__(self, stream: io.BytesIO, world: World) -> None:
        super().__init__(stream)
        self._skeletons = {id(skeleton): index for index, skeleton in enumerate(world.skeletons)}

    def persistent_id(self, item: object) -> _Place | None:
        """The place of what belongs to the world."""
        if isinstance(item, Skeleton):
            return self._place(item)
        if isinstance(item, BodyNode):
            return self._place(item.skeleton, item.index)
        if isinstance(item, ShapeNode):
            shapes = [id(node) for node in item.body.shape_nodes]
            return self._place(item.skeleton, item.body.index, shapes.index(id(item)))
        return None

    def _place(self, skeleton: Skeleton, *inner: int) -> _Place | None:
        index = self._skeletons.get(id(skeleton))
        return None if index is None else (index, *inner)


class _Unpacker(pickle.Unpickler):
    def __init__(self, stream: io.BytesIO, world: World) -> None:
        super().__init__(stream)
        self._world = world

    def persistent_load(self, place: _Place) -> Skeleton | BodyNode | ShapeNode:
        """Object at a place."""
        skeleton = self._world.skeletons[place[0]]
        if len(place) == 1:
            return skeleton
        body = skeleton.bodies[place[1]]
        return body if len(place) == 2 else body.shape_nodes[place[2]]
