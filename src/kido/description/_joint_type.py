"""The types of joints."""

from __future__ import annotations

from enum import Enum

from kido.description._joint_spec import JointAxis, JointSpec, Primitive, PrimitiveType
from kido.values import register

__all__ = ["EULER_ORDERS", "JointType"]

EULER_ORDERS = ("xyz", "xzy", "yxz", "yzx", "zxy", "zyx", "xyx", "xzx", "yxy", "yzy", "zxz", "zyz")
"""The twelve intrinsic sequences of axes that an Euler joint can have."""

_ONE, _TWO, _XYZ, _PLANAR = ("",), ("_1", "_2"), ("_x", "_y", "_z"), ("_x", "_y", "_rot")
_FREE = ("_rot_x", "_rot_y", "_rot_z", "_pos_x", "_pos_y", "_pos_z")


def _turn(axis: JointAxis) -> Primitive:
    return Primitive(PrimitiveType.REVOLUTE, axis)


def _shift(axis: JointAxis) -> Primitive:
    return Primitive(PrimitiveType.PRISMATIC, axis)


_FIRST, _SECOND, _NORMAL = JointAxis.FIRST, JointAxis.SECOND, JointAxis.NORMAL
_IN_PLANE = (_shift(_FIRST), _shift(_SECOND))
_EULER_TURNS = tuple(map(_turn, (JointAxis.EULER_FIRST, JointAxis.EULER_SECOND, JointAxis.EULER_THIRD)))
_XYZ_SHIFTS = tuple(map(_shift, (JointAxis.X, JointAxis.Y, JointAxis.Z)))
_NO_MOTION = JointSpec()


@register
class JointType(str, Enum):
    """The motion T(q) between a joint's two frames.

    * weld: none.
    * revolute, prismatic: rotation about, translation along the axis.
    * screw: both, the translation being the pitch times the turns.
    * universal: R = Rot(axis0, q0) Rot(axis1, q1).
    * euler: R = R_first(q0) R_second(q1) R_third(q2), the axes as the order names them.
    * ball: R = exp(q).
    * planar: translation q0 axis0 + q1 axis1, then rotation q2 about axis0 x axis1.
    * translational: translation q along x, y, z.
    * translational2d: translation q0 axis0 + q1 axis1.
    * free: rotation exp(q[:3]) and translation q[3:], T(q) = [exp(q[:3]), q[3:]].
    """

    spec: JointSpec
    """Primitive joints, coordinates, names of dofs, and axes that joints of this type have."""

    WELD = "weld", _NO_MOTION
    REVOLUTE = "revolute", JointSpec((_turn(_FIRST),), _ONE)
    PRISMATIC = "prismatic", JointSpec((_shift(_FIRST),), _ONE)
    SCREW = "screw", JointSpec((Primitive(PrimitiveType.SCREW, _FIRST),), _ONE)
    UNIVERSAL = "universal", JointSpec((_turn(_FIRST), _turn(_SECOND)), _TWO)
    EULER = "euler", JointSpec(_EULER_TURNS, None)
    BALL = "ball", JointSpec((Primitive(PrimitiveType.BALL),), _XYZ)
    PLANAR = "planar", JointSpec((*_IN_PLANE, _turn(_NORMAL)), _PLANAR, orthogonal_axes=True)
    TRANSLATIONAL = "translational", JointSpec(_XYZ_SHIFTS, _XYZ)
    TRANSLATIONAL2D = "translational2d", JointSpec(_IN_PLANE, _TWO, orthogonal_axes=True)
    FREE = "free", JointSpec((Primitive(PrimitiveType.FREE),), _FREE)

    def __new__(cls, name: str, spec: JointSpec = _NO_MOTION) -> JointType:
        """A member by its name and what its joints have."""
        member = str.__new__(cls, name)
        member._value_ = name
        member.spec = spec
        return member

    def __str__(self) -> str:
        return str(self.value)

    @property
    def num_dofs(self) -> int:
        """Number of degrees of freedom."""
        return len(self.spec.coordinates)

    @property
    def num_axes(self) -> int:
        """Number of axes (k, 3) that a joint of this type has."""
        return self.spec.num_axes
