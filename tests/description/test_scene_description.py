"""A scene: what it holds, what it refuses, and what a robot of it is by itself."""

from __future__ import annotations

import copy
import math
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import kido
from kido.description import (
    OBJECT_JOINT,
    Attachment,
    ClosureDescription,
    ClosureType,
    ContactExclusion,
    ContactPair,
    CouplingDescription,
    DofReference,
    Inertia,
    JointDescription,
    JointReference,
    JointState,
    LinkDescription,
    LinkReference,
    NamedState,
    ObjectPlacement,
    RobotDescription,
    RobotPlacement,
    SceneDescription,
    SensorDescription,
    ShapePlacement,
    ShapeReference,
)
from kido.errors import DescriptionError, UnknownNameError
from kido.shape import Box

INERTIA = Inertia(1.0, (0.1, 0.0, 0.0), np.eye(3))
SHAPE = ShapePlacement("hull", Box((1.0, 1.0, 1.0)))


def pose(x: float, y: float, z: float, turn: float = 0.0) -> np.ndarray:
    T = np.eye(4)
    T[:3, :3] = Rotation.from_rotvec([0.0, 0.0, turn]).as_matrix()
    T[:3, 3] = (x, y, z)
    return T


def arm(name: str = "arm", root: str = "weld") -> RobotDescription:
    links = [LinkDescription("base", INERTIA), LinkDescription("tip", INERTIA, collisions=[SHAPE])]
    joints = [
        JointDescription("mount", root, None, "base", pose(0.0, 0.0, 0.5)),
        JointDescription("elbow", "universal", "base", "tip", pose(1, 0, 0), axes=[(1, 0, 0), (0, 1, 0)]),
    ]
    return RobotDescription(name, links, joints)


def crate(name: str = "crate", **options: Any) -> ObjectPlacement:
    return ObjectPlacement(LinkDescription(name, INERTIA, collisions=[SHAPE]), pose(3.0, 0.0, 1.0), **options)


def parts() -> dict[str, Any]:
    """Arguments of a scene that has one of each."""
    return {
        "name": "room",
        "robots": [RobotPlacement(arm(), "left"), RobotPlacement(arm(), "right", pose(2, 0, 0, 0.3))],
        "objects": [crate(), crate("ground", fixed=True)],
        "gravity": (0.0, 0.0, -1.62),
        "time_step": 0.002,
        "options": {"iterations": 50, "cone": "elliptic", "warm": True, "solref": (0.02, 1)},
        "constraints": [
            ClosureDescription(
                "grip", "weld", Attachment("left", "tip", pose(0.1, 0, 0)), Attachment("crate", "crate")
            ),
            ClosureDescription(
                "hang", "ball", Attachment("right", "tip"), Attachment(None, None, pose(0, 0, 3))
            ),
            CouplingDescription(
                "gear", DofReference("left", "elbow", 1), DofReference("right", "elbow"), (0.1, -2.0)
            ),
        ],
        "exclusions": [ContactExclusion(LinkReference("left", "base"), LinkReference("ground", "ground"))],
        "contact_pairs": [
            ContactPair(
                "slip", ShapeReference("left", "tip"), ShapeReference("ground", "ground"), {"friction": 0.1}
            )
        ],
        "sensors": [
            SensorDescription("eye", "camera", Attachment("left", "tip"), rate=30.0, options={"fov": 1.2}),
            SensorDescription("angle", "jointpos", joint=JointReference("right", "elbow")),
            SensorDescription("clock", "clock"),
        ],
        "states": [
            NamedState("home", [JointState("left", "elbow", (0.1, 0.2), (0.0, 1.0))]),
            NamedState("up", [JointState("crate", OBJECT_JOINT, (0, 0, 0, 0, 0, 1.0))], time=2.0),
        ],
        "initial_state": "home",
    }


@pytest.fixture
def room() -> SceneDescription:
    return SceneDescription(**parts())


