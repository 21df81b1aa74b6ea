"""Ctrl-C: each command ends with a sentence and the exit code of shells, wherever it is."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import kido

BUSY = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
import kido.cli._commands as commands
from kido.cli import main
def works(*arguments, **options):
    print("works", flush=True)
    time.sleep(60.0)
setattr(commands, sys.argv[1], works)
sys.argv = ["kido", *sys.argv[2:]]
main()
"""
"""A command, one of whose functions takes a minute."""
LATE = 60.0


def stopped(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """What becomes of a program that gets Ctrl-C after its first line."""
    with subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
    ) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        out, said = process.communicate(timeout=LATE)
    return subprocess.CompletedProcess(arguments, process.returncode, first + out, said)


@pytest.mark.parametrize(
    ("slow", "arguments"),
    [
        ("print_file", ("info", "examples/arm.urdf")),
        ("run_convert", ("convert", "examples/arm.urdf", "{tmp}/arm.sdf")),
        ("print_differences", ("diff", "examples/arm.urdf", "examples/arm.urdf")),
        ("run_ik", ("ik", "examples/arm.urdf", "--body", "tool", "--target", "0.3", "0.1", "0.4")),
        ("run_simulation", ("simulate", "examples/arm.urdf")),
        ("run_render", ("render", "examples/arm.urdf", "-o", "{tmp}/arm.png")),
        ("plot_recording", ("plot", "{tmp}/run.h5", "-o", "{tmp}/plot.png")),
        ("run_view", ("view", "examples/arm.urdf", "--no-open")),
        ("run_replay", ("replay", "{tmp}/run.h5", "--no-open")),
        ("run_demo", ("demo", "--list")),
    ],
)
def test_a_busy_command_ends_with_a_sentence(slow: str, arguments: tuple[str, ...], tmp_path: Path) -> None:
    world = kido.World([kido.gallery.pendulum()])
    with kido.record(world, tmp_path / "run.h5"):
        world.step(10)
    run = stopped(BUSY, slow, *(argument.format(tmp=tmp_path) for argument in arguments))
    assert run.stdout == "works\n"
    assert run.stderr == "stopped by Ctrl-C\n"
    assert run.returncode == 130


def test_a_film_that_is_stopped_leaves_no_file(tmp_path: Path) -> None:
    program = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
import kido.view._film as film
from kido.cli import main
draw = film.SceneRenderer.draw
def told(self, *scene):
    if not hasattr(film, "told"):
        film.told = print("draws", flush=True)
    return draw(self, *scene)
film.SceneRenderer.draw = told
sys.argv = ["kido", *sys.argv[1:]]
main()
"""
    film = tmp_path / "fall.mp4"
    run = stopped(program, "render", "examples/arm.urdf", "-o", str(film), "--time", "30")
    assert (run.returncode, run.stderr) == (130, "stopped by Ctrl-C\n"), run.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("module", ["typer", "kido.errors", "numpy", "kido.world"])
def test_a_command_whose_parts_are_still_imported_ends_with_a_sentence(module: str) -> None:
    program = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
from kido.cli import main
slow, sys.argv = sys.argv[1], ["kido", "info", "examples/arm.urdf"]
assert slow not in sys.modules
class Slow:
    def find_spec(self, name, path=None, target=None):
        if name == slow:
            print("imports", flush=True)
            time.sleep(60.0)
sys.meta_path.insert(0, Slow())
main()
"""
    run = stopped(program, module)
    assert (run.stdout, run.stderr) == ("imports\n", "stopped by Ctrl-C\n")
    assert run.returncode == 130
