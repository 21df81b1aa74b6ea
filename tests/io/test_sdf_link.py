from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from _sdf_text import BALL, link, notes, read, read_link, read_model
from scipy.spatial.transform import Rotation

from kido.description import ContactExclusion, Material, shape_inertia
from kido.errors import ModelFileError, ModelWarning
from kido.io import read_sdf_string
from kido.shape import Box, Capsule, Cone, Cylinder, Ellipsoid, Mesh, Plane, Shape, Sphere, Surface

MOMENTS = "<ixx>1</ixx><ixy>0.1</ixy><ixz>0.2</ixz><iyy>2</iyy><iyz>0.3</iyz><izz>2.5</izz>"
MOMENT = np.array([[1.0, 0.1, 0.2], [0.1, 2.0, 0.3], [0.2, 0.3, 2.5]])


def inertial_of(inside: str, version: str = "1.11", more: str = "") -> object:
    return read_model(f"<link name='a'>{inside}{more}</link>", version).link("a").inertia


def test_inertial_is_read_in_the_axes_of_the_link() -> None:
    robot = read_model(
        f"<link name='a'><inertial><pose>1 2 3 0.1 0.2 0.3</pose><mass>4</mass><inertia>{MOMENTS}</inertia>"
        "</inertial></link>"
    )
    inertia = robot.link("a").inertia
    turn = Rotation.from_euler("xyz", [0.1, 0.2, 0.3]).as_matrix()
    assert inertia is not None
    assert (inertia.mass, inertia.com.tolist()) == (4.0, [1.0, 2.0, 3.0])
    assert np.allclose(inertia.moment, turn @ MOMENT @ turn.T, rtol=0.0, atol=1e-15)
    assert robot.diagnostics == ()


def test_what_an_inertial_does_not_say_is_what_sdformat_says() -> None:
    robot = read_model("<link name='a'/><link name='b'><inertial><mass>2</mass></inertial></link>")
    for name, mass in (("a", 1.0), ("b", 2.0)):
        inertia = robot.link(name).inertia
        assert inertia is not None and inertia.mass == mass
        assert np.array_equal(inertia.moment, np.eye(3))
    assert notes(robot, "default") == [
        "<link name='a'>: has no <inertial>: 1 kg with moments of 1 kg m^2",
        "<link name='b'>: inertial: has no <inertia>: 1 kg m^2 about each axis",
    ]


def test_links_that_stand_need_no_inertia() -> None:
    robot = read_model("<static>1</static><link name='a'/>")
    assert robot.link("a").inertia is None and robot.diagnostics == ()


def test_impossible_inertia_warns_and_names_the_link() -> None:
    text = "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>3</izz></inertia></inertial>"
    with pytest.warns(ModelWarning, match="no body can have the inertia of 'a'"):
        read_sdf_string(f"<sdf version='1.9'><model name='m'><link name='a'>{text}</link></model></sdf>")


DENSE = "<collision name='c'><pose>1 0 0 0.3 0.2 0.1</pose><geometry>{}</geometry>{}</collision>"
BOX = "<box><size>1 2 3</size></box>"
T_BOX = np.eye(4)
T_BOX[:3, :3] = Rotation.from_euler("xyz", [0.3, 0.2, 0.1]).as_matrix()
T_BOX[0, 3] = 1.0


@pytest.mark.parametrize(
    ("inertial", "collision", "version", "mass"),
    [
        ("", "", "1.11", 6000.0),
        ("<density>50</density>", "", "1.11", 300.0),
        ("<density>50</density>", "<density>10</density>", "1.11", 60.0),
        ("", "<material_density>20</material_density>", "1.11", 120.0),
        ("<mass>7</mass>", "", "1.11", 6000.0),
        ("<mass>7</mass>", "", "1.12", 7.0),
    ],
)
def test_inertia_is_computed_of_collisions(inertial: str, collision: str, version: str, mass: float) -> None:
    found = inertial_of(f"<inertial auto='true'>{inertial}</inertial>", version, DENSE.format(BOX, collision))
    expected = shape_inertia(Box((1, 2, 3)), mass, T_BOX)
    assert found.mass == pytest.approx(mass, rel=1e-15)  # type: ignore[attr-defined]
    assert np.allclose(found.com, expected.com, rtol=0.0, atol=1e-15)  # type: ignore[attr-defined]
    assert np.allclose(found.moment, expected.moment, rtol=1e-14, atol=1e-12)  # type: ignore[attr-defined]


