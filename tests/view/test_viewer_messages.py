"""What a viewer sends to browsers, and what becomes of what they say."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from _listener import Listener
from scipy.spatial.transform import Rotation

import kido
from kido.description import Material
from kido.shape import Box, Cone, Sphere

POSES = "SceneNodeUpdateMessage"
GEOMETRY = ("BatchedMeshesMessage", "BatchedGlbMessage")


@pytest.fixture
def viewer_of() -> Iterator[Callable[..., kido.Viewer]]:
    made: list[kido.Viewer] = []

    def make(what: object, **options: object) -> kido.Viewer:
        made.append(kido.Viewer(what, port=0, **options))
        return made[-1]

    yield make
    for viewer in made:
        viewer.stop()


def boxes(count: int) -> list[kido.Skeleton]:
    """Free boxes of different sizes and colors, side by side."""
    found = []
    for i in range(count):
        skeleton = kido.gallery.box(size=(0.1 + 0.01 * i, 0.2, 0.3))
        skeleton.name = f"box_{i}"
        skeleton.root_bodies[0].shape_nodes[0].material = Material("paint", (i / count, 0.5, 0.5, 1.0))
        skeleton.positions = [0, 0, 0, 0.5 * i, 0, 0.2]
        found.append(skeleton)
    return found


def shift(skeletons: list[kido.Skeleton], length: float) -> None:
    for skeleton in skeletons:
        positions = skeleton.positions.copy()
        positions[5] += length
        skeleton.positions = positions


def test_a_frame_is_one_message_for_all_bodies_and_geometry_is_sent_once(viewer_of) -> None:
    bodies = boxes(100)
    viewer = viewer_of(bodies)
    viewer.update()
    listener = Listener(viewer)
    assert len(listener.of_type(*GEOMETRY)) == 1
    del listener.windows[:]
    for _ in range(5):
        shift(bodies, 0.01)
        viewer.update()
        listener.until(lambda: listener.of_type(POSES))
        windows = [(size, sent) for size, sent in listener.windows if any(m["type"] == POSES for m in sent)]
        ((size, messages),) = windows
        poses = [m for m in messages if m["type"] == POSES and "batched_positions" in m["updates"]]
        assert len(poses) == 1
        assert size < 100 * 4 * 7 + 1000
        listener.frames(0.05)
        del listener.windows[:]
    assert not listener.of_type(*GEOMETRY)


def test_poses_and_sizes_are_those_of_the_shapes(viewer_of) -> None:
    bodies = boxes(7)
    for i, body in enumerate(bodies):
        body.positions = [0.3 * i, -0.5, 0.2 * i, 0.1, 0.2, 0.3 * i]
    viewer = viewer_of(bodies)
    viewer.update()
    listener = Listener(viewer)
    (batch,) = listener.of_type(*GEOMETRY)
    names = "batched_positions", "batched_wxyzs", "batched_scales", "vertices"
    for _ in range(2):
        sent = listener.latest(batch["name"], *names)
        nodes = [body.bodies[0].shape_nodes[0] for body in bodies]
        poses = np.stack([node.transform() for node in nodes])
        assert sent[0].reshape(-1, 3) == pytest.approx(poses[:, :3, 3], abs=1e-6)
        turns = Rotation.from_quat(np.roll(sent[1].reshape(-1, 4), -1, axis=1))
        assert turns.as_matrix() == pytest.approx(poses[:, :3, :3], abs=1e-6)
        for node, scale in zip(nodes, sent[2].reshape(-1, 3), strict=True):
            corners = sent[3].reshape(-1, 3) * scale
            assert np.ptp(corners, axis=0) == pytest.approx(node.shape.size, rel=1e-5)
        for body in bodies:
            body.positions = body.positions + 0.1
        listener.until(lambda sent=sent: listener.latest(batch["name"], *names[:2])[1] is not sent[1])


def test_a_click_selects_a_body_and_shows_its_numbers(viewer_of) -> None:
    box = kido.gallery.box(size=(0.2, 0.2, 0.2))
    box.positions = [0, 0, 0, 0.3, -0.4, 0.1]
    world = kido.World([kido.gallery.ground(), box])
    world.step(200)
    seen = []
    viewer = viewer_of(world)
    viewer.on_select(seen.append)
    viewer.update()
    listener = Listener(viewer)
    name = next(m["name"] for m in listener.of_type(*GEOMETRY) if "box" in m["name"])
    ray = {"ray_origin": (0, 0, 1), "ray_direction": (0, 0, -1), "screen_pos": (0.5, 0.5), "modifier": None}
    listener.say("SceneNodeClickMessage", name=name, instance_index=0, **ray)
    listener.until(lambda: seen)
    body = box.bodies[0]
    assert seen == [body] == [viewer.selected]
    listener.until(lambda: "0.300, -0.400, 0.100 m" in last_text(listener))
    weight = 9.81 * body.mass
    assert f"0.000, 0.000, {weight:.3f} N" in last_text(listener)
    assert f"{body.mass:.4g} kg" in last_text(listener)
    listener.until(lambda: [m for m in listener.of_type("SetPositionMessage") if m["name"] == "/selected"])
    position = [m["position"] for m in listener.of_type("SetPositionMessage") if m["name"] == "/selected"][-1]
    assert position == pytest.approx(body.transform()[:3, 3], abs=1e-6)
    world.remove(box)
    body.remove()
    listener.until(lambda: viewer.selected is None)
    assert viewer.errors == ()


def test_numbers_of_a_body_are_plain_and_its_names_are_no_markup(viewer_of) -> None:
    box = kido.gallery.box(size=(0.2, 0.2, 0.2), name="a|b {c} <d>_e")
    box.positions = [-2.343e-15, 0.25, 0, 0, 0, 3e-17]
    box.velocities = [0, 0, -3.19e-16, 0, 1.5, 0]
    viewer = viewer_of(box)
    viewer.update()
    listener = Listener(viewer)
    name = next(m["name"] for m in listener.of_type(*GEOMETRY))
    ray = {"ray_origin": (0, 0, 1), "ray_direction": (0, 0, -1), "screen_pos": (0.5, 0.5), "modifier": None}
    listener.say("SceneNodeClickMessage", name=name, instance_index=0, **ray)
    listener.until(lambda: last_text(listener))
    text = last_text(listener)
    assert "e-" not in text and "| 0.25 rad, 0 rad/s |" in text and "| 0 m, 1.5 m/s |" in text
    assert "| skeleton | a\\|b \\{c\\} \\<d\\>\\_<wbr/>e |" in text


def last_text(listener: Listener) -> str:
    """The last text about a body that came."""
    texts = [
        m["updates"]["_markdown"] for m in listener.of_type("GuiUpdateMessage") if "_markdown" in m["updates"]
    ]
    return next((text for text in reversed(texts) if "mass" in text), "")


def test_what_stands_still_is_not_sent(viewer_of) -> None:
    moving, resting = kido.gallery.arm7(), kido.gallery.humanoid()
    viewer = viewer_of([moving, resting])
    viewer.update()
    listener = Listener(viewer)
    batches = len(listener.of_type(*GEOMETRY))
    listener.frames(0.5)
    del listener.windows[:]
    listener.frames(0.3)
    assert listener.messages == []
    moving.positions = moving.positions + 0.1
    listener.frames(0.1)
    sent = {message["name"] for message in listener.of_type(POSES)}
    assert 0 < len(sent) < batches


def test_edits_hold_from_the_next_frame_on(viewer_of, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kido.view._viewer._removals._DELAY", 0.1)
    robot = kido.gallery.arm7()
    viewer = viewer_of(robot)
    viewer.update()
    listener = Listener(viewer)
    del listener.windows[:]
    body = robot.add_body("extra", robot.bodies[-1], kido.RevoluteJoint("extra_joint", axis=(1, 0, 0)))
    kido.ShapeNode(body, "hat", Cone(0.1, 0.2))
    viewer.update()
    listener.until(lambda: listener.of_type(*GEOMETRY))
    assert any("extra" in message["name"] for message in listener.of_type(*GEOMETRY))
    listener.until(
        lambda: any("extra_joint" in m["props"]["label"] for m in listener.of_type("GuiSliderMessage"))
    )
    del listener.windows[:]
    body.remove()
    viewer.update()
    listener.until(lambda: listener.of_type("RemoveSceneNodeMessage"))
    listener.until(lambda: listener.of_type("GuiRemoveMessage"))
    assert viewer.errors == ()


def test_a_visual_of_ones_own_is_shown(viewer_of) -> None:
    class Lamp(kido.FrameNode):
        pass

    class LampVisual(kido.view.NodeVisual, node_type=Lamp):
        def draw(self, node: Lamp, size: float) -> list[kido.view.Drawing]:
            return [kido.view.Drawing("beam", kido.view.Arrows([(0, 0, 0)], [(0, 0, 1)], 0.01))]

    robot = kido.gallery.arm7()
    Lamp(robot.bodies[-1], "lamp")
    viewer = viewer_of(robot)
    viewer.update()
    listener = Listener(viewer)
    (arrow,) = listener.of_type("ArrowMessage")
    assert arrow["name"].endswith("lamp/beam")


def test_what_people_do_is_done_by_the_thread_of_the_frames(viewer_of) -> None:
    threads, values = [], []
    viewer = viewer_of(kido.gallery.arm7())

    def changed(value: object) -> None:
        threads.append(threading.get_ident())
        values.append(value)

    viewer.add_slider("push", 0.0, 50.0, on_change=changed)
    viewer.add_checkbox("on", on_change=changed)
    viewer.add_choice("way", ["left", "right"], on_change=changed)
    viewer.add_button("go", lambda: changed("gone"))
    viewer.update()
    listener = Listener(viewer)
    for label, value in (("push", 12.5), ("on", True), ("way", "right"), ("go", True)):
        listener.set_value(label, value)
        listener.until(lambda label=label: len(values) > ["push", "on", "way", "go"].index(label))
    assert values == [12.5, True, "right", "gone"]
    assert set(threads) == {threading.get_ident()}


def test_of_a_slider_that_is_dragged_the_last_value_counts(viewer_of) -> None:
    values: list[float] = []
    viewer = viewer_of(kido.gallery.arm7())
    slider = viewer.add_slider("push", 0.0, 50.0, on_change=values.append)
    viewer.update()
    listener = Listener(viewer)
    for value in (1.0, 2.0, 3.0):
        listener.set_value("push", value)
    listener.be_heard()
    assert slider.value == 3.0
    assert values == []
    viewer.update()
    assert values == [3.0]
    slider.value = 7.0
    listener.frames(0.1)
    assert values == [3.0]


def test_functions_that_raise_are_reported_and_the_viewer_goes_on(viewer_of, caplog) -> None:
    viewer = viewer_of(kido.gallery.arm7())

    def broken(value: float) -> None:
        raise RuntimeError(f"no {value:g}")

    frames = []
    viewer.add_slider("push", 0.0, 50.0, on_change=broken)
    viewer.on_frame(lambda: frames.append(1))
    viewer.update()
    listener = Listener(viewer)
    listener.set_value("push", 5.0)
    listener.until(lambda: viewer.errors)
    (error,) = viewer.errors
    assert str(error) == "no 5"
    listener.until(lambda: listener.of_type("NotificationShowMessage"))
    assert "no 5" in listener.of_type("NotificationShowMessage")[0]["props"]["body"]
    assert "RuntimeError: no 5" in caplog.text
    count = len(frames)
    listener.frames(0.05)
    assert len(frames) > count


def test_a_visual_that_raises_is_told_once(viewer_of, caplog) -> None:
    class Ghost(kido.FrameNode):
        pass

    class GhostVisual(kido.view.NodeVisual, node_type=Ghost):
        def draw(self, node: Ghost, size: float) -> list[kido.view.Drawing]:
            raise RuntimeError("nobody sees me")

    robot = kido.gallery.arm7()
    viewer = viewer_of(robot)
    viewer.update()
    Ghost(robot.bodies[-1], "ghost")
    for _ in range(5):
        viewer.update()
    assert [str(error) for error in viewer.errors] == ["nobody sees me"]
    assert caplog.text.count("RuntimeError: nobody sees me") == 1


def test_joint_sliders_set_positions_within_limits_and_show_them(viewer_of) -> None:
    robot = kido.gallery.arm7()
    viewer = viewer_of(robot)
    viewer.update()
    listener = Listener(viewer)
    listener.until(lambda: listener.of_type("GuiSliderMessage"))
    label = "joint_2"
    (slider,) = [m for m in listener.of_type("GuiSliderMessage") if m["props"]["label"] == label]
    assert slider["props"]["min"] == robot.dof("joint_2").position_lower_limit
    assert slider["props"]["max"] == robot.dof("joint_2").position_upper_limit
    listener.set_value(label, 0.75)
    listener.until(lambda: robot.dof("joint_2").position == 0.75)
    listener.frames(0.3)
    del listener.windows[:]
    robot.positions = np.full(7, 0.25)
    listener.until(lambda: listener.of_type("GuiUpdateMessage"))
    assert all(m["updates"] == {"value": 0.25} for m in listener.of_type("GuiUpdateMessage"))


def test_ball_joints_have_angles_about_fixed_axes(viewer_of) -> None:
    skeleton = kido.Skeleton("ball")
    body = skeleton.add_body("body", None, kido.BallJoint("hip"))
    body.inertia = kido.Inertia(1.0, (0, 0, 0), np.eye(3))
    viewer = viewer_of(skeleton)
    viewer.update()
    listener = Listener(viewer)
    listener.until(lambda: listener.of_type("GuiSliderMessage"))
    for name, value in (("roll", 0.3), ("pitch", -0.4), ("yaw", 2.0)):
        listener.set_value(f"hip {name}", value)
        listener.frames(0.1)
    cos, sin = np.cos([0.3, -0.4, 2.0]), np.sin([0.3, -0.4, 2.0])
    roll = np.array([[1, 0, 0], [0, cos[0], -sin[0]], [0, sin[0], cos[0]]])
    pitch = np.array([[cos[1], 0, sin[1]], [0, 1, 0], [-sin[1], 0, cos[1]]])
    yaw = np.array([[cos[2], -sin[2], 0], [sin[2], cos[2], 0], [0, 0, 1]])
    assert np.abs(body.transform()[:3, :3] - yaw @ pitch @ roll).max() < 1e-12


def test_layers_are_chosen_in_the_panel(viewer_of) -> None:
    skeleton = kido.Skeleton("block")
    body = skeleton.add_body("body", None, kido.WeldJoint())
    kido.ShapeNode(body, "hidden", Box((1, 1, 1)), visual=False)
    kido.ShapeNode(body, "look", Sphere(0.2), collision=False)
    viewer = viewer_of(skeleton)
    viewer.update()
    listener = Listener(viewer)
    assert len(listener.of_type(*GEOMETRY)) == 1
    listener.set_value("collision shapes", True)
    listener.until(lambda: len(listener.of_type(*GEOMETRY)) == 2)
    assert kido.view.Layer.COLLISION in viewer.layers


def test_a_broken_mesh_is_a_box_and_told(viewer_of) -> None:
    skeleton = kido.Skeleton("broken")
    body = skeleton.add_body("body", None, kido.WeldJoint())
    kido.ShapeNode(body, "look", kido.shape.Mesh("nowhere.stl"))
    with pytest.warns(kido.errors.ModelWarning, match=r"nowhere\.stl"):
        viewer = viewer_of(skeleton)
    viewer.update()
    listener = Listener(viewer)
    assert len(listener.of_type(*GEOMETRY)) == 1
    assert any("nowhere.stl" in m["props"]["_markdown"] for m in listener.of_type("GuiMarkdownMessage"))
    assert "nowhere.stl" in viewer.problems[0]
