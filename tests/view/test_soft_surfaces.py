"""Pictures, films and pages of soft bodies: their faces are where their points are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from _browser import Window, chromium
from _listener import Listener
from _look import RED, SIZE, block, box_of, covered, project, reddish
from _soft_bodies import soft_body, soft_point, squeeze
from numpy.typing import NDArray
from PIL import Image, ImageDraw

import kido
from kido.shape import Box, Mesh, Plane, Sphere
from kido.view import Layer, SceneGraph
from kido.view._floor import Floor
from kido.view._shadow import ShadowCaster

CAMERA = ((2.4, -1.6, 1.2), (0.0, 0.0, 0.0), (0.0, 0.0, 1.0))
GEOMETRY = ("BatchedMeshesMessage", "BatchedGlbMessage")
EDGE = 0.015
"""Share of the pixels of a surface at its rim, about which pictures and polygons may differ."""


@pytest.fixture(scope="module")
def window() -> Iterator[Window]:
    """A browser window that shows nothing yet."""
    with chromium() as browser:
        opened = Window(browser, kido.Viewer(kido.Skeleton("nothing"), port=0), (860, 420))
        yield opened
        opened.page.close()
        opened.viewer.stop()


def silhouette(vertices: NDArray, faces: NDArray, camera: tuple = CAMERA, size: tuple = SIZE) -> NDArray:
    """Where triangles between vertices (n, 3) are in a picture, drawn as polygons."""
    fine = 4
    image = Image.new("1", (fine * size[0], fine * size[1]))
    draw = ImageDraw.Draw(image)
    for triangle in fine * project(vertices, camera, size)[faces]:
        draw.polygon([tuple(corner) for corner in triangle.tolist()], fill=1)
    return np.asarray(image.resize(size, Image.Resampling.BOX).convert("L").resize(size)) > 127


def of_points(skeleton: kido.Skeleton, camera: tuple = CAMERA, size: tuple = SIZE) -> NDArray:
    """Where the faces of a soft body are in a picture, as its points say."""
    body = skeleton.bodies[0]
    return silhouette(body.point_positions(), body.skin.faces, camera, size)


def assert_alike(mask: NDArray, expected: NDArray, share: float = EDGE) -> None:
    assert expected.sum() > 300
    assert (mask != expected).sum() < share * expected.sum()


def picture(what: object, **options: object) -> NDArray:
    return kido.render(what, size=SIZE, camera=CAMERA, ground=False, **options)


def test_a_pressed_cube_covers_the_pixels_that_its_points_say() -> None:
    cube = soft_body(rgba=RED)
    before = picture(cube)
    assert_alike(covered(before), of_points(cube))
    rest = of_points(cube)
    squeeze(cube, (1.25, 1.1, 0.6))
    cube.positions = [0.3, -0.2, 0.4, 0.05, 0.1, -0.05]
    assert (of_points(cube) != rest).sum() > 0.2 * rest.sum()
    assert_alike(covered(picture(cube)), of_points(cube))
    cube.bodies[0].reset_points()
    cube.positions = np.zeros(6)
    assert np.array_equal(picture(cube), before)


def test_one_point_that_moves_away_takes_its_faces_along() -> None:
    cube = soft_body(divisions=(4, 4, 4))
    away = np.zeros((cube.bodies[0].num_points, 3))
    corner = int(np.argmax(cube.bodies[0].skin.points @ (1.0, -1.0, 1.0)))
    away[corner] = (0.25, -0.1, 0.2)
    cube.bodies[0].displacements = away
    assert_alike(covered(picture(cube)), of_points(cube))


def test_normals_follow_the_points() -> None:
    """A sheared ball is lit as a rigid mesh of the same points is; with a ball's normals it would not be."""
    ball = soft_body(Sphere(0.3), divisions=(24, 16))
    at_rest = picture(ball).astype(int)
    points = ball.bodies[0].skin.points
    shear = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [-0.45, 0.3, 0.0]])
    ball.bodies[0].displacements = points @ shear.T
    drawn = picture(ball).astype(int)
    rigid = Mesh(None, convex=False, vertices=points + points @ shear.T, triangles=ball.bodies[0].skin.faces)
    expected = picture(block(rigid, rgba=None)).astype(int)
    inside = covered(drawn) & covered(expected)
    assert np.abs(drawn - expected)[inside].mean() < 0.5
    assert np.abs(drawn - at_rest)[inside & covered(at_rest)].mean() > 5.0


