"""Contract of all types of nodes, those of users included."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import kido
from kido.errors import EditError, NameTakenError, RemovedError
from kido.skeleton import Addon, FrameNode, Node, SkinNode
from kido.typing import TransformLike


class Battery(Node):
    """A node of a user without a place."""

    @dataclass(frozen=True)
    class Properties:
        """`capacity` [J]."""

        capacity: float = 10.0

    @dataclass(frozen=True)
    class State:
        """`charge` [J]."""

        charge: float = 5.0

    log: tuple[str, ...] = ()

    def copied_from(self, original: Battery) -> None:
        self.log = (*original.log, f"copied onto {self.body.name} of {self.skeleton.num_bodies} bodies")
        assert self.body.mass == original.body.mass


class Microphone(FrameNode):
    """A node of a user with a place."""


class Tag(Addon):
    """An addon of nodes."""


Maker = Callable[[kido.BodyNode, str], Node]

NODES: dict[type[Node], Maker] = {
    kido.EndEffector: lambda body, name: body.add_end_effector(name, (0.1, 0.0, 0.0)),
    kido.Marker: lambda body, name: body.add_marker(name, (0.1, 0.0, 0.0)),
    kido.ShapeNode: lambda body, name: body.add_shape_node(
        kido.shape.Sphere(0.1), (0.1, 0.0, 0.0), name=name
    ),
    SkinNode: lambda body, name: SkinNode(body, name, kido.SoftSkin.of_point(0.1, (0.1, 0.0, 0.0))),
    Microphone: lambda body, name: Microphone(body, name, (0.1, 0.0, 0.0)),
    Battery: lambda body, name: Battery(body, name, Battery.Properties(20.0), Battery.State(7.0)),
}

every_node = pytest.mark.parametrize("kind", NODES, ids=lambda kind: kind.__name__)


@pytest.fixture
def arm() -> kido.Skeleton:
    skeleton = kido.Skeleton("arm")
    upper = skeleton.add_body("upper", joint=kido.RevoluteJoint("shoulder", positions=0.3, velocities=0.5))
    skeleton.add_body("lower", upper, kido.RevoluteJoint("elbow", positions=0.4, T_parent_joint=(1, 0, 0)))
    return skeleton


def test_every_node_of_kido_is_under_this_contract() -> None:
    found = [getattr(kido.skeleton, name) for name in kido.skeleton.__all__]
    nodes = {c for c in found if isinstance(c, type) and issubclass(c, Node)} - {Node, FrameNode}
    assert nodes == set(NODES) - {Microphone, Battery}


@every_node
def test_it_belongs_to_its_body(arm: kido.Skeleton, kind: type[Node]) -> None:
    node = NODES[kind](arm.body("lower"), "n")
    assert type(node) is kind and node.name == "n" and not node.is_removed
    assert node.body is arm.body("lower") and node.skeleton is arm
    assert arm.nodes() == arm.nodes(kind) == arm.body("lower").nodes(kind) == (node,)
    assert arm.node(kind, "n") is arm.body("lower").node(kind, "n") is node


@every_node
def test_its_name_is_unique_among_its_type(arm: kido.Skeleton, kind: type[Node]) -> None:
    first, second = NODES[kind](arm.body("upper"), "a"), NODES[kind](arm.body("lower"), "b")
    hand = arm.add_body("hand", arm.body("lower"))  # a body has one skin at most
    with pytest.raises(NameTakenError, match=f"'arm' has an? {kind.__name__} named 'a' already"):
        NODES[kind](hand, "a")
    with pytest.raises(NameTakenError):
        second.name = "a"
    assert arm.nodes() == (first, second) and [node.name for node in arm.nodes()] == ["a", "b"]
    for other in set(NODES) - {kind}:
        assert NODES[other](hand, "a").name == "a"


@every_node
def test_its_new_name_is_told_and_found(arm: kido.Skeleton, kind: type[Node]) -> None:
    node, heard = NODES[kind](arm.body("lower"), "old"), []
    arm.name_changed.connect(lambda *told: heard.append(told))
    node.name = "new"
    assert heard == [(node, "old", "new")] and arm.node(kind, "new") is node


@every_node
def test_it_can_be_removed_and_put_back(arm: kido.Skeleton, kind: type[Node]) -> None:
    node = NODES[kind](arm.body("lower"), "n")
    properties = node.properties
    node.remove()
    assert node.is_removed and arm.nodes() == () and node not in arm.body("lower").child_frames
    for ask in (node.remove, lambda: node.body, lambda: node.skeleton):
        with pytest.raises(RemovedError, match="node 'n' belongs to no skeleton"):
            ask()
    node.reattach()
    assert node.body is arm.body("lower") and arm.nodes() == (node,) and node.properties == properties
    with pytest.raises(EditError, match="'n' is not removed"):
        node.reattach()


@every_node
def test_it_keeps_what_is_its_own_while_it_is_removed(arm: kido.Skeleton, kind: type[Node]) -> None:
    node = NODES[kind](arm.body("lower"), "n")
    node.remove()
    tag = node.create_addon(Tag)
    node.name, properties = "m", node.properties
    node.reattach()
    assert node.addon(Tag) is tag and node.properties is properties and arm.node(kind, "m") is node


@every_node
def test_it_is_gone_with_its_body(arm: kido.Skeleton, kind: type[Node]) -> None:
    node = NODES[kind](arm.body("lower"), "n")
    arm.body("lower").remove()
    assert node.is_removed
    for ask in (lambda: node.skeleton, node.remove, node.reattach):
        with pytest.raises(RemovedError):
            ask()


def carried(node: Node) -> Any:
    """All that has to travel with a node."""
    return node.name, node.properties, node.state, node.has_addon(Tag)


EDITS: dict[str, Callable[[kido.Skeleton], kido.BodyNode]] = {
    "clone": lambda s: s.clone().body("lower"),
    "copy_as": lambda s: s.body("lower").copy_as("new").body(0),
    "copy_to": lambda s: s.body("lower").copy_to(skeleton=kido.Skeleton("new")),
}


@every_node
@pytest.mark.parametrize("edit", EDITS)
def test_a_copy_of_its_body_has_a_copy_of_it(arm: kido.Skeleton, kind: type[Node], edit: str) -> None:
    node = NODES[kind](arm.body("lower"), "n")
    node.create_addon(Tag)
    body = EDITS[edit](arm)
    (copy,) = body.nodes()
    assert type(copy) is kind and copy is not node and copy.body is body
    assert carried(copy) == carried(node)
    tag = copy.addon(Tag)
    assert tag is not None and tag.owner is copy
    if isinstance(node, Battery):
        assert isinstance(copy, Battery) and len(copy.log) == 1 and node.log == ()
        assert copy.log[0] == f"copied onto lower of {2 if edit == 'clone' else 1} bodies"
    copy.name = "changed"
    copy.remove()
    assert node.name == "n" and arm.nodes() == (node,)


@every_node
def test_it_moves_and_splits_with_its_body(arm: kido.Skeleton, kind: type[Node]) -> None:
    node = NODES[kind](arm.body("lower"), "n")
    node.create_addon(Tag)
    before, other = carried(node), kido.Skeleton("other")
    arm.body("lower").move_to(skeleton=other)
    assert other.nodes() == (node,) and node.skeleton is other and carried(node) == before
    made = node.body.split()
    assert made.nodes() == (node,) and node.skeleton is made and carried(node) == before


@every_node
def test_a_copy_in_the_same_skeleton_gets_another_name(arm: kido.Skeleton, kind: type[Node]) -> None:
    node, heard = NODES[kind](arm.body("lower"), "n"), []
    arm.name_changed.connect(lambda *told: heard.append(told))
    (copy,) = arm.body("lower").copy_to().nodes()
    assert (copy.name, node.name) == ("n(1)", "n") and (copy, "n", "n(1)") in heard


@every_node
def test_a_frame_node_follows_its_body(arm: kido.Skeleton, kind: type[Node]) -> None:
    node, body = NODES[kind](arm.body("lower"), "n"), arm.body("lower")
    if not isinstance(node, FrameNode):
        assert not isinstance(node, kido.Frame)
        return
    for angle in (0.1, 0.9):
        arm.joint("shoulder").positions = angle
        expected = np.array([np.cos(angle), np.sin(angle), 0.0])
        expected += 0.1 * np.array([np.cos(angle + 0.4), np.sin(angle + 0.4), 0.0])
        assert np.allclose(node.transform()[:3, 3], expected, atol=1e-14)
    assert np.allclose(node.linear_velocity(), 0.5 * np.cross([0.0, 0.0, 1.0], expected), atol=1e-14)
    assert node.parent_frame is body and node in body.child_frames


PLACES: list[TransformLike] = [(0.0, 0.2, 0.0), np.diag([1.0, -1.0, -1.0, 1.0])]


@every_node
@pytest.mark.parametrize("place", PLACES)
def test_a_frame_nodes_place_is_part_of_its_properties(
    arm: kido.Skeleton, kind: type[Node], place: TransformLike
) -> None:
    node = NODES[kind](arm.body("lower"), "n")
    if not isinstance(node, FrameNode):
        return
    if isinstance(node, SkinNode):  # its points say where it is
        with pytest.raises(EditError, match="'n' is where its points are"):
            node.relative_transform = place
        return
    before = node.properties
    node.relative_transform = place
    moved = node.relative_transform
    assert np.array_equal(node.properties.transform, moved) and node.properties != before
    node.properties = before
    assert np.allclose(node.transform(relative_to=node.body)[:3, 3], (0.1, 0.0, 0.0), atol=1e-15)
    assert arm.clone().node(kind, "n").properties == before
