"""Nodes and addons: attached, removed, put back, and carried along by every edit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from _own_extensions import Luggage, Thermometer, hand_of_the_specification
from _random_trees import random_transform

import kido
from kido.errors import EditError, FrameError, NameTakenError, RemovedError
from kido.skeleton import Addon, FrameNode, Marker, MarkerConstraint, Node, Support


@pytest.fixture
def hand() -> kido.Skeleton:
    skeleton = hand_of_the_specification()
    skeleton.positions = np.linspace(-0.5, 0.5, 16)
    skeleton.velocities = np.linspace(-1.0, 1.0, 16)
    return skeleton


def packed(skeleton: kido.Skeleton) -> None:
    """Attach something to a body, its joint, a node, and the skeleton."""
    palm = skeleton.body("palm")
    tip = palm.add_end_effector("tip", (0.0, 0.0, 0.1))
    tip.create_addon(Support, [(0.1, 0.0, 0.0), (0.0, 0.1, 0.0), (-0.1, 0.0, 0.0)], active=True)
    Thermometer(palm, "t", Thermometer.Properties(2.0), Thermometer.State(300.0))
    for owner, label in ((palm, "palm"), (palm.parent_joint, "joint"), (tip, "tip"), (skeleton, "skeleton")):
        owner.create_addon(Luggage, label, 5.0).notes.append(label)


def assert_packed(palm: kido.BodyNode, copies: int) -> None:
    """All that was attached to the palm is there, and came there by that many copies."""
    tip, thermometer = palm.nodes(kido.EndEffector)[0], palm.nodes(Thermometer)[0]
    assert np.array_equal(tip.relative_transform[:3, 3], (0.0, 0.0, 0.1))
    assert tip.support is not None and tip.support.active and tip.support.geometry.shape == (3, 3)
    assert thermometer.properties.gain == 2.0 and thermometer.state.reading == 300.0
    assert thermometer.body is palm and thermometer.skeleton is palm.skeleton
    for owner, label in ((palm, "palm"), (palm.parent_joint, "joint"), (tip, "tip")):
        luggage = owner.addon(Luggage)
        assert luggage is not None and luggage.owner is owner
        assert (luggage.properties.label, luggage.state.weight) == (label, 5.0)
        assert luggage.notes == [label, *["copied"] * copies]


def test_moving_takes_the_same_nodes_and_addons_along(hand: kido.Skeleton) -> None:
    packed(hand)
    palm, other = hand.body("palm"), kido.Skeleton("other")
    nodes, luggage = palm.nodes(), palm.addon(Luggage)
    palm.move_to(skeleton=other)
    assert palm.nodes() == nodes and palm.addon(Luggage) is luggage
    assert_packed(palm, copies=0)
    assert hand.nodes() == () and len(other.nodes()) == 2
    palm.split()
    assert_packed(palm, copies=0)


def test_copies_of_nodes_and_addons_are_their_own(hand: kido.Skeleton) -> None:
    packed(hand)
    copy = hand.body("palm").copy_to()
    assert_packed(copy, copies=1)
    assert_packed(hand.body("palm"), copies=0)
    copy.nodes(Thermometer)[0].state = Thermometer.State(10.0)
    copy.nodes(kido.EndEffector)[0].relative_transform = np.eye(4)
    support = copy.nodes(kido.EndEffector)[0].support
    assert support is not None
    support.active = False
    for owner in (copy, copy.parent_joint):
        owner.remove_addon(Luggage)
    assert_packed(hand.body("palm"), copies=0)


def test_a_clone_has_nodes_and_addons_of_its_own(hand: kido.Skeleton) -> None:
    packed(hand)
    clone = hand.clone()
    assert_packed(clone.body("palm"), copies=1)
    mine, theirs = hand.addon(Luggage), clone.addon(Luggage)
    assert mine is not None and theirs is not None and mine is not theirs
    assert theirs.owner is clone and theirs.properties == mine.properties
    assert_packed(hand.body("palm").copy_as("new").body(0), copies=1)


def test_the_joints_addons_go_with_the_joint(hand: kido.Skeleton) -> None:
    packed(hand)
    palm = hand.body("palm")
    palm.change_parent_joint_type(kido.BallJoint)
    assert palm.parent_joint.addon(Luggage) is None
    assert palm.addon(Luggage) is not None and len(palm.nodes()) == 2


def test_nodes_are_found_by_type_and_name_body_by_body(hand: kido.Skeleton) -> None:
    packed(hand)
    arm = hand.body("arm0")
    first, second = arm.add_marker("a"), arm.add_marker("b")
    palm = hand.body("palm")
    assert hand.nodes() == (first, second, *palm.nodes())
    assert hand.nodes(Marker) == (first, second) and hand.nodes(FrameNode) == (first, second, palm.nodes()[0])
    assert hand.node(Marker, "b") is second and arm.node(Marker, "a") is first
    assert hand.end_effector("tip") is palm.nodes(kido.EndEffector)[0]


def test_a_node_that_is_removed_is_gone_until_it_is_put_back(hand: kido.Skeleton) -> None:
    packed(hand)
    palm, tip = hand.body("palm"), hand.end_effector("tip")
    lens = kido.SimpleFrame("lens", tip)
    tip.remove()
    assert tip.is_removed and tip not in palm.nodes() and tip not in palm.child_frames
    assert hand.clone().nodes(kido.EndEffector) == ()
    assert hand.support_polygon.shape == (0, 2)
    hand.joint(0).positions = 1.0
    tip.reattach()
    assert not tip.is_removed and tip.body is palm and hand.end_effector("tip") is tip
    assert np.allclose(tip.transform(relative_to=palm)[:3, 3], (0.0, 0.0, 0.1), atol=1e-15)
    assert np.array_equal(lens.transform(), tip.transform())
    assert tip.support is not None and tip.support.active


ASKED = (
    "transform",
    "spatial_velocity",
    "linear_acceleration",
    "jacobian",
    "jacobian_classic_derivative",
)
ABOUT_DOFS = ("parent_frame", "dependent_dofs", "dependent_dof_indices", "chain_dofs")


def test_a_removed_node_answers_as_before_and_follows_its_body(hand: kido.Skeleton) -> None:
    packed(hand)
    tip, twin = hand.end_effector("tip"), hand.clone().end_effector("tip")
    lens = kido.SimpleFrame("lens", tip)
    tip.remove()
    for robot in (hand, twin.skeleton):
        robot.positions = np.linspace(0.1, 1.0, robot.num_dofs)
        robot.velocities = np.linspace(-1.0, 2.0, robot.num_dofs)
    for name in ASKED:
        assert np.array_equal(getattr(tip, name)(), getattr(twin, name)()), name
    assert np.array_equal(lens.transform(), twin.transform())
    assert np.array_equal(hand.jacobian(tip), twin.skeleton.jacobian(twin))
    assert tip.parent_frame is hand.body("palm") and tip.dependent_dofs == hand.body("palm").dependent_dofs
    assert tip.dependent_dof_indices == twin.dependent_dof_indices
    assert len(tip.chain_dofs) == len(twin.chain_dofs) and tip.depends_on(0)


def test_a_removed_node_belongs_to_no_body(hand: kido.Skeleton) -> None:
    packed(hand)
    tip, thermometer = hand.end_effector("tip"), hand.node(Thermometer, "t")
    for node in (tip, thermometer):
        node.remove()
        with pytest.raises(RemovedError, match=rf"node '{node.name}' belongs to no skeleton"):
            node.remove()
        for name in ("body", "skeleton"):
            with pytest.raises(RemovedError, match=f"'{node.name}'"):
                getattr(node, name)


def test_a_removed_node_answers_no_more_once_its_body_is_removed(hand: kido.Skeleton) -> None:
    packed(hand)
    tip = hand.end_effector("tip")
    lens = kido.SimpleFrame("lens", tip)
    tip.remove()
    hand.body("palm").remove()
    for ask in (*(getattr(tip, name) for name in ASKED), lens.transform):
        with pytest.raises(RemovedError, match="body 'palm' belongs to no skeleton"):
            ask()
    for name in ABOUT_DOFS[1:]:
        with pytest.raises(RemovedError, match="body 'palm'"):
            getattr(tip, name)


def test_a_removed_node_can_be_changed_before_it_is_put_back(hand: kido.Skeleton) -> None:
    tip = hand.body("palm").add_end_effector("tip")
    tip.remove()
    tip.name, tip.relative_transform = "point", (0.0, 0.2, 0.0)
    tip.reattach()
    assert hand.end_effector("point") is tip
    assert np.allclose(tip.transform(relative_to=hand.body("palm"))[:3, 3], (0.0, 0.2, 0.0), atol=1e-15)


def test_a_node_is_not_put_back_where_that_cannot_be(hand: kido.Skeleton) -> None:
    palm = hand.body("palm")
    tip = palm.add_end_effector("tip")
    with pytest.raises(EditError, match="'tip' is not removed"):
        tip.reattach()
    tip.remove()
    other = hand.body("arm0").add_end_effector("tip")
    with pytest.raises(NameTakenError, match="'hand' has an EndEffector named 'tip' already"):
        tip.reattach()
    assert tip.is_removed and hand.nodes() == (other,)
    other.remove()
    palm.remove()
    with pytest.raises(RemovedError, match="body 'palm'"):
        tip.reattach()


def test_nodes_of_a_removed_body_are_removed(hand: kido.Skeleton) -> None:
    packed(hand)
    tip = hand.end_effector("tip")
    hand.body("palm").remove()
    assert tip.is_removed
    for ask in (tip.transform, tip.jacobian, tip.remove, lambda: tip.skeleton):
        with pytest.raises(RemovedError, match="body 'palm'"):
            ask()


def test_a_removed_node_goes_back_to_its_body_wherever_that_is(hand: kido.Skeleton) -> None:
    packed(hand)
    tip, other = hand.end_effector("tip"), kido.Skeleton("other")
    tip.remove()
    hand.body("palm").move_to(skeleton=other)
    tip.reattach()
    assert tip.skeleton is other and np.array_equal(other.end_effector("tip").transform(), tip.transform())


def test_a_node_moves_as_a_point_of_its_body(hand: kido.Skeleton) -> None:
    palm, T = hand.body("palm"), random_transform(np.random.default_rng(3))
    tip = palm.add_end_effector("tip", T)
    assert np.allclose(tip.transform(), palm.transform() @ T, atol=1e-14)
    assert np.allclose(tip.linear_velocity(), palm.linear_velocity(T[:3, 3]), atol=1e-14)
    assert np.allclose(tip.linear_acceleration(), palm.linear_acceleration(T[:3, 3]), atol=1e-13)
    assert np.allclose(tip.jacobian() @ hand.velocities[:7], tip.spatial_velocity(), atol=1e-14)
    assert tip.dependent_dofs == palm.dependent_dofs and tip.depends_on(6) and not tip.depends_on(7)


def test_a_node_can_be_moved_for_now_and_put_back(hand: kido.Skeleton) -> None:
    palm = hand.body("palm")
    tip = palm.add_end_effector("tip", (0.0, 0.0, 0.1))
    tip.move_on_body((0.0, 0.3, 0.0))
    assert np.array_equal(tip.relative_transform[:3, 3], (0.0, 0.3, 0.0))
    assert np.array_equal(tip.properties.transform[:3, 3], (0.0, 0.0, 0.1))
    tip.reset_relative_transform()
    assert np.allclose(tip.transform(relative_to=palm)[:3, 3], (0.0, 0.0, 0.1), atol=1e-15)


def test_a_node_goes_where_new_properties_say(hand: kido.Skeleton) -> None:
    palm = hand.body("palm")
    marker = palm.add_marker("m")
    marker.properties = type(marker.properties)((0.0, 0.2, 0.0), (1.0, 0.0, 0.0, 1.0), "hard")
    assert np.allclose(marker.transform(relative_to=palm)[:3, 3], (0.0, 0.2, 0.0), atol=1e-15)
    assert marker.constraint is MarkerConstraint.HARD
    marker.rgba = (0.0, 1.0, 0.0, 1.0)
    assert np.array_equal(marker.relative_transform[:3, 3], (0.0, 0.2, 0.0))


def test_nodes_stay_on_their_body(hand: kido.Skeleton) -> None:
    tip = hand.body("palm").add_end_effector("tip")
    with pytest.raises(FrameError, match="'tip' belongs to body 'palm'"):
        tip.set_parent_frame(kido.WORLD)
    assert tip.parent_frame is hand.body("palm") and tip in hand.body("palm").child_frames


def test_an_owner_has_one_addon_of_each_type(hand: kido.Skeleton) -> None:
    class Other(Luggage):
        pass

    palm = hand.body("palm")
    assert palm.addon(Luggage) is None and not palm.has_addon(Luggage) and palm.addons == ()
    first = palm.create_addon(Luggage, "one")
    other = palm.create_addon(Other, "other")
    assert palm.addons == (first, other) and palm.addon(Luggage) is first and palm.addon(Addon) is None
    second = palm.create_addon(Luggage, "two")
    assert palm.addon(Luggage) is second and len(palm.addons) == 2
    palm.remove_addon(Luggage)
    assert palm.addons == (other,) and not palm.has_addon(Luggage)
    with pytest.raises(EditError, match="<BodyNode 'palm'> has no addon of type Luggage"):
        palm.remove_addon(Luggage)


def test_bad_addons_are_refused_and_the_old_one_stays(hand: kido.Skeleton) -> None:
    palm = hand.body("palm")
    tip = palm.add_end_effector("tip")
    support = tip.create_addon(Support)
    kinds: list[Any] = [int, Luggage(palm), "Support", Thermometer]
    for kind in kinds:
        with pytest.raises(TypeError, match="kind: expected a class that derives from Addon"):
            palm.create_addon(kind)
    with pytest.raises(TypeError, match="owner: expected an EndEffector, got BodyNode"):
        palm.create_addon(Support)
    with pytest.raises(ValueError, match=r"geometry: expected shape \(n, 3\) \[m\], got \(1, 2\)"):
        tip.create_addon(Support, [(0.0, 0.0)])
    with pytest.raises(TypeError):
        palm.create_addon(Luggage, 1, 2, 3, 4)
    assert tip.support is support and palm.addons == ()


BAD_VALUES: list[tuple[str, Any, str]] = [
    ("properties", 3, "properties of a Thermometer: expected a Thermometer.Properties, got 3"),
    ("state", Thermometer.Properties(), "state of a Thermometer: expected a Thermometer.State, got"),
]


@pytest.mark.parametrize(("name", "value", "message"), BAD_VALUES)
def test_properties_and_state_of_another_class_are_refused(
    hand: kido.Skeleton, name: str, value: Any, message: str
) -> None:
    node = Thermometer(hand.body("palm"), "t")
    before = node.properties, node.state
    with pytest.raises(TypeError, match=message):
        setattr(node, name, value)
    with pytest.raises(TypeError, match=message):
        Thermometer(hand.body("palm"), "new", **{name: value})
    assert (node.properties, node.state) == before and hand.nodes() == (node,)


def test_a_class_without_state_takes_none(hand: kido.Skeleton) -> None:
    class Bare(Node):
        pass

    node = Bare(hand.body("palm"), "bare")
    assert node.properties is None and node.state is None
    with pytest.raises(TypeError, match="state of a Bare: expected None, got 1"):
        node.state = 1


BAD_NODES: list[tuple[Any, type[Exception], str]] = [
    (lambda b: b.add_marker("m", rgba_of(2.0)), ValueError, "transform: expected"),
    (lambda b: Marker(b, "m", rgba=(2.0, 0.0, 0.0, 1.0)), ValueError, r"rgba: expected numbers in \[0, 1\]"),
    (lambda b: Marker(b, "m", constraint="loose"), ValueError, "'loose'"),
    (lambda b: b.add_end_effector("m", 2.0 * np.eye(4)), ValueError, "transform: expected"),
    (lambda b: b.add_end_effector("m", (0.0, np.nan, 0.0)), ValueError, "transform: expected finite"),
    (lambda b: b.add_shape_node(None, name="m"), TypeError, "shape: expected a Shape, got NoneType"),
    (lambda b: b.add_shape_node(1.0, name="m"), TypeError, "shape: expected a Shape, got float"),
    (lambda b: Thermometer(b.skeleton, "m"), TypeError, "body: expected a BodyNode, got Skeleton"),
    (lambda b: kido.EndEffector("palm", "m"), TypeError, "body: expected a BodyNode, got str"),
]


def rgba_of(value: float) -> Any:
    return np.full(4, value)


@pytest.mark.parametrize(("make", "error", "message"), BAD_NODES)
def test_a_node_that_cannot_be_is_not_attached(
    hand: kido.Skeleton, make: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        make(hand.body("palm"))
    assert hand.nodes() == () and hand.body("palm").child_frames == hand.body("palm").child_bodies


def test_a_shape_node_says_what_it_is_used_for(hand: kido.Skeleton) -> None:
    node = hand.body("palm").add_shape_node(kido.shape.Sphere(0.1), (0.0, 0.0, 0.1), name="ball")
    assert node.visual and node.collision and node.material is None
    node.visual, node.shape = False, kido.shape.Sphere(0.2)
    copy = hand.clone().node(kido.ShapeNode, "ball")
    assert not copy.visual and copy.collision and copy.shape == kido.shape.Sphere(0.2)
    assert np.array_equal(copy.transform(), node.transform())
    with pytest.raises(TypeError, match="shape: expected a Shape, got NoneType"):
        node.shape = None  # type: ignore[assignment]


def test_a_frame_node_of_a_user_carries_more_than_its_place(hand: kido.Skeleton) -> None:
    @dataclass(frozen=True)
    class CameraProperties:
        transform: Any = None
        width: int = 640

        def __post_init__(self) -> None:
            T = np.eye(4) if self.transform is None else np.array(self.transform)
            object.__setattr__(self, "transform", T)

    class Camera(FrameNode):
        Properties = CameraProperties

    T = random_transform(np.random.default_rng(0))
    camera = Camera(hand.body("palm"), "eye", properties=CameraProperties(T, 320))
    assert np.array_equal(camera.relative_transform, T)
    copy = hand.clone().node(Camera, "eye")
    assert copy.properties.width == 320 and np.array_equal(copy.transform(), camera.transform())
    camera.relative_transform = np.eye(4)
    assert camera.properties.width == 320 and np.array_equal(camera.properties.transform, np.eye(4))
    assert np.array_equal(copy.relative_transform, T)
