"""MJCF that is written, compiled by MuJoCo; what it cannot say is told."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
from _random_trees import Robot, every_joint, random_transform, robots
from _written import lost
from hypothesis import given
from scipy.spatial.transform import Rotation

import kido
from _robots import robot_files
from kido.description import (
    ActuatorDescription,
    ActuatorType,
    Attachment,
    ClosureDescription,
    ContactExclusion,
    ContactPair,
    CouplingDescription,
    DofReference,
    FrameDescription,
    Inertia,
    JointDescription,
    JointDynamics,
    JointLimits,
    JointReference,
    JointState,
    JointType,
    LinkDescription,
    LinkReference,
    Material,
    Mimic,
    NamedState,
    ObjectPlacement,
    RobotDescription,
    RobotPlacement,
    SceneDescription,
    SensorDescription,
    ShapePlacement,
    ShapeReference,
    differences,
)
from kido.errors import ModelWarning
from kido.io import ModelText, mjcf_string, read_mjcf_string, read_urdf, write_mjcf
from kido.math import so3_exp
from kido.shape import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    HeightField,
    Mesh,
    Plane,
    Sphere,
    Surface,
    load_triangles,
)

UNIT = Inertia(1.0, moment=np.eye(3))


def compiled(model: RobotDescription | SceneDescription) -> mujoco.MjModel:
    return mujoco.MjModel.from_xml_string(mjcf_string(model).text)


def pair(**options: Any) -> RobotDescription:
    rng = np.random.default_rng(3)
    given: dict[str, Any] = {
        "type": "revolute",
        "axes": (1.0, 2.0, 2.0),
        "T_parent_joint": random_transform(rng),
        "T_child_joint": random_transform(rng),
    }
    joint = JointDescription(name="elbow", parent="upper", child="lower", **(given | options))
    lower = Inertia(1.0, (0, 0.2, 0), np.diag([1.0, 2.0, 2.5]))
    links = [LinkDescription("upper", UNIT), LinkDescription("lower", lower)]
    return RobotDescription("pair", links, [JointDescription("root_joint", "weld", None, "upper"), joint])


def with_link(**parts: Any) -> RobotDescription:
    link = LinkDescription("part", UNIT, **parts)
    return RobotDescription("one", [link], [JointDescription("root_joint", "weld", None, "part")])


def solid(robot: Robot) -> RobotDescription:
    """The robot with mass everywhere, on one root, without screws."""
    links = [link if link.inertia else replace(link, inertia=UNIT) for link in robot.description.links]
    joints = [
        replace(joint, type="revolute") if joint.type is JointType.SCREW else joint
        for joint in robot.description.joints
    ]
    return RobotDescription("random", links, joints)


def quaternion(rotation: np.ndarray) -> np.ndarray:
    return Rotation.from_matrix(rotation).as_quat()[[3, 0, 1, 2]]


def positions(model: mujoco.MjModel, robot: RobotDescription, q: dict[str, float]) -> np.ndarray:
    """Positions of MuJoCo by those of kido's dofs."""
    qpos = model.qpos0.copy()
    for joint in robot.joints:
        dofs = joint.type.spec.dof_names(joint.name, joint.euler_order)
        values = np.array([q[dof] for dof in dofs])
        if joint.type in (JointType.FREE, JointType.BALL):
            start = model.joint(joint.name).qposadr[0]
            if joint.type is JointType.FREE and joint.parent is None:
                T = np.eye(4)
                T[:3, :3], T[:3, 3] = so3_exp(values[:3]), values[3:]
                T = joint.T_parent_joint @ T
                qpos[start : start + 7] = [*T[:3, 3], *quaternion(T[:3, :3])]
                continue
            qpos[start : start + 4] = quaternion(so3_exp(values[:3]))
            dofs, values = dofs[3:], values[3:]
        for dof, value in zip(dofs, values, strict=True):
            qpos[model.joint(dof).qposadr[0]] = value
    return qpos


