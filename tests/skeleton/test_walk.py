"""One robot with everything that kido has goes through everything that can be done to a skeleton."""

from __future__ import annotations

import copy
import functools
import pickle
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from _effort import EFFORT, examples
from _portrait import Portrait, answer, differences, plain, portrait
from _walk import EDITS, USER_TYPES, hierarchies, modules, whole_robot
from hypothesis import given, settings
from hypothesis import strategies as st

import kido
from kido.errors import KidoError, UnknownNameError
from kido.skeleton import SkeletonProperties, SkeletonState

Twin = Callable[[kido.Skeleton], kido.Skeleton]

TWINS: dict[str, Twin] = {
    "clone": kido.Skeleton.clone,
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda robot: pickle.loads(pickle.dumps(robot)),
}
every_twin = pytest.mark.parametrize("twin_of", TWINS.values(), ids=TWINS)


@functools.cache
def before() -> Portrait:
    """What the robot shows before anything is done to it."""
    return portrait(whole_robot())


def assert_alike(one: kido.Skeleton, other: kido.Skeleton) -> None:
    __tracebackhide__ = True
    assert differences(portrait(one), portrait(other)) == []


def edited(robot: kido.Skeleton, name: str, shown: Portrait) -> kido.Skeleton | str:
    """What is to be looked at after an edit; or its error, and nothing has changed then."""
    try:
        part = EDITS[name](robot)
    except UnknownNameError:
        raise
    except KidoError as error:
        assert differences(portrait(robot), shown) == []
        return f"{type(error).__name__}: {error}"
    return part if isinstance(part, kido.Skeleton) else robot


def test_the_robot_shows_thousands_of_things_and_the_same_ones_when_it_is_asked_again() -> None:
    robot = whole_robot()
    assert len(before()) > 5000 and differences(portrait(robot), before()) == []
    assert differences(portrait(robot), before()) == []
    assert len(differences(portrait(kido.gallery.humanoid()), before())) > 5000


@every_twin
def test_a_twin_shows_what_the_original_shows(twin_of: Twin) -> None:
    robot = whole_robot()
    twin = twin_of(robot)
    assert differences(portrait(twin), before()) == [] and differences(portrait(robot), before()) == []
    assert_alike(twin_of(twin), robot)


@every_twin
def test_modules_and_hierarchies_of_a_twin_find_the_same(twin_of: Twin) -> None:
    robot = whole_robot()
    twin = twin_of(robot)
    for ik, other in zip(modules(robot), modules(twin), strict=True):
        assert answer(ik.solve) == answer(other.solve), ik.node.name
    for ours, theirs in zip(hierarchies(robot), hierarchies(twin), strict=True):
        assert answer(ours.solve) == answer(theirs.solve)
    assert_alike(twin, robot)


def test_hierarchies_are_copied_with_their_skeleton() -> None:
    robot = whole_robot()
    for hierarchy in hierarchies(robot):
        for other in (
            hierarchy.clone(robot.clone()),
            copy.deepcopy(hierarchy),
            pickle.loads(pickle.dumps(hierarchy)),
        ):
            assert_alike(other.skeleton, robot)
            assert answer(other.solve) == answer(hierarchy.solve)


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_does_the_same_to_a_twin_and_nothing_to_the_original(name: str) -> None:
    kinds = tuple(TWINS) if EFFORT > 1 else (("clone", "pickle")[list(EDITS).index(name) % 2],)
    robot = whole_robot()
    twins = {kind: edited(TWINS[kind](robot), name, before()) for kind in kinds}
    assert differences(portrait(robot), before()) == []
    done = edited(robot, name, before())
    if isinstance(done, str):
        assert set(twins.values()) == {done}
        return
    after = portrait(done)
    assert after.keys() != before().keys() or differences(after, before()) != [] or name in UNSEEN
    for kind, twin in twins.items():
        assert isinstance(twin, kido.Skeleton), twin
        assert differences(portrait(twin), after) == [], kind
        assert differences(portrait(TWINS[kind](twin)), after) == [], f"{kind} of what was edited"


@pytest.mark.parametrize("name", ["limb0", "arm0", "body0"])
def test_a_copied_branch_is_what_the_same_branch_split_off_is(name: str) -> None:
    robot = whole_robot()
    for ik in modules(robot):
        ik.target, ik.reference_frame = None, None
        ik.use_chain()
    for body in robot.bodies[::2]:
        body.collidable = body.gravity_mode = False
        body.external_wrench = np.arange(6.0) + body.index
    copied = robot.body(name).copy_as("part")
    split = robot.clone().body(name).split("part")
    assert differences(portrait(copied), portrait(split)) == []
    assert differences(portrait(robot.body(name).split("part")), portrait(split)) == []


def test_a_body_on_another_joint_keeps_what_is_its_own() -> None:
    robot = whole_robot()
    robot.body("arm3").external_wrench = np.arange(6.0)
    robot.body("arm3").collidable = robot.body("arm3").gravity_mode = False
    own = ("inertia", "collidable", "gravity_mode", "external_wrench", "addons")
    for change in ("change joint types", "move to the world on another joint"):
        before = {body.name: [plain(getattr(body, name)) for name in own] for body in robot.bodies}
        EDITS[change](robot)
        for body in robot.bodies:
            assert [plain(getattr(body, name)) for name in own] == before[body.name], body.name


UNSEEN = {"split a branch off and put it back"}
"""Edits after which all is as it was."""


@settings(max_examples=examples(2))
@given(
    st.lists(st.tuples(st.sampled_from(list(EDITS)), st.sampled_from(list(TWINS))), min_size=2, max_size=5)
)
def test_after_any_edits_a_twin_is_what_the_original_is(steps: list[tuple[str, str]]) -> None:
    robot = whole_robot()
    twin, shown = robot.clone(), before()
    for name, kind in steps:
        try:
            done, other = edited(robot, name, shown), edited(twin, name, shown)
        except UnknownNameError:
            return  # what the edit names is gone
        if isinstance(done, str) or isinstance(other, str):
            assert done == other
            continue
        robot, twin = done, TWINS[kind](other)
        shown = portrait(robot)
        assert differences(portrait(twin), shown) == [], (name, kind)


def test_files_hold_all_but_what_modules_know_of_their_skeleton(tmp_path: Path) -> None:
    robot = whole_robot()
    robot.properties.save(tmp_path / "properties.json")
    robot.state.save(tmp_path / "state.json")
    properties = SkeletonProperties.load(tmp_path / "properties.json", USER_TYPES)
    state = SkeletonState.load(tmp_path / "state.json", USER_TYPES)
    assert properties == robot.properties and state == robot.state
    built = kido.Skeleton.from_properties(properties, state)
    left = differences(portrait(built), portrait(robot))
    assert {name.rpartition(".")[0].rpartition(".")[2] for name in left} == {"InverseKinematics"}


def test_properties_and_state_bring_an_edited_twin_back() -> None:
    robot = whole_robot()
    twin = robot.clone()
    for name in ("set every number", "set bodies", "set joints", "set flags", "set nodes"):
        EDITS[name](twin)
    twin.name = "twin"
    assert len(differences(portrait(twin), portrait(robot))) > 2000
    twin.properties = robot.properties
    twin.state = robot.state
    assert_alike(twin, robot)
