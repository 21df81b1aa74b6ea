"""Degrees and JSON of all commands that report something."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from _outcome import Outcome

import kido as library

Run = Callable[..., Outcome]

ARM = "examples/arm.urdf"
TARGET = ("--body", "tool", "--target", "0.45", "-0.1", "0.5", "0", "0.7071", "0", "0.7071")


def told(outcome: Outcome) -> dict:
    assert outcome.code == 0, outcome.text
    return json.loads(outcome.text)


def test_limits_are_shown_in_degrees(kido: Run) -> None:
    robot = library.load(ARM)
    line = next(line for line in kido("info", ARM, "--deg").text.splitlines() if line.startswith("elbow"))
    assert line.split()[3:6] == ["-148.969", "148.969", "deg"]
    for degrees in (False, True):
        options = ("--deg",) if degrees else ()
        found = told(kido("info", ARM, "--json", *options))
        (arm,) = found["robots"]
        limits = {joint["name"]: joint for joint in arm["joints"]}["elbow"]
        scale = math.degrees(1.0) if degrees else 1.0
        assert limits["upper"] == pytest.approx([scale * robot.dof("elbow").position_upper_limit])
        assert limits["velocity"] == pytest.approx([scale * robot.dof("elbow").velocity_upper_limit])
        assert limits["effort"] == [60.0]
        assert found["angles"] == ("deg" if degrees else "rad")


def test_sliding_joints_stay_in_metres(kido: Run, tmp_path: Path) -> None:
    library.save(library.gallery.gripper(), tmp_path / "gripper.urdf")
    found = kido("info", tmp_path / "gripper.urdf", "--deg")
    line = next(line for line in found.text.splitlines() if line.startswith("left_slide"))
    assert line.split()[3:6] == ["0", "0.04", "m"]


def test_a_solution_in_degrees_is_that_in_radians(kido: Run) -> None:
    start = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
    radians = told(kido("ik", ARM, *TARGET, "--json", "--from", *map(repr, start)))
    degrees = told(
        kido("ik", ARM, *TARGET, "--json", "--deg", "--from", *(repr(math.degrees(q)) for q in start))
    )
    assert radians["reached"] and degrees["reached"]
    for first, second in zip(radians["positions"], degrees["positions"], strict=True):
        assert (first["unit"], second["unit"]) == ("rad", "deg")
        for name in ("value", "lower", "upper"):
            if first[name] is None:
                assert second[name] is None
            else:
                assert second[name] == pytest.approx(math.degrees(first[name]), abs=1e-9)
    robot = library.load(ARM)
    robot.positions = {one["dof"]: one["value"] for one in radians["positions"]}
    np.testing.assert_allclose(robot.body("tool").transform()[:3, 3], (0.45, -0.1, 0.5), atol=1e-6)
    assert radians["seconds"] > 0.0
    assert "seconds" not in told(kido("ik", ARM, *TARGET, "--json", "--no-time"))


def test_all_solutions_and_proofs_are_told_in_json(kido: Run) -> None:
    found = told(kido("ik", ARM, *TARGET, "--all", "--json", "--deg"))
    assert len(found["solutions"]) == 8
    assert sum(one["within_limits"] for one in found["solutions"]) == 4
    robot = library.load(ARM)
    for one in found["solutions"]:
        robot.positions = {q["dof"]: math.radians(q["value"]) for q in one["positions"]}
        np.testing.assert_allclose(robot.body("tool").transform()[:3, 3], (0.45, -0.1, 0.5), atol=1e-6)
    far = kido("ik", ARM, "--body", "tool", "--target", "2", "0", "0", "--prove", "--json")
    assert far.code == 1
    verdict = json.loads(far.text)
    assert verdict["proved_infeasible"] and not verdict["reached"]
    assert verdict["proved_distance"] > 0.5


def test_a_path_is_told_in_json(kido: Run, tmp_path: Path) -> None:
    poses = tmp_path / "poses.txt"
    poses.write_text("0.45 -0.1 0.5\n0.45 0.0 0.5\n0.45 0.1 0.5\n")
    found = told(kido("ik", ARM, "--body", "tool", "--path", poses, "--json", "--deg"))
    assert found["reached"] == [True] * 3
    assert found["units"] == ["deg"] * 6
    assert np.shape(found["positions"]) == (3, 6)
    assert np.abs(np.diff(found["positions"], axis=0)).max() > 1.0


def test_jumps_are_judged_in_the_unit_of_angles(kido: Run, tmp_path: Path) -> None:
    poses = tmp_path / "poses.txt"
    poses.write_text("0.45 -0.1 0.5\n0.45 0.1 0.5\n")
    options = ("ik", ARM, "--body", "tool", "--path", poses)
    assert kido(*options, "--largest-change", "40", "--deg").code == 0
    assert kido(*options, "--largest-change", "1", "--deg").code == 1
    assert kido(*options, "--largest-change", "0.7").code == 0


def test_a_simulation_is_summed_up_in_json_and_degrees(kido: Run, tmp_path: Path) -> None:
    options = ("simulate", ARM, "--time", "0.2")
    radians, degrees = (told(kido(*options, "--json", *unit)) for unit in ((), ("--deg",)))
    np.testing.assert_allclose(degrees["velocities"], np.degrees(radians["velocities"]))
    assert degrees["units"] == ["deg"] * 6
    robot = library.load(ARM)
    world = library.World(robot)
    world.step(200)
    np.testing.assert_allclose(radians["positions"], robot.positions, atol=1e-9)
    assert radians["energy_after"] == pytest.approx(world.energy)
    assert radians["recorded"] is None
    text = kido(*options, "--deg", "--no-time").text
    largest = np.abs(degrees["velocities"]).max()
    assert f"largest velocity  {largest:.3g} at the end [deg/s, m/s]" in text


def test_what_is_written_is_told_in_json(kido: Run, tmp_path: Path) -> None:
    picture, recording, plot = (tmp_path / name for name in ("a.png", "run.h5", "plot.png"))
    found = told(kido("render", ARM, "-o", picture, "--size", "80x60", "--json"))
    assert found == {"written": str(picture), "size": "80 x 60 pixels", "warnings": []}
    assert told(kido("simulate", ARM, "--time", "0.1", "--record", recording, "--json"))["recorded"]
    assert told(kido("plot", recording, "positions", "-o", plot, "--json")) == {"written": str(plot)}
    assert plot.exists()


def test_rounding_is_printed_as_zero(kido: Run) -> None:
    for options in (
        TARGET,
        (*TARGET, "--deg"),
        (*TARGET, "--prove"),
        (*TARGET, "--from", *["1e-17", "0", "0", "0", "0", "0"]),
    ):
        assert "e-1" not in kido("ik", ARM, *options, "--no-time").text