def assert_mujoco_agrees(robot: RobotDescription, seed: int = 0) -> None:
    """Poses of the links, and the mass matrix where no joint is free."""
    __tracebackhide__ = True
    tree, model = kido.Tree.from_description(robot), compiled(robot)
    data = mujoco.MjData(model)
    q = np.random.default_rng(seed).uniform(-1.0, 1.0, tree.num_dofs)
    data.qpos[:] = positions(model, robot, dict(zip(tree.dof_names, q, strict=True)))
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    mujoco.mj_crb(model, data)
    for name, T in zip(tree.body_names, tree.forward_kinematics(q), strict=True):
        body = data.body(name)
        np.testing.assert_allclose(body.xpos, T[:3, 3], rtol=0, atol=1e-12)
        np.testing.assert_allclose(body.xmat.reshape(3, 3), T[:3, :3], rtol=0, atol=1e-12)
    if any(joint.type in (JointType.FREE, JointType.BALL) for joint in robot.joints):
        return
    M = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, M)
    order = [tree.dof_names.index(model.joint(k).name) for k in range(model.nv)]
    expected = tree.mass_matrix(q)[np.ix_(order, order)]
    np.testing.assert_allclose(M, expected, rtol=0, atol=1e-12 * max(1.0, np.abs(M).max(initial=0.0)))


@given(robots(max_bodies=5))
def test_mujoco_moves_random_trees_alike(robot: Robot) -> None:
    assert_mujoco_agrees(solid(robot))


def test_mujoco_moves_every_joint_alike() -> None:
    assert_mujoco_agrees(solid(every_joint(3)))


@pytest.mark.parametrize("name", ["ur5_robot.urdf", "panda.urdf", "talos_full_v2.urdf"])
def test_mujoco_sees_the_masses_and_moments_of_real_robots(name: str) -> None:
    path = next(path for known, path in robot_files().items() if known.endswith(name))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        robot = read_urdf(path)
    bare = [replace(link, visuals=(), collisions=()) for link in robot.links]
    joints = [replace(joint, mimic=None) for joint in robot.joints]
    assert_mujoco_agrees(RobotDescription(robot.name, bare, joints))


def test_screws_turn_and_slide_by_their_pitch() -> None:
    robot = pair(type="screw", pitch=0.7)
    model = compiled(robot)
    data = mujoco.MjData(model)
    slide = 0.7 / (2.0 * np.pi)
    data.qpos[:] = [0.9, slide * 0.9]
    mujoco.mj_forward(model, data)
    T = kido.Tree.from_description(robot).transform([0.9], "lower")
    np.testing.assert_allclose(data.body("lower").xpos, T[:3, 3], atol=1e-14)
    np.testing.assert_allclose(model.eq_data[0][:2], [0.0, slide])


def test_limits_and_dynamics_of_joints() -> None:
    limits = JointLimits(-0.5, 1 / 3, effort=7.0)
    robot = pair(limits=limits, dynamics=JointDynamics(0.1, 0.2, 0.3, 0.4, 0.5), actuator=ActuatorType.FORCE)
    assert mjcf_string(robot).diagnostics == ()
    model = compiled(robot)
    joint = model.joint("elbow")
    assert joint.range.tolist() == [-0.5, 1 / 3]
    assert (joint.damping[0], joint.frictionloss[0], joint.armature[0]) == (0.1, 0.2, 0.5)
    assert model.jnt_stiffness.ravel()[0] == 0.3
    assert model.qpos_spring.tolist() == [0.4]
    assert model.jnt_actfrcrange.tolist() == [[-7.0, 7.0]]
    assert model.actuator("elbow").trnid[0] == joint.id


def test_shapes_have_the_sizes_poses_and_surfaces_of_the_description() -> None:
    rng = np.random.default_rng(0)
    shapes = [Box((1, 2, 1 / 3)), Sphere(0.1), Cylinder(0.2, 0.3), Capsule(0.2, 0.3), Ellipsoid((1, 2, 3))]
    surface = Surface(0.3, torsional_friction=0.02, rolling_friction=0.001)
    placed = [
        ShapePlacement(f"c{i}", shape, random_transform(rng), surface=surface)
        for i, shape in enumerate(shapes)
    ]
    red = Material("red", (1.0, 0.1, 1 / 3, 0.5))
    robot = with_link(collisions=placed, visuals=[ShapePlacement("v", Sphere(1.0), None, red)])
    assert mjcf_string(robot).diagnostics == ()
    model = compiled(robot)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    sizes = [(0.5, 1, 1 / 6), (0.1, 0, 0), (0.2, 0.15, 0), (0.2, 0.15, 0), (1, 2, 3)]
    for number, (shape, size) in enumerate(zip(placed, sizes, strict=True)):
        geom = model.geom(f"c{number}")
        assert geom.size.tolist() == list(size)
        assert geom.friction.tolist() == [0.3, 0.02, 0.001]
        assert geom.condim[0] == 6
        np.testing.assert_allclose(data.geom(f"c{number}").xpos, shape.origin[:3, 3], atol=1e-15)
        got = data.geom(f"c{number}").xmat.reshape(3, 3)
        np.testing.assert_allclose(got, shape.origin[:3, :3], atol=1e-14)
    assert model.geom("v").contype[0] == model.geom("v").conaffinity[0] == 0
    np.testing.assert_allclose(model.material("red").rgba, red.rgba, atol=1e-7)


