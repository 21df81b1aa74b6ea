"""Bodies, joints, frames and offsets as arguments."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from _methods import METHODS, Method
from _random_trees import Robot, every_joint

import kido
from kido.errors import UnknownNameError


def last_of_each(key: str) -> list[Method]:
    return list({method.name: method for method in METHODS if key in method.options}.values())


def ask(method: Method, robot: Robot, **changed: Any) -> Any:
    arrays = method.arguments(robot)
    return Method(method.name, method.arrays, {**method.options, **changed})(robot.tree, *arrays)


of_part = pytest.mark.parametrize(
    ("method", "key"), [(method, key) for key in ("body", "joint") for method in last_of_each(key)], ids=str
)
of_frame = pytest.mark.parametrize("method", last_of_each("frame"), ids=str)
of_offset = pytest.mark.parametrize("method", last_of_each("offset"), ids=str)


@pytest.fixture(scope="module")
def robot() -> Robot:
    return every_joint()


@of_part
def test_name_and_index_are_the_same_question(method: Method, key: str, robot: Robot) -> None:
    names = robot.tree.body_names if key == "body" else robot.tree.joint_names
    q = method.arguments(robot)
    for index in (0, 7, len(names) - 1):
        ways: list[Any] = [index, names[index], np.int64(index), np.uint8(index)]
        results = [
            Method(method.name, method.arrays, {**method.options, key: way})(robot.tree, *q) for way in ways
        ]
        assert all((result == results[0]).all() for result in results)


@of_part
def test_unknown_names_offer_the_nearest_and_name_the_robot(method: Method, key: str, robot: Robot) -> None:
    message = f"no {key} named '{key}1x' in 'random'; did you mean '{key}1'"
    with pytest.raises(UnknownNameError, match=re.escape(message)):
        ask(method, robot, **{key: f"{key}1x"})
    with pytest.raises(KeyError):
        ask(method, robot, **{key: ""})


@of_part
@pytest.mark.parametrize("index", [-1, 10**6, 10**30, -(10**30)])
def test_indices_that_do_not_exist(method: Method, key: str, index: int, robot: Robot) -> None:
    last = robot.tree.num_bodies - 1
    with pytest.raises(IndexError, match=f"^{key}: expected an index from 0 to {last}, got "):
        ask(method, robot, **{key: index})


@of_part
@pytest.mark.parametrize("value", [True, 1.0, None, b"body0", ["body0"], np.array([0, 1])])
def test_what_is_neither_name_nor_index(method: Method, key: str, value: object, robot: Robot) -> None:
    with pytest.raises(TypeError, match=f"^{key}: expected a name or an index, got "):
        ask(method, robot, **{key: value})


@of_frame
@pytest.mark.parametrize("value", ["", "World", "local", 0, None, b"world"])
def test_frames_that_do_not_exist(method: Method, value: object, robot: Robot) -> None:
    message = f"frame: expected 'world', 'body' or 'spatial', got {value!r}"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        ask(method, robot, frame=value)


@of_frame
def test_body_is_the_frame_where_none_is_given_and_aligned_says_world(method: Method, robot: Robot) -> None:
    q = method.arguments(robot)
    options = {key: value for key, value in method.options.items() if key != "frame"}
    without = Method(method.name, method.arrays, options)(robot.tree, *q)
    body, world, aligned = (
        Method(method.name, method.arrays, {**options, "frame": frame})(robot.tree, *q)
        for frame in ("body", "world", "aligned")
    )
    assert (body == without).all()
    assert (world == aligned).all()


@of_offset
@pytest.mark.parametrize("value", [(0.0, 0.0), np.zeros((1, 3)), 1.0, np.zeros(4)])
def test_offsets_of_wrong_shape(method: Method, value: object, robot: Robot) -> None:
    message = f"offset: expected shape (3,) [m], got {np.shape(value)}"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        ask(method, robot, offset=value)


@of_offset
@pytest.mark.parametrize("value", [(0.0, 0.0, np.nan), (np.inf, 0.0, 0.0)])
def test_offsets_that_are_not_finite(method: Method, value: object, robot: Robot) -> None:
    with pytest.raises(ValueError, match=r"^offset: expected finite numbers"):
        ask(method, robot, offset=value)


@of_offset
@pytest.mark.parametrize("value", ["abc", (None, "a", 1.0), np.zeros(3, complex), len])
def test_offsets_that_are_not_numbers(method: Method, value: object, robot: Robot) -> None:
    with pytest.raises(TypeError, match=r"^offset: expected "):
        ask(method, robot, offset=value)


@of_offset
def test_no_offset_is_the_origin_of_the_body(method: Method, robot: Robot) -> None:
    q = method.arguments(robot)
    origin, none, ints = (
        Method(method.name, method.arrays, {**method.options, "offset": offset})(robot.tree, *q)
        for offset in ((0.0, 0.0, 0.0), None, [0, 0, 0])
    )
    assert (origin == none).all() and (origin == ints).all()


@pytest.mark.parametrize("dt", [np.nan, np.inf, -np.inf])
def test_a_time_that_is_not_finite(dt: float, robot: Robot) -> None:
    with pytest.raises(ValueError, match=r"^dt: expected a finite number \[s\]"):
        robot.tree.integrate(robot.positions(), robot.motion(), dt)


@pytest.mark.parametrize("dt", ["1", None, [1.0, 2.0], 1j])
def test_a_time_that_is_no_number(dt: object, robot: Robot) -> None:
    with pytest.raises(TypeError, match="dt"):
        robot.tree.integrate(robot.positions(), robot.motion(), dt)  # type: ignore[arg-type]


@pytest.mark.parametrize("ask", ["body_index", "joint_index", "dof_index", "joint_dofs"])
def test_indices_by_name(ask: str, robot: Robot) -> None:
    with pytest.raises(UnknownNameError, match=r"no \w+ named 'elbow' in 'random'; valid names: "):
        getattr(robot.tree, ask)("elbow")
    tree = robot.tree
    assert [tree.body_index(name) for name in tree.body_names] == list(range(tree.num_bodies))
    assert [tree.joint_index(name) for name in tree.joint_names] == list(range(tree.num_bodies))
    assert [tree.dof_index(name) for name in tree.dof_names] == list(range(tree.num_dofs))


def test_positions_by_name(robot: Robot) -> None:
    tree = robot.tree
    name = tree.dof_names[4]
    q = tree.positions({name: 0.25})
    assert q[4] == 0.25 and np.count_nonzero(q) == 1
    with pytest.raises(UnknownNameError, match=r"no dof named 'nodof' in 'random'"):
        tree.positions({"nodof": 1.0})
    for value in (np.nan, np.inf):
        with pytest.raises(ValueError, match=name):
            tree.positions({name: value})


def test_where_there_are_no_bodies_no_index_is_expected() -> None:
    with pytest.raises(IndexError, match=r"^body: expected none, for there are none, got 0$"):
        kido.Skeleton("nothing").tree.transform(np.zeros(0), 0)


def test_more_leading_axes_than_there_can_be_are_counted() -> None:
    tree = kido.gallery.arm7().tree
    with pytest.raises(ValueError, match=r"^q: expected at most 29 leading axes, got 31$"):
        tree.mass_matrix(np.zeros((*(1,) * 31, 7)))
