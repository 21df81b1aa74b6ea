"""Stick figures, frames and trajectories."""

from __future__ import annotations

import numpy as np
import pytest
from _look import block, box_of, covered, dominated, orange, project

import kido
from kido.shape import Box, Mesh, Sphere

SIZE = (480, 360)
CAMERA = ((0.0, -2.8, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 1.0))
NEAR = ((0.0, -0.4, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 1.0))
POINT = kido.Inertia(1.0, (0, 0, 0), 1e-3 * np.eye(3))


def two_links(joint: kido.Joint | None = None) -> kido.Skeleton:
    """A link down from the origin, another to the side, their centers of mass at their ends."""
    skeleton = kido.Skeleton("links")
    down = kido.Inertia(1.0, (0, 0, -0.5), 1e-3 * np.eye(3))
    aside = kido.Inertia(8.0, (0.4, 0, 0), 1e-3 * np.eye(3))
    upper = skeleton.add_body("upper", None, kido.RevoluteJoint(axis=(0, 1, 0)), inertia=down)
    elbow = joint or kido.RevoluteJoint("elbow", axis=(0, 1, 0))
    elbow.T_parent_joint = (0, 0, -0.5)
    skeleton.add_body("lower", upper, elbow, inertia=aside)
    return skeleton


def shot(skeleton: kido.Skeleton, **options: object) -> np.ndarray:
    return kido.render(skeleton, size=SIZE, ground=False, **{"camera": CAMERA, **options})


def bluish(image: np.ndarray) -> np.ndarray:
    return image[..., 2].astype(int) > image[..., 0].astype(int) + 50


def at(image: np.ndarray, point: tuple[float, float, float]) -> np.ndarray:
    column, row = project(point, CAMERA, SIZE).astype(int)
    return image[row, column].astype(int)


def test_a_model_without_shapes_is_drawn_as_sticks_from_joint_to_joint() -> None:
    image = shot(two_links())
    assert at(image, (0, 0, -0.25)).max() < 230
    assert at(image, (0.2, 0, -0.5)).max() < 230
    assert (at(image, (0.2, 0, -0.25)) == 255).all()
    (left, top), (right, bottom) = box_of(covered(image))
    assert project((0, 0, -0.5), CAMERA, SIZE)[1] - bottom > -12
    assert abs(right - project((0.42, 0, -0.5), CAMERA, SIZE)[0]) < 5
    assert left > project((-0.06, 0, 0), CAMERA, SIZE)[0]
    assert top > project((0, 0, 0.06), CAMERA, SIZE)[1]


def test_sticks_follow_the_positions() -> None:
    skeleton = two_links()
    skeleton.positions = [-np.pi / 2, 0.0]
    image = shot(skeleton)
    assert at(image, (0.25, 0, 0)).max() < 230
    assert at(image, (0.5, 0, 0.2)).max() < 230
    assert (at(image, (0, 0, -0.25)) == 255).all()


@pytest.mark.parametrize(("axis", "upright"), [((0, 0, 1), True), ((1, 0, 0), False)])
def test_a_drum_lies_along_the_axis_of_rotation(axis: tuple, upright: bool) -> None:
    skeleton = kido.Skeleton()
    base = kido.RevoluteJoint(axis=axis)
    skeleton.add_body("body", None, base, inertia=kido.Inertia(1.0, (0.3, 0, 0.3), 1e-3 * np.eye(3)))
    (left, top), (right, bottom) = box_of(orange(shot(skeleton, camera=NEAR)))
    assert (bottom - top > 1.3 * (right - left)) == upright
    assert (right - left > 1.3 * (bottom - top)) != upright


def test_a_drum_turns_with_its_body() -> None:
    skeleton = kido.Skeleton()
    first = skeleton.add_body("first", None, kido.RevoluteJoint("first", axis=(0, 1, 0)), inertia=POINT)
    offset = kido.Inertia(1.0, (0.3, 0, 0.3), 1e-3 * np.eye(3))
    second = kido.RevoluteJoint("second", axis=(0, 0, 1), T_parent_joint=(0.3, 0, 0))
    skeleton.add_body("second", first, second, inertia=offset)
    skeleton.positions = [np.pi / 2, 0.0]
    place = second.child_body.transform()[:3, 3]
    near = (place - (0, 0.4, 0), place, (0, 0, 1))
    (left, top), (right, bottom) = box_of(orange(shot(skeleton, camera=near)))
    assert right - left > 1.3 * (bottom - top), "z of the first body points along x"


