"""The viewer in a headless Chromium: what people see, and what they do."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from _browser import Window, chromium
from _look import block, box_of, project
from _proxy import Proxy
from playwright.sync_api import Browser

import kido
from kido.description import Material
from kido.shape import Box, Sphere

CAMERA = ((2.455, -0.87, 1.1), (0.255, 0.43, 0.3), (0.0, 0.0, 1.0))
"""What is near the origin stands left of the panel."""
SIZE = (640, 312)
MAGENTA = (1.0, 0.0, 1.0, 1.0)
"""A color that neither gizmos nor axes have."""


def magenta(image: np.ndarray) -> np.ndarray:
    """Where red and blue are equally bright, and more than twice as bright as green."""
    red, green, blue = np.moveaxis(image.astype(int), -1, 0)
    darker, brighter = np.minimum(red, blue), np.maximum(red, blue)
    return (darker > 60) & (darker > 2 * green) & (darker > 0.8 * brighter)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as opened:
        yield opened


@pytest.fixture
def open_window(browser: Browser) -> Iterator[Callable[..., Window]]:
    """Show something in a window of its own; viewers are stopped and windows closed in the end."""
    windows: list[Window] = []

    def opened(
        what: kido.Skeleton | kido.Viewer, address: str | None = None, size: tuple[int, int] = SIZE
    ) -> Window:
        viewer = what if isinstance(what, kido.Viewer) else kido.Viewer(what, port=0, camera=CAMERA)
        windows.append(Window(browser, viewer, size, address))
        return windows[-1]

    yield opened
    for window in windows:
        window.page.close()
        window.viewer.stop()


@pytest.fixture(scope="module")
def kept(browser: Browser) -> Iterator[Window]:
    """A window that is open for the whole file: to load a page takes longer than most tests."""
    window = Window(browser, kido.Viewer(kido.Skeleton("nothing"), port=0, camera=CAMERA), SIZE)
    assert window.errors == []
    yield window
    window.page.close()
    window.viewer.stop()


@pytest.fixture
def show(kept: Window) -> Callable[..., Window]:
    """Show something in the window that is kept, which showed something else before."""

    def shown(what: kido.Skeleton | kido.World, camera: tuple = CAMERA) -> Window:
        kept.errors.clear()
        kept.page.mouse.move(0.0, 0.0)
        kept.viewer.show(what, camera=camera)
        kept.settle()
        return kept

    return shown


def painted(skeleton: kido.Skeleton) -> kido.Skeleton:
    """The skeleton with all its shapes in magenta."""
    for node in skeleton.nodes(kido.ShapeNode):
        node.material = Material("paint", MAGENTA)
    return skeleton


def swing() -> kido.Skeleton:
    """A magenta rod that turns about the y axis at a height of 0.6 m."""
    skeleton = kido.Skeleton("swing")
    joint = kido.RevoluteJoint("hinge", axis=(0, 1, 0), T_parent_joint=(0, 0, 0.6))
    body = skeleton.add_body("rod", None, joint)
    joint.position_lower_limits, joint.position_upper_limits = -1.5, 1.5
    body.inertia = kido.Inertia(1.0, (0, 0, -0.2), np.diag([0.01, 0.01, 0.001]))
    kido.ShapeNode(body, "look", Box((0.06, 0.06, 0.4)), (0, 0, -0.2), material=Material("paint", MAGENTA))
    return skeleton


def middle(window: Window) -> np.ndarray:
    """Column and row of the middle of what is magenta."""
    return middle_of(window.scene())


def middle_of(image: np.ndarray) -> np.ndarray:
    """Column and row of the middle of what is magenta in a picture."""
    rows, columns = np.nonzero(magenta(image))
    return np.array([columns.mean(), rows.mean()])


def test_two_windows_are_in_step(open_window) -> None:
    small = 430, 210
    first = open_window(swing(), size=small)
    second = open_window(first.viewer, size=small)
    first.seen(magenta)
    start = middle_of(second.seen(magenta))
    slider = first.page.get_by_role("slider").first
    slider.focus()
    slider.press("End")
    handle = second.page.get_by_role("slider").first
    second.until(lambda: handle.get_attribute("aria-valuenow") == "1.5")
    assert first.viewer.num_clients == 2
    second.until(lambda: np.abs(middle(second) - start).max() > 15.0)
    there = middle(second)
    first.until(lambda: np.abs(middle(first) - there).max() < 0.75)


def test_a_dropped_connection_comes_back(open_window) -> None:
    robot = swing()
    viewer = kido.Viewer(robot, port=0, camera=CAMERA)
    proxy = Proxy(int(viewer.address.rsplit(":", 1)[1]))
    window = open_window(viewer, address=f"http://127.0.0.1:{proxy.port}")
    window.seen(magenta)
    proxy.cut()
    window.until(lambda: viewer.num_clients == 0)
    robot.positions = [1.0]
    window.frames(0.2)
    proxy.mend()
    window.until(lambda: viewer.num_clients == 1)
    T = robot.body("rod").transform()
    expected = project(T[:3, :3] @ (0, 0, -0.2) + T[:3, 3], CAMERA, SIZE)
    window.until(lambda: np.abs(middle(window) - expected).max() < 3.0)
    proxy.close()


def test_the_page_shows_a_box_where_the_camera_says_without_console_errors(show) -> None:
    size, place = np.array([0.6, 0.3, 0.4]), np.array([0.1, -0.1, 0.3])
    window = show(block(Box(size), place, MAGENTA))
    image = window.seen(magenta)
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) / 2.0
    pixels = project(corners * size + place, CAMERA, SIZE)
    expected = np.array([pixels.min(axis=0), pixels.max(axis=0)])
    assert np.abs(box_of(magenta(image)) - expected).max() < 1.5
    assert window.errors == []


def test_a_robot_looks_as_in_a_picture(show) -> None:
    robot = painted(kido.gallery.humanoid())
    camera = ((3.4, -1.2, 1.4), (0.0, 0.6, 0.75), (0.0, 0.0, 1.0))
    window = show(robot, camera)
    seen = magenta(window.seen(magenta))
    drawn = magenta(kido.render(robot, size=SIZE, camera=camera, ground=False))
    assert drawn.sum() > 2200
    assert (seen & drawn).sum() > 0.93 * (seen | drawn).sum()


def test_materials_have_their_colors(show) -> None:
    window = show(block(Sphere(0.3), (0.0, 0.0, 0.3), (0.2, 0.4, 0.6, 1.0)))
    image = window.seen(lambda image: image[..., 2] > 1.3 * image[..., 0])
    column, row = project((0.0, 0.0, 0.3), CAMERA, SIZE).astype(int)
    color = image[row - 8 : row + 8, column - 8 : column + 8].mean(axis=(0, 1)) / 255.0
    light, told = (((np.array(c) + 0.055) / 1.055) ** 2.4 for c in (color, (0.2, 0.4, 0.6)))
    assert light / light[2] == pytest.approx(told / told[2], abs=0.1)  # viser makes colors a little stronger


def test_a_slider_moves_its_joint_within_its_limits(show) -> None:
    robot = swing()
    window = show(robot)
    window.seen(magenta)
    slider = window.page.get_by_role("slider").first
    slider.focus()
    slider.press("End")
    window.until(lambda: robot.positions[0] == 1.5)
    T = robot.body("rod").transform()
    expected = project(T[:3, :3] @ (0, 0, -0.2) + T[:3, 3], CAMERA, SIZE)
    window.until(lambda: np.abs(middle(window) - expected).max() < 3.0)
    slider.press("Home")
    window.until(lambda: robot.positions[0] == -1.5)
    assert window.errors == []


BEYOND = 0.25
"""From the tool to the ball [m]."""


def arm_with_tip() -> kido.Skeleton:
    """An arm of seven joints with a magenta ball beyond its tool."""
    robot = kido.gallery.arm7()
    tool = robot.end_effector("tool")
    place = np.array(tool.relative_transform)
    place[:3, 3] += BEYOND * place[:3, 2]
    kido.ShapeNode(tool.body, "tip", Sphere(0.05), place, material=Material("paint", MAGENTA))
    return robot


def test_a_body_that_is_dragged_follows_the_mouse(show) -> None:
    robot = arm_with_tip()
    window = show(robot)
    start = middle_of(window.seen(magenta))
    goal = start + np.array([-37.0, -30.0])
    window.drag(start, goal, lambda: np.abs(middle(window) - goal).max() < 3.7)
    assert np.abs(middle(window) - goal).max() < 4.5
    assert window.viewer.selected is robot.end_effector("tool").body
    window.until(lambda: "link_7" in window.page.locator("body").inner_text())


def test_names_of_a_selected_body_are_shown_as_they_are(show) -> None:
    """Whatever their letters mean in Markdown, and so that they can be copied."""
    name = "a_long_name_of_a|b {c} <d> *e* `f` [g]~h"
    robot = block(Box((0.4, 0.4, 0.4)), rgba=MAGENTA)
    robot.bodies[0].name = name
    window = show(robot)
    window.viewer.selected = robot.bodies[0]
    window.until(lambda: name in window.page.locator("body").inner_text())
    assert window.viewer.errors == () and window.errors == []


def test_a_target_that_is_dragged_is_followed_by_the_hand(show) -> None:
    robot = arm_with_tip()
    ik = kido.InverseKinematics.of(robot.end_effector("tool"))
    window = show(robot)
    window.viewer.follow(ik)
    window.seen(magenta)
    start = ik.target.transform()
    shaft = start[:3, 3] + 0.8 * window.viewer.gizmos[0].size * start[:3, 1]
    pixel, ahead = project(shaft, CAMERA, SIZE), project(shaft + 0.12 * start[:3, 1], CAMERA, SIZE)
    window.drag(pixel, ahead, lambda: (ik.target.transform() - start)[:3, 3] @ start[:3, 1] > 0.1)
    window.until(lambda: np.abs(ik.transform() - ik.target.transform()).max() < 1e-5)
    moved = ik.target.transform()
    way = moved[:3, 3] - start[:3, 3]
    assert np.abs(way - way @ start[:3, 1] * start[:3, 1]).max() < 1e-6
    assert way @ start[:3, 1] == pytest.approx(0.12, abs=0.03)
    tip = moved[:3, 3] + BEYOND * moved[:3, 2]
    assert np.abs(middle(window) - project(tip, CAMERA, SIZE)).max() < 3.0


def test_a_simulated_body_is_pulled_by_the_mouse(show) -> None:
    robot = swing()
    window = show(kido.World([robot]))
    window.seen(magenta)
    window.viewer.play()
    start = middle(window)
    window.page.mouse.move(*start)
    window.page.mouse.down()
    window.page.mouse.move(*(start + np.array([-30.0, 0.0])), steps=4)
    window.until(lambda: robot.positions[0] > 0.3)
    (pull,) = window.viewer.pulls
    assert pull.force[1] < 0.0
    window.page.mouse.up()
    window.until(lambda: robot.positions[0] < 0.1)
    assert window.viewer.pulls == ()
    assert window.errors == []


def test_a_world_is_played_paused_and_taken_back(show) -> None:
    robot = swing()
    robot.positions = [1.0]
    world = kido.World([robot])
    window = show(world)
    window.page.get_by_role("button", name="Play").click()
    window.until(lambda: world.time > 0.3)
    window.page.get_by_role("button", name="Pause").click()
    window.until(lambda: not window.viewer.playing)
    window.settle()
    now = world.time
    slider = window.page.get_by_role("slider").first
    slider.focus()
    slider.press("Home")
    window.until(lambda: world.time == 0.0)
    assert robot.positions[0] == 1.0
    assert now > 0.3
    assert window.errors == []
