from __future__ import annotations

import struct
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from importlib import metadata
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from _outcome import Outcome

from _urdf import joint, link
from examples.demo.__main__ import main
from examples.demo.arm_ik import show_arm_ik
from examples.demo.gravity import middle_positions, positions_within
from examples.demo.show import DemoSettings, run_demo
from examples.demo.tour import show_tour
from examples.demo.workspace import sample_workspace
from kido import Tree, load_tree
from kido.cli import make_console
from kido.errors import RenderError
from kido.io import read_urdf_string
from kido.tour import SCENES

ROOT = Path(__file__).parents[2]
ARM = ROOT / "examples" / "arm.urdf"
ABOUT_Y = '<axis xyz="0 1 0"/>'
LIMIT = '<limit lower="-1" upper="2" velocity="1" effort="50"/>'
ABOVE = '<origin xyz="0 0 0.5"/>'
PLANAR = (
    *map(link, ("base", "upper", "lower", "tip")),
    joint("shoulder", "continuous", "base", "upper", ABOUT_Y),
    joint("elbow", "revolute", "upper", "lower", ABOVE + ABOUT_Y + LIMIT),
    joint("nail", "fixed", "lower", "tip", ABOVE),
)
QUICK = DemoSettings(samples=500, targets=300, seconds=0.05, stands=0.1, pile=9, size=(320, 240))
MOVES = "moves, every joint at a random speed"
PICTURES = ("robot", "edited", "workspace", "inverse_kinematics", "energy", "angles")


def demo(*arguments: str | Path, settings: DemoSettings = QUICK) -> Outcome:
    """Output of the demo's command on arguments, and its exit code."""
    printed = StringIO()
    with redirect_stdout(printed), redirect_stderr(printed):
        try:
            main([str(argument) for argument in arguments], settings)
        except SystemExit as end:
            if isinstance(end.code, int):
                return Outcome(end.code, printed.getvalue())
            return Outcome(1, f"{printed.getvalue()}{end.code}\n")
    return Outcome(0, printed.getvalue())


def write(folder: Path, inside: str, name: str = "test") -> Path:
    """A URDF file of what stands inside <robot>."""
    path = folder / f"{name}.urdf"
    path.write_text(f'<robot name="{name}">{inside}</robot>')
    return path


def png_size(path: Path) -> tuple[int, int]:
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", data[16:24])
    return width, height


def planar_arm() -> Tree:
    return Tree.from_description(read_urdf_string(f'<robot name="arm">{"".join(PLANAR)}</robot>'))


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> tuple[Outcome, Path]:
    """Output of the demo on a planar arm, and the folder of its pictures."""
    folder = tmp_path_factory.mktemp("demo")
    output = folder / "deep" / "demo"
    return demo("--robot", write(folder, "".join(PLANAR), "arm"), "--output", output), output


def test_the_demo_of_a_file_writes_six_pictures(shown: tuple[Outcome, Path]) -> None:
    outcome, output = shown
    assert outcome.code == 0
    expected = [output / f"arm_{what}.png" for what in PICTURES]
    assert outcome.text.splitlines()[-6:] == list(map(str, expected))
    assert all(min(png_size(picture)) > 200 for picture in expected)


def test_the_demo_of_a_file_prints_torques(shown: tuple[Outcome, Path]) -> None:
    torque = shown[0].row("elbow", "Gravity compensation")
    assert torque[:2] == ["elbow", "1.000"]
    assert float(torque[2]) == pytest.approx(-9.81 * 0.5 * np.sin(1.0), abs=1e-3)
    assert torque[3] == "8.3%"


def test_the_demo_of_a_file_asks_frames(shown: tuple[Outcome, Path]) -> None:
    position = list(map(float, shown[0].row("position", MOVES)[2:5]))
    assert position == pytest.approx([0.5 * np.sin(0.5), 0.0, 0.5 + 0.5 * np.cos(0.5)], abs=1e-3)
    velocity = list(map(float, shown[0].row("velocity", MOVES)[2:5]))
    assert velocity[1] == 0.0 and velocity[0] != 0.0  # it moves in a plane


def test_the_demo_of_a_file_edits_the_robot(shown: tuple[Outcome, Path]) -> None:
    edits = shown[0].text.split("Edits of arm")[1]
    assert "as it was                   4 bodies, 2 degrees of freedom" in edits
    assert "7 bodies, 4 degrees of freedom" in edits
    assert "its first body is named upper(1)" in edits


