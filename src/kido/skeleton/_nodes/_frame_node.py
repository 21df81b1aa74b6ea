"""Nodes with a place on their body."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np

from kido import _core
from kido.errors import FrameError
from kido.frame import Frame
from kido.skeleton._nodes._node import Node
from kido.skeleton._nodes._node_properties import Placed
from kido.skeleton._placement import placement
from kido.typing import FloatArray, TransformLike

if TYPE_CHECKING:
    from kido.skeleton._body import BodyNode
    from kido.skeleton._dof import DegreeOfFreedom

__all__ = ["FrameNode", "Placed"]

F = TypeVar("F", bound="FrameNode")


class FrameNode(Node, Frame):
    """A node that is a frame fixed to its body, with Jacobians. Its pose on the body can be changed.

    A class that derives from this one and has properties of its own gives them a field `transform`. A node
    that was removed stands still on the body that it was removed from, and answers as before until that body
    is removed too.
    """

    __slots__ = ("_addons", "_body", "_home", "_node_name", "_properties", "_state")

    Properties: ClassVar[type | None] = Placed
    _has_place: ClassVar[bool] = True

    def __init__(
        self,
        body: BodyNode,
        name: str,
        transform: TransformLike | None = None,
        *,
        properties: Any = None,
        state: object = None,
    ) -> None:
        """Attach a node to a body.

        Args:
            body: where it belongs.
            name: unique among the nodes of its type.
            transform: pose (4, 4) or position (3,) on the body [m]; None: that of `properties`.
            properties: an instance of the class's `Properties`, or None: the default one.
            state: an instance of the class's `State`, or None: the default one.

        Raises:
            NameTakenError: another node of this type has the name.
            TypeError, ValueError: naming the argument.
        """
        T = None if transform is None else placement("transform", transform)
        self._refuse(body, name)
        self._begin_node(properties, state)
        self._pose_changed(self.properties.transform if T is None else T)
        self._enter(body, name)

    @property
    def name(self) -> str:
        """Name, unique among the nodes of this type in the skeleton. Set: raises NameTakenError."""
        return self._node_name

    @name.setter
    def name(self, name: str) -> None:
        Node.name.fset(self, name)  # type: ignore[attr-defined]

    @property
    def parent_frame(self) -> Frame:
        """The body, also of a node that was removed from it."""
        return self._home

    def set_parent_frame(self, parent: Frame) -> None:
        """Raises FrameError: nodes stay on their body."""
        raise FrameError(f"{self.name!r} belongs to body {self._home.name!r}")

    @property
    def relative_transform(self) -> FloatArray:
        """Pose (4, 4) on the body [m]. Set: a transform, or a translation (3,)."""
        return self._relative_pose()

    @relative_transform.setter
    def relative_transform(self, transform: TransformLike) -> None:
        self._pose_changed(placement("relative_transform", transform))

    def reset_relative_transform(self) -> None:
        """Put the node back to where its properties say, if it was moved by `move_on_body`."""
        self._set_relative_pose(self.properties.transform)
        self._appearance_changed()

    def move_on_body(self, transform: TransformLike) -> None:
        """Put the node at a pose (4, 4) or (3,) [m] on the body for now; `reset_relative_transform` undoes
        it."""
        self._set_relative_pose(placement("transform", transform))
        self._appearance_changed()

    @property
    def dependent_dofs(self) -> tuple[DegreeOfFreedom, ...]:
        """The dofs that move this node, root first: those of the columns of its Jacobians."""
        return self._home.dependent_dofs

    @property
    def dependent_dof_indices(self) -> list[int]:
        """Indices of `dependent_dofs` in the skeleton."""
        return self._home.dependent_dof_indices

    def depends_on(self, dof: DegreeOfFreedom | int) -> bool:
        """Whether a dof, or the dof of that index in the skeleton, moves this node."""
        return self._home.depends_on(dof)

    @property
    def chain_dofs(self) -> tuple[DegreeOfFreedom, ...]:
        """The dofs from the body up to where the structure branches, root first."""
        return self._home.chain_dofs

    @property
    def properties(self) -> Any:
        """Stays in time, `transform` among it. Set: the node goes where it says."""
        return self._properties

    @properties.setter
    def properties(self, properties: Any) -> None:
        checked: Any = self._checked("properties", self.Properties, properties)
        if not np.array_equal(checked.transform, self._properties.transform):
            self._set_relative_pose(checked.transform)
        self._properties = checked
        self._appearance_changed()

    def _pose_changed(self, transform: FloatArray) -> None:
        self._set_relative_pose(transform)
        self._properties = with_transform(self.properties, transform)
        self._appearance_changed()

    def _start_blank(self, properties: object) -> None:
        self._begin_node(properties, None)
        self._move_to(None)

    def _moved_to(self) -> FloatArray | None:
        pose = self._relative_pose()
        return None if (pose == self.properties.transform).all() else pose

    def _move_to(self, transform: FloatArray | None) -> None:
        self._set_relative_pose(self.properties.transform if transform is None else transform)

    def _begin_node(self, properties: object, state: object) -> None:
        _core.Frame.__init__(self, _core.FrameKind.MOVING)
        self._children = None
        self._parent = None
        self._addons = None
        self._start(properties, state)

    def _settle(self, body: BodyNode, name: str) -> None:
        super()._settle(body, name)
        self._place_under(body)

    def _blank_copy(self: F) -> F:
        copy = type(self).__new__(type(self))
        copy._begin_node(self.properties, self.state)
        copy._set_relative_pose(self._relative_pose())
        return copy


def with_transform(properties: Any, transform: FloatArray) -> Any:
    """The same properties with another pose."""
    return replace(properties, transform=transform)