def heights_under(model: mujoco.MjModel, x: float, y: float) -> float:
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    hit = np.zeros(1, dtype=np.int32)
    down = np.array([0.0, 0.0, -1.0])
    return 10.0 - mujoco.mj_ray(model, data, np.array([x, y, 10.0]), down, None, 1, -1, hit)


def test_planes_and_height_fields_stand_where_they_are() -> None:
    heights = np.array([[0.5, 1.0, 2.0], [0.7, 0.8, 3.0]])
    field = LinkDescription("hill", collisions=[ShapePlacement(None, HeightField(heights, (2.0, 3.0)))])
    model = compiled(SceneDescription("s", [], [ObjectPlacement(field, fixed=True)]))
    for row, y in enumerate((-1.5, 1.5)):
        for column, x in enumerate((-2.0, 0.0, 2.0)):
            got = heights_under(model, 0.999 * x, 0.999 * y)
            assert got == pytest.approx(heights[row, column], abs=5e-3)
    plane = LinkDescription("world", collisions=[ShapePlacement(None, Plane((0, 3.0, 4.0), 0.4))])
    model = compiled(SceneDescription("s", [], [ObjectPlacement(plane, fixed=True)]))
    assert heights_under(model, 1.0, 1.0) == pytest.approx((0.4 - 0.6) / 0.8)
    assert model.nbody == 1


def collide(scene: SceneDescription) -> set[frozenset[str]]:
    """Pairs of bodies whose shapes touch, all of which are in one place."""
    model = compiled(scene)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    bodies = [[model.body(model.geom_bodyid[g]).name for g in contact.geom] for contact in data.contact]
    return {frozenset(names) for names in bodies}


def balls(name: str, *kinds: tuple[int, int]) -> RobotDescription:
    """Balls that slide from one place, with categories."""
    shapes = [ShapePlacement(None, Sphere(1.0), category=a, collides_with=b) for a, b in kinds]
    links = [LinkDescription(f"{name}{k}", UNIT, (), [shape]) for k, shape in enumerate(shapes)]
    joints = [
        JointDescription(f"{name}j{k}", "prismatic", None, f"{name}{k}", axes=(1, 0, 0))
        for k in range(len(links))
    ]
    return RobotDescription(name, links, joints)


def test_shapes_touch_by_their_categories_and_robots() -> None:
    usual = (1, 0xFFFFFFFF)
    lone = RobotPlacement(balls("a", usual, usual))
    social = RobotPlacement(balls("b", usual, (2, 2), (2, 0xFFFFFFFF)), self_collision=True)
    found = collide(SceneDescription("s", [lone, social]))
    expected = {("a0", "b0"), ("a1", "b0"), ("b0", "b2"), ("b1", "b2"), ("a0", "b2"), ("a1", "b2")}
    assert found == {frozenset(names) for names in expected}


