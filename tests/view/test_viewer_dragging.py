"""Bodies and frames that follow people's hands: by inverse kinematics, on lines and planes, by gizmos."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from _listener import Listener

import kido
from kido.view._viewer._body_drag import BodyDrag
from kido.view._viewer._guide import Guide
from kido.view._viewer._pointer import DragSettings


@pytest.fixture
def viewer_of() -> Iterator[Callable[..., kido.Viewer]]:
    made: list[kido.Viewer] = []

    def make(what: object, **options: object) -> kido.Viewer:
        made.append(kido.Viewer(what, port=0, **options))
        return made[-1]

    yield make
    for viewer in made:
        viewer.stop()


def followed(drag: BodyDrag, frames: int = 60) -> None:
    for _ in range(frames):
        drag.follow(1.0 / 60.0)


def test_the_point_that_was_grabbed_comes_to_the_target() -> None:
    robot = kido.gallery.arm7()
    body, local = robot.bodies[-2], np.array([0.03, 0.02, 0.05])
    T = body.transform()
    grabbed = T[:3, :3] @ local + T[:3, 3]
    drag = BodyDrag(body, grabbed, keep_orientation=False)
    assert not drag.follow(1.0 / 60.0)
    target = grabbed + np.array([-0.1, 0.12, 0.05])
    drag.pull_point_to(target)
    followed(drag)
    T = body.transform()
    assert np.abs(T[:3, :3] @ local + T[:3, 3] - target).max() < 1e-5


@pytest.mark.parametrize("keep", [True, False])
def test_the_orientation_is_kept_or_free(keep: bool) -> None:
    robot = kido.gallery.arm7()
    body = robot.bodies[-1]
    R = body.transform()[:3, :3].copy()
    drag = BodyDrag(body, body.transform()[:3, 3], keep_orientation=keep)
    drag.pull_point_to(body.transform()[:3, 3] + (-0.2, 0.2, 0.1))
    followed(drag)
    assert bool(np.abs(body.transform()[:3, :3] - R).max() < 1e-4) is keep


def test_a_chain_leaves_other_limbs_where_they_are_and_a_whole_body_stands_on_its_feet() -> None:
    for whole in (False, True):
        robot = kido.gallery.humanoid()
        hand, pelvis = robot.body("left_hand"), robot.body("pelvis")
        feet = [robot.end_effector(name) for name in ("left_foot", "right_foot")]
        before = [pelvis.transform().copy(), *(foot.transform().copy() for foot in feet)]
        start = hand.transform()[:3, 3]
        drag = BodyDrag(hand, start, whole_body=whole, keep_orientation=False)
        target = start + np.array([0.35, 0.1, 0.1])
        drag.pull_point_to(target)
        followed(drag, 120)
        assert np.abs(hand.transform()[:3, 3] - target).max() < (1e-4 if whole else 0.2)
        assert bool(np.abs(pelvis.transform() - before[0]).max() < 1e-9) is not whole
        drag.pull_point_to(start + np.array([3.0, 0.0, 1.0]))  # out of reach
        followed(drag, 120)
        for foot, was in zip(feet, before[1:], strict=True):
            assert np.abs(foot.transform() - was).max() < 1e-3


def test_each_dof_moves_at_most_as_fast_as_people_can_see() -> None:
    robot = kido.gallery.arm7()
    body = robot.bodies[-1]
    drag = BodyDrag(body, body.transform()[:3, 3], keep_orientation=False)
    drag.pull_point_to(np.array([-0.4, -0.4, 0.6]))
    for _ in range(60):
        before = robot.positions
        drag.follow(0.01)
        assert np.abs(robot.positions - before).max() <= 0.06 + 1e-12


def test_dragging_leaves_no_module_behind_and_uses_one_that_is_there() -> None:
    robot = kido.gallery.arm7()
    body = robot.bodies[-1]
    BodyDrag(body, body.transform()[:3, 3]).follow(0.01)
    assert body.addon(kido.InverseKinematics) is None
    ik = kido.InverseKinematics.of(body)
    ik.dofs = [robot.dofs[0]]
    before = robot.positions
    drag = BodyDrag(body, body.transform()[:3, 3])
    moved = body.transform().copy()
    moved[:3, 3] += (0.0, 0.2, 0.0)
    drag.pull_to(moved)
    followed(drag, 5)
    assert np.array_equal(ik.target.transform(), moved)
    assert robot.positions[0] != before[0]
    assert np.array_equal(robot.positions[1:], before[1:])


def test_what_nothing_moves_cannot_be_dragged() -> None:
    robot = kido.gallery.arm7()
    with pytest.raises(ValueError, match="no degree of freedom moves it"):
        BodyDrag(robot.bodies[0])


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, (1.0, 2.0, 3.0)),
        ({"line": (0.0, 0.0, 2.0)}, (0.5, 0.5, 3.0)),
        ({"line": (1.0, 1.0, 0.0)}, (1.5, 1.5, 0.5)),
        ({"plane": (0.0, 0.0, -3.0)}, (1.0, 2.0, 0.5)),
    ],
)
def test_guides_put_a_pose_onto_the_nearest_point(options: dict, expected: tuple) -> None:
    T = np.eye(4)
    T[:3, 3] = (1.0, 2.0, 3.0)
    placed = Guide((0.5, 0.5, 0.5), **options).nearest(T)
    assert placed[:3, 3] == pytest.approx(np.array(expected))
    assert np.array_equal(placed[:3, :3], np.eye(3))
    assert np.array_equal(T[:3, 3], (1.0, 2.0, 3.0))


def test_keys_turn_the_settings_over() -> None:
    settings = DragSettings(whole_body=True)
    assert settings.with_keys(None) == settings
    assert settings.with_keys("shift") == DragSettings(whole_body=False)
    assert settings.with_keys("alt") == DragSettings(whole_body=True, keep_orientation=True)
    assert settings.with_keys("alt+shift") == DragSettings(keep_orientation=True)


def gizmo_says(listener: Listener, position: np.ndarray, phase: str | None = None) -> None:
    """Move the only gizmo, as people do."""
    pose = {"wxyz": (1.0, 0.0, 0.0, 0.0), "position": tuple(float(x) for x in position)}
    name = listener.of_type("TransformControlsMessage")[-1]["name"]
    if phase == "start":
        listener.say("TransformControlsDragStartMessage", name=name)
    listener.say("TransformControlsUpdateMessage", name=name, **pose)
    if phase == "end":
        listener.say("TransformControlsDragEndMessage", name=name)


def test_a_gizmo_moves_a_frame_along_its_line_and_follows_it_when_code_moves_it(viewer_of) -> None:
    frame = kido.SimpleFrame("target", transform=np.eye(4))
    viewer = viewer_of(kido.gallery.arm7())
    moves = []
    gizmo = viewer.add_gizmo(frame, line=(1, 0, 0), on_move=lambda: moves.append(frame.transform()[0, 3]))
    viewer.update()
    listener = Listener(viewer)
    gizmo_says(listener, (0.3, 0.2, 0.1), "start")
    listener.until(lambda: moves and moves[-1] == pytest.approx(0.3))
    assert np.abs(frame.transform()[1:3, 3]).max() == 0.0
    assert gizmo.held
    gizmo_says(listener, (0.4, 0.2, 0.1), "end")
    listener.until(lambda: not gizmo.held and frame.transform()[0, 3] == pytest.approx(0.4))
    del listener.windows[:]
    frame.set_translation((0.0, 0.0, 0.7))
    listener.until(lambda: [0.0, 0.0, 0.7] in [m["position"] for m in listener.of_type("SetPositionMessage")])


def test_a_gizmo_turns_a_frame(viewer_of) -> None:
    frame = kido.SimpleFrame("target")
    viewer = viewer_of(kido.gallery.arm7())
    viewer.add_gizmo(frame)
    viewer.update()
    listener = Listener(viewer)
    name = listener.of_type("TransformControlsMessage")[-1]["name"]
    turn = {"wxyz": (np.cos(0.35), 0.0, 0.0, np.sin(0.35)), "position": (0.0, 0.0, 0.0)}
    listener.say(
        "TransformControlsUpdateMessage", name=name, **{k: tuple(map(float, v)) for k, v in turn.items()}
    )
    listener.until(lambda: frame.transform()[1, 0] != 0.0)
    expected = [[np.cos(0.7), -np.sin(0.7), 0], [np.sin(0.7), np.cos(0.7), 0], [0, 0, 1]]
    assert frame.transform()[:3, :3] == pytest.approx(np.array(expected))


def drag_says(listener: Listener, name: str, phase: str, start: tuple, end: tuple, keys: str | None) -> None:
    """Drag the only instance of a batch, as people do."""
    places = {"start_position": start, "end_position": end}
    pixels = {"start_screen_pos": (0.5, 0.5), "end_screen_pos": (0.5, 0.5)}
    how = {"phase": phase, "instance_index": 0, "button": "left", "modifier": keys}
    places = {key: tuple(map(float, place)) for key, place in places.items()}
    listener.say("SceneNodeDragMessage", name=name, **places, **pixels, **how)


def test_shift_drags_the_whole_body(viewer_of) -> None:
    robot = kido.gallery.humanoid()
    hand, pelvis = robot.body("left_hand"), robot.body("pelvis")
    kido.ShapeNode(hand, "glove", kido.shape.Cone(0.05, 0.1))
    viewer = viewer_of(robot)
    viewer.update()
    listener = Listener(viewer)
    name = next(m["name"] for m in listener.of_type("BatchedMeshesMessage") if "glove" in m["name"])
    start, before = hand.transform()[:3, 3], pelvis.transform().copy()
    end = start + np.array([0.3, 0.1, 0.0])
    drag_says(listener, name, "start", start, start, "shift")
    drag_says(listener, name, "update", start, end, "shift")
    listener.until(lambda: np.abs(hand.transform()[:3, 3] - end).max() < 1e-3)
    drag_says(listener, name, "end", start, end, "shift")
    assert np.abs(pelvis.transform() - before).max() > 1e-3
    assert viewer.errors == ()


def test_a_gizmo_that_is_left_by_a_closed_browser_is_let_go(viewer_of) -> None:
    viewer = viewer_of(kido.gallery.arm7())
    gizmo = viewer.add_gizmo(kido.SimpleFrame("target"))
    viewer.update()
    listener, other = Listener(viewer), Listener(viewer)
    gizmo_says(listener, (0.3, 0.2, 0.1), "start")
    listener.until(lambda: gizmo.held)
    listener.close()
    other.until(lambda: not gizmo.held)


def test_a_body_goes_where_its_gizmo_is_held(viewer_of) -> None:
    robot = kido.gallery.arm7()
    hand = robot.bodies[-1]
    viewer = viewer_of(robot)
    gizmo = viewer.add_gizmo(hand, keep_orientation=False)
    viewer.update()
    listener = Listener(viewer)
    target = hand.transform()[:3, 3] + (-0.05, 0.1, 0.0)
    gizmo_says(listener, target, "start")
    listener.until(lambda: np.abs(hand.transform()[:3, 3] - target).max() < 1e-4)
    gizmo_says(listener, target, "end")
    listener.until(lambda: not gizmo.held)
    robot.positions = np.zeros(7)
    listener.frames(0.1)
    assert np.array_equal(robot.positions, np.zeros(7))
    assert viewer.errors == ()


def test_a_hierarchy_is_followed_by_gizmos_of_all_its_targets(viewer_of) -> None:
    robot = kido.gallery.humanoid()
    for name in ("left_foot", "right_foot", "left_hand"):
        kido.InverseKinematics.of(robot.end_effector(name)).use_whole_body()
    viewer = viewer_of(robot)
    assert len(viewer.follow(kido.WholeBodyIK(robot))) == 3
    hand = kido.InverseKinematics.of(robot.end_effector("left_hand"))
    target = hand.target.transform().copy()
    target[:3, 3] += (0.1, 0.0, 0.1)
    hand.target.set_transform(target)
    for _ in range(100):
        viewer.update()
    listener = Listener(viewer)
    listener.until(lambda: np.abs(hand.transform() - target).max() < 1e-3)
