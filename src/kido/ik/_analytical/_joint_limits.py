"""Solutions and the limits of joints."""

from __future__ import annotations

import numpy as np

from kido.description import Coordinate
from kido.ik._query import IKQuery
from kido.ik._wrapping import wrapped_into_limits
from kido.skeleton import DegreeOfFreedom
from kido.typing import FloatArray

__all__ = ["into_limits"]


def into_limits(
    ik: IKQuery, dofs: tuple[DegreeOfFreedom, ...], positions: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Positions (m, n) with angles shifted by whole turns into their limits, nearest to the present ones, and
    how far each row is beyond limits even so (m,) [rad, m]."""
    skeleton = ik.node.skeleton
    tree, places = skeleton.tree, [dof.index for dof in dofs]
    lower, upper = tree.lower_limits[places], tree.upper_limits[places]
    turns = [dof.coordinate is Coordinate.ANGLE for dof in dofs]
    wrapped = wrapped_into_limits(positions, lower, upper, skeleton.positions[places], turns)
    beyond = np.maximum(lower - wrapped, wrapped - upper).max(axis=-1, initial=0.0)
    return wrapped, np.maximum(beyond, 0.0)