def test_scenes_with_several_robots_objects_and_relations() -> None:
    T = random_transform(np.random.default_rng(0))
    crate = LinkDescription("crate", UNIT, collisions=[ShapePlacement("c", Box((1, 1, 1)))])
    ends = Attachment("left", "upper", T), Attachment("right", "lower")
    dofs = DofReference("left", "elbow"), DofReference("right", "elbow")
    scene = SceneDescription(
        "room",
        [RobotPlacement(pair(), "left", T), RobotPlacement(pair(), "right")],
        [ObjectPlacement(crate, T), ObjectPlacement(replace(crate, name="wall"), fixed=True)],
        gravity=(0.0, 1.0, -3.7),
        time_step=0.004,
        options={"iterations": 7, "flag.warmstart": "disable", "numeric.gain": (1.0, 2.0), "other": 3},
        constraints=[
            ClosureDescription("glue", "weld", *ends, options={"solref": (0.1, 1.0)}),
            ClosureDescription("hinge", "revolute", *ends, active=False),
            ClosureDescription("rope", "distance", *ends, distance=0.1),
            CouplingDescription("gear", *dofs, (0.1, 0.2, 0.3)),
        ],
        exclusions=[ContactExclusion(LinkReference("left", "upper"), LinkReference("crate", "crate"))],
        contact_pairs=[
            ContactPair(
                "rub", ShapeReference("crate", "crate"), ShapeReference("wall", "wall"), {"condim": 1}
            )
        ],
        sensors=[
            SensorDescription("angle", "jointpos", joint=JointReference("right", "elbow")),
            SensorDescription("spin", "gyro", ends[0]),
            SensorDescription("eye", "camera", ends[0], options={"fovy": 60.0}),
            SensorDescription("nose", "smell", ends[0]),
        ],
    )
    written = mjcf_string(scene)
    model = mujoco.MjModel.from_xml_string(written.text)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert model.opt.timestep == 0.004
    assert model.opt.gravity.tolist() == [0.0, 1.0, -3.7]
    assert model.opt.iterations == 7
    assert model.numeric("gain").data.tolist() == [1.0, 2.0]
    np.testing.assert_allclose(data.body("upper").xpos, T[:3, 3], atol=1e-15)
    np.testing.assert_allclose(data.body("crate").xpos, T[:3, 3], atol=1e-15)
    assert [model.body(k).name for k in range(1, 5)] == ["upper", "lower", "right/upper", "right/lower"]
    assert [model.eq(k).name for k in range(model.neq)] == ["glue", "hinge", "hinge_axis", "gear"]
    assert model.eq("gear").data[:3].tolist() == [0.1, 0.2, 0.3]
    assert model.eq("gear").obj1id[0] == model.joint("elbow").id
    assert (model.eq("glue").active0[0], model.eq("hinge").active0[0]) == (1, 0)
    np.testing.assert_allclose(data.site(model.eq("glue").obj1id[0]).xpos, (T @ T)[:3, 3], atol=1e-14)
    assert (model.nexclude, model.npair, model.pair_dim[0]) == (1, 1, 1)
    assert [model.sensor(k).name for k in range(model.nsensor)] == ["angle", "spin"]
    assert model.camera("eye").fovy[0] == 60.0
    told = {(d.subject, d.kind) for d in written.diagnostics}
    assert {("other", "ignored"), ("rope", "ignored"), ("nose", "ignored"), ("hinge", "substituted")} <= told
    assert ("upper", "substituted") in told


def test_options_that_mujoco_would_refuse_are_reported_and_left_out() -> None:
    kept = {"cone": "elliptic", "solver": "CG", "iterations": 7, "flag.warmstart": "disable"}
    wrong = {"integrator": "Runge-Kutta 4", "jacobian": True, "tolerance": "small"}
    written = mjcf_string(replace(SceneDescription.of_robot(pair()), options={**kept, **wrong}))
    model = mujoco.MjModel.from_xml_string(written.text)
    assert (model.opt.cone, model.opt.solver, model.opt.iterations) == (1, 1, 7)
    found = {d.subject: d.message for d in written.diagnostics if d.subject in {**kept, **wrong}}
    assert set(found) == set(wrong)
    assert found["integrator"].endswith("'Runge-Kutta 4' is not written: MJCF has no such thing")


def test_a_scene_without_a_time_step_keeps_the_one_that_kido_takes() -> None:
    """A file without one is read with that of MuJoCo, which is twice as long."""
    scene = SceneDescription.of_robot(pair())
    written = mjcf_string(scene)
    again = read_mjcf_string(written.text)
    assert again.time_step == kido.World.from_description(scene).time_step
    assert mujoco.MjModel.from_xml_string(written.text).opt.timestep == again.time_step
    assert written.diagnostics == differences(scene, again) == ()


@pytest.mark.parametrize("time_step", [1e-3, 2e-3, 5e-3])
@pytest.mark.parametrize("suffix", [".xml", ".sdf"])
def test_the_time_step_of_a_skeleton_is_written(time_step: float, suffix: str, tmp_path: Path) -> None:
    skeleton = kido.Skeleton.from_description(pair(), time_step=time_step)
    told = kido.save(skeleton, tmp_path / f"pair{suffix}")
    assert not any("time step" in d.message for d in told)
    assert kido.load(tmp_path / f"pair{suffix}").time_step == time_step


def test_named_states_are_keyframes() -> None:
    free = pair(type="ball", axes=()).with_root("free")
    moved = replace(free.joints[0], T_parent_joint=random_transform(np.random.default_rng(8)))
    robot = RobotDescription("pair", free.links, [moved, free.joints[1]])
    rng = np.random.default_rng(0)
    q, v = rng.uniform(-1, 1, (2, 9))
    states = [JointState("pair", "root_joint", q[:6], v[:6]), JointState("pair", "elbow", q[6:], v[6:])]
    scene = SceneDescription("pair", [RobotPlacement(robot)], states=[NamedState("jump", states, 0.5)])
    written = mjcf_string(scene)
    assert lost(written.diagnostics) == ()
    model = mujoco.MjModel.from_xml_string(written.text)
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, model.key("jump").id)
    mujoco.mj_forward(model, data)
    skeleton = kido.Skeleton.from_description(robot)
    skeleton.positions, skeleton.velocities = q, v
    assert data.time == 0.5
    for name in ("upper", "lower"):
        body, got = skeleton.body(name), data.body(name)
        np.testing.assert_allclose(got.xpos, body.transform()[:3, 3], atol=1e-14)
        np.testing.assert_allclose(got.xmat.reshape(3, 3), body.transform()[:3, :3], atol=1e-14)
        velocity = np.zeros(6)
        mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_XBODY, got.id, velocity, 0)
        expected = [body.angular_velocity(), body.linear_velocity()]
        np.testing.assert_allclose(velocity, np.concatenate(expected), atol=1e-13)


