"""Properties and state of a soft skin, as values."""

from __future__ import annotations

import numpy as np

from kido.description import SoftSkin
from kido.shape import Mesh, Sphere
from kido.skeleton._nodes._node_properties import ShapeProperties
from kido.typing import ArrayLike, FloatArray, frozen_array
from kido.values import Array, Value, array, checked, part, value

__all__ = ["SkinProperties", "SkinState"]


@value
class SkinProperties(ShapeProperties):
    """Look and surface of a soft skin, as of a shape: the shape is its faces at rest, in the body's frame."""

    skin: SoftSkin = part(SoftSkin, default=SoftSkin.of_point(1.0))

    def _check(self) -> None:
        skin = self.skin
        transform = np.eye(4)
        if len(skin.faces):
            shape: Mesh | Sphere = Mesh(None, convex=False, vertices=skin.points, triangles=skin.faces)
        else:
            shape = Sphere(skin.radius)
            transform[:3, 3] = skin.points[0]
        transform.flags.writeable = False
        self._assign(shape=shape, transform=transform)


def _rows(name: str, given: ArrayLike, unit: str = "m") -> FloatArray:
    """Vectors (n, 3); also none."""
    return frozen_array(name, np.zeros((0, 3)) if np.size(given) == 0 else given, (-1, 3), unit)


def _forces(name: str, given: ArrayLike) -> FloatArray:
    return _rows(name, given, "N")


def _accelerations(name: str, given: ArrayLike) -> FloatArray:
    return _rows(name, given, "m/s^2")


@value
class SkinState(Value):
    """Displacements of point masses from where they rest (n, 3) [m], velocities beside the body (n, 3) [m/s],
    how far places of rest have moved (n, 3) [m], forces from outside (n, 3) [N], and accelerations beside the
    body (n, 3) [m/s^2], in its axes; none of the last three: zeros. Points that are pinned (k,), and where
    to, in the world (k, 3) [m]."""

    displacements: Array = array(-1, 3, unit="m", default=((0.0, 0.0, 0.0),))
    velocities: Array = array(-1, 3, unit="m/s", default=((0.0, 0.0, 0.0),))
    yielded: Array = checked(_rows, default=())
    pinned: Array = array(-1, default=())
    targets: Array = checked(_rows, default=())
    forces: Array = checked(_forces, default=())
    accelerations: Array = checked(_accelerations, default=())

    @classmethod
    def at_rest(cls, count: int) -> SkinState:
        """Points where they rest."""
        zeros: FloatArray = np.zeros((count, 3))
        return cls(zeros, zeros)
