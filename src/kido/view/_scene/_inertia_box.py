"""The box that has the inertia of a body."""

from __future__ import annotations

import numpy as np

from kido.description import Inertia
from kido.typing import FloatArray
from kido.view._scene._geometry import TriangleSurface
from kido.view._scene._solid import box

__all__ = ["inertia_box", "inertia_edges"]

_THINNEST = 1e-3
"""Of the longest edge; a rod or a point mass would not be seen."""
_POINT = 0.01
"""Edge of the box of a point mass [m]."""


def inertia_box(inertia: Inertia) -> tuple[TriangleSurface, FloatArray] | None:
    """A box of uniform density with the mass and the inertia of a body, and its pose (4, 4) on it [m].

    None for a body without mass.
    """
    found = inertia_edges(inertia)
    return None if found is None else (box(*found[0].tolist()), found[1])


def inertia_edges(inertia: Inertia) -> tuple[FloatArray, FloatArray] | None:
    """The edges (3,) of that box, and its pose (4, 4) on the body [m].

    Edges that such a box cannot have, of moments that no body has, count as 0.
    """
    if not inertia.mass > 0.0:
        return None
    moments, axes = np.linalg.eigh(inertia.moment)
    edges = np.sqrt(np.maximum(12.0 / inertia.mass * (moments.sum() / 2.0 - moments), 0.0))
    edges = np.maximum(edges, _THINNEST * edges.max()) if edges.any() else np.full(3, _POINT)
    pose = np.eye(4)
    pose[:3, :3] = axes * np.sign(np.linalg.det(axes))
    pose[:3, 3] = inertia.com
    return edges, pose