def test_shapes_without_volume_add_nothing_to_a_computed_inertia() -> None:
    plane = DENSE.format("<plane><normal>0 0 1</normal></plane>", "")
    robot = read_model(f"<link name='a'><inertial auto='1'/>{plane}</link>")
    assert notes(robot) == [
        "<link name='a'>: collision: auto: adds nothing to the inertia: a plane has no volume",
        "<link name='a'>: inertial: auto: no collision has a volume: 1 kg with moments of 1 kg m^2",
    ]


def tetrahedron(path: Path) -> None:
    """The corner of a cube with edges of 1000 mm, as text."""
    corners = [(0, 0, 0), (1000, 0, 0), (0, 1000, 0), (0, 0, 1000)]
    faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    loops = "".join(
        "facet normal 0 0 0\nouter loop\n"
        + "".join(f"vertex {' '.join(map(str, corners[i]))}\n" for i in face)
        + "endloop\nendfacet\n"
        for face in faces
    )
    path.write_text(f"solid t\n{loops}endsolid t\n")


def test_inertia_is_computed_of_meshes(tmp_path: Path) -> None:
    """The corner of a cube: volume 1/6, center at 1/4, moments 3/40 m^2, products 1/80 m^2 about it."""
    tetrahedron(tmp_path / "t.stl")
    mesh = "<mesh><uri>t.stl</uri><scale>0.001 0.001 0.001</scale></mesh>"
    shape = f"<collision name='c'><geometry>{mesh}</geometry></collision>"
    text = f"<link name='a'><inertial auto='true'><density>600</density></inertial>{shape}</link>"
    inertia = read_model(text, directory=tmp_path).link("a").inertia
    assert inertia is not None and inertia.mass == pytest.approx(100.0, rel=1e-12)
    assert np.allclose(inertia.com, 0.25, rtol=0.0, atol=1e-12)
    expected = 100.0 * (np.full((3, 3), 1.0 / 80.0) + np.eye(3) * (3.0 / 40.0 - 1.0 / 80.0))
    assert np.allclose(inertia.moment, expected, rtol=0.0, atol=1e-10)


def test_meshes_that_are_missing_add_nothing_to_a_computed_inertia() -> None:
    shape = "<collision name='c'><geometry><mesh><uri>gone.stl</uri></mesh></geometry></collision>"
    robot = read_model(f"<link name='a'><inertial auto='true'/>{shape}</link>")
    assert [one.kind for one in robot.diagnostics] == ["mesh", "substituted", "ignored", "default"]
    assert "collision: auto: adds nothing to the inertia: " in notes(robot, "ignored")[0]


SHAPES: list[tuple[str, Shape]] = [
    ("<box><size>1 2 3</size></box>", Box((1.0, 2.0, 3.0))),
    ("<sphere><radius>0.5</radius></sphere>", Sphere(0.5)),
    ("<cylinder><radius>0.1</radius><length>2</length></cylinder>", Cylinder(0.1, 2.0)),
    ("<capsule><radius>0.1</radius><length>2</length></capsule>", Capsule(0.1, 2.0)),
    ("<cone><radius>0.1</radius><length>2</length></cone>", Cone(0.1, 2.0)),
    ("<ellipsoid><radii>1 2 3</radii></ellipsoid>", Ellipsoid((1.0, 2.0, 3.0))),
    ("<plane><normal>0 2 0</normal></plane>", Plane((0.0, 1.0, 0.0))),
    ("<plane/>", Plane()),
    ("<mesh><uri>a.stl</uri><scale>1 -1 2</scale></mesh>", Mesh(None, "a.stl", (1.0, -1.0, 2.0))),
]


