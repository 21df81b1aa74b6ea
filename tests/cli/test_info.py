from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from _outcome import Outcome

from _urdf import joint, link
from kido.io import read
from kido.tree import describe_summary

Run = Callable[..., Outcome]
Write = Callable[..., Path]

LIMIT = '<limit lower="-1.25" upper="2.5" velocity="3.5" effort="40"/>'
ARM = (
    link("base", 5.0)
    + link("upper", 2.0)
    + link("plate", 0.5)
    + link("lower", 1.25)
    + joint("shoulder", "revolute", "base", "upper", LIMIT)
    + joint("glue", "fixed", "upper", "plate")
    + joint("wheel", "continuous", "plate", "lower")
)


def test_bodies_have_parent_joint_mass_and_the_body_they_move_with(kido: Run, write_urdf: Write) -> None:
    shown = kido("info", write_urdf(ARM))
    assert shown.code == 0
    assert shown.row("base", "Bodies") == ["0", "base", "world", "root_joint", "5", "world"]
    assert shown.row("plate", "Bodies") == ["2", "plate", "upper", "glue", "0.5", "upper"]
    assert shown.row("lower", "Bodies\n") == ["3", "lower", "plate", "wheel", "1.25", "lower"]


def test_joints_have_type_dof_and_limits_of_position_velocity_effort(kido: Run, write_urdf: Write) -> None:
    shown = kido("info", write_urdf(ARM))
    assert shown.row("shoulder", "Joints") == [
        "shoulder",
        "revolute",
        "0",
        "-1.25",
        "2.5",
        "rad",
        "3.5",
        "40",
    ]
    assert shown.row("wheel", "Joints") == ["wheel", "revolute", "1", "-inf", "inf", "rad", "inf", "inf"]
    assert shown.row("glue", "Joints") == ["glue", "weld"]


def test_total_mass_counts_the_fixed_root_too(kido: Run, write_urdf: Write) -> None:
    shown = kido("info", write_urdf(ARM))
    assert shown.row("mass") == ["total", "mass", "8.75", "kg"]
    assert shown.row("freedom")[-1] == "2"


def test_a_free_root_adds_six_degrees_of_freedom(kido: Run, write_urdf: Write) -> None:
    shown = kido("info", write_urdf(ARM), "--root", "free")
    assert shown.row("freedom")[-1] == "8"
    assert shown.row("root_joint", "Joints")[:3] == ["root_joint", "free", "0-5"]
    assert shown.row("shoulder", "Joints")[2] == "6"


def test_a_mimic_joint_says_what_it_follows(kido: Run, write_urdf: Write) -> None:
    mimic = LIMIT + '<mimic joint="shoulder" multiplier="-2" offset="0.5"/>'
    shown = kido("info", write_urdf(ARM + link("end") + joint("twin", "revolute", "lower", "end", mimic)))
    assert shown.row("twin", "Joints")[-3:] == ["-2", "shoulder", "+0.5"]


def test_inertia_that_no_body_can_have_is_named_with_its_line(kido: Run, write_urdf: Write) -> None:
    shown = kido(
        "info",
        write_urdf(
            link("base") + "\n" + link("odd", 1.0, (1.0, 1.0, 5.0)) + joint("j", "fixed", "base", "odd")
        ),
    )
    assert shown.row("odd", "Warnings")[:3] == ["inertia", "odd", "2"]
    assert "triangle inequality" in shown.text


def test_a_missing_mesh_is_named_until_its_package_is_given(
    kido: Run, write_urdf: Write, tmp_path: Path
) -> None:
    visual = '<visual><geometry><mesh filename="package://shapes/nose.stl"/></geometry></visual>'
    file = write_urdf(f'<link name="head">{visual}</link>')
    assert "file not found: package://shapes/nose.stl" in kido("info", file).text
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "nose.stl").touch()
    (tmp_path / "all" / "shapes").mkdir(parents=True)
    (tmp_path / "all" / "shapes" / "nose.stl").touch()
    for told in (f"shapes={folder}", str(tmp_path / "all")):
        found = kido("info", file, "--package", told)
        assert found.code == 0
        assert "not found" not in found.text
    both = kido("info", file, "--package", f"shapes={folder}", "--package", str(tmp_path))
    assert (both.code, "got both" in both.text) == (2, True)


