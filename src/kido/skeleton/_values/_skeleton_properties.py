"""Everything of a skeleton that does not change in time, as a value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from kido.description import Inertia
from kido.skeleton._nodes._node_kind import NodeKind
from kido.skeleton._values._joint_properties import AddonProperties, JointProperties, checked_addons
from kido.skeleton._values._skeleton_state import check_extension
from kido.tree import EARTH_GRAVITY
from kido.values import (
    Array,
    Checked,
    Value,
    array,
    checked,
    flag,
    frozen_content,
    items,
    number,
    part,
    text,
    value,
)

__all__ = ["BodyProperties", "NodeProperties", "SkeletonProperties"]


@value
class NodeProperties(Value):
    """A node: its class, name and addons, and an instance of the class's `Properties`, if it has one."""

    kind: type[NodeKind]
    name: str = text()
    properties: Any = None
    addons: tuple[AddonProperties, ...] = checked(checked_addons, default=())

    def _check(self) -> None:
        if not (isinstance(self.kind, type) and issubclass(self.kind, NodeKind)):
            raise TypeError(f"kind: expected a class that derives from Node, got {self.kind!r}")
        check_extension(self.kind, NodeKind, "properties", self.properties)
        self._assign(properties=frozen_content(self.properties))


@value
class BodyProperties(Value):
    """A body, its joint, and what is attached to it; `parent` None: the joint is attached to the world."""

    name: str = text()
    parent: str | None = text(optional=True)
    joint: JointProperties = part(JointProperties)
    inertia: Inertia = part(Inertia)
    gravity_mode: bool = flag(default=True)
    collidable: bool = flag(default=True)
    addons: tuple[AddonProperties, ...] = checked(checked_addons, default=())
    nodes: Checked[Iterable[NodeProperties], tuple[NodeProperties, ...]] = items(NodeProperties, default=())

    def _check(self) -> None:
        if self.inertia.mass < 0.0:
            raise ValueError(f"inertia: {self.inertia.problem()}")


@value
class SkeletonProperties(Value):
    """Structure and constants of a skeleton, enough to build it.

    Attributes:
        name: of the skeleton.
        bodies: with their joints, nodes and addons, each body after its parent.
        gravity: (3,) in world axes [m/s^2].
        time_step: duration of the step for which springs and dampers are implicit [s].
        mobile, self_collision_check, adjacent_body_check, mimic_enforced: as those of the skeleton.
        addons: of the skeleton itself.

    Raises TypeError or ValueError naming the argument.
    """

    name: str = text()
    gravity: Array = array(3, unit="m/s^2", default=EARTH_GRAVITY, kw_only=True)
    time_step: float = number(unit="s", positive=True, default=1e-3, kw_only=True)
    mobile: bool = flag(default=True, kw_only=True)
    self_collision_check: bool = flag(default=False, kw_only=True)
    adjacent_body_check: bool = flag(default=False, kw_only=True)
    mimic_enforced: bool = flag(default=False, kw_only=True)
    addons: tuple[AddonProperties, ...] = checked(checked_addons, default=(), kw_only=True)
    bodies: Checked[Iterable[BodyProperties], tuple[BodyProperties, ...]] = items(BodyProperties, default=())

    def _check(self) -> None:
        _check_bodies(self.bodies)

    def outline(self) -> Iterator[tuple[str, type | None]]:
        """The parts one after the other, in words and with their classes: what a structure is."""
        yield from _outline_addons("the skeleton", self.addons)
        for body in self.bodies:
            yield f"body {body.name!r} on {body.parent or 'the world'!r}", None
            yield from _outline_addons(f"body {body.name!r}", body.addons)
            yield f"{body.joint.kind.__name__} {body.joint.name!r}", body.joint.kind
            yield from _outline_addons(f"joint {body.joint.name!r}", body.joint.addons)
            for node in body.nodes:
                yield f"{node.kind.__name__} {node.name!r} of {body.name!r}", node.kind
                yield from _outline_addons(f"{node.kind.__name__} {node.name!r}", node.addons)


def _outline_addons(owner: str, addons: tuple[AddonProperties, ...]) -> Iterator[tuple[str, type | None]]:
    for addon in addons:
        yield f"{addon.kind.__name__} of {owner}", addon.kind


def _check_bodies(bodies: tuple[BodyProperties, ...]) -> None:
    names: set[str] = set()
    for body in bodies:
        if body.parent is not None and body.parent not in names:
            raise ValueError(f"bodies: expected {body.name!r} after its parent {body.parent!r}")
        if body.name in names:
            raise ValueError(f"bodies: expected different names, got two named {body.name!r}")
        names.add(body.name)
    _refuse_twins("joints", [body.joint.name for body in bodies])
    _refuse_twins("nodes of one type", [(node.kind, node.name) for body in bodies for node in body.nodes])


def _refuse_twins(what: str, names: list[Any]) -> None:
    taken: set[Any] = set()
    for name in names:
        if name in taken:
            raise ValueError(f"bodies: expected {what} of different names, got two of {name!r}")
        taken.add(name)
