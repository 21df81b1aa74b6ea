from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from kido.description import LinkDescription, Material, RobotDescription
from kido.errors import ModelFileError, ModelWarning
from kido.io import read_urdf, read_urdf_string
from kido.shape import Box, Capsule, Cylinder, Mesh, Sphere

Read = Callable[..., RobotDescription]
INERTIA = "<inertia ixx='1' ixy='0.1' ixz='0.2' iyy='2' iyz='0.3' izz='2.5'/>"
MOMENT = np.array([[1.0, 0.1, 0.2], [0.1, 2.0, 0.3], [0.2, 0.3, 2.5]])


def link_of(read_body: Read, inside: str, more: str = "") -> LinkDescription:
    return read_body(f"<link name='a'>{inside}</link>{more}").link("a")


def test_inertial_is_read_in_the_axes_of_the_link(read_body: Read) -> None:
    inertial = f"<inertial><origin xyz='1 2 3' rpy='0.1 0.2 0.3'/><mass value='4'/>{INERTIA}</inertial>"
    inertia = link_of(read_body, inertial).inertia
    assert inertia is not None
    turn = Rotation.from_euler("xyz", [0.1, 0.2, 0.3]).as_matrix()
    assert inertia.mass == 4.0
    assert inertia.com.tolist() == [1.0, 2.0, 3.0]
    assert np.allclose(inertia.moment, turn @ MOMENT @ turn.T, rtol=1e-14, atol=1e-15)
    assert np.array_equal(inertia.moment, inertia.moment.T)


def test_unrotated_inertial_keeps_its_moment_bit_for_bit(read_body: Read) -> None:
    inertia = link_of(read_body, f"<inertial><mass value='4'/>{INERTIA}</inertial>").inertia
    assert inertia is not None and np.array_equal(inertia.moment, MOMENT)


def test_link_without_inertial_has_no_inertia(read_body: Read) -> None:
    assert link_of(read_body, "").inertia is None


def test_zero_mass_with_zero_inertia_is_massless(read_body: Read) -> None:
    zero = "<inertia ixx='0' ixy='0' ixz='0' iyy='0' iyz='0' izz='0'/>"
    robot = read_body(f"<link name='a'><inertial><mass value='0'/>{zero}</inertial></link>")
    inertia = robot.link("a").inertia
    assert inertia is not None and inertia.is_massless
    assert robot.diagnostics == ()


def test_links_know_their_line(read_body: Read) -> None:
    assert link_of(read_body, "").line == 2


SHAPES = [
    ("<box size='1 2 3'/>", Box((1.0, 2.0, 3.0))),
    ("<sphere radius='0.5'/>", Sphere(0.5)),
    ("<cylinder radius='0.1' length='2'/>", Cylinder(0.1, 2.0)),
    ("<capsule radius='0.1' length='2'/>", Capsule(0.1, 2.0)),
    ("<mesh filename='a.stl' scale='1 -1 2'/>", Mesh(None, "a.stl", (1.0, -1.0, 2.0))),
    ("<mesh filename='a.stl'/>", Mesh(None, "a.stl")),
]


@pytest.mark.parametrize("tag", ["visual", "collision"])
@pytest.mark.parametrize(("geometry", "shape"), SHAPES)
def test_shapes_are_read_with_their_place(read_body: Read, tag: str, geometry: str, shape: object) -> None:
    origin = "<origin xyz='1 2 3' rpy='0.1 -0.2 0.3'/>"
    link = link_of(read_body, f"<{tag} name='n'>{origin}<geometry>{geometry}</geometry></{tag}>")
    (placement,) = link.visuals if tag == "visual" else link.collisions
    assert placement.shape == shape
    assert placement.name == "n"
    assert placement.origin[:3, 3].tolist() == [1.0, 2.0, 3.0]
    expected = Rotation.from_euler("xyz", [0.1, -0.2, 0.3]).as_matrix()
    assert np.allclose(placement.origin[:3, :3], expected, rtol=0.0, atol=1e-15)


def test_several_shapes_keep_their_order(read_body: Read) -> None:
    visuals = "".join(f"<visual><geometry><sphere radius='{r}'/></geometry></visual>" for r in (1, 2, 3))
    assert [v.shape for v in link_of(read_body, visuals).visuals] == [Sphere(1.0), Sphere(2.0), Sphere(3.0)]


