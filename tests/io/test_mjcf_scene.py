"""What a MJCF file says beside its bodies: constraints, contacts, actuators, sensors, states, options."""

from __future__ import annotations

import warnings
from itertools import combinations
from pathlib import Path

import mujoco
import numpy as np
import pytest
from _mujoco_scene import Twins, wrap

from kido import gallery, load_world
from kido.description import (
    OBJECT_JOINT,
    ActuatorType,
    ClosureDescription,
    ClosureType,
    CouplingDescription,
    SceneDescription,
)
from kido.errors import ModelWarning
from kido.io import read_mjcf, read_mjcf_string

EVERYTHING = Path(__file__).with_name("data") / "everything.xml"


@pytest.fixture(scope="module")
def twins() -> Twins:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return Twins.of_file(EVERYTHING)


def test_bodies_agree_with_the_compiled_model(twins: Twins) -> None:
    twins.check()
    assert [placed.name for placed in twins.scene.robots] == ["torso", "cart"]
    names = ["world", "crate", "target", "post_0", "post_1"]
    assert [placed.name for placed in twins.scene.objects] == names


def body_poses(twins: Twins, positions: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    poses = {"world": np.eye(4)}
    for name, q in positions.items():
        tree = twins.trees[name]
        poses |= dict(zip(tree.body_names, tree.forward_kinematics(q), strict=True))
    return poses


def state_positions(twins: Twins, name: str) -> dict[str, np.ndarray]:
    positions = {owner: np.zeros(tree.num_dofs) for owner, tree in twins.trees.items()}
    for joint in twins.scene.state(name).joints:
        dofs = twins.trees[joint.owner].joint_dofs(joint.joint)
        if joint.positions is not None:
            positions[joint.owner][dofs.start : dofs.stop] = joint.positions
    return positions


@pytest.mark.parametrize("key", ["home", "start"])
def test_keyframes_put_bodies_where_mujoco_has_them(twins: Twins, key: str) -> None:
    data = mujoco.MjData(twins.model)
    mujoco.mj_resetDataKeyframe(twins.model, data, twins.model.key(key).id)
    mujoco.mj_forward(twins.model, data)
    poses = body_poses(twins, state_positions(twins, key))
    for body in range(1, twins.model.nbody):
        name = twins.body_name(body)
        np.testing.assert_allclose(poses[name][:3, 3], data.xpos[body], atol=1e-9)
        np.testing.assert_allclose(poses[name][:3, :3], data.xmat[body].reshape(3, 3), atol=1e-9)
    assert twins.scene.state(key).time == data.time


def test_keyframes_move_bodies_as_mujoco_does(twins: Twins) -> None:
    data = mujoco.MjData(twins.model)
    mujoco.mj_resetDataKeyframe(twins.model, data, twins.model.key("home").id)
    mujoco.mj_forward(twins.model, data)
    positions = state_positions(twins, "home")
    velocities = {owner: np.zeros(tree.num_dofs) for owner, tree in twins.trees.items()}
    for joint in twins.scene.state("home").joints:
        dofs = twins.trees[joint.owner].joint_dofs(joint.joint)
        velocities[joint.owner][dofs.start : dofs.stop] = joint.velocities
    moving = 0
    for body in range(1, twins.model.nbody):
        name = twins.body_name(body)
        owner = twins.owner[name]
        tree = twins.trees[owner]
        theirs = np.zeros(6)
        mujoco.mj_objectVelocity(twins.model, data, mujoco.mjtObj.mjOBJ_XBODY, body, theirs, 1)
        if tree.num_dofs:
            ours = tree.jacobian(positions[owner], name) @ velocities[owner]
            np.testing.assert_allclose(ours, theirs, atol=1e-9, err_msg=name)
            moving += bool(np.abs(theirs).max() > 0.1)
    assert moving >= 2


def test_the_scene_begins_where_the_file_has_its_bodies(twins: Twins) -> None:
    assert twins.scene.initial_state == "rest"
    poses = body_poses(twins, state_positions(twins, "rest"))
    data = mujoco.MjData(twins.model)
    mujoco.mj_forward(twins.model, data)
    for body in range(1, twins.model.nbody):
        np.testing.assert_allclose(poses[twins.body_name(body)][:3, 3], data.xpos[body], atol=1e-9)


def test_commands_of_keyframes_are_forces_on_joints(twins: Twins) -> None:
    data = mujoco.MjData(twins.model)
    mujoco.mj_resetDataKeyframe(twins.model, data, twins.model.key("home").id)
    mujoco.mj_forward(twins.model, data)
    commands = {j.joint: j.commands for j in twins.scene.state("home").joints if j.commands is not None}
    assert set(commands) == {"rail", "shoulder_x", "shoulder_y"}
    for joint in ("rail", "shoulder_y"):
        dof = twins.model.joint(joint).dofadr[0]
        limits = twins.robots["cart" if joint == "rail" else "torso"].joint(joint).limits
        force = np.clip(commands[joint], limits.lowest_effort, limits.effort)
        np.testing.assert_allclose(force, data.qfrc_actuator[dof])
    assert commands["shoulder_x"] == 1.0  # of twice as much at the actuator


def test_actuators_are_kept_and_drive_joints_where_kido_can(twins: Twins) -> None:
    scene, torso, cart = twins.scene, twins.scene.robot("torso").robot, twins.scene.robot("cart").robot
    assert [actuator.name for actuator in scene.actuators] == [
        twins.model.actuator(i).name for i in range(twins.model.nu)
    ]
    push, turn, jet = scene.actuator("push"), scene.actuator("turn"), scene.actuator("jet")
    assert (push.type, push.gear.tolist(), push.command_range.tolist()) == ("motor", [3.0], [-2.0, 2.0])
    assert turn.options["kv"] == 2.0 and turn.force_range.tolist() == [-4.0, 6.0]
    assert jet.place is not None and jet.place.link == "torso" and jet.joint is None
    assert jet.command_range.tolist() == [-1.0, 1.0]
    assert scene.actuator("pull").options["tendon"] == "string"
    assert scene.actuator("slow").joint.joint == "wag"
    assert cart.joint("rail").actuator is ActuatorType.FORCE
    assert cart.joint("rail").limits.effort.tolist() == [6.0]
    assert torso.joint("shoulder_x").actuator is ActuatorType.SERVO
    limits = torso.joint("shoulder_x").limits
    assert (limits.lowest_effort[0], limits.effort[0]) == (-8.0, 12.0)
    assert torso.joint("shoulder_y").actuator is ActuatorType.FORCE
    assert torso.joint("elbow").actuator is None  # two actuators
    elbow = torso.joint("elbow").limits
    assert (elbow.lowest_effort[0], elbow.effort[0]) == (-5.0, 9.0)


def test_equalities_hold_where_mujoco_has_them_hold(twins: Twins) -> None:
    glue, rope, gear = (twins.scene.constraint(name) for name in ("glue", "rope", "gear"))
    assert isinstance(glue, ClosureDescription) and isinstance(rope, ClosureDescription)
    assert isinstance(gear, CouplingDescription)
    assert (glue.type, glue.active) == (ClosureType.WELD, False)
    assert glue.options["solref"] == (0.01, 1.0)
    assert (rope.type, rope.active, rope.second.body) == (ClosureType.BALL, True, None)
    data = mujoco.MjData(twins.model)
    mujoco.mj_forward(twins.model, data)
    poses = body_poses(twins, state_positions(twins, "rest"))
    for closure in (glue, rope):
        ends = [poses[end.link or "world"] @ end.T_link_frame for end in (closure.first, closure.second)]
        np.testing.assert_allclose(ends[0][:3, 3], ends[1][:3, 3], atol=1e-12)
    anchor = twins.model.eq_data[1][3:6]
    np.testing.assert_allclose(rope.second.T_link_frame[:3, 3], anchor, atol=1e-12)


def test_couplings_are_those_of_positions_at_rest(twins: Twins) -> None:
    gear = twins.scene.constraint("gear")
    assert isinstance(gear, CouplingDescription) and gear.leader is not None
    assert (gear.follower.joint, gear.leader.joint) == ("elbow", "shoulder_x")
    ref = np.radians(10.0)
    for q in (-0.5, 0.3, 1.0):
        expected = 0.5 * (q - ref) + 0.1 * (q - ref) ** 2
        assert np.polynomial.Polynomial(gear.coefficients)(q) == pytest.approx(expected, abs=1e-12)


def test_couplings_of_joints_that_both_rest_elsewhere() -> None:
    joints = '<joint name="a" ref="30"/><joint name="b" ref="20" axis="1 0 0"/>'
    bodies = f'<worldbody><body>{joints}<geom size=".1"/></body></worldbody>'
    for ends, expected in [
        ('joint1="a" joint2="b"', lambda q: np.radians(30) + 0.1 + 2.0 * (q - np.radians(20))),
        ('joint1="a"', lambda q: np.radians(30) + 0.1),
    ]:
        equality = f'<equality><joint {ends} polycoef=".1 2"/></equality>'
        coupling = read_mjcf_string(wrap(bodies + equality)).constraints[0]
        assert isinstance(coupling, CouplingDescription)
        polynomial = np.polynomial.Polynomial(coupling.coefficients)
        assert polynomial(0.7) == pytest.approx(expected(0.7), abs=1e-12)


SITES = '<site name="{}" pos=".1 .2 .3" euler="10 20 30"/>'
TWO = (
    '<body name="a" pos="1 0 0" euler="0 0 40"><freejoint/><geom size=".1"/>{}</body>'
    '<body name="b" pos="0 2 0" euler="50 0 0"><joint ref="20"/><geom size=".1"/>{}</body>'
)


@pytest.mark.parametrize(
    "attributes",
    [
        'body1="a" body2="b"',
        'body1="b" body2="a"',
        'body1="b"',
        'body1="a" body2="b" relpose="1 2 3 .5 .5 .5 .5"',
        'body1="a" body2="b" relpose="1 2 3 .5 .5 .5 .5" anchor=".1 .2 .3"',
        'body1="a" body2="b" anchor=".1 .2 .3"',
        'site1="s" site2="t"',
    ],
)
def test_welds_hold_the_poses_that_mujoco_does(attributes: str) -> None:
    bodies = TWO.format(SITES.format("s"), SITES.format("t").replace("10", "70"))
    twins = Twins.of_text(f"<worldbody>{bodies}</worldbody><equality><weld {attributes}/></equality>")
    closure = twins.scene.constraints[0]
    assert isinstance(closure, ClosureDescription)
    relative = closure.first.T_link_frame @ np.linalg.inv(closure.second.T_link_frame)
    if "anchor" in attributes:
        assert closure.second.T_link_frame[:3, 3].tolist() == [0.1, 0.2, 0.3]
    if "site" in attributes:
        first, second = (
            next(f.origin for f in twins.robots[twins.owner[body]].link(body).frames) for body in ("a", "b")
        )
        expected = first @ np.linalg.inv(second)
        np.testing.assert_allclose(relative, expected, atol=1e-12)
        return
    data = twins.model.eq_data[0]
    turn = np.zeros(9)
    mujoco.mju_quat2Mat(turn, data[6:10])
    np.testing.assert_allclose(relative[:3, :3], turn.reshape(3, 3), atol=1e-9)
    np.testing.assert_allclose(relative[:3, 3], data[3:6] - relative[:3, :3] @ data[:3], atol=1e-9)


def test_contacts_that_the_file_excludes_or_parametrizes(twins: Twins) -> None:
    links = {(rule.first.link, rule.second.link) for rule in twins.scene.exclusions}
    assert ("torso", "hand") in links
    grip = twins.scene.contact_pairs[0]
    assert (grip.name, grip.first.link, grip.second.owner) == ("grip", "hand", "crate")
    assert grip.options["friction"] == (2.0, 2.0, 0.01, 0.001, 0.001)


def may_touch(scene: SceneDescription) -> set[frozenset[str]]:
    """Names of the shapes that can touch each other by the rules of the scene."""
    shapes = []
    for placed in (*scene.robots, *scene.objects):
        robot = placed.placed()
        shapes += [(placed, robot, link, shape) for link in robot.links for shape in link.collisions]
    excluded = {
        frozenset(((r.first.owner, r.first.link), (r.second.owner, r.second.link))) for r in scene.exclusions
    }
    found = set()
    for (one, robot, a, s), (other, _, b, t) in combinations(shapes, 2):
        if one is other and a is b:
            continue
        joined = {frozenset((j.parent, j.child)) for j in robot.joints}
        near = one is other and frozenset((a.name, b.name)) in joined and not one.adjacent_collision
        bits = s.category & t.collides_with and t.category & s.collides_with
        if bits and not near and frozenset(((one.name, a.name), (other.name, b.name))) not in excluded:
            found.add(frozenset((s.name, t.name)))
    return found


def touches_in_mujoco(model: mujoco.MjModel) -> set[frozenset[str]]:
    """The same by MuJoCo's rules (https://mujoco.readthedocs.io/en/stable/computation/#selection)."""
    found = set()
    excluded = {int(signature) for signature in model.exclude_signature}
    for g, h in combinations(range(model.ngeom), 2):
        a, b = sorted((model.geom_bodyid[g], model.geom_bodyid[h]))
        weld_a, weld_b = model.body_weldid[a], model.body_weldid[b]
        parents = (
            model.body_weldid[model.body_parentid[weld_a]],
            model.body_weldid[model.body_parentid[weld_b]],
        )
        joined = weld_a and weld_b and (weld_a == parents[1] or weld_b == parents[0])
        joined = joined and not model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_FILTERPARENT
        bits = (model.geom_contype[g] & model.geom_conaffinity[h]) or (
            model.geom_contype[h] & model.geom_conaffinity[g]
        )
        if bits and weld_a != weld_b and not joined and (int(a) << 16) + int(b) not in excluded:
            found.add(frozenset((model.geom(g).name, model.geom(h).name)))
    return found


BITS = [
    "",
    'contype="0"',
    'conaffinity="0"',
    'contype="2" conaffinity="5"',
    'contype="4" conaffinity="2"',
    'contype="-1"',
]


@pytest.mark.parametrize("filter_parents", [True, False])
@pytest.mark.parametrize("seed", range(6))
def test_shapes_may_touch_where_geoms_may(filter_parents: bool, seed: int) -> None:
    rng = np.random.default_rng(seed)
    count = 0

    def tree(depth: int) -> str:
        nonlocal count
        count += 1
        number = count
        joints = ["", "", "<joint/>", '<joint/><joint axis="1 0 0"/>', '<joint type="ball"/>'][
            rng.integers(5)
        ]
        inside = "".join(tree(depth + 1) for _ in range(rng.integers(0, 3) if depth < 3 else 0))
        bits = BITS[rng.integers(len(BITS))]
        mass = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
        return (
            f'<body name="b{number}">{mass}{joints}<geom name="g{number}" size=".1" {bits}/>{inside}</body>'
        )

    trees = "".join(tree(0) for _ in range(3))
    flag = "" if filter_parents else '<option><flag filterparent="disable"/></option>'
    text = f'{flag}<worldbody><geom name="floor" type="plane" size="1 1 1"/>{trees}</worldbody>'
    text += (
        '<contact><exclude body1="world" body2="b1"/><exclude body1="b1" body2="b2"/></contact>'
        if count > 1
        else ""
    )
    scene, model = read_mjcf_string(wrap(text)), mujoco.MjModel.from_xml_string(wrap(text))
    ours, theirs = may_touch(scene), touches_in_mujoco(model)
    static = {f"b{k}" for k in range(1, count + 1) if model.body_weldid[model.body(f"b{k}").id] == 0}
    assert theirs - ours == set()
    fixed = {f"g{name[1:]}" for name in static} | {"floor"}
    assert {pair for pair in ours - theirs if not pair <= fixed} == set()


def test_sensors_and_cameras_have_their_places(twins: Twins) -> None:
    scene = twins.scene
    assert {sensor.name: sensor.type for sensor in scene.sensors} == {
        "gyro": "gyro",
        "angle": "jointpos",
        "where": "framepos",
        "touch3": "touch",
        "length": "tendonpos",
        "clock": "clock",
        "side": "camera",
        "eye": "camera",
    }
    gyro, where = scene.sensor("gyro"), scene.sensor("where")
    assert gyro.place is not None and gyro.place.link == "torso" and gyro.options["noise"] == 0.1
    np.testing.assert_allclose(gyro.place.T_link_frame[:3, 3], [0.1, 0.0, 0.0])
    np.testing.assert_allclose(gyro.place.T_link_frame[:3, 2], [1.0, 0.0, 0.0], atol=1e-12)
    assert where.place is not None and where.options["refname"] == "origin"
    np.testing.assert_allclose(where.place.T_link_frame[:3, 3], [0.0, 0.0, 0.1])
    assert scene.sensor("angle").joint is not None and scene.sensor("length").options["tendon"] == "string"
    assert scene.sensor("side").place is not None and scene.sensor("side").place.body is None
    assert scene.sensor("side").options["fovy"] == 60.0


def test_options_and_numbers_of_the_user_are_kept(twins: Twins) -> None:
    scene = twins.scene
    assert (scene.time_step, scene.gravity.tolist()) == (0.004, [0.0, 0.0, -9.8])
    assert dict(scene.options) == {
        "integrator": "implicitfast",
        "cone": "elliptic",
        "iterations": 30.0,
        "wind": (1.0, 0.0, 0.0),
        "flag.energy": "enable",
        "numeric.init": (1.0, 2.0, 3.0),
        "text.author": "kido",
    }


def test_surfaces_have_friction_by_the_dimensions_of_contact(twins: Twins) -> None:
    floor = twins.scene.object("world").link.collisions[0]
    assert (floor.surface.friction, floor.surface.torsional_friction) == (0.7, 0.0)
    palm = twins.scene.robot("torso").robot.link("hand").collisions[0].surface
    assert (palm.friction, palm.torsional_friction, palm.rolling_friction) == (1.0, 0.1, 0.01)
    smooth = '<worldbody><geom condim="1" size="1"/><geom condim="4" size="1" friction=".5"/></worldbody>'
    first, second = read_mjcf_string(wrap(smooth)).objects[0].link.collisions
    assert (first.surface.friction, first.surface.torsional_friction) == (0.0, 0.0)
    assert (second.surface.friction, second.surface.torsional_friction) == (0.5, 0.005)


def test_geoms_are_drawn_in_their_colors_or_only_touch(twins: Twins) -> None:
    robot = twins.scene.robot("torso").robot
    assert [shape.name for shape in robot.link("lower").visuals] == ["lower"]
    assert not robot.link("lower").collisions
    assert robot.link("lower").visuals[0].material.rgba.tolist() == [1.0, 0.0, 0.0, 1.0]
    trunk = robot.link("torso")
    assert [shape.name for shape in trunk.visuals] == ["trunk_visual"]
    assert [shape.name for shape in trunk.collisions] == ["trunk"]
    assert trunk.visuals[0].material.rgba.tolist() == [0.2, 0.4, 0.6, 1.0]
    assert not robot.link("hand").visuals and robot.link("hand").collisions
    assert [(f.name, f.kind) for f in trunk.frames] == [("imu", "site"), ("shoulder", "frame")]


def test_objects_take_their_keyframes_by_their_joint(twins: Twins) -> None:
    crate = next(joint for joint in twins.scene.state("home").joints if joint.owner == "crate")
    assert crate.joint == OBJECT_JOINT
    np.testing.assert_allclose(crate.positions, [0, 0, 0, 0, 1, 2.8], atol=1e-12)


def test_everything_that_is_not_honoured_is_said_with_file_and_line() -> None:
    with pytest.warns(ModelWarning, match="left out: 1 <fixed>"):
        scene = read_mjcf(EVERYTHING)
    robots = [diagnostic for placed in scene.robots for diagnostic in placed.robot.diagnostics]
    told = [str(diagnostic) for diagnostic in (*scene.diagnostics, *robots)]
    parts = EVERYTHING.parent / "parts" / "defaults.xml"
    for file, place, element, what in [
        (EVERYTHING, "<option ", "<option>", "wind: kept, but no medium and no field act on bodies"),
        (EVERYTHING, "<tuple ", "<tuple name='pair'>", "kido has nothing for tuples of elements"),
        (EVERYTHING, "mocap", "<body name='target'>", "mocap: the body is fixed to the world"),
        (EVERYTHING, "<fixed ", "<fixed name='string'>", "kido has no tendons"),
        (parts, "solref", "<geom>", "solref: not honoured"),
    ]:
        line = 1 + next(k for k, text in enumerate(file.read_text().splitlines()) if place in text)
        assert any(text.startswith(f"{file}:{line}: {element}: {what}") for text in told)
    assert any("<position name='bend'>: kept, but does not drive 'elbow'" in text for text in told)
    assert any(diagnostic.kind == "substituted" for diagnostic in scene.diagnostics)


@pytest.mark.parametrize("flag", ["contact", "constraint", "equality"])
def test_contacts_and_equalities_can_be_switched_off(flag: str) -> None:
    bodies = TWO.format("", "")
    weld = '<equality><weld body1="a" body2="b"/></equality>'
    option = f'<option><flag {flag}="disable"/></option>'
    text = f"{option}<worldbody>{bodies}</worldbody>{weld}"
    scene = read_mjcf_string(wrap(text))
    assert bool(may_touch_at_all(scene)) == (flag == "equality")
    assert scene.constraints[0].active == (flag == "contact")


def may_touch_at_all(scene: SceneDescription) -> int:
    robots = [placed.placed() for placed in (*scene.robots, *scene.objects)]
    shapes = [shape for robot in robots for link in robot.links for shape in link.collisions]
    assert shapes
    return sum(shape.category | shape.collides_with for shape in shapes)


@pytest.mark.parametrize("bits", ["contype='1' conaffinity='0'", "contype='0' conaffinity='1'", ""])
def test_what_is_beside_a_model_touches_it_as_a_usual_geom_would(tmp_path: Path, bits: str) -> None:
    """A robot whose file has no floor stands on one beside it; its own links touch if they may."""
    geom = f"<geom size='0.1' {bits}/>"
    arm = f"<body name='arm' pos='0.3 0 0'><joint axis='0 1 0' damping='1'/>{geom}</body>"
    file = tmp_path / "robot.xml"
    text = f"<body name='base' pos='0 0 0.11'><freejoint/>{geom}{arm}</body>"
    file.write_text(wrap(f"<worldbody>{text}</worldbody>"))
    world = load_world(file)
    world.add(gallery.ground())
    world.step(500)
    assert world.skeletons[0].body("base").transform()[2, 3] == pytest.approx(0.1, abs=1e-3)
    assert may_touch(read_mjcf(file)) == set()  # for one joint joins them
    file.write_text(wrap(f"<option><flag filterparent='disable'/></option><worldbody>{text}</worldbody>"))
    assert len(may_touch(read_mjcf(file))) == (0 if bits else 1)


def test_flags_that_are_honoured_are_no_options(tmp_path: Path) -> None:
    flags = "gravity='disable' contact='disable' equality='disable' filterparent='disable'"
    file = tmp_path / "robot.xml"
    body = "<body><joint/><geom size='1'/></body>"
    file.write_text(wrap(f"<option><flag {flags}/></option><worldbody>{body}</worldbody>"))
    assert load_world(file).diagnostics == ()
    assert read_mjcf(file).gravity.tolist() == [0.0, 0.0, 0.0]


def test_of_two_frictions_the_larger_counts_in_worlds_of_mujoco_too(tmp_path: Path) -> None:
    """Boxes on a slope of 0.5: friction of 0.9 and 0.1 keeps a box where the larger counts."""
    slope = "<geom type='plane' size='9 9 1' euler='0 26.565 0' friction='0.1'/>"
    box = "<freejoint/><geom type='box' size='.1 .1 .1' friction='{}'/>"
    body = f"<body pos='0.0447 0 0.0894' euler='0 26.565 0'>{box}</body>"
    for friction, stays in ((0.9, True), (0.1, False)):
        file = tmp_path / "slope.xml"
        file.write_text(f"<mujoco><worldbody>{slope}{body.format(friction)}</worldbody></mujoco>")
        world = load_world(file)
        assert world.to_description().surface_rules == read_mjcf(file).surface_rules
        world.step(200)
        (moving,) = (one for one in world.skeletons if one.num_dofs)
        speed = np.linalg.norm(moving.velocities[3:])
        assert speed < 1e-3 if stays else speed > 0.5


def test_without_inertia_of_geoms_a_body_has_none() -> None:
    bodies = "<worldbody><body name='a'><joint/>{}</body></worldbody>"
    text = f"<mujoco><compiler inertiafromgeom='false'/>{bodies}</mujoco>"
    inertial = "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"
    inner = inertial + "<geom size='1'/><body name='b'><geom size='1'/></body>"
    (robot,) = read_mjcf_string(text.format(inner)).robots
    assert robot.robot.link("b").inertia is None
    assert mujoco.MjModel.from_xml_string(text.format(inner)).body_mass.tolist() == [0.0, 1.0, 0.0]
