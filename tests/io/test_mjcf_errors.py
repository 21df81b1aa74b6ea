"""Files that are wrong are refused with file, line and element."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

import pytest
from _looped import looped

from kido.errors import ModelFileError, ModelWarning
from kido.io import read, read_mjcf, read_mjcf_string, read_scene
from kido.shape import Mesh

BALL = '<geom size=".1"/>'


def read_lines(*lines: str, **options: object) -> object:
    return read_mjcf_string("\n".join(("<mujoco>", *lines, "</mujoco>")), **options)  # type: ignore[arg-type]


def in_world(text: str) -> str:
    return f"<worldbody>{text}</worldbody>"


def in_body(text: str) -> str:
    return in_world(f"<body name='b'>{text}</body>")


WRONG = [
    (
        "<compiler coordinate='global'/>",
        "<compiler>: coordinate: global coordinates are not supported; save it",
    ),
    ("<compiler angle='grad'/>", "<compiler>: angle: expected one of degree, radian, got 'grad'"),
    ("<compiler eulerseq='xyw'/>", "<compiler>: eulerseq: expected three letters of xyzXYZ, got 'xyw'"),
    ("<compiler boundmass='-1'/>", "<compiler>: boundmass: expected no negative number, got -1"),
    ("<option timestep='0'/>", "<option>: timestep: expected a positive number [s], got 0"),
    ("<option gravity='1 2'/>", "<option>: gravity: expected 3 finite numbers, got '1 2'"),
    (
        in_body("<geom size='.1' class='x'/>"),
        "<geom> in <body name='b'>: class: no class of defaults named 'x'; valid names: 'main'",
    ),
    (
        in_world("<body name='b' childclass='x'/>"),
        "<body name='b'>: childclass: no class of defaults named 'x'; valid names: 'main'",
    ),
    (in_body("<geom/>"), "size: expected 1 positive numbers for a sphere, got 0"),
    (in_body("<geom type='box' size='1 2'/>"), "expected 3 positive numbers for a box, got 1 2 0"),
    (in_body("<geom type='cone' size='1'/>"), "type: expected one of plane, hfield, sphere, capsule"),
    (in_body("<geom size='1 nan'/>"), "size: expected 1 to 3 finite numbers, got '1 nan'"),
    (in_body("<geom size='1' mass='-1'/>"), "mass: expected no negative number, got -1"),
    (in_body("<geom size='1' quat='0 0 0 0'/>"), "quat: expected a nonzero vector, got 0 0 0 0"),
    (
        in_body("<geom size='1' quat='1 0 0 0' euler='0 0 0'/>"),
        "expected one orientation, got quat and euler",
    ),
    (in_body("<geom size='1' xyaxes='1 0 0 2 0 0'/>"), "xyaxes: expected two axes that are not parallel"),
    (in_body("<geom size='1' zaxis='1 0'/>"), "zaxis: expected 3 finite numbers, got '1 0'"),
    (
        in_body("<geom type='capsule' size='1' fromto='0 0 0 0 0 0'/>"),
        "fromto: expected two different points",
    ),
    (in_body("<geom size='1' fromto='0 0 0 0 0 1'/>"), "fromto: a sphere has no direction"),
    (in_body("<geom type='mesh' size='1'/>"), "mesh: expected a value, but it is missing"),
    (in_body("<geom type='mesh' mesh='m'/>"), "mesh: no mesh named 'm'; there are none"),
    (in_body("<geom type='hfield' hfield='h'/>"), "hfield: no hfield named 'h'; there are none"),
    (in_body("<geom size='1' material='m'/>"), "material: no material named 'm'; there are none"),
    (in_body("<geom size='1' condim='2'/>"), "condim: expected 1, 3, 4 or 6, got 2"),
    (in_body("<geom size='1' friction='-1'/>"), "friction: expected no negative number, got -1"),
    (in_body("<geom size='1' contype='1.5'/>"), "contype: expected a whole number, got 1.5"),
    (in_body("<joint/><geom type='plane' size='1 1 1'/>"), "type: a plane is for bodies that do not move"),
    (in_body(BALL + "<joint type='wheel'/>"), "type: expected one of free, ball, slide, hinge, got 'wheel'"),
    (in_body(BALL + "<joint axis='0 0 0'/>"), "axis: expected a nonzero vector, got 0 0 0"),
    (in_body(BALL + "<joint range='1 -1'/>"), "range: expected lower < upper, got 1 and -1"),
    (
        in_body(BALL + "<joint damping='-1'/>"),
        "damping: expected no negative number, got -1",
    ),
    (in_body(BALL + "<joint/><freejoint/>"), "expected no other joint beside the free one"),
    (in_body(BALL + "<freejoint/><freejoint/>"), "expected one free joint, got two"),
    (in_body(f"{BALL}<body><freejoint/>{BALL}</body>"), "a free joint is for bodies of the world only"),
    (in_world("<joint/>"), "<joint>: the world has no joints"),
    (in_world("<inertial mass='1' pos='0 0 0'/>"), "<inertial>: the world has no inertia"),
    (in_body("<inertial pos='0 0 0'/>"), "mass: expected a value, but it is missing"),
    (in_body("<inertial pos='0 0 0' mass='-1'/>"), "mass: expected no negative mass [kg], got -1"),
    (in_body("<inertial pos='0 0 0' mass='1' fullinertia='1 1 1 0 0 0' euler='0 0 0'/>"), "expected neither"),
    (in_world("<body name='b'/><body name='b'/>"), "<body name='b'>: name: 'b' is the name of two bodies"),
    (
        in_world("<body name='world'/>"),
        "<body name='world'>: name: 'world' is the name of the world itself",
    ),
    (
        in_world("<geom name='g' size='1'/><geom name='g' size='1'/>"),
        "<geom name='g'>: name: two geoms are named 'g'",
    ),
    (in_world("<site name='s'/><site name='s'/>"), "<site name='s'>: name: two sites are named 's'"),
    (in_world(f"<body mocap='true'><freejoint/>{BALL}</body>"), "mocap: expected a body without joints"),
    (in_world("<replicate count='0'><geom size='1'/></replicate>"), "count: expected at least one copy"),
    (
        in_world("<replicate count='1000000'><geom size='1'/></replicate>"),
        "at most 100000 elements in copies",
    ),
    (in_world("<attach model='m' prefix='x'/>"), "model: no model named 'm'; there are none"),
    (
        "<asset><mesh name='m'/><mesh name='m'/></asset>",
        "<mesh name='m'>: name: two assets of kind mesh are named 'm'",
    ),
    ("<default><default><geom/></default></default>", "<default>: class: expected a name"),
    ("<default><default class='a'/><default class='a'/></default>", "<default>: class: 'a' is defined twice"),
    ("<actuator><motor joint='j'/></actuator>", "<motor>: joint: no joint named 'j'"),
    (
        "<actuator><motor name='m'/></actuator>",
        "<motor name='m'>: expected a joint, site, body or tendon, got none",
    ),
    ("<sensor><gyro site='s'/></sensor>", "<gyro>: site: no site named 's'"),
    ("<equality><weld body1='a' body2='b'/></equality>", "<weld>: body1: no body named 'a'"),
    (
        "<equality><weld body1='world'/></equality>",
        "<weld>: constraint 'weld0': expected two different links",
    ),
    (
        "<equality><connect body1='world'/></equality>",
        "<connect>: anchor: expected a value, but it is missing",
    ),
    ("<contact><exclude body1='world' body2='world'/></contact>", "body2: expected another body than body1"),
    ("<contact><pair geom1='a' geom2='b'/></contact>", "<pair>: geom1: no geom named 'a'"),
    (
        "<contact><pair name='p' geom1='a' geom2='b'/></contact>" + in_world("<geom name='a' size='1'/>"),
        "<pair name='p'>: geom2: no geom named 'b'; valid names: 'a'",
    ),
    (
        in_body(BALL + "<joint name='j'/><joint name='j'/>"),
        "<joint name='j'>: name: two joints are named 'j'",
    ),
    (
        in_body(BALL + "<joint name='j' type='ball'/>") + "<equality><joint joint1='j'/></equality>",
        "<joint>: joint1: expected a hinge or slide, got a ball joint",
    ),
    (
        "<keyframe><key name='k'/><key name='k'/></keyframe>",
        "<key name='k'>: name: two keyframes are named 'k'",
    ),
    (
        in_world("<site name='s'/>") + "<sensor><gyro name='g' site='s'/><gyro name='g' site='s'/></sensor>",
        "<gyro name='g'>: name: two sensors are named 'g'",
    ),
    (
        in_body("<geom name='g' type='mesh' mesh='m'/>") + "<asset><mesh name='m' scale='1 0 1'/></asset>",
        "<mesh name='m'>: scale: expected nonzero numbers, got 1 0 1",
    ),
    (
        in_body("<geom type='mesh' mesh='m'/>") + "<asset><mesh name='m' refquat='0 0 0 0'/></asset>",
        "<mesh name='m'>: refquat: expected no zero quaternion",
    ),
    (
        in_body("<geom type='hfield' hfield='h'/>")
        + "<asset><hfield name='h' nrow='2' ncol='2' size='1 0 1 1'/></asset>",
        "<hfield name='h'>: size: expected positive numbers, got 1 0 1 1",
    ),
    (
        in_body("<geom type='hfield' hfield='h'/>")
        + "<asset><hfield name='h' nrow='1' ncol='2' size='1 1 1 1'/></asset>",
        "<hfield name='h'>: expected at least two rows and columns, got 1 and 2",
    ),
    (
        in_body(BALL + "<joint name='j'/>") + "<actuator><motor joint='j' ctrlrange='1 -1'/></actuator>",
        "<motor>: ctrlrange: expected lower <= upper, got 1 and -1",
    ),
    (
        in_body(BALL + "<joint name='j' type='ball'/>") + "<keyframe><key qpos='0 0 0 0'/></keyframe>",
        "<key>: qpos: expected no zero quaternion for 'j'",
    ),
    (
        in_world(
            "<replicate count='2' offset='1e308 0 0'><replicate count='9' offset='1e308 0 0'/></replicate>"
        ),
        "offset, euler: expected numbers of a size that can be added",
    ),
    ("<keyframe><key qpos='1'/></keyframe>", "<key>: qpos: expected 0 finite numbers, got '1'"),
]


@looped("wrong, message", WRONG)
def test_wrong_elements_are_refused_with_their_line(wrong: str, message: str) -> None:
    with pytest.raises(ModelFileError, match=re.escape(message)) as caught:
        read_lines("<size/>", wrong, name="robot.xml")
    assert (caught.value.file, caught.value.line) == ("robot.xml", 3)


def test_a_wrong_default_is_named_where_it_stands() -> None:
    with pytest.raises(ModelFileError, match="<geom>: size: expected 1 to 3 finite numbers") as caught:
        read_lines("<default><geom size='a'/></default>", in_body("<geom/>"))
    assert caught.value.line == 2


def test_names_that_are_nearly_right_are_suggested() -> None:
    with pytest.raises(ModelFileError, match=r"no joint named 'elbo'; did you mean 'elbow'\?"):
        read_lines(in_body(BALL + "<joint name='elbow'/>"), "<actuator><motor joint='elbo'/></actuator>")


def test_ranges_without_limited_are_refused_where_limits_are_not_automatic() -> None:
    lines = "<compiler autolimits='false'/>", in_body(BALL + "<joint range='-1 1'/>")
    with pytest.raises(
        ModelFileError, match="range: expected limited='true' or 'false' beside it: autolimits of the"
    ):
        read_lines(*lines)


def test_unknown_elements_and_attributes_are_told() -> None:
    scene = read_lines("<wheel/>", in_body(f"{BALL}<joint spin='1'/><wing/>"), "<option/>")
    told = [str(d) for d in (*scene.diagnostics, *scene.robots[0].robot.diagnostics)]  # type: ignore[attr-defined]
    assert told == [
        "<string>:2: <wheel>: unknown in <mujoco>",
        "<string>:3: <wing> in <body name='b'>: unknown in <body>",
        "<string>:3: <joint> in <body name='b'>: spin: unknown attribute",
    ]


def test_missing_meshes_are_told_and_warned_of() -> None:
    asset = "<asset><mesh name='m' file='none.stl'/></asset>"
    with pytest.warns(ModelWarning, match="meshes or height fields that cannot be used: 'm'"):
        scene = read_lines(asset, in_body("<geom type='mesh' mesh='m'/>"))
    place = scene.objects[0].link.visuals[0]  # type: ignore[attr-defined]
    assert isinstance(place.shape, Mesh) and place.shape.path is None and place.shape.uri == "none.stl"


@pytest.mark.parametrize("data", [b"", b"solid", b"\x00" * 200, b"\xff" * 84, b"\x01\x00\x00\x00" * 4])
@pytest.mark.parametrize("suffix", ["stl", "obj", "msh", "ply"])
def test_broken_meshes_are_told_and_warned_of(tmp_path: Path, data: bytes, suffix: str) -> None:
    (tmp_path / f"m.{suffix}").write_bytes(data)
    asset = f"<asset><mesh name='m' file='m.{suffix}'/></asset>"
    with pytest.warns(ModelWarning, match="meshes or height fields that cannot be used: 'm'"):
        read_lines(asset, in_body("<geom type='mesh' mesh='m'/>"), directory=tmp_path)


def test_meshes_that_are_no_regular_files_are_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "m.stl")
    asset = "<asset><mesh name='m' file='m.stl'/></asset>"
    with pytest.warns(ModelWarning, match="cannot be used: 'm'"):
        read_lines(asset, in_body("<geom type='mesh' mesh='m'/>"), directory=tmp_path)


def write(folder: Path, **texts: str) -> Path:
    for name, text in texts.items():
        file = folder / (name.replace("__", "/") + ".xml")
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"<mujoco>{text}</mujoco>")
    return folder / "main.xml"


def test_included_files_take_the_place_of_the_element(tmp_path: Path) -> None:
    main = write(
        tmp_path,
        main="<include file='parts/a.xml'/>" + in_body("<include file='c.xml'/>"),
        parts__a="<option timestep='.5'/><include file='b.xml'/>",
        parts__b="<worldbody><geom name='g' size='1'/></worldbody>",
        c="<joint name='j'/><geom size='1'/>",
    )
    scene = read_mjcf(main)
    assert scene.time_step == 0.5
    assert [shape.name for shape in scene.object("world").link.collisions] == ["g"]
    assert [joint.name for joint in scene.robots[0].robot.joints] == ["j"]


def test_errors_in_included_files_name_these(tmp_path: Path) -> None:
    main = write(tmp_path, main="\n<include file='a.xml'/>", a="\n\n<option timestep='x'/>")
    with pytest.raises(ModelFileError, match="timestep") as caught:
        read_mjcf(main)
    assert (caught.value.file, caught.value.line) == (str(tmp_path / "a.xml"), 3)


@pytest.mark.parametrize(
    "texts",
    [
        {"main": "<include file='main.xml'/>"},
        {"main": "<include file='a.xml'/>", "a": "<include file='main.xml'/>"},
        {"main": "<include file='a.xml'/>", "a": "<include file='b.xml'/>", "b": "<include file='a.xml'/>"},
        {"main": "<include file='a.xml'/><include file='./a.xml'/>", "a": ""},
    ],
)
def test_files_that_are_included_twice_or_by_themselves_are_refused(
    tmp_path: Path, texts: dict[str, str]
) -> None:
    with pytest.raises(ModelFileError, match=r"<include>: file: '.*' is included twice, or by itself"):
        read_mjcf(write(tmp_path, **texts))


def test_models_that_attach_themselves_are_refused(tmp_path: Path) -> None:
    attach = "<asset><model name='m' file='main.xml'/></asset>" + in_world("<attach model='m' prefix='x'/>")
    with pytest.raises(ModelFileError, match="expected at most 16 models in each other, got more"):
        read_mjcf(write(tmp_path, main=attach))


@pytest.mark.parametrize("name", ["../secret.xml", "/etc/hostname", "sub/../../secret.xml"])
@pytest.mark.parametrize("element", ["include", "model"])
def test_files_outside_of_the_folder_are_not_opened_unless_asked(
    tmp_path: Path, name: str, element: str
) -> None:
    inner = tmp_path / "model"
    inner.mkdir()
    (tmp_path / "secret.xml").write_text("<mujoco><option timestep='.5'/></mujoco>")
    include = f"<include file='{name}'/>"
    if element == "model":
        include = f"<asset><model name='m' file='{name}'/></asset>" + in_world(
            "<attach model='m' prefix='x'/>"
        )
    main = write(inner, main=include)
    with pytest.raises(
        ModelFileError, match=r"lies outside of .*; include_roots=\[folder\] allows another one"
    ):
        read_mjcf(main)
    if name.startswith("../"):
        assert read_mjcf(main, include_roots=[tmp_path]).name == "main"


@pytest.mark.parametrize("name", ["none.xml", "sub", "pipe.xml", "a\nb.xml"])
def test_included_files_that_cannot_be_read_are_told(tmp_path: Path, name: str) -> None:
    (tmp_path / "sub").mkdir()
    os.mkfifo(tmp_path / "pipe.xml")
    with pytest.raises(ModelFileError):
        read_mjcf(write(tmp_path, main=f"<include file='{name}'/>"))


def test_texts_that_are_no_file_include_nothing() -> None:
    with pytest.raises(ModelFileError, match=r"'a\.xml' is relative to a model that is no file"):
        read_lines("<include file='a.xml'/>")


def test_other_roots_are_refused() -> None:
    with pytest.raises(ModelFileError, match="expected a <mujoco> element, got <robot>"):
        read_mjcf_string("<robot/>")


def test_xml_files_are_read_by_their_root_element(tmp_path: Path) -> None:
    file = tmp_path / "model.xml"
    file.write_text("<?xml version='1.0'?>\n<!-- a --><mujoco model='ant'/>")
    assert read_scene(file).name == "ant"
    file.write_bytes("<?xml version='1.0' encoding='utf-16'?><mujoco model='bee'/>".encode("utf-16"))
    assert read_scene(file).name == "bee"
    file.write_text("<robot name='r'><link name='a'/></robot>")
    assert read(file).name == "r"
    (tmp_path / "model.mjcf").write_text("<mujoco model='cat'/>")
    assert read_scene(tmp_path / "model.mjcf").name == "cat"
    file.write_text("<html/>")
    with pytest.raises(
        ModelFileError, match="expected a root element of robot, mujoco, sdf, skel, got <html>"
    ):
        read_scene(file)
    file.write_text("nothing")
    with pytest.raises(ModelFileError, match="not well-formed XML"):
        read_scene(file)


HOSTILE = {
    "nested bodies": "<worldbody>" + "<body><joint/>" * 240 + BALL + "</body>" * 240 + "</worldbody>",
    "too deep": "<worldbody>" + "<body>" * 5000 + "</body>" * 5000 + "</worldbody>",
    "nested defaults": "<default>"
    + "".join(f"<default class='c{k}'>" for k in range(200))
    + "</default>" * 201,
    "many classes": "<default>" + "".join(f"<default class='c{k}'/>" for k in range(20_000)) + "</default>",
    "wide defaults": f"<default><geom {' '.join(f'a{k}=%r' % 'x' for k in range(5000))}/>"
    + "".join(f"<default class='c{k}'><geom/></default>" for k in range(5000))
    + "</default>",
    "long name": f"<worldbody><body name='{'a' * 100_000}'/><body name='{'a' * 100_000}'/></worldbody>",
    "long number": f"<option timestep='{'1' * 100_000}'/>",
    "many welded bodies": f"<worldbody><body><freejoint/>{f'<body>{BALL}</body>' * 5000}</body></worldbody>",
    "replicates in replicates": in_world("<replicate count='99'>" * 50 + BALL + "</replicate>" * 50),
    "huge numbers": in_world(f"<body pos='1e308 1e308 0'><joint/><body pos='1e308 0 0'>{BALL}</body></body>"),
    "huge geom": in_body("<joint/><geom size='1e200'/>"),
    "tiny geom": in_body("<joint/><geom size='1e-200'/>"),
    "huge field": "<asset><hfield name='h' nrow='99999' ncol='99999' size='1 1 1 1'/></asset>"
    + in_world("<geom type='hfield' hfield='h'/>"),
    "many unknown names": "<sensor>" + "<gyro site='a'/>" * 5000 + "</sensor>",
}


@looped("name", HOSTILE)
def test_hostile_files_are_read_or_refused_in_bounded_time(name: str) -> None:
    start = time.process_time()
    try:
        read_lines(HOSTILE[name])
    except ModelFileError as error:
        assert len(str(error)) < 20_000
    assert time.process_time() - start < 10.0


def test_references_into_what_is_left_out_are_left_out_too() -> None:
    flex = "<flexcomp name='cloth' type='grid' count='3 3 1'/>"
    motor = "<actuator><motor joint='cloth_1'/></actuator>"
    with pytest.warns(ModelWarning, match="left out: 1 <flexcomp>"):
        scene = read_lines(in_body(BALL + flex), motor)
    told = [str(diagnostic) for diagnostic in scene.diagnostics]  # type: ignore[attr-defined]
    assert "<string>:3: <motor>: left out: joint names no joint 'cloth_1', or one that is left out" in told
    assert not scene.actuators  # type: ignore[attr-defined]


def test_more_kinds_of_contact_than_bits_are_told() -> None:
    kinds = [(1 << a, 1 << b) for a in range(7) for b in range(7) if a != b]
    geoms = "".join(f"<geom size='1' contype='{a}' conaffinity='{b}'/>" for a, b in kinds)
    scene = read_lines(in_world(geoms))
    assert [diagnostic.kind for diagnostic in scene.diagnostics] == ["substituted"]  # type: ignore[attr-defined]
    few = read_lines(in_world("".join(f"{geom}/>" for geom in geoms.split("/>")[:32])))
    assert not few.diagnostics  # type: ignore[attr-defined]


def test_more_pairs_of_welded_bodies_than_are_excluded_are_told() -> None:
    scene = read_lines(in_world(f"<body><freejoint/>{f'<body>{BALL}</body>' * 150}</body>"))
    assert len(scene.exclusions) == 10_000  # type: ignore[attr-defined]
    told = [str(diagnostic) for diagnostic in scene.diagnostics]  # type: ignore[attr-defined]
    assert told == [
        "<string>:1: <mujoco>: of more than 10000 pairs of bodies that are joined the others can touch"
    ]