def test_a_scene_keeps_its_parts_and_finds_them_by_name(room: SceneDescription) -> None:
    assert [robot.name for robot in room.robots] == ["left", "right"]
    assert room.robot("right").robot == arm()
    assert room.object("ground").fixed
    assert room.constraint("hang").name == "hang"
    assert room.sensor("eye").rate == 30.0
    assert room.state("up").time == 2.0
    assert room.gravity.tolist() == [0.0, 0.0, -1.62]
    assert dict(room.options) == {"cone": "elliptic", "iterations": 50, "solref": (0.02, 1.0), "warm": True}
    assert room.options["iterations"] == 50


@pytest.mark.parametrize("kind", ["robot", "object", "constraint", "sensor", "state"])
def test_unknown_names_say_which_are_near(room: SceneDescription, kind: str) -> None:
    with pytest.raises(UnknownNameError, match=f"no {kind} named 'lefd' in 'room'; "):
        getattr(room, kind)("lefd")


def test_scenes_are_values(room: SceneDescription) -> None:
    again = SceneDescription(**parts())
    assert room == again == pickle.loads(pickle.dumps(room)) == copy.deepcopy(room)
    assert hash(room) == hash(again)
    changes: dict[str, Any] = {
        "gravity": (0, 0, -1.0),
        "options": {"iterations": 51},
        "sensors": [],
        "initial_state": None,
        "exclusions": [],
        "time_step": None,
    }
    for name, value in changes.items():
        assert SceneDescription(**{**parts(), name: value}) != room
    with pytest.raises(AttributeError):
        room.gravity = np.zeros(3)  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        room.gravity[0] = 1.0
    with pytest.raises(TypeError):
        room.options["iterations"] = 3  # type: ignore[index]


def test_a_scene_is_saved_and_loaded(room: SceneDescription, tmp_path: Path) -> None:
    room.save(tmp_path / "room.json")
    assert SceneDescription.load(tmp_path / "room.json") == room


def closure(first: Attachment, second: Attachment, **options: Any) -> dict[str, Any]:
    return {"constraints": [ClosureDescription("loop", "weld", first, second, **options)]}


def coupling(*dofs: Any) -> dict[str, Any]:
    return {"constraints": [CouplingDescription("gear", *dofs)]}


