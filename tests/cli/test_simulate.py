from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from _outcome import Outcome

import kido as package
from _robots import robot_files
from _urdf import joint, link

Run = Callable[..., Outcome]
Write = Callable[..., Path]

ARM = Path(__file__).parents[2] / "examples" / "arm.urdf"
G1 = "g1_description/urdf/g1_29dof_rev_1_0.urdf"
BOX = '<collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision>'
MOMENTS = '<inertia ixx="0.02" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/>'
INERTIA = f'<inertial><mass value="2"/>{MOMENTS}</inertial>'
CRATE = f'<link name="crate">{INERTIA}{BOX}</link>'
PENDULUM = (
    link("base", 1.0)
    + link("bob", 2.0)
    + joint("pivot", "continuous", "base", "bob", '<axis xyz="0 1 0"/><dynamics damping="0"/>')
)


def number(shown: Outcome, name: str, index: int = 0) -> float:
    """A number of a line of the result."""
    line = next(line for line in shown.text.splitlines() if line.startswith(name))
    return float(re.findall(r"[-+]?\d+\.?\d*(?:e[-+]?\d+)?", line[len(name) :])[index])


def test_a_free_body_falls_onto_the_ground_and_rests(kido: Run, write_urdf: Write) -> None:
    shown = kido("simulate", write_urdf(CRATE), "--root", "free", "--height", 0.5, "--time", 2, "--no-time")
    assert shown.code == 0
    assert number(shown, "energy") == pytest.approx(2.0 * 9.81 * 0.6, abs=1e-3)
    assert number(shown, "energy", 1) == pytest.approx(2.0 * 9.81 * 0.1, abs=1e-2)
    assert number(shown, "contacts") == 4
    assert number(shown, "contacts", 1) == pytest.approx(19.6, abs=0.1)
    assert 0.0 <= number(shown, "deepest penetration") < 2.0
    assert shown.text.endswith("at rest after 2 s\n")
    assert "real-time" not in shown.text


def test_what_starts_on_the_ground_stays_there(kido: Run, write_urdf: Write) -> None:
    shown = kido("simulate", write_urdf(CRATE), "--root", "free", "--time", 0.5)
    assert number(shown, "energy") == pytest.approx(2.0 * 9.81 * 0.1, abs=1e-3)
    assert number(shown, "deepest penetration") < 0.02
    assert number(shown, "real-time factor") > 0.0


def test_without_ground_it_falls_as_galileo_says(kido: Run, write_urdf: Write, tmp_path: Path) -> None:
    path = tmp_path / "fall.npz"
    shown = kido("simulate", write_urdf(CRATE), "--root", "free", "--no-ground", "--time", 1, "--save", path)
    assert "in motion after 1 s" in shown.text and "none" in shown.row("ground")
    with np.load(path) as saved:
        np.testing.assert_allclose(saved["times"], np.linspace(0.0, 1.0, 101), atol=1e-12)
        np.testing.assert_allclose(saved["positions"][:, 5], -0.5 * 9.81 * saved["times"] ** 2, atol=1e-9)
        np.testing.assert_allclose(saved["velocities"][:, 5], -9.81 * saved["times"], atol=1e-9)
        assert len(saved["dofs"]) == 6 and saved["dofs"].dtype.kind == "U"
    assert number(shown, "saved") == 101


def test_steps_have_the_length_that_is_asked_for(kido: Run, write_urdf: Write, tmp_path: Path) -> None:
    path = tmp_path / "swing.npz"
    shown = kido("simulate", write_urdf(PENDULUM), "--time", 0.3, "--step", 2e-3, "--save", path)
    assert "150 steps of 2 ms" in shown.text
    tree = package.load(write_urdf(PENDULUM))
    world = package.World([tree], time_step=2e-3)
    world.step(150)
    with np.load(path) as saved:
        np.testing.assert_array_equal(saved["positions"][-1], tree.positions)


def test_servos_hold_an_arm_that_falls_without_them(kido: Run) -> None:
    held, falling = (kido("simulate", ARM, "--time", 0.3, "--no-time", *more) for more in (["--hold"], []))
    assert abs(number(held, "energy", 2)) <= 1e-6 and held.text.endswith("at rest after 0.3 s\n")
    assert number(falling, "energy", 2) < -1e-3 or "in motion" in falling.text
    assert "servos hold them" in held.text and "nothing drives them" in falling.text


def test_the_g1_stands_under_its_servos(kido: Run) -> None:
    shown = kido("simulate", robot_files()[G1], "--root", "free", "--hold", "--time", 2, "--no-time")
    assert shown.code == 0 and shown.text.endswith("at rest after 2 s\n")
    assert abs(number(shown, "energy", 2)) < 0.05
    assert number(shown, "deepest penetration") < 0.1


@pytest.mark.parametrize(
    "options, text",
    [
        (["--time", "0"], "--time: expected a number above 0 [s], got 0"),
        (["--time", "nan"], "--time: expected a number above 0 [s], got nan"),
        (["--step", "-0.1"], "--step: expected a number above 0 [s], got -0.1"),
        (["--step", "inf"], "--step: expected a number above 0 [s], got inf"),
        (["--time", "1", "--step", "2"], "--step: expected at most the time, 1 s, got 2"),
        (["--height", "-1"], "--height: expected 0 or above [m], got -1"),
        (
            ["--save", "nowhere/out.npz"],
            "--save: expected a file in an existing folder, got 'nowhere/out.npz'",
        ),
    ],
)
def test_options_that_make_no_sense_are_named(kido: Run, options: list[str], text: str) -> None:
    shown = kido("simulate", ARM, *options)
    assert (shown.code, shown.text) == (2, f"error: {text}\n")


def test_files_that_cannot_be_simulated_are_named(kido: Run, write_urdf: Write, tmp_path: Path) -> None:
    assert kido("simulate", tmp_path / "none.urdf").code == 2
    still = kido("simulate", write_urdf(link("base", 1.0), "rock"))
    assert (
        still.code == 2 and "robot 'rock': expected one that can move, got 0 degrees of freedom" in still.text
    )
    massless = link("base", 1.0) + '<link name="ghost"/>' + joint("j", "continuous", "base", "ghost")
    shown = kido("simulate", write_urdf(massless, "ghostly"))
    assert shown.code == 2 and "no inertia moves with joint 'j'" in shown.text


def test_numbers_that_explode_end_with_what_was_seen_before(
    kido: Run, write_urdf: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    step = package.World.step

    def exploding(world: package.World, n: int = 1) -> None:
        if world.num_steps >= 50:
            world.skeletons[-1].velocities = [1e300] * 6
        step(world, n)

    monkeypatch.setattr(package.World, "step", exploding)
    shown = kido("simulate", write_urdf(CRATE), "--root", "free", "--height", 1, "--time", 1)
    assert shown.code == 1
    assert "diverged: 'world' diverged: after 0.05 s velocities of 'test', body 'crate', are" in shown.text
    assert "energy" in shown.text


def test_ctrl_c_ends_with_the_summary_so_far() -> None:
    run = subprocess.Popen(
        [sys.executable, "-m", "kido", "simulate", str(ARM), "--time", "1e6"],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert run.stdout is not None
    shown = run.stdout.readline() + run.stdout.readline()
    for _ in range(5):
        shown += run.stdout.readline() if "joints" not in shown else ""
    time.sleep(0.5)
    run.send_signal(signal.SIGINT)
    rest, _ = run.communicate(timeout=60)
    assert run.returncode == 130, rest
    assert re.search(r"stopped by Ctrl-C after [\d.]+ s", rest) and "energy" in rest
