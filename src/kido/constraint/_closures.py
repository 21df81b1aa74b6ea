"""Joints between bodies of any skeletons: closed loops, and what is held to the world."""

from __future__ import annotations

import numpy as np

from kido.constraint._body_constraint import BodyConstraint, Components, frames_at
from kido.constraint._constraint import checked_softness
from kido.constraint._softness import RIGID, Softness
from kido.skeleton import BodyNode
from kido.typing import ArrayLike, FloatArray, frozen_array, frozen_direction

__all__ = ["BallConstraint", "CylindricalConstraint", "RevoluteConstraint", "WeldConstraint"]

_NONE = (False, False, False)
_ALL = (True, True, True)
_TILT = (True, True, False)


class _Closure(BodyConstraint):
    """A frame on one body that keeps its place in a frame on the other, as both stand now."""

    __slots__ = ("_components",)

    def __init__(
        self,
        first: BodyNode,
        second: BodyNode | None,
        T_world: FloatArray | None,
        held: tuple[bool, bool, bool, bool, bool, bool],
        softness: Softness | None,
    ) -> None:
        super().__init__(first, second)
        T = first.transform() if T_world is None else T_world
        soft = checked_softness(softness)
        self._components = Components(
            *frames_at(first, second, T), held, softness=RIGID if soft is None else soft.numbers
        )

    @property
    def components(self) -> Components:
        """The constraint as the solver takes it."""
        return self._components


class WeldConstraint(_Closure):
    """Two bodies as one: their relative pose stays what it is when the constraint is made."""

    __slots__ = ()

    def __init__(
        self, first: BodyNode, second: BodyNode | None = None, *, softness: Softness | None = None
    ) -> None:
        """Weld two bodies as they stand.

        Args:
            first: a body.
            second: another one; None: the world.
            softness: None: rigid.

        Raises:
            TypeError: no body, no softness.
            EditError: a body with itself.
        """
        super().__init__(first, second, None, (*_ALL, *_ALL), softness)


class BallConstraint(_Closure):
    """A point that two bodies share."""

    __slots__ = ()

    def __init__(
        self,
        first: BodyNode,
        second: BodyNode | None = None,
        *,
        point: ArrayLike,
        softness: Softness | None = None,
    ) -> None:
        """Join two bodies at a point as they stand.

        Args:
            first: a body.
            second: another one; None: the world.
            point: (3,) in world coordinates [m].
            softness: None: rigid.

        Raises:
            TypeError, ValueError: naming the argument.
            EditError: a body with itself.
        """
        super().__init__(first, second, _pose(point, (0.0, 0.0, 1.0)), (*_ALL, *_NONE), softness)


class RevoluteConstraint(_Closure):
    """An axis about which two bodies turn, at a point of it that they share."""

    __slots__ = ()

    def __init__(
        self,
        first: BodyNode,
        second: BodyNode | None = None,
        *,
        point: ArrayLike,
        axis: ArrayLike,
        softness: Softness | None = None,
    ) -> None:
        """Join two bodies at an axis as they stand.

        Args:
            first: a body.
            second: another one; None: the world.
            point: of the axis (3,), world coordinates [m].
            axis: direction (3,) in world axes, dimensionless; any length but zero.
            softness: None: rigid.

        Raises:
            TypeError, ValueError: naming the argument.
            EditError: a body with itself.
        """
        super().__init__(first, second, _pose(point, axis), (*_ALL, *_TILT), softness)


class CylindricalConstraint(_Closure):
    """An axis about and along which two bodies move."""

    __slots__ = ()

    def __init__(
        self,
        first: BodyNode,
        second: BodyNode | None = None,
        *,
        point: ArrayLike,
        axis: ArrayLike,
        softness: Softness | None = None,
    ) -> None:
        """Join two bodies at an axis as they stand.

        Args:
            first: a body.
            second: another one; None: the world.
            point: of the axis (3,), world coordinates [m].
            axis: direction (3,) in world axes, dimensionless; any length but zero.
            softness: None: rigid.

        Raises:
            TypeError, ValueError: naming the argument.
            EditError: a body with itself.
        """
        super().__init__(first, second, _pose(point, axis), (*_TILT, *_TILT), softness)


def _pose(point: ArrayLike, axis: ArrayLike) -> FloatArray:
    """A frame at a point with z along an axis (4, 4), world coordinates [m]."""
    z = frozen_direction("axis", axis)
    x = np.eye(3)[int(np.argmin(np.abs(z)))]
    x = x - z * (x @ z)
    x = x / np.linalg.norm(x)
    T = np.eye(4)
    T[:3, :3] = np.column_stack([x, np.cross(z, x), z])
    T[:3, 3] = frozen_array("point", point, (3,), "m")
    return T