TIP, WORLD = Attachment("left", "tip"), Attachment()
WRONG: dict[str, tuple[Callable[[], dict[str, Any]], str]] = {
    "two robots of a name": (
        lambda: {"robots": [RobotPlacement(arm()), RobotPlacement(arm())]},
        "robot or object 'arm': expected unique names",
    ),
    "an object named as a robot": (
        lambda: {"objects": [crate("left")]},
        "robot or object 'left': expected unique names",
    ),
    "no such robot": (
        lambda: closure(Attachment("lefd", "tip"), WORLD),
        "constraint 'loop': first: no robot named 'lefd'; did you mean 'left'",
    ),
    "no such link": (
        lambda: closure(WORLD, Attachment("left", "tipp")),
        "constraint 'loop': second: no link named 'tipp' in 'left'; did you mean 'tip'",
    ),
    "no such joint": (
        lambda: coupling(DofReference("left", "elbow"), DofReference("right", "knee")),
        "constraint 'gear': leader: no joint named 'knee' in 'right'",
    ),
    "no such dof": (
        lambda: coupling(DofReference("left", "elbow", 2), None),
        "constraint 'gear': follower: joint 'elbow': has 2 dofs, none number 2",
    ),
    "two constraints of a name": (
        lambda: {"constraints": 2 * closure(TIP, WORLD)["constraints"]},
        "constraint 'loop': expected unique names",
    ),
    "no such shape": (
        lambda: {
            "contact_pairs": [
                ContactPair("p", ShapeReference("left", "base"), ShapeReference("crate", "crate"))
            ]
        },
        "contact pair 'p': first: link 'base': has 0 collision shapes, none number 0",
    ),
    "exclusion of nothing": (
        lambda: {"exclusions": [ContactExclusion(LinkReference("left", "tip"), LinkReference("left", "no"))]},
        "contact exclusion 'left/tip - left/no': second: no link named 'no'",
    ),
    "sensor of nothing": (
        lambda: {"sensors": [SensorDescription("s", "imu", Attachment("none", "tip"))]},
        "sensor 's': place: no robot named 'none'",
    ),
    "sensor of no joint": (
        lambda: {"sensors": [SensorDescription("s", "jointpos", joint=JointReference("left", "tip"))]},
        "sensor 's': joint: no joint named 'tip' in 'left'",
    ),
    "state of too many numbers": (
        lambda: {"states": [NamedState("home", [JointState("left", "elbow", velocities=(0, 0, 0))])]},
        "state 'home': joints: joint 'elbow': of 'left' has 2 dofs, got 3 velocities",
    ),
    "state of no joint": (
        lambda: {"states": [NamedState("home", [JointState("ground", "tip", (0.0,))])]},
        "state 'home': joints: no joint named 'tip' in 'ground'",
    ),
    "no such initial state": (
        lambda: {"initial_state": "hoem"},
        "scene 'room': initial_state: no state named 'hoem'; did you mean 'home'",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_parts_that_do_not_fit_are_refused_by_name(case: str) -> None:
    changes, message = WRONG[case]
    with pytest.raises(DescriptionError) as caught:
        SceneDescription(**{**parts(), **changes()})
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: closure(TIP, Attachment("left", "tip", pose(1, 0, 0))),
            "constraint 'loop': expected two diff",
        ),
        (lambda: closure(WORLD, WORLD), "got twice the world"),
        (lambda: closure(TIP, WORLD, distance=-1.0), "constraint 'loop': distance: expected at least 0"),
        (lambda: closure(TIP, WORLD, distance=math.nan), "distance: expected finite numbers"),
        (
            lambda: ClosureDescription("c", "glue", TIP, WORLD),
            "constraint 'c': type: expected one of weld, ball",
        ),
        (lambda: ClosureDescription("", "weld", TIP, WORLD), "name: expected a nonempty string, got ''"),
        (lambda: Attachment("left"), "expected an owner and a link, or neither"),
        (lambda: Attachment("left", "tip", np.diag([2.0, 1, 1, 1])), "T_link_frame: expected a rotation"),
        (lambda: coupling(DofReference("a", "b"), DofReference("a", "b")), "expected two different dofs"),
        (lambda: coupling(DofReference("a", "b"), None, ()), "coefficients: expected at least one"),
        (lambda: coupling(DofReference("a", "b"), None, (math.inf,)), "coefficients: expected finite"),
        (lambda: JointState("a", "b", (math.nan,)), "positions: expected finite numbers"),
        (lambda: NamedState("s", [JointState("a", "b")] * 2), "state 's': expected each joint once"),
        (lambda: SensorDescription("s", "imu", rate=0.0), "sensor 's': rate: expected a positive number"),
        (lambda: SensorDescription("s", ""), "sensor 's': type: expected a nonempty string"),
        (
            lambda: SensorDescription("s", "x", TIP, JointReference("a", "b")),
            "sensor 's': expected a place or a joint, got both",
        ),
        (lambda: SceneDescription("s", gravity=(0, 0, math.nan)), "gravity: expected finite numbers"),
        (lambda: SceneDescription("s", time_step=0.0), "time_step: expected a positive number"),
        (lambda: SceneDescription("s", options={"tol": math.inf}), "option 'tol': expected a finite number"),
        (
            lambda: SceneDescription("s", options={"x": None}),
            "option 'x': expected a bool, a number",
        ),
        (lambda: SceneDescription("s", options=[("a", 1), ("a", 2)]), "option 'a': expected different names"),
        (lambda: RobotPlacement(arm(), ""), "name: expected a nonempty string"),
        (
            lambda: ContactPair("p", ShapeReference("a", "b"), ShapeReference("a", "b")),
            "contact pair 'p': expected two different shapes",
        ),
        (
            lambda: ContactExclusion(LinkReference("a", "b"), LinkReference("a", "b")),
            "contact exclusion 'a/b - a/b': expected two different links",
        ),
    ],
)
def test_parts_that_cannot_be_are_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        make()


