"""Pickles of skeletons beside their clones, and parts that cannot be pickled alone."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any, ClassVar

import numpy as np
import pytest
from _valued_skeletons import Array, Cam, everything

import kido
from kido.skeleton import Addon, FrameNode, Group, Joint
from kido.values import Value

PLAIN = (bool, int, float, str, range, Enum, np.ndarray, Value, type(None))


def answered(part: Any) -> dict[str, object]:
    """Every attribute of a part that is a value, or values in a tuple."""
    found = {}
    for name in dir(type(part)):
        if name.startswith("_"):
            continue
        try:
            value = getattr(part, name)
        except (kido.errors.KidoError, ValueError) as error:
            value = f"{type(error).__name__}: {error}"
        if isinstance(value, PLAIN) or (
            isinstance(value, tuple) and all(isinstance(v, PLAIN) for v in value)
        ):
            found[name] = value
    return found


def parts(robot: kido.Skeleton) -> Iterator[Any]:
    """A skeleton and all that belongs to it, in order."""
    yield robot
    for owner in (robot, *robot.bodies, *robot.joints, *robot.nodes()):
        yield from owner.addons
    yield from (*robot.bodies, *robot.joints, *robot.nodes(), *robot.dofs)


def same(one: object, other: object) -> bool:
    """Whether two values are equal, arrays bit for bit."""
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return one.shape == other.shape and one.tobytes() == other.tobytes()
    return type(one) is type(other) and (one == other)


def differences(one: kido.Skeleton, other: kido.Skeleton) -> list[str]:
    """Attributes in which two skeletons differ, part by part."""
    found = []
    for a, b in zip(parts(one), parts(other), strict=True):
        mine, others = answered(a), answered(b)
        assert type(a) is type(b) and mine.keys() == others.keys()
        found += [f"{a!r}.{name}" for name in mine if not same(mine[name], others[name])]
    return found


@pytest.mark.parametrize("twin_of", [kido.Skeleton.clone, lambda robot: pickle.loads(pickle.dumps(robot))])
def test_clone_and_pickle_have_every_attribute_of_the_original(
    twin_of: Callable[[kido.Skeleton], kido.Skeleton],
) -> None:
    robot = everything()
    assert sum(len(answered(part)) for part in parts(robot)) > 1500
    assert differences(twin_of(robot), robot) == []
    robot.mimic_enforced = True
    robot.joint("knee").name = "leg"
    robot.body("body4").remove()
    assert differences(twin_of(robot), robot) == []
    twin = twin_of(robot)
    assert [joint.name for joint in twin.joints] == [joint.name for joint in robot.joints]


class Walker(kido.Skeleton):
    """A skeleton of a user's own, whose constructor takes something else."""

    def __init__(self, speed: float) -> None:
        super().__init__("walker")
        self.speed = speed
        self.log = ["made"]


@pytest.mark.parametrize(
    "twin_of",
    [kido.Skeleton.clone, copy.deepcopy, lambda robot: pickle.loads(pickle.dumps(robot))],
)
def test_copies_of_a_skeleton_of_ones_own_have_what_it_keeps(
    twin_of: Callable[[kido.Skeleton], kido.Skeleton],
) -> None:
    walker = Walker(1.5)
    walker.add_body("trunk").add_end_effector("foot")
    walker.add_body("leg", walker.body("trunk"))
    walker.speed = 2.5
    twin = twin_of(walker)
    assert type(twin) is Walker and twin.speed == 2.5 and twin.log == ["made"]
    assert differences(twin, walker) == []
    assert (twin.log is walker.log) == (twin_of is kido.Skeleton.clone)
    for part in (walker.body("trunk").copy_as("copy"), walker.body("leg").split()):
        assert type(part) is Walker and part.speed == 2.5


def test_names_follow_in_a_pickle_as_in_a_clone() -> None:
    robot = everything()
    for twin in (robot.clone(), pickle.loads(pickle.dumps(robot))):
        twin.joint("body0_joint").name = "base"
        twin.joint("body2_joint").name = "lead"
        assert twin.joint("base").dof_names[0].startswith("base")
        assert twin.joint("body3_joint").dof_names == ("thread",)
        assert twin.joint("knee").mimic.joint == "lead"


class Notes(Addon):
    """An addon that keeps more than its State and Properties."""

    notes: tuple[str, ...] = ()

    def copied_from(self, original: Notes) -> None:
        self.notes = (*original.notes, "copied")


class Log(FrameNode):
    """A node with slots that keeps more than its State and Properties."""

    __slots__ = ("lines",)

    def __init__(self, body: kido.BodyNode, name: str) -> None:
        super().__init__(body, name)
        self.lines: list[str] = []

    def copied_from(self, original: Log) -> None:
        self.lines = [*original.lines, original.name]


class WornCam(Cam):
    """A joint that keeps more than its Properties."""

    num_dofs: ClassVar[int] = 1
    wear = 0.0

    def copied_from(self, original: WornCam) -> None:
        self.wear = original.wear + original.properties.gain


