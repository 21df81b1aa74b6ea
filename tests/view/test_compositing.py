"""Pixels over a background, and the floor: against plain formulas."""

from __future__ import annotations

import numpy as np
import pytest
from _look import SIZE, project

import kido
from kido.view._camera import Camera
from kido.view._compositing import composed
from kido.view._floor import Floor, FloorView, _between


def expected(background: np.ndarray, drawn: np.ndarray, fine: int) -> np.ndarray:
    """Each pixel the root of the mean square of its finer ones, each over the background."""
    h, w, _ = background.shape
    result = np.empty((h, w, 3))
    for i in range(h):
        for j in range(w):
            cell = drawn[i * fine : (i + 1) * fine, j * fine : (j + 1) * fine].astype(float)
            over = cell[..., :3] + (1.0 - cell[..., 3:] / 255.0) * background[i, j]
            result[i, j] = np.sqrt((over**2).mean(axis=(0, 1)))
    return result


def premultiplied(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    """Random pixels of which a third each is clear, opaque, and something between."""
    alpha = rng.choice([0, 255, -1], size=shape)
    alpha = np.where(alpha < 0, rng.integers(1, 255, shape), alpha)
    color = rng.integers(0, 256, (*shape, 3)) * alpha[..., None] // 255
    return np.concatenate([color, alpha[..., None]], axis=-1).astype(np.uint8)


@pytest.mark.parametrize("fine", [1, 2, 3])
def test_pixels_are_the_mean_light_of_finer_ones(fine: int) -> None:
    rng = np.random.default_rng(fine)
    background = rng.integers(0, 256, (7, 9, 3)).astype(np.uint8)
    drawn = premultiplied(rng, (7 * fine, 9 * fine))
    result = composed(background, drawn, None, None, fine)
    assert np.abs(result - expected(background, drawn, fine)).max() < 2.0


def test_where_nothing_is_drawn_the_background_stays() -> None:
    background = np.random.default_rng(0).integers(0, 256, (5, 6, 3)).astype(np.uint8)
    drawn = np.zeros((10, 12, 4), dtype=np.uint8)
    np.testing.assert_array_equal(composed(background, drawn, None, None, 2), background)
    drawn[4, 7] = (10, 20, 30, 255)
    changed = (composed(background, drawn, None, None, 2) != background).any(axis=-1)
    assert np.argwhere(changed).tolist() == [[2, 3]]


def test_notes_shine_through_and_labels_stand_before() -> None:
    white = np.full((1, 3, 3), 255, dtype=np.uint8)
    grey = np.array([[[100, 100, 100, 255]] * 3], dtype=np.uint8)
    notes, labels = np.zeros_like(grey), np.zeros_like(grey)
    notes[0, 1] = (200, 0, 0, 255)
    labels[0, 2] = (0, 200, 0, 255)
    result = composed(white, grey, notes, labels, 1)[0]
    np.testing.assert_allclose(result[0], 100)
    np.testing.assert_allclose(result[1], [100 + 0.35 * 100, 65, 65], atol=1)
    np.testing.assert_allclose(result[2], [0, 200, 0])


def a_floor() -> tuple[Floor, Camera]:
    corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (0.0, 1.0) for z in (0.0, 1.0)])
    floor = Floor(corners, -0.1, np.ones(3))
    return floor, Camera(np.array([3.0, 1.0, 2.0]), np.array([0.0, 0.5, 0.0]), np.array([0.0, 0.0, 1.0]))


def test_a_shadow_is_where_the_camera_sees_its_place_on_the_floor() -> None:
    floor, camera = a_floor()
    view = FloorView(floor, camera, SIZE)
    darkness = np.zeros((256, 256), dtype=np.float32)
    place = np.array([0.3, 0.9, -0.1])
    column, row = ((place[:2] - floor.center) / floor.half + 1.0) * 128.0
    darkness[int(row) - 2 : int(row) + 3, int(column) - 2 : int(column) + 3] = 0.5
    dimmed = view.image.astype(int) - view.shaded(darkness)
    rows, columns = np.nonzero(dimmed.max(axis=-1) > 60)
    seen = project(place, (camera.position, camera.target, camera.up), SIZE)
    assert np.abs(np.array([columns.mean(), rows.mean()]) + 0.5 - seen).max() < 1.5
    np.testing.assert_array_equal(view.shaded(np.zeros_like(darkness)), view.image)


def test_the_lines_of_the_grid_are_at_round_places() -> None:
    floor, camera = a_floor()
    image = FloorView(floor, camera, (640, 480)).image.astype(int)
    eye = camera.position, camera.target, camera.up
    spacing = 0.5  # the largest of 1, 2, 5 times a power of ten that fits three times into 1.73 m
    for place in ((0.0, 0.25), (0.25, 0.5), (0.5, 0.75)):
        on = project((*place, -0.1), eye, (640, 480)).astype(int)
        beside = project((place[0] + 0.2, place[1] + 0.1, -0.1), eye, (640, 480)).astype(int)
        assert image[on[1], on[0]].mean() < image[beside[1], beside[0]].mean() - 6, (place, spacing)


def test_a_floor_is_not_seen_from_below() -> None:
    floor, camera = a_floor()
    below = Camera(camera.position * (1, 1, -1), camera.target, camera.up)
    assert not floor.is_below(below) and floor.is_below(camera)
    assert (FloorView(floor, below, SIZE).image == 255).all()


def test_shadows_are_linear_between_pixels() -> None:
    rows, columns = np.mgrid[0:5, 0:5].astype(np.float32)
    across, along = np.array([0.25, 1.5, 3.75], np.float32), np.array([3.5, 0.75, 2.25], np.float32)
    np.testing.assert_allclose(
        _between(2.0 * rows + 3.0 * columns, across, along), 2.0 * along + 3.0 * across
    )


def test_a_shadow_goes_with_what_throws_it() -> None:
    pictures = []
    for place in (0.0, 10.0):
        box = kido.gallery.box((0.3, 0.2, 0.4))
        box.positions = [0.0, 0.0, 0.0, place, -place, 0.5]
        pictures.append(kido.render(box, size=(240, 180)).astype(int))
    assert np.abs(pictures[0] - pictures[1]).mean() < 0.2
