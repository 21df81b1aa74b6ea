"""Pages of recordings in a real browser."""

from __future__ import annotations

import io
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import numpy as np
import pytest
from _worlds import box, falling
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

import kido
from kido import World, gallery
from kido.description import Material
from kido.errors import MissingDependencyError, RecordingError

OPTIONS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"]
OWN = ("file:", "data:")
PATIENCE = 180_000.0
"""How long a browser may take on a machine that has much else to do [ms]."""


Opened = Callable[..., AbstractContextManager[Page]]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """The browser of this machine; where there is none, the test is skipped."""
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        pytest.skip("no Chromium on this machine: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=OPTIONS, timeout=PATIENCE)
        yield browser
        browser.close()


@pytest.fixture
def opened(browser: Browser) -> Opened:
    """The page of a file, without a server; it says nothing on the console."""

    @contextmanager
    def page_of(path: Path, width: int = 900, height: int = 900) -> Iterator[Page]:
        errors: list[str] = []
        page = browser.new_page(viewport={"width": width, "height": height})
        page.set_default_timeout(PATIENCE)
        page.on("console", lambda message: errors.append(message.text))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("request", lambda request: None if request.url[:5] in OWN else errors.append(request.url))
        page.goto(path.as_uri())
        page.wait_for_selector("#view")
        try:
            yield page
        finally:
            page.close()
        assert errors == []

    return page_of


def seen(page: Page) -> NDArray[np.float64]:
    """What the canvas shows (height, width, 3), from 0 to 1."""
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => { replay.draw(); done(); }))")
    picture = Image.open(io.BytesIO(page.locator("#view").screenshot())).convert("RGB")
    return np.asarray(picture, dtype=float) / 255.0


