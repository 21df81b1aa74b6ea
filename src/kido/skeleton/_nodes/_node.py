"""Base of nodes, which are attached to bodies in any number: sensors, end effectors, shapes, markers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NoReturn, TypeVar

from kido.errors import EditError, NameTakenError, RemovedError, UnknownNameError
from kido.skeleton._answers._answers import Answers
from kido.skeleton._nodes._addon import Addon, require_addon_type
from kido.skeleton._nodes._node_kind import NodeKind
from kido.skeleton._rigid_body import RigidBody
from kido.values import checked_name

if TYPE_CHECKING:
    from kido.skeleton._body import BodyNode
    from kido.skeleton._skeleton import Skeleton

__all__ = ["Node", "addons_of", "node_named", "nodes_of"]

A = TypeVar("A", bound=Addon)
N = TypeVar("N", bound="Node")


class Node(NodeKind):
    """Something that belongs to a body and follows it; its name is unique among the nodes of its type in the
    skeleton.

    A node of your own derives from this class, or from `FrameNode` if it has a place on the body. Its class
    may define `State` and `Properties`, frozen dataclasses with defaults; what they hold is carried by clone,
    copy, move, save and restore. A copy is made without calling `__init__`; for what else it keeps, define
    `copied_from`.
    """

    __slots__ = ()

    _body: BodyNode | None
    _home: BodyNode
    _node_name: str

    def __init__(self, body: BodyNode, name: str, properties: object = None, state: object = None) -> None:
        """Attach a node to a body.

        Args:
            body: where it belongs.
            name: unique among the nodes of its type.
            properties: an instance of the class's `Properties`, or None: the default one.
            state: an instance of the class's `State`, or None: the default one.

        Raises:
            NameTakenError: another node of this type has the name.
            TypeError: properties or state are of another class.
        """
        self._refuse(body, name)
        self._start(properties, state)
        self._addons = None
        self._enter(body, name)

    @property
    def name(self) -> str:
        """Name, unique among the nodes of this type in the skeleton. Set: raises NameTakenError."""
        return self._node_name

    @name.setter
    def name(self, name: str) -> None:
        if checked_name("name", name) == self._node_name:
            return
        if self._body is None:
            self._node_name = name
            return
        self._refuse(self._body, name)
        old, self._node_name = self._node_name, name
        self._body.skeleton._answers.nodes_changed()
        self._body.skeleton.name_changed.emit(self, old, name)

    @property
    def body(self) -> BodyNode:
        """The body that this node belongs to. Raises RemovedError where it was removed."""
        if self._body is None:
            raise RemovedError("node", self._node_name)
        return self._body

    @property
    def skeleton(self) -> Skeleton:
        """The skeleton that this node belongs to. Raises RemovedError where there is none."""
        return self.body.skeleton

    @property
    def index(self) -> int:
        """Index among the nodes of its type (and those that derive from it) in the skeleton: of
        `skeleton.nodes(type(node))`.

        Raises RemovedError where the node was removed.
        """
        return self.skeleton.nodes(type(self)).index(self)

    @property
    def is_removed(self) -> bool:
        """Whether this node, or its body, was removed."""
        return self._body is None or self._body._skeleton is None

    def remove(self) -> None:
        """Take this node off its body; `reattach` puts it back. Raises RemovedError where it was removed
        before."""
        self.skeleton  # noqa: B018 - raises where there is none
        body = self.body
        body._nodes = tuple(node for node in body._nodes if node is not self)
        self._appearance_changed()
        self._body = None

    def reattach(self) -> None:
        """Put this node back on the body that it was removed from.

        Raises:
            EditError: it is not removed.
            RemovedError: the body was removed since.
            NameTakenError: another node of this type has the name now.
        """
        if self._body is not None:
            self.skeleton  # noqa: B018 - raises where there is none
            raise EditError(f"{self._node_name!r} is not removed")
        body = self._home
        body.skeleton  # noqa: B018 - raises where there is no skeleton
        self._refuse(body, self._node_name)
        self._enter(body, self._node_name)

    def _refuse(self, body: BodyNode, name: str) -> None:
        if not isinstance(body, RigidBody):
            raise TypeError(f"body: expected a BodyNode, got {type(body).__name__}")
        if checked_name("name", name) in body.skeleton._structure.node_names(type(self)):
            raise NameTakenError(type(self).__name__, name, body.skeleton.name)

    def _enter(self, body: BodyNode, name: str) -> None:
        self._settle(body, name)
        body._nodes = (*body._nodes, self)
        self._appearance_changed()

    def _appearance_changed(self) -> None:
        """Called where this node came, went, or is another one now."""
        body = getattr(self, "_body", None)  # none before it is attached
        if body is not None and body._skeleton is not None:
            self._count_change(body._skeleton._answers)

    def _count_change(self, answers: Answers) -> None:
        """Let those know who look whether nodes are still the same."""
        answers.nodes_changed()

    def _settle(self, body: BodyNode, name: str) -> None:
        """Belong to a body, which is told by the caller."""
        self._node_name = name
        self._body = body
        self._home = body

    def _copy_onto(self, body: BodyNode) -> None:
        """Attach a copy with the same properties and state to a body."""
        copy = self._blank_copy()
        copy._addons = None
        copy._enter(body, self._node_name)

    def _copy_content_of(self, original: Node) -> None:
        """Take what else the node has that this one is a copy of."""
        self._copy_addons_from(original)
        self.copied_from(original)

    def __reduce__(self) -> NoReturn:
        if self.is_removed:
            raise TypeError(f"cannot pickle node {self._node_name!r}: it belongs to no skeleton")
        raise TypeError(
            f"cannot pickle node {self._node_name!r} alone: pickle its skeleton, and it goes along"
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._node_name!r}>"


def nodes_of(kind: type[N], bodies: Iterable[BodyNode]) -> Iterator[N]:
    """The nodes of a type (and those that derive from it) on bodies. Raises TypeError for what is no type."""
    if not isinstance(kind, type):
        raise TypeError(f"kind: expected a class of nodes, got {kind!r}")
    return (node for body in bodies for node in body._nodes if isinstance(node, kind))


def addons_of(kind: type[A], bodies: Iterable[BodyNode]) -> Iterator[A]:
    """The addons of exactly a type on bodies and their nodes, body by body, that of a body first. Raises
    TypeError for no type of addon."""
    require_addon_type(kind)
    for body in bodies:
        for owner in (body, *body._nodes):
            found = owner._addons.get(kind) if owner._addons else None
            if isinstance(found, kind):
                yield found


def node_named(kind: type[N], name: str, bodies: Iterable[BodyNode], owner: str) -> N:
    """The node of a type and name on bodies: one of exactly this type, else one that derives from it.

    Raises UnknownNameError, naming the nearest ones, ValueError where several have the name, and TypeError
    for what is no type.
    """
    nodes = tuple(nodes_of(kind, bodies))
    found = [node for node in nodes if node.name == name]
    if not found:
        raise UnknownNameError(kind.__name__, name, (node.name for node in nodes), owner)
    chosen = [node for node in found if type(node) is kind] or found
    if len(chosen) > 1:
        kinds = ", ".join(type(node).__name__ for node in chosen)
        raise ValueError(
            f"name: {owner!r} has several nodes named {name!r} ({kinds}); ask for one of these types"
        )
    return chosen[0]
