"""Each element of MJCF means what MuJoCo compiles of it."""

from __future__ import annotations

import warnings
from pathlib import Path

import mujoco
import numpy as np
import pytest
from _looped import looped
from _mujoco_scene import Twins, wrap

from kido.description import JointType
from kido.errors import ModelWarning
from kido.io import read_mjcf_string
from kido.shape import HeightField, Mesh

BALL = '<geom name="g" size=".1"/>'
TETRAHEDRON = 'vertex="0 0 0 1 0 0 0 2 0 0 0 3"'
L_SHAPE = (
    'vertex="0 0 0 3 0 0 3 1 0 1 1 0 1 3 0 0 3 0 0 0 1 3 0 1 3 1 1 1 1 1 1 3 1 0 3 1" '
    'face="0 2 1 0 3 2 0 4 3 0 5 4 6 7 8 6 8 9 6 9 10 6 10 11 '
    '0 1 7 0 7 6 1 2 8 1 8 7 2 3 9 2 9 8 3 4 10 3 10 9 4 5 11 4 11 10 5 0 6 5 6 11"'
)


def world(inside: str, before: str = "", after: str = "") -> str:
    return f"{before}<worldbody>{inside}</worldbody>{after}"


def body(inside: str, attributes: str = "") -> str:
    return f'<body name="b" {attributes}>{inside}</body>'


def geom(attributes: str, before: str = "") -> str:
    return world(body(f'<joint axis="1 2 3"/><geom name="g" {attributes}/>'), before)


ORIENTATIONS = [
    'quat=".3 .4 -.5 .6"',
    'quat="3 0 0 4"',
    'axisangle="1 2 3 40"',
    'euler="10 20 30"',
    'xyaxes="1 1 0 0 1 1"',
    'zaxis="1 2 3"',
    'zaxis="0 0 -2"',
    'zaxis="0 0 5"',
    'zaxis="1e-3 0 -1"',
]
COMPILERS = [
    "",
    '<compiler angle="radian"/>',
    '<compiler angle="radian"/><compiler angle="degree"/>',
    *(f'<compiler eulerseq="{order}"/>' for order in ("xyz", "XYZ", "zyx", "ZYX", "yXz", "zxz", "xYx")),
]


@looped("orientation", ORIENTATIONS)
@looped("compiler", COMPILERS)
def test_orientations(orientation: str, compiler: str) -> None:
    site = f'<site name="s" pos="1 2 3" {orientation}/>'
    inertial = f'<inertial pos="1 2 3" mass="2" diaginertia="2 3 4" {orientation}/>'
    inner = f'<body pos=".1 .2 .3" {orientation}><joint/>{inertial}{site}</body>'
    text = body(f'<joint/><geom name="g" type="box" size=".1 .2 .3" {orientation}/>{inner}', orientation)
    Twins.of_text(world(text + f'<site name="w" {orientation}/>', compiler)).check()


JOINTS = [
    '<joint pos=".1 .2 .3" axis="1 2 3"/>',
    '<joint pos=".1 .2 .3" axis="1 2 3" ref="30" range="-20 50"/>',
    '<joint type="slide" pos=".1 .2 .3" axis="1 2 3" ref=".3" range="-.2 .5"/>',
    '<joint type="ball" pos=".1 .2 .3"/>',
    '<freejoint name="f"/>',
    '<joint type="free" damping=".1" armature=".2" frictionloss=".3"/>',
    '<joint damping=".1" stiffness=".2" springref="20" frictionloss=".4" armature=".5"/>',
    '<joint type="slide" stiffness=".2" springref=".3" limited="false" range="-1 1"/>',
    '<joint type="ball" stiffness=".2" damping=".1" armature=".5"/>',
    '<joint limited="true" range="-90 45"/>',
    '<joint springdamper=".1 .5" armature=".02"/>',
    '<joint type="ball" springdamper=".1 .5" armature=".02"/>',
    '<joint name="x" type="slide" axis="1 0 0"/><joint name="z" type="slide"/><joint name="r" axis="0 1 0"/>',
    '<joint name="a" pos="1 0 0" axis="1 0 0" ref="20"/><joint name="b" pos="0 1 0" axis="0 1 0" ref="30"/>',
    '<joint name="a" pos="1 0 0"/><joint name="b" type="ball" pos="0 1 0"/><joint name="c" type="slide"/>',
    "",
]


