from __future__ import annotations

import struct
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest
from _outcome import Outcome

from _urdf import joint, link
from kido import Tree
from kido.cli._console import make_console
from kido.cli._demo._arm_ik import show_arm_ik
from kido.cli._demo._gravity import middle_positions
from kido.cli._demo._run import DemoSettings, run_demo
from kido.cli._demo._workspace import sample_workspace
from kido.errors import RenderError
from kido.io import read_urdf_string

Run = Callable[..., Outcome]
Write = Callable[..., Path]

ABOUT_Y = '<axis xyz="0 1 0"/>'
LIMIT = '<limit lower="-1" upper="2" velocity="1" effort="50"/>'
ABOVE = '<origin xyz="0 0 0.5"/>'
PLANAR = (
    *map(link, ("base", "upper", "lower", "tip")),
    joint("shoulder", "continuous", "base", "upper", ABOUT_Y),
    joint("elbow", "revolute", "upper", "lower", ABOVE + ABOUT_Y + LIMIT),
    joint("nail", "fixed", "lower", "tip", ABOVE),
)
QUICK = DemoSettings(samples=500, targets=300, seconds=0.05)


def png_size(path: Path) -> tuple[int, int]:
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", data[16:24])
    return width, height


def planar_arm() -> Tree:
    return Tree.from_description(read_urdf_string(f'<robot name="arm">{"".join(PLANAR)}</robot>'))


PICTURES = ("robot", "edited", "workspace", "inverse_kinematics", "energy", "angles")


def test_the_demo_of_a_file_prints_torques_and_writes_six_pictures(
    kido: Run, write_urdf: Write, tmp_path: Path
) -> None:
    output = tmp_path / "deep" / "demo"
    shown = kido("demo", "--robot", write_urdf("".join(PLANAR), "arm"), "--output", output)
    assert shown.code == 0
    expected = [output / f"arm_{what}.png" for what in PICTURES]
    assert shown.text.splitlines()[-6:] == list(map(str, expected))
    assert all(min(png_size(picture)) > 200 for picture in expected)
    torque = shown.row("elbow", "Gravity compensation")
    assert torque[:2] == ["elbow", "0.500"]
    assert float(torque[2]) == pytest.approx(-9.81 * 0.5 * np.sin(0.5), abs=1e-3)
    assert torque[3] == "4.7%"