def test_a_point_mass_without_faces_is_a_ball_at_its_place() -> None:
    point = soft_point()
    for displacement in ([0.0, 0.0, 0.0], [0.3, 0.2, -0.1]):
        point.bodies[0].displacements = [displacement]
        place = point.bodies[0].point_positions()[0]
        turned = np.random.default_rng(0).normal(size=(4000, 3))
        hull = place + 0.1 * turned / np.linalg.norm(turned, axis=1, keepdims=True)
        pixels = project(hull, CAMERA, SIZE)
        box = box_of(covered(picture(point)))
        assert np.abs(box - [pixels.min(axis=0), pixels.max(axis=0)]).max() < 1.5


def test_the_points_that_touch_are_drawn_as_they_are_now() -> None:
    cube = soft_body()
    cube.bodies[0].skin_node.visual = False
    squeeze(cube, (0.7, 1.2, 1.1))
    assert_alike(covered(picture(cube, collision=True)), of_points(cube))


def test_a_body_that_becomes_soft_or_rigid_is_drawn_as_it_is() -> None:
    skeleton = kido.gallery.box(size=(0.4, 0.4, 0.4))
    skeleton.positions = np.zeros(6)
    rigid = picture(skeleton)
    body = kido.soften(skeleton.bodies[0], thickness=0.05, stiffness=1e5)
    squeeze(skeleton, (1.3, 1.0, 0.6))
    assert_alike(covered(picture(skeleton)), of_points(skeleton))
    body.harden()
    skeleton.bodies[0].shape_nodes[0].visual = True
    assert np.array_equal(picture(skeleton), rigid)


def test_a_scene_says_which_surfaces_deformed_and_nothing_else_changed() -> None:
    cube, still = soft_body(name="cube"), soft_body(name="still", place=(1.0, 0.0, 0.0))
    world = kido.World([cube, still], gravity=(0, 0, 0))
    scene = SceneGraph(world)
    first = scene.update()
    assert len(first.added) == 2 and not first.deformed
    assert not scene.update().deformed
    squeeze(cube, (1.0, 1.0, 0.8))
    change = scene.update()
    (item,) = change.deformed
    assert item.key.startswith("cube/") and item.layer is Layer.VISUAL
    assert not change.is_structural and not change.moved.any()
    body = cube.bodies[0]
    corners = item.geometry.points[item.geometry.triangles]
    assert corners == pytest.approx((body.skin.points + body.displacements)[body.skin.faces], abs=1e-15)
    world.step()
    assert [one.key for one in scene.update().deformed] == [item.key]
    body.skin_node.material = kido.description.Material("paint", RED)
    assert [one.key for one in scene.update().changed] == [item.key]


def test_a_film_shows_the_surface_of_each_moment(tmp_path: Path) -> None:
    cube = soft_body(rgba=RED)
    squeeze(cube, (1.35, 1.0, 0.6))
    world = kido.World([cube], gravity=(0, 0, 0))
    kido.film(
        world,
        tmp_path / "film.gif",
        duration=0.24,
        rate=25.0,
        size=SIZE,
        camera=CAMERA,
        ground=False,
        background="black",
    )
    areas = []
    with Image.open(tmp_path / "film.gif") as film:
        for frame in range(film.n_frames):
            film.seek(frame)
            seen = covered(np.asarray(film.convert("RGB")), 0)
            expected = of_points(cube)
            assert_alike(seen, expected, 0.03)
            areas.append(expected.sum())
            world.step(40)
    assert len(areas) == 7 and max(areas) > 1.15 * min(areas)


