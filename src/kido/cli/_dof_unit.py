"""The unit of a degree of freedom."""

from __future__ import annotations

from kido.description import JointType
from kido.skeleton import DegreeOfFreedom

__all__ = ["dof_unit"]

_LENGTHS = {
    JointType.PRISMATIC: range(1),
    JointType.TRANSLATIONAL2D: range(2),
    JointType.PLANAR: range(2),
    JointType.TRANSLATIONAL: range(3),
    JointType.FREE: range(3, 6),
}
"""Which dofs of a joint are lengths; the others are angles."""


def dof_unit(dof: DegreeOfFreedom) -> str:
    """ "m" or "rad"."""
    kind = dof.joint.type
    return "m" if kind is not None and dof.index_in_joint in _LENGTHS.get(kind, ()) else "rad"
