"""Summaries of skeletons and trees: the tables of `kido info` as data, plain text and HTML."""

from __future__ import annotations

import pickle
import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import kido
from kido.cli import app
from kido.tree import Summary

ARM = "examples/arm.urdf"
BROKEN = "<script>alert('1')</script>"


def lines(summary: Summary, title: str) -> dict[str, list[str]]:
    """The rows of one table as words, by their first name."""
    table = next(table for table in summary.tables if table.title == title)
    return {row[table.header.index("joint")]: list(row) for row in table.texts()}


def chain_of(count: int) -> kido.Skeleton:
    robot, body = kido.Skeleton("chain"), None
    for i in range(count):
        body = robot.add_body(f"link{i}", body, kido.RevoluteJoint(f"turn{i}"))
    return robot


def test_the_summary_of_a_skeleton_is_what_kido_info_prints() -> None:
    printed = CliRunner().invoke(app, ["info", ARM]).output.strip()
    assert str(kido.load(ARM).summary()) == re.sub(r"\nfile .*", "", printed)


def test_a_summary_has_types_limits_units_and_masses_as_they_are_now() -> None:
    robot = kido.load(ARM)
    robot.joint("lift").position_upper_limits = 0.25
    robot.body("hand").mass = 1.0 / 3.0
    robot.body("tool").change_parent_joint_type(kido.PrismaticJoint)
    summary = robot.summary()
    joints = lines(summary, "Joints")
    assert joints["lift"] == ["lift", "revolute", "1", "-1.9", "0.25", "rad", "2.5", "120"]
    assert joints["tool_mount"] == ["tool_mount", "prismatic", "6", "-inf", "inf", "m", "inf", "inf"]
    assert lines(summary, "Bodies")["twist"] == ["6", "hand", "wrist_pitch", "twist", "0.333333", "hand"]
    bodies = summary.tables[0]
    assert bodies.rows[6][bodies.header.index("mass [kg]")] == 1.0 / 3.0
    assert dict(summary.pairs)["degrees of freedom"] == "7"
    assert dict(summary.pairs)["total mass"] == f"{robot.mass:.6g} kg"


def test_a_summary_is_a_value_that_stays_as_it_was() -> None:
    robot = kido.load(ARM)
    before = robot.summary()
    text = str(before)
    assert robot.summary() == before == pickle.loads(pickle.dumps(before))
    assert robot.clone().summary() == before
    robot.body("hand").mass = 7.0
    assert robot.summary() != before
    assert str(before) == text


def test_a_tree_has_the_summary_of_its_skeleton() -> None:
    robot = kido.load(ARM)
    assert robot.tree.summary() == robot.summary() == kido.load_tree(ARM).summary()


def test_diagnostics_and_mimics_stand_in_the_summary(tmp_path: Path) -> None:
    file = tmp_path / "odd.urdf"
    joint = '<joint name="{0}" type="revolute"><parent link="{1}"/><child link="{2}"/>{3}<axis xyz="0 0 1"/>'
    limit = '<limit lower="-1" upper="1" velocity="1" effort="1"/></joint>'
    bad = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="5" ixy="0" ixz="0" iyz="0"/></inertial>'
    mimic = '<mimic joint="first" multiplier="-2" offset="0.5"/>'
    file.write_text(
        f'<robot name="odd"><link name="a"/><link name="b">{bad}</link><link name="c"/>'
        + joint.format("first", "a", "b", "")
        + limit
        + joint.format("second", "b", "c", mimic)
        + limit
        + "</robot>"
    )
    with pytest.warns(kido.errors.ModelWarning):
        robot = kido.load(file)
    summary = robot.summary()
    assert lines(summary, "Joints")["second"][-1] == "-2 first +0.5"
    assert summary.tables[-1].title == "Warnings"
    assert "triangle inequality" in str(summary) and "triangle inequality" in robot._repr_html_()
    assert dict(summary.pairs)["warnings"] == str(len(robot.diagnostics)) != "0"


def test_html_shows_names_and_does_not_run_them() -> None:
    robot = kido.Skeleton(BROKEN)
    robot.add_body(BROKEN, joint=kido.RevoluteJoint(BROKEN))
    for shown in (robot._repr_html_(), robot.tree._repr_html_(), robot.summary()._repr_html_()):
        assert "<script" not in shown
        assert shown.count("&lt;script&gt;alert(&#x27;1&#x27;)&lt;/script&gt;") >= 4


def test_long_tables_show_their_beginning_and_end_and_say_how_much_is_between() -> None:
    robot = chain_of(1000)
    summary = robot.summary()
    for text in (str(summary), summary._repr_html_()):
        assert text.count("... 960 more ...") == 2
        assert "turn0" in text and "turn34" in text and "turn995" in text and "turn999" in text
        assert "turn35" not in text and "turn994" not in text
        assert len(text) < 30_000
    assert len(summary.tables[0].rows) == 1000
    shown = str(chain_of(40).summary())
    assert "more" not in shown and "turn20" in shown


def test_long_names_and_line_breaks_keep_to_one_line() -> None:
    robot = kido.Skeleton("odd")
    robot.add_body("a\nb\t" + "x" * 100_000)
    text = str(robot.summary())
    assert len(text) < 5000
    assert "a b " + "x" * 113 + "..." in text


def test_trees_on_the_world_beyond_the_third_are_counted() -> None:
    robot = kido.Skeleton("many")
    for i in range(5):
        robot.add_body(f"box{i}", joint=kido.FreeJoint())
    assert dict(robot.summary().pairs)["root"] == "box0 (free), box1 (free), box2 (free), 2 more"
    assert dict(kido.Skeleton("none").summary().pairs)["root"] == "none"
    assert "<td" in kido.Skeleton("none")._repr_html_()


def test_user_joints_are_named_as_such() -> None:
    class Lift(kido.UserJoint):
        num_dofs = 1

        def transform_of(self, q: np.ndarray) -> np.ndarray:
            raise AssertionError("a summary asks for no motion")

        jacobian_of = transform_of

        def jacobian_derivative_of(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
            return self.transform_of(q)

    robot = kido.Skeleton("lift")
    robot.add_body("table", joint=Lift("lift"))
    assert lines(robot.summary(), "Joints")["lift"][:3] == ["lift", "user", "0"]


def test_warnings_that_differ_by_names_stand_in_one_line(tmp_path: Path) -> None:
    file = tmp_path / "noted.urdf"
    joints = "".join(
        f'<joint name="j{i}" type="continuous"><parent link="l{i}"/><child link="l{i + 1}"/>'
        f'<axis xyz="0 0 1"/><dynamics D="{i}"/></joint>\n'
        for i in range(4)
    )
    links = "".join(f'<link name="l{i}"/>' for i in range(5))
    file.write_text(f'<robot name="noted">{links}\n{joints}<gazebo/><gazebo/></robot>')
    robot = kido.load(file)
    assert len(robot.diagnostics) >= 6
    shown = [row[:3] for row in robot.summary().tables[-1].rows if row[0] == "ignored"]
    assert sorted(shown) == [("ignored", "", 6), ("ignored", "", 6), ("ignored", "j0 and 3 more", 2)]
