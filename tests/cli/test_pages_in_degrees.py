"""`kido view --deg` and `kido replay --deg`: what browsers are told, and what people see in one."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from _outcome import Outcome
from playwright.sync_api import Browser, Page

sys.path.insert(0, str(Path(__file__).parents[1] / "view"))

from _browser import PATIENCE, SCENE, SLOW_DISPLAY, chromium
from _listener import Listener

import kido as library
import kido.cli._view as command

MAIN = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from kido.cli import main
sys.argv = ["kido", *sys.argv[1:]]
main()
"""
BENT = 0.7
"""Position of the joint [rad]; 40.1 degrees."""
RADIANS, DEGREES = (-1.5, 1.5, BENT), (-85.94, 85.94, 40.11)
"""Limits and position of the joint."""
Arguments = tuple[str | Path, ...]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as opened:
        yield opened


@contextmanager
def page_of(browser: Browser, *arguments: str | Path) -> Iterator[Page]:
    """The page of a command, which Ctrl-C ends."""
    with subprocess.Popen(
        [sys.executable, "-c", MAIN, *map(str, arguments), "--port", "0", "--no-open"],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
    ) as process:
        assert process.stdout is not None
        address = re.search(r"http://\S+", process.stdout.readline())
        assert address is not None
        page = browser.new_page(viewport={"width": 480, "height": 400})
        page.add_init_script(SLOW_DISPLAY)
        page.set_default_timeout(PATIENCE)
        try:
            page.goto(address[0])
            page.wait_for_selector(SCENE)
            yield page
        finally:
            page.close()
            process.send_signal(signal.SIGINT)
            process.wait(PATIENCE / 1e3)
    assert process.returncode == 130


def slider_of(page: Page) -> tuple[float, float, float]:
    """Ends and value of the slider of the joint, as the page has them."""
    slider = page.get_by_role("slider").last
    slider.wait_for()
    low, high, value = (slider.get_attribute(f"aria-value{name}") for name in ("min", "max", "now"))
    assert low is not None and high is not None and value is not None
    return float(low), float(high), float(value)


def shows(page: Page, expected: tuple[float, float, float], within: float) -> None:
    """Wait until the slider of the joint shows something."""
    end = time.monotonic() + PATIENCE / 1e3
    while slider_of(page) != pytest.approx(expected, abs=within) and time.monotonic() < end:
        page.wait_for_timeout(50)
    assert slider_of(page) == pytest.approx(expected, abs=within)


def still_world() -> library.World:
    """A pendulum that stands aside, within -1.5 to 1.5 rad, without gravity."""
    robot = library.gallery.pendulum()
    robot.position_lower_limits, robot.position_upper_limits = [-1.5], [1.5]
    robot.positions = [BENT]
    return library.World([robot], gravity=(0.0, 0.0, 0.0))


def viewed(folder: Path) -> Arguments:
    library.save(still_world(), folder / "world.json")
    return "view", folder / "world.json", "--simulate"


def replayed(folder: Path) -> Arguments:
    world = still_world()
    with library.record(world, folder / "run.h5"):
        world.step(10)
    return "replay", folder / "run.h5", "--at", "0"


@pytest.mark.parametrize("make", [viewed, replayed])
@pytest.mark.parametrize(
    ("option", "expected", "within"), [((), RADIANS, 5e-3), (("--deg",), DEGREES, 0.06)], ids=["rad", "deg"]
)
def test_browsers_are_told_angles_in_their_unit(
    make: Callable[[Path], Arguments],
    option: tuple[str, ...],
    expected: tuple[float, float, float],
    within: float,
    kido: Callable[..., Outcome],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[tuple[float, float, float]] = []

    class Told(command.Viewer):
        def run(self) -> None:
            listener = Listener(self)
            listener.frames(0.2)
            slider = listener.of_type("GuiSliderMessage")[-1]
            values = [slider["value"]]
            for message in listener.of_type("GuiUpdateMessage"):
                if message["uuid"] == slider["uuid"]:
                    values += [message["updates"].get("value", values[-1])]
            told.append((slider["props"]["min"], slider["props"]["max"], values[-1]))
            self.stop()

    monkeypatch.setattr(command, "Viewer", Told)
    kido(*make(tmp_path), *option, "--port", "0", "--no-open")
    (numbers,) = told
    assert numbers == pytest.approx(expected, abs=within)


def test_a_page_shows_degrees(browser: Browser, tmp_path: Path) -> None:
    with page_of(browser, *viewed(tmp_path), "--deg") as page:
        shows(page, DEGREES, 0.06)