def test_mimics_are_constraints() -> None:
    follower = JointDescription(
        "wrist", "revolute", "lower", "hand", axes=(0, 0, 1), mimic=Mimic("elbow", -2.0, 0.1)
    )
    robot = RobotDescription("c", [*pair().links, LinkDescription("hand", UNIT)], [*pair().joints, follower])
    written = mjcf_string(robot)
    assert [d.kind for d in written.diagnostics] == ["substituted"]
    model = mujoco.MjModel.from_xml_string(written.text)
    assert model.eq(0).data[:2].tolist() == [0.1, -2.0]
    assert (model.eq(0).obj1id[0], model.eq(0).obj2id[0]) == (
        model.joint("wrist").id,
        model.joint("elbow").id,
    )


@pytest.mark.parametrize(
    ("robot", "words"),
    [
        (pair(limits=JointLimits(velocity=3.0)), "the velocity limit [3.0] is not written"),
        (pair(limits=JointLimits(lower=0.0)), "one side only"),
        (pair(limits=JointLimits(1.0, 1.0)), "MuJoCo refuses"),
        (pair(actuator=ActuatorType.SERVO), "actuator type servo"),
        (pair(actuator=ActuatorType.PASSIVE), "actuator type passive"),
        (pair(dof_names=["bend"]), "'elbow'>: names of its dofs, bend,"),
        (pair(calibration=kido.description.Calibration(0.1)), "calibration"),
        (pair(type="ball", axes=(), limits=JointLimits(-1, 1)), "the lower limit"),
        (
            pair(type="ball", axes=(), dynamics=JointDynamics(stiffness=1.0, rest_position=0.1)),
            "rest position",
        ),
        (pair(type="free", axes=()), "three slides and a ball"),
        (pair(type="weld", axes=()), "<joint 'elbow'>: the name of a weld is not written"),
        (with_link(frames=[FrameDescription("tip")]), "a frame is written as a site"),
        (with_link(visuals=[ShapePlacement("hat", Cone(1.0, 1.0))]), "no cone"),
        (pair().with_root("free"), ""),
        (
            with_link(collisions=[ShapePlacement("pad", Sphere(1.0), surface=Surface(1.0, 0.5))]),
            "restitution",
        ),
        (with_link(collisions=[ShapePlacement("pad", Mesh(None, "a.stl", convex=False))]), "triangles"),
        (
            with_link(visuals=[ShapePlacement("pad", Mesh(None, "a.dae"))]),
            "MuJoCo reads .stl, .obj, .msh only",
        ),
    ],
)
def test_what_mjcf_cannot_say_is_told(robot: RobotDescription, words: str) -> None:
    told = mjcf_string(robot).diagnostics
    assert any(words in diagnostic.message for diagnostic in told) or (not words and not told), told


def test_bodies_without_mass_that_mujoco_refuses_are_told() -> None:
    robot = pair()
    hollow = RobotDescription("h", [robot.links[0], LinkDescription("lower")], robot.joints)
    (told,) = mjcf_string(hollow).diagnostics
    assert (told.kind, told.subject) == ("format", "lower")
    with pytest.raises(ValueError, match="mass and inertia of moving bodies"):
        compiled(hollow)


def chained(rng: np.random.Generator, kinds: tuple[str, ...]) -> RobotDescription:
    """Joints one after the other with nothing between them, on a body that moves, before one with a mass."""
    links = [d_link(f"part{k}", k == len(kinds) - 1) for k in range(len(kinds))]
    joints = [
        JointDescription(
            f"joint{k}",
            kind,
            "upper" if k == 0 else f"part{k - 1}",
            f"part{k}",
            random_transform(rng),
            None if kind == "ball" else random_transform(rng),
            () if kind == "ball" else rng.standard_normal((JointType(kind).num_axes, 3)),
        )
        for k, kind in enumerate(kinds)
    ]
    root = pair()
    swing = replace(root.joints[1], child="upper", parent="base", name="swing")
    base = JointDescription("root_joint", "weld", None, "base")
    return RobotDescription("chain", [LinkDescription("base"), root.links[0], *links], [base, swing, *joints])