@pytest.mark.parametrize("tag", ["visual", "collision"])
@pytest.mark.parametrize(("geometry", "shape"), SHAPES)
def test_shapes_are_read_with_their_place(tag: str, geometry: str, shape: Shape) -> None:
    pose = "<pose degrees='true'>1 2 3 10 20 30</pose>"
    found = read_link(f"<{tag} name='n'>{pose}<geometry>{geometry}</geometry></{tag}>")
    (placed,) = found.visuals if tag == "visual" else found.collisions
    assert (placed.shape, placed.name) == (shape, "n")
    assert placed.origin[:3, 3].tolist() == [1.0, 2.0, 3.0]
    turn = Rotation.from_euler("xyz", [10.0, 20.0, 30.0], degrees=True).as_matrix()
    assert np.allclose(placed.origin[:3, :3], turn, rtol=0.0, atol=1e-15)


def test_poses_may_have_quaternions() -> None:
    pose = "<pose rotation_format='quat_xyzw'>0 0 0 0.2 0.4 0.6 0.8</pose>"
    found = read_link(f"<visual name='n'>{pose}{BALL}</visual>").visuals[0].origin
    turn = Rotation.from_quat([0.2, 0.4, 0.6, 0.8]).as_matrix()
    assert np.allclose(found[:3, :3], turn, rtol=0.0, atol=1e-15)


@pytest.mark.parametrize("kind", ["heightmap", "polyline", "image", "torus"])
def test_other_shapes_are_left_out_with_a_diagnostic(kind: str) -> None:
    robot = read_model(link("a", f"<visual name='n'>\n<geometry><{kind}/></geometry></visual>"))
    assert robot.link("a").visuals == ()
    assert notes(robot, "geometry")[0].startswith(
        f"<link name='a'>: visual/geometry/{kind}: left out: shapes of this kind are not read"
    )
    assert robot.diagnostics[0].line == 4


def test_an_empty_geometry_is_no_shape_and_no_doubt() -> None:
    robot = read_model(link("a", "<collision name='n'><geometry><empty/></geometry></collision>"))
    assert robot.link("a").collisions == () and robot.diagnostics == ()


def test_meshes_are_found_beside_the_file_and_missing_ones_are_reported(tmp_path: Path) -> None:
    (tmp_path / "here.stl").touch()
    text = "<visual name='{0}'><geometry><mesh><uri>{0}.stl</uri><submesh><name>s</name></submesh></mesh>"
    text += "</geometry></visual>"
    robot = read_model(link("a", text.format("here") + text.format("gone")), directory=tmp_path)
    here, gone = (placed.shape for placed in robot.link("a").visuals)
    assert (here, gone) == (Mesh(tmp_path / "here.stl", "here.stl"), Mesh(None, "gone.stl"))
    assert [one.kind for one in robot.diagnostics] == ["ignored", "ignored", "mesh"]
    assert "mesh/submesh: ignored" in notes(robot, "ignored")[0]


MESH = "<collision name='n'><geometry><mesh{}><uri>a.stl</uri></mesh></geometry></collision>"


@pytest.mark.parametrize(
    ("static", "optimization", "convex", "reported"),
    [
        ("true", "", False, False),
        ("false", "", True, True),
        ("false", "convex_hull", True, False),
        ("true", "convex_hull", True, False),
        ("true", "convex_decomposition", True, True),
    ],
)
def test_meshes_touch_as_triangles_where_they_stand_and_as_hulls_where_they_move(
    static: str, optimization: str, convex: bool, reported: bool
) -> None:
    mesh = MESH.format(f" optimization='{optimization}'" if optimization else "")
    robot = read_model(f"<static>{static}</static>{link('a', mesh)}")
    shape = robot.link("a").collisions[0].shape
    assert isinstance(shape, Mesh) and shape.convex is convex
    assert len(notes(robot, "substituted")) == int(reported)


