from __future__ import annotations

import warnings
from importlib.metadata import files
from pathlib import Path

import pytest

from _urdf import joint, link
from examples.demo.end_body import chain_to, end_body
from kido.description import RobotDescription
from kido.errors import ModelWarning, UnknownNameError
from kido.io import read_urdf, read_urdf_string


def robot(*parts: str) -> RobotDescription:
    return read_urdf_string(f'<robot name="r">{"".join(parts)}</robot>')


TURN = '<limit lower="-1" upper="1" velocity="1" effort="1"/>'


def test_the_leaf_that_most_joints_move_is_the_hand() -> None:
    limbs = robot(
        *map(link, ("trunk", "head", "arm", "hand")),
        joint("neck", "revolute", "trunk", "head", TURN),
        joint("shoulder", "revolute", "trunk", "arm", TURN),
        joint("wrist", "revolute", "arm", "hand", TURN),
    )
    assert end_body(limbs) == "hand"


def test_a_tool_frame_goes_before_the_fingers_of_a_coupled_gripper() -> None:
    gripper = robot(
        *map(link, ("base", "palm", "left", "right", "tip", "tcp")),
        joint("wrist", "revolute", "base", "palm", TURN),
        joint("open", "revolute", "palm", "left", TURN),
        joint("follow", "revolute", "palm", "right", TURN + '<mimic joint="open"/>'),
        joint("nail", "fixed", "left", "tip"),
        joint("mount", "fixed", "palm", "tcp"),
    )
    assert end_body(gripper) == "tcp"


@pytest.mark.parametrize(
    ("name", "hand"),
    [
        ("panda.urdf", "panda_hand_tcp"),
        ("g1_29dof_rev_1_0.urdf", "left_rubber_hand"),
        ("ur5_robot.urdf", "ee_link"),
        ("anymal_c_simple_description/urdf/anymal.urdf", "LF_FOOT"),
    ],
)
def test_the_hand_of_real_robots_is_found(name: str, hand: str) -> None:
    file = next(f for f in files("example-robot-data") or () if f.as_posix().endswith(f"/{name}"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        description = read_urdf(Path(str(file.locate())))
    assert end_body(description) == hand


def test_the_chain_runs_from_the_body_to_the_world() -> None:
    stick = robot(link("a"), link("b"), joint("ab", "fixed", "a", "b"))
    assert [part.name for part in chain_to(stick, "b")] == ["ab", "root_joint"]
    with pytest.raises(UnknownNameError, match="no link named 'c'"):
        chain_to(stick, "c")


def test_a_robot_without_bodies_has_no_hand() -> None:
    with pytest.raises(ValueError, match="at least one body"):
        end_body(RobotDescription("nothing", [], []))
