"""The Euler joint."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kido._core import brief
from kido.description import EULER_ORDERS, JointDescription, JointType
from kido.math import euler_to_matrix
from kido.skeleton._data import EULER_ORDER
from kido.skeleton._joints._joint import Joint, JointOptions
from kido.tree import euler_code
from kido.typing import ArrayLike, FloatArray

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

__all__ = ["EulerJoint"]


class EulerJoint(Joint, joint_type=JointType.EULER):
    """Rotation by three angles [rad] about axes x, y, z of the moving frame, in one of twelve orders."""

    __slots__ = ()

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

    @classmethod
    def _described(cls, name: str, part: JointDescription) -> Self:
        return cls(name, part.euler_order)

    @property
    def order(self) -> str:
        """Order of the axes. Set: one of the twelve; dof names that follow it change. Raises ValueError."""
        return self._euler_order()

    @order.setter
    def order(self, order: str) -> None:
        self._home()
        if not isinstance(order, str) or order not in EULER_ORDERS:
            raise ValueError(f"order: expected one of {', '.join(EULER_ORDERS)}, got {brief(order)}")
        if self._dof_names is None and self._body is not None:
            names = JointType.EULER.spec.dof_names(self.name, order)
            self.skeleton._structure.refuse_taken_dof_names(self, names)
        self._write_code(EULER_ORDER, euler_code(order))
        self._structure_changed()

    def rotation_of(self, positions: ArrayLike) -> FloatArray:
        """Rotation (..., 3, 3) that three angles (..., 3) [rad] give. Raises TypeError or ValueError."""
        return euler_to_matrix(positions, self.order.upper())

    def _euler_order(self) -> str:
        return _ORDERS[self._code(EULER_ORDER)]


_ORDERS = {euler_code(order): order for order in EULER_ORDERS}
