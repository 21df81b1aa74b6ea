"""The scene graph: what is drawn, where it is, and what became of it."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from _look import block

import kido
from kido.shape import Box, Capsule, Mesh, Plane, Sphere
from kido.view import Label, Layer, SceneGraph, TriangleSurface


def arm(name: str = "arm", links: int = 3) -> kido.Skeleton:
    """Links in a row, turning about different axes, each with a box beside its joint."""
    skeleton, body = kido.Skeleton(name), None
    for i in range(links):
        joint = kido.RevoluteJoint(axis=np.eye(3)[i % 3], T_parent_joint=(0.3, 0.0, 0.1))
        body = skeleton.add_body(f"link{i}", body, joint)
        body.add_shape_node(Box((0.2, 0.1, 0.05)), name=f"box{i}", transform=(0.1, 0.02, 0.0))
    return skeleton


def test_items_are_where_their_shapes_are() -> None:
    rng = np.random.default_rng(1)
    skeletons = [arm("left", 3), arm("right", 9), kido.gallery.humanoid()]
    graph = SceneGraph(skeletons)
    for _ in range(3):
        for skeleton in skeletons:
            skeleton.positions = skeleton.random_positions(rng)
        change = graph.update()
        assert len(change.items) == sum(len(s.nodes(kido.ShapeNode)) for s in skeletons)
        for item, pose in zip(change.items, change.poses, strict=True):
            node = graph.owner(item.key)
            assert isinstance(node, kido.ShapeNode)
            np.testing.assert_allclose(pose, node.transform(), atol=1e-12)


def test_the_first_look_adds_everything_and_the_second_nothing() -> None:
    graph = SceneGraph(arm(), ["visual", "inertia", "sticks", "labels", "frames"], frames=True)
    first, second = graph.update(), graph.update()
    assert first.added == first.items and first.moved.all() and first.is_structural
    assert not second.is_structural and not second.moved.any()
    assert all(a is b for a, b in zip(first.items, second.items, strict=True))


def test_only_what_moved_is_said_to_have_moved() -> None:
    skeleton = arm()
    graph = SceneGraph(skeleton)
    graph.update()
    skeleton.joint(1).positions = [0.5]
    change = graph.update()
    assert [item.key for item, moved in zip(change.items, change.moved, strict=True) if moved] == [
        "arm/link1/visual/box1",
        "arm/link2/visual/box2",
    ]


def test_items_of_equal_shapes_share_their_geometry() -> None:
    twins = [block(Box((1, 2, 3))), block(Box((1, 2, 3)), rgba=(0, 0, 1, 1)), block(Box((1, 2, 4)))]
    for i, twin in enumerate(twins):
        twin.name = f"block{i}"
    first, second, other = SceneGraph(twins).update().items
    assert first.geometry is second.geometry is not other.geometry
    assert not np.array_equal(first.rgba, second.rgba)


def test_edits_change_only_what_they_concern() -> None:
    skeleton, other = arm("edited"), arm("left_alone")
    graph = SceneGraph([skeleton, other])
    before = {item.key: item for item in graph.update().items}
    skeleton.body("link1").shape_nodes[0].shape = Sphere(0.1)
    change = graph.update()
    assert [item.key for item in change.changed] == ["edited/link1/visual/box1"]
    assert not change.added and not change.removed
    kept = [item for item in change.items if item.key != "edited/link1/visual/box1"]
    assert all(item is before[item.key] for item in kept)
    skeleton.body("link1").shape_nodes[0].relative_transform = (0.0, 0.0, 0.5)
    change = graph.update()
    assert not change.is_structural and change.moved.sum() == 1
    skeleton.body("link1").shape_nodes[0].material = kido.description.Material("red", (1, 0, 0, 1))
    assert [item.key for item in graph.update().changed] == ["edited/link1/visual/box1"]
    skeleton.body("link2").remove()
    change = graph.update()
    assert change.removed == ("edited/link2/visual/box2",) and not change.added
    skeleton.body("link1").name = "elbow"
    change = graph.update()
    assert [item.key for item in change.added] == ["edited/elbow/visual/box1"]
    assert change.removed == ("edited/link1/visual/box1",)
    skeleton.name = "renamed"
    assert {item.key.split("/")[0] for item in graph.update().items} == {"renamed", "left_alone"}


def test_a_world_shows_what_it_consists_of_now() -> None:
    first, second = arm("first"), arm("second")
    world = kido.World([first])
    graph = SceneGraph(world)
    assert len(graph.update().items) == 3
    world.add(second)
    assert len(graph.update().added) == 3
    world.remove(first)
    change = graph.update()
    assert len(change.removed) == 3 and len(change.items) == 3
    np.testing.assert_allclose(change.poses[0], second.nodes(kido.ShapeNode)[0].transform(), atol=1e-12)


def test_a_copy_is_shown_where_the_copy_is() -> None:
    original = arm()
    twin = original.clone()
    twin.name = "twin"
    twin.positions = [0.3, 0.2, 0.1]
    change = SceneGraph([original, twin]).update()
    left, right = change.poses[:3], change.poses[3:]
    assert not np.allclose(left[2], right[2])
    np.testing.assert_allclose(right[2], twin.nodes(kido.ShapeNode)[2].transform(), atol=1e-12)
    assert change.items[0].geometry is change.items[3].geometry


def test_skeletons_of_one_name_have_keys_of_their_own() -> None:
    graph = SceneGraph([arm(), arm()])
    keys = [item.key for item in graph.update().items]
    assert len(set(keys)) == 6
    assert graph.owner(keys[3]).skeleton is not graph.owner(keys[0]).skeleton


def test_keys_part_names_by_slashes_alone() -> None:
    skeleton = kido.Skeleton("a/b")
    for name in ("c", "c/d"):
        skeleton.add_body(name).add_shape_node(Sphere(0.1), name="d/e" if name == "c" else "e")
    keys = [item.key for item in SceneGraph(skeleton).update().items]
    assert len(set(keys)) == 2 and all(key.count("/") == 3 for key in keys)


def test_layers_say_what_is_shown() -> None:
    skeleton = kido.Skeleton("two_shapes")
    body = skeleton.add_body("body", joint=kido.FreeJoint())
    kido.ShapeNode(body, "look", Box((1, 1, 1)), collision=False)
    kido.ShapeNode(body, "touch", Sphere(0.6), visual=False)
    shown = {
        layers: [item.key.split("/", 2)[2] for item in SceneGraph(skeleton, layers).update().items]
        for layers in (("visual",), ("collision",), ("visual", "collision"), ("inertia",), ("labels",))
    }
    assert shown["visual",] == ["visual/look"]
    assert shown["collision",] == ["collision/touch"]
    assert shown["visual", "collision"] == ["visual/look", "collision/touch"]
    assert shown["inertia",] == ["inertia"]
    assert shown["labels",] == ["labels"]
    assert SceneGraph(skeleton, ["labels"]).update().items[0].geometry == Label("body")


def test_layers_can_be_changed() -> None:
    graph = SceneGraph(arm())
    graph.update()
    graph.layers = ["inertia"]
    change = graph.update()
    assert len(change.removed) == 3 and len(change.added) == 3
    assert {item.layer for item in change.items} == {Layer.INERTIA}


def test_a_box_of_inertia_has_the_inertia_of_its_body() -> None:
    rng = np.random.default_rng(2)
    edges, mass = np.array([0.3, 0.5, 0.9]), 2.5
    principal = mass / 12.0 * ((edges**2).sum() - edges**2)
    rotation = kido.math.so3_exp(rng.normal(size=3))
    skeleton = kido.Skeleton("solid")
    inertia = kido.Inertia(mass, (0.1, -0.2, 0.3), rotation @ np.diag(principal) @ rotation.T)
    skeleton.add_body("body", inertia=inertia)
    change = SceneGraph(skeleton, ["inertia"]).update()
    corners = change.items[0].geometry.points @ change.poses[0, :3, :3].T + change.poses[0, :3, 3]
    local = (corners - (0.1, -0.2, 0.3)) @ rotation
    np.testing.assert_allclose(np.abs(local), np.broadcast_to(edges / 2, local.shape), rtol=1e-9)
    assert np.linalg.det(change.poses[0, :3, :3]) > 0.0


def test_a_mesh_that_cannot_be_read_is_a_box_and_is_reported(tmp_path) -> None:
    path = tmp_path / "broken.stl"
    path.write_text("no mesh")
    skeleton = kido.Skeleton("broken")
    body = skeleton.add_body("body", joint=kido.FreeJoint(), inertia=kido.Inertia(1.0, (0, 0, 1), np.eye(3)))
    kido.ShapeNode(body, "hull", Mesh(path), (5.0, 0, 0))
    with pytest.warns(
        kido.errors.ModelWarning, match=r"'broken': mesh of 'hull' is drawn as a box: .*broken"
    ):
        graph = SceneGraph(skeleton)
    change = graph.update()
    assert "broken.stl" in graph.problems[0]
    assert change.items[0].key == "broken/body/visual/hull"
    np.testing.assert_allclose(change.poses[0, :3, 3], (0, 0, 1))  # at its body's center of mass
    corners = change.items[0].geometry.segments.reshape(-1, 3)
    assert len(change.items[0].geometry.segments) == 12 and len(np.unique(corners, axis=0)) == 8


def test_the_box_of_a_mesh_that_cannot_be_read_is_around_the_other_shapes_of_its_body() -> None:
    thing = block(Box((1, 2, 3)), place=(5, 0, 0))
    kido.ShapeNode(thing.bodies[0], "ball", Sphere(1.0), (1.0, 0, 0))
    kido.ShapeNode(thing.bodies[0], "lost", Mesh(None, "package://lost.stl"), (9, 9, 9))
    with pytest.warns(kido.errors.ModelWarning, match=r"lost\.stl: file not found"):
        change = SceneGraph(thing).update()
    corners = change.items[2].geometry.segments.reshape(-1, 3) + change.poses[2, :3, 3]
    np.testing.assert_allclose(corners.min(axis=0), (4.5, -1, -1.5), atol=1e-12)
    np.testing.assert_allclose(corners.max(axis=0), (7, 1, 1.5), atol=1e-12)


def test_frames_and_trajectories_are_shown_and_go_with_what_they_belong_to() -> None:
    skeleton = arm()
    free = kido.SimpleFrame("target")
    free.set_translation((1.0, 2.0, 3.0))
    graph = SceneGraph(skeleton, frames=[free, skeleton.body("link2")], trajectories=[np.eye(3)])
    change = graph.update()
    poses = dict(zip([item.key for item in change.items], change.poses, strict=True))
    np.testing.assert_array_equal(poses["frames/target/frames"], free.transform())
    np.testing.assert_allclose(poses["arm/link2/frames"], skeleton.body("link2").transform())
    assert {"trajectories/0/line", "trajectories/0/end"} <= poses.keys()
    skeleton.body("link2").remove()
    assert set(graph.update().removed) == {"arm/link2/frames", "arm/link2/visual/box2"}
    graph.trajectories, graph.frames = (), True
    change = graph.update()
    assert {item.key for item in change.added} == {"arm/link0/frames", "arm/link1/frames"}
    assert "trajectories/0/line" in change.removed


def test_contacts_forces_and_balance_are_those_of_the_world() -> None:
    cube = kido.Skeleton("cube")
    body = cube.add_body("body", joint=kido.FreeJoint(), inertia=kido.Inertia(2.0, moment=0.1 * np.eye(3)))
    body.add_shape_node(Box((1.0, 1.0, 1.0)), name="box")
    cube.positions = [0, 0, 0, 0.3, -0.2, 0.5]
    world = kido.World([kido.gallery.ground(), cube])
    world.step(200)
    graph = SceneGraph(world, ["contacts", "forces", "support", "center_of_mass"], size=1.0, force_scale=0.01)
    change = graph.update()
    items = {item.key: item for item in change.items}
    touching = [contact for contact in world.contacts if contact.depth >= 0 or contact.force.any()]
    np.testing.assert_array_equal(
        items["contacts/points"].geometry.points, [contact.point for contact in touching]
    )
    total = items["contacts/forces"].geometry.vectors.sum(axis=0) / 0.01
    np.testing.assert_allclose(total, world.contact_wrench(cube)[3:], atol=1e-9)
    assert total[2] == pytest.approx(2.0 * 9.81, rel=1e-3)
    corners = items["cube/support"].geometry.points
    expected = world.support(cube)
    np.testing.assert_allclose(corners[:, :2], expected.polygon @ expected.axes[:, :2], atol=1e-12)
    pose = change.poses[change.items.index(items["cube/center_of_mass"])]
    np.testing.assert_allclose(pose[:3, 3], cube.com())
    assert {"ground/support", "ground/center_of_mass"}.isdisjoint(items)
    cube.positions = [0, 0, 0, 0, 0, 5.0]
    world.step()
    assert {"contacts/points", "contacts/forces", "cube/support"} <= set(graph.update().removed)


def test_joints_that_slide_are_drawn_anew_where_they_moved() -> None:
    skeleton = kido.Skeleton("slider")
    skeleton.add_body("cart", joint=kido.PrismaticJoint(axis=(1, 0, 0)), inertia=kido.Inertia(1.0))
    skeleton.add_body("arm", skeleton.body("cart"), kido.RevoluteJoint(axis=(0, 1, 0)))
    graph = SceneGraph(skeleton)
    graph.update()
    skeleton.joint(1).positions = [0.3]
    assert not graph.update().is_structural
    skeleton.joint(0).positions = [0.7]
    change = graph.update()
    assert [item.key for item in change.changed] == ["slider/cart/sticks/joint"]
    points = change.changed[0].geometry.points
    assert points[:, 0].min() < -0.65  # the rail leads back to where the joint is fixed


def test_what_is_drawn_is_frozen_and_travels_between_processes() -> None:
    change = SceneGraph([arm(), block(Capsule(0.1, 0.3))], list(Layer), trajectories=[np.eye(3)]).update()
    for item in change.items:
        again = pickle.loads(pickle.dumps(item))
        assert again == item and copy.copy(item) is item
        with pytest.raises(AttributeError):
            item.key = "other"
    surface = next(i.geometry for i in change.items if isinstance(i.geometry, TriangleSurface))
    loaded = pickle.loads(pickle.dumps(surface))
    assert not (loaded.points.flags.writeable or surface.points.flags.writeable)
    with pytest.raises(ValueError, match="read-only"):
        change.poses[0, 0, 0] = 2.0


def test_planes_and_grids_do_not_count_for_the_size() -> None:
    alone = SceneGraph(block(Box((1, 1, 1))))
    with_plane = SceneGraph([block(Box((1, 1, 1))), block(Plane((0, 0, 1), -1.0))], ["visual", "grid"])
    assert with_plane.size == pytest.approx(alone.size) == pytest.approx(np.sqrt(3.0))
    with_plane.update()
    np.testing.assert_allclose(np.ptp(with_plane.seen_points(), axis=0), (1, 1, 1))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("arm.urdf",), "what: expected a Skeleton or several, or a World, got str among them"),
        ((3,), "what: expected a Skeleton or several, or a World, got int"),
        ((arm(), ["colour"]), "layers: expected one of visual, collision"),
        ((arm(), 3), "layers: expected layers, got int"),
    ],
)
def test_what_makes_no_scene_is_refused(arguments: tuple, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        SceneGraph(*arguments)


def test_unknown_keys_have_no_owner() -> None:
    graph = SceneGraph(arm())
    graph.update()
    with pytest.raises(KeyError):
        graph.owner("arm/link7/visual/box7")
