"""Everything of a skeleton that does not change in time, as a value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from kido.description import Inertia
from kido.skeleton._names import checked_name
from kido.skeleton._nodes._node import Node
from kido.skeleton._values._content import Content
from kido.skeleton._values._joint_properties import AddonProperties, JointProperties, checked_addons
from kido.skeleton._values._known_types import DESCRIBED_TYPES, EXTENSION_TYPES
from kido.skeleton._values._saved_value import SavedValue
from kido.skeleton._values._skeleton_state import check_extension
from kido.tree import EARTH_GRAVITY
from kido.typing import ArrayLike, FloatArray, frozen_array

__all__ = ["BodyProperties", "NodeProperties", "SkeletonProperties"]


@dataclass(frozen=True, slots=True, eq=False, init=False)
class NodeProperties(Content):
    """A node: its class, name and addons, and an instance of the class's `Properties`, if it has one."""

    kind: type[Node]
    name: str
    properties: Any
    addons: tuple[AddonProperties, ...]

    def __init__(
        self, kind: type[Node], name: str, properties: object = None, addons: tuple[AddonProperties, ...] = ()
    ) -> None:
        check_extension(kind, Node, "properties", properties)
        self._assign(kind=kind, name=checked_name(name), properties=properties, addons=checked_addons(addons))


@dataclass(frozen=True, slots=True, eq=False, init=False)
class BodyProperties(Content):
    """A body, its joint, and what is attached to it; `parent` None: the joint is attached to the world."""

    name: str
    parent: str | None
    joint: JointProperties
    inertia: Inertia
    gravity_mode: bool
    collidable: bool
    addons: tuple[AddonProperties, ...]
    nodes: tuple[NodeProperties, ...]

    def __init__(
        self,
        name: str,
        parent: str | None,
        joint: JointProperties,
        inertia: Inertia,
        gravity_mode: bool = True,
        collidable: bool = True,
        addons: tuple[AddonProperties, ...] = (),
        nodes: tuple[NodeProperties, ...] = (),
    ) -> None:
        if not isinstance(joint, JointProperties):
            raise TypeError(f"joint: expected JointProperties, got {joint!r}")
        if not isinstance(inertia, Inertia):
            raise TypeError(f"inertia: expected an Inertia, got {inertia!r}")
        if inertia.mass < 0.0:
            raise ValueError(f"inertia: {inertia.problem()}")
        if not isinstance(nodes, tuple) or not all(isinstance(node, NodeProperties) for node in nodes):
            raise TypeError(f"nodes: expected a tuple of NodeProperties, got {nodes!r}")
        self._assign(
            name=checked_name(name),
            parent=None if parent is None else checked_name(parent),
            joint=joint,
            inertia=inertia,
            gravity_mode=bool(gravity_mode),
            collidable=bool(collidable),
            addons=checked_addons(addons),
            nodes=nodes,
        )


@dataclass(frozen=True, slots=True, eq=False, init=False)
class SkeletonProperties(SavedValue):
    """Structure and constants of a skeleton, enough to build it.

    Attributes:
        name: of the skeleton.
        bodies: with their joints, nodes and addons, each body after its parent.
        gravity: (3,) in world axes [m/s^2].
        time_step: duration of the step for which springs and dampers are implicit [s].
        mobile, self_collision_check, adjacent_body_check, mimic_enforced: as those of the skeleton.
        addons: of the skeleton itself.
    """

    known_types: ClassVar[tuple[type, ...]] = (
        *(AddonProperties, BodyProperties, JointProperties, NodeProperties),
        *EXTENSION_TYPES,
        *DESCRIBED_TYPES,
    )

    name: str
    gravity: FloatArray
    time_step: float
    mobile: bool
    self_collision_check: bool
    adjacent_body_check: bool
    mimic_enforced: bool
    addons: tuple[AddonProperties, ...]
    bodies: tuple[BodyProperties, ...]

    def __init__(
        self,
        name: str,
        bodies: Iterable[BodyProperties] = (),
        *,
        gravity: ArrayLike = EARTH_GRAVITY,
        time_step: float = 1e-3,
        mobile: bool = True,
        self_collision_check: bool = False,
        adjacent_body_check: bool = False,
        mimic_enforced: bool = False,
        addons: tuple[AddonProperties, ...] = (),
    ) -> None:
        """`gravity` (3,) [m/s^2]. Raises TypeError or ValueError, naming the argument."""
        parts = tuple(bodies)
        _check_bodies(parts)
        step = float(frozen_array("time_step", time_step, (), "s"))
        if step <= 0.0:
            raise ValueError(f"time_step: expected a positive number [s], got {step}")
        self._assign(
            name=checked_name(name),
            gravity=frozen_array("gravity", gravity, (3,), "m/s^2"),
            time_step=step,
            mobile=bool(mobile),
            self_collision_check=bool(self_collision_check),
            adjacent_body_check=bool(adjacent_body_check),
            mimic_enforced=bool(mimic_enforced),
            addons=checked_addons(addons),
            bodies=parts,
        )

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
        if not isinstance(body, BodyProperties):
            raise TypeError(f"bodies: expected BodyProperties, got {body!r}")
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
