"""Point masses on the surface of a body, with springs between them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike as NumPyArrayLike
from numpy.typing import NDArray

from kido.description._closed_surfaces import enclosed_volume, open_edges
from kido.description._inertia import Inertia
from kido.description._soft_surfaces import sheet_of, surface_of
from kido.description._transform import frozen_transform
from kido.errors import DescriptionError
from kido.shape import Shape
from kido.typing import ArrayLike, FloatArray, TransformLike, frozen_array, read_only
from kido.values import Array, Checked, Value, checked, checked_positive, flag, number, value

__all__ = ["SoftSkin"]

IndexArray = NDArray[np.int64]
_LISTED = 6


def _indices(columns: int) -> Callable[[str, ArrayLike], IndexArray]:
    def check(name: str, given: ArrayLike) -> IndexArray:
        rows = np.zeros((0, columns)) if np.size(given) == 0 else given
        numbers = frozen_array(name, rows, (-1, columns))
        if (numbers % 1.0).any() or (numbers < 0.0).any():
            wrong = numbers[(numbers % 1.0 != 0.0) | (numbers < 0.0)]
            raise ValueError(f"{name}: expected indices of points, got {wrong[0]:g}")
        whole = numbers.astype(np.int64)
        whole.flags.writeable = False
        return whole

    return check


def _numbers(name: str, given: ArrayLike) -> FloatArray:
    return frozen_array(name, given, (-1,) if np.ndim(given) else ())


def _positive(name: str, given: float | None, unit: str) -> float:
    number = float(frozen_array(name, np.nan if given is None else given, (), unit))
    if number <= 0.0:
        raise DescriptionError(f"{name}: expected a positive number [{unit}], got {number:g}")
    return number


def _flags(name: str, given: NumPyArrayLike) -> NDArray[np.bool_]:
    flags = np.array(given)
    if flags.dtype != np.bool_ or flags.ndim > 1:
        raise TypeError(f"{name}: expected one flag or an array of them, got {given!r}")
    flags.flags.writeable = False
    return flags


@value
class SoftSkin(Value):
    """Point masses around a body, tied to it and to each other by springs.

    A point that was moved by x from where it rests in the body, and by x_j its neighbors, feels the force
    -Kv x - D dx/dt + sum of Ke (x_j - x): Kv pulls it to the body, Ke to how its neighbors moved. See Jain
    and Liu, Controlling physics-based characters using soft contacts, ACM Transactions on Graphics 30, 2011.

    Attributes:
        points: (n, 3) where the points rest, in the body's frame [m].
        mass: (n,) of the points [kg]; one number is shared out evenly.
        edges: (k, 2) neighbors, by index; those of the faces are added.
        faces: (m, 3) triangles between points, by index, counterclockwise seen from outside. Every point is
            in one, but for a single point.
        vertex_stiffness: Kv (n,), or one for all points [N/m].
        edge_stiffness: Ke (k,) in the order of `edges`, or one for all [N/m].
        damping: D (n,), or one for all points [N s/m].
        frozen: (n,), or one for all: points that stand still in the body where they are.
        radius: points touch others as balls of this radius [m], and faces are as thick as these: closed ones
            outwards, others to both sides.
        bulk_modulus: K of a gas within the faces [Pa], which have to be closed; 0: there is none. Its
            pressure beyond that of the air around is K (V0 / V - 1) at a volume V that is V0 at rest, by
            Boyle's law: of air K is 101 kPa; a larger one preserves the volume.
        yield_distance: points that go further than this from their places of rest [m] take them along, and
            stay deformed; None: they never do.
        along_edges: whether springs of edges pull along the edges, to keep the lengths that these have at
            rest, however they are turned: for cloth, which then need not be tied to its body at all.
            Otherwise they pull neighbors to the places that these have beside each other at rest, in the
            body's axes.
        touches_itself: whether points touch faces that they are no corners of, once these have come half as
            near as they rest, and as near as the balls' diameter. It costs a test of every point in a step.

    Raises TypeError, ValueError or DescriptionError, naming the argument.
    """

    points: Array = checked(lambda name, given: frozen_array(name, given, (-1, 3), "m"))
    mass: Checked[ArrayLike, FloatArray] = checked(_numbers)
    edges: Checked[ArrayLike, IndexArray] = checked(_indices(2), default=())
    faces: Checked[ArrayLike, IndexArray] = checked(_indices(3), default=())
    vertex_stiffness: Checked[ArrayLike, FloatArray] = checked(_numbers, default=1.0, kw_only=True)
    edge_stiffness: Checked[ArrayLike, FloatArray] = checked(_numbers, default=1.0, kw_only=True)
    damping: Checked[ArrayLike, FloatArray] = checked(_numbers, default=0.01, kw_only=True)
    frozen: Checked[NumPyArrayLike, NDArray[np.bool_]] = checked(_flags, default=False, kw_only=True)
    radius: float = number(unit="m", positive=True, default=1e-3, kw_only=True)
    bulk_modulus: float = number(unit="Pa", default=0.0, kw_only=True)
    yield_distance: float | None = number(unit="m", positive=True, default=None, kw_only=True)
    along_edges: bool = flag(default=False, kw_only=True)
    touches_itself: bool = flag(default=False, kw_only=True)

    def _check(self) -> None:
        n = len(self.points)
        if not n:
            raise DescriptionError("points: expected at least one, got none")
        self._check_indices(n)
        edges = _joined_edges(self.edges, self.faces)
        if len(edges) != len(self.edges) and self.edge_stiffness.ndim:
            raise DescriptionError(
                f"edge_stiffness: faces add {len(edges) - len(self.edges)} edges: give all, or one number"
            )
        share = self.mass / n if self.mass.ndim == 0 else self.mass
        self._assign(
            edges=edges,
            mass=_spread("mass", share, n),
            vertex_stiffness=_spread("vertex_stiffness", self.vertex_stiffness, n),
            edge_stiffness=_spread("edge_stiffness", self.edge_stiffness, len(edges)),
            damping=_spread("damping", self.damping, n),
            frozen=_spread("frozen", self.frozen, n),
        )
        if (self.mass <= 0.0).any():
            raise DescriptionError(f"mass: expected positive ones, got {self.mass.min():g} kg for a point")
        for name in ("vertex_stiffness", "edge_stiffness", "damping"):
            if (getattr(self, name) < 0.0).any():
                least = getattr(self, name).min()
                raise DescriptionError(f"{name}: expected no negative number, got {least:g}")
        self._check_held(n)
        self._check_kind()

    def _check_kind(self) -> None:
        if self.bulk_modulus < 0.0:
            raise DescriptionError(f"bulk_modulus: expected no negative number, got {self.bulk_modulus:g}")
        if self.bulk_modulus > 0.0:
            enclosed_volume(self.points, self.faces)
        if not self.along_edges:
            return
        if self.yield_distance is not None:
            raise DescriptionError(
                "yield_distance: points that springs hold `along_edges` have no places of rest"
            )
        lengths = np.linalg.norm(self.points[self.edges[:, 1]] - self.points[self.edges[:, 0]], axis=1)
        if len(lengths) and lengths.min() == 0.0:
            first = self.edges[lengths.argmin()].tolist()
            raise DescriptionError(
                f"along_edges: the edge between points {first[0]} and {first[1]} has no length"
            )

    def _check_indices(self, n: int) -> None:
        for name in ("edges", "faces"):
            rows = getattr(self, name)
            if rows.size and rows.max() >= n:
                raise DescriptionError(f"{name}: point {rows.max()} does not exist, there are {n}")
            repeated = (np.diff(np.sort(rows, axis=1), axis=1) == 0).any(axis=1)
            if repeated.any():
                raise DescriptionError(f"{name}: {rows[repeated][0].tolist()} names a point twice")
        sides = self.points[self.faces[:, 1:]] - self.points[self.faces[:, :1]]
        flat = np.linalg.norm(np.cross(sides[:, 0], sides[:, 1]), axis=1) == 0.0
        if flat.any():
            raise DescriptionError(f"faces: {self.faces[flat][0].tolist()} has no area")
        bare = np.flatnonzero(np.bincount(self.faces.ravel(), minlength=n) == 0)
        if bare.size and n > 1:
            listed = ", ".join(map(str, bare[:_LISTED])) + (", ..." if bare.size > _LISTED else "")
            raise DescriptionError(f"faces: points without a face: {listed}")

    def _check_held(self, n: int) -> None:
        """Raises DescriptionError where nothing ties points to the body, and that is not meant."""
        if self.along_edges:
            return
        stiff = self.edges[self.edge_stiffness > 0.0]
        labels = np.arange(n) if not len(stiff) else _connected(stiff, n)
        held = np.bincount(labels, weights=(self.vertex_stiffness > 0.0) | self.frozen)
        if (held == 0.0).any():
            loose = int(np.flatnonzero(held[labels] == 0.0)[0])
            raise DescriptionError(
                f"vertex_stiffness: nothing ties point {loose} to the body: a stiffness above zero does, or "
                "a frozen point among those that it is connected with"
            )

    @classmethod
    def of_shape(
        cls,
        shape: Shape,
        mass: float | None = None,
        *,
        density: float | None = None,
        divisions: Iterable[int] | None = None,
        transform: TransformLike | None = None,
        **options: Any,
    ) -> SoftSkin:
        """Points on the surface of a shape.

        Args:
            shape: a box, sphere, ellipsoid, cylinder, or a mesh that is closed, whose vertices are the
                points.
            mass: of all points together [kg]. They share it evenly; those of a mesh by the area around them.
            density: gives the mass by the shape's volume [kg/m^3].
            divisions: of a box (nx, ny, nz) points along its edges; of a sphere or ellipsoid (slices,
                stacks); of a cylinder (slices, stacks, rings on a lid); None: (3, 3, 3), (8, 6), (8, 2, 1).
            transform: pose (4, 4) of the shape in the body's frame [m]; None: the body's origin.
            options: further arguments of SoftSkin, as `vertex_stiffness`, by keyword.

        Raises:
            DescriptionError: divisions too few, neither or both of mass and density, a mesh that is open,
                cuts itself or is inside out.
            TypeError: no shape, or one that has no helper.
        """
        T = frozen_transform("transform", transform)
        surface = surface_of(shape, divisions)
        if (mass is None) == (density is None):
            raise DescriptionError("mass, density: expected one of them")
        total = (
            _positive("mass", mass, "kg")
            if mass is not None
            else _positive("density", density, "kg/m^3") * surface.volume
        )
        return cls(
            surface.points @ T[:3, :3].T + T[:3, 3], total * surface.shares, faces=surface.faces, **options
        )

    @classmethod
    def of_sheet(
        cls,
        size: ArrayLike,
        mass: float,
        *,
        divisions: Iterable[int] = (11, 11),
        transform: TransformLike | None = None,
        **options: Any,
    ) -> SoftSkin:
        """Cloth: points in a rectangle, which springs hold along edges and nothing ties to the body.

        Args:
            size: (2,) along x and y of the body's frame, in which it lies across z [m].
            mass: of all points together [kg]; each has that of the area around it.
            divisions: (nx, ny) points along its edges.
            transform: pose (4, 4) of the rectangle in the body's frame [m]; None: about the body's origin.
            options: further arguments of SoftSkin, as `edge_stiffness`, by keyword.

        Raises DescriptionError, TypeError or ValueError, naming the argument.
        """
        sides = frozen_array("size", size, (2,), "m")
        if (sides <= 0.0).any():
            raise DescriptionError(f"size: expected positive lengths, got {sides.tolist()}")
        total = checked_positive("mass", mass, "kg")
        T, surface = frozen_transform("transform", transform), sheet_of(sides, divisions)
        given = {"vertex_stiffness": 0.0, "damping": 0.0, "along_edges": True, **options}
        points = surface.points @ T[:3, :3].T + T[:3, 3]
        return cls(points, total * surface.shares, faces=surface.faces, **given)

    @classmethod
    def of_point(cls, mass: float, position: ArrayLike = (0.0, 0.0, 0.0), **options: Any) -> SoftSkin:
        """A single point mass [kg], which rests at a position (3,) in the body's frame [m]; options as of
        `of_shape`."""
        return cls(frozen_array("position", position, (3,), "m")[None], mass, **options)

    @property
    def num_points(self) -> int:
        """Number of points."""
        return len(self.points)

    @property
    def is_closed(self) -> bool:
        """Whether the faces are the whole surface of a solid, so that they have an outside."""
        return len(self.faces) > 0 and open_edges(self.faces) == 0

    @property
    def volume(self) -> float:
        """Volume within the faces at rest [m^3], where these are closed."""
        a, b, c = (self.points[self.faces[:, k]] for k in range(3))
        return float((a * np.cross(b, c)).sum() / 6.0)

    @property
    def inertia(self) -> Inertia:
        """Mass, center of mass and rotational inertia of the points at rest."""
        total = float(self.mass.sum())
        center = self.mass @ self.points / total
        arms = self.points - center
        squares = (arms * arms).sum(axis=1)
        moment = (self.mass * squares).sum() * np.eye(3) - (arms * self.mass[:, None]).T @ arms
        return Inertia(total, center, moment)


def _connected(edges: IndexArray, n: int) -> IndexArray:
    """Labels (n,) of points, the same for those that edges connect."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(n, n))
    _, labels = connected_components(graph, directed=False)
    return np.asarray(labels, dtype=np.int64)


def _spread(name: str, given: NDArray[np.generic], count: int) -> NDArray[np.generic]:
    if given.ndim and len(given) != count:
        raise DescriptionError(f"{name}: expected one number or {count}, got {len(given)}")
    return read_only(np.ascontiguousarray(np.broadcast_to(given, (count,))))


def _joined_edges(edges: IndexArray, faces: IndexArray) -> IndexArray:
    """The edges as given, without those that stand twice, then those of the faces."""
    sides = np.concatenate([edges, *(faces[:, [a, b]] for a, b in ((0, 1), (1, 2), (2, 0)))])
    ends = np.sort(sides, axis=1)
    _, first = np.unique(ends, axis=0, return_index=True)
    first.sort()
    if (first < len(edges)).sum() != len(edges):
        raise DescriptionError("edges: two points are joined twice")
    joined = np.ascontiguousarray(ends[first])
    joined.flags.writeable = False
    return joined
