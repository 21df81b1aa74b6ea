"""Questions about skeletons, bodies and shapes where they are, or in many positions at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kido._core import brief
from kido.collision._collision_filter import CollisionFilter
from kido.collision._detector import CollisionDetector
from kido.collision._native_detector import NATIVE
from kido.collision._results import ContactPoints
from kido.collision._shape_group import Parts, Positions, group_of, pairs_between, poses_of
from kido.errors import UnsupportedShapeError
from kido.skeleton import ShapeNode, Skeleton
from kido.typing import ArrayLike, FloatArray, frozen_array
from kido.values import checked_part

__all__ = [
    "ContactPoint",
    "Contacts",
    "NearestShapes",
    "ShapeHits",
    "SweptShapes",
    "contacts",
    "distance",
    "ray_cast",
    "sweep",
]

Pair = tuple[ShapeNode, ShapeNode]


class ContactPoint(NamedTuple):
    """A point where two shapes touch.

    Attributes:
        first, second: the shapes.
        point: between their surfaces (3,) [m].
        normal: unit vector (3,) from the second to the first.
        depth: overlap along the normal [m].
        sample: index of the positions, where many were asked.
    """

    first: ShapeNode
    second: ShapeNode
    point: FloatArray
    normal: FloatArray
    depth: float
    sample: int


@dataclass(frozen=True, eq=False)
class Contacts:
    """Points where shapes touch: arrays over n points, or one ContactPoint after the other by iteration.

    Attributes:
        shapes: pairs of shapes that were asked.
        pair: which of them a point belongs to (n,).
        points: where they touch, see ContactPoints.
    """

    shapes: tuple[Pair, ...]
    pair: NDArray[np.int64]
    points: ContactPoints

    @property
    def touching(self) -> tuple[Pair, ...]:
        """The pairs that touch in some sample."""
        return tuple(self.shapes[k] for k in np.unique(self.pair).tolist())

    def __len__(self) -> int:
        return len(self.pair)

    def __iter__(self) -> Iterator[ContactPoint]:
        found = self.points
        for k, point in enumerate(found.point):
            first, second = self.shapes[int(self.pair[k])]
            depth, sample = float(found.depth[k]), int(found.sample[k])
            yield ContactPoint(first, second, point, found.normal[k], depth, sample)


class NearestShapes(NamedTuple):
    """The two shapes that are nearest to each other, or deepest in each other, in each sample.

    Attributes:
        distance: (...) [m], negative where shapes overlap, infinite where there is no pair.
        normal: (..., 3) from the second shape to the first; NaN where there is no pair.
        on_first, on_second: nearest points (..., 3) [m].
        pair: which of `shapes` it is (...), -1: none.
        shapes: the pairs that were asked.
    """

    distance: FloatArray
    normal: FloatArray
    on_first: FloatArray
    on_second: FloatArray
    pair: NDArray[np.int64]
    shapes: tuple[Pair, ...]


class ShapeHits(NamedTuple):
    """First hits of rays with shapes.

    Attributes:
        distance: along the rays (...) [m], infinite where they meet nothing.
        point: where (..., 3) [m]; NaN where they meet nothing.
        normal: of the surface there (..., 3); NaN where they meet nothing.
        shape: which of `shapes` is met (...), -1: none.
        shapes: those that were asked.
    """

    distance: FloatArray
    point: FloatArray
    normal: FloatArray
    shape: NDArray[np.int64]
    shapes: tuple[ShapeNode, ...]


class SweptShapes(NamedTuple):
    """First contacts of shapes in a motion, and their times.

    Attributes:
        time: share of the motion (...), 0 to 1; infinite where nothing is met.
        normal: then (..., 3), from the second shape to the first; NaN where nothing is met.
        on_first, on_second: nearest points then (..., 3) [m].
        pair: which of `shapes` it is (...), -1: none.
        shapes: the pairs that were asked.
    """

    time: FloatArray
    normal: FloatArray
    on_first: FloatArray
    on_second: FloatArray
    pair: NDArray[np.int64]
    shapes: tuple[Pair, ...]


def contacts(
    first: Parts,
    second: Parts | None = None,
    *,
    margin: float = 0.0,
    positions: Positions | None = None,
    filter: CollisionFilter | None = None,
    detector: CollisionDetector = NATIVE,
) -> Contacts:
    """Points where shapes touch: those of `first` and `second`, or within `first`.

    Args:
        first: a skeleton, body, shape node, or a group of these.
        second: another one; None: within the first.
        margin: distance up to which shapes are in contact [m].
        positions: of some skeletons (..., num_dofs) [rad, m], in place of their own.
        filter: which pairs are asked; None: all of two groups, within one those of a new CollisionFilter.
        detector: which answers.

    Returns:
        All points; with many positions, `points.sample` says of which.

    Raises:
        TypeError, ValueError: naming the argument.
        UnsupportedShapeError: a pair that the detector cannot test, naming both.
    """
    pairs = _asked(first, second, filter)
    places = _Places(positions)
    found = []
    for a, b in pairs:
        with _Naming(a, b):
            T_a, T_b = places.of(a), places.of(b)
            found.append(detector.contacts(a.shape, T_a, b.shape, T_b, margin=margin))
    index = [np.full(len(points), k, dtype=np.int64) for k, points in enumerate(found)]
    return Contacts(tuple(pairs), np.concatenate([np.empty(0, dtype=np.int64), *index]), _joined(found))


def distance(
    first: Parts,
    second: Parts | None = None,
    *,
    positions: Positions | None = None,
    filter: CollisionFilter | None = None,
    detector: CollisionDetector = NATIVE,
) -> NearestShapes:
    """The least signed distance of shapes of `first` and `second`, or within `first`.

    Args:
        first: a skeleton, body, shape node, or a group of these.
        second: another one; None: within the first.
        positions: of some skeletons (..., num_dofs) [rad, m], in place of their own.
        filter: which pairs are asked; None: all of two groups, within one those of a new CollisionFilter.
        detector: which answers.

    Returns:
        Distance and nearest points in each sample, and between which shapes.

    Raises:
        TypeError, ValueError: naming the argument.
        UnsupportedShapeError: a pair that the detector cannot test, naming both.
    """
    pairs = _asked(first, second, filter)
    places = _Places(positions)
    best = _Best(places.leading)
    for k, (a, b) in enumerate(pairs):
        with _Naming(a, b):
            best.offer(k, *detector.distance(a.shape, places.of(a), b.shape, places.of(b)))
    normal, on_first, on_second = best.vectors
    return NearestShapes(best.value, normal, on_first, on_second, best.index, tuple(pairs))


def ray_cast(
    parts: Parts,
    origin: ArrayLike,
    direction: ArrayLike,
    length: float = float("inf"),
    *,
    positions: Positions | None = None,
    detector: CollisionDetector = NATIVE,
) -> ShapeHits:
    """First hits of rays with shapes.

    Args:
        parts: skeletons, bodies, shape nodes, or groups of these.
        origin: of the rays (..., 3) [m].
        direction: of the rays (..., 3), of any length but zero [-].
        length: of the rays [m].
        positions: of some skeletons (..., num_dofs) [rad, m], in place of their own; broadcast with the rays.
        detector: which answers.

    Returns:
        Distance, point and normal of each ray, and which shape it meets.

    Raises:
        TypeError, ValueError: naming the argument.
        UnsupportedShapeError: a shape that the detector cannot test, naming its node.
    """
    nodes = group_of("parts", parts).nodes
    starts = _batch("origin", origin, (3,), "m")
    ways = _batch("direction", direction, (3,), "-")
    places = _Places(positions)
    best = _Best(np.broadcast_shapes(starts.shape[:-1], ways.shape[:-1], places.leading))
    for k, node in enumerate(nodes):
        with _Naming(node):
            hits = detector.ray_cast(node.shape, places.of(node), starts, ways, length)
        best.offer(k, hits.distance, hits.normal)
    lengths = np.linalg.norm(ways, axis=-1, keepdims=True)
    with np.errstate(invalid="ignore"):
        point = starts + best.value[..., None] * (ways / np.where(lengths > 0.0, lengths, 1.0))
    point = np.where(np.isfinite(best.value)[..., None], point, np.nan)
    return ShapeHits(best.value, point, best.vectors[0], best.index, tuple(nodes))


def sweep(
    first: Parts,
    second: Parts,
    motion: ArrayLike,
    *,
    tolerance: float = 1e-6,
    positions: Positions | None = None,
    filter: CollisionFilter | None = None,
    detector: CollisionDetector = NATIVE,
) -> SweptShapes:
    """First contacts of shapes of `first` with those of `second`, moved from their poses by a rigid motion.

    The origin of each shape moves along a line, its axes turn about one axis by the shorter way, both at
    constant speeds.

    Args:
        first: skeletons, bodies, shape nodes, or groups of these, which move.
        second: those that stand.
        motion: transforms (..., 4, 4) in world coordinates, or displacements (..., 3) [m].
        tolerance: distance from which on shapes meet [m].
        positions: of some skeletons (..., num_dofs) [rad, m], in place of their own.
        filter: which pairs are asked; None: all.
        detector: which answers.

    Returns:
        Time and place of each sample's first meeting, and which shapes meet.

    Raises:
        TypeError, ValueError: naming the argument.
        UnsupportedShapeError: a pair that the detector cannot test, naming both.
    """
    moves = _motions(motion)
    pairs = _asked(first, second, filter)
    places = _Places(positions)
    best = _Best(np.broadcast_shapes(moves.shape[:-2], places.leading))
    for k, (a, b) in enumerate(pairs):
        T_a, T_b = places.of(a), places.of(b)
        with _Naming(a, b):
            hits = detector.sweep(a.shape, (T_a, moves @ T_a), b.shape, (T_b, T_b), tolerance=tolerance)
        best.offer(k, *hits)
    normal, on_first, on_second = best.vectors
    return SweptShapes(best.value, normal, on_first, on_second, best.index, tuple(pairs))


class _Best:
    """The least of what pairs answered, for each sample, and what belongs to it."""

    def __init__(self, leading: tuple[int, ...]) -> None:
        self.value: FloatArray = np.full(leading, np.inf)
        self.index: NDArray[np.int64] = np.full(leading, -1, dtype=np.int64)
        self.vectors = [np.full((*leading, 3), np.nan) for _ in range(3)]

    def offer(self, k: int, value: FloatArray, *vectors: FloatArray) -> None:
        given = np.broadcast_to(value, self.value.shape)
        better = given < self.value
        self.value = np.where(better, given, self.value)
        self.index = np.where(better, k, self.index)
        for i, vector in enumerate(vectors):
            self.vectors[i] = np.where(better[..., None], vector, self.vectors[i])


class _Places:
    """Poses of shapes at given positions."""

    def __init__(self, positions: Positions | None) -> None:
        if positions is not None and not isinstance(positions, Mapping):
            raise TypeError(f"positions: expected a mapping from skeletons, got {brief(positions)}")
        self._positions: dict[Skeleton, FloatArray] = {}
        self.leading: tuple[int, ...] = ()
        for skeleton, given in (positions or {}).items():
            kept = checked_part("positions", Skeleton, skeleton)
            numbers = _batch("positions", given, (kept.num_dofs,), "rad, m")
            self._positions[kept] = numbers
            self.leading = np.broadcast_shapes(self.leading, numbers.shape[:-1])
        self._known: dict[int, FloatArray] = {}

    def of(self, node: ShapeNode) -> FloatArray:
        if id(node) not in self._known:
            T = poses_of(node, self._positions)
            self._known[id(node)] = np.broadcast_to(T, (*self.leading, 4, 4))
        return self._known[id(node)]


class _Naming:
    """Names the nodes of a pair that cannot be tested."""

    def __init__(self, *nodes: ShapeNode) -> None:
        self._nodes = nodes

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, UnsupportedShapeError):
            names = " and ".join(f"{node.skeleton.name}.{node.name}" for node in self._nodes)
            shapes = " and ".join(type(node.shape).__name__ for node in self._nodes)
            raise UnsupportedShapeError(shapes, names, error.detector) from error


def _asked(first: Parts, second: Parts | None, rules: CollisionFilter | None) -> list[Pair]:
    if rules is not None:
        checked_part("filter", CollisionFilter, rules, or_none=" or None")
    other = None if second is None else group_of("second", second)
    return pairs_between(group_of("first", first), other, rules)


def _batch(name: str, value: ArrayLike, trailing: tuple[int, ...], unit: str) -> FloatArray:
    """Numbers with any leading axes."""
    array = frozen_array(name, value, None, unit)
    if array.shape[array.ndim - len(trailing) :] != trailing or array.ndim < len(trailing):
        shape = ", ".join(map(str, trailing))
        raise ValueError(f"{name}: expected shape (..., {shape}) [{unit}], got {array.shape}")
    return array


def _motions(motion: ArrayLike) -> FloatArray:
    given = np.asarray(motion)
    if given.ndim > 1 and given.shape[-2:] == (4, 4):
        return _batch("motion", motion, (4, 4), "m")
    by = _batch("motion", motion, (3,), "m")
    moves = np.zeros((*by.shape[:-1], 4, 4))
    moves[..., range(4), range(4)] = 1.0
    moves[..., :3, 3] = by
    return moves


def _joined(found: list[ContactPoints]) -> ContactPoints:
    none = np.empty((0, 3))
    whole = np.empty(0, dtype=np.int64)
    return ContactPoints(
        np.concatenate([whole, *(points.sample for points in found)]),
        np.concatenate([none, *(points.normal for points in found)]),
        np.concatenate([none, *(points.on_first for points in found)]),
        np.concatenate([none, *(points.on_second for points in found)]),
        np.concatenate([np.empty(0), *(points.depth for points in found)]),
        np.concatenate([whole, *(points.manifold for points in found)]),
    )