def test_the_shadow_is_that_of_the_surface_of_now() -> None:
    """A cube that gets wider darkens more of the floor, in a film, whose shadows are drawn by kept data."""
    cube = soft_body(place=(0.0, 0.0, 0.4))
    scene = SceneGraph(cube)
    scene.update()
    caster = ShadowCaster(Floor(scene.seen_points(), 0.0, np.ones(3)), 128, many=True)
    before = caster.darkness(caster.cast(scene.items, scene.poses)).sum()
    squeeze(cube, (1.5, 1.5, 1.0))
    scene.update()
    after = caster.darkness(caster.cast(scene.items, scene.poses)).sum()
    caster.close()
    assert after > 1.5 * before > 0.0


def test_browsers_get_points_alone_and_only_of_bodies_that_deformed() -> None:
    bodies = [soft_body(name=f"cube_{i}", place=(i, 0.0, 0.0)) for i in range(3)]
    viewer = kido.Viewer(bodies, port=0)
    try:
        viewer.update()
        listener = Listener(viewer)
        assert len(listener.of_type(*GEOMETRY)) == 3
        listener.windows.clear()
        for factor in (0.9, 0.8, 0.7):
            squeeze(bodies[1], (1.0, 1.0, factor))
            viewer.update()
            listener.until(lambda: any("vertices" in m.get("updates", {}) for m in listener.messages))
            listener.frames(0.1)
            (sent,) = (m for m in listener.messages if "vertices" in m.get("updates", {}))
            assert "cube_1" in sent["name"] and set(sent["updates"]) == {"vertices"}
            vertices = sent["updates"]["vertices"].reshape(-1, 3)
            assert np.ptp(vertices, axis=0) == pytest.approx([0.4, 0.4, 0.4 * factor], abs=1e-6)
            listener.windows.clear()
        listener.frames(0.2)
        assert not any("vertices" in m.get("updates", {}) for m in listener.messages)
    finally:
        viewer.stop()


def test_the_mesh_in_the_page_moves_with_the_points(window: Window) -> None:
    camera = ((3.2, -1.1, 1.0), (0.3, 0.45, 0.0), (0.0, 0.0, 1.0))
    size = (860, 420)
    cube = soft_body(Box((0.6, 0.6, 0.6)), rgba=(1.0, 0.0, 0.0, 1.0), divisions=(4, 4, 4))
    window.viewer.show(cube, camera=camera)
    rest = of_points(cube, camera, size)
    assert_alike(reddish(window.seen(reddish)), rest, 0.05)
    for factors in ((1.2, 0.8, 0.5), (0.6, 0.7, 1.4)):
        squeeze(cube, factors)
        expected = of_points(cube, camera, size)
        assert (expected != rest).sum() > 0.2 * rest.sum()
        assert_alike(reddish(window.scene()), expected, 0.05)
    assert window.errors == []


def test_a_world_that_plays_moves_the_mesh_in_the_page(window: Window) -> None:
    camera = ((3.2, -1.1, 0.6), (0.3, 0.45, 0.3), (0.0, 0.0, 1.0))
    size = (860, 420)
    ground = kido.Skeleton("ground")
    floor = ground.add_body("floor", None, kido.WeldJoint())
    kido.ShapeNode(floor, "floor", Plane((0, 0, 1)), visual=False)
    cube = soft_body(
        rgba=(1.0, 0.0, 0.0, 1.0), place=(0.0, 0.0, 0.45), vertex_stiffness=15.0, edge_stiffness=30.0
    )
    world = kido.World([ground, cube])
    window.viewer.show(world, camera=camera)
    window.seen(reddish)
    window.viewer.play()
    window.until(lambda: world.time > 0.6)
    window.viewer.pause()
    assert_alike(reddish(window.seen(reddish)), of_points(cube, camera, size), 0.05)
    assert np.abs(cube.bodies[0].displacements).max() > 0.01
