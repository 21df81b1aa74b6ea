"""Constraints of distances of shapes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from kido.collision import CollisionFilter, NativeDetector, NativeShape, native_shape
from kido.collision import distance as nearest_shapes
from kido.ik._posture._frame_place import FramePlace
from kido.ik._posture._layout import Layout, checked_skeletons
from kido.ik._posture._native_term import NativePlace, NativeTerm
from kido.ik._posture._pose_constraints import checked_bounds
from kido.ik._posture._term import PostureConstraint, TermBounds, UserParts, look_at
from kido.shape import HeightField, Mesh, Plane, Shape
from kido.skeleton import ShapeNode, Skeleton
from kido.typing import ArrayLike, FloatArray, frozen_array
from kido.values import (
    Checked,
    Value,
    checked,
    checked_items,
    checked_part,
    checked_text,
    checked_whole,
    part,
    value,
)

__all__ = [
    "MinimumDistanceLowerBoundConstraint",
    "MinimumDistanceUpperBoundConstraint",
    "ShapeDistanceConstraint",
    "ShapePairs",
    "ShapePlace",
]

Pair = tuple["ShapeNode | ShapePlace", "ShapeNode | ShapePlace"]


@value
class ShapePlace(Value):
    """A shape on a body.

    Attributes:
        shape: the shape.
        place: its frame.
        name: of its node, in messages.
    """

    shape: Shape = part(Shape)
    place: FramePlace = part(FramePlace)
    name: str = checked(checked_text, default="shape")

    @classmethod
    def of(cls, node: ShapeNode) -> ShapePlace:
        """Of a shape node as it is now."""
        return cls(node.shape, FramePlace.of(node), node.name)

    def __str__(self) -> str:
        return f"{self.place}.{self.name}"


def _checked_shape(name: str, given: ShapeNode | ShapePlace) -> ShapePlace:
    if isinstance(given, ShapePlace):
        return given
    return ShapePlace.of(checked_part(name, ShapeNode, given))


def _native(layout: Layout, shape: ShapePlace) -> tuple[NativeShape, NativePlace]:
    compiled = native_shape(shape.shape)
    tree, body, pose = layout.place(shape.place)
    return compiled, (tree, body, compiled.placed(pose))


def _require_supported(first: ShapePlace, second: ShapePlace) -> None:
    """Raises UnsupportedShapeError for shapes whose distance the native detector cannot tell."""
    if any(isinstance(one.shape, Plane | Mesh | HeightField) for one in (first, second)):
        T = np.eye(4)
        T[2, 3] = 10.0
        NativeDetector().distance(first.shape, T, second.shape, np.eye(4))


def _checked_distance_bound(name: str, given: float) -> float:
    return float(frozen_array(name, given, (), "m", finite=False))


@value
class ShapeDistanceConstraint(PostureConstraint):
    """The signed distance of two shapes is between bounds; negative: by how far they overlap.

    Value: the distance (1,) [m].

    Attributes:
        first, second: shape nodes.
        lower, upper: bounds [m]; may be infinite.

    Source: DistanceConstraint of Drake's InverseKinematics.
    """

    first: Checked[ShapeNode | ShapePlace, ShapePlace] = checked(_checked_shape)
    second: Checked[ShapeNode | ShapePlace, ShapePlace] = checked(_checked_shape)
    lower: Checked[float, float] = checked(_checked_distance_bound)
    upper: Checked[float, float] = checked(_checked_distance_bound, default=np.inf)

    def _check(self) -> None:
        checked_bounds(np.array(self.lower), np.array(self.upper))
        _require_supported(self.first, self.second)

    @property
    def text(self) -> str:
        """Names of the shapes."""
        return f"distance of {self.first} and {self.second}"

    def native_terms(self, layout: Layout, extra: int) -> list[NativeTerm]:
        """One pair."""
        (a, place_a), (b, place_b) = _native(layout, self.first), _native(layout, self.second)
        return [
            NativeTerm(
                kind="shapes",
                rows=1,
                pairs=((a.compiled, place_a, b.compiled, place_b),),
                lower=np.array([self.lower]),
                upper=np.array([self.upper]),
            )
        ]


class ShapePairs:
    """Pairs of shapes, each shape once."""

    def __init__(self, pairs: Iterable[Pair]) -> None:
        """Raises TypeError for others than pairs of shape nodes, ValueError for none."""
        self.shapes: list[ShapePlace] = []
        self.indices: list[tuple[int, int]] = []
        places: dict[int, int] = {}
        for k, given in enumerate(pairs):
            if not isinstance(given, Sequence) or len(given) != 2:
                raise TypeError(f"pairs[{k}]: expected two shape nodes, got {given!r}")
            found = []
            for one in given:
                if id(one) not in places:
                    places[id(one)] = len(self.shapes)
                    self.shapes.append(_checked_shape(f"pairs[{k}]", one))
                found.append(places[id(one)])
            _require_supported(self.shapes[found[0]], self.shapes[found[1]])
            self.indices.append((found[0], found[1]))
        if not self.indices:
            raise ValueError("pairs: expected one at least")

    @classmethod
    def of(
        cls, skeletons: Iterable[Skeleton], pairs: Iterable[Pair] | None, rules: CollisionFilter | None
    ) -> ShapePairs:
        """Given pairs, or those within and between skeletons that a filter lets meet."""
        if pairs is not None:
            if rules is not None:
                raise ValueError("filter: expected none beside pairs")
            return cls(pairs)
        return cls(
            nearest_shapes(list(skeletons), filter=rules or CollisionFilter(self_collisions=True)).shapes
        )


def _checked_shapes(name: str, given: Any) -> tuple[ShapePlace, ...]:
    nodes: tuple[Any, ...] = checked_items(name, (ShapeNode, ShapePlace), given)
    return tuple(_checked_shape(name, one) for one in nodes)


def _checked_indices(name: str, given: Any) -> tuple[tuple[int, int], ...]:
    listed = checked_items(name, (tuple, list), given)
    for pair in listed:
        if len(pair) != 2:
            raise ValueError(f"{name}: expected pairs of indices, got {pair!r}")
    return tuple((checked_whole(name, a), checked_whole(name, b)) for a, b in listed)


class _MinimumDistance(PostureConstraint):
    """Base of both bounds of the least distance."""

    __slots__ = ()
    shapes: Any
    pairs: Any
    bound: Any
    influence_distance: Any

    def _native_pairs(self, layout: Layout) -> tuple[Any, ...]:
        native = [_native(layout, shape) for shape in self.shapes]
        return tuple(
            (native[a][0].compiled, native[a][1], native[b][0].compiled, native[b][1]) for a, b in self.pairs
        )

    def distances(
        self, skeletons: Skeleton | Iterable[Skeleton], positions: ArrayLike | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """Signed distances (k,) of the pairs [m], and their derivatives (k, num_dofs) by velocities."""
        layout = Layout(checked_skeletons(skeletons), follows=False)
        q = layout.checked_positions("positions", positions)
        endless = np.full(layout.num_dofs, np.inf)
        program = layout.program(lower=-endless, upper=endless, extras=0, scale=np.ones(layout.num_dofs))
        pairs = self._native_pairs(layout)
        NativeTerm(kind="shapes", rows=len(pairs), pairs=pairs).add_to(program, is_cost=False)
        found = look_at(program, q, np.zeros(0), UserParts(layout, ()))
        return found[0], found[1]

    def _check_pairs(self) -> None:
        for i in (i for pair in self.pairs for i in pair):
            if not 0 <= i < len(self.shapes):
                raise ValueError(f"pairs: expected indices of {len(self.shapes)} shapes, got {i}")
        if not self.pairs or not self.bound < self.influence_distance < np.inf:
            raise ValueError(
                f"influence_distance: expected above the bound {self.bound} [m], finite, "
                f"got {self.influence_distance}, and one pair at least"
            )


@value
class MinimumDistanceLowerBoundConstraint(_MinimumDistance):
    """No two shapes are nearer to each other than a bound.

    Value: the least distance (1,) [m]. kido's own solver has a row for each pair that is nearer than
    `influence_distance`; others get one smooth function of all (`penalty`).

    Attributes:
        shapes: each once.
        pairs: indices of two shapes each.
        bound: least distance [m].
        influence_distance: pairs that are farther apart do not count [m], above the bound.

    Source: MinimumDistanceLowerBoundConstraint of Drake's InverseKinematics.
    """

    shapes: Checked[Any, tuple[ShapePlace, ...]] = checked(_checked_shapes)
    pairs: Checked[Any, tuple[tuple[int, int], ...]] = checked(_checked_indices)
    bound: Checked[float, float] = checked(_checked_distance_bound)
    influence_distance: Checked[float, float] = checked(_checked_distance_bound)

    def _check(self) -> None:
        self._check_pairs()

    @property
    def text(self) -> str:
        """Number of pairs."""
        return f"least distance of {len(self.pairs)} pairs of shapes"

    def native_terms(self, layout: Layout, extra: int) -> list[NativeTerm]:
        """A row for each pair."""
        pairs = self._native_pairs(layout)
        return [
            NativeTerm(
                kind="shapes",
                rows=len(pairs),
                pairs=pairs,
                lower=np.full(len(pairs), self.bound),
                influence=self.influence_distance,
            )
        ]

    def value(
        self,
        skeletons: Skeleton | Iterable[Skeleton],
        positions: ArrayLike | None = None,
        *,
        forces: ArrayLike | None = None,
    ) -> FloatArray:
        """The least distance (1,) [m]. Raises as those of other constraints."""
        return np.array([self.distances(skeletons, positions)[0].min()])

    def jacobian(
        self,
        skeletons: Skeleton | Iterable[Skeleton],
        positions: ArrayLike | None = None,
        *,
        forces: ArrayLike | None = None,
    ) -> FloatArray:
        """Derivative (1, num_dofs) of the least distance by velocities [m/rad, -]. Raises as `value` does."""
        distances, slopes = self.distances(skeletons, positions)
        return np.asarray(slopes[[distances.argmin()]])

    def bounds(self, skeletons: Skeleton | Iterable[Skeleton]) -> TermBounds:
        """Bounds (1,) of the least distance [m]."""
        return TermBounds(np.array([self.bound]), np.array([np.inf]))

    def penalty(
        self, skeletons: Skeleton | Iterable[Skeleton], positions: ArrayLike | None = None
    ) -> tuple[float, FloatArray]:
        """A smooth function that is at most 1 only where the bound holds, and its gradient (num_dofs,)
        [1/rad, 1/m].
        """
        return _smooth_most(*self.distances(skeletons, positions), self.bound, self.influence_distance)


@value
class MinimumDistanceUpperBoundConstraint(_MinimumDistance):
    """Two shapes of some pairs at least are nearer to each other than a bound.

    Value: the least distance (1,) [m].

    Attributes:
        shapes: each once.
        pairs: indices of two shapes each.
        bound: largest value of the least distance [m].
        influence_distance: pairs that are farther apart do not count for `penalty` [m], above the bound.

    Source: MinimumDistanceUpperBoundConstraint of Drake's InverseKinematics.
    """

    shapes: Checked[Any, tuple[ShapePlace, ...]] = checked(_checked_shapes)
    pairs: Checked[Any, tuple[tuple[int, int], ...]] = checked(_checked_indices)
    bound: Checked[float, float] = checked(_checked_distance_bound)
    influence_distance: Checked[float, float] = checked(_checked_distance_bound)

    def _check(self) -> None:
        self._check_pairs()

    @property
    def text(self) -> str:
        """Number of pairs."""
        return f"nearness of one of {len(self.pairs)} pairs of shapes"

    def native_terms(self, layout: Layout, extra: int) -> list[NativeTerm]:
        """The least distance."""
        pairs = self._native_pairs(layout)
        return [NativeTerm(kind="nearest", rows=1, pairs=pairs, upper=np.array([self.bound]))]

    def penalty(
        self, skeletons: Skeleton | Iterable[Skeleton], positions: ArrayLike | None = None
    ) -> tuple[float, FloatArray]:
        """A smooth function that is at least 1 only where the bound holds, and its gradient (num_dofs,)
        [1/rad, 1/m].
        """
        return _smooth_least(*self.distances(skeletons, positions), self.bound, self.influence_distance)


_SHARPNESS = 100.0


def _hinge(x: FloatArray) -> tuple[FloatArray, FloatArray]:
    """A hinge that is quadratic near its corner, and its slope: 0 above 0, -1/2 - x below -1."""
    value = np.where(x >= 0.0, 0.0, np.where(x > -1.0, 0.5 * x * x, -0.5 - x))
    slope = np.where(x >= 0.0, 0.0, np.where(x > -1.0, x, -1.0))
    return value, slope


def _hinged(
    distances: FloatArray, slopes: FloatArray, bound: float, influence: float
) -> tuple[FloatArray, FloatArray]:
    width = influence - bound
    value, slope = _hinge((distances - influence) / width)
    return 2.0 * value, 2.0 * slope[:, None] * slopes / width


def _smooth_most(
    distances: FloatArray, slopes: FloatArray, bound: float, influence: float
) -> tuple[float, FloatArray]:
    """An upper bound of the largest penalty: log(sum exp(a x)) / a."""
    y, J = _hinged(distances, slopes, bound, influence)
    most = float(y.max())
    e = np.exp(_SHARPNESS * (y - most))
    return most + float(np.log(e.sum())) / _SHARPNESS, np.asarray(e / e.sum() @ J)


def _smooth_least(
    distances: FloatArray, slopes: FloatArray, bound: float, influence: float
) -> tuple[float, FloatArray]:
    """A lower bound of the largest penalty: their mean with weights exp(a x)."""
    y, J = _hinged(distances, slopes, bound, influence)
    e = np.exp(_SHARPNESS * (y - y.max()))
    w = e / e.sum()
    mean = float(w @ y)
    return mean, np.asarray((w * (1.0 + _SHARPNESS * (y - mean))) @ J)
