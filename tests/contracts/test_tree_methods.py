"""Contract of the public methods of Tree: documented arguments, and errors that name what is wrong."""

from __future__ import annotations

import inspect
import re

import numpy as np
import pytest
from _looped import looped
from _methods import METHODS, NOT_NUMBERS, PLAIN_METHODS, SHAPES, UNITS, Method
from _random_trees import Robot, every_joint

import kido

NAMED = ("body_index", "joint_index", "dof_index", "joint_dofs")
OTHERS = {"summary", *NAMED, "positions", "random_positions", "from_description"}
"""Methods that take no arrays."""

every_method = looped("method", PLAIN_METHODS)


@pytest.fixture
def robot() -> Robot:
    return every_joint()


def public_methods() -> set[str]:
    return {
        name for name in dir(kido.Tree) if not name.startswith("_") and callable(getattr(kido.Tree, name))
    }


def section(doc: str, title: str) -> str:
    match = re.search(rf"^{title}:\n((?:[ \t]+.*\n?|\n)+)", inspect.cleandoc(doc) + "\n", re.M)
    return match.group(1) if match else ""


def test_every_public_method_is_known_to_these_tests() -> None:
    assert public_methods() == {method.name for method in METHODS} | OTHERS


@every_method
def test_docstring_has_every_argument_with_shape_and_unit(method: Method) -> None:
    doc = getattr(kido.Tree, method.name).__doc__
    arguments = section(doc, "Args")
    for name in method.arrays:
        entry = re.search(rf"^\s+{name}: (.*(?:\n\s{{6,}}.*)*)", arguments, re.M)
        assert entry is not None, name
        assert "(..., num_" in entry.group(1), name
        assert "[" in entry.group(1).replace("(...", ""), name
    for name in (*method.options, "out"):
        assert re.search(rf"^\s+{name}: ", arguments, re.M), name


@every_method
def test_docstring_says_what_comes_back_and_what_is_raised(method: Method) -> None:
    doc = getattr(kido.Tree, method.name).__doc__
    returns = section(doc, "Returns")
    assert "(..." in returns
    assert re.search(r"\[[^\]]+\]", returns)
    raises = section(doc, "Raises")
    assert "ValueError" in raises and "TypeError" in raises
    assert ("UnknownNameError" in raises) == ("body" in method.options or "joint" in method.options)


@every_method
def test_signature_has_the_documented_arguments_and_keyword_only_out(method: Method) -> None:
    text = getattr(kido.Tree, method.name).__nb_signature__[0][0]
    names = re.findall(r"(\w+): ", text)
    assert names[: len(method.arrays)] == [name for name in names if name in SHAPES][: len(method.arrays)]
    assert "*" in text.split("out:")[0] and names[-1] == "out"


@every_method
@pytest.mark.parametrize("change", [-1, 1])
def test_wrong_size_is_named_with_expected_shape_unit_and_what_came(
    method: Method, change: int, robot: Robot
) -> None:
    arrays = method.arguments(robot)
    for index, name in enumerate(method.arrays):
        wrong = list(arrays)
        shape = SHAPES[name](robot.tree)
        wrong[index] = np.zeros((shape[0] + change, *shape[1:]))
        expected = ", ".join(str(extent) for extent in shape)
        message = f"{name}: expected shape (..., {expected}) {UNITS[name]}, got {wrong[index].shape}"
        with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
            method(robot.tree, *wrong)


@every_method
def test_a_number_is_no_array(method: Method, robot: Robot) -> None:
    arrays = method.arguments(robot)
    for index, name in enumerate(method.arrays):
        wrong = list(arrays)
        wrong[index] = 0.0
        with pytest.raises(ValueError, match=rf"^{name}: expected shape .*, got \(\)$"):
            method(robot.tree, *wrong)


@every_method
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite_are_named_with_their_index(
    method: Method, value: float, robot: Robot
) -> None:
    for leading in ((), (3,), (2, 2)):
        arrays = method.arguments(robot, leading)
        for index, name in enumerate(method.arrays):
            wrong = [array.copy() for array in arrays]
            place = tuple(extent - 1 for extent in wrong[index].shape)
            wrong[index][place] = value
            where = ", ".join(map(str, place))
            message = f"{name}: expected finite numbers, got {value} at [{where}]"
            with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
                method(robot.tree, *wrong)


@every_method
@looped("position", range(40))
def test_a_nan_is_seen_wherever_it_stands(method: Method, position: int, robot: Robot) -> None:
    arrays = method.arguments(robot)
    flat = arrays[0].reshape(-1)
    flat[position] = np.nan
    with pytest.raises(ValueError, match=rf"^{method.arrays[0]}: .* got nan at \[{position}\]"):
        method(robot.tree, *arrays)


@every_method
@pytest.mark.parametrize("value", NOT_NUMBERS.values(), ids=NOT_NUMBERS)
def test_what_are_not_numbers_is_a_type_error_that_names_the_argument(
    method: Method, value: object, robot: Robot
) -> None:
    arrays = method.arguments(robot)
    for index, name in enumerate(method.arrays):
        wrong: list[object] = list(arrays)
        wrong[index] = value
        if name == "wrenches" and value is None:
            continue
        with pytest.raises(TypeError, match=rf"^{name}: expected numbers of shape"):
            method(robot.tree, *wrong)


@every_method
def test_leading_shapes_that_do_not_broadcast_are_named(method: Method, robot: Robot) -> None:
    if len(method.arrays) == 1:
        return
    arrays = method.arguments(robot, (2,))
    arrays[-1] = method.arguments(robot, (3,))[-1]
    message = rf"^{method.arrays[-1]}: leading shape \(3,\) does not broadcast .* \(2,\)"
    with pytest.raises(ValueError, match=message):
        method(robot.tree, *arrays)