@looped("joints", JOINTS)
@looped("compiler", ["", '<compiler angle="radian"/>'])
def test_joints(joints: str, compiler: str) -> None:
    shape = '<geom name="g" type="box" size=".1 .2 .3" pos=".3 .1 0"/><site name="s" pos=".1 0 0"/>'
    other = shape.replace('"g"', '"h"').replace('"s"', '"t"')
    inner = f'<body name="c" pos=".1 .2 .3"><joint axis="0 1 1"/>{other}</body>'
    text = body(joints + shape, 'pos="1 2 3" euler="10 20 30"')
    Twins.of_text(world(text, compiler)).check()
    if "free" not in joints:
        Twins.of_text(
            world(f'<body name="a" euler="5 6 7"><joint/>{BALL}{text}</body>'.replace('"g"', '"k"', 1))
        ).check()
    Twins.of_text(world(text.replace("</body>", inner + "</body>"), compiler)).check()


def test_springs_by_time_constant_are_those_of_the_pose_at_rest() -> None:
    arm = '<geom type="capsule" size=".1" fromto="0 0 0 1 0 0"/>'
    elbow = f'<body pos="1 0 0"><joint axis="0 0 1" ref="70" springdamper=".2 2"/>{arm}</body>'
    Twins.of_text(world(f'<body><joint axis="0 0 1" springdamper=".1 .5"/>{arm}{elbow}</body>')).check()
    slide = f'<body pos="1 0 0"><joint type="slide" axis="1 0 0" ref=".7"/>{arm}</body>'
    Twins.of_text(world(f'<body><joint axis="0 0 1" springdamper=".1 .5"/>{arm}{slide}</body>')).check()


def test_joints_of_one_body_are_a_chain_of_joints_of_their_names() -> None:
    joints = '<joint name="x" type="slide"/><joint name="y" axis="0 1 0"/><joint axis="1 0 0"/>'
    robot = read_mjcf_string(wrap(world(body(joints + BALL)))).robots[0].robot
    assert [joint.name for joint in robot.joints] == ["x", "y", "b_joint"]
    assert [joint.child for joint in robot.joints] == ["b_x", "b_y", "b"]
    assert [link.inertia is None for link in robot.links] == [True, True, False]


SHAPES = [
    'size=".1"',
    'type="capsule" size=".1 .2"',
    'type="cylinder" size=".1 .2"',
    'type="box" size=".1 .2 .3"',
    'type="ellipsoid" size=".1 .2 .3"',
    'type="capsule" size=".1" fromto="0 0 0 1 2 .5"',
    'type="cylinder" size=".1" fromto="1 2 3 1 2 1"',
    'type="box" size=".1" fromto="0 0 0 1 2 -.5"',
    'type="ellipsoid" size=".1" fromto="1 2 3 1 2 4"',
]
MASSES = [
    "",
    'mass="3"',
    'density="20"',
    'shellinertia="true"',
    'shellinertia="true" mass="2"',
    'mass="2" density="3"',
]


@looped("shape", SHAPES)
@looped("mass", MASSES)
@looped("pose", ["", 'pos=".1 .2 .3" euler="10 20 30"'])
def test_geoms_and_their_masses(shape: str, mass: str, pose: str) -> None:
    if "fromto" not in shape or not pose:
        Twins.of_text(geom(f"{shape} {mass} {pose}")).check()


