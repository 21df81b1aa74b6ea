"""Pictures: what is in them, and where."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from _look import BLUE, GREEN, RED, SIZE, block, box_of, covered, dominated, project, reddish
from _processes import PATIENCE
from PIL import Image

import kido
from kido.shape import Box, Plane, Sphere
from kido.view import _vtk

CAMERA = ((3.0, -1.5, 1.2), (0.1, 0.2, 0.3), (0.1, 0.0, 1.0))
CORNERS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) / 2.0


def test_a_picture_has_its_size_and_the_file_holds_it(tmp_path: Path) -> None:
    image = kido.render(block(Box((1, 1, 1))), tmp_path / "box.png", size=(321, 187))
    assert image.shape == (187, 321, 3)
    assert image.dtype == np.uint8
    assert np.array_equal(np.asarray(Image.open(tmp_path / "box.png")), image)


def test_a_box_covers_the_pixels_that_the_camera_says() -> None:
    size, place = np.array([0.6, 0.3, 0.4]), np.array([0.2, -0.1, 0.3])
    image = kido.render(block(Box(size), place), size=SIZE, camera=CAMERA, ground=False)
    corners = project(CORNERS * size + place, CAMERA, SIZE)
    expected = np.array([corners.min(axis=0), corners.max(axis=0)])
    assert np.abs(box_of(covered(image)) - expected).max() < 1.5
    column, row = project(place, CAMERA, SIZE).astype(int)
    assert reddish(image)[row, column]


def test_a_shape_stands_where_its_body_and_its_own_pose_say() -> None:
    skeleton = kido.Skeleton()
    arm = skeleton.add_body("arm", None, kido.RevoluteJoint(axis=(0, 0, 1), T_parent_joint=(0.5, 0, 0)))
    kido.ShapeNode(arm, "tip", Sphere(0.05), (0.4, 0, 0.1))
    skeleton.positions = [np.pi / 2]
    image = kido.render(skeleton, size=SIZE, camera=CAMERA, ground=False)
    middle = box_of(covered(image)).mean(axis=0)
    assert np.abs(middle - project((0.5, 0.4, 0.1), CAMERA, SIZE)).max() < 1.0


@pytest.mark.parametrize(
    ("view", "right", "up"),
    [("front", (0, 1, 0), (0, 0, 1)), ("side", (1, 0, 0), (0, 0, 1)), ("top", (1, 0, 0), (0, 1, 0))],
)
def test_named_views_have_their_axes_to_the_right_and_up(view: str, right: tuple, up: tuple) -> None:
    middle = block(Sphere(0.2), rgba=RED)
    to_the_right = block(Sphere(0.2), right, GREEN)
    above = block(Sphere(0.2), up, BLUE)
    image = kido.render([middle, to_the_right, above], size=SIZE, camera=view, ground=False)
    red, green, blue = (box_of(dominated(image, channel)).mean(axis=0) for channel in range(3))
    assert green[0] - red[0] > 50
    assert abs(green[1] - red[1]) < 2
    assert red[1] - blue[1] > 50
    assert abs(blue[0] - red[0]) < 2


def test_the_default_view_is_from_the_front_left_and_above() -> None:
    places = {0: (1, 0, 0), 1: (0, 1, 0), 2: (0, 0, 1)}
    parts = [
        block(Sphere(0.2), place, np.eye(4)[channel] + (0, 0, 0, 1)) for channel, place in places.items()
    ]
    image = kido.render(parts, size=SIZE, ground=False)
    x, y, z = (box_of(dominated(image, channel)).mean(axis=0) for channel in range(3))
    assert x[0] < z[0] < y[0]
    assert z[1] < min(x[1], y[1])


@pytest.mark.parametrize("view", ["iso", "front", "side", "top"])
@pytest.mark.parametrize(
    ("edges", "place"),
    [
        ((4.0, 0.1, 0.1), (0, 0, 0)),
        ((0.1, 3.0, 0.2), (0, 2, -1)),
        ((0.02, 0.02, 1.0), (1e4, -2e4, 500.0)),
        ((1.0, 1.0, 0.05), (-300, 0, 0)),
    ],
)
def test_named_views_show_everything_large_and_whole(view: str, edges: tuple, place: tuple) -> None:
    size = (200, 120)
    image = kido.render(block(Box(edges), place), size=size, camera=view, ground=False)
    (left, top), (right, bottom) = box_of(covered(image)) / size
    assert min(left, top) > 0.04
    assert max(right, bottom) < 0.96
    assert max(right - left, bottom - top) > 0.8
    assert abs((left + right) / 2 - 0.5) < 0.02
    assert abs((top + bottom) / 2 - 0.5) < 0.02


@pytest.mark.parametrize("size", [1e-4, 1e3])
def test_size_does_not_matter(size: float) -> None:
    reference = kido.render(block(Box((1, 0.5, 0.2))), size=SIZE).astype(int)
    image = kido.render(block(Box((size, 0.5 * size, 0.2 * size))), size=SIZE).astype(int)
    assert np.abs(image - reference).mean() < 1.0


@pytest.mark.parametrize("speed", [5.0, 500.0])
def test_arrows_of_forces_are_seen_whole_however_large_they_are(speed: float) -> None:
    cube = kido.Skeleton("cube")
    inertia = kido.Inertia(1.0, moment=0.01 * np.eye(3))
    body = cube.add_body("cube", joint=kido.FreeJoint(), inertia=inertia)
    kido.ShapeNode(body, "shape", Box((0.2, 0.2, 0.2)))
    cube.positions, cube.velocities = [0, 0, 0, 0, 0, 0.1], [0, 0, 0, 0, 0, -speed]
    world = kido.World([cube, block(Box((1, 1, 0.1)), (0, 0, -0.05), rgba=None)])
    world.step()
    assert sum(contact.force[2] for contact in world.contacts) > 100 * 9.81
    image = kido.render(world, show=["forces"], camera="front", size=(400, 300), ground=False)
    seen = covered(image)
    assert not (seen[[0, -1]].any() or seen[:, [0, -1]].any())
    (_, top), (_, bottom) = box_of(reddish(image))
    assert bottom - top > 0.3 * 300


def test_planes_are_drawn_and_do_not_need_to_be_seen_whole() -> None:
    thing, wall = block(Box((1, 1, 1))), block(Plane((1, 0, 0), -1.0), rgba=BLUE)
    image = kido.render([thing, wall], size=SIZE, camera="front", ground=False)
    (left, _), (right, _) = box_of(reddish(image))
    assert right - left > 120
    assert dominated(image, 2)[0, 0]


def test_the_floor_stands_for_a_level_plane_and_lies_at_its_height() -> None:
    thing = block(Box((1, 1, 1)), (0, 0, 0.75))
    camera = ((4.0, 2.0, 3.0), (0, 0, 0.3), (0, 0, 1))
    ground = kido.gallery.ground(offset=0.25)
    with_plane = kido.render([thing, ground], size=SIZE, camera=camera)
    np.testing.assert_array_equal(with_plane, kido.render(thing, size=SIZE, camera=camera, ground=0.25))
    wall = kido.gallery.ground(normal=(1.0, 0.0, 0.0), offset=-1.0)
    wall.name = "wall"
    assert not np.array_equal(kido.render([thing, wall], size=SIZE, camera=camera, ground=0.25), with_plane)
    plain = kido.render([thing, ground], size=SIZE, camera=camera, ground=False).astype(int)
    assert (plain[-1] < 250).all(), "without a floor the plane itself is drawn"


def test_a_skeleton_without_bodies_is_an_empty_picture() -> None:
    assert (kido.render(kido.Skeleton(), size=SIZE, ground=False) == 255).all()


@pytest.mark.parametrize(
    ("background", "color"),
    [("black", (0, 0, 0)), ("#204060", (32, 64, 96)), ((1.0, 0.0, 0.2), (255, 0, 51))],
)
def test_the_background_has_its_color(background: object, color: tuple) -> None:
    image = kido.render(block(Sphere(0.1)), size=SIZE, background=background, ground=False)
    assert np.abs(image[0, 0].astype(int) - color).max() <= 1


def test_the_floor_shows_a_shadow_and_lies_below() -> None:
    ball = block(Sphere(0.1), (0, 0, 0.1))
    camera = ((1.0, 0.0, 1.0), (0, 0, 0), (0, 0, 1))
    with_floor = kido.render(ball, size=SIZE, camera=camera).astype(int)
    without = kido.render(ball, size=SIZE, camera=camera, ground=False).astype(int)
    below = tuple(project((-0.02, -0.12, 0.0), camera, SIZE).astype(int)[::-1])
    beside = tuple(project((0.0, 0.17, 0.0), camera, SIZE).astype(int)[::-1])
    assert without[below].min() == without[beside].min() == 255
    assert with_floor[beside].min() > 220
    assert with_floor[below].max() < with_floor[beside].min() - 20
    assert (reddish(with_floor) != reddish(without)).sum() < 0.02 * reddish(without).sum()


def test_the_floor_has_the_height_that_was_asked_for() -> None:
    camera = ((3.0, 0.0, 0.3), (0, 0, 0.3), (0, 0, 1))
    shown = kido.render(block(Sphere(0.1), (0, 0, 0.6)), size=SIZE, camera=camera, ground=0.5)
    hidden = kido.render(block(Sphere(0.1), (0, 0, 0.6)), size=SIZE, camera=camera, ground=False)
    assert np.array_equal(shown, hidden), "the floor is seen from below"
    above = ((1.5, 0.0, 1.5), (0, 0, 0), (0, 0, 1))
    sunk = kido.render(block(Sphere(0.1)), size=SIZE, camera=above, ground=0.09)
    whole = kido.render(block(Sphere(0.1)), size=SIZE, camera=above, ground=False)
    assert 0 < reddish(sunk).sum() < 0.4 * reddish(whole).sum()


def test_the_floor_hides_what_is_below_it_and_shadows_fall_on_it_alone() -> None:
    camera = ((2.0, 0.0, 2.0), (0, 0, 0), (0, 0, 1))
    ball = block(Sphere(0.2), (0, 0, -0.3), GREEN)
    hidden = kido.render([block(Sphere(0.1), (0, 0.6, 0.1)), ball], size=SIZE, camera=camera, ground=0.0)
    assert not dominated(hidden, 1).any()
    from_below = ((2.0, 0.0, -2.0), (0, 0, 0), (0, 0, 1))
    seen = kido.render(ball, size=SIZE, camera=from_below, ground=0.0)
    assert dominated(seen, 1).any()
    row, column = project((0.0, 0.0, 0.0), camera, SIZE).astype(int)[::-1]
    assert hidden[row, column].min() > 200, "what is below the floor throws no shadow"


@pytest.mark.parametrize("azimuth", [0.0, 130.0, -60.0])
@pytest.mark.parametrize("elevation", [-35.0, 0.0, 60.0, 90.0])
def test_an_orbit_looks_from_its_azimuth_and_elevation(azimuth: float, elevation: float) -> None:
    a, e = np.radians([azimuth, elevation])
    back = np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
    up = np.array([-np.sin(e) * np.cos(a), -np.sin(e) * np.sin(a), np.cos(e)])
    parts = [
        block(Sphere(0.3), np.zeros(3), BLUE),
        block(Sphere(0.1), back, RED),
        block(Sphere(0.1), up, GREEN),
    ]
    orbit = kido.view.Orbit(azimuth, elevation)
    image = kido.render(parts, size=SIZE, camera=orbit, ground=False)
    red, green, blue = (box_of(dominated(image, channel)).mean(axis=0) for channel in range(3))
    assert abs(red[0] - blue[0]) < 2 and abs(green[0] - blue[0]) < 2
    assert blue[1] - green[1] > 50
    assert abs(red[1] - green[1]) > 30
    small = kido.render(parts, size=SIZE, camera=kido.view.Orbit(azimuth, elevation, 0.5), ground=False)
    ratio = np.ptp(box_of(covered(small)), axis=0) / np.ptp(box_of(covered(image)), axis=0)
    assert (np.abs(ratio - 0.52) < 0.06).all()  # about a half: what is behind the middle shrinks less


def test_an_orbit_has_an_elevation_within_a_right_angle() -> None:
    with pytest.raises(ValueError, match=r"elevation: expected -90 to 90 \[deg\], got 91"):
        kido.view.Orbit(0.0, 91.0)


def test_a_picture_of_a_part_is_that_part_of_the_picture() -> None:
    """What is drawn in a crop is where it is in the whole, for any place of the crop."""
    for place in [(0, 0, 0), (0, 0.9, 0.5), (0.3, -0.8, -0.4), (0, 3.0, 0)]:
        thing = block(Box((0.3, 0.2, 0.1)), place)
        plane = block(Plane((1, 0, 0), -50.0), rgba=(1, 1, 1, 1))
        camera = ((4.0, 0, 0), (0, 0, 0), (0, 0, 1))
        cropped = kido.render(thing, size=SIZE, camera=camera, ground=False).astype(int)
        whole = kido.render([thing, plane], size=SIZE, camera=camera, ground=False).astype(int)
        assert (reddish(cropped) != reddish(whole)).sum() <= 4
        assert reddish(cropped).any() == (abs(place[1]) < 1.5)


def test_transparent_shapes_let_others_through() -> None:
    front = block(Box((0.1, 1, 1)), (1, 0, 0), (0.0, 0.0, 1.0, 0.4))
    behind = block(Box((0.1, 0.4, 0.4)), (-1, 0, 0), RED)
    image = kido.render([front, behind], size=SIZE, camera="front", ground=False).astype(int)
    column, row = SIZE[0] // 2, SIZE[1] // 2
    through, beside = image[row, column], image[row, column + 60]
    assert through[0] > 60 > through[1]
    assert through[2] > 70
    assert beside[2] > beside[0] > 60


def _absent(name: str) -> None:
    raise ImportError(name)


def test_without_vtk_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kido.view._vtk.import_module", _absent)
    _vtk._classes.cache_clear()
    with pytest.raises(kido.errors.MissingDependencyError, match=r"pip install 'kido\[render\]'"):
        kido.render(block(Sphere(0.1)), size=SIZE)


def test_without_opengl_the_error_says_what_to_install() -> None:
    program = """
import ctypes, os, kido
os.environ.pop("DISPLAY", None)
def refuse(name, *rest, **options):
    raise OSError(name)
ctypes.CDLL = refuse
try:
    kido.render(kido.Skeleton())
except kido.errors.RenderError as error:
    print(error)
"""
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=PATIENCE
    )
    assert "apt-get install libegl1" in run.stdout


def test_pictures_are_made_without_a_word() -> None:
    program = "import kido; kido.render(kido.Skeleton(), size=(32, 32))"
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=PATIENCE
    )
    assert run.stdout == run.stderr == ""