def test_a_bar_lies_along_the_axis_of_translation_and_stays_behind() -> None:
    skeleton = kido.Skeleton()
    skeleton.add_body("cart", None, kido.PrismaticJoint(axis=(1, 0, 0)), inertia=POINT)
    skeleton.positions = [0.6]
    image = shot(skeleton)
    middle = box_of(orange(image)).mean(axis=0)
    assert np.abs(middle - project((0, 0, 0), CAMERA, SIZE)).max() < 3
    (left, top), (right, bottom) = box_of(orange(image))
    assert right - left > 1.5 * (bottom - top)
    assert at(image, (0.3, 0, 0)).max() < 200
    assert np.abs(box_of(bluish(image)).mean(axis=0) - project((0.6, 0, 0), CAMERA, SIZE)).max() < 4


def test_balls_at_centers_of_mass_grow_with_the_mass() -> None:
    skeleton = kido.Skeleton()
    for name, x, mass in (("light", -0.3, 1.0), ("heavy", 0.3, 8.0)):
        inertia = kido.Inertia(mass, (0, 0, 0), 1e-3 * np.eye(3))
        skeleton.add_body(name, None, kido.FreeJoint(T_parent_joint=(x, 0, 0)), inertia=inertia)
    image = shot(skeleton, camera=((0.0, -1.5, 0.0), (0, 0, 0), (0, 0, 1)))
    left, right = (box_of(bluish(half)) for half in np.split(image, 2, axis=1))
    assert np.ptp(right, axis=0)[1] / np.ptp(left, axis=0)[1] == pytest.approx(2.0, rel=0.15)


ALL_JOINTS = [
    kido.WeldJoint,
    kido.ScrewJoint,
    kido.UniversalJoint,
    kido.BallJoint,
    kido.EulerJoint,
    kido.PlanarJoint,
    kido.TranslationalJoint,
    kido.TranslationalJoint2D,
    kido.FreeJoint,
]


@pytest.mark.parametrize("kind", ALL_JOINTS)
def test_every_joint_type_can_be_drawn(kind: type[kido.Joint]) -> None:
    skeleton = two_links(kind("elbow"))
    image = shot(skeleton)
    column, row = project((0, 0, -0.5), CAMERA, SIZE).astype(int)
    around = image[row - 15 : row + 16, column - 15 : column + 16]
    shown = kind not in (kido.WeldJoint, kido.FreeJoint)
    assert orange(around).any() == shown


def test_sticks_are_inside_transparent_shapes_when_asked_for() -> None:
    skeleton = two_links()
    kido.ShapeNode(skeleton.body("upper"), "cover", Box((0.3, 0.3, 0.8)), (0, 0, -0.25))
    hidden, none, inside = shot(skeleton), shot(skeleton, sticks=False), shot(skeleton, sticks=True)
    assert not orange(hidden).any()
    assert np.array_equal(hidden, none)
    assert inside.astype(int)[orange(inside)].size
    assert at(inside, (0.1, 0, -0.1)).min() > at(hidden, (0.1, 0, -0.1)).min()


def test_sticks_can_be_left_out() -> None:
    assert (shot(two_links(), sticks=False) == 255).all()


def test_sticks_stand_in_for_meshes_that_are_missing() -> None:
    skeleton = two_links()
    kido.ShapeNode(skeleton.body("upper"), "lost", Mesh(None, "package://lost.stl"))
    with pytest.warns(kido.errors.ModelWarning, match=r"lost\.stl"):
        assert orange(shot(skeleton)).any()


def test_sticks_reach_end_effectors() -> None:
    skeleton = two_links()
    kido.EndEffector(skeleton.body("lower"), "hand", (0.3, 0, 0.4))
    image = shot(skeleton)
    assert at(image, (0.15, 0, -0.3)).max() < 230


