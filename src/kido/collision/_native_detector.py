"""The detector that worlds use by default."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from kido import _core
from kido.collision._detector import CollisionDetector, pair_names
from kido.collision._native_shape import NativeShape, native_shape
from kido.collision._results import ContactPoints, Distances, RayHits, SweepHits
from kido.errors import UnsupportedShapeError
from kido.shape import Shape
from kido.typing import ArrayLike

__all__ = ["NATIVE", "NativeDetector"]


class NativeDetector(CollisionDetector):
    """All shapes of `kido.shape`, in native code; many poses are shared among threads.

    Convex shapes by distances and depths of their difference (GJK, EPA); meshes that are not convex and
    height fields by the triangles near the other shape; two meshes, or a mesh and a height field, by what is
    behind triangles of one that are near the other: contacts only. Two planes, and two height fields,
    are no pairs; nor are two surfaces of triangles for distances and sweeps.
    """

    __slots__ = ()

    name = "the native detector"

    def contacts(
        self,
        first: Shape,
        T_first: ArrayLike,
        second: Shape,
        T_second: ArrayLike,
        *,
        margin: float = 0.0,
    ) -> ContactPoints:
        """Points where two shapes touch: up to four in each plane of contact."""
        a, b = native_shape(first), native_shape(second)
        with _naming(first, second):
            index, numbers = _core.contact_points(
                a.compiled,
                _placed(T_first, a),
                b.compiled,
                _placed(T_second, b),
                margin,
            )
        return ContactPoints(
            index[:, 0], numbers[:, 0:3], numbers[:, 3:6], numbers[:, 6:9], -numbers[:, 9], index[:, 1]
        )

    def distance(self, first: Shape, T_first: ArrayLike, second: Shape, T_second: ArrayLike) -> Distances:
        """Signed distance of two shapes; exact but where a mesh or height field holds the middle of the other
        shape: then minus the depth along the normal of the surface nearest to it."""
        a, b = native_shape(first), native_shape(second)
        with _naming(first, second):
            return Distances(
                *_core.distance(
                    a.compiled,
                    _placed(T_first, a),
                    b.compiled,
                    _placed(T_second, b),
                )
            )

    def ray_cast(
        self,
        shape: Shape,
        T_shape: ArrayLike,
        origin: ArrayLike,
        direction: ArrayLike,
        length: float = float("inf"),
    ) -> RayHits:
        """First hits of rays with a shape; one that begins inside a convex shape meets it at once."""
        native = native_shape(shape)
        T = _placed(T_shape, native)
        return RayHits(*_core.ray_cast(native.compiled, T, origin, direction, length))

    def sweep(
        self,
        first: Shape,
        T_first: tuple[ArrayLike, ArrayLike],
        second: Shape,
        T_second: tuple[ArrayLike, ArrayLike],
        *,
        tolerance: float = 1e-6,
    ) -> SweepHits:
        """First contacts of two moving shapes, by conservative advancement."""
        a, b = native_shape(first), native_shape(second)
        with _naming(first, second):
            time, _, normal, on_first, on_second = _core.sweep(
                a.compiled,
                _placed(T_first[0], a),
                _placed(T_first[1], a),
                b.compiled,
                _placed(T_second[0], b),
                _placed(T_second[1], b),
                tolerance,
            )
        for numbers in (normal, on_first, on_second):
            numbers[~np.isfinite(time)] = np.nan
        return SweepHits(time, normal, on_first, on_second)

    def __eq__(self, other: object) -> bool:
        return type(other) is NativeDetector

    def __hash__(self) -> int:
        return hash(NativeDetector)


NATIVE = NativeDetector()
"""The detector by default."""


@contextmanager
def _naming(first: Shape, second: Shape) -> Iterator[None]:
    """Names the shapes of a pair that cannot be tested as users know them."""
    try:
        yield
    except UnsupportedShapeError as error:
        raise UnsupportedShapeError(pair_names(first, second), "a pair", error.detector) from error


def _placed(T: ArrayLike, shape: NativeShape) -> ArrayLike:
    """Poses of the compiled shape; what are no transforms is left to the checks of the native code."""
    poses = np.asarray(T)
    return shape.placed(poses) if poses.shape[-2:] == (4, 4) else T
