"""The joints, one class each."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from kido.description import EULER_ORDERS, JointType
from kido.description import joint_axes as checked_axes
from kido.math import euler_to_matrix, so3_exp
from kido.skeleton._joints._joint import Joint
from kido.tree import AXES, PITCH, default_dof_names
from kido.typing import ArrayLike, FloatArray, frozen_array, frozen_direction

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from kido.skeleton._joints._joint import JointOptions

__all__ = [
    "EulerJoint",
    "PlanarJoint",
    "PrismaticJoint",
    "RevoluteJoint",
    "ScrewJoint",
    "TranslationalJoint",
    "TranslationalJoint2D",
    "UniversalJoint",
    "WeldJoint",
]

_X, _Y, _Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
_PLANES = {"xy": (_X, _Y), "yz": (_Y, _Z), "zx": (_Z, _X)}


class _AxisJoint(Joint):
    """Base of the joints with axes."""

    __slots__ = ()

    def _axes(self) -> FloatArray:
        assert self.type is not None
        return self._home().rows[self._row, AXES].reshape(2, 3)[: self.type.num_axes].copy()

    def _set_axes(self, axes: ArrayLike) -> None:
        assert self.type is not None
        units = checked_axes(self.type, axes)
        row = np.zeros(6)
        row[: units.size] = units.ravel()
        self._write_row(AXES, row)


class _OneAxisJoint(_AxisJoint):
    """Base of the joints with one axis."""

    __slots__ = ()
    num_dofs: ClassVar[int] = 1

    def __init__(
        self, name: str | None = None, axis: ArrayLike = _Z, **options: Unpack[JointOptions]
    ) -> None:
        """A joint by itself.

        Args:
            name: None: the child body's name with "_joint" added.
            axis: (3,) in the joint frame, normalized.
            options: see `JointOptions`.

        Raises:
            TypeError, ValueError: naming the argument.
        """
        super().__init__(name)
        self.axis = axis
        self.apply_options(options)

    @property
    def axis(self) -> FloatArray:
        """Unit axis (3,) in the joint frame. Set: any nonzero direction."""
        return np.array(self._axes()[0])

    @axis.setter
    def axis(self, axis: ArrayLike) -> None:
        self._set_axes(frozen_direction("axis", axis))


class WeldJoint(Joint):
    """No motion."""

    __slots__ = ()
    type: ClassVar[JointType | None] = JointType.WELD


class RevoluteJoint(_OneAxisJoint):
    """Rotation by q [rad] about an axis."""

    __slots__ = ()
    type: ClassVar[JointType | None] = JointType.REVOLUTE

    def _cyclic_group(self, index: int) -> tuple[int, ...]:
        return (index,)


class PrismaticJoint(_OneAxisJoint):
    """Translation by q [m] along an axis."""

    __slots__ = ()
    type: ClassVar[JointType | None] = JointType.PRISMATIC


class ScrewJoint(_OneAxisJoint):
    """Rotation by q [rad] about an axis, and translation along it by `pitch` each turn."""

    __slots__ = ()
    type: ClassVar[JointType | None] = JointType.SCREW

    def __init__(
        self,
        name: str | None = None,
        axis: ArrayLike = _Z,
        pitch: float = 0.1,
        **options: Unpack[JointOptions],
    ) -> None:
        """A joint by itself.

        Args:
            name: None: the child body's name with "_joint" added.
            axis: (3,) in the joint frame, normalized.
            pitch: translation [m] each turn.
            options: see `JointOptions`.

        Raises:
            TypeError, ValueError: naming the argument.
        """
        super().__init__(name, axis)
        self.pitch = pitch
        self.apply_options(options)

    @property
    def pitch(self) -> float:
        """Translation along the axis each turn [m]."""
        return float(self._home().rows[self._row, PITCH])

    @pitch.setter
    def pitch(self, pitch: float) -> None:
        self._write_row(PITCH, float(frozen_array("pitch", pitch, (), "m")))


class _TwoAxesJoint(_AxisJoint):
    """Base of the joints with two axes."""

    __slots__ = ()

    @property
    def axis1(self) -> FloatArray:
        """First unit axis (3,) in the joint frame. Set: any nonzero direction."""
        return np.array(self._axes()[0])

    @axis1.setter
    def axis1(self, axis: ArrayLike) -> None:
        self._set_axes([frozen_direction("axis1", axis), self.axis2])

    @property
    def axis2(self) -> FloatArray:
        """Second unit axis (3,) in the joint frame. Set: any nonzero direction."""
        return np.array(self._axes()[1])

    @axis2.setter
    def axis2(self, axis: ArrayLike) -> None:
        self._set_axes([self.axis1, frozen_direction("axis2", axis)])


class UniversalJoint(_TwoAxesJoint):
    """Rotation by q[0] about the first axis, then by q[1] about the second [rad]."""

    __slots__ = ()
    type: ClassVar[JointType | None] = JointType.UNIVERSAL
    num_dofs: ClassVar[int] = 2

    def __init__(
        self,
        name: str | None = None,
        axis1: ArrayLike = _X,
        axis2: ArrayLike = _Y,
        **options: Unpack[JointOptions],
    ) -> None:
        """A joint by itself.

        Args:
            name: None: the child body's name with "_joint" added.
            axis1: (3,) in the joint frame, normalized.
            axis2: (3,) in the joint frame, normalized.
            options: see `JointOptions`.

        Raises:
            TypeError, ValueError: naming the argument.
        """
        super().__init__(name)
        self._set_axes([frozen_direction("axis1", axis1), frozen_direction("axis2", axis2)])
        self.apply_options(options)

    def _cyclic_group(self, index: int) -> tuple[int, ...]:
        return (index,)


class EulerJoint(Joint):
    """Rotation by three angles [rad] about axes x, y, z of the moving frame, in one of twelve orders."""

    __slots__ = ("_order",)
    type: ClassVar[JointType | None] = JointType.EULER
    num_dofs: ClassVar[int] = 3

    def __init__(self, name: str | None = None, order: str = "xyz", **options: Unpack[JointOptions]) -> None:
        """A joint by itself.

        Args:
            name: None: the child body's name with "_joint" added.
            order: of the axes, as "xyz": R = Rx(q0) Ry(q1) Rz(q2).
            options: see `JointOptions`.

        Raises:
            TypeError, ValueError: naming the argument.
        """
        super().__init__(name)
        self.order = order
        self.apply_options(options)

    @property
    def order(self) -> str:
        """Order of the axes. Set: one of the twelve; dof names that follow it change. Raises ValueError."""
        self._home()
        return self._order

    @order.setter
    def order(self, order: str) -> None:
        self._home()
        if order not in EULER_ORDERS:
            raise ValueError(f"order: expected one of {', '.join(EULER_ORDERS)}, got {order!r}")
        if self._dof_names is None and self._body is not None:
            names = default_dof_names(self.name, JointType.EULER, order)
            self.skeleton._refuse_taken_dof_names(self, names)
        self._order = order
        self._structure_changed()

    def rotation_of(self, positions: ArrayLike) -> FloatArray:
        """Rotation (..., 3, 3) that three angles (..., 3) [rad] give."""
        return euler_to_matrix(positions, self._order)

    def _euler_order(self) -> str:
        return self._order

    def _keep_euler_order(self, order: str) -> None:
        self._order = order

    def _cyclic_group(self, index: int) -> tuple[int, ...]:
        return (index,)

    def _copy_description_into(self, copy: Joint) -> None:
        assert isinstance(copy, EulerJoint)
        copy._order = self._order
        super()._copy_description_into(copy)


class _PlaneJoint(_TwoAxesJoint):
    """Base of the joints that move in a plane."""

    __slots__ = ()

    def __init__(
        self,
        name: str | None = None,
        plane: str | ArrayLike = "xy",
        **options: Unpack[JointOptions],
    ) -> None:
        """A joint by itself.

        Args:
            name: None: the child body's name with "_joint" added.
            plane: "xy", "yz" or "zx", or two orthogonal axes (2, 3) in the joint frame.
            options: see `JointOptions`.

        Raises:
            TypeError, ValueError: naming the argument.
        """
        super().__init__(name)
        self.set_plane(plane)
        self.apply_options(options)

    def set_plane(self, plane: str | ArrayLike) -> None:
        """Set the plane: "xy", "yz", "zx", or two orthogonal axes (2, 3). Raises ValueError."""
        if isinstance(plane, str):
            if plane not in _PLANES:
                raise ValueError(f"plane: expected 'xy', 'yz', 'zx' or two axes (2, 3), got {plane!r}")
            plane = _PLANES[plane]
        self._set_axes(plane)


class PlanarJoint(_PlaneJoint):
    """Translation by `q[0]` and `q[1]` [m] along two axes, then rotation by `q[2]` [rad] about their cross
    product."""

    __slots__ = ()
    type: ClassVar[JointType | None] = JointType.PLANAR
    num_dofs: ClassVar[int] = 3

    @property
    def rotation_axis(self) -> FloatArray:
        """Unit normal (3,) of the plane."""
        first, second = self._axes()
        return np.cross(first, second)

    def transform_of(self, positions: ArrayLike) -> FloatArray:
        """Transform (4, 4) [m] that positions (3,) [m, m, rad] give."""
        q = frozen_array("positions", positions, (3,), "m, m, rad")
        first, second = self._axes()
        T = np.eye(4)
        T[:3, :3] = so3_exp(self.rotation_axis * q[2])
        T[:3, 3] = first * q[0] + second * q[1]
        return T

    def _cyclic_group(self, index: int) -> tuple[int, ...]:
        return (2,) if index == 2 else ()


class TranslationalJoint2D(_PlaneJoint):
    """Translation by `q[0]` and `q[1]` [m] along two axes."""

    __slots__ = ()
    type: ClassVar[JointType | None] = JointType.TRANSLATIONAL2D
    num_dofs: ClassVar[int] = 2


class TranslationalJoint(Joint):
    """Translation by q [m] along x, y and z."""

    __slots__ = ()
    type: ClassVar[JointType | None] = JointType.TRANSLATIONAL
    num_dofs: ClassVar[int] = 3
