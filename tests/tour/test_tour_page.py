"""The tour's page: its scenes by their buttons, in browsers."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser

sys.path.insert(0, str(Path(__file__).parents[1] / "view"))

from _browser import Window, chromium
from _listener import Listener

from kido.tour import SCENES, Tour, draw_scene, scene_of


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as opened:
        yield opened


def test_every_scene_is_shown_and_goes_without_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kido.view._viewer._removals._DELAY", 0.1)
    tour = Tour(port=0)
    with tour.viewer as viewer:
        listener = Listener(viewer)
        for scene in (*SCENES[1:], SCENES[0]):
            tour.next()
            for _ in range(3):
                viewer.update()
            assert tour.scene is scene
            assert viewer.playing is (tour.stage.world is not None)
        tour.previous()
        assert tour.scene is SCENES[-1]
        listener.frames(0.3)
        assert viewer.errors == ()
        late = Listener(viewer)
        late.frames(0.3)
        texts = [m["props"]["_markdown"] for m in late.messages if m["type"] == "GuiMarkdownMessage"]
        assert any(f"### {SCENES[-1].title}" in text for text in texts)
        assert not any(f"### {scene.title}" in text for scene in SCENES[:-1] for text in texts)


def test_visitors_click_through_scenes_in_step_and_nothing_of_the_old_ones_stays(browser: Browser) -> None:
    chosen = [scene_of(name) for name in ("newtons_cradle", "planetary_gears")]
    tour = Tour(chosen, port=0)
    first = Window(browser, tour.viewer, (450, 300))
    second = Window(browser, tour.viewer, (450, 300))
    for scene in (chosen[1], chosen[0]):
        first.page.get_by_role("button", name="Next scene").click()
        for window in (first, second):
            window.until(lambda window=window, scene=scene: f"{scene.title}" in told(window))
            assert not any(other.title in told(window) for other in chosen if other is not scene)
    second.page.keyboard.press("ArrowLeft")
    first.until(lambda: chosen[-1].title in told(first))
    tour.viewer.pause()
    views: list[np.ndarray] = []

    def are_alike() -> bool:
        views[:] = [window.scene().astype(int) for window in (first, second)]
        return bool(np.abs(views[0] - views[1]).mean() < 3.0)

    first.until(are_alike)
    view = views[0]
    brass = (view[..., 0] > 1.5 * view[..., 2]) & (view[..., 0] > 80)
    assert brass.sum() > 1200
    assert first.errors == second.errors == []
    assert tour.viewer.errors == ()
    for window in (first, second):
        window.page.close()
    tour.viewer.stop()


def test_no_widget_is_changed_in_the_frame_in_which_it_is_removed(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kido.view._viewer._removals._DELAY", 1e9)
    chosen = [scene_of(name) for name in ("cart_pole", "double_pendulums")]
    tour = Tour(chosen, port=0)
    window = Window(browser, tour.viewer, (320, 240))
    for _ in range(10):
        tour.next()
        window.frames(0.25)
    window.settle()  # the page has drawn what was hidden, and its time has come
    removals = tour.viewer._server.removals
    assert len(removals._waiting) >= 10
    removals._waiting = deque((0.0, handle) for _, handle in removals._waiting)
    window.until(lambda: not removals._waiting)
    window.settle()
    assert window.errors == []
    late = Listener(tour.viewer)
    assert len(late.of_type("GuiMarkdownMessage")) < 10
    window.page.close()
    tour.viewer.stop()


def told(window: Window) -> str:
    """What stands in the panel."""
    return str(window.page.locator("h3").first.inner_text())


def test_a_picture_of_a_wide_scene_comes_near_to_the_robot() -> None:
    image = draw_scene(scene_of("quadruped_on_slope"), size=(320, 240)).astype(int)
    blue = (image[..., 2] > 1.5 * image[..., 0]) & (image[..., 2] > 60)
    rows, columns = np.nonzero(blue)
    assert np.ptp(columns) > 60 and np.ptp(rows) > 30
    assert rows.min() > 20 and rows.max() < 220 and columns.min() > 20 and columns.max() < 300


def test_a_picture_of_a_scene_shows_it(tmp_path: Path) -> None:
    path = tmp_path / "gears.png"
    drawn = draw_scene(scene_of("planetary_gears"), path, size=(320, 240))
    image = np.asarray(Image.open(path).convert("RGB")).astype(int)
    assert np.array_equal(image, drawn)
    assert image.shape == (240, 320, 3)
    assert ((image[..., 0] > 1.5 * image[..., 2]) & (image[..., 0] > 80)).sum() > 2000
    assert ((image[..., 1] > 1.5 * image[..., 0]) & (image[..., 2] > 1.5 * image[..., 0])).sum() > 300