@pytest.mark.parametrize("geometry", ["", "<geometry/>", "<geometry><heightmap/></geometry>"])
def test_unknown_geometry_is_left_out_with_a_diagnostic(read_body: Read, geometry: str) -> None:
    robot = read_body(f"<link name='a'><visual>{geometry}</visual></link>")
    assert robot.link("a").visuals == ()
    assert [d.kind for d in robot.diagnostics] == ["geometry"]
    assert (robot.diagnostics[0].line, robot.diagnostics[0].subject) == (2, "a")


BALL = "<geometry><sphere radius='1'/></geometry>"
RED = "<color rgba='1 0 0 1'/>"
GREEN = "<color rgba='0 1 0 1'/>"


def material_of(read_body: Read, material: str, before: str = "", after: str = "") -> Material | None:
    body = f"{before}<link name='a'><visual>{BALL}{material}</visual></link>{after}"
    return read_body(body).link("a").visuals[0].material


def test_visuals_without_material_have_none(read_body: Read) -> None:
    assert material_of(read_body, "") is None


@pytest.mark.parametrize("place", ["before", "after"])
def test_materials_of_the_robot_serve_references_before_and_after(read_body: Read, place: str) -> None:
    definition = {place: f"<material name='red'>{RED}</material>"}
    assert material_of(read_body, "<material name='red'/>", **definition) == Material("red", (1, 0, 0, 1))


def test_materials_inside_another_link_serve_references(read_body: Read) -> None:
    visual = f"<visual>{BALL}<material name='red'>{RED}</material></visual>"
    other = f"<link name='b'>{visual}</link>"
    joint = "<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>"
    assert material_of(read_body, "<material name='red'/>", after=other + joint) == Material(
        "red", (1, 0, 0, 1)
    )


def test_materials_of_the_robot_come_before_those_inside_links(read_body: Read) -> None:
    links = f"<link name='a'><visual>{BALL}<material name='m'>{GREEN}</material></visual>"
    links += f"<visual>{BALL}<material name='m'/></visual></link>"
    own, referred = read_body(f"{links}<material name='m'>{RED}</material>").link("a").visuals
    assert own.material == Material("m", (0, 1, 0, 1))
    assert referred.material == Material("m", (1, 0, 0, 1))


def test_textures_are_kept_and_resolved_where_found(read_body: Read, tmp_path: Path) -> None:
    (tmp_path / "wood.png").write_bytes(b"")
    visuals = "".join(
        f"<visual>{BALL}<material name='{name}'><texture filename='{name}.png'/></material></visual>"
        for name in ("wood", "lost")
    )
    found, lost = read_body(f"<link name='a'>{visuals}</link>", directory=tmp_path).link("a").visuals
    assert found.material is not None and found.material.texture == str(tmp_path / "wood.png")
    assert lost.material is not None and lost.material.texture == "lost.png"


def test_unnamed_materials_with_a_color_are_kept(read_body: Read) -> None:
    assert material_of(read_body, f"<material>{RED}</material>") == Material(None, (1, 0, 0, 1))


def test_undefined_materials_and_colors_out_of_range_are_diagnosed(read_body: Read) -> None:
    undefined = f"<visual>{BALL}<material name='x'/></visual>"
    bright = f"<visual>{BALL}<material name='y'><color rgba='2 -1 0 1'/></material></visual>"
    robot = read_body(f"<link name='a'>{undefined}{bright}</link>")
    first, second = robot.link("a").visuals
    assert first.material == Material("x")
    assert second.material == Material("y", (1, 0, 0, 1))
    assert {d.kind for d in robot.diagnostics} == {"material"}


