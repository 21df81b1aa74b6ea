"""Energies of springs between point masses, and of the gas within their surface."""

from __future__ import annotations

import numpy as np

from kido.description import SoftSkin
from kido.typing import FloatArray

__all__ = ["enclosed", "gas_energy", "spring_energy"]


def spring_energy(skin: SoftSkin, displacements: FloatArray, yielded: FloatArray) -> float:
    """Of springs to the body and along edges [J], points being displaced, and their places of rest moved (n,
    3) [m]."""
    x, edges = displacements - yielded, skin.edges
    vertices = skin.vertex_stiffness @ (x * x).sum(axis=1)
    if skin.along_edges:
        now, rest = (_lengths(points, skin) for points in (skin.points + displacements, skin.points))
        squares = (now - rest) ** 2
    else:
        squares = ((x[edges[:, 1]] - x[edges[:, 0]]) ** 2).sum(axis=1)
    return 0.5 * float(vertices + skin.edge_stiffness @ squares)


def gas_energy(skin: SoftSkin, displacements: FloatArray) -> float:
    """Of the gas, 0 at rest [J]: the work against what its pressure is beyond that of the air around."""
    K = skin.bulk_modulus
    if not K:
        return 0.0
    V, rest = enclosed(skin, skin.points + displacements), skin.volume
    return float(K * (V - rest - rest * np.log(V / rest)))


def enclosed(skin: SoftSkin, points: FloatArray) -> float:
    """Volume within the faces [m^3], points being at places (n, 3)."""
    a, b, c = (points[skin.faces[:, k]] for k in range(3))
    return float((a * np.cross(b, c)).sum() / 6.0)


def _lengths(points: FloatArray, skin: SoftSkin) -> FloatArray:
    """Lengths (k,) of the edges [m]."""
    return np.asarray(np.linalg.norm(points[skin.edges[:, 1]] - points[skin.edges[:, 0]], axis=1))