def test_frames_are_drawn_with_red_green_and_blue_axes() -> None:
    turned = np.eye(4)
    turned[:3, :3] = np.array([[0, 0, 1], [0, 1, 0], [-1, 0, 0]])
    turned[:3, 3] = (0.0, -0.5, 0.0)
    frame = kido.SimpleFrame("mark", transform=turned)
    image = shot(block(Sphere(0.4), rgba=None), frames=[frame])
    centre = project(turned[:3, 3], CAMERA, SIZE)
    red, blue = (box_of(dominated(image, channel)).mean(axis=0) - centre for channel in (0, 2))
    assert red[1] > 3 > abs(red[0]), "x points down"
    assert blue[0] > 3 > abs(blue[1]), "z points to the right"


def test_all_bodies_have_their_axes_drawn_when_asked_for() -> None:
    skeleton = two_links()
    skeleton.positions = [0.0, 0.7]
    image = shot(skeleton, frames=True)
    assert not dominated(shot(skeleton), 2).any()
    for body in skeleton.bodies:
        T = body.transform()
        column, row = project(T[:3, 3] + 0.05 * T[:3, 2], CAMERA, SIZE).astype(int)
        assert dominated(image[row - 5 : row + 6, column - 5 : column + 6], 2).any(), "z"
    column, row = project((0.05, 0, 0), CAMERA, SIZE).astype(int)
    assert dominated(image[row - 5 : row + 6, column - 5 : column + 6], 0).any(), "x"


def test_frames_shine_through_shapes() -> None:
    skeleton = block(Box((0.6, 0.6, 0.6)), rgba=None)
    bare, shown = shot(skeleton).astype(int), shot(skeleton, frames=skeleton.bodies).astype(int)
    changed = np.abs(bare - shown).max(axis=-1) > 10
    assert 20 < changed.sum() < 0.1 * covered(bare).sum()


def test_trajectories_pass_through_their_points() -> None:
    angles = np.linspace(0.0, np.pi, 40)
    line = 0.6 * np.stack([np.cos(angles), 0 * angles, np.sin(angles)], axis=-1)
    image = shot(block(Sphere(0.2)), trajectories=[line, [(-0.6, 0, -0.5), (-0.6, 0, -0.5), (0.6, 0, -0.5)]])
    for point in line[1:-1:4]:
        assert at(image, tuple(point))[0] < 80, "blue"
    assert (at(image, (0, 0, 0.45)) == 255).all()
    red, _, blue = at(image, (0.0, 0, -0.5))
    assert red > blue + 50, "the second one has another color"


def test_trajectories_are_as_thick_from_all_sides() -> None:
    line = [(-0.5, 0, 0), (0.1, 0, 0), (0.5, 0, 0)]
    for angle in np.arange(4) * np.pi / 4:
        camera = ((0.0, np.cos(angle), np.sin(angle)), (0, 0, 0), (0.0, -np.sin(angle), np.cos(angle)))
        thickness = covered(shot(kido.Skeleton(), trajectories=[line], camera=camera))[:, 240].sum()
        assert thickness == pytest.approx(0.004 / np.tan(np.radians(15)) * SIZE[1], abs=1.5)


def test_a_trajectory_is_in_view() -> None:
    line = [(0, 0, 0), (0, 3, 0), (0, 3, 2)]
    image = kido.render(block(Sphere(0.1)), size=SIZE, camera="front", trajectories=[line], ground=False)
    (left, top), (right, bottom) = box_of(covered(image))
    assert left > 5
    assert right < SIZE[0] - 5
    assert top > 5
    assert bottom < SIZE[1] - 5
    assert right - left > 0.6 * SIZE[0]


@pytest.mark.parametrize(
    "line",
    [
        [(0, 0, 0.5)],
        [(0, 0, 0.5)] * 3,
        [(0, 0, 0), (0.5, 0, 0.5), (0, 0, 0)],
        [(0, 0, 0), (1, 0, 0), (1, 0, 1e-9)],
    ],
)
def test_trajectories_that_pause_or_turn_back_are_drawn(line: list) -> None:
    image = shot(block(Sphere(0.05)), trajectories=[line])
    assert at(image, max(line, key=lambda point: point[0] + point[2]))[0] < 120
