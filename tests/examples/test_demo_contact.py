"""The humanoid of the demo stands under servos and is pushed; a pile falls."""

from __future__ import annotations

import struct
import warnings
from pathlib import Path

import numpy as np
import pytest
from _outcome import Outcome

from examples.demo.humanoid import Humanoid, humanoid_of
from examples.demo.pile import CARPET, falling_pile, show_pile
from examples.demo.pushed import PUSHES, push, servo_world, show_pushes
from examples.demo.robots import example_robots
from kido import ActuatorType, World, gallery
from kido.cli import make_console
from kido.description import RobotDescription
from kido.errors import ModelWarning, RenderError
from kido.io import read

SIZE = (240, 180)


def g1() -> tuple[RobotDescription, Humanoid]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        robot = read(example_robots()[1].file, root="free")
    humanoid = humanoid_of(robot)
    assert humanoid is not None
    return robot, humanoid


def width_of(picture: Path) -> int:
    data = picture.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    width: int = struct.unpack(">I", data[16:20])[0]
    return width


def test_the_g1_stands_a_light_push_and_falls_by_a_strong_one() -> None:
    world, skeleton = servo_world(*g1())
    body = skeleton.body(g1()[1].pushed)
    world.step(1000)
    assert world.support(skeleton).margin > 0.02
    light, _ = push(world, body, PUSHES[0])
    assert not light.falls and 0.05 < light.lean < 0.2
    assert skeleton.com()[2] > 0.5
    strong, leaning = push(world, body, PUSHES[1])
    assert strong.falls and strong.lean > 1.0
    assert leaning is not skeleton


def test_what_fell_goes_limp_and_lies_on_the_ground() -> None:
    robot, humanoid = g1()
    world, skeleton = servo_world(robot, humanoid)
    push(world, skeleton.body(humanoid.pushed), PUSHES[1])
    moved = [joint for joint in skeleton.joints if joint.num_dofs == 1]
    assert all(joint.actuator is ActuatorType.PASSIVE for joint in moved)
    assert skeleton.com()[2] < 0.12
    assert world.contact_wrench(skeleton)[5] == pytest.approx(9.81 * skeleton.mass, rel=0.02)
    assert min(skeleton.body(hand).com()[2] for hand in humanoid.hands) > 0.0


@pytest.mark.nightly
def test_the_g1_of_the_demo_stands_for_a_minute_without_drift() -> None:
    world, skeleton = servo_world(*g1())
    world.step(2_000)
    settled = skeleton.positions
    world.step(60_000)
    assert np.abs(skeleton.positions - settled).max() < 1e-3


def test_the_push_is_drawn_and_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    robot, humanoid = g1()
    picture = tmp_path / "pushed.png"
    shown = show_pushes(make_console(), robot, humanoid, picture, seconds=0.1, size=SIZE)
    assert shown == [picture] and width_of(picture) == 3 * SIZE[0]
    printed = Outcome(0, capsys.readouterr().out)
    weight = 9.81 * sum(link.inertia.mass for link in robot.links if link.inertia is not None)
    assert f"push of {PUSHES[0]:g} N s" in printed.text and "falls" in printed.text
    carried = float(next(w for w in printed.row("contacts") if "." in w))
    assert carried == pytest.approx(weight, rel=0.2)


def test_a_pile_falls_and_rests_on_the_ground(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "pile.png"
    shown = show_pile(make_console(), picture, np.random.default_rng(7), count=20, size=SIZE)
    assert shown == [picture] and width_of(picture) == 3 * SIZE[0]
    assert "A pile of 20 bodies" in capsys.readouterr().out
    bodies = falling_pile(20, np.random.default_rng(7))
    world = World([gallery.ground(surface=CARPET), *bodies])
    world.step(4000)
    heights = np.array([body.com()[2] for body in bodies])
    assert (heights > 0.03).all() and (heights < 0.5).all()
    assert max(contact.depth for contact in world.contacts) < 1e-3
    assert max(np.linalg.norm(body.com_linear_velocity()) for body in bodies) < 0.1


def test_bodies_of_a_pile_begin_apart() -> None:
    bodies = falling_pile(90, np.random.default_rng(7))
    world = World(bodies)
    world.step()
    assert all(contact.depth < 0.0 for contact in world.contacts)


def test_a_machine_that_cannot_draw_still_has_the_numbers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise RenderError("no OpenGL here")

    monkeypatch.setattr("examples.demo.scene.render", refuse)
    nothing = tmp_path / "pile.png"
    assert show_pile(make_console(), nothing, np.random.default_rng(7), count=9, size=SIZE) == []
    assert not nothing.exists()
    printed = capsys.readouterr().out
    assert "picture left out: no OpenGL here" in printed and "fall and rest" in printed