def material_of(inside: str, more: str = "") -> Material | None:
    return read_link(f"<visual name='v'>{BALL}{inside}{more}</visual>").visuals[0].material


def test_materials_have_the_diffuse_color_and_transparency() -> None:
    assert material_of("") is None
    diffuse = "<material><diffuse>1 0.5 0 0.8</diffuse></material>"
    assert material_of(diffuse) == Material(None, (1.0, 0.5, 0.0, 0.8))
    seen_through = material_of(diffuse, "<transparency>0.25</transparency>")
    assert seen_through is not None
    assert np.allclose(seen_through.rgba, (1.0, 0.5, 0.0, 0.6), rtol=0.0, atol=1e-15)
    assert material_of("<material><diffuse>0 1 0</diffuse></material>") == Material(None, (0, 1, 0, 1))


def test_other_looks_are_reported() -> None:
    inside = (
        "<material><ambient>1 1 1 1</ambient><script><uri>u</uri><name>Gazebo/Red</name></script></material>"
    )
    robot = read_model(link("a", f"<visual name='v'>{BALL}{inside}<cast_shadows>0</cast_shadows></visual>"))
    assert robot.link("a").visuals[0].material == Material("Gazebo/Red")
    assert sorted(notes(robot)) == [
        "<link name='a'>: visual/cast_shadows: ignored: '0'",
        "<link name='a'>: visual/material/ambient: ignored: '1 1 1 1'",
        "<link name='a'>: visual/material/script: ignored: only its name is kept: Gazebo/Red",
    ]


def test_textures_are_found(tmp_path: Path) -> None:
    (tmp_path / "wood.png").touch()
    pbr = "<material><pbr><metal><albedo_map>wood.png</albedo_map></metal></pbr></material>"
    text = link("a", f"<visual name='v'>{BALL}{pbr}</visual>")
    material = read_model(text, directory=tmp_path).link("a").visuals[0].material
    assert material is not None and material.texture == str(tmp_path / "wood.png")


def collision(surface: str) -> str:
    return f"<collision name='c'>{BALL}<surface>{surface}</surface></collision>"


SURFACES = [
    ("", None),
    ("<friction><ode/></friction>", None),
    ("<friction><ode><mu>0.5</mu><mu2>0.5</mu2></ode></friction>", Surface(0.5)),
    ("<friction><ode><mu>0.5</mu></ode></friction>", Surface(0.5)),
    (
        "<friction><ode><mu>0.5</mu><mu2>0.7</mu2><fdir1>0 2 0</fdir1><slip1>0.1</slip1><slip2>0.2</slip2>"
        "</ode></friction>",
        Surface(0.5, friction_direction=(0, 1, 0), secondary_friction=0.7, slip=0.1, secondary_slip=0.2),
    ),
    (
        "<friction><ode><mu>0.5</mu><fdir1>1 0 0</fdir1></ode></friction>",
        Surface(0.5, friction_direction=(1, 0, 0), secondary_friction=1.0, secondary_slip=0.0),
    ),
    (
        "<friction><bullet><friction>0.3</friction><friction2>0.3</friction2></bullet></friction>",
        Surface(0.3),
    ),
    ("<bounce><restitution_coefficient>0.6</restitution_coefficient></bounce>", Surface(restitution=0.6)),
    (
        "<friction><torsional><coefficient>0.5</coefficient><patch_radius>0.2</patch_radius></torsional>"
        "</friction>",
        Surface(torsional_friction=3.0 * math.pi / 16.0 * 0.1),
    ),
]


@pytest.mark.parametrize(("told", "expected"), SURFACES)
def test_surfaces(told: str, expected: Surface | None) -> None:
    found = read_link(collision(told)).collisions[0].surface
    if expected is None or found is None:
        assert found is expected
    else:
        assert found.torsional_friction == pytest.approx(expected.torsional_friction, rel=1e-15)
        assert replace(found, torsional_friction=0.0) == replace(expected, torsional_friction=0.0)