def test_the_hand_of_a_file_is_put_at_poses_along_a_route_and_at_random_ones(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    robot = read_urdf_string(f'<robot name="arm">{"".join(PLANAR)}</robot>')
    picture = tmp_path / "reached.png"
    assert show_arm_ik(make_console(), robot, "tip", picture, np.random.default_rng(1), 300) == [picture]
    assert min(png_size(picture)) > 200
    shown = Outcome(0, capsys.readouterr().out)
    elbow = 0.5 + 1.5 * 0.17  # the middle of its range, and a part of the way to its limit [rad]
    place = [0.5 * np.sin(elbow), 0.0, 0.5 + 0.5 * np.cos(elbow)]
    assert list(map(float, shown.row("3")[1:4])) == pytest.approx(place, abs=1e-3)
    assert shown.row("way")[3:6] == ["97", "of", "97"]
    assert shown.row("batch")[2:5] == ["300", "of", "300"]


def test_a_body_that_no_joint_moves_has_no_inverse_kinematics(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    robot = read_urdf_string(f'<robot name="arm">{"".join(PLANAR)}</robot>')
    nothing = tmp_path / "nothing.png"
    assert show_arm_ik(make_console(), robot, "base", nothing, np.random.default_rng(1), 300) == []
    assert not nothing.exists()
    assert "left out: no joint moves base" in capsys.readouterr().out


def test_a_machine_that_cannot_draw_still_has_the_numbers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise RenderError("no OpenGL here")

    monkeypatch.setattr("kido.cli._demo._scene.render", refuse)
    robot = read_urdf_string(f'<robot name="arm">{"".join(PLANAR)}</robot>')
    nothing = tmp_path / "nothing.png"
    assert show_arm_ik(make_console(), robot, "tip", nothing, np.random.default_rng(1), 300) == []
    shown = capsys.readouterr().out
    assert "97 of 97 poses reached" in shown
    assert "picture left out: no OpenGL here" in shown


def test_the_demo_of_a_file_asks_frames_and_edits_the_robot(
    kido: Run, write_urdf: Write, tmp_path: Path
) -> None:
    shown = kido("demo", "--robot", write_urdf("".join(PLANAR), "arm"), "--output", tmp_path)
    moves = "moves, every joint at a random speed"
    position = list(map(float, shown.row("position", moves)[2:5]))
    assert position == pytest.approx([0.5 * np.sin(0.5), 0.0, 0.5 + 0.5 * np.cos(0.5)], abs=1e-3)
    velocity = list(map(float, shown.row("velocity", moves)[2:5]))
    assert velocity[1] == 0.0 and velocity[0] != 0.0  # it moves in a plane
    edits = shown.text.split("Edits of arm")[1]
    assert "as it was                   4 bodies, 2 degrees of freedom" in edits
    assert "7 bodies, 4 degrees of freedom" in edits
    assert "its first body is named upper(1)" in edits


@pytest.mark.parametrize("root", ["fixed", "free"])
def test_names_of_pictures_come_from_the_robot_and_stay_in_the_folder(tmp_path: Path, root: str) -> None:
    robot = read_urdf_string(f'<robot name="../my robot">{"".join(PLANAR)}</robot>', root=root)
    pictures = run_demo(make_console(), [(robot, "upper")], tmp_path, QUICK)
    assert {picture.parent for picture in pictures} == {tmp_path}
    assert {picture.name for picture in pictures} == {path.name for path in tmp_path.iterdir()}


def test_a_robot_of_slides_has_a_workspace_and_no_swing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    slides = (("x", "base", "1 0 0"), ("y", "x", "0 1 0"), ("z", "y", "0 0 1"))
    parts = [link("base"), *map(link, "xyz")]
    parts += [joint(f"to_{n}", "prismatic", above, n, f'<axis xyz="{a}"/>{LIMIT}') for n, above, a in slides]
    robot = read_urdf_string(f'<robot name="gantry">{"".join(parts)}</robot>')
    pictures = run_demo(make_console(), [(robot, None)], tmp_path, QUICK)
    assert [picture.name for picture in pictures] == [
        f"gantry_{what}.png" for what in ("robot", "edited", "workspace", "inverse_kinematics")
    ]
    assert "left out: sliding and coupled joints are held" in capsys.readouterr().out


def test_a_robot_that_cannot_move_is_an_error_of_one_line(
    kido: Run, write_urdf: Write, tmp_path: Path
) -> None:
    shown = kido("demo", "--robot", write_urdf(link("stone")), "--output", tmp_path)
    assert shown.code == 1
    assert shown.text == "error: robot 'test': expected a robot that can move, got 0 degrees of freedom\n"


def test_an_unknown_body_is_an_error_that_names_near_ones(
    kido: Run, write_urdf: Write, tmp_path: Path
) -> None:
    file = write_urdf("".join(PLANAR))
    shown = kido("demo", "--robot", file, "--output", tmp_path, "--body", "lowr")
    assert shown.code == 1
    assert "did you mean 'lower'" in shown.text


def test_root_and_body_belong_to_a_robot_file(kido: Run) -> None:
    assert kido("demo", "--root", "free").code == 2
    assert kido("demo", "--body", "hand").code == 2


def test_missing_example_robots_are_named_with_the_command_that_installs_them(
    kido: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def missing(name: str) -> None:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr("kido.cli._demo._robots.files", missing)
    shown = kido("demo", "--output", tmp_path)
    assert shown.code == 1
    assert "'example-robot-data'" in shown.text
    assert "kido[demo]" in shown.text


def test_missing_matplotlib_is_named_before_anything_is_computed(
    kido: Run, write_urdf: Write, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    shown = kido("demo", "--robot", write_urdf("".join(PLANAR)), "--output", tmp_path / "out")
    assert shown.code == 1
    assert shown.text.startswith("error: kido demo needs 'matplotlib'")
    assert "kido[demo]" in shown.text
    assert not (tmp_path / "out").exists()


def test_the_workspace_of_a_planar_arm_is_its_ring() -> None:
    arm = planar_arm()
    space = sample_workspace(arm, "tip", np.random.default_rng(5), 6_000)
    elbow = arm.random_positions(np.random.default_rng(5), 6_000)[:, 1]
    distance = np.linalg.norm(space.points, axis=1)
    np.testing.assert_allclose(space.points[:, 1], 0.0, atol=1e-15)
    np.testing.assert_allclose(distance, np.sqrt(0.5 + 0.5 * np.cos(elbow)), atol=1e-12)
    np.testing.assert_allclose(space.manipulability, 0.0, atol=1e-9)


def test_manipulability_is_the_volume_of_velocities_of_unit_joint_speeds() -> None:
    turns = (("a", "base", "0 0 1", "0 0 0"), ("b", "a", "0 1 0", "0 0 0"), ("c", "b", "0 1 0", "0.5 0 0"))
    parts = [link("base"), *map(link, ("a", "b", "c", "tip"))]
    parts += [
        joint(f"to_{n}", "continuous", above, n, f'<origin xyz="{place}"/><axis xyz="{axis}"/>')
        for n, above, axis, place in turns
    ]
    parts.append(joint("nail", "fixed", "c", "tip", '<origin xyz="0.3 0 0"/>'))
    arm = Tree.from_description(read_urdf_string(f'<robot name="arm">{"".join(parts)}</robot>'))
    space = sample_workspace(arm, "tip", np.random.default_rng(6), 400)
    _, pitch, elbow = arm.random_positions(np.random.default_rng(6), 400).T
    radius = 0.5 * np.cos(pitch) + 0.3 * np.cos(pitch + elbow)
    expected = np.abs(radius * 0.5 * 0.3 * np.sin(elbow))
    np.testing.assert_allclose(space.manipulability, expected, atol=1e-8)


def test_the_middle_of_the_range_is_zero_where_there_is_no_range() -> None:
    np.testing.assert_array_equal(middle_positions(planar_arm()), [0.0, 0.5])


def test_the_demo_without_a_file_shows_an_arm_and_a_floating_humanoid(kido: Run, tmp_path: Path) -> None:
    shown = kido("demo", "--output", tmp_path)
    assert shown.code == 0
    assert {path.name for path in tmp_path.iterdir()} == {
        f"{robot}_{what}.png" for robot in ("panda", "g1_29dof_rev_1_0") for what in PICTURES
    }
    swings = shown.text.split("Free swing of ")[1:]
    assert "swings under gravity" in swings[0]
    assert "floats without gravity" in swings[1]
    assert "100000, uniform within the joint limits" in shown.text
    arm, humanoid = (
        "Inverse kinematics of panda_hand_tcp",
        "Whole-body inverse kinematics of g1_29dof_rev_1_0",
    )
    assert shown.row("way", arm)[3:6] == ["97", "of", "97"]
    assert shown.row("batch", arm)[2:5] == ["10000", "of", "10000"]
    tasks = {
        name: shown.row(name, humanoid)[0]
        for name in ("left_ankle_roll_link", "right_rubber_hand", "d435_link")
    }
    assert list(tasks.values()) == ["0", "1", "2"]
    assert shown.row("outcome", humanoid)[1] == "solved,"
