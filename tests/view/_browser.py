"""A headless Chromium that looks at a viewer, and what people do there."""

from __future__ import annotations

import io
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from _mark import send_mark
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import Browser, ConsoleMessage, Page, sync_playwright

import kido

NAMES = ("chromium", "chromium-browser", "google-chrome")
OPTIONS = [
    "--no-sandbox",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
    "--disable-gpu-compositing",
]
"""Chromium as any user, drawing by the processor; only the scene, not the page around it, by OpenGL."""
NOT_OURS = (
    "Unable to preventDefault inside passive event listener",
    "net::ERR_",
    "WebSocket connection",
)
"""What Chromium logs as an error of clicks in viser's canvas, and of connections that a test cuts."""


SCENE = "canvas[data-engine]"
"""The canvas of the scene; plots in the panel have theirs."""
CANVAS_ONLY = f"body * {{visibility: hidden !important}} {SCENE} {{visibility: visible !important}}"
DRAWN = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
SLOW_DISPLAY = """
const next = window.requestAnimationFrame.bind(window), end = window.cancelAnimationFrame.bind(window);
const asked = new Map();
window.requestAnimationFrame = draw => {
  const id = setTimeout(() => asked.set(id, next(time => { asked.delete(id); draw(time); })), 80);
  return id;
};
window.cancelAnimationFrame = id => { clearTimeout(id); end(asked.get(id) ?? 0); asked.delete(id); };
"""
"""A display of about ten frames a second: more would be drawn by the processor, and looked at by nobody."""
CLOSE_NOTICES = (
    "() => document.querySelectorAll('.mantine-Notification-closeButton').forEach(one => one.click())"
)
PATIENCE = 180_000.0
"""How long a browser may take on a machine that has much else to do [ms]."""


@contextmanager
def chromium() -> Iterator[Browser]:
    """The browser of this machine; where there is none, the test is skipped."""
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.skip("no Chromium on this machine: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=OPTIONS, timeout=PATIENCE)
        try:
            yield browser
        finally:
            browser.close()


class Window:
    """A browser window that shows a viewer, whose frames go on while one waits.

    Attributes:
        page: of playwright.
        errors: what the console said.
    """

    def __init__(
        self, browser: Browser, viewer: kido.Viewer, size: tuple[int, int], address: str | None = None
    ) -> None:
        self.viewer, self.errors = viewer, list[str]()
        self.page: Page = browser.new_page(viewport={"width": size[0], "height": size[1]})
        self.page.set_default_timeout(PATIENCE)
        self.page.add_init_script(SLOW_DISPLAY)
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        known = viewer.num_clients
        self.page.goto(viewer.address if address is None else address)
        self.page.wait_for_selector(SCENE)
        self.until(lambda: viewer.num_clients > known)
        self.settle()
        self.page.evaluate(CLOSE_NOTICES)

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not any(part in message.text for part in NOT_OURS):
            self.errors.append(message.text)

    def frames(self, seconds: float) -> None:
        """Let frames go on for a while [s]."""
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            self.viewer.update()
            self.page.wait_for_timeout(10)

    def until(self, holds: Callable[[], object]) -> None:
        """Let frames go on until something holds."""
        end = time.perf_counter() + PATIENCE / 1e3
        while not holds():
            assert time.perf_counter() < end, f"waited in vain; {self.viewer.errors}, {self.errors}"
            self.viewer.update()
            self.page.wait_for_timeout(10)

    def settle(self) -> None:
        """Let frames go on for a while, and until the browser has drawn what it was sent."""
        self.frames(0.1)
        mark = send_mark(self.viewer)
        self.until(lambda: self.page.evaluate("window.lastMark ?? 0") >= mark)
        self.page.evaluate(DRAWN)

    def seen(self, mask: Callable[[NDArray[np.uint8]], NDArray[np.bool_]]) -> NDArray[np.uint8]:
        """Let frames go on until something of the scene counts; that picture."""
        images: list[NDArray[np.uint8]] = []

        def counts() -> np.bool_:
            images[:] = [self.scene()]
            return mask(images[0]).any()

        self.until(counts)
        return images[0]

    def drag(self, start: tuple[float, float], end: tuple[float, float], holds: Callable[[], object]) -> None:
        """Drag the mouse from one pixel to another, and let go once something holds."""
        mouse = self.page.mouse
        mouse.move(*start)
        mouse.down()
        for part in np.linspace(0.0, 1.0, 5)[1:]:
            mouse.move(*(np.array(start) + part * (np.array(end) - start)).tolist())
            self.frames(0.1)
        self.until(holds)
        mouse.up()
        self.settle()

    def picture(self, path: str | None = None, style: str = "") -> NDArray[np.uint8]:
        """What is seen in the window (height, width, 3), with a style sheet of one's own."""
        self.settle()
        image = Image.open(io.BytesIO(self.page.screenshot(style=style))).convert("RGB")
        if path is not None:
            image.save(path)
        return np.asarray(image)

    def scene(self) -> NDArray[np.uint8]:
        """What is seen in the window without panel and notices."""
        return self.picture(style=CANVAS_ONLY)
