"""`kido ik --path`: poses of a file, one after the other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from _outcome import Outcome

from kido import load
from kido.math import matrix_to_quaternion

Run = Callable[..., Outcome]

ARM = Path(__file__).parents[2] / "examples" / "arm.urdf"
START = (0.2, 0.6, -0.3, 1.2, 0.4, 0.8)


def poses(count: int, along: tuple[float, float, float] = (0.0, 0.2, -0.1)) -> np.ndarray:
    robot = load(ARM)
    robot.positions = START
    T = robot.body("tool").transform()
    rows = np.empty((count, 7))
    rows[:, :3] = T[:3, 3] + np.linspace(0.0, 1.0, count)[:, None] * along
    rows[:, 3:] = matrix_to_quaternion(T[:3, :3])
    return rows


def write(file: Path, rows: np.ndarray, header: str = "") -> Path:
    lines = [" ".join(map(repr, row)) for row in rows.tolist()]
    file.write_text("\n".join([header, *lines]) + "\n")
    return file


def test_joint_positions_through_poses_are_written(kido: Run, tmp_path: Path) -> None:
    rows = poses(25)
    file = write(tmp_path / "poses.csv", rows, "x y z qx qy qz qw\n# a line\n")
    out = tmp_path / "joints.csv"
    start = ["--from", *map(str, START)]
    outcome = kido("ik", str(ARM), "--body", "tool", "--path", str(file), "-o", str(out), *start)
    assert outcome.code == 0, outcome.text
    assert "25 of 25" in outcome.text
    assert "all 25 poses reached without a jump" in outcome.text
    names, *lines = out.read_text().splitlines()
    robot = load(ARM)
    assert names.split(",") == [dof.name for dof in robot.dofs]
    positions = np.array([line.split(",") for line in lines], dtype=float)
    np.testing.assert_allclose(positions[0], START, atol=1e-5)
    for q, row in zip(positions, rows, strict=True):
        robot.positions = q
        T = robot.body("tool").transform()
        np.testing.assert_allclose(T[:3, 3], row[:3], atol=2e-6)
        np.testing.assert_allclose(abs(matrix_to_quaternion(T[:3, :3]) @ row[3:]), 1.0, atol=1e-9)


def test_positions_alone_leave_the_rotation_free_and_what_is_missed_is_told(
    kido: Run, tmp_path: Path
) -> None:
    file = write(tmp_path / "poses.txt", poses(12, (1.5, 0.0, 0.0))[:, :3])
    outcome = kido("ik", str(ARM), "--body", "tool", "--path", str(file))
    assert outcome.code == 1
    assert "poses not reached, the first at" in outcome.text
    near = write(tmp_path / "near.txt", poses(12, (0.0, 0.1, -0.1))[:, :3])
    start = ["--from", *map(str, START)]
    assert kido("ik", str(ARM), "--body", "tool", "--path", str(near), *start).code == 0
    jumps = kido("ik", str(ARM), "--body", "tool", "--path", str(near), "--largest-change", "0.001", *start)
    assert jumps.code == 1
    assert "no connection found" in jumps.text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected poses, got none"),
        ("0 0 0\n1 2\n", r"poses.csv:2: expected 3 numbers, as before, got 2 numbers"),
        ("0 0 0\n1 x 2\n", "poses.csv:2: expected finite numbers, got 'x'"),
        ("0 0 0 0 0 0 0\n", "poses.csv:1: expected a quaternion, got one of length 0"),
        ("nan 0 0\n", "poses.csv:1: expected finite numbers, got 'nan'"),
    ],
)
def test_wrong_lines_are_named(kido: Run, tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "poses.csv"
    file.write_text(text)
    out = tmp_path / "joints.csv"
    outcome = kido("ik", str(ARM), "--body", "tool", "--path", str(file), "-o", str(out))
    assert outcome.code == 2
    assert message in outcome.text
    assert not out.exists()


def test_options_that_do_not_go_together(kido: Run, tmp_path: Path) -> None:
    file = write(tmp_path / "poses.csv", poses(2))
    arm = ("ik", str(ARM), "--body", "tool")
    for more, option in (
        (("--all",), "--all"),
        (("--prove",), "--prove"),
        (("--target", "1", "0", "0"), "--target"),
    ):
        outcome = kido(*arm, "--path", str(file), *more)
        assert (outcome.code, f"{option}: expected either {option} or --path" in outcome.text) == (2, True)
    assert "--target: expected a target, or --path" in kido(*arm).text
    assert "--output: expected with --path only" in kido(*arm, "--target", "1", "0", "0", "-o", "x.csv").text
    assert kido(*arm, "--path", str(tmp_path / "none.csv")).code == 2
