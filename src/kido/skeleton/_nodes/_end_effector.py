"""A named place on a body that does something: a hand, a foot, a tool."""

from __future__ import annotations

from kido.skeleton._nodes._addon import Addon
from kido.skeleton._nodes._frame_node import FrameNode
from kido.typing import ArrayLike, FloatArray, frozen_array
from kido.values import Array, Value, checked, flag, value

__all__ = ["EndEffector", "Support"]


def _corners(name: str, value: ArrayLike) -> FloatArray:
    points = frozen_array(name, value, None, "m")
    if points.size == 0:
        points = points.reshape(0, 3)
    return frozen_array(name, points, (-1, 3), "m")


class EndEffector(FrameNode):
    """A frame on a body that tasks speak of. With a `Support` it can carry weight."""

    @property
    def support(self) -> Support | None:
        """The Support addon; None where there is none."""
        return self.addon(Support)


class Support(Addon):
    """Addon of an end effector: the shape on which it can stand, and whether it does."""

    @value
    class Properties(Value):
        """`geometry` (k, 3): corners in the end effector's coordinates [m]."""

        geometry: Array = checked(_corners, default=())

    @value
    class State(Value):
        """`active`: whether the end effector stands on its support now."""

        active: bool = flag(default=False)

    owner: EndEffector
    properties: Properties
    state: State

    def __init__(self, owner: EndEffector, geometry: ArrayLike = (), active: bool = False) -> None:
        """Support of an end effector.

        Args:
            owner: the end effector.
            geometry: corners (k, 3) in its coordinates [m].
            active: whether it stands on them now.

        Raises:
            TypeError: owner is no end effector.
            ValueError: geometry of another shape.
        """
        if not isinstance(owner, EndEffector):
            raise TypeError(f"owner: expected an EndEffector, got {type(owner).__name__}")
        super().__init__(owner, self.Properties(geometry), self.State(active))

    @property
    def geometry(self) -> FloatArray:
        """Corners (k, 3) in the end effector's coordinates [m]. Can be set."""
        return self.properties.geometry

    @geometry.setter
    def geometry(self, geometry: ArrayLike) -> None:
        self.properties = self.Properties(geometry)

    @property
    def active(self) -> bool:
        """Whether the end effector stands on its support. Can be set."""
        return self.state.active

    @active.setter
    def active(self, active: bool) -> None:
        self.state = self.State(active)
