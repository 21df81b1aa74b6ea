"""A point where two shapes touch."""

from __future__ import annotations

from dataclasses import dataclass

from kido.skeleton import ShapeNode
from kido.typing import FloatArray

__all__ = ["Contact"]


@dataclass(frozen=True, eq=False)
class Contact:
    """A point where two shapes touch, or are about to.

    Attributes:
        first, second: the shapes.
        point: between their surfaces (3,), world axes [m].
        normal: unit vector (3,) from the second to the first, world axes.
        depth: overlap along the normal [m]; negative where they are apart.
        force: of the second on the first at the point (3,), world axes [N]; that of the last step.
        first_face, second_face: where a shape is the skin of a soft body and touches with a face, its index;
            None where it touches with a point, and of other shapes.
    """

    first: ShapeNode
    second: ShapeNode
    point: FloatArray
    normal: FloatArray
    depth: float
    force: FloatArray
    first_face: int | None = None
    second_face: int | None = None