def d_link(name: str, heavy: bool) -> LinkDescription:
    return LinkDescription(name, UNIT if heavy else None)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "kinds",
    [
        ("revolute", "revolute", "prismatic"),
        ("prismatic", "universal"),
        ("prismatic", "ball"),
        ("euler", "revolute"),
    ],
)
def test_empty_links_between_joints_are_joints_of_one_body(kinds: tuple[str, ...], seed: int) -> None:
    robot = chained(np.random.default_rng(seed), kinds)
    written = mjcf_string(robot)
    assert [(told.subject, told.kind) for told in lost(written.diagnostics)] == [
        (f"part{k}", "substituted") for k in range(len(kinds) - 1)
    ]
    model = compiled(robot)
    data = mujoco.MjData(model)
    tree = kido.Tree.from_description(robot)
    q = np.random.default_rng(seed).uniform(-1.0, 1.0, tree.num_dofs)
    data.qpos[:] = positions(model, robot, dict(zip(tree.dof_names, q, strict=True)))
    mujoco.mj_kinematics(model, data)
    last = f"part{len(kinds) - 1}"
    np.testing.assert_allclose(data.body(last).xpos, tree.transform(q, last)[:3, 3], atol=1e-12)
    np.testing.assert_allclose(
        data.body(last).xmat.reshape(3, 3), tree.transform(q, last)[:3, :3], atol=1e-12
    )
    ends = Attachment("chain", "part0"), Attachment("chain", last)
    held = SceneDescription(
        "chain", [RobotPlacement(robot)], constraints=[ClosureDescription("x", "ball", *ends)]
    )
    assert 'body name="part0"' in mjcf_string(held).text


def test_inertias_that_mujoco_refuses_are_told() -> None:
    part = LinkDescription("lower", Inertia(1.0, moment=np.diag([1.0, 1.0, 3.0])))
    robot = pair()
    (told,) = mjcf_string(RobotDescription("h", [robot.links[0], part], robot.joints)).diagnostics
    assert (told.kind, told.subject) == ("format", "lower")


def test_files_are_written_whole(tmp_path: Path) -> None:
    write_mjcf(pair(), tmp_path / "pair.xml")
    assert mujoco.MjModel.from_xml_path(str(tmp_path / "pair.xml")).nv == 1
    with pytest.raises(IsADirectoryError):
        write_mjcf(pair(), tmp_path)
    with pytest.raises(TypeError, match="model: expected"):
        write_mjcf(None, tmp_path / "pair.xml")  # type: ignore[arg-type]


def test_actuators_of_a_scene_are_those_of_mujoco() -> None:
    joint = JointReference("pair", "elbow")
    actuators = [
        ActuatorDescription(
            "servo", "position", joint, gear=[2.0], command_range=(-1, 1 / 3), options={"kp": 7.0}
        ),
        ActuatorDescription("jet", "motor", None, Attachment("pair", "lower"), gear=(0, 0, 1, 0, 0, 0)),
        ActuatorDescription("flesh", "muscle", joint),
    ]
    scene = SceneDescription("pair", [RobotPlacement(pair(actuator="force"))], actuators=actuators)
    written = mjcf_string(scene)
    assert [told.subject for told in lost(written.diagnostics)] == ["flesh"]
    model = mujoco.MjModel.from_xml_string(written.text)
    assert [model.actuator(k).name for k in range(model.nu)] == ["servo", "jet"]
    assert model.actuator("servo").gear[0] == 2.0
    assert model.actuator("servo").ctrlrange.tolist() == [-1.0, 1 / 3]
    assert model.actuator("servo").gainprm[0] == 7.0
    assert model.actuator("jet").trntype[0] == mujoco.mjtTrn.mjTRN_SITE


def test_meshes_without_a_file_stand_in_the_model() -> None:
    corners = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    faces = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
    mesh = Mesh(None, "corner", (2.0, 1.0, 1.0), vertices=corners, triangles=faces)
    robot = with_link(collisions=[ShapePlacement("c", mesh)])
    assert mjcf_string(robot).diagnostics == ()
    model = compiled(robot)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    geom = data.geom("c")
    points = model.mesh_vert @ geom.xmat.reshape(3, 3).T + geom.xpos
    expected = corners * (2.0, 1.0, 1.0)
    np.testing.assert_allclose(np.sort(points, axis=0), np.sort(expected, axis=0), atol=1e-6)
    for write in (kido.io.urdf_string, kido.io.sdf_string):
        assert "without a file" in write(robot).diagnostics[0].message


