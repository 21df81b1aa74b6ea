"""Worlds of scenes, and scenes of worlds."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from _random_trees import Robot, robots
from hypothesis import given

import kido
from kido import description as d
from kido.errors import DescriptionError, UnknownNameError
from kido.shape import Box, Plane, Sphere
from kido.typing import FloatArray

SIDE = 0.2


def at(x: float, y: float = 0.0, z: float = 0.0) -> FloatArray:
    """A translation (4, 4) [m]."""
    T = np.eye(4)
    T[:3, 3] = x, y, z
    return T


def cube(name: str, **shape: Any) -> d.LinkDescription:
    """A cube of 1 kg that is seen and touches."""
    solid = d.ShapePlacement("solid", Box((SIDE,) * 3), **shape)
    return d.LinkDescription(
        name,
        d.Inertia(1.0, moment=np.eye(3) * SIDE**2 / 6.0),
        [d.ShapePlacement("solid", Box((SIDE,) * 3))],
        [solid],
    )


def arm(name: str = "arm") -> d.RobotDescription:
    """A pendulum of two links, about y."""
    links = [
        d.LinkDescription(link, d.Inertia(1.0, (0, 0, -0.5), np.eye(3) * 0.1)) for link in ("upper", "lower")
    ]
    joints = [
        d.JointDescription("shoulder", "revolute", None, "upper", axes=(0, 1, 0)),
        d.JointDescription("elbow", "revolute", "upper", "lower", at(0, 0, -1), axes=(0, 1, 0)),
    ]
    return d.RobotDescription(name, links, joints)


def scene(**changes: Any) -> d.SceneDescription:
    """Two arms, two cubes and the ground."""
    ground = d.LinkDescription("ground", collisions=[d.ShapePlacement("floor", Plane((0, 0, 1)))])
    content = {
        "robots": [
            d.RobotPlacement(arm(), "left", at(0, 0, 3), self_collision=True),
            d.RobotPlacement(arm(), "right", at(2, 0, 3), mobile=False, adjacent_collision=True),
        ],
        "objects": [
            d.ObjectPlacement(cube("red"), at(0, 0, 0.1)),
            d.ObjectPlacement(cube("blue"), at(1, 0, 0.1)),
            d.ObjectPlacement(ground, fixed=True),
        ],
        "gravity": (0.0, 0.0, -5.0),
        "time_step": 2e-3,
    }
    return d.SceneDescription("room", **{**content, **changes})


def test_a_world_has_the_skeletons_of_a_scene_at_their_places() -> None:
    world = kido.World.from_description(scene())
    assert [s.name for s in world.skeletons] == ["left", "right", "red", "blue", "ground"]
    assert (world.name, world.time_step, world.gravity.tolist()) == ("room", 2e-3, [0.0, 0.0, -5.0])
    assert world.skeleton("right").body("upper").transform()[:3, 3].tolist() == [2.0, 0.0, 3.0]
    assert world.skeleton("blue").body("blue").transform()[:3, 3].tolist() == [1.0, 0.0, 0.1]
    assert [s.mobile for s in world.skeletons] == [True, False, True, True, True]
    assert [s.self_collision_check for s in world.skeletons] == [True, False, False, False, False]
    assert [s.adjacent_body_check for s in world.skeletons] == [False, True, False, False, False]
    assert (world.diagnostics, dict(world.states), dict(world.sensors)) == ((), {}, {})


def test_gravity_and_places_of_a_scene_are_those_of_its_motion() -> None:
    lifted = d.ObjectPlacement(cube("red"), at(0, 0, 50))
    world = kido.World.from_description(scene(objects=[lifted]))
    world.step(500)
    fallen = 50.0 - 0.5 * 5.0 * 1.0**2
    assert world.skeleton("red").body("red").transform()[2, 3] == pytest.approx(fallen, abs=5e-3)


TARGET = (-np.sin(0.5), 0.0, 2.0 - np.cos(0.5))


def closure(kind: str, **changes: Any) -> d.ClosureDescription:
    """The end of the left arm, and where it is with the arm bent and its lower link upright."""
    ends = d.Attachment("left", "lower", at(0, 0, -1)), d.Attachment(T_link_frame=at(*TARGET))
    return replace(d.ClosureDescription("grip", kind, *ends), **changes)


@pytest.mark.parametrize(
    ("which", "kind", "held"),
    [
        ("weld", kido.WeldConstraint, 6),
        ("ball", kido.BallConstraint, 3),
        ("revolute", kido.RevoluteConstraint, 5),
        ("cylindrical", kido.CylindricalConstraint, 4),
    ],
)
def test_closures_hold_what_their_type_says(which: str, kind: type, held: int) -> None:
    world = kido.World.from_description(scene(constraints=[closure(which)]))
    (grip,) = world.constraints
    assert type(grip) is kind
    assert isinstance(grip, kido.constraint.BodyConstraint)
    assert world.constraints["grip"] is grip
    assert sum(grip.components.held) == held
    world.skeleton("left").positions = (0.3, 0.0)
    tip = world.skeleton("left").body("lower").transform() @ at(0, 0, -1)
    if held != 4:
        gap = np.linalg.norm(tip[:3, 3] - TARGET)
        assert np.linalg.norm(world.constraint_error(grip)[:3]) == pytest.approx(gap, rel=1e-6)
    world.step(1500)
    error = np.abs(world.constraint_error(grip))
    components = grip.components.held
    assert (error[list(components)] < 1e-5).all()
    assert world.skeleton("left").positions.tolist() == pytest.approx([0.5, -0.5], abs=1e-5)


def test_a_closure_that_begins_with_the_world_is_turned_around() -> None:
    turned = closure("ball")
    turned = replace(turned, first=turned.second, second=turned.first)
    world = kido.World.from_description(scene(constraints=[turned]))
    (grip,) = world.constraints
    assert isinstance(grip, kido.BallConstraint)
    assert (grip.first.name, grip.second) == ("lower", None)
    assert grip.components.first_frame[2, 3] == -1.0


def test_a_distance_is_a_rod_of_that_length() -> None:
    world = kido.World.from_description(scene(constraints=[closure("distance", distance=0.7)]))
    (rod,) = world.constraints
    assert isinstance(rod, kido.DistanceConstraint)
    assert rod.length == 0.7
    none = kido.World.from_description(scene(constraints=[closure("distance")]))
    assert [type(c) for c in none.constraints] == [kido.BallConstraint]


def test_softness_of_a_constraint_is_honoured_and_other_options_are_listed() -> None:
    soft = closure("weld", options={"stiffness": 100.0, "damping": 2.0, "solref": (0.02, 1.0)}, line=12)
    world = kido.World.from_description(scene(constraints=[soft], source="room.xml"))
    (grip,) = world.constraints
    assert isinstance(grip, kido.WeldConstraint)
    assert grip.components.softness == (100.0, 2.0, 0.0, 0.0)
    assert [str(x) for x in world.diagnostics] == [
        "room.xml:12: constraint 'grip': option 'solref' is not honoured"
    ]
    assert world.diagnostics[0].kind == "ignored"


def gear(coefficients: tuple[float, ...], **changes: Any) -> d.CouplingDescription:
    """The left elbow follows the left shoulder."""
    follower, leader = d.DofReference("left", "elbow"), d.DofReference("left", "shoulder")
    return replace(d.CouplingDescription("gear", follower, leader, coefficients), **changes)


def test_a_coupling_is_a_gear() -> None:
    options = {"max_force": 3.0, "one_way": True}
    world = kido.World.from_description(scene(constraints=[gear((0.1, -2.0), options=options)]))
    (made,) = world.constraints
    assert isinstance(made, kido.GearConstraint)
    assert (made.follower.name, made.leader.name) == ("elbow", "shoulder")
    assert (made.ratio, made.offset, made.max_force, made.one_way) == (-2.0, 0.1, 3.0, True)
    left = world.skeleton("left")
    left.positions = (0.2, 0.1 - 2.0 * 0.2)
    assert world.constraint_error(made)[0] == pytest.approx(0.0, abs=1e-12)


def test_a_coupling_to_nothing_locks_the_joint() -> None:
    world = kido.World.from_description(scene(constraints=[gear((0.4,), leader=None)]))
    left = world.skeleton("left")
    assert len(world.constraints) == 0
    assert left.joint("elbow").actuator is kido.ActuatorType.LOCKED
    world.step(10)
    assert left.joint("elbow").positions.tolist() == [0.4]
    assert [(x.kind, x.message) for x in world.diagnostics] == [
        ("substituted", "constraint 'gear': joint 'elbow' is locked at 0.4")
    ]


def test_a_coupling_of_higher_powers_is_a_polynomial(tmp_path: Path) -> None:
    world = kido.World.from_description(scene(constraints=[gear((0.1, -0.5, 0.8))]))
    (made,) = world.constraints
    assert isinstance(made, kido.constraint.PolynomialConstraint)
    assert world.to_description().constraints == (gear((0.1, -0.5, 0.8)),)
    kido.save(world, tmp_path / "world.json")
    for twin in (world, world.clone(), kido.load_world(tmp_path / "world.json")):
        left = twin.skeleton("left")
        left.positions = (0.6, 0.1 - 0.5 * 0.6 + 0.8 * 0.6**2)
        for _ in range(200):
            twin.step()
            leader, follower = left.positions
            assert follower == pytest.approx(0.1 - 0.5 * leader + 0.8 * leader**2, abs=1e-4)
        assert abs(left.positions[0] - 0.6) > 0.05
        leader, follower = left.velocities
        assert follower == pytest.approx((-0.5 + 1.6 * left.positions[0]) * leader, rel=2e-2)


def test_the_jacobian_of_a_polynomial_is_the_derivative_of_its_error() -> None:
    world = kido.World.from_description(scene())
    left, right = world.skeleton("left"), world.skeleton("right")
    for follower in (left.dof("elbow"), right.dof("elbow")):
        made = kido.constraint.PolynomialConstraint(follower, left.dof("shoulder"), (0.1, -0.5, 0.8, 0.3))
        skeletons = made.skeletons
        velocities = [np.array([0.3, -0.7]), np.array([0.4, 1.1])]
        errors = []
        for step in (-1e-6, 1e-6):
            for skeleton, v in zip(skeletons, velocities, strict=False):
                skeleton.positions = np.array([0.6, -0.2]) + step * v
            errors.append(np.asarray(made.rows().error)[0])
        for skeleton in skeletons:
            skeleton.positions = (0.6, -0.2)
        rate = sum(float((J @ v)[0]) for J, v in zip(made.rows().jacobian, velocities, strict=False))
        assert rate == pytest.approx((errors[1] - errors[0]) / 2e-6, rel=1e-6)


def test_what_is_no_constraint_here_is_listed() -> None:
    curved = gear((0.0, 1.0, 0.5), leader=d.DofReference("red", d.OBJECT_JOINT, 1))
    idle = closure("weld", active=False)
    onto_root = replace(gear((0.0, 1.0)), name="root", follower=d.DofReference("red", d.OBJECT_JOINT, 2))
    world = kido.World.from_description(scene(constraints=[curved, idle, onto_root]))
    assert len(world.constraints) == 0
    assert [x.subject for x in world.diagnostics] == ["gear", "grip", "root"]
    assert {x.kind for x in world.diagnostics} == {"ignored"}


def touching(world: kido.World) -> set[frozenset[str]]:
    """Pairs of skeletons that touch."""
    world.step()
    return {frozenset((c.first.skeleton.name, c.second.skeleton.name)) for c in world.contacts}


def stack(**shape: Any) -> d.SceneDescription:
    """Two cubes that overlap by a millimetre, on the ground."""
    low, high = cube("red"), cube("blue", **shape)
    things = d.ObjectPlacement(low, at(0, 0, 0.0999)), d.ObjectPlacement(high, at(0, 0, 0.2989))
    return scene(objects=[*things, scene().objects[2]], robots=[])


ALL = {frozenset(("red", "ground")), frozenset(("red", "blue"))}


def test_exclusions_and_categories_say_who_meets() -> None:
    assert touching(kido.World.from_description(stack())) == ALL
    pair = d.ContactExclusion(d.LinkReference("red", "red"), d.LinkReference("blue", "blue"))
    excluded = replace(stack(), exclusions=[pair])
    assert touching(kido.World.from_description(excluded)) == {frozenset(("red", "ground"))}
    other = stack(category=2, collides_with=2)
    assert touching(kido.World.from_description(other)) == {frozenset(("red", "ground"))}
    idle = stack(category=0, collides_with=0)
    assert not kido.World.from_description(idle).skeleton("blue").body("blue").collidable


def sliding(surface: kido.Surface | None, **options: Any) -> d.SceneDescription:
    """A cube on the ground that moves at 1 m/s, with numbers of the pair, or the surface of the cube."""
    moving = d.JointState("red", d.OBJECT_JOINT, velocities=(0, 0, 0, 1.0, 0, 0))
    ends = d.ShapeReference("red", "red"), d.ShapeReference("ground", "ground")
    pairs = [d.ContactPair("pair", *ends, options, line=5)] if options else []
    return scene(
        robots=[],
        objects=[d.ObjectPlacement(cube("red", surface=surface), at(0, 0, 0.1)), scene().objects[2]],
        contact_pairs=pairs,
        states=[d.NamedState("start", [moving])],
        initial_state="start",
    )


@pytest.mark.parametrize(
    ("surface", "pair"), [(kido.Surface(0.3), {}), (None, {"friction": 0.3})], ids=["surface", "pair"]
)
def test_friction_of_surfaces_and_pairs_slows_by_the_law_of_coulomb(
    surface: kido.Surface | None, pair: dict[str, float]
) -> None:
    world = kido.World.from_description(sliding(surface, **pair))
    world.step(100)
    expected = 1.0 - 0.3 * 5.0 * 0.2
    assert world.skeleton("red").velocities[3] == pytest.approx(expected, abs=5e-3)
    for twin in (world.clone(), pickle.loads(pickle.dumps(world))):
        twin.step(20)
        assert twin.skeleton("red").velocities[3] == pytest.approx(expected - 0.06, abs=5e-3)


def test_numbers_of_contact_pairs_that_are_not_honoured_are_listed() -> None:
    options = {"friction": (0.3, 0.2), "margin": 0.1, "restitution": 2.0}
    world = kido.World.from_description(sliding(None, **options))
    assert [(x.kind, x.line) for x in world.diagnostics] == [
        ("substituted", 5),
        ("ignored", 5),
        ("ignored", 5),
    ]
    assert "restitution: expected a number from 0 to 1" in str(world.diagnostics[2])


def test_options_of_other_simulators_are_listed() -> None:
    world = kido.World.from_description(scene(options={"iterations": 50, "integrator": "RK4"}))
    assert [x.subject for x in world.diagnostics] == ["integrator", "iterations"]
    exact = kido.World.from_description(scene(options={"integrator": "Runge-Kutta 4"}))
    assert exact.diagnostics == ()
    assert exact.integrator is kido.world.Integrator.RUNGE_KUTTA_4


def states() -> dict[str, Any]:
    """Two states, and one that the scene begins in."""
    bent = d.JointState("left", "elbow", (0.5,), (0.2,), (1.5,))
    return {
        "states": [d.NamedState("bent", [bent], 3.0), d.NamedState("rest")],
        "initial_state": "bent",
        "sensors": [d.SensorDescription("tip", "imu", d.Attachment("left", "lower"))],
    }


def test_a_world_begins_in_the_initial_state_and_can_be_set_to_others() -> None:
    world = kido.World.from_description(scene(**states()))
    left = world.skeleton("left")
    assert (world.time, left.positions.tolist(), left.velocities.tolist()) == (3.0, [0.0, 0.5], [0.0, 0.2])
    assert left.commands.tolist() == [0.0, 1.5]
    left.positions = (1.0, 1.0)
    left.reset_positions()
    assert left.positions.tolist() == [0.0, 0.5]
    world.set_state("rest")
    assert (world.time, left.positions.tolist(), left.commands.tolist()) == (0.0, [0.0, 0.0], [0.0, 0.0])
    world.step(5)
    world.set_state(world.states["bent"])
    assert (world.time, world.num_steps, left.positions.tolist()) == (3.0, 0, [0.0, 0.5])
    assert list(world.states) == ["bent", "rest"]
    assert world.sensors["tip"].type == "imu"


def test_a_state_that_does_not_fit_changes_nothing() -> None:
    world = kido.World.from_description(scene(**states()))
    world.step(3)
    before = world.time, [s.state for s in world.skeletons]
    cases: list[tuple[Any, type[Exception]]] = [
        ("lying", UnknownNameError),
        (3, TypeError),
        (d.NamedState("x", [d.JointState("nobody", "elbow")]), UnknownNameError),
        (d.NamedState("x", [d.JointState("right", "knee")]), UnknownNameError),
        (d.NamedState("x", [d.JointState("right", "elbow", (1.0, 2.0))]), DescriptionError),
    ]
    for state, error in cases:
        with pytest.raises(error):
            world.set_state(state)
        assert (world.time, [s.state for s in world.skeletons]) == before


def test_a_state_that_ctrl_c_interrupts_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    world = kido.World.from_description(scene(**states()))
    world.step(3)
    before = world.time, [s.state for s in world.skeletons]
    set_state = kido.Skeleton.set_named_state

    def interrupted(skeleton: kido.Skeleton, state: d.NamedState) -> None:
        set_state(skeleton, state)
        if skeleton is world.skeletons[-1]:
            raise KeyboardInterrupt

    monkeypatch.setattr(kido.Skeleton, "set_named_state", interrupted)
    with pytest.raises(KeyboardInterrupt):
        world.set_state("rest")
    assert (world.time, [s.state for s in world.skeletons]) == before


def test_copies_of_a_world_keep_states_sensors_and_diagnostics() -> None:
    world = kido.World.from_description(scene(**states(), options={"iterations": 50}))
    for twin in (world.clone(), pickle.loads(pickle.dumps(world))):
        assert twin.states == world.states
        assert twin.sensors == world.sensors
        assert twin.diagnostics == world.diagnostics
        twin.set_state("rest")
    assert world.skeleton("left").positions[1] == 0.5


def test_a_world_is_described_as_the_scene_that_it_was_made_of() -> None:
    pair = d.ContactExclusion(d.LinkReference("red", "red"), d.LinkReference("blue", "blue"))
    ends = d.ShapeReference("red", "red"), d.ShapeReference("ground", "ground")
    given = scene(
        constraints=[
            closure("weld", options={"stiffness": 5.0}),
            replace(closure("distance", distance=0.5), name="rod"),
            gear((0.1, -2.0), options={"max_force": 3.0}),
        ],
        exclusions=[pair],
        contact_pairs=[d.ContactPair("pair_0", *ends, {"friction": 0.3})],
        options={"integrator": "implicit midpoint"},
        sensors=states()["sensors"],
        states=[d.NamedState("current", states()["states"][0].joints, 3.0), d.NamedState("rest")],
        initial_state="current",
    )
    described = kido.World.from_description(given).to_description()
    for name in ("gravity", "time_step", "options", "constraints", "exclusions", "contact_pairs", "sensors"):
        assert same(getattr(described, name), getattr(given, name)), name
    assert described.states == given.states
    assert described.objects == given.objects
    assert described.diagnostics == ()
    assert [x.name for x in described.robots] == ["left", "right"]
    again = kido.World.from_description(described)
    assert again.to_description() == described


def same(one: Any, other: Any) -> bool:
    """Equality of values, arrays number by number."""
    return bool(np.array_equal(one, other)) if isinstance(one, np.ndarray) else bool(one == other)


@given(robots(max_bodies=4))
def test_worlds_of_random_robots_go_on_alike_from_their_descriptions(robot: Robot) -> None:
    world = kido.World.from_description(
        d.SceneDescription("random", [d.RobotPlacement(robot.description, T_world_robot=at(1, 2, 3))])
    )
    skeleton = world.skeletons[0]
    skeleton.positions, skeleton.velocities = robot.positions(), robot.motion()
    twin = kido.World.from_description(world.to_description())
    assert twin.skeletons[0].positions.tolist() == skeleton.positions.tolist()
    world.step(3)
    twin.step(3)
    np.testing.assert_array_equal(twin.skeletons[0].positions, skeleton.positions)


def test_what_no_scene_holds_is_listed() -> None:
    world = kido.World.from_description(scene())
    red, blue = world.skeleton("red").body("red"), world.skeleton("blue").body("blue")
    world.constraints.add(kido.SpringConstraint(red, blue, stiffness=5.0))
    world.collision_filter.ignore(red.shape_nodes[0], blue)
    world.sleeping = True
    world.surface_handler = lambda first, second: first.surface
    world.frames.add(kido.SimpleFrame("target"))
    listed = world.to_description().diagnostics
    assert {x.subject for x in listed} == {
        "target",
        "sleeping",
        "constraint_0",
        "solid - blue",
        "surface_handler",
    }
    assert {x.kind for x in listed} == {"ignored"}


def test_combined_surfaces_are_those_of_the_native_world() -> None:
    rng = np.random.default_rng(3)
    for seed in range(20):
        surfaces = [random_surface(rng) for _ in range(2)]
        rules = kido.world.SurfaceRules(*rng.choice(["minimum", "mean", "maximum", "product"], 3).tolist())
        native, python = (resting(surfaces, seed, handler) for handler in (rules, rules.combined))
        for world in (native, python):
            world.step()  # what moves in the frame of the first shape turns with it later
        np.testing.assert_allclose(
            python.skeletons[0].velocities, native.skeletons[0].velocities, atol=1e-9, err_msg=str(surfaces)
        )


def random_surface(rng: np.random.Generator) -> kido.Surface:
    """A surface with everything that one can have."""
    return kido.Surface(
        rng.uniform(0.1, 1.0),
        friction_direction=(*rng.normal(size=2), 0.0),
        secondary_friction=rng.uniform(0.1, 1.0),
        slip=rng.uniform(0.0, 0.1),
        secondary_slip=rng.uniform(0.0, 0.1),
        velocity=(*rng.normal(size=2), 0.0),
        angular_velocity=(0.0, 0.0, rng.normal()),
        rolling_friction=rng.uniform(0.0, 0.01),
        torsional_friction=rng.uniform(0.0, 0.01),
    )


def resting(surfaces: list[kido.Surface], seed: int, handler: Any) -> kido.World:
    """A ball that lies on a turned box."""
    box, ball = kido.Skeleton("box"), kido.Skeleton("ball")
    turn = at(0.3, 0.1, -0.1) @ np.array(
        [[np.cos(seed), -np.sin(seed), 0, 0], [np.sin(seed), np.cos(seed), 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    )
    base = box.add_body("box", joint=kido.WeldJoint(T_parent_joint=turn))
    base.add_shape_node(Box((2, 2, 0.2)))
    base.shape_nodes[0].surface = surfaces[0]
    body = ball.add_body("ball", inertia=d.shape_inertia(Sphere(0.1), 1.0))
    body.add_shape_node(Sphere(0.1))
    body.shape_nodes[0].surface = surfaces[1]
    ball.positions = (0, 0, 0, 0, 0, 0.0999)
    return kido.World([ball, box], surface_handler=handler)


def test_rules_of_surfaces_come_and_go_with_scenes() -> None:
    rules = kido.world.SurfaceRules(friction="mean", restitution="maximum")
    world = kido.World.from_description(scene(surface_rules=rules))
    assert world.surface_handler == rules
    assert world.to_description().surface_rules == rules