def test_the_hand_of_a_file_is_put_at_poses_along_a_route_and_at_random_ones(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    robot = read_urdf_string(f'<robot name="arm">{"".join(PLANAR)}</robot>')
    picture = tmp_path / "reached.png"
    assert show_arm_ik(make_console(), robot, "tip", picture, np.random.default_rng(1), 300) == [picture]
    assert min(png_size(picture)) > 200
    printed = Outcome(0, capsys.readouterr().out)
    elbow = 0.5 + 1.5 * 0.17  # the middle of its range, and a part of the way to its limit [rad]
    place = [0.5 * np.sin(elbow), 0.0, 0.5 + 0.5 * np.cos(elbow)]
    assert list(map(float, printed.row("3")[1:4])) == pytest.approx(place, abs=1e-3)
    assert printed.row("way")[3:6] == ["97", "of", "97"]
    assert printed.row("batch")[2:5] == ["300", "of", "300"]


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

    monkeypatch.setattr("examples.demo.scene.render", refuse)
    robot = read_urdf_string(f'<robot name="arm">{"".join(PLANAR)}</robot>')
    nothing = tmp_path / "nothing.png"
    assert show_arm_ik(make_console(), robot, "tip", nothing, np.random.default_rng(1), 300) == []
    shown = capsys.readouterr().out
    assert "97 of 97 poses reached" in shown
    assert "picture left out: no OpenGL here" in shown


def test_a_machine_that_cannot_draw_still_says_how_to_open_the_tour(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise RenderError("no OpenGL here")

    monkeypatch.setattr("examples.demo.tour.draw_scene", refuse)
    assert show_tour(make_console(), tmp_path, (320, 240)) == []
    shown = capsys.readouterr().out
    assert "pictures left out: no OpenGL here" in shown
    assert "kido demo" in shown


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


def test_a_robot_that_cannot_move_is_an_error_of_one_line(tmp_path: Path) -> None:
    file = str(write(tmp_path, link("stone")))
    command = [sys.executable, "-m", "examples.demo", "--robot", file, "--output", str(tmp_path)]
    stone = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)  # as `make demo`
    assert (stone.returncode, stone.stdout) == (1, "")
    assert stone.stderr == "error: robot 'test': expected a robot that can move, got 0 degrees of freedom\n"


def test_an_unknown_body_is_an_error_that_names_near_ones(tmp_path: Path) -> None:
    file = write(tmp_path, "".join(PLANAR))
    unknown = demo("--robot", file, "--output", tmp_path, "--body", "lowr")
    assert unknown.code == 1
    assert "did you mean 'lower'" in unknown.text


def test_root_and_body_belong_to_a_robot_file() -> None:
    assert demo("--root", "free").code == 2
    assert demo("--body", "hand").code == 2


def test_missing_example_robots_are_named_with_the_command_that_installs_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def missing(name: str) -> None:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr("examples.demo.robots.files", missing)
    nothing = demo("--output", tmp_path)
    assert nothing.code == 1
    assert "'example-robot-data'" in nothing.text
    assert "kido[demo]" in nothing.text


def test_missing_matplotlib_is_named_before_anything_is_computed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    nothing = demo("--robot", write(tmp_path, "".join(PLANAR)), "--output", tmp_path / "out")
    assert nothing.code == 1
    assert nothing.text.startswith("error: the demo needs 'matplotlib'")
    assert "kido[demo]" in nothing.text
    assert not (tmp_path / "out").exists()


def test_a_package_needs_a_name_and_a_folder(tmp_path: Path) -> None:
    file = write(tmp_path, "".join(PLANAR))
    for package in ("arm", f"={tmp_path}", f"arm={tmp_path / 'missing'}"):
        refused = demo("--robot", file, "--output", tmp_path / "out", "--package", package)
        assert refused.code == 2
        assert f"got {package!r}" in refused.text


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


def test_torques_are_shown_where_an_arm_does_not_hold_itself() -> None:
    arm = load_tree(ARM)
    share = positions_within(arm, 2.0 / 3.0)
    both = np.isfinite(arm.lower_limits) & np.isfinite(arm.upper_limits)
    expected = (arm.lower_limits[both] + 2.0 * arm.upper_limits[both]) / 3.0
    np.testing.assert_allclose(share[both], expected, atol=1e-12)
    assert np.abs(arm.gravity_forces(share)).max() > 10.0
    assert np.abs(arm.gravity_forces(middle_positions(arm))).max() < 1.0  # it stands upright


def test_the_middle_of_the_range_is_zero_where_there_is_no_range() -> None:
    np.testing.assert_array_equal(middle_positions(planar_arm()), [0.0, 0.5])


def test_the_demo_without_a_file_shows_an_arm_and_a_floating_humanoid(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    settings = DemoSettings(2_000, 1_000, seconds=0.2, stands=2.0, pile=30, size=(320, 240))
    both = demo("--output", tmp_path, settings=settings)
    assert both.code == 0, both.text
    humanoids = [f"g1_29dof_rev_1_0_{what}.png" for what in ("pushed", "pile")]
    assert {path.name for path in tmp_path.iterdir()} == {
        *(f"{robot}_{what}.png" for robot in ("panda", "g1_29dof_rev_1_0") for what in PICTURES),
        *humanoids,
        "soft_grasp.png",
        "soft_soles.png",
        "tour",
    }
    end = both.text.split("The tour, ")[1]
    for scene in SCENES:
        assert png_size(tmp_path / "tour" / f"{scene.name}.png") == settings.size
        assert f"{scene.name}.png: {scene.title}" in end
    opened = end.splitlines()[-1].split()
    assert [*opened[:2], *opened[3:]] == [
        *("open", "it", "-m", "kido", "demo,", "then", "http://localhost:8080")
    ]
    assert (ROOT / opened[2]).samefile(sys.executable)
    swings = both.text.split("Free swing of ")[1:]
    assert "swings under gravity" in swings[0]
    assert "floats without gravity" in swings[1]
    assert f"{settings.samples}, uniform within the joint limits" in both.text
    arm, humanoid = (
        "Inverse kinematics of panda_hand_tcp",
        "Whole-body inverse kinematics of g1_29dof_rev_1_0",
    )
    assert both.row("way", arm)[3:6] == ["97", "of", "97"]
    reached, of, asked = both.row("batch", arm)[2:5]
    assert (of, reached) == ("of", asked)
    assert 200 <= int(asked) <= settings.targets  # as many as take about a second
    tasks = ("left_sole", "balance", "right_palm", "eye", "posture")
    assert [both.row(name, humanoid)[0] for name in tasks] == ["0", "0", "1", "2", "3"]
    assert both.row("way", humanoid)[3:] == [
        "150",
        "of",
        "150",
        "poses",
        "reached:",
        "reach,",
        "lift,",
        "turn",
    ]
    inside = both.row("inside", humanoid)
    assert float(inside[inside.index("mm") - 1]) > 80.0
