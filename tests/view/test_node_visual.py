"""Visuals of nodes of one's own."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pytest

import kido
from kido.view import Arrows, Drawing, NodeVisual, Points, SceneGraph


class Beam(kido.FrameNode):
    """A sensor that sees along its x axis."""

    @dataclass(frozen=True)
    class State:
        reach: float = 1.0


class Counter(kido.Node):
    """A node without a place."""


class BeamVisual(NodeVisual, node_type=Beam):
    """An arrow as long as the beam reaches."""

    calls = 0

    def draw(self, node: Beam, size: float) -> Iterable[Drawing]:
        type(self).calls += 1
        arrow = Arrows([[0, 0, 0]], [[node.state.reach, 0, 0]], 0.01 * size)
        yield Drawing("beam", arrow, (1, 0, 0, 1), (0, 0, 0.1))


class CounterVisual(NodeVisual, node_type=Counter):
    def draw(self, node: Counter, size: float) -> Iterable[Drawing]:
        yield Drawing("dot", Points([[0, 0, 0]], 0.1), is_note=True)


def robot() -> tuple[kido.Skeleton, Beam]:
    skeleton = kido.Skeleton("robot")
    body = skeleton.add_body("head", joint=kido.RevoluteJoint(axis=(0, 0, 1)))
    Counter(body, "count")
    return skeleton, Beam(body, "eye", (0.5, 0, 0))


def test_a_visual_is_drawn_where_its_node_is() -> None:
    skeleton, eye = robot()
    skeleton.positions = [np.pi / 2]
    change = SceneGraph(skeleton, ["nodes"]).update()
    poses = dict(zip([item.key for item in change.items], change.poses, strict=True))
    assert poses.keys() == {"robot/head/nodes/eye/beam", "robot/head/nodes/count/dot"}
    np.testing.assert_allclose(poses["robot/head/nodes/eye/beam"][:3, 3], (0, 0.5, 0.1), atol=1e-12)
    np.testing.assert_allclose(poses["robot/head/nodes/eye/beam"][:3, :3], eye.transform()[:3, :3])
    np.testing.assert_allclose(poses["robot/head/nodes/count/dot"], skeleton.body("head").transform())


def test_it_is_drawn_again_when_the_node_has_another_state_and_not_when_it_moves() -> None:
    skeleton, eye = robot()
    graph = SceneGraph(skeleton, ["nodes"])
    graph.update()
    calls = BeamVisual.calls
    skeleton.positions = [0.3]
    assert not graph.update().is_structural
    eye.move_on_body((0.7, 0, 0))
    change = graph.update()
    assert BeamVisual.calls == calls and change.moved.tolist() == [False, True]
    eye.state = Beam.State(2.0)
    change = graph.update()
    assert BeamVisual.calls == calls + 1
    assert [item.geometry.vectors[0, 0] for item in change.changed] == [2.0]


def test_nodes_that_come_and_go_come_and_go() -> None:
    skeleton, eye = robot()
    graph = SceneGraph(skeleton, ["nodes"])
    graph.update()
    eye.remove()
    assert graph.update().removed == ("robot/head/nodes/eye/beam",)
    eye.reattach()
    assert [item.key for item in graph.update().added] == ["robot/head/nodes/eye/beam"]
    eye.name = "left_eye"
    assert [item.key for item in graph.update().added] == ["robot/head/nodes/left_eye/beam"]
    twin = skeleton.clone()
    assert len(SceneGraph(twin, ["nodes"]).update().items) == 2


def test_types_that_derive_are_drawn_alike_unless_they_have_a_visual() -> None:
    class Laser(Beam):
        pass

    skeleton, _ = robot()
    laser = Laser(skeleton.body("head"), "laser")
    assert any("laser/beam" in item.key for item in SceneGraph(skeleton, ["nodes"]).update().items)

    class LaserVisual(NodeVisual, node_type=Laser):
        def draw(self, node: Laser, size: float) -> Iterable[Drawing]:
            return []

    graph = SceneGraph(skeleton, ["nodes"])
    assert not any("laser" in item.key for item in graph.update().items)
    assert laser.name == "laser" and LaserVisual.node_type is Laser


def test_what_is_no_node_type_or_drawing_is_refused() -> None:
    with pytest.raises(TypeError, match="node_type: expected a class that derives from Node"):

        class Wrong(NodeVisual, node_type=int):
            pass

    class Odd(kido.Node):
        pass

    class OddVisual(NodeVisual, node_type=Odd):
        def draw(self, node: Odd, size: float) -> Iterable[Drawing]:
            return ["text"]

    skeleton, _ = robot()
    Odd(skeleton.body("head"), "odd")
    with pytest.raises(TypeError, match=r"OddVisual\.draw: expected a Drawing"):
        SceneGraph(skeleton).update()
