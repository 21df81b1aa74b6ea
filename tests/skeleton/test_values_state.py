"""All that changes in time, as a value."""

from __future__ import annotations

import dataclasses
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from _random_trees import random_transform
from _valued_skeletons import Grid, Sensor, Spot, Tag, answers, assert_same_bits, everything, set_numbers

import kido
from kido.skeleton import FrameNode, Skeleton


@pytest.mark.parametrize("user_joint", [False, True])
def test_a_state_that_is_set_brings_all_answers_back(user_joint: bool) -> None:
    robot = everything(user_joint=user_joint)
    state, before = robot.state, answers(robot)
    set_numbers(robot, np.random.default_rng(9))
    robot.bodies[1].clear_external_forces()
    robot.end_effector("moved").reset_relative_transform()
    robot.end_effector("hand").support.active = False
    robot.node(Sensor, "hand").state = Sensor.State(9.0)
    assert robot.state != state
    robot.state = state
    assert robot.state == state
    assert_same_bits(answers(robot), before)
    assert robot.end_effector("hand").support.active
    assert robot.node(Sensor, "hand").state.reading == 0.7


def test_the_state_of_one_skeleton_can_be_given_to_its_clone() -> None:
    robot = everything()
    clone = robot.clone()
    set_numbers(robot, np.random.default_rng(5))
    clone.state = robot.state
    assert_same_bits(answers(clone), answers(robot))


CHANGES: dict[str, Callable[[Skeleton], Any]] = {
    "positions": lambda robot: setattr(robot, "positions", 0.5 * robot.positions),
    "velocities": lambda robot: setattr(robot, "velocities", 0.5 * robot.velocities),
    "accelerations": lambda robot: setattr(robot, "accelerations", 0.5 * robot.accelerations),
    "forces": lambda robot: robot.compute_inverse_dynamics(),
    "commands": lambda robot: setattr(robot.joint("body2_joint"), "commands", -0.3),
    "impulses": lambda robot: setattr(robot, "constraint_impulses", np.zeros(robot.num_dofs)),
    "wrench": lambda robot: robot.bodies[1].add_external_force((1, 0, 0)),
    "no wrench": lambda robot: robot.clear_external_forces(),
    "addon of skeleton": lambda robot: setattr(robot.addon(Grid), "state", Spot(np.ones(3))),
    "addon of body": lambda robot: setattr(robot.body("body1").addon(Grid), "state", Spot(np.ones(3))),
    "addon of joint": lambda robot: setattr(robot.joint("knee").addon(Grid), "state", Spot(np.ones(3))),
    "addon of node": lambda robot: setattr(
        robot.node(FrameNode, "eye").addon(Grid), "state", Spot(np.ones(3))
    ),
    "node": lambda robot: setattr(robot.node(Sensor, "hand"), "state", Sensor.State(1.0)),
    "place of node": lambda robot: robot.end_effector("hand").move_on_body((0.0, 0.0, 1.0)),
    "place of node again": lambda robot: robot.end_effector("moved").reset_relative_transform(),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_everything_that_changes_in_time_is_part_of_the_state_and_not_of_the_properties(
    change: Callable[[Skeleton], Any],
) -> None:
    robot = everything()
    state, properties = robot.state, robot.properties
    change(robot)
    assert robot.state != state
    assert robot.properties == properties
    robot.state = state
    assert robot.state == state


def test_a_state_does_not_follow_the_skeleton_and_cannot_be_written() -> None:
    robot = everything()
    state = robot.state
    positions, wrenches = state.positions.copy(), state.external_wrenches.copy()
    set_numbers(robot, np.random.default_rng(3))
    assert (state.positions == positions).all() and (state.external_wrenches == wrenches).all()
    for array in (state.positions, state.commands, state.constraint_impulses, state.external_wrenches):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0


def test_answers_about_forces_follow_a_state_that_differs_in_nothing_else() -> None:
    robot = everything()
    state = robot.state
    external, constraint = robot.external_forces, robot.constraint_forces
    other = dataclasses.replace(
        state,
        external_wrenches=2.0 * state.external_wrenches,
        constraint_impulses=2.0 * state.constraint_impulses,
    )
    robot.state = other
    assert np.allclose(robot.external_forces, 2.0 * external, rtol=1e-14)
    assert np.allclose(robot.constraint_forces, 2.0 * constraint, rtol=1e-14)


def test_forces_and_commands_are_restored_independently() -> None:
    robot = everything()
    robot.compute_inverse_dynamics()
    state = robot.state
    assert (state.forces != state.commands).any()
    robot.forces = np.zeros(robot.num_dofs)
    robot.state = state
    assert (robot.forces == state.forces).all() and (robot.commands == state.commands).all()


def test_a_node_that_was_not_moved_stands_where_the_properties_of_the_skeleton_say() -> None:
    robot = everything()
    state = robot.state
    there = random_transform(np.random.default_rng(1))
    robot.end_effector("hand").relative_transform = there
    robot.state = state
    assert (robot.end_effector("hand").relative_transform == there).all()


def test_a_state_has_one_entry_for_each_extension_that_has_something_to_remember() -> None:
    state = everything().state
    assert [(part.place, part.kind.__name__) for part in state.extensions] == [
        ("skeleton", "Grid"),
        ("body body1", "Grid"),
        ("joint knee", "Grid"),
        ("EndEffector hand", "Support"),
        ("Camera eye", "Grid"),
        ("Sensor hand", "Sensor"),
        ("EndEffector moved", "EndEffector"),
    ]


def renamed_body(robot: Skeleton) -> None:
    robot.body("body2").name = "palm"


def renamed_joint(robot: Skeleton) -> None:
    robot.joint("knee").name = "ankle"


def one_body_more(robot: Skeleton) -> None:
    robot.add_body("more", joint=kido.WeldJoint())


def another_addon(robot: Skeleton) -> None:
    robot.body("body3").create_addon(Grid, 1)


def one_addon_less(robot: Skeleton) -> None:
    robot.joint("knee").remove_addon(Grid)


def one_node_less(robot: Skeleton) -> None:
    robot.end_effector("moved").remove()


def passive_joint(robot: Skeleton) -> None:
    robot.joint("body2_joint").actuator = "passive"


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (renamed_body, "state: expected 'palm' for body 2, got 'body2'"),
        (renamed_joint, "state: expected 'ankle' for dof 6, got 'knee'"),
        (one_body_more, "state: expected a number of body names of 16, got 15"),
        (another_addon, "state: expected one for Grid of 'body body3', got none"),
        (one_addon_less, "state: Grid of 'joint knee' is none of the skeleton's"),
        (one_node_less, "state: EndEffector of 'EndEffector moved' is none of the skeleton's"),
        (passive_joint, "commands: 'body2_joint' takes none"),
    ],
)
def test_the_state_of_another_structure_is_refused_before_anything_changes(
    edit: Callable[[Skeleton], None], message: str
) -> None:
    robot = everything()
    old = robot.state
    set_numbers(robot, np.random.default_rng(2))
    edit(robot)
    before = robot.state
    with pytest.raises(ValueError, match=message):
        robot.state = old
    assert robot.state == before


