"""Numbers of some dofs as a value."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from _valued_skeletons import everything

import kido
from kido.errors import UnknownNameError
from kido.skeleton import Skeleton, SkeletonConfiguration

pytestmark = pytest.mark.filterwarnings("ignore::kido.errors.NoEffectWarning")

PARTS = ("positions", "velocities", "accelerations", "forces", "commands")


def arm() -> Skeleton:
    """Three revolute joints about z, each body 1 m along x of the one before."""
    robot = Skeleton("arm")
    body = None
    for i, name in enumerate("abc"):
        joint = kido.RevoluteJoint(name, T_parent_joint=(float(i > 0), 0.0, 0.0))
        body = robot.add_body(f"link_{name}", body, joint)
    for factor, part in enumerate(PARTS, 1):
        setattr(robot, part, np.array([0.1, 0.2, 0.3]) * factor)
    return robot


def numbers(robot: Skeleton) -> dict[str, list[float]]:
    return {part: getattr(robot, part).tolist() for part in PARTS}


def test_a_configuration_holds_the_numbers_of_all_dofs() -> None:
    robot = everything()
    taken = robot.configuration()
    assert taken.dof_names == tuple(dof.name for dof in robot.dofs)
    for part in PARTS:
        assert getattr(taken, part).tolist() == getattr(robot, part).tolist()


def test_dofs_are_chosen_by_name_or_index_and_stand_in_the_order_of_the_choice() -> None:
    taken = arm().configuration(["c", 0])
    assert taken.dof_names == ("c", "a")
    assert taken.velocities.tolist() == [0.6, 0.2]


def test_parts_that_are_not_wanted_are_none() -> None:
    taken = arm().configuration(velocities=False, forces=False)
    assert taken.velocities is None and taken.forces is None
    assert taken.commands.tolist() == [0.5, 1.0, 1.5]


def test_a_configuration_does_not_follow_the_skeleton_and_cannot_be_written() -> None:
    robot = arm()
    taken = robot.configuration()
    robot.positions = [7.0, 8.0, 9.0]
    assert taken.positions.tolist() == [0.1, 0.2, 0.3]
    with pytest.raises(ValueError, match="read-only"):
        taken.positions[0] = 1.0


def test_setting_gives_back_all_that_was_taken() -> None:
    robot = everything()
    before = robot.configuration()
    robot.positions = 0.5 * robot.positions
    robot.velocities = np.zeros(robot.num_dofs)
    robot.forces = np.zeros(robot.num_dofs)
    assert robot.configuration() != before
    robot.set_configuration(before)
    assert robot.configuration() == before


def test_answers_follow_a_configuration_that_was_set() -> None:
    robot = arm()
    tip = robot.body("link_c")
    tip.transform()
    robot.set_configuration(SkeletonConfiguration(["b", "a"], positions=[np.pi / 2, 0.0]))
    assert np.allclose(tip.transform()[:3, 3], [1.0, 1.0, 0.0], atol=1e-15)


def test_numbers_go_to_the_dofs_of_the_same_names_wherever_they_stand() -> None:
    robot, other = arm(), Skeleton("other")
    for name in "cba":
        other.add_body(f"link_{name}", joint=kido.RevoluteJoint(name))
    other.set_configuration(robot.configuration())
    assert other.positions.tolist() == robot.positions.tolist()[::-1]


def test_what_a_configuration_does_not_name_stays() -> None:
    robot = arm()
    before = numbers(robot)
    robot.set_configuration(SkeletonConfiguration(["b"], velocities=[9.0]))
    before["velocities"][1] = 9.0
    assert numbers(robot) == before


def test_forces_command_the_named_dofs_that_are_driven_by_forces_and_no_others() -> None:
    robot = arm()
    robot.joint("b").actuator = "servo"
    robot.set_configuration(SkeletonConfiguration(["a", "b"], forces=[5.0, 6.0]))
    assert robot.forces.tolist()[:2] == [5.0, 6.0]
    assert robot.commands.tolist() == [5.0, 1.0, 1.5]


def test_commands_stand_beside_other_forces() -> None:
    robot = arm()
    robot.set_configuration(SkeletonConfiguration(["a"], forces=[5.0], commands=[-1.0]))
    assert (robot.forces[0], robot.commands[0]) == (5.0, -1.0)


def test_an_unknown_dof_is_refused_before_anything_changes() -> None:
    robot = arm()
    before = numbers(robot)
    with pytest.raises(UnknownNameError, match="no dof named 'd' in 'arm'"):
        robot.set_configuration(SkeletonConfiguration(["a", "d"], positions=[1.0, 2.0]))
    assert numbers(robot) == before


def test_commands_of_a_joint_that_takes_none_are_refused_before_anything_changes() -> None:
    robot = arm()
    taken = robot.configuration()
    robot.joint("b").actuator = "passive"
    robot.positions = [1.0, 2.0, 3.0]
    before = numbers(robot)
    with pytest.raises(ValueError, match="commands: 'b' takes none"):
        robot.set_configuration(taken)
    assert numbers(robot) == before


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"positions": [1.0]}, ValueError, r"positions: expected shape \(2,\) \[rad, m\], got \(1,\)"),
        ({"velocities": [1.0, np.nan]}, ValueError, "velocities: expected finite numbers"),
        ({"forces": "ab"}, TypeError, "forces: expected numbers"),
        ({"dof_names": ["a", "a"]}, ValueError, "dof_names: expected different names"),
        ({"dof_names": "ab"}, TypeError, "dof_names: expected several names, got 'ab'"),
        ({"dof_names": [1, 2]}, TypeError, "dof_names: expected a string, got 1"),
    ],
)
def test_a_malformed_configuration_is_refused(
    arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        SkeletonConfiguration(**{"dof_names": ["a", "b"], **arguments})


def test_dofs_that_are_not_there_cannot_be_asked_for() -> None:
    robot = arm()
    with pytest.raises(UnknownNameError, match="no dof named 'd'"):
        robot.configuration(["d"])
    with pytest.raises(IndexError, match="dof: expected an index from 0 to 2, got 3"):
        robot.configuration([3])
    with pytest.raises(TypeError, match="dofs: expected names or indices, got 'abc'"):
        robot.configuration("abc")
    with pytest.raises(TypeError, match="configuration: expected a SkeletonConfiguration, got list"):
        robot.set_configuration([1.0, 2.0, 3.0])  # type: ignore[arg-type]


def test_configurations_are_equal_by_content_hashed_and_pickled() -> None:
    one, other = arm().configuration(), arm().configuration()
    assert one == other and hash(one) == hash(other)
    assert pickle.loads(pickle.dumps(one)) == one
    assert one != arm().configuration(forces=False)
    assert one != arm().configuration(["a", "b"])