def test_a_body_has_the_inertia_of_all_its_geoms() -> None:
    parts = "".join(f'<geom {shape} pos="{k} .1 {-k}"/>' for k, shape in enumerate(SHAPES[:5]))
    Twins.of_text(world(body("<joint/>" + parts))).check()


INERTIALS = [
    '<inertial pos="1 2 3" mass="2" diaginertia="2 3 4" euler="10 20 30"/>',
    '<inertial pos="1 2 3" mass="2" fullinertia="2 3 4 .1 .2 .3"/>',
]


@looped("inertial", [*INERTIALS, ""])
@looped(
    "compiler",
    [
        "",
        '<compiler inertiafromgeom="true"/>',
        '<compiler inertiafromgeom="auto"/>',
        '<compiler inertiagrouprange="1 2"/>',
        '<compiler boundmass="3" boundinertia="3.5"/>',
        '<compiler settotalmass="7"/>',
        '<compiler balanceinertia="true"/>',
    ],
)
def test_inertia_of_bodies(inertial: str, compiler: str) -> None:
    parts = '<geom size=".1 .2 .3" type="box" pos="1 0 0" mass="2"/><geom size=".2" group="2" mass="5"/>'
    text = world(
        body("<joint/>" + inertial + parts) + f"<body><freejoint/>{inertial}{parts}</body>", compiler
    )
    Twins.of_text(text).check()


def test_inertia_is_balanced_where_the_compiler_says_so() -> None:
    unsound = '<inertial pos="0 0 0" mass="1" diaginertia="1 2 10" euler="10 20 30"/>'
    text = body("<joint/>" + unsound)
    Twins.of_text(world(text, '<compiler balanceinertia="true"/>')).check()
    with pytest.warns(ModelWarning, match="no body can have the inertia of 'b'"):
        scene = read_mjcf_string(wrap(world(text)))
    assert "triangle inequality" in scene.robots[0].robot.diagnostics[0].message


def test_inertia_may_be_explicit_only() -> None:
    text = world(body("<joint/>" + INERTIALS[0] + BALL), '<compiler inertiafromgeom="false"/>')
    Twins.of_text(text).check()


MESHES = [
    TETRAHEDRON,
    L_SHAPE,
    *(f'{L_SHAPE} inertia="{mode}"' for mode in ("convex", "exact", "legacy", "shell")),
    f'{TETRAHEDRON} scale="1 2 .5"',
    f'{L_SHAPE} scale="2 2 2" refpos="1 2 3" refquat="1 2 3 4"',
    f'{L_SHAPE} scale="1 2 3" refpos="1 2 3" refquat="1 2 3 4"',
    f'{L_SHAPE} scale="1 1 -1" inertia="exact"',
]


@looped("mesh", MESHES)
@looped("mass", MASSES[:3])
def test_meshes(mesh: str, mass: str) -> None:
    asset = f'<asset><mesh name="m" {mesh}/></asset>'
    text = geom(f'type="mesh" mesh="m" pos=".1 .2 .3" euler="10 20 30" {mass}', asset)
    twins = Twins.of_text(text)
    twins.check()
    place = twins.link(1).visuals[0]
    assert isinstance(place.shape, Mesh) and place.shape.vertices is not None
    points = place.shape.vertices @ place.origin[:3, :3].T + place.origin[:3, 3]
    check_points(twins.model, points)


def check_points(model: mujoco.MjModel, points: np.ndarray) -> None:
    """Points of the only mesh in the frame of its body: of all of ours, each of MuJoCo's is one."""
    turn = np.zeros(9)
    mujoco.mju_quat2Mat(turn, model.geom_quat[0])
    theirs = model.mesh_vert @ turn.reshape(3, 3).T + model.geom_pos[0]
    distance = np.linalg.norm(theirs[:, None] - points, axis=2)
    assert distance.min(axis=1).max() < 1e-5
    assert distance.min(axis=0).max() < 1e-5