def test_large_meshes_without_a_file_get_one(tmp_path: Path) -> None:
    grid = np.stack(np.meshgrid(*[np.linspace(-1.0, 1.0, 60)] * 2), axis=-1).reshape(-1, 2)
    points = np.column_stack([grid, 2.0 - (grid**2).sum(axis=1) / 3.0])
    at = (np.arange(59)[:, None] * 60 + np.arange(59)).ravel()
    faces = np.concatenate([np.stack([at, at + 1, at + 60], 1), np.stack([at + 1, at + 61, at + 60], 1)])
    mesh = Mesh(None, "dome", (1.0, 2.0, 1.0), vertices=points, triangles=faces)
    place = tmp_path / "robot.xml"
    assert lost(write_mjcf(with_link(visuals=[ShapePlacement("d", mesh)]), place)) == ()
    assert place.stat().st_size < 2000
    assert [file.name for file in (tmp_path / "robot_meshes").iterdir()] == ["dome.obj"]
    (back,) = kido.load(place).nodes(kido.ShapeNode)
    assert np.unique(load_triangles(back.shape).vertices, axis=0).tolist() == (
        np.unique(points * (1.0, 2.0, 1.0), axis=0).tolist()
    )
    assert mujoco.MjModel.from_xml_path(str(place)).nmeshface == len(faces)


def loose(name: str, joint: str = "free") -> RobotPlacement:
    link = LinkDescription("cup", Inertia(1.0, moment=np.eye(3)))
    return RobotPlacement(
        RobotDescription(name, [link], [JointDescription("root_joint", joint, None, "cup")]), name
    )


def names(written: ModelText) -> list[str]:
    scene = kido.io.read_mjcf_string(written.text)
    return [placed.name for placed in (*scene.robots, *scene.objects)]


def test_readers_find_robots_by_their_names_or_that_is_told() -> None:
    for joint in ("free", "weld"):
        written = mjcf_string(loose("mug", joint).robot)
        assert (written.diagnostics, names(written)) == ((), ["mug"])
    chain = RobotPlacement(chained(np.random.default_rng(1), ("revolute",)), "left")
    for scene, found in (
        (SceneDescription("room", [loose("mug")]), ["room"]),
        (SceneDescription("room", [chain, loose("mug")]), ["room", "cup"]),
        (SceneDescription("left", [chain, loose("mug")]), ["left", "cup"]),
        (SceneDescription("cup", [chain, loose("mug")]), ["base", "cup"]),
    ):
        written = mjcf_string(scene)
        assert names(written) == found
        told = {note.subject for note in written.diagnostics if "named" in note.message}
        assert told == {one.name for one in scene.robots} - set(found)


@pytest.mark.parametrize(
    ("bits", "touches_beside"),
    [
        ((1, 0xFFFFFFFF), True),
        ((0, 0), False),
        ((2, 2), False),
        ((3, 1), True),
        ((2, 3), True),
        ((1, 2), False),
    ],
)
@pytest.mark.parametrize("alone", [True, False])
def test_shapes_touch_what_is_beside_a_file_as_they_do_here(
    bits: tuple[int, int], touches_beside: bool, alone: bool
) -> None:
    """In MuJoCo, where one of two has a bit of its contype in the other's conaffinity; 1 and 1 are usual."""
    shape = ShapePlacement("s", Sphere(0.1), category=bits[0], collides_with=bits[1])
    floor = ObjectPlacement(LinkDescription("floor", collisions=[ShapePlacement("f", Plane())]), fixed=True)
    robot = RobotPlacement(with_link(collisions=[shape]), self_collision=not alone)
    for objects in ([], [floor]):
        text = mjcf_string(SceneDescription("one", [robot], objects)).text
        model = mujoco.MjModel.from_xml_string(text)
        is_active = not model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_CONTACT
        geom = model.geom("s")
        assert bool(is_active and (geom.contype[0] & 1 or geom.conaffinity[0] & 1)) == touches_beside
        back = kido.io.read_mjcf_string(text)
        links = [*(one.robot.links[0] for one in back.robots), *(one.link for one in back.objects)]
        (found,) = (link.collisions for link in links if link.name == "part")
        assert found or objects  # beside what touches, MJCF draws what does not
        floors = (link.collisions for link in links if link.name == "floor")
        assert all(one.category and one.collides_with & 1 for (one,) in floors)
        assert any(one.category and one.collides_with & 1 for one in found) == touches_beside