WRONG = [
    (
        "<inertial><mass value='-1'/></inertial>",
        "inertial/mass: value: expected no negative mass [kg], got -1",
    ),
    ("<inertial><mass/></inertial>", "inertial/mass: value: expected a value, but it is missing"),
    ("<inertial><mass value='1,5'/></inertial>", "inertial/mass: value: expected a finite number, got '1,5'"),
    ("<inertial><mass value='1e999'/></inertial>", "value: expected a finite number, got '1e999'"),
    ("<inertial/>", "inertial: expected a <mass> element, got none"),
    ("<inertial><mass value='1'/></inertial>", "inertial: expected a <inertia> element, got none"),
    ("<inertial><mass value='1'/><inertia/></inertial>", "inertial/inertia: ixx: expected a value"),
    ("<visual><geometry><box size='1 2'/></geometry></visual>", "size: expected 3 finite numbers, got '1 2'"),
    ("<visual><geometry><box size='1 -2 3'/></geometry></visual>", "size: expected positive numbers [m]"),
    (
        "<visual><geometry><sphere radius='0'/></geometry></visual>",
        "radius: expected a positive number",
    ),
    ("<visual><geometry><sphere radius='nan'/></geometry></visual>", "radius: expected a finite number"),
    ("<visual><geometry><sphere/></geometry></visual>", "visual/geometry/sphere: radius: expected a value"),
    (
        "<collision><geometry><cylinder radius='1'/></geometry></collision>",
        "cylinder: length: expected a value",
    ),
    ("<collision><geometry><mesh/></geometry></collision>", "mesh: filename: expected a value"),
    (
        "<collision><geometry><mesh filename='a' scale='0 1 1'/></geometry></collision>",
        "scale: expected nonzero",
    ),
    (
        f"<visual>{BALL}<origin xyz='1 2'/></visual>",
        "visual/origin: xyz: expected 3 finite numbers, got '1 2'",
    ),
    (f"<visual>{BALL}<origin rpy='1 2 inf'/></visual>", "rpy: expected 3 finite numbers, got '1 2 inf'"),
    (f"<visual>{BALL}<origin rpy='1_0 2 3'/></visual>", "rpy: expected 3 finite numbers, got '1_0 2 3'"),
    (f"<visual>{BALL}<origin xyz='${{x}} 0 0'/></visual>", "(an unexpanded xacro expression)"),
    (
        f"<visual>{BALL}<material name='m'><color rgba='1 0 0'/></material></visual>",
        "rgba: expected 4 finite",
    ),
]


@pytest.mark.parametrize(("inside", "message"), WRONG)
def test_wrong_links_name_line_and_element(read_body: Read, inside: str, message: str) -> None:
    with pytest.raises(ModelFileError) as caught:
        link_of(read_body, f"\n{inside}")
    assert message in str(caught.value)
    assert caught.value.element == "<link name='a'>"
    assert caught.value.line == 3


def test_links_without_name_are_refused(read_body: Read) -> None:
    with pytest.raises(ModelFileError, match="<string>:2: <link>: name: expected a value, but it is missing"):
        read_body("<link/>")


IMPOSSIBLE = (
    "<inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='3'/></inertial>"
)
WELD = "<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>"


def test_impossible_inertia_warns_once_and_names_the_links() -> None:
    links = "".join(f"\n<link name='{name}'>{IMPOSSIBLE}</link>" for name in "ab")
    text = f"<robot name='r'>{links}{WELD}</robot>"
    with pytest.warns(ModelWarning) as caught:
        robot = read_urdf_string(text)
    assert len(caught) == 1
    assert "no body can have the inertia of 'a', 'b'" in str(caught[0].message)
    assert [(d.kind, d.subject, d.line) for d in robot.diagnostics] == [
        ("inertia", "a", 2),
        ("inertia", "b", 3),
    ]
    assert "triangle inequality" in robot.diagnostics[0].message


def test_missing_meshes_warn_once_at_the_line_of_the_caller(tmp_path: Path, clean_environment: None) -> None:
    meshes = "".join(
        f"<visual><geometry><mesh filename='package://arm/m{i}.stl'/></geometry></visual>" for i in range(6)
    )
    file = tmp_path / "arm.urdf"
    file.write_text(f"<robot name='r'><link name='a'>{meshes}</link></robot>")
    with pytest.warns(ModelWarning) as caught:
        robot = read_urdf(file)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert f"{file}: mesh files not found: package://arm/m0.stl" in str(caught[0].message)
    assert "and 2 more" in str(caught[0].message)
    assert [d.kind for d in robot.diagnostics] == ["mesh"] * 6
    assert robot.link("a").visuals[0].shape == Mesh(None, "package://arm/m0.stl")
