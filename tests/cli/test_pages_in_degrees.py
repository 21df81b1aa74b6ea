"""`kido view --deg` and `kido replay --deg` as people see them, in a headless Chromium."""

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
from playwright.sync_api import Browser, Page

sys.path.insert(0, str(Path(__file__).parents[1] / "view"))

from _browser import PATIENCE, SCENE, SLOW_DISPLAY, chromium

import kido as library

MAIN = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from kido.cli import main
sys.argv = ["kido", *sys.argv[1:]]
main()
"""
BENT = 0.7
"""Position of the joint [rad]; 40.1 degrees."""


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


def viewed(folder: Path) -> tuple[str | Path, ...]:
    library.save(still_world(), folder / "world.json")
    return "view", folder / "world.json", "--simulate"


def replayed(folder: Path) -> tuple[str | Path, ...]:
    world = still_world()
    with library.record(world, folder / "run.h5"):
        world.step(10)
    return "replay", folder / "run.h5", "--at", "0"


@pytest.mark.parametrize("make", [viewed, replayed])
def test_pages_show_degrees(
    make: Callable[[Path], tuple[str | Path, ...]], browser: Browser, tmp_path: Path
) -> None:
    arguments = make(tmp_path)
    with page_of(browser, *arguments) as page:
        shows(page, (-1.5, 1.5, BENT), 5e-3)
    with page_of(browser, *arguments, "--deg") as page:
        shows(page, (-85.94, 85.94, 40.11), 0.06)
