"""A named point on a body, as motion capture uses them."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, ClassVar

from kido.skeleton._nodes._frame_node import FrameNode
from kido.skeleton._placement import frozen_placement
from kido.typing import ArrayLike, FloatArray, TransformLike, frozen_color
from kido.values import Array, Checked, Transform, Value, checked, register, value

if TYPE_CHECKING:
    from kido.skeleton._body import BodyNode

__all__ = ["Marker", "MarkerConstraint"]


@register
class MarkerConstraint(str, Enum):
    """How strictly a marker's target is to be met."""

    NONE = "none"
    SOFT = "soft"
    HARD = "hard"


def _constraint(name: str, value: MarkerConstraint | str) -> MarkerConstraint:
    return MarkerConstraint(value)


@value
class MarkerProperties(Value):
    """Pose (4, 4) on the body [m], color (4,) in [0, 1], constraint."""

    transform: Transform = checked(frozen_placement, default=None)
    rgba: Array = checked(frozen_color, default=(1.0, 1.0, 1.0, 1.0))
    constraint: Checked[MarkerConstraint | str, MarkerConstraint] = checked(
        _constraint, default=MarkerConstraint.NONE
    )


class Marker(FrameNode):
    """A point on a body that measurements refer to."""

    Properties: ClassVar[type | None] = MarkerProperties
    properties: MarkerProperties

    def __init__(
        self,
        body: BodyNode,
        name: str,
        transform: TransformLike | None = None,
        *,
        rgba: ArrayLike = (1.0, 1.0, 1.0, 1.0),
        constraint: MarkerConstraint | str = MarkerConstraint.NONE,
    ) -> None:
        """Attach a marker to a body.

        Args:
            body: where it belongs.
            name: unique among the markers.
            transform: pose (4, 4) or position (3,) on the body [m].
            rgba: color (4,), dimensionless numbers in [0, 1].
            constraint: how strictly a target is to be met.

        Raises:
            NameTakenError: another marker has the name.
            TypeError, ValueError: naming the argument.
        """
        super().__init__(body, name, properties=MarkerProperties(transform, rgba, constraint))

    @property
    def rgba(self) -> FloatArray:
        """Color (4,), dimensionless numbers in [0, 1]. Can be set."""
        return self.properties.rgba

    @rgba.setter
    def rgba(self, rgba: ArrayLike) -> None:
        own = self.properties
        self.properties = MarkerProperties(own.transform, rgba, own.constraint)

    @property
    def constraint(self) -> MarkerConstraint:
        """How strictly a target is to be met. Can be set."""
        return self.properties.constraint

    @constraint.setter
    def constraint(self, constraint: MarkerConstraint | str) -> None:
        own = self.properties
        self.properties = MarkerProperties(own.transform, own.rgba, constraint)