def test_what_a_surface_cannot_have_is_reported() -> None:
    told = """<friction><ode><mu>0.5</mu>
<mu2>0.7</mu2></ode><torsional><use_patch_radius>0</use_patch_radius></torsional></friction>
<bounce><threshold>0.1</threshold></bounce><contact><ode><kp>1e6</kp></ode></contact>"""
    robot = read_model(link("a", collision(told)))
    surface = "<link name='a'>: collision/surface"
    assert sorted(notes(robot)) == [
        f"{surface}/bounce/threshold: ignored: '0.1'",
        f"{surface}/contact/ode: ignored",
        f"{surface}/friction/ode/mu2: 0.5 in every direction: there is no <fdir1>",
        f"{surface}/friction/torsional: use_patch_radius: ignored: contacts have no radius by depth",
    ]
    assert [one.line for one in robot.diagnostics if "mu2" in one.message] == [4]


@pytest.mark.parametrize(
    ("told", "expected", "reported"),
    [
        ("", (1, 0xFFFFFFFF), 0),
        ("<contact/>", (1, 0xFFFFFFFF), 0),
        ("<contact><collide_bitmask>0x0a</collide_bitmask></contact>", (10, 10), 0),
        ("<contact><category_bitmask>4</category_bitmask></contact>", (4, 0xFFFF), 1),
        (
            "<contact><collide_bitmask>2</collide_bitmask><category_bitmask>1</category_bitmask></contact>",
            (1, 2),
            1,
        ),
    ],
)
def test_bitmasks(told: str, expected: tuple[int, int], reported: int) -> None:
    robot = read_model(link("a", collision(told)))
    (placed,) = robot.link("a").collisions
    assert (placed.category, placed.collides_with) == expected
    assert len(notes(robot, "substituted")) == reported


def test_beside_bitmasks_collisions_without_them_have_all_sixteen() -> None:
    bits = collision("<contact><collide_bitmask>2</collide_bitmask></contact>")
    plain = f"<collision name='c'>{BALL}</collision>"
    assert read_model(link("a", plain)).link("a").collisions[0].category == 1
    robot = read_model(link("a", plain) + link("b", bits))
    found = [robot.link(name).collisions[0] for name in "ab"]
    assert [(one.category, one.collides_with) for one in found] == [(0xFFFF, 0xFFFF), (2, 2)]


def test_links_may_be_without_gravity() -> None:
    assert read_link("").gravity
    assert not read_link("<gravity>false</gravity>").gravity


def self_collision(model: str, **links: str) -> tuple[bool, set[frozenset[str]]]:
    shaped = "".join(link(name, told + collision("")) for name, told in links.items())
    scene = read(f"<model name='m'>{model}{shaped}</model>")
    pairs = {frozenset((one.first.link, one.second.link)) for one in scene.exclusions}
    assert all(isinstance(one, ContactExclusion) for one in scene.exclusions)
    return scene.robots[0].self_collision, pairs


def test_two_links_touch_where_either_is_self_colliding() -> None:
    on, off = "<self_collide>1</self_collide>", "<self_collide>0</self_collide>"
    assert self_collision("", a="", b="") == (False, set())
    assert self_collision(on, a="", b="") == (True, set())
    assert self_collision("", a=on, b="", c="") == (True, {frozenset("bc")})
    assert self_collision(on, a=off, b=off, c="") == (True, {frozenset("ab")})


IGNORED = [
    ("<enable_wind>true</enable_wind>", "enable_wind: ignored: 'true'"),
    ("<kinematic>1</kinematic>", "kinematic: ignored: '1'"),
    ("<velocity_decay><linear>1</linear></velocity_decay>", "velocity_decay: ignored"),
    ("<light name='l' type='point'/>", "<light name='l'>: ignored: l"),
    ("<battery name='b'/>", "battery: ignored: b"),
    ("<particle_emitter name='p'/>", "particle_emitter: ignored: p"),
    ("<surprise/>", "surprise: ignored"),
]


