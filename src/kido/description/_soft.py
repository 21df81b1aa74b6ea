"""A soft skin around a link."""

from __future__ import annotations

from collections.abc import Iterable

from kido.description._soft_skin import SoftSkin
from kido.description._transform import frozen_transform
from kido.errors import DescriptionError
from kido.shape import Box, Cylinder, Ellipsoid, Shape, Sphere
from kido.values import (
    Checked,
    Transform,
    Value,
    checked,
    checked_items,
    checked_whole,
    number,
    part,
    value,
    whole,
)

__all__ = ["SoftDescription"]

_COUNTS = {Box: 3, Sphere: 2, Ellipsoid: 2, Cylinder: 3}


def _divisions(name: str, counts: Iterable[int]) -> tuple[int, ...]:
    return tuple(checked_whole(name, count) for count in checked_items(name, int, counts))


@value
class SoftDescription(Value):
    """Point masses on the surface of a shape, tied to a link and to their neighbors by springs, as files
    tell them.

    `shape` is a box, sphere, ellipsoid or cylinder, `origin` (4, 4) its pose in the link's frame; `mass` is
    that of all points together [kg], beside the link's own. `divisions` says how fine the surface is: (nx,
    ny, nz) vertices along the edges of a box, (slices, stacks) of a sphere or ellipsoid, (slices, stacks,
    rings) of a cylinder. A point is pulled to where it rests in the link with `vertex_stiffness` and to its
    neighbors with `edge_stiffness` [N/m], and slowed by `damping` [N s/m]. `line` is where the model file has
    it. Skeletons have what `skin` makes of it.

    Raises TypeError, ValueError or DescriptionError, naming the argument.
    """

    shape: Shape = part((Box, Sphere, Ellipsoid, Cylinder))
    mass: float = number(unit="kg")
    divisions: Checked[Iterable[int], tuple[int, ...]] = checked(_divisions)
    origin: Transform = checked(frozen_transform, default=None)
    vertex_stiffness: float = number(unit="N/m", default=1.0)
    edge_stiffness: float = number(unit="N/m", default=1.0)
    damping: float = number(unit="N s/m", default=0.01)
    line: int | None = whole(default=None, kw_only=True)

    @property
    def skin(self) -> SoftSkin:
        """The points. Raises DescriptionError for what cannot be simulated: no mass, or points that nothing
        holds."""
        return SoftSkin.of_shape(
            self.shape,
            self.mass,
            divisions=self.divisions,
            transform=self.origin,
            vertex_stiffness=self.vertex_stiffness,
            edge_stiffness=self.edge_stiffness,
            damping=self.damping,
        )

    def _check(self) -> None:
        count = _COUNTS[type(self.shape)]
        if len(self.divisions) != count or min(self.divisions) < 1:
            kind = type(self.shape).__name__.lower()
            expected = f"expected {count} positive numbers for a {kind}"
            raise DescriptionError(f"divisions: {expected}, got {self.divisions}")
        for name in ("mass", "vertex_stiffness", "edge_stiffness", "damping"):
            if getattr(self, name) < 0.0:
                raise DescriptionError(f"{name}: expected no negative number, got {getattr(self, name):g}")