def middle_of(picture: NDArray[np.float64], channel: int) -> tuple[float, float] | None:
    """Row and column, as shares of the picture, of what has the color of a channel."""
    others = [k for k in range(3) if k != channel]
    mask = picture[:, :, channel] > picture[:, :, others].max(axis=2) + 0.2
    if mask.sum() < 20:
        return None
    rows, columns = np.nonzero(mask)
    return float(rows.mean() / mask.shape[0]), float(columns.mean() / mask.shape[1])


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A red ball that falls, and a blue box that comes after half a second."""
    ball = gallery.ball(0.2, 1.0, name="ball")
    ball.bodies[0].shape_nodes[0].material = Material("red", (1, 0, 0, 1))
    ball.positions = [0, 0, 0, 0, 0, 2.0]
    late = box("late", 1.0)
    late.bodies[0].shape_nodes[0].material = Material("blue", (0, 0, 1, 1))
    world = World([gallery.ground(), ball])
    with kido.record(world, signals={"height": (lambda w: w.skeleton("ball").positions[5], "m")}) as it:
        world.step(500)
        world.add(late)
        it.mark("<b>added</b>", name="</script>")
        world.step(700)
    path = tmp_path_factory.mktemp("report") / "run.html"
    it.report(path, title="A ball & <more> {{scene}}")
    return path


def test_a_page_shows_the_run_at_any_time_without_a_server(opened: Opened, report: Path) -> None:
    with opened(report) as page:
        assert page.title() == "A ball & <more> {{scene}}"
        places = []
        for time in (0.0, 0.3, 0.6):
            page.evaluate(f"replay.show({time})")
            places.append(middle_of(seen(page), 0))
        rows = [place[0] for place in places if place is not None]
        assert len(rows) == 3 and rows[0] < rows[1] < rows[2]
        page.evaluate("replay.show(0.4)")
        assert middle_of(seen(page), 2) is None
        page.evaluate("replay.show(0.7)")
        assert middle_of(seen(page), 2) is not None
        assert page.locator("figure svg").count() >= 3
        assert "<b>added</b>" in page.locator("table").nth(1).inner_text()
        assert "ground, ball, late" in page.locator("table").first.inner_text()


def test_a_page_plays_turns_and_comes_nearer(opened: Opened, report: Path) -> None:
    with opened(report) as page:
        page.clock.install(time=0)
        page.clock.pause_at(3600)  # time passes where it is told to
        page.get_by_text("Play").click()
        page.clock.run_for(300)
        page.get_by_text("Pause").click()
        now = page.evaluate("replay.now")
        assert now == pytest.approx(0.3, abs=0.04)  # the frames of one 60th of a second that fit
        page.clock.run_for(300)
        assert page.evaluate("replay.now") == now
        page.locator("#time").fill("0.5")
        assert page.evaluate("replay.now") == pytest.approx(0.5, abs=0.01)
        assert page.locator("#clock").inner_text() == "0.50 s"
        before = page.evaluate("({...replay.camera, about: [...replay.camera.about]})")
        page.mouse.move(300, 400)
        page.mouse.down()
        page.mouse.move(360, 420)
        page.mouse.up()
        page.mouse.wheel(0, -300)
        page.wait_for_function(f"replay.camera.distance < {before['distance']} - 0.1")
        after = page.evaluate("replay.camera")
        assert after["turn"] < before["turn"] and after["height"] > before["height"]
        page.keyboard.down("Shift")
        page.mouse.down()
        page.mouse.move(300, 400)
        page.mouse.up()
        assert page.evaluate("replay.camera.about") != before["about"]


def test_a_page_fits_a_phone(opened: Opened, report: Path) -> None:
    with opened(report, 360, 700) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        assert page.evaluate("document.querySelector('figure svg').clientWidth") >= 600
        assert middle_of(seen(page), 0) is not None


def test_every_shape_is_drawn(opened: Opened, tmp_path: Path) -> None:
    shapes = kido.shape
    world = World(gravity=(0, 0, 0))
    vertices = np.array([[0, 0, 0], [0.4, 0, 0], [0, 0.4, 0], [0, 0, 0.4]])
    triangles = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    made = [
        shapes.Box((0.4, 0.4, 0.4)),
        shapes.Sphere(0.2),
        shapes.Ellipsoid((0.1, 0.2, 0.25)),
        shapes.Cylinder(0.15, 0.4),
        shapes.Capsule(0.12, 0.3),
        shapes.Cone(0.2, 0.4),
        shapes.Mesh(None, vertices=vertices, triangles=triangles),
        shapes.HeightField(np.array([[0.0, 0.1, 0.0], [0.1, 0.3, 0.1], [0.0, 0.1, 0.0]]), (0.2, 0.2)),
    ]
    for k, shape in enumerate(made):
        skeleton = kido.Skeleton(f"s{k}")
        body = skeleton.add_body("b", joint=kido.WeldJoint("j", T_parent_joint=(0.7 * k, 0, 0)))
        kido.ShapeNode(body, "v", shape, collision=False, material=Material("green", (0, 1, 0, 1)))
        world.add(skeleton)
    with kido.record(world) as it:
        world.step(20)
    it.report(tmp_path / "run.html")
    with opened(tmp_path / "run.html", 1200, 700) as page:
        page.evaluate("replay.camera.turn = -Math.PI / 2; replay.camera.height = 0.15; replay.show(0)")
        picture = seen(page)
        green = picture[:, :, 1] > picture[:, :, [0, 2]].max(axis=2) + 0.2
        columns = green.any(axis=0).astype(int)
        assert (np.diff(columns) == 1).sum() == len(made)


def test_meshes_that_are_too_fine_are_drawn_coarser() -> None:
    from kido.recording._report._scene import _clustered

    count = 200
    a, b = np.meshgrid(np.linspace(0, 2 * np.pi, count), np.linspace(0, np.pi, count))
    points = np.stack([np.cos(a) * np.sin(b), np.sin(a) * np.sin(b), np.cos(b)], axis=-1).reshape(-1, 3)
    k = np.arange((count - 1) * count).reshape(count - 1, count)[:, :-1].ravel()
    triangles = np.concatenate(
        [np.stack([k, k + count, k + 1], 1), np.stack([k + 1, k + count, k + count + 1], 1)]
    )
    vertices, index = _clustered(points, triangles, 4000)
    assert 1000 < len(index) <= 4000
    radii = np.linalg.norm(vertices[np.unique(index)], axis=1)
    assert radii.min() > 0.95 and radii.max() < 1.001


def test_a_run_without_a_model_has_plots_and_says_so(tmp_path: Path) -> None:
    class Mine(kido.collision.NativeDetector):
        """A detector of the user's, which cannot be saved."""

    world = falling()
    world.detector = Mine()
    with kido.record(world) as it:
        world.step(60)
    with pytest.raises(RecordingError, match="Mine cannot be saved"):
        it.world_at(0.02)
    with pytest.raises(RecordingError, match="Mine cannot be saved"):
        it.at(0.02)
    it.report(tmp_path / "run.html")
    page = (tmp_path / "run.html").read_text()
    assert "no replay:" in page and "<svg" in page


def test_what_is_wrong_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = falling()
    with kido.record(world) as it:
        world.step(20)
    with pytest.raises(OSError):
        it.report(tmp_path / "none" / "run.html")
    with pytest.raises(RecordingError, match="no samples"):
        it[5.0:].report(tmp_path / "run.html")
    for module in ("matplotlib", "matplotlib.figure"):
        monkeypatch.setitem(sys.modules, module, None)
    for act in (lambda: it.report(tmp_path / "run.html"), lambda: it.plot()):
        with pytest.raises(MissingDependencyError, match=r"pip install 'kido\[record\]'"):
            act()
