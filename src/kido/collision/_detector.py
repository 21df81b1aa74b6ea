"""The interface of collision detectors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NoReturn

from kido.collision._results import ContactPoints, Distances, RayHits, SweepHits
from kido.errors import UnsupportedShapeError
from kido.shape import Shape
from kido.typing import ArrayLike

__all__ = ["CollisionDetector", "pair_names"]


class CollisionDetector(ABC):
    """Base of detectors: contacts and distances of shapes in poses.

    A detector of one's own derives from this and gives `contacts`; a world then steps with it. The other
    questions raise NotImplementedError until they are given, too. Poses (..., 4, 4) are those of the shapes'
    frames in the world; arguments are broadcast.

    Attributes:
        name: of the detector, for messages.
    """

    __slots__ = ("__weakref__",)

    name: str = "a detector"

    @abstractmethod
    def contacts(
        self,
        first: Shape,
        T_first: ArrayLike,
        second: Shape,
        T_second: ArrayLike,
        *,
        margin: float = 0.0,
    ) -> ContactPoints:
        """Points where two shapes touch.

        Args:
            first: a shape.
            T_first: its pose (..., 4, 4) [m].
            second: another one.
            T_second: its pose (..., 4, 4) [m].
            margin: distance up to which they are in contact [m].

        Returns:
            All points, see ContactPoints.

        Raises UnsupportedShapeError for shapes that the detector cannot test.
        """

    def distance(self, first: Shape, T_first: ArrayLike, second: Shape, T_second: ArrayLike) -> Distances:
        """Signed distance of two shapes, and the points between which it is.

        Args:
            first: a shape.
            T_first: its pose (..., 4, 4) [m].
            second: another one.
            T_second: its pose (..., 4, 4) [m].
        """
        self._has_no("distance")

    def ray_cast(
        self,
        shape: Shape,
        T_shape: ArrayLike,
        origin: ArrayLike,
        direction: ArrayLike,
        length: float = float("inf"),
    ) -> RayHits:
        """First hits of rays with a shape.

        Args:
            shape: the shape.
            T_shape: its poses (..., 4, 4) [m].
            origin: of the rays (..., 3) [m].
            direction: of the rays (..., 3), of any length but zero [-].
            length: of the rays [m].
        """
        self._has_no("ray_cast")

    def sweep(
        self,
        first: Shape,
        T_first: tuple[ArrayLike, ArrayLike],
        second: Shape,
        T_second: tuple[ArrayLike, ArrayLike],
        *,
        tolerance: float = 1e-6,
    ) -> SweepHits:
        """First contacts of two moving shapes.

        Origins move along lines, axes turn about one axis by the shorter way, both at constant speeds.

        Args:
            first: a shape.
            T_first: its poses (..., 4, 4) at the beginning and at the end [m].
            second: another one.
            T_second: its poses (..., 4, 4) at the beginning and at the end [m].
            tolerance: distance from which on they meet [m].
        """
        self._has_no("sweep")

    def bounds(self, shape: Shape) -> tuple[ArrayLike, ArrayLike]:
        """Least and greatest coordinates (3,) of a shape in its own frame [m].

        A world asks for those of classes of shapes that the native detector does not know, to find which are
        near each other.
        """
        raise UnsupportedShapeError(type(shape).__name__, "its bounds", self.name)

    def _has_no(self, question: str) -> NoReturn:
        raise NotImplementedError(f"{self.name} has no {question}")

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


def pair_names(first: Shape, second: Shape) -> str:
    """Two shapes in words."""
    return f"{type(first).__name__} and {type(second).__name__}"
