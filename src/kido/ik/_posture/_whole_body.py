"""Constraints of centres of mass, and of positions of joints."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from kido.ik._posture._frame_place import FrameLike, FramePlace, checked_place
from kido.ik._posture._layout import Layout
from kido.ik._posture._native_term import NativeTerm
from kido.ik._posture._pose_constraints import checked_bounds
from kido.ik._posture._term import PostureConstraint
from kido.skeleton import DegreeOfFreedom
from kido.typing import ArrayLike, FloatArray, frozen_array
from kido.values import Array, Checked, array, checked, value

__all__ = ["CenterOfMassConstraint", "JointCouplingConstraint", "checked_skeleton_name"]


def checked_skeleton_name(name: str, given: object) -> str | None:
    """The name of a skeleton, given by itself or its name; None. Raises TypeError."""
    found = getattr(given, "name", given)
    if found is not None and not isinstance(found, str):
        raise TypeError(f"{name}: expected a skeleton or its name, got {type(given).__name__}")
    return found


@value
class CenterOfMassConstraint(PostureConstraint):
    """The centre of mass c of a skeleton, or of all, is in a region of a frame: lower <= A c <= upper.

    Value: A c (m,); with the default A, the centre (3,) [m] in axes and from the origin of the frame.

    Attributes:
        lower, upper: (m,); may be infinite.
        A: (m, 3); None: the identity, so that bounds are corners of a box [m].
        relative_to: the frame of the region, which may move, as a foot; None: the world.
        skeleton: whose centre it is, or its name; None: of all skeletons together.

    Source: ComPositionConstraint and ComInPolyhedronConstraint of Drake.
    """

    lower: Array = array(-1, finite=False)
    upper: Array = array(-1, finite=False)
    A: Checked[ArrayLike | None, FloatArray] = checked(
        lambda name, A: frozen_array(name, np.eye(3) if A is None else A, (-1, 3)), default=None, kw_only=True
    )
    relative_to: Checked[FrameLike, FramePlace] = checked(checked_place, default=None, kw_only=True)
    skeleton: Checked[object, str | None] = checked(checked_skeleton_name, default=None, kw_only=True)

    def _check(self) -> None:
        if not len(self.lower) == len(self.upper) == len(self.A):
            raise ValueError(
                f"lower, upper: expected shape ({len(self.A)},) by A, "
                f"got {self.lower.shape}, {self.upper.shape}"
            )
        checked_bounds(self.lower, self.upper)

    @classmethod
    def of_polygon(
        cls,
        vertices: ArrayLike,
        *,
        margin: float = 0.0,
        relative_to: FrameLike = None,
        skeleton: object = None,
    ) -> CenterOfMassConstraint:
        """Above the convex hull of points (n, 2) in the x-y plane of a frame [m], `margin` [m] inside of it.

        Raises TypeError or ValueError for fewer than three points, or a margin that leaves nothing.
        """
        from scipy.spatial import ConvexHull, QhullError

        points = frozen_array("vertices", vertices, (-1, 2), "m")
        inside = float(frozen_array("margin", margin, (), "m"))
        try:
            sides = ConvexHull(points).equations
        except (QhullError, ValueError):
            raise ValueError("vertices: expected three points at least that span an area") from None
        A = np.column_stack([sides[:, :2], np.zeros(len(sides))])
        upper = -sides[:, 2] - inside
        center = points.mean(axis=0)
        if inside > 0.0 and not (sides[:, :2] @ center <= upper + 1e-12).all():
            raise ValueError(f"margin: expected less than the polygon is wide [m], got {inside}")
        return cls(np.full(len(A), -np.inf), upper, A=A, relative_to=relative_to, skeleton=skeleton)

    @property
    def text(self) -> str:
        """Whose centre of mass, and where."""
        return f"centre of mass of {self.skeleton or 'all'} in {self.relative_to}"

    def native_terms(self, layout: Layout, extra: int) -> list[NativeTerm]:
        """A row for each of A. Raises ValueError where there is no mass."""
        tree = -1 if self.skeleton is None else layout.skeleton_index(self.skeleton)
        counted = layout.skeletons if tree < 0 else (layout.skeletons[tree],)
        if not sum(s.mass for s in counted) > 0.0:
            raise ValueError("skeleton: expected mass, and so a centre of it; there is none")
        return [
            NativeTerm(
                kind="center_of_mass",
                rows=len(self.A),
                base=layout.place(self.relative_to),
                matrix=self.A,
                lower=self.lower,
                upper=self.upper,
                tree=tree,
            )
        ]


def _checked_coefficients(
    name: str, given: Mapping[str | DegreeOfFreedom, float] | tuple[tuple[str, float], ...]
) -> tuple[tuple[str, float], ...]:
    pairs = given.items() if isinstance(given, Mapping) else given
    try:
        listed = [(key, number) for key, number in pairs]
    except (TypeError, ValueError):
        raise TypeError(
            f"{name}: expected a mapping from dofs to numbers, got {type(given).__name__}"
        ) from None
    if not listed:
        raise ValueError(f"{name}: expected one dof at least")
    found = []
    for key, number in listed:
        if isinstance(key, DegreeOfFreedom):
            key = f"{key.skeleton.name}.{key.name}"
        if not isinstance(key, str):
            raise TypeError(f"{name}: expected dofs or their names, got {type(key).__name__}")
        found.append((key, float(frozen_array(f"{name}[{key!r}]", number, ()))))
    return tuple(found)


@value
class JointCouplingConstraint(PostureConstraint):
    """A sum of positions of dofs, each times a number, is between bounds: limits, couplings, locks.

    Value: the sum (1,), in the units of the dofs [rad, m].

    Attributes:
        coefficients: of dofs or their names, "skeleton.dof" where several skeletons have one of that name.
        lower, upper: bounds; may be infinite.

    Source: the coupler constraints of Drake's InverseKinematics.
    """

    coefficients: Checked[
        Mapping[str | DegreeOfFreedom, float] | tuple[tuple[str, float], ...], tuple[tuple[str, float], ...]
    ] = checked(_checked_coefficients)
    lower: Array = array(finite=False)
    upper: Array = array(finite=False)

    def _check(self) -> None:
        checked_bounds(self.lower, self.upper)

    @property
    def text(self) -> str:
        """The sum, and between which bounds it is to be."""
        terms = (name if factor == 1.0 else f"{factor:g} {name}" for name, factor in self.coefficients)
        return f"position {' + '.join(terms)} in [{self.lower:g}, {self.upper:g}]"

    def native_terms(self, layout: Layout, extra: int) -> list[NativeTerm]:
        """One row. Raises ValueError or UnknownNameError for dofs that are not there."""
        row, units = np.zeros(layout.num_dofs), set()
        for name, factor in self.coefficients:
            i = layout.named_dof(name)
            row[i] += factor
            units.add(layout.dofs[i].coordinate.unit)
        low, high = np.array([float(self.lower)]), np.array([float(self.upper)])
        unit = units.pop() if len(units) == 1 else "rad, m"
        return [NativeTerm(kind="positions", rows=1, matrix=row, lower=low, upper=high, unit=unit)]
