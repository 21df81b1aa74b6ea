"""Skeletons pickled and copied."""

from __future__ import annotations

import copy
import multiprocessing
import pickle

import numpy as np
import pytest
from _valued_skeletons import Grid, Sensor, answers, assert_same_bits, everything, set_numbers

import kido
from kido.skeleton import Skeleton


class Named(Skeleton):
    """A class of a user's own."""


@pytest.mark.parametrize("user_joint", [False, True])
def test_a_pickled_skeleton_answers_bit_for_bit_like_the_original(user_joint: bool) -> None:
    robot = everything(user_joint=user_joint)
    twin = pickle.loads(pickle.dumps(robot))
    assert type(twin) is Skeleton and twin is not robot
    assert twin.properties == robot.properties and twin.state == robot.state
    assert_same_bits(answers(twin), answers(robot))


@pytest.mark.parametrize("how", [copy.copy, copy.deepcopy])
def test_a_copied_skeleton_is_a_clone(how: object) -> None:
    robot = everything()
    twin = how(robot)  # type: ignore[operator]
    state = robot.state
    assert_same_bits(answers(twin), answers(robot))
    set_numbers(twin, np.random.default_rng(6))
    twin.body("body2").remove()
    assert robot.state == state and robot.has_body("body2")


def test_clones_have_equal_values() -> None:
    robot = everything()
    clone = robot.clone()
    assert clone.properties == robot.properties and clone.state == robot.state


def test_the_class_of_a_skeleton_is_kept() -> None:
    robot = Named("robot")
    robot.add_body("box")
    twin = pickle.loads(pickle.dumps(robot))
    assert type(twin) is Named and twin.body("box").parent_joint.num_dofs == 6


def test_skeletons_go_to_other_processes() -> None:
    robot = kido.Skeleton("arm")
    robot.add_body("link", joint=kido.RevoluteJoint("hinge", (1, 0, 0), positions=[0.5]))
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        transform = pool.apply(_transform_of_first_body, (robot,))
    assert (transform == robot.body("link").transform()).all()


def _transform_of_first_body(robot: Skeleton) -> np.ndarray:
    return robot.bodies[0].transform()


def test_addons_and_nodes_are_pickled_with_what_they_hold() -> None:
    twin = pickle.loads(pickle.dumps(everything()))
    assert twin.addon(Grid).properties.counts == {"size": 0}
    assert twin.node(Sensor, "hand").state.reading == 0.7
    assert twin.end_effector("hand").support.active
