"""`kido render`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from _outcome import Outcome
from PIL import Image

import kido as package

Run = Callable[..., Outcome]

ARM = Path(__file__).parents[2] / "examples" / "arm.urdf"
SIZE = "160x120"


def pixels(path: Path) -> np.ndarray:
    return np.asarray(Image.open(path))


def test_a_picture_of_a_model_file_is_that_of_the_library(kido: Run, tmp_path: Path) -> None:
    path = tmp_path / "arm.png"
    shown = kido("render", ARM, "-o", path, "--size", SIZE)
    assert shown.code == 0 and shown.text == f"written  {path}\nsize     160 x 120 pixels\n"
    np.testing.assert_array_equal(pixels(path), package.render(package.load(ARM), size=(160, 120)))


def test_options_are_those_of_the_library(kido: Run, tmp_path: Path) -> None:
    path = tmp_path / "arm.png"
    options = ["--position", "lift=30", "--position", "turn=-20", "--deg", "--frame", "all", "--sticks"]
    camera = ["--azimuth", 80, "--elevation", 10, "--zoom", 1.2, "--no-ground", "--background", "#204060"]
    assert kido("render", ARM, "-o", path, "--size", SIZE, *options, *camera).code == 0
    arm = package.load(ARM)
    arm.positions = {"lift": np.radians(30), "turn": np.radians(-20)}
    orbit = package.view.Orbit(80, 10, 1.2)
    expected = package.render(
        arm,
        size=(160, 120),
        frames=True,
        sticks=True,
        camera=orbit,
        ground=False,
        background="#204060",
    )
    np.testing.assert_array_equal(pixels(path), expected)


def test_a_film_simulates_the_file(kido: Run, tmp_path: Path) -> None:
    path = tmp_path / "arm.gif"
    shown = kido("render", ARM, "-o", path, "--size", SIZE, "--time", 0.3, "--position", "lift=1")
    assert shown.code == 0 and "11 frames, 33.333 a second" in shown.text
    with Image.open(path) as film:
        assert film.n_frames == 11
        first = np.asarray(film.convert("RGB")).astype(int)
        film.seek(10)
        assert (np.abs(np.asarray(film.convert("RGB")) - first).max(axis=-1) > 60).sum() > 50


def test_one_robot_of_a_file_with_several_is_drawn(kido: Run, tmp_path: Path) -> None:
    file = tmp_path / "room.json"
    world = package.World([package.gallery.box(name="crate"), package.gallery.ball(name="ball")])
    world.skeleton("ball").positions = [0, 0, 0, 3.0, 0, 0]
    package.save(world, file)
    for robot in ("crate", "ball"):
        kido("render", file, "-o", tmp_path / f"{robot}.png", "--robot", robot, "--size", SIZE)
        alone = package.render(world.skeleton(robot), size=(160, 120))
        np.testing.assert_array_equal(pixels(tmp_path / f"{robot}.png"), alone)
    kido("render", file, "-o", tmp_path / "all.png", "--size", SIZE)
    assert not np.array_equal(pixels(tmp_path / "all.png"), alone)


def test_a_recording_is_drawn_as_it_stood_or_replayed(kido: Run, tmp_path: Path) -> None:
    world = package.World([package.gallery.box((0.2, 0.2, 0.2), name="crate")])
    with package.record(world, tmp_path / "run.h5", rate=50.0):
        world.step(400)
    file, early, late = (tmp_path / name for name in ("run.h5", "early.png", "late.png"))
    assert kido("render", file, "-o", early, "--at", 0.1, "--size", SIZE).code == 0
    assert kido("render", file, "-o", late, "--size", SIZE).code == 0
    recording = package.load_recording(file)
    np.testing.assert_array_equal(pixels(early), package.render(recording.at(0.1), size=(160, 120)))
    np.testing.assert_array_equal(pixels(late), package.render(recording, size=(160, 120)))
    shown = kido("render", file, "-o", tmp_path / "run.gif", "--size", SIZE)
    assert "14 frames" in shown.text  # of 0.03 s
    shown = kido("render", file, "-o", tmp_path / "run.gif", "--size", SIZE, "--time", 0.1)
    assert "4 frames" in shown.text
    assert "--at: expected none for a film" in kido("render", file, "-o", "a.gif", "--at", 1).text


def test_meshes_that_are_missing_are_told(kido: Run, tmp_path: Path) -> None:
    path = tmp_path / "lost.urdf"
    visual = '<visual><geometry><mesh filename="package://gone/lost.stl"/></geometry></visual>'
    path.write_text(f'<robot name="lost"><link name="base">{visual}</link></robot>')
    shown = kido("render", path, "-o", tmp_path / "lost.png", "--size", SIZE)
    assert shown.code == 0 and "lost.stl" in shown.text and shown.text.count("warning: ") == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-o", "arm.bmp"], "path: expected a name that ends in .png, .mp4 or .gif, got 'arm.bmp'"),
        (["-o", "arm.mp4"], "--time: expected how long the film simulates [s], got none"),
        (["-o", "arm.png", "--time", 2], "--time: expected none for a picture, got 2"),
        (["-o", "arm.png", "--at", 2], "--at: expected none but for a recording, got 2"),
        (["-o", "arm.png", "--size", "big"], "--size: expected WIDTHxHEIGHT [pixel], got 'big'"),
        (["-o", "arm.png", "--camera", "below"], "camera: expected 'iso', 'front'"),
        (["-o", "arm.png", "--camera", "top", "--zoom", 2], "--camera: expected none beside --azimuth"),
        (["-o", "arm.png", "--position", "lif=1"], "no dof named 'lif' in 'arm'; did you mean 'lift'"),
        (["-o", "arm.png", "--position", "lift=x"], "--position: expected DOF=NUMBER, got 'lift=x'"),
        (["-o", "arm.png", "--frame", "palm"], "no body named 'palm' in 'arm'"),
        (["-o", "arm.png", "--show", "colour"], "show: expected one of visual, collision"),
        (["-o", "/no/such/arm.png"], "path: there is no folder '/no/such'"),
        (["-o", "arm.mp4", "--time", 1, "--robot", "arm"], "--robot: expected none for a film"),
    ],
)
def test_what_makes_no_sense_is_one_line(kido: Run, options: list, message: str) -> None:
    shown = kido("render", ARM, *options)
    assert shown.code == 1
    assert shown.text.startswith("error: ") and message in shown.text and shown.text.count("\n") == 1


def test_a_missing_file_is_named(kido: Run, tmp_path: Path) -> None:
    shown = kido("render", tmp_path / "none.urdf", "-o", tmp_path / "none.png")
    assert shown.code == 1 and "none.urdf" in shown.text
    assert not (tmp_path / "none.png").exists()
