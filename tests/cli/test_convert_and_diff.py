"""`kido convert` and `kido diff`, and what `kido info` says of whole scenes."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from _outcome import Outcome

from _urdf import joint, link
from kido import description as d
from kido import save
from kido.shape import Box

Run = Callable[..., Outcome]
Write = Callable[..., Path]

ARM = (
    link("base", 5.0)
    + link("upper", 2.0)
    + joint("elbow", "revolute", "base", "upper", '<limit lower="-1" upper="2" velocity="3" effort="4"/>')
)


@pytest.fixture
def room(tmp_path: Path) -> Path:
    """A file with two robots, a crate, a weld and a state."""
    arm = d.RobotDescription(
        "arm",
        [d.LinkDescription("upper", d.Inertia(2.0, moment=np.eye(3)))],
        [d.JointDescription("elbow", "revolute", None, "upper", axes=(0, 1, 0), line=7)],
    )
    crate = d.LinkDescription(
        "crate", d.Inertia(3.0, moment=np.eye(3)), collisions=[d.ShapePlacement("solid", Box((1, 1, 1)))]
    )
    scene = d.SceneDescription(
        "room",
        [d.RobotPlacement(arm, "left"), d.RobotPlacement(arm, "right")],
        [d.ObjectPlacement(crate)],
        time_step=0.002,
        options={"iterations": 50},
        constraints=[
            d.ClosureDescription(
                "grip", "weld", d.Attachment("left", "upper"), d.Attachment("crate", "crate")
            )
        ],
        states=[d.NamedState("home")],
        initial_state="home",
    )
    save(scene, tmp_path / "room.json")
    return tmp_path / "room.json"


def test_info_of_a_scene_lists_what_it_holds_and_what_is_not_honoured(kido: Run, room: Path) -> None:
    shown = kido("info", room)
    assert shown.code == 0
    assert shown.row("robots") == ["robots", "2"]
    assert shown.row("gravity") == ["gravity", "0", "0", "-9.81", "m/s^2"]
    assert shown.row("left", "Robots and objects") == ["left", "robot", "1", "1", "2"]
    assert shown.row("crate", "Robots and objects") == ["crate", "object", "1", "6", "3"]
    assert shown.row("grip", "Constraints") == ["grip", "closure", "left/upper,", "crate/crate"]
    assert shown.row("begins")[-1] == "home"
    assert shown.row("ignored", "Report")[-6:] == ["option", "'iterations':", "50", "is", "not", "honoured"]


def test_info_of_one_robot_of_a_scene_has_its_tables(kido: Run, room: Path) -> None:
    shown = kido("info", room, "--robot", "right")
    assert shown.row("upper", "Bodies") == ["0", "upper", "world", "elbow", "2", "upper"]
    missing = kido("info", room, "--robot", "nobody")
    assert (missing.code, "no robot named 'nobody'" in missing.text) == (1, True)


def test_info_as_json_has_numbers_and_the_report(kido: Run, room: Path) -> None:
    told = json.loads(kido("info", room, "--json").text)
    assert [robot["name"] for robot in told["robots"]] == ["left", "right"]
    assert told["robots"][0]["joints"][0]["lower"] == [None]
    assert told["objects"][0]["mass"] == 3.0
    assert (told["time_step"], told["states"], told["initial_state"]) == (0.002, ["home"], "home")
    assert told["report"]["counts"] == {"ignored": 1}
    assert told["report"]["diagnostics"][0]["subject"] == "iterations"
    alone = json.loads(kido("info", room, "--json", "--robot", "right").text)
    assert [robot["name"] for robot in alone["robots"]] == ["right"]


def test_a_converted_file_does_not_differ(kido: Run, write_urdf: Write, tmp_path: Path) -> None:
    arm, other = write_urdf(ARM, name="arm"), tmp_path / "arm.json"
    assert kido("convert", arm, other).code == 0
    shown = kido("diff", arm, other)
    assert (shown.code, "No differences" in shown.text) == (0, True)


def test_diff_shows_what_differs_and_by_how_much(kido: Run, write_urdf: Write) -> None:
    first = write_urdf(ARM, name="one")
    second = write_urdf(ARM.replace('upper="2"', 'upper="2.5"').replace('"elbow"', '"knee"'), name="two")
    third = write_urdf(ARM.replace('upper="2"', 'upper="2.5"'), name="three")
    shown = kido("diff", first, third)
    assert shown.code == 1
    assert "1 difference\n" in shown.text
    assert "robot 'one': joint 'elbow': limits of upper" in shown.text
    assert shown.row("limits")[-3:] == ["[2.]", "[2.5]", "0.5"]
    assert kido("diff", first, third, "--tolerance", "0.3").code == 0
    told = json.loads(kido("diff", first, second, "--json").text)
    assert [(x["place"], x["first"], x["second"]) for x in told["differences"]] == [
        ("robot 'one': joint 'elbow': name", "'elbow'", "'knee'"),
        ("robot 'one': joint 'elbow': limits of upper", "[2.]", "[2.5]"),
    ]


def test_wrong_files_and_options_end_with_two(kido: Run, write_urdf: Write, tmp_path: Path) -> None:
    arm = write_urdf(ARM)
    for arguments in ((arm, tmp_path / "none.urdf"), (arm, arm, "--tolerance", "-1"), (arm, "a.txt")):
        assert kido("diff", *arguments).code == 2
    shown = kido("convert", arm, tmp_path / "arm.txt")
    assert (shown.code, "expected a file with suffix" in shown.text) == (1, True)
    assert list(tmp_path.glob("arm.txt")) == []


def test_strict_ends_with_one_where_something_is_not_honoured(
    kido: Run, room: Path, write_urdf: Write, tmp_path: Path
) -> None:
    arm = write_urdf(ARM)
    for arguments in (("info", room), ("info", room, "--json"), ("convert", room, tmp_path / "room.xml")):
        assert kido(*arguments).code == 0
        assert kido(*arguments, "--strict").code == 1
    for arguments in (("info", arm), ("convert", arm, tmp_path / "arm.json")):
        assert kido(*arguments, "--strict").code == 0


def test_convert_as_json_tells_what_is_lost_on_both_sides(kido: Run, room: Path, tmp_path: Path) -> None:
    told = json.loads(kido("convert", room, tmp_path / "left.urdf", "--robot", "left", "--json").text)
    assert told["read"] == {"file": str(room), "counts": {}, "diagnostics": []}
    assert told["lost"]["file"] == str(tmp_path / "left.urdf")
    told = json.loads(kido("convert", room, tmp_path / "room.sdf", "--json").text)
    assert told["lost"]["counts"] == {"ignored": len(told["lost"]["diagnostics"])}
    assert {note["subject"] for note in told["lost"]["diagnostics"]} >= {"iterations", "grip"}


@pytest.mark.parametrize("command", ["info", "convert"])
def test_options_of_other_formats_are_named(kido: Run, room: Path, command: str, tmp_path: Path) -> None:
    out = [tmp_path / "out.json"] if command == "convert" else []
    for option, value in (("--root", "free"), ("--package", f"a={tmp_path}")):
        shown = kido(command, room, *out, option, value)
        assert (shown.code, f"{option}: no option for files of this format" in shown.text) == (1, True)


def test_diff_takes_the_root_of_urdf_files(kido: Run, write_urdf: Write, tmp_path: Path) -> None:
    arm, free = write_urdf(ARM), tmp_path / "free.sdf"
    assert kido("convert", arm, free, "--root", "free").code == 0
    assert kido("diff", arm, free).code == 1
    assert kido("diff", arm, free, "--root", "free").code == 0


def test_a_file_is_not_converted_into_itself(kido: Run, write_urdf: Write, tmp_path: Path) -> None:
    arm = write_urdf(ARM + "<!-- what a conversion would lose -->")
    before = arm.read_bytes()
    (tmp_path / "again.urdf").symlink_to(arm)
    for same in (arm, tmp_path / "again.urdf", tmp_path / "." / "test.urdf"):
        shown = kido("convert", arm, same)
        assert (shown.code, "expected another file than the one that is converted" in shown.text) == (1, True)
    assert arm.read_bytes() == before
    assert kido("convert", arm, tmp_path / "other.urdf").code == 0
    assert kido("convert", arm, tmp_path / "other.urdf").code == 0  # one that is there is replaced


def test_outputs_that_cannot_be_written_are_named(kido: Run, write_urdf: Write, tmp_path: Path) -> None:
    arm = write_urdf(ARM)
    (tmp_path / "folder.xml").mkdir()
    os.mkfifo(tmp_path / "pipe.sdf")
    for output, words in (
        ("none/arm.xml", "none/arm.xml: there is no folder"),
        ("folder.xml", "folder.xml: Is a directory"),
        ("pipe.sdf", "pipe.sdf: expected a regular file or none"),
        ("arm", "expected a file with suffix .json, .urdf"),
    ):
        shown = kido("convert", arm, tmp_path / output)
        assert (shown.code, words in shown.text) == (1, True), shown.text
    assert list((tmp_path / "folder.xml").iterdir()) == []


def test_several_robots_are_chosen_from_by_the_option(kido: Run, room: Path, tmp_path: Path) -> None:
    shown = kido("convert", room, tmp_path / "one.urdf")
    assert (shown.code, "--robot 'left' chooses that one" in shown.text) == (1, True)
    assert kido("convert", room, tmp_path / "one.urdf", "--robot", "left").code == 0


def test_what_holds_of_many_parts_is_said_once(kido: Run, write_urdf: Write, tmp_path: Path) -> None:
    limit = '<limit lower="{0}" upper="2" velocity="{0}" effort="4"/>'
    parts = [link(f"l{k}", 1.0) for k in range(9)]
    parts += [joint(f"j{k}", "revolute", f"l{k}", f"l{k + 1}", limit.format(0.1 * k)) for k in range(8)]
    arm = write_urdf("".join(parts))
    shown = kido("convert", arm, tmp_path / "arm.xml")
    lines = [line for line in shown.text.splitlines() if "velocity limit" in line]
    assert len(lines) == 1
    assert "<joint 'j0'>: the velocity limit [0.0] is" in lines[0]
    assert lines[0].endswith("(and 7 more like it: 'j1', 'j2', 'j3', ...)")
    told = json.loads(kido("convert", arm, tmp_path / "arm.xml", "--json").text)
    assert sum("velocity limit" in note["message"] for note in told["lost"]["diagnostics"]) == 8
    assert kido("diff", arm, tmp_path / "arm.xml").text.count("limits of velocity") == 8


def test_a_whole_conversion_passes_strict_though_it_says_things_in_other_words(
    kido: Run, tmp_path: Path
) -> None:
    turns = d.JointDescription("turns", "universal", None, "hand", axes=[(1, 0, 0), (0, 1, 0)])
    hand = d.LinkDescription("hand", d.Inertia(1.0, moment=np.eye(3)))
    save(d.RobotDescription("arm", [hand], [turns]), tmp_path / "arm.json")
    shown = kido("convert", tmp_path / "arm.json", tmp_path / "arm.urdf", "--strict")
    assert (shown.code, shown.row("equivalent")[0]) == (0, "equivalent")
    assert "'turns_1', 'turns_2'" in shown.text