@pytest.mark.parametrize(("inside", "message"), IGNORED)
def test_what_is_not_honoured_of_a_link_is_reported(inside: str, message: str) -> None:
    robot = read_model(link("a", f"\n{inside}"))
    (found,) = robot.diagnostics
    assert found.message.endswith(message)
    assert (found.kind, found.line, found.file) == ("ignored", 4, "<string>")


@pytest.mark.parametrize("inside", ["<enable_wind>false</enable_wind>", "<kinematic>false</kinematic>"])
def test_what_has_no_effect_is_not_reported(inside: str) -> None:
    assert read_model(link("a", inside)).diagnostics == ()


WRONG = [
    ("<inertial><mass>-1</mass></inertial>", "inertial/mass: expected no negative mass [kg], got -1"),
    ("<inertial><mass>1,5</mass></inertial>", "inertial/mass: expected a finite number, got '1,5'"),
    ("<inertial><mass>1e999</mass></inertial>", "inertial/mass: expected a finite number, got '1e999'"),
    ("<inertial auto='perhaps'/>", "inertial: auto: expected true or false, got 'perhaps'"),
    ("<gravity>yes</gravity>", "gravity: expected true or false, got 'yes'"),
    (f"<visual>{BALL}<pose>1 2 3</pose></visual>", "visual/pose: expected 6 finite numbers, got '1 2 3'"),
    (
        f"<visual>{BALL}<pose rotation_format='quat_xyzw'>1 2 3 0 0 0 0</pose></visual>",
        "visual/pose: expected a nonzero quaternion",
    ),
    (f"<visual>{BALL}<pose rotation_format='axis'>1 2 3</pose></visual>", "expected euler_rpy or quat_xyzw"),
    (f"<visual>{BALL}<pose relative_to='x'/></visual>", "visual: no frame named 'x' in 'm'"),
    (
        "<visual><geometry><box><size>1 -2 3</size></box></geometry></visual>",
        "size: expected positive numbers",
    ),
    ("<visual><geometry><box/></geometry></visual>", "geometry/box: expected a <size> element, got none"),
    ("<visual><geometry><mesh/></geometry></visual>", "geometry/mesh: expected a <uri> element, got none"),
    (
        "<visual><geometry><mesh><uri>a</uri><scale>0 1 1</scale></mesh></geometry></visual>",
        "scale: expected nonzero",
    ),
    (collision("<bounce><restitution_coefficient>2</restitution_coefficient></bounce>"), "from 0 to 1"),
    (collision("<friction><ode><mu>-1</mu></ode></friction>"), "friction: expected 0 or above"),
    (
        collision("<contact><collide_bitmask>0.5</collide_bitmask></contact>"),
        "collide_bitmask: expected a set of 16 bits, got '0.5'",
    ),
    (f"<visual>{BALL}<material><diffuse>1 0</diffuse></material></visual>", "diffuse: expected 4 finite"),
]


@pytest.mark.parametrize(("inside", "message"), WRONG)
def test_wrong_links_name_line_and_element(inside: str, message: str) -> None:
    with pytest.raises(ModelFileError) as caught:
        read_model(f"<link name='a'>\n{inside}</link>")
    assert message in str(caught.value)
    assert (caught.value.element, caught.value.line) == ("<link name='a'>", 4)


REPEATED = [
    (
        "<inertial><mass>1</mass><mass>2</mass><inertia/></inertial>",
        "inertial/mass: ignored: only the first <mass> is read",
    ),
    ("<pose>1 0 0 0 0 0</pose><pose>2 0 0 0 0 0</pose>", "pose: ignored: only the first <pose> is read"),
    ("<inertial><mass unit='g'>1</mass><inertia/></inertial>", "inertial/mass: unit: ignored: 'g'"),
    ("<gravity>1<by/></gravity>", "gravity/by: ignored"),
]


@pytest.mark.parametrize(("inside", "message"), REPEATED)
def test_what_is_said_twice_or_within_a_value_is_reported(inside: str, message: str) -> None:
    robot = read_model(f"<link name='a'>{inside}</link>")
    assert notes(robot, "ignored") == [f"<link name='a'>: {message}"]
