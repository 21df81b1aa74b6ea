"""The <soft_shape> element of SDF files, an extension of DART."""

from __future__ import annotations

import numpy as np
import pytest

import kido
from kido.description import RobotDescription, SoftDescription
from kido.errors import ModelFileError
from kido.io import read_sdf_string
from kido.shape import Box, Cylinder, Ellipsoid, Shape, Sphere

GEOMETRIES: dict[str, tuple[Shape, tuple[int, ...]]] = {
    "<box><size>1 2 3</size><frags>3 4 5</frags></box>": (Box((1, 2, 3)), (3, 4, 5)),
    "<sphere><radius>1</radius><num_slices>8</num_slices><num_stacks>6</num_stacks></sphere>": (
        Sphere(1),
        (8, 6),
    ),
    "<ellipsoid><size>2 4 6</size><num_slices>8</num_slices><num_stacks>6</num_stacks></ellipsoid>": (
        Ellipsoid((1, 2, 3)),
        (8, 6),
    ),
    "<cylinder><radius>1</radius><height>2</height><num_slices>8</num_slices><num_stacks>6</num_stacks>"
    "<num_rings>4</num_rings></cylinder>": (Cylinder(1, 2), (8, 6, 4)),
}


def read(inside: str) -> RobotDescription:
    inertial = "<inertial><mass>2</mass></inertial>"
    text = f"<sdf version='1.6'><model name='m'><link name='a'>{inertial}{inside}</link></model></sdf>"
    return read_sdf_string(text).robots[0].robot


@pytest.mark.parametrize("geometry", GEOMETRIES)
def test_soft_shapes_are_read(geometry: str) -> None:
    shape, divisions = GEOMETRIES[geometry]
    numbers = "<pose>1 2 3 0 0 0</pose><total_mass>0.5</total_mass><kv>10</kv><ke>20</ke><damp>30</damp>"
    robot = read(f"\n<soft_shape>{numbers}<geometry>{geometry}</geometry></soft_shape>")
    T = np.eye(4)
    T[:3, 3] = 1, 2, 3
    expected = SoftDescription(shape, 0.5, divisions, T, 10, 20, 30, line=2)
    assert robot.link("a").soft == expected
    assert not [d for d in robot.diagnostics if d.kind in ("soft", "ignored")]
    body = kido.Skeleton.from_description(robot).body("a")
    assert isinstance(body, kido.SoftBodyNode)
    assert body.mass == pytest.approx(2.5) and body.skin == expected.skin


def test_what_is_missing_is_as_in_skel_files() -> None:
    geometry = "<geometry><box><size>1 2 3</size></box></geometry>"
    soft = read(f"<soft_shape><total_mass>1</total_mass>{geometry}</soft_shape>").link("a").soft
    assert isinstance(soft, SoftDescription)
    assert (soft.vertex_stiffness, soft.edge_stiffness, soft.damping) == (1.0, 1.0, 0.01)
    assert soft.divisions == (3, 3, 3)


@pytest.mark.parametrize(
    ("inside", "message"),
    [
        ("<total_mass>1</total_mass>", "expected a <geometry> with a shape, got none"),
        ("<geometry><box><size>1 1 1</size></box></geometry>", "expected a <total_mass> element, got none"),
        (
            "<total_mass>1</total_mass><geometry><cone/></geometry>",
            "expected a box, sphere, ellipsoid or cylinder",
        ),
        (
            "<total_mass>1</total_mass><geometry><box><size>1 1 1</size><frags>3 2.5 3</frags></box>"
            "</geometry>",
            "frags: expected whole numbers from 1 to 1e\\+06, got",
        ),
        (
            "<total_mass>-1</total_mass><geometry><box><size>1 1 1</size></box></geometry>",
            "mass: expected no negative number, got -1",
        ),
    ],
)
def test_what_is_wrong_is_named(inside: str, message: str) -> None:
    with pytest.raises(ModelFileError, match=message):
        read(f"<soft_shape>{inside}</soft_shape>")


def test_what_is_unknown_is_reported() -> None:
    inside = "<total_mass>1</total_mass><geometry><box><size>1 1 1</size></box></geometry><odd>1</odd>"
    robot = read(f"<soft_shape>{inside}</soft_shape>")
    assert [d for d in robot.diagnostics if d.kind == "ignored" and "odd" in d.message]