def test_sensors_are_at_sites_that_are_there() -> None:
    site = FrameDescription("tip", random_transform(np.random.default_rng(3)), "site")
    robot = with_link(frames=[site])
    link = robot.links[0].name
    places = [Attachment(robot.name, link, site.origin), Attachment(robot.name, link)]
    sensors = [SensorDescription(f"gyro{k}", "gyro", place) for k, place in enumerate(places)]
    scene = SceneDescription(robot.name, [RobotPlacement(robot)], sensors=sensors)
    back = kido.io.read_mjcf_string(mjcf_string(scene).text)
    assert [frame.name for frame in back.robots[0].robot.links[0].frames] == ["tip", "gyro1_site"]
    for one, place in zip(back.sensors, places, strict=True):
        np.testing.assert_allclose(one.place.T_link_frame, place.T_link_frame, atol=1e-15)


def test_scenes_begin_where_the_file_has_their_bodies() -> None:
    """Positions at rest are the zero of no joint, and couplings follow positions still."""
    rng = np.random.default_rng(6)
    robot = chained(rng, ("revolute", "prismatic", "revolute"))
    states = {"swing": 0.3, "joint0": -0.4, "joint1": 0.2, "joint2": 1.1}
    begin = NamedState("begin", [JointState("chain", name, [q]) for name, q in states.items()])
    gear = CouplingDescription(
        "gear", DofReference("chain", "joint2"), DofReference("chain", "swing"), (0.1, 0.2, 0.3, 0.4)
    )
    still = CouplingDescription("still", DofReference("chain", "joint1"), None, (0.25,))
    scene = SceneDescription(
        "chain", [RobotPlacement(robot)], states=[begin], initial_state="begin", constraints=[gear, still]
    )
    written = mjcf_string(scene)
    assert {told.subject for told in lost(written.diagnostics)} == {"part0", "part1"}
    assert [told.subject for told in written.diagnostics if told.kind == "equivalent"] == ["part2", "begin"]
    model = mujoco.MjModel.from_xml_string(written.text)
    data = mujoco.MjData(model)
    tree = kido.Tree.from_description(robot)
    for q in ([states[name] for name in tree.dof_names], rng.uniform(-1.0, 1.0, 4)):
        data.qpos[:] = positions(model, robot, dict(zip(tree.dof_names, q, strict=True)))
        mujoco.mj_forward(model, data)
        for name in ("upper", "part2"):
            np.testing.assert_allclose(data.body(name).xpos, tree.transform(q, name)[:3, 3], atol=1e-12)
        given = dict(zip(tree.dof_names, q, strict=True))
        followed = np.polynomial.Polynomial([0.1, 0.2, 0.3, 0.4])(given["swing"])
        errors = [given["joint2"] - followed, given["joint1"] - 0.25]
        np.testing.assert_allclose(data.efc_pos[:2], errors, atol=1e-12)
    np.testing.assert_array_equal(model.qpos0, [states[model.joint(k).name] for k in range(4)])
    assert model.nkey == 0
    moving = NamedState("begin", [JointState("chain", "swing", [0.3], [1.0])])
    told = mjcf_string(replace(scene, states=[moving])).diagnostics
    assert any("begins in the state 'begin'" in diagnostic.message for diagnostic in told)


def test_a_robot_without_links_is_told() -> None:
    (told,) = mjcf_string(RobotDescription("empty", [], [])).diagnostics
    assert "<robot 'empty'>: not written: it has no links" in str(told)


@pytest.mark.parametrize("names", [("cell",), ("cell", "other"), ("one",), ("one", "two")])
def test_names_of_robots_are_told_as_they_read_back(names: tuple[str, ...]) -> None:
    robots = [
        replace(
            pair(),
            name=name,
            links=[replace(link, name=f"{name}_{link.name}") for link in pair().links],
            joints=[
                replace(
                    joint,
                    name=f"{name}_{joint.name}",
                    parent=None if joint.parent is None else f"{name}_{joint.parent}",
                    child=f"{name}_{joint.child}",
                )
                for joint in pair().joints
            ],
        )
        for name in names
    ]
    written = mjcf_string(SceneDescription("cell", [RobotPlacement(robot) for robot in robots]))
    back = [placed.name for placed in kido.io.read_mjcf_string(written.text).robots]
    told = [str(each) for each in written.diagnostics]
    for name, read in zip(names, back, strict=True):
        is_told = any(f"<robot {name!r}>: the robot is named {read!r}" in text for text in told)
        assert is_told == (name != read)
