"""Makers of nodes: names that may be left out, looks of shapes; and the index of a node."""

from __future__ import annotations

import numpy as np
import pytest

import kido
from kido.description import Material
from kido.shape import Box, Sphere

RED = Material("red", (1.0, 0.0, 0.0, 1.0))


@pytest.fixture
def arm() -> kido.Skeleton:
    return kido.load("examples/arm.urdf")


def test_a_shape_needs_no_name_and_takes_all_that_a_shape_node_has(arm: kido.Skeleton) -> None:
    hand = arm.body("hand")
    plain = hand.add_shape_node(Sphere(0.1))
    assert (plain.name, plain.shape, plain.material) == ("hand", Sphere(0.1), None)
    assert plain.visual and plain.collision
    look = hand.add_shape_node(Box((1, 2, 3)), (0, 0, 0.5), name="look", material=RED, collision=False)
    assert (look.name, look.material, look.visual, look.collision) == ("look", RED, True, False)
    assert np.allclose(look.relative_transform[:3, 3], [0, 0, 0.5])
    assert not hand.add_shape_node(Sphere(0.2), visual=False).visual
    assert look in hand.nodes(kido.ShapeNode) and look in arm.nodes(kido.ShapeNode)


def test_a_name_left_out_is_that_of_the_body_or_the_first_free_one(arm: kido.Skeleton) -> None:
    hand = arm.body("hand")
    for make in (hand.add_end_effector, hand.add_marker, lambda: hand.add_shape_node(Sphere(0.1))):
        assert [make().name for _ in range(3)] == ["hand", "hand(1)", "hand(2)"]
    arm.body("tool").add_marker("base")
    assert arm.body("base").add_marker().name == "base(1)"
    assert np.allclose(hand.add_end_effector(transform=(0, 0, 1)).relative_transform[:3, 3], [0, 0, 1])


def test_a_marker_is_made_with_color_and_constraint(arm: kido.Skeleton) -> None:
    marker = arm.body("hand").add_marker("m", rgba=(1, 0, 0, 0.5), constraint="hard")
    assert marker.rgba.tolist() == [1, 0, 0, 0.5]
    assert marker.constraint is kido.skeleton.MarkerConstraint.HARD


def test_names_that_are_taken_or_none_and_shapes_that_are_none_are_refused(arm: kido.Skeleton) -> None:
    hand = arm.body("hand")
    hand.add_shape_node(Sphere(0.1), name="ball")
    with pytest.raises(kido.errors.NameTakenError, match="ball"):
        hand.add_shape_node(Sphere(0.1), name="ball")
    with pytest.raises(TypeError, match="shape: expected a Shape, got str"):
        hand.add_shape_node("ball", Sphere(0.1))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="name: expected a nonempty string"):
        hand.add_shape_node(Sphere(0.1), name="")
    with pytest.raises(TypeError, match="material: expected a Material or None, got 'red'"):
        hand.add_shape_node(Sphere(0.1), material="red")  # type: ignore[arg-type]


def test_the_index_of_a_node_is_that_among_the_nodes_of_its_type(arm: kido.Skeleton) -> None:
    late, first = arm.body("tool").add_marker("late"), arm.body("base").add_marker("first")
    arm.body("base").add_end_effector("foot")
    second = arm.body("base").add_marker("second")
    assert [first.index, second.index, late.index] == [0, 1, 2]
    for kind in (kido.Marker, kido.EndEffector):
        assert [node.index for node in arm.nodes(kind)] == list(range(len(arm.nodes(kind))))
    first.remove()
    assert (second.index, late.index) == (0, 1)
    with pytest.raises(kido.errors.RemovedError, match="node 'first'"):
        _ = first.index
    first.reattach()
    assert (second.index, first.index) == (0, 1)


def test_a_node_whose_body_is_gone_has_no_index(arm: kido.Skeleton) -> None:
    marker = arm.body("hand").add_marker()
    arm.body("hand").remove()
    with pytest.raises(kido.errors.RemovedError, match="'hand'"):
        _ = marker.index