def test_types_of_closures_are_named() -> None:
    assert [str(ClosureDescription("c", t, TIP, WORLD).type) for t in ClosureType] == [
        "weld",
        "ball",
        "revolute",
        "cylindrical",
        "distance",
    ]


@pytest.mark.parametrize("root", ["weld", "free"])
def test_a_placed_robot_stands_at_its_place_in_the_scene(root: str) -> None:
    T = pose(2.0, -1.0, 0.5, 0.7)
    here = kido.Skeleton.from_description(arm("one", root))
    there = kido.Skeleton.from_description(RobotPlacement(arm("one", root), "there", T).placed())
    assert there.name == "there"
    for robot in (here, there):
        robot.positions = np.linspace(0.1, 0.5, robot.num_dofs)
    for name in ("base", "tip"):
        np.testing.assert_allclose(there.body(name).transform(), T @ here.body(name).transform(), atol=1e-15)


def test_placing_changes_nothing_of_the_joint_but_its_place() -> None:
    full = RobotDescription(
        "r",
        [LinkDescription("a", INERTIA), LinkDescription("b", INERTIA)],
        [
            JointDescription(
                "j",
                "screw",
                None,
                "a",
                pose(1, 0, 0),
                pose(0, 1, 0),
                (0, 1, 0),
                pitch=0.3,
                limits=kido.description.JointLimits(-1, 2, 3, 4, 5),
                dynamics=kido.description.JointDynamics(1, 2, 3, 4),
                mimic=kido.description.Mimic("k", 2.0, 0.1),
                calibration=kido.description.Calibration(0.1),
                safety=kido.description.Safety(-1.0, 1.0),
                dof_names=["angle"],
                line=7,
            ),
            JointDescription("k", "euler", None, "b", euler_order="zyx"),
        ],
    )
    placed = RobotPlacement(full, None, pose(0, 0, 1)).placed()
    back = RobotPlacement(placed, None, pose(0, 0, -1)).placed()
    assert placed != full
    assert back == full


def test_a_free_object_is_a_robot_of_one_link(room: SceneDescription) -> None:
    free = kido.Skeleton.from_description(room.object("crate").placed())
    assert (free.name, free.num_bodies, free.num_dofs) == ("crate", 1, 6)
    np.testing.assert_array_equal(free.body("crate").transform(), pose(3, 0, 1))
    assert kido.Skeleton.from_description(room.object("ground").placed()).num_dofs == 0


def test_a_scene_of_one_robot_gives_it_by_itself() -> None:
    scene = SceneDescription.of_robot(arm())
    assert scene.single_robot() is scene.robots[0].robot
    assert scene.single_robot("arm") == arm()


def test_a_robot_of_several_is_chosen_by_name(room: SceneDescription) -> None:
    with pytest.raises(DescriptionError) as caught:
        room.single_robot()
    assert str(caught.value) == (
        "scene 'room': expected one robot, got 2: 'left', 'right'; robot='left' chooses that one"
    )
    assert room.single_robot("right").joint("mount").T_parent_joint[0, 3] == 2.0
    assert room.single_robot("crate").links[0].name == "crate"
    with pytest.raises(UnknownNameError, match="no robot named 'rihgt' in 'room'; did you mean 'right'"):
        room.single_robot("rihgt")


def test_a_scene_without_robots_says_what_there_is() -> None:
    with pytest.raises(DescriptionError, match=r"expected one robot, got none$"):
        SceneDescription("empty").single_robot()
    two = [crate(), crate("box")]
    with pytest.raises(DescriptionError, match="but the objects 'crate', 'box'; robot='crate' chooses"):
        SceneDescription("store", objects=two).single_robot()
    alone = SceneDescription("store", objects=two[:1])
    assert alone.single_robot() == alone.single_robot("crate")
