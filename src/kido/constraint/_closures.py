"""Joints between bodies of any skeletons: closed loops, and what is held to the world."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from kido.constraint._body_constraint import BodyConstraint, Components, frames_at
from kido.constraint._constraint import checked_softness
from kido.constraint._softness import RIGID, Softness
from kido.description import frozen_transform
from kido.skeleton import BodyNode
from kido.typing import ArrayLike, FloatArray, TransformLike, frozen_array, frozen_direction

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["BallConstraint", "CylindricalConstraint", "RevoluteConstraint", "WeldConstraint"]

_NONE = (False, False, False)
_ALL = (True, True, True)
_TILT = (True, True, False)


class _Closure(BodyConstraint):
    """A frame on one body that keeps its place in a frame on the other, as both stand now."""

    __slots__ = ("_components",)

    _held: ClassVar[tuple[bool, bool, bool, bool, bool, bool]]

    def _close(
        self,
        first: BodyNode,
        second: BodyNode | None,
        T_world: FloatArray | None,
        softness: Softness | None,
    ) -> None:
        self._hold(first, second)
        T = first.transform() if T_world is None else T_world
        self._join(*frames_at(first, second, T), softness)

    def _join(self, first_frame: FloatArray, second_frame: FloatArray, softness: Softness | None) -> None:
        soft = checked_softness(softness)
        self._components = Components(
            first_frame, second_frame, self._held, softness=RIGID if soft is None else soft.numbers
        )

    @classmethod
    def from_frames(
        cls,
        first: BodyNode,
        second: BodyNode | None = None,
        *,
        first_frame: TransformLike | None = None,
        second_frame: TransformLike | None = None,
        softness: Softness | None = None,
    ) -> Self:
        """Join two bodies at a frame of each, wherever they stand; the axis, where there is one, is z.

        Args:
            first: a body.
            second: another one; None: the world.
            first_frame: pose (4, 4) in the first body [m]; None: the body's own frame.
            second_frame: pose (4, 4) in the second, or in the world [m]; None: its own frame.
            softness: None: rigid.

        Raises:
            TypeError, ValueError: naming the argument.
            EditError: a body with itself.
        """
        made = cls.__new__(cls)
        made._hold(first, second)
        frames = [
            frozen_transform(name, frame)
            for name, frame in (("first_frame", first_frame), ("second_frame", second_frame))
        ]
        made._join(frames[0], frames[1], softness)
        return made

    @property
    def components(self) -> Components:
        """The constraint as the solver takes it."""
        return self._components


class WeldConstraint(_Closure):
    """Two bodies as one: their relative pose stays what it is when the constraint is made."""

    __slots__ = ()
    _held = (*_ALL, *_ALL)

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
        self._close(first, second, None, softness)


class BallConstraint(_Closure):
    """A point that two bodies share."""

    __slots__ = ()
    _held = (*_ALL, *_NONE)

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
        self._close(first, second, _pose(point, (0.0, 0.0, 1.0)), softness)


class RevoluteConstraint(_Closure):
    """An axis about which two bodies turn, at a point of it that they share."""

    __slots__ = ()
    _held = (*_ALL, *_TILT)

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
        self._close(first, second, _pose(point, axis), softness)


class CylindricalConstraint(_Closure):
    """An axis about and along which two bodies move."""

    __slots__ = ()
    _held = (*_TILT, *_TILT)

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
        self._close(first, second, _pose(point, axis), softness)


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