def test_an_addon_without_state_can_come_and_go_between_states() -> None:
    robot = everything()
    state = robot.state
    robot.remove_addon(Tag)
    robot.bodies[3].create_addon(Tag)
    robot.state = state
    assert robot.state == state


def test_only_a_state_can_be_set() -> None:
    robot = everything()
    with pytest.raises(TypeError, match="state: expected a SkeletonState, got SkeletonProperties"):
        robot.state = robot.properties  # type: ignore[assignment]


@pytest.mark.parametrize(
    ("field", "value", "error", "message"),
    [
        ("positions", [1.0], ValueError, r"positions: expected shape \(0,\) \[rad, m\], got \(1,\)"),
        ("external_wrenches", [[1.0] * 5], ValueError, r"external_wrenches: expected shape \(0, 6\)"),
        ("extensions", [1], TypeError, "extensions: expected an ExtensionState, got 1"),
        ("dof_names", ["a", "a"], ValueError, "dof_names: expected different names"),
    ],
)
def test_a_malformed_state_is_refused(field: str, value: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        dataclasses.replace(Skeleton().state, **{field: value})


def test_the_state_of_an_extension_is_of_its_class() -> None:
    robot = everything()
    part = robot.state.extensions[0]
    with pytest.raises(TypeError, match="state of a Grid: expected a Spot, got 5"):
        type(part)("skeleton", Grid, 5)
    with pytest.raises(
        TypeError, match="kind: expected a class that derives from Extension, got <class 'int'>"
    ):
        type(part)("skeleton", int)  # type: ignore[arg-type]


def test_states_are_equal_by_content_hashed_and_pickled() -> None:
    one, other = everything().state, everything().state
    assert one == other and hash(one) == hash(other)
    assert pickle.loads(pickle.dumps(one)) == one
    assert one != everything(seed=1).state


def test_an_empty_skeleton_has_a_state() -> None:
    robot = Skeleton()
    state = robot.state
    robot.state = state
    assert state.positions.shape == (0,) and state.external_wrenches.shape == (0, 6)