def stl(path: Path) -> None:
    numbers = [[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3]]
    faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]
    data = np.zeros(4, [("n", "<f4", 3), ("v", "<f4", (3, 3)), ("a", "<u2")])
    data["v"] = np.array(numbers)[faces]
    path.write_bytes(b" " * 80 + np.uint32(4).tobytes() + data.tobytes())


def msh(path: Path) -> None:
    numbers = np.array([[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3]], "<f4")
    faces = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]], "<i4")
    path.write_bytes(np.array([4, 0, 0, 4], "<i4").tobytes() + numbers.tobytes() + faces.tobytes())


def obj(path: Path) -> None:
    path.write_text("v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n")


@pytest.mark.parametrize("write", [stl, msh, obj])
@pytest.mark.parametrize(
    "attributes",
    ["", 'scale=".5 .5 .5" refpos="1 2 3" refquat="1 2 3 4"', 'scale="1 2 .5" refquat="1 2 3 4"'],
)
def test_mesh_files(tmp_path: Path, write: object, attributes: str) -> None:
    file = tmp_path / "parts" / f"m.{write.__name__}"  # type: ignore[attr-defined]
    file.parent.mkdir()
    write(file)  # type: ignore[operator]
    before = f'<compiler meshdir="parts"/><asset><mesh file="{file.name}" {attributes}/></asset>'
    twins = Twins.of_text(geom('type="mesh" mesh="m" pos=".1 .2 .3" euler="10 20 30"', before), tmp_path)
    twins.check()
    place = twins.link(1).visuals[0]
    assert isinstance(place.shape, Mesh)
    if place.shape.path is None:
        assert place.shape.vertices is not None
        points = place.shape.vertices
    else:
        points = np.array([[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3]]) * place.shape.scale
    check_points(twins.model, points @ place.origin[:3, :3].T + place.origin[:3, 3])


@looped("kind", ["sphere", "capsule", "cylinder", "ellipsoid", "box"])
@looped("compiler", ["", '<compiler fitaabb="true"/>'])
@looped("scale", ["", 'fitscale="1.5"'])
def test_primitives_that_are_fitted_to_a_mesh(kind: str, compiler: str, scale: str) -> None:
    asset = f'<asset><mesh name="m" {L_SHAPE} scale="1 2 4" inertia="exact"/></asset>'
    text = geom(f'type="{kind}" mesh="m" pos=".1 .2 .3" euler="10 20 30" {scale}', compiler + asset)
    twins = Twins.of_text(text)
    twins.check_inertias()
    place = twins.link(1).collisions[0]
    np.testing.assert_allclose(place.origin[:3, 3], twins.model.geom_pos[0], atol=1e-6)
    turn = np.zeros(9)
    mujoco.mju_quat2Mat(turn, twins.model.geom_quat[0])
    same = turn.reshape(3, 3).T @ place.origin[:3, :3]
    np.testing.assert_allclose(np.abs(same), np.eye(3), atol=1e-6)  # axes of an inertia have no sign
    twins.check_size(place.shape, twins.model.geom_size[0])


def test_height_fields(tmp_path: Path) -> None:
    inline = '<asset><hfield name="h" nrow="2" ncol="3" size="1 2 3 4" elevation="0 1 2 3 4 6"/></asset>'
    check_field(Twins.of_text(world('<geom name="g" type="hfield" hfield="h" pos="1 2 3"/>', inline)))
    heights = np.random.default_rng(0).uniform(size=(4, 5)).astype("<f4")
    (tmp_path / "h.bin").write_bytes(np.array([4, 5], "<i4").tobytes() + heights.tobytes())
    file = '<asset><hfield name="h" file="h.bin" size="1 2 3 4"/></asset>'
    check_field(Twins.of_text(world('<geom name="g" type="hfield" hfield="h"/>', file), tmp_path))


