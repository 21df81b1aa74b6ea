"""The <body> element of SKEL files: inertia, shapes, markers, soft skins."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from _skel import FREE, doubts, read_link, read_robot, read_world, visual

import kido
from kido.description import (
    FrameDescription,
    Inertia,
    Material,
    SoftDescription,
    combined_inertia,
    shape_inertia,
)
from kido.errors import ModelFileError, ModelWarning
from kido.io import read_skel_string
from kido.shape import Box, Capsule, Cone, Cylinder, Ellipsoid, Mesh, Plane, Shape, Sphere

DATA = Path(__file__).with_name("data")
BOX = "<box><size>0.2 0.4 0.6</size></box>"
MASS = "<inertia><mass>2</mass></inertia>"


def pose(x: float, y: float, z: float, order: str = "XYZ", *angles: float) -> np.ndarray:
    T = np.eye(4)
    T[:3, 3] = x, y, z
    if angles:
        T[:3, :3] = kido.math.euler_to_matrix(angles, order)
    return T


# ---- inertia


def test_told_inertia_is_kept() -> None:
    moment = "<ixx>3</ixx><iyy>4</iyy><izz>5</izz><ixy>0.1</ixy><ixz>-0.2</ixz><iyz>0.3</iyz>"
    told = f"<offset>1 -2 3</offset><moment_of_inertia>{moment}</moment_of_inertia>"
    link = read_link(f"<inertia><mass>2</mass>{told}</inertia>{visual(BOX)}")
    assert link.inertia == Inertia(2, (1, -2, 3), [[3, 0.1, -0.2], [0.1, 4, 0.3], [-0.2, 0.3, 5]])


def test_bodies_without_inertia_have_a_kilogram() -> None:
    robot = read_robot(f"<body name='a'>{visual(BOX)}</body>{FREE}")
    assert robot.link("a").inertia == Inertia(1, moment=np.eye(3))
    found = [(d.kind, d.message, d.line) for d in robot.diagnostics]
    text = "<body name='a'>: inertia: missing, taken as 1 kg and 1 kg m^2 about each axis"
    assert found == [("substituted", text, 2)]


def test_moments_without_shapes_are_one() -> None:
    robot = read_robot(f"<body name='a'>{MASS}</body>{FREE}")
    assert robot.link("a").inertia == Inertia(2, moment=np.eye(3))
    assert [d.kind for d in robot.diagnostics] == ["substituted"]
    plane = visual("<plane><normal>0 0 1</normal><offset>0</offset></plane>")
    assert read_link(MASS + plane).inertia == Inertia(2, moment=np.eye(3))


def test_massless_bodies_have_no_moment() -> None:
    assert read_link("<inertia><mass>0</mass></inertia>" + visual(BOX)).inertia == Inertia(0)


def test_moments_that_are_not_told_spread_the_mass_over_all_shapes_by_volume() -> None:
    place, other = "0.1 0.2 0.3 0.4 -0.5 0.6", "-0.3 0 0.1 0 0.7 0"
    shapes = visual(BOX, f"<transformation>{place}</transformation>") + visual(
        "<sphere><radius>0.5</radius></sphere>",
        f"<transformation>{other}</transformation>",
        "collision_shape",
    )
    inside = f"<inertia><mass>2</mass><offset>0.5 0 -0.25</offset></inertia>{shapes}"
    inertia = read_link(inside).inertia
    box, ball = 0.2 * 0.4 * 0.6, 4 / 3 * math.pi * 0.125
    parts = [
        shape_inertia(
            Box((0.2, 0.4, 0.6)), 2 * box / (box + ball), pose(0.1, 0.2, 0.3, "XYZ", 0.4, -0.5, 0.6)
        ),
        shape_inertia(Sphere(0.5), 2 * ball / (box + ball), pose(-0.3, 0, 0.1)),
    ]
    whole = combined_inertia(parts)
    arm = whole.com - (0.5, 0, -0.25)
    expected = whole.moment + 2 * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    assert inertia is not None and inertia.com.tolist() == [0.5, 0, -0.25]
    assert np.allclose(inertia.moment, expected, rtol=1e-13, atol=1e-15)


def test_meshes_count_as_the_boxes_around_them() -> None:
    mesh = visual("<mesh><file_name>wedge.obj</file_name><scale>2 1 1</scale></mesh>")
    inertia = read_link(MASS + mesh, directory=DATA).inertia
    box = shape_inertia(Box((0.6, 0.2, 0.1)), 2.0)
    arm = np.array([0.3, 0.1, 0.05])
    expected = box.moment + 2.0 * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    assert inertia is not None and np.allclose(inertia.moment, expected, rtol=1e-13, atol=1e-15)


def test_meshes_that_cannot_be_read_count_nothing(tmp_path: Path) -> None:
    (tmp_path / "broken.stl").write_bytes(b"solid")
    (tmp_path / "flat.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    for name in ("broken.stl", "flat.obj"):
        mesh = visual(f"<mesh><file_name>{name}</file_name></mesh>")
        robot = read_robot(f"<body name='a'>{MASS}{mesh}</body>{FREE}", directory=tmp_path)
        assert robot.link("a").inertia == Inertia(2, moment=np.eye(3))
        assert [d.kind for d in robot.diagnostics] == ["mesh", "substituted"]


def test_impossible_inertia_warns() -> None:
    moment = "<ixx>1</ixx><iyy>1</iyy><izz>3</izz><ixy>0</ixy><ixz>0</ixz><iyz>0</iyz>"
    inertia = f"<inertia><mass>2</mass><moment_of_inertia>{moment}</moment_of_inertia></inertia>"
    text = f"<skel><skeleton name='r'><body name='a'>\n{inertia}</body>{FREE}</skeleton></skel>"
    with pytest.warns(ModelWarning, match="no body can have the inertia of 'a'") as caught:
        scene = read_skel_string(text)
    assert len(caught) == 1 and caught[0].filename == __file__
    assert [(d.kind, d.line) for d in doubts(scene)] == [("inertia", 2)]


# ---- shapes

SHAPES: dict[str, Shape] = {
    BOX: Box((0.2, 0.4, 0.6)),
    "<sphere><radius>0.5</radius></sphere>": Sphere(0.5),
    "<ellipsoid><size>0.2 0.4 0.6</size></ellipsoid>": Ellipsoid((0.1, 0.2, 0.3)),
    "<cylinder><radius>0.5</radius><height>2</height></cylinder>": Cylinder(0.5, 2),
    "<capsule><radius>0.5</radius><height>2</height></capsule>": Capsule(0.5, 2),
    "<cone><radius>0.5</radius><height>2</height></cone>": Cone(0.5, 2),
    "<plane><normal>0 3 4</normal><offset>-2</offset></plane>": Plane((0, 3, 4), -2),
    "<plane><normal>0 3 4</normal><point>9 1 2</point></plane>": Plane((0, 3, 4), 2.2),
    "<plane><normal>0 3 4</normal></plane>": Plane((0, 3, 4), 0),
    "<mesh><file_name>no.obj</file_name></mesh>": Mesh(None, "no.obj"),
    "<mesh><file_name>no.obj</file_name><scale>1 2 3</scale></mesh>": Mesh(None, "no.obj", (1, 2, 3)),
}


@pytest.mark.parametrize("geometry", SHAPES)
def test_shapes_are_read(geometry: str) -> None:
    place = "<transformation>1 2 3 0.1 0.2 0.3</transformation>"
    link = read_link(visual(geometry, place) + visual(geometry, "", "collision_shape"))
    (seen,), (touching,) = link.visuals, link.collisions
    assert seen.shape == touching.shape == SHAPES[geometry]
    assert np.allclose(seen.origin, pose(1, 2, 3, "XYZ", 0.1, 0.2, 0.3), rtol=0, atol=1e-15)
    assert (touching.origin == np.eye(4)).all()
    assert touching.category and touching.collides_with


def spheres(*each: tuple[float, str]) -> str:
    inside = "".join(
        f"<sphere><radius>{radius}</radius><position>{place}</position></sphere>" for radius, place in each
    )
    return visual(f"<multi_sphere>{inside}</multi_sphere>", "<transformation>0 0 1 0 0 0</transformation>")


def test_hulls_of_spheres_are_what_comes_nearest() -> None:
    (one,) = read_link(spheres((0.5, "1 2 3"))).visuals
    assert one.shape == Sphere(0.5) and one.origin[:3, 3].tolist() == [1, 2, 4]
    (two,) = read_link(spheres((0.5, "1 0 0"), (0.5, "1 0 2"))).visuals
    assert two.shape == Capsule(0.5, 2) and two.origin[:3, 3].tolist() == [1, 0, 2]
    (across,) = read_link(spheres((0.5, "0 0 0"), (0.5, "3 0 4"))).visuals
    assert across.shape == Capsule(0.5, 5)
    assert np.allclose(across.origin[:3, 2], [0.6, 0, 0.8], rtol=0, atol=1e-15)
    (same,) = read_link(spheres((0.5, "1 0 0"), (0.5, "1 0 0"))).visuals
    assert same.shape == Sphere(0.5)
    robot = read_robot(f"<body name='a'>{spheres((0.5, '1 0 0'), (0.25, '1 0 2'))}</body>{FREE}")
    assert [placed.shape for placed in robot.link("a").visuals] == [Sphere(0.5), Sphere(0.25)]
    assert any("its 2 spheres, without the hull" in d.message for d in robot.diagnostics)


def test_hulls_of_spheres_turn_with_their_shape() -> None:
    """A quarter about z brings what is 2 m along x to 2 m along y, from 1 m along x."""
    hull = "<sphere><radius>0.5</radius><position>2 0 0</position></sphere>"
    turned = f"<transformation>1 0 0 0 0 {math.pi / 2}</transformation>"
    inside = visual(f"<multi_sphere>{hull}</multi_sphere>", turned)
    for tag in ("visualization_shape", "collision_shape"):
        link = read_link(MASS + inside.replace("visualization_shape", tag))
        (placed,) = (*link.visuals, *link.collisions)
        assert np.allclose(placed.origin[:3, 3], [1, 2, 0], rtol=0, atol=1e-15)
        assert link.inertia is not None
        expected = shape_inertia(Sphere(0.5), 2.0).moment + 2.0 * np.array(
            [[4, -2, 0], [-2, 1, 0], [0, 0, 5]]
        )
        assert np.allclose(link.inertia.moment, expected, rtol=1e-14, atol=1e-14)


def test_unknown_geometry_is_left_out_and_reported() -> None:
    pyramid = visual("<pyramid><height>1</height></pyramid>")
    robot = read_robot(f"<body name='a'>\n{pyramid}{visual(BOX)}</body>{FREE}")
    assert [placed.shape for placed in robot.link("a").visuals] == [Box((0.2, 0.4, 0.6))]
    found = [(d.kind, d.line) for d in robot.diagnostics if d.kind != "substituted"]
    assert found == [("geometry", 3), ("ignored", 3)]


def test_colors_have_three_or_four_numbers() -> None:
    def material(color: str) -> Material | None:
        return read_link(visual(BOX, f"<color>{color}</color>")).visuals[0].material

    assert material("0.1 0.2 0.3") == Material(None, (0.1, 0.2, 0.3, 1))
    assert material("0.1 0.2 0.3 0.4") == Material(None, (0.1, 0.2, 0.3, 0.4))
    assert material("-1 2 0.5") == Material(None, (0, 1, 0.5, 1))
    assert read_link(visual(BOX)).visuals[0].material is None


def test_shapes_that_are_not_collidable_touch_nothing() -> None:
    def masks(text: str) -> tuple[int, int]:
        (placed,) = read_link(visual(BOX, text, "collision_shape")).collisions
        return placed.category, placed.collides_with

    assert masks("<collidable>0</collidable>") == masks("<collidable>False</collidable>") == (0, 0)
    assert masks("<collidable>1</collidable>") == masks("") == (1, 0xFFFFFFFF)


def test_missing_meshes_warn() -> None:
    mesh = visual("<mesh><file_name>../obj/no.obj</file_name></mesh>")
    text = f"<skel><skeleton name='r'><body name='a'>{MASS}{mesh}</body>{FREE}</skeleton></skel>"
    with pytest.warns(ModelWarning, match=r"mesh files not found: \.\./obj/no\.obj"):
        read_skel_string(text, directory=DATA)


def test_meshes_are_found_beside_the_file_and_in_packages() -> None:
    for name, options in (
        ("wedge.obj", {"directory": DATA}),
        ("package://parts/wedge.obj", {"packages": {"parts": DATA}}),
    ):
        link = read_link(visual(f"<mesh><file_name>{name}</file_name></mesh>"), **options)
        shape = link.visuals[0].shape
        assert isinstance(shape, Mesh) and shape.path == DATA / "wedge.obj"


def test_meshes_of_darts_own_data_are_found_where_it_has_them(monkeypatch: pytest.MonkeyPatch) -> None:
    mesh = visual("<mesh><file_name>dart://sample/wedge.obj</file_name></mesh>")

    def path(**options: object) -> Path | None:
        shape = read_link(mesh, **options).visuals[0].shape
        assert isinstance(shape, Mesh) and shape.uri == "dart://sample/wedge.obj"
        return shape.path

    monkeypatch.delenv("DART_DATA_PATH", raising=False)
    assert path() is None
    assert path(packages={"sample": DATA}) == DATA / "wedge.obj"
    monkeypatch.setenv("DART_DATA_PATH", f"/nowhere:{DATA}")
    assert path() == DATA / "wedge.obj"


# ---- the rest of a body


@pytest.mark.parametrize(("text", "gravity"), [("1", True), ("0", False), ("TRUE", True), ("False", False)])
def test_gravity_can_be_switched_off(text: str, gravity: bool) -> None:
    assert read_link(f"<gravity> {text} </gravity>").gravity is gravity
    assert read_link("").gravity is True


def test_markers_are_frames() -> None:
    link = read_link("<marker name='m'><offset>1 2 3</offset></marker>\n<marker name='n'/>")
    assert link.frames == (
        FrameDescription("m", pose(1, 2, 3), "marker", 2),
        FrameDescription("n", None, "marker", 3),
    )


SOFT = {
    "<sphere><radius>1</radius><num_slices>8</num_slices><num_stacks>6</num_stacks></sphere>": (
        Sphere(1),
        (8, 6),
    ),
    "<box><size>1 2 3</size><frags>3 4 5</frags></box>": (Box((1, 2, 3)), (3, 4, 5)),
    "<ellipsoid><size>2 4 6</size><num_slices>8</num_slices><num_stacks>6</num_stacks></ellipsoid>": (
        Ellipsoid((1, 2, 3)),
        (8, 6),
    ),
    "<cylinder><radius>1</radius><height>2</height><num_slices>8</num_slices><num_stacks>6</num_stacks>"
    "<num_rings>4</num_rings></cylinder>": (Cylinder(1, 2), (8, 6, 4)),
}


@pytest.mark.parametrize("geometry", SOFT)
def test_soft_shapes_are_read(geometry: str) -> None:
    shape, divisions = SOFT[geometry]
    more = "<transformation>1 2 3 0 0 0</transformation><kv>10</kv><ke>20</ke><damp>30</damp>"
    inside = f"\n<soft_shape><total_mass>0.5</total_mass><geometry>{geometry}</geometry>{more}</soft_shape>"
    robot = read_robot(f"<body name='a'>{MASS}{inside}</body>{FREE}")
    expected = SoftDescription(shape, 0.5, divisions, pose(1, 2, 3), 10, 20, 30, line=3)
    assert robot.link("a").soft == expected
    assert not [d for d in robot.diagnostics if d.kind in ("soft", "ignored")]
    body = kido.Skeleton.from_description(robot).body("a")
    assert isinstance(body, kido.SoftBodyNode)
    assert body.skin == expected.skin
    np.testing.assert_allclose(body.skin.points.mean(axis=0), [1, 2, 3], atol=1e-12)
    assert body.mass == pytest.approx(body.core_inertia.mass + 0.5)


def test_soft_shapes_have_standing_stiffness() -> None:
    geometry = "<geometry><box><size>1 2 3</size><frags>3 3 3</frags></box></geometry>"
    body = f"<body name='a'>{MASS}<soft_shape><total_mass>1</total_mass>{geometry}</soft_shape></body>"
    scene = read_skel_string(f"<skel><skeleton name='r'>{body}</skeleton></skel>")
    soft = scene.robots[0].robot.link("a").soft
    assert soft is not None
    assert (soft.vertex_stiffness, soft.edge_stiffness, soft.damping) == (1.0, 1.0, 0.01)


WRONG = [
    ("<inertia/>", "inertia: expected a <mass> element, got none"),
    ("<inertia><mass>-1</mass></inertia>", "inertia/mass: expected no negative mass [kg], got -1"),
    ("<inertia><mass>1 2</mass></inertia>", "inertia/mass: expected a finite number, got '1 2'"),
    ("<inertia><mass>1e999</mass></inertia>", "inertia/mass: expected a finite number, got '1e999'"),
    ("<inertia><mass></mass></inertia>", "inertia/mass: expected a value, but it is empty"),
    ("<inertia><mass>1</mass><offset>0 0</offset></inertia>", "inertia/offset: expected 3 finite numbers"),
    (
        "<inertia><mass>1</mass><moment_of_inertia/></inertia>",
        "inertia/moment_of_inertia: expected a <ixx> element, got none",
    ),
    (
        f"<inertia><mass>1</mass></inertia>{visual('<sphere><radius>1e200</radius></sphere>')}",
        "inertia: moment_of_inertia: missing, and the shapes are too large or too small",
    ),
    ("<visualization_shape/>", "visualization_shape: expected a <geometry> element, got none"),
    (visual("<box/>"), "visualization_shape/geometry/box: expected a <size> element, got none"),
    (visual("<box><size>1 -2 3</size></box>"), "geometry/box: size: expected positive numbers [m]"),
    (visual("<sphere><radius>0</radius></sphere>"), "sphere: radius: expected a positive number"),
    (visual("<plane><offset>1</offset></plane>"), "plane: expected a <normal> element, got none"),
    (visual("<plane><normal>0 0 0</normal></plane>"), "plane: normal: expected a nonzero"),
    (visual("<mesh/>"), "mesh: expected a <file_name> element, got none"),
    (
        spheres((0.5, "1e308 0 0"), (0.5, "-1e308 0 0")),
        "multi_sphere: length: expected finite numbers [m], got inf",
    ),
    (visual("<multi_sphere/>"), "multi_sphere: expected <sphere> elements, got none"),
    (visual(BOX, "<color>1 0</color>"), "visualization_shape/color: expected 3 finite numbers, got '1 0'"),
    (visual(BOX, "<transformation>1</transformation>"), "transformation: expected 6 finite numbers, got '1'"),
    (
        visual(BOX, "<collidable>2</collidable>", "collision_shape"),
        "collidable: expected true, false, 1 or 0",
    ),
    ("<gravity>down</gravity>", "gravity: expected true, false, 1 or 0, got 'down'"),
    ("<transformation>0 0 0 0 0 1_0</transformation>", "transformation: expected 6 finite numbers"),
    ("<marker/>", "marker: name: expected a value, but it is missing"),
    ("<marker name='m'><offset>1</offset></marker>", "marker/offset: expected 3 finite numbers, got '1'"),
    ("<soft_shape><total_mass>1</total_mass></soft_shape>", "soft_shape: expected a <geometry> element"),
    ("<soft_shape><geometry/></soft_shape>", "soft_shape/geometry: expected one of sphere, box, ellipsoid"),
    (
        "<soft_shape><geometry><box><size>1 1 1</size><frags>3 3 2.5</frags></box></geometry></soft_shape>",
        "soft_shape/geometry/box/frags: expected whole numbers from 1 to 1000000, got '3 3 2.5'",
    ),
    (
        "<soft_shape><geometry><box><size>1 1 1</size><frags>3 3 3</frags></box></geometry></soft_shape>",
        "soft_shape: expected a <total_mass> element, got none",
    ),
]


@pytest.mark.parametrize(("inside", "message"), WRONG)
def test_wrong_bodies_name_line_and_element(inside: str, message: str) -> None:
    with pytest.raises(ModelFileError) as caught:
        read_link(f"\n{inside}", name="a.skel")
    assert message in caught.value.message
    assert caught.value.element == "<body name='a'>"
    assert (caught.value.file, caught.value.line) == ("a.skel", 3)


def test_bodies_need_names_of_their_own() -> None:
    with pytest.raises(ModelFileError, match="<body>: name: expected a value, but it is missing"):
        read_robot("<body/>")
    with pytest.raises(
        ModelFileError, match=r"a\.skel:3: <body name='a'>: expected unique names, got another"
    ):
        read_world("<skeleton name='r'><body name='a'/>\n<body name='a'/></skeleton>", name="a.skel")