def test_a_file_is_called_as_it_is_and_not_as_the_one_that_it_was_made_of(
    kido: Run, write_urdf: Write, tmp_path: Path
) -> None:
    kido("convert", write_urdf(ARM, name="original"), tmp_path / "copy.json")
    shown = kido("info", tmp_path / "copy.json").text
    assert "copy.json" in shown
    assert "original.urdf" not in shown


def test_long_and_odd_names_come_out_whole(kido: Run, write_urdf: Write) -> None:
    name = "very_" * 60 + "long"
    shown = kido(
        "info", write_urdf(link("[bold]base") + link(name) + joint(":smile:", "fixed", "[bold]base", name))
    )
    assert shown.row(name, "Bodies") == ["1", name, "[bold]base", ":smile:", "1", "world"]


def test_output_to_a_pipe_is_plain_text_without_trailing_blanks(kido: Run, write_urdf: Write) -> None:
    text = kido("info", write_urdf(ARM)).text
    assert "\x1b" not in text
    assert text.isascii()
    assert all(line == line.rstrip() for line in text.splitlines())


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("broken.urdf", "<robot name='r'><link name='a'>", "broken.urdf:1"),
        ("twice.urdf", "<robot name='r'><link name='a'/><link name='a'/></robot>", "unique names"),
        ("arm.xacro", "<robot name='r'/>", "xacro"),
        ("arm.step", "", "expected a file with suffix .urdf"),
    ],
)
def test_a_wrong_file_is_one_line_and_exit_code_1(
    kido: Run, tmp_path: Path, name: str, content: str, said: str
) -> None:
    (tmp_path / name).write_text(content)
    shown = kido("info", tmp_path / name)
    assert shown.code == 1
    assert shown.text.startswith("error: ")
    assert said in shown.text
    assert len(shown.text.splitlines()) == 1


def test_a_missing_file_is_named(kido: Run, tmp_path: Path) -> None:
    shown = kido("info", tmp_path / "nowhere.urdf")
    assert shown.code == 1
    assert shown.text == f"error: {tmp_path / 'nowhere.urdf'}: No such file or directory\n"


@pytest.mark.parametrize("package", ["shapes", "=folder", "shapes=", "shapes=/nowhere/at/all"])
def test_a_wrong_package_option_is_a_usage_error(kido: Run, write_urdf: Write, package: str) -> None:
    shown = kido("info", write_urdf(ARM), "--package", package)
    assert shown.code == 2
    assert "--package: expected" in " ".join(shown.text.replace("│", " ").split())


def test_errors_go_to_standard_error_and_no_traceback_is_shown(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "kido", "info", str(tmp_path / "nowhere.urdf")]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert run.stdout == ""
    assert run.stderr.startswith("error: ")
    assert "Traceback" not in run.stderr


def test_tables_are_data_whose_numbers_are_not_rounded(write_urdf: Write) -> None:
    third = '<limit lower="-0.3333333333333333" upper="2.5" velocity="3.5" effort="40"/>'
    parts = link("base", 5.0) + link("upper", 0.1 + 0.2) + joint("turn", "revolute", "base", "upper", third)
    bodies, joints = describe_summary(read(write_urdf(parts))).tables
    assert bodies.rows[1] == (1, "upper", "base", "turn", 0.1 + 0.2, "upper")
    assert joints.rows[1] == ("turn", "revolute", 0, -1.0 / 3.0, 2.5, "rad", 3.5, 40.0)
    assert set(joints.numbers) < set(joints.header)
    assert list(joints.texts())[1] == ("turn", "revolute", "0", "-0.333333", "2.5", "rad", "3.5", "40")
