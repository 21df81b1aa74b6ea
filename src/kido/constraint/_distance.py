"""Laws of the distance of two points."""

from __future__ import annotations

from math import inf

import numpy as np

from kido.constraint._body_constraint import BodyConstraint, Components
from kido.constraint._constraint import checked_softness
from kido.constraint._softness import RIGID, Softness, SoftnessNumbers
from kido.skeleton import BodyNode
from kido.typing import ArrayLike, FloatArray, frozen_array
from kido.values import checked_positive

__all__ = ["DistanceConstraint", "RopeConstraint", "SpringConstraint"]

_ALONG = (True, False, False, False, False, False)


class _BetweenPoints(BodyConstraint):
    """A law of the distance between a point on one body and a point on another, or of the world."""

    __slots__ = ("_components",)

    def __init__(
        self,
        first: BodyNode,
        second: BodyNode | None,
        first_point: ArrayLike,
        second_point: ArrayLike,
        length: float | None,
        softness: SoftnessNumbers,
        pushes: bool = True,
    ) -> None:
        super().__init__(first, second)
        one, other = _offset("first_point", first_point), _offset("second_point", second_point)
        if length is None:
            start = first.transform() @ one
            end = other if second is None else second.transform() @ other
            length = float(np.linalg.norm(start[:3, 3] - end[:3, 3]))
        self._components = Components(one, other, _ALONG, length, softness, pushes=pushes)

    @property
    def components(self) -> Components:
        """The constraint as the solver takes it."""
        return self._components

    @property
    def length(self) -> float:
        """Distance of the points that the law is about [m]."""
        assert self._components.length is not None
        return self._components.length


class DistanceConstraint(_BetweenPoints):
    """A massless rod: two points stay at a distance."""

    __slots__ = ()

    def __init__(
        self,
        first: BodyNode,
        second: BodyNode | None = None,
        *,
        first_point: ArrayLike = (0.0, 0.0, 0.0),
        second_point: ArrayLike = (0.0, 0.0, 0.0),
        length: float | None = None,
        softness: Softness | None = None,
    ) -> None:
        """Hold two points apart.

        Args:
            first: a body.
            second: another one; None: the world.
            first_point: (3,) in the coordinates of the first body [m].
            second_point: (3,) in those of the second, or of the world [m].
            length: [m], above 0; None: the present distance.
            softness: None: rigid.

        Raises:
            TypeError, ValueError: naming the argument.
            EditError: a body with itself.
        """
        rest = _positive("length", length)
        super().__init__(first, second, first_point, second_point, rest, _numbers(softness))


class RopeConstraint(_BetweenPoints):
    """A rope: two points never get farther apart than its length."""

    __slots__ = ()

    def __init__(
        self,
        first: BodyNode,
        second: BodyNode | None = None,
        *,
        first_point: ArrayLike = (0.0, 0.0, 0.0),
        second_point: ArrayLike = (0.0, 0.0, 0.0),
        length: float | None = None,
        softness: Softness | None = None,
    ) -> None:
        """Tie two points together.

        Args:
            first: a body.
            second: another one; None: the world.
            first_point: (3,) in the coordinates of the first body [m].
            second_point: (3,) in those of the second, or of the world [m].
            length: [m], above 0; None: the present distance.
            softness: None: rigid.

        Raises:
            TypeError, ValueError: naming the argument.
            EditError: a body with itself.
        """
        rest = _positive("length", length)
        super().__init__(first, second, first_point, second_point, rest, _numbers(softness), pushes=False)


class SpringConstraint(_BetweenPoints):
    """A spring and damper between two points, implicit in time: stable however stiff."""

    __slots__ = ()

    def __init__(
        self,
        first: BodyNode,
        second: BodyNode | None = None,
        *,
        stiffness: float | None = None,
        damping: float = 0.0,
        softness: Softness | None = None,
        first_point: ArrayLike = (0.0, 0.0, 0.0),
        second_point: ArrayLike = (0.0, 0.0, 0.0),
        length: float | None = None,
    ) -> None:
        """Put a spring between two points.

        Args:
            first: a body.
            second: another one; None: the world.
            stiffness: [N/m], above 0; None: see `softness`.
            damping: [N s/m], 0 or above.
            softness: in place of both.
            first_point: (3,) in the coordinates of the first body [m].
            second_point: (3,) in those of the second, or of the world [m].
            length: at rest [m], above 0; None: the present distance.

        Raises:
            TypeError, ValueError: naming the argument.
            EditError: a body with itself.
        """
        numbers = _numbers(softness)
        if (stiffness is None) is (softness is None):
            raise ValueError("stiffness, softness: expected one of them")
        if softness is not None and damping != 0.0:
            raise ValueError(f"damping, softness: expected one of them, got {damping!r} and {softness!r}")
        if stiffness is not None:
            k = checked_positive("stiffness", stiffness, "N/m")
            if not 0.0 <= (c := float(damping)) < inf:
                raise ValueError(f"damping: expected a finite number, 0 or above [N s/m], got {damping!r}")
            numbers = (k, c, 0.0, 0.0)
        rest = _positive("length", length)
        super().__init__(first, second, first_point, second_point, rest, numbers)


def _numbers(softness: Softness | None) -> SoftnessNumbers:
    soft = checked_softness(softness)
    return RIGID if soft is None else soft.numbers


def _positive(name: str, length: float | None) -> float | None:
    return None if length is None else checked_positive(name, length, "m")


def _offset(name: str, point: ArrayLike) -> FloatArray:
    T = np.eye(4)
    T[:3, 3] = frozen_array(name, point, (3,), "m")
    return T