@pytest.mark.parametrize("mode", ["L", "RGB", "RGBA", "LA"])
def test_height_fields_of_images(tmp_path: Path, mode: str) -> None:
    from PIL import Image

    channels = len(mode) if mode != "L" else 1
    pixels = np.random.default_rng(0).integers(0, 255, (9, 7, channels), np.uint8)
    pixels = np.cumsum(pixels // 16, axis=1, dtype=np.uint8)  # smooth, so that all filters are used
    Image.fromarray(pixels.squeeze(), mode).save(tmp_path / "h.png")
    file = '<asset><hfield name="h" file="h.png" size="1 2 3 4"/></asset>'
    check_field(Twins.of_text(world('<geom name="g" type="hfield" hfield="h"/>', file), tmp_path))


def check_field(twins: Twins) -> None:
    model = twins.model
    shape = twins.scene.object("world").link.collisions[0].shape
    assert isinstance(shape, HeightField)
    rows, columns = model.hfield_nrow[0], model.hfield_ncol[0]
    theirs = model.hfield_data.reshape(rows, columns) * model.hfield_size[0][2]
    np.testing.assert_allclose(shape.heights, theirs, atol=1e-6)
    extent = 2.0 * model.hfield_size[0][:2]
    np.testing.assert_allclose(shape.spacing * [columns - 1, rows - 1], extent)


DEFAULTS = [
    ('<geom euler="90 0 0"/>', 'quat="0 0 0 1"'),
    ('<geom quat="0 0 0 1"/>', 'euler="90 0 0"'),
    ('<geom axisangle="0 0 1 30"/>', 'zaxis="1 0 0"'),
    ('<geom size="1 2 3" type="box"/>', 'size=".1"'),
    ('<geom mass="3" type="box"/>', 'size=".1 .2 .3"'),
    ('<geom pos="1 2 3"/>', 'size=".1"'),
    ('<geom size=".3"/><default class="c"><geom pos="1 0 0"/></default>', 'class="c"'),
    (
        '<default class="c"><geom size=".2"/><default class="d"><geom pos="0 1 0"/></default></default>',
        'class="d"',
    ),
]


@looped("defaults, attributes", DEFAULTS)
def test_defaults(defaults: str, attributes: str) -> None:
    size = "" if "size" in defaults + attributes else 'size=".1"'
    Twins.of_text(geom(f"{attributes} {size}", f"<default>{defaults}</default>")).check()


def test_classes_of_children_hold_for_what_is_inside_and_says_nothing_else() -> None:
    before = """<default><joint damping="1"/><geom size=".1"/>
      <default class="a"><joint damping="2"/><geom size=".2"/>
        <default class="b"><joint axis="1 0 0"/></default></default>
      <default class="c"><joint damping="4" type="slide"/><site pos="1 0 0"/></default></default>"""
    inner = '<body childclass="b"><joint/><geom/><body><joint/><geom/><site name="u"/></body></body>'
    framed = '<frame childclass="c"><geom/><site name="s"/><body><joint/><geom/></body></frame>'
    own = '<joint/><joint class="c"/><geom/><site name="t" class="c"/>'
    text = f'<body childclass="a">{own}{inner}{framed}</body>'
    Twins.of_text(world(text, before)).check()


FRAMES = [
    '<frame pos="1 2 3" euler="10 20 30">{}</frame>',
    '<frame pos="1 2 3"><frame euler="10 20 30">{}</frame></frame>',
    '<replicate count="3" offset="1 0 0" euler="0 10 40" sep="-">{}</replicate>',
    '<replicate count="12" offset="1 0 0">{}</replicate>',
    '<replicate count="2" euler="0 0 90" sep="_">'
    '<replicate count="3" offset="1 0 0">{}</replicate></replicate>',
]


@looped("frame", FRAMES)
def test_frames_and_replicates(frame: str) -> None:
    leaf = '<geom name="g" type="box" size=".1 .2 .3"/><site name="s" pos="1 0 0"/>'
    inner = body('<joint name="j" pos=".1 0 0" axis="1 2 3"/>' + leaf, 'pos=".1 .2 .3" euler="5 6 7"')
    Twins.of_text(world(frame.format(inner))).check()
    outer = f"<body><joint/>{BALL}{{}}</body>".replace('name="g"', "")
    Twins.of_text(world(outer.format(frame.format(inner)))).check()
    Twins.of_text(world(outer.format(frame.format(leaf)))).check()
    Twins.of_text(world(frame.format(leaf))).check()


COPIED = """
<replicate count="2" sep="_" offset="1 0 0"><replicate count="2" offset="0 1 0">
  <body name="a"><joint name="j"/><geom name="g" size=".1"/><site name="s"/></body>
</replicate></replicate>
<body name="q"><joint name="k"/><geom size=".1"/></body>"""


def test_actuators_and_sensors_of_copies_are_copied() -> None:
    motors = '<motor name="z" joint="k"/><motor name="m" joint="j" gear="3"/><motor name="y" joint="k"/>'
    jet = '<motor name="jet" site="s" gear="1 0 0 0 0 0"/>'
    twins = Twins.of_text(world(COPIED, "", f"<actuator>{motors}{jet}</actuator>"))
    twins.check()
    names = [twins.model.actuator(i).name for i in range(twins.model.nu)]
    assert [actuator.name for actuator in twins.scene.actuators] == names
    for actuator in twins.scene.actuators:
        target = actuator.joint or actuator.place
        assert target is not None
        joint = twins.model.actuator(actuator.name).trnid[0]
        if actuator.joint is not None:
            assert actuator.joint.joint == twins.model.joint(joint).name
    sensor = '<sensor><jointpos name="p" joint="j"/><touch name="t" site="s"/></sensor>'
    twins = Twins.of_text(world(COPIED, "", sensor))
    names = [twins.model.sensor(i).name for i in range(twins.model.nsensor)]
    assert [sensor.name for sensor in twins.scene.sensors] == names


def test_constraints_of_copies_are_copied() -> None:
    text = world(COPIED, "", '<equality><connect name="c" body1="a" anchor="1 0 0"/></equality>')
    twins = Twins.of_text(text)
    names = [twins.model.eq(i).name for i in range(twins.model.neq)]
    assert [constraint.name for constraint in twins.scene.constraints] == names
    for i, constraint in enumerate(twins.scene.constraints):
        assert constraint.first.link == twins.model.body(twins.model.eq_obj1id[i]).name  # type: ignore[union-attr]


def test_joints_in_frames() -> None:
    joint = (
        '<frame pos="1 2 3" euler="10 20 30"><joint name="j" pos=".1 .2 .3" axis="1 2 3" ref="20"/></frame>'
    )
    Twins.of_text(world(body(joint + BALL, 'pos="1 0 0"'))).check()


def test_attached_models(tmp_path: Path) -> None:
    hand = '<body childclass="x" name="hand"><joint/><geom/></body>'
    defaults = '<default><geom size=".3"/><default class="x"><joint axis="1 0 0"/></default></default>'
    sensor = '<sensor><jointpos name="s" joint="j"/></sensor>'
    arm = world(
        f'<body name="arm" pos="1 0 0"><joint name="j"/>{BALL}{hand}</body>',
        f'<compiler angle="radian"/>{defaults}',
        f'<actuator><motor name="m" joint="j" gear="3"/></actuator>{sensor}',
    )
    (tmp_path / "arm.xml").write_text(wrap(arm))
    asset = '<asset><model name="arm" file="arm.xml"/></asset>'
    left = '<frame pos="0 1 0" euler="90 0 0"><attach model="arm" body="arm" prefix="left_"/></frame>'
    right = '<frame pos="0 -1 0"><attach model="arm" body="arm" prefix="right_"/></frame>'
    base = f'<body name="base"><joint name="j"/><geom size=".1"/>{left}{right}</body>'
    twins = Twins.of_text(world(base, asset, '<actuator><motor name="m" joint="j"/></actuator>'), tmp_path)
    twins.check()
    names = {twins.model.actuator(i).name for i in range(twins.model.nu)}
    assert {actuator.name for actuator in twins.scene.actuators} == names == {"m", "left_m", "right_m"}
    assert twins.scene.actuator("left_m").joint.joint == "left_j"  # type: ignore[union-attr]
    assert twins.scene.sensor("right_s").joint.joint == "right_j"  # type: ignore[union-attr]


def test_gravity_acts_but_where_it_is_compensated() -> None:
    parts = (
        f'<body name="a" gravcomp="1"><joint/>{BALL}<body name="b"><joint/><geom size=".1"/></body></body>'
    )
    scene = read_mjcf_string(wrap(world(parts, '<option gravity="0 1 -2"/>')))
    assert [link.gravity for link in scene.robots[0].robot.links] == [False, True]
    assert scene.gravity.tolist() == [0.0, 1.0, -2.0]
    off = read_mjcf_string(wrap(world(parts, '<option><flag gravity="disable"/></option>')))
    assert off.gravity.tolist() == [0.0, 0.0, 0.0]


def test_free_bodies_fixed_ones_and_trees_are_objects_and_robots() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scene = read_mjcf_string(
            wrap(
                world(
                    f'<geom name="floor" type="plane" size="1 1 1"/><site name="mark"/>'
                    f'<body name="crate" pos="1 2 3"><freejoint name="loose"/>{BALL}</body>'
                    '<body name="post" pos="0 1 0"><geom size=".1"/></body>'
                    '<body name="door"><joint/><geom size=".1"/></body>'
                    '<body name="cart"><freejoint/><geom size=".1"/>'
                    '<body><joint/><geom size=".1"/></body></body>'
                )
            )
        )
    assert [placed.name for placed in scene.robots] == ["door", "cart"]
    assert {placed.name: placed.fixed for placed in scene.objects} == {
        "world": True,
        "crate": False,
        "post": True,
    }
    assert scene.object("crate").T_world_link[:3, 3].tolist() == [1.0, 2.0, 3.0]
    cart = scene.robot("cart").robot
    assert [joint.type for joint in cart.joints] == [JointType.FREE, JointType.REVOLUTE]
    assert [joint.name for joint in cart.joints] == ["root_joint", "body5_joint"]


def test_what_is_all_there_is_in_a_model_of_a_name_is_a_robot() -> None:
    for joint, kind in (("<freejoint/>", JointType.FREE), ("", JointType.WELD)):
        text = world(f'<body name="cup" pos="0 0 1">{joint}{BALL}</body>')
        scene = read_mjcf_string(f'<mujoco model="mug">{text}</mujoco>')
        (placed,) = scene.robots
        assert (placed.name, scene.objects) == ("mug", ())
        assert [(one.type, one.child) for one in placed.robot.joints] == [(kind, "cup")]
        assert placed.robot.joints[0].T_parent_joint[2, 3] == 1.0
        assert [one.name for one in read_mjcf_string(wrap(text)).objects] == ["cup"]
        floor = text.replace("<worldbody>", '<worldbody><geom type="plane" size="1 1 1"/>')
        assert read_mjcf_string(f'<mujoco model="mug">{floor}</mujoco>').robots == ()


def test_the_only_robot_has_the_name_of_the_model() -> None:
    text = world(body("<joint/>" + BALL) + '<body name="box"><freejoint/><geom size=".1"/></body>')
    assert read_mjcf_string(f'<mujoco model="ant">{text}</mujoco>').robots[0].name == "ant"
    assert read_mjcf_string(f'<mujoco model="box">{text}</mujoco>').robots[0].name == "b"
    assert read_mjcf_string(wrap(text)).robots[0].name == "b"