def test_a_pickle_carries_what_copied_from_carries() -> None:
    robot = kido.Skeleton("robot")
    cam = WornCam(0.5)
    body = robot.add_body("box", joint=cam)
    cam.wear = 2.0
    for owner in (robot, body, cam):
        owner.create_addon(Notes).notes = (type(owner).__name__,)
    Log(body, "log").lines.append("first")
    for twin in (robot.clone(), pickle.loads(pickle.dumps(robot))):
        assert twin.joint(0).wear == 2.5
        assert twin.node(Log, "log").lines == ["first", "log"]
        for owner, name in ((twin, "Skeleton"), (twin.bodies[0], "BodyNode"), (twin.joint(0), "WornCam")):
            assert owner.addon(Notes).notes == (name, "copied")
    assert cam.wear == 2.0


@pytest.mark.parametrize("duplicate", [pickle.dumps, copy.copy, copy.deepcopy])
def test_a_part_that_is_pickled_alone_names_what_to_pickle(duplicate: Callable[[object], object]) -> None:
    robot = everything()
    hand = robot.end_effector("hand")
    for part, kind in (
        (robot.bodies[1], "body 'body1'"),
        (robot.joint("knee"), "joint 'knee'"),
        (hand, "node 'hand'"),
        (robot.nodes()[0], f"node '{robot.nodes()[0].name}'"),
        (robot.dof("thread"), "dof 'thread'"),
    ):
        with pytest.raises(TypeError, match=f"cannot pickle {kind} alone: pickle its skeleton"):
            duplicate(part)
    with pytest.raises(TypeError, match="cannot pickle frame 'lens' alone"):
        duplicate(kido.SimpleFrame("lens", hand))


@pytest.mark.parametrize("duplicate", [pickle.dumps, copy.deepcopy])
def test_an_addon_that_is_pickled_alone_names_what_to_pickle(duplicate: Callable[[object], object]) -> None:
    robot = everything()
    for owner in (robot, robot.bodies[1], robot.joint("knee"), robot.end_effector("hand")):
        addon = owner.create_addon(Notes)
        with pytest.raises(TypeError, match=r"^cannot pickle Notes of <.*> alone: pickle the skeleton"):
            duplicate(addon)


def test_a_copy_of_an_addon_that_nothing_has_is_refused() -> None:
    robot = everything()
    for owner in (robot, robot.bodies[1], robot.end_effector("hand"), kido.RevoluteJoint("hinge")):
        addon = owner.create_addon(Notes)
        with pytest.raises(TypeError, match=r"^cannot copy Notes of <.*> alone: .*`create_addon`"):
            copy.copy(addon)


def test_a_part_that_was_removed_has_no_skeleton_to_pickle() -> None:
    robot = everything()
    body, hand = robot.bodies[-1], robot.end_effector("hand")
    body.remove()
    hand.remove()
    with pytest.raises(TypeError, match=f"^cannot pickle body {body.name!r}: it belongs to no skeleton"):
        pickle.dumps(body)
    with pytest.raises(TypeError, match=r"^cannot pickle node 'hand': it belongs to no skeleton"):
        pickle.dumps(hand)
    with pytest.raises(TypeError, match=r"^cannot pickle dof 'hinge' alone: pickle its joint"):
        pickle.dumps(kido.RevoluteJoint("hinge").dof(0))


def test_a_group_that_is_pickled_names_the_skeleton() -> None:
    with pytest.raises(TypeError, match="pickle its skeleton"):
        pickle.dumps(Group("group", everything().bodies[:2]))


def test_a_joint_by_itself_can_be_pickled() -> None:
    joint = kido.RevoluteJoint("hinge", (1, 0, 0), positions=[0.5], damping=[0.1])
    twin = pickle.loads(pickle.dumps(joint))
    assert isinstance(twin, Joint) and twin.name == "hinge"
    assert twin.positions == 0.5 and twin.damping == 0.1 and np.array_equal(twin.axis, _x_axis())


@pytest.mark.parametrize(
    "duplicate", [copy.copy, copy.deepcopy, lambda joint: pickle.loads(pickle.dumps(joint))]
)
@pytest.mark.parametrize("make", [lambda: kido.RevoluteJoint("hinge", damping=[0.1]), lambda: WornCam(0.5)])
def test_copies_of_a_joint_by_itself_share_nothing_with_it(
    duplicate: Callable[[Joint], Joint], make: Callable[[], Joint]
) -> None:
    joint = make()
    joint.positions = [0.5]
    joint.create_addon(Notes).notes = ("of the joint",)
    damping = joint.damping
    twin = duplicate(joint)
    assert type(twin) is type(joint) and twin.name == joint.name
    assert twin.positions == joint.positions and twin.damping == damping
    addon = twin.addon(Notes)
    assert addon is not joint.addon(Notes) and addon.owner is twin and addon.notes[0] == "of the joint"
    twin.positions, twin.damping = [0.9], [7.0]
    assert joint.positions == 0.5 and joint.damping == damping
    robots = [kido.Skeleton(name) for name in ("one", "other")]
    for robot, own in zip(robots, (joint, twin), strict=True):
        robot.add_body("body", joint=own)
    robots[0].positions = [0.25]
    assert robots[1].positions == 0.9


def _x_axis() -> Array:
    return np.eye(3)[0]
