"""Armature in a world: on every path of a step, what MuJoCo, forward dynamics or a flywheel would do."""

from __future__ import annotations

import dataclasses
import pickle
from collections.abc import Callable

import mujoco
import numpy as np
import pytest
from _scenes import put
from test_heavy_on_light import solved_directly
from test_integrators import SymplecticEuler

import kido
from kido import ActuatorType, Inertia, Skeleton, Surface, World, gallery
from kido.description import Mimic
from kido.shape import Box, Sphere
from kido.world import BlockSolver, BoxedLCPSolver, CustomIntegrator, Integrator

WEIGHTLESS = (0.0, 0.0, 0.0)
ROTOR = 0.4
"""Armature of a root joint [kg m^2]; its link has a fifth of that about the joint."""

Array = np.ndarray


# ---- a flywheel on the link: on a root joint of one dof both are the same


def arm(flywheel: bool, name: str = "arm") -> Skeleton:
    """Two links on a hinge at the world and a ball joint; what speeds up with the hinge is a rotor, or a
    flywheel on the first link."""
    made = Skeleton(name)
    moment = np.diag([0.01, 0.02, 0.03]) + ROTOR * flywheel * np.eye(3)
    hinge = kido.RevoluteJoint(f"{name}_hinge", (0.0, 1.0, 0.0), armature=ROTOR * (not flywheel))
    upper = made.add_body(f"{name}_upper", None, hinge, inertia=Inertia(1.0, (0.25, 0.0, 0.0), moment))
    ball = kido.BallJoint(f"{name}_elbow", T_parent_joint=(0.5, 0.0, 0.0))
    lower = made.add_body(
        f"{name}_lower", upper, ball, inertia=Inertia(0.5, (0.15, 0.0, 0.02), np.diag([0.002, 0.003, 0.004]))
    )
    surface = Surface(friction=0.7, restitution=0.4)
    kido.ShapeNode(upper, "upper_shape", Box((0.5, 0.1, 0.05)), (0.25, 0.0, 0.0), surface=surface)
    kido.ShapeNode(lower, "lower_shape", Sphere(0.06), (0.3, 0.0, 0.0), surface=surface)
    made.positions = [0.2, 0.1, -0.2, 0.3]
    made.velocities = [0.5, 0.3, -0.4, 0.2]
    return made


def falling_box(mass: float = 1.0) -> Skeleton:
    box = gallery.rigid_body(Box((0.1, 0.1, 0.1)), mass, name="load", surface=Surface(friction=0.7))
    box.velocities = [0.0, 0.0, 0.0, 0.0, 0.0, -2.0]
    return put(box, (0.3, 0.0, 0.05))


def floor(height: float) -> Skeleton:
    ground = gallery.ground(surface=Surface(friction=0.7, restitution=0.3))
    ground.joint(0).T_parent_joint = (0.0, 0.0, height)
    return ground


SCENES: dict[str, Callable[[bool], World]] = {}


def scene(make: Callable[[bool], World]) -> Callable[[bool], World]:
    SCENES[make.__name__] = make
    return make


@scene
def a_swinging_arm(flywheel: bool) -> World:
    return World([arm(flywheel)])


@scene
def a_floor(flywheel: bool) -> World:
    return World([floor(-0.23), arm(flywheel)])


@scene
def a_box_that_falls_on_it(flywheel: bool) -> World:
    return World([arm(flywheel), falling_box()])


@scene
def a_limit(flywheel: bool) -> World:
    made = arm(flywheel)
    made.dof(0).position_upper_limit = 0.25
    return World([made])


@scene
def a_soft_limit(flywheel: bool) -> World:
    made = arm(flywheel)
    made.dof(0).position_upper_limit = 0.22
    made.dof(0).limit_frequency, made.dof(0).limit_damping_ratio = 4.0, 0.3
    return World([made])


@scene
def a_limit_of_speed(flywheel: bool) -> World:
    made = arm(flywheel)
    made.dof(0).velocity_upper_limit = 0.6
    return World([made])


@scene
def a_stiff_spring_and_a_damper(flywheel: bool) -> World:
    made = arm(flywheel)
    made.dof(0).spring_stiffness, made.dof(0).damping = 1e4, 3.0
    return World([made])


@scene
def dry_friction(flywheel: bool) -> World:
    made = arm(flywheel)
    made.dof(0).coulomb_friction = 2.0
    return World([made])


def driven(flywheel: bool, actuator: ActuatorType, command: float, most: float = 1e3) -> World:
    made = arm(flywheel)
    made.joint(0).actuator = actuator
    made.dof(0).force_lower_limit, made.dof(0).force_upper_limit = -most, most
    made.dof(0).command = command
    return World([floor(-0.23), made])


@scene
def a_servo(flywheel: bool) -> World:
    return driven(flywheel, ActuatorType.SERVO, 1.5)


@scene
def a_weak_servo(flywheel: bool) -> World:
    return driven(flywheel, ActuatorType.SERVO, -1.5, 2.0)


@scene
def a_force(flywheel: bool) -> World:
    return driven(flywheel, ActuatorType.FORCE, 3.0)


@scene
def a_given_acceleration(flywheel: bool) -> World:
    return driven(flywheel, ActuatorType.ACCELERATION, 3.0)


@scene
def a_given_velocity(flywheel: bool) -> World:
    return driven(flywheel, ActuatorType.VELOCITY, 1.0)


@scene
def a_tether(flywheel: bool) -> World:
    made, box = arm(flywheel), falling_box()
    world = World([made, box])
    world.constraints.add(kido.SpringConstraint(box.body(0), made.bodies[1], stiffness=500.0, length=0.3))
    return world


@scene
def a_loop(flywheel: bool) -> World:
    first, second = arm(flywheel), arm(flywheel, "other")
    second.positions = first.positions
    second.joint(0).T_parent_joint = (0.0, 0.4, 0.0)
    world = World([first, second])
    world.constraints.add(kido.BallConstraint(first.bodies[0], second.bodies[0], point=(0.4, 0.2, -0.1)))
    return world


@scene
def a_driven_loop(flywheel: bool) -> World:
    world = a_loop(flywheel)
    made = world.skeletons[0]
    made.joint(0).actuator = ActuatorType.SERVO
    made.dof(0).force_lower_limit, made.dof(0).force_upper_limit = -50.0, 50.0
    made.dof(0).command = 1.5
    made.dof(0).position_upper_limit = 0.3
    return world


def followers(flywheel: bool, coupled: bool) -> World:
    """Two arms in one skeleton, of which one follows the other."""
    made, second = arm(flywheel), arm(flywheel, "other")
    second.joint(0).T_parent_joint = (0.0, 3.0, 0.0)
    second.root_bodies[0].move_to(None, skeleton=made)
    follower = made.joint("other_hinge")
    follower.mimic = Mimic("arm_hinge", -0.5, coupled=coupled)
    follower.actuator = ActuatorType.MIMIC
    if not coupled:
        follower.force_lower_limits, follower.force_upper_limits = -4.0, 4.0
    return World([made])


@scene
def a_follower(flywheel: bool) -> World:
    return followers(flywheel, True)


@scene
def a_follower_by_a_motor(flywheel: bool) -> World:
    return followers(flywheel, False)


@scene
def a_gear(flywheel: bool) -> World:
    first, second = arm(flywheel), arm(flywheel, "other")
    second.joint(0).T_parent_joint = (0.0, 3.0, 0.0)
    world = World([first, second])
    world.constraints.add(kido.GearConstraint(first.dof(0), second.dof(0), ratio=-2.0))
    return world


@scene
def a_heavy_load(flywheel: bool) -> World:
    made, load = (
        arm(flywheel),
        put(gallery.rigid_body(Box((0.1, 0.1, 0.1)), 100.0, name="load"), (0.2, 0.0, 0.08)),
    )
    made.positions, made.velocities = [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]
    made.dof(0).position_upper_limit = 0.02
    return World([made, load])


@scene
def several_of_one_model(flywheel: bool) -> World:
    made = [arm(flywheel, f"arm_{k}") for k in range(11)]
    for k, one in enumerate(made):
        one.joint(0).T_parent_joint = (0.0, 0.0, 0.0)
        one.positions = one.positions + 0.01 * k
        for body in one.bodies:
            body.collidable = False
    return World(made)


TOUCHING = (
    a_floor,
    a_box_that_falls_on_it,
    a_servo,
    a_weak_servo,
    a_force,
    a_given_acceleration,
    a_given_velocity,
    a_tether,
    a_heavy_load,
)


def states(world: World) -> Array:
    return np.concatenate([np.concatenate([s.positions, s.velocities]) for s in world.skeletons])


def assert_same_motion(make: Callable[[bool], World], steps: int, change: Callable[[World], None]) -> None:
    rotor, flywheel = make(False), make(True)
    before, touched = states(rotor), False
    for world in (rotor, flywheel):
        change(world)
    for _ in range(steps):
        for world in (rotor, flywheel):
            world.step()
        np.testing.assert_allclose(states(rotor), states(flywheel), atol=1e-8, rtol=1e-8)
        touched = touched or bool(rotor.contacts)
    assert np.abs(states(rotor) - before).max() > 1e-3
    assert touched == (make in TOUCHING)


@pytest.mark.parametrize("name", SCENES)
def test_a_rotor_of_the_worlds_is_a_flywheel_on_the_link(name: str) -> None:
    assert_same_motion(SCENES[name], 200, lambda world: None)


@pytest.mark.parametrize("name", ["a_floor", "a_limit", "a_box_that_falls_on_it", "a_weak_servo", "a_gear"])
def test_solvers_of_matrices_see_it(name: str) -> None:
    def change(world: World) -> None:
        world.solver = BoxedLCPSolver()

    assert_same_motion(SCENES[name], 120, change)


@pytest.mark.parametrize("name", ["a_floor", "a_limit", "a_loop"])
def test_many_sweeps_and_small_steps_see_it(name: str) -> None:
    def change(world: World) -> None:
        world.solver, world.time_step = BlockSolver(sweeps=20), 2e-4

    assert_same_motion(SCENES[name], 500, change)


@pytest.mark.parametrize("integrator", [*Integrator, SymplecticEuler()], ids=str)
def test_integrators_see_it(integrator: Integrator | CustomIntegrator) -> None:
    def change(world: World) -> None:
        world.integrator = integrator

    assert_same_motion(SCENES["a_swinging_arm"], 200, change)


def test_a_heavy_load_on_it_is_solved_directly() -> None:
    world = SCENES["a_heavy_load"](False)
    world.step(60)
    assert solved_directly(world) == 1


# ---- inner joints


def rails(*armature: float) -> Skeleton:
    """Two masses of 2 and 1 kg, each on a rail along x of the one before."""
    made = Skeleton("rails")
    parent = None
    for k, (mass, rotor) in enumerate(zip((2.0, 1.0), armature, strict=True)):
        joint = kido.PrismaticJoint(f"rail_{k}", (1.0, 0.0, 0.0), armature=rotor)
        parent = made.add_body(f"mass_{k}", parent, joint, inertia=Inertia(mass, (0, 0, 0), np.eye(3)))
    return made


INERTIA = np.array([[3.0, 1.0], [1.0, 1.0]]) + np.diag([0.7, 4.0])
"""Mass matrix of `rails(0.7, 4.0)`."""


@pytest.mark.parametrize("dof", [0, 1])
def test_a_limit_stops_a_dof_by_the_inverse_of_the_whole_mass_matrix(dof: int) -> None:
    made = rails(0.7, 4.0)
    made.velocities = v = np.array([0.8, 1.5])
    made.dof(dof).position_upper_limit = 0.01
    world = World([made], gravity=WEIGHTLESS)
    world.step(100)
    gain = np.linalg.inv(INERTIA)[:, dof]
    expected = v - gain * v[dof] / gain[dof]
    np.testing.assert_allclose(made.velocities, expected, atol=1e-9)


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_a_wall_stops_a_link_by_the_inverse_of_the_whole_mass_matrix(restitution: float) -> None:
    made = rails(0.7, 4.0)
    surface = Surface(friction=0.0, restitution=restitution)
    kido.ShapeNode(made.bodies[1], "ball", Sphere(0.1), surface=surface)
    wall = gallery.ground(surface=Surface(friction=0.0, restitution=1.0))
    turn = np.array([[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
    T = np.eye(4)
    T[:3, :3], T[0, 3] = turn, 0.12
    wall.joint(0).T_parent_joint = T
    made.velocities = v = np.array([0.8, 1.5])
    World([wall, made], gravity=WEIGHTLESS).step(30)
    J = np.array([1.0, 1.0])
    gain = np.linalg.solve(INERTIA, J)
    expected = v - gain * (1.0 + restitution) * (J @ v) / (J @ gain)
    np.testing.assert_allclose(made.velocities, expected, atol=1e-6)


def chain(count: int = 5) -> tuple[Skeleton, mujoco.MjModel]:
    """Links on hinges about changing axes, with rotors heavier than they are, in kido and in MuJoCo."""
    made, spec = Skeleton("chain"), mujoco.MjSpec()
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_EULER
    spec.option.disableflags = mujoco.mjtDisableBit.mjDSBL_EULERDAMP
    parent, body = None, spec.worldbody
    rng = np.random.default_rng(6)
    for k in range(count):
        axis = rng.standard_normal(3)
        axis /= np.linalg.norm(axis)
        place = (0.0, 0.0, -0.3 * (k > 0))
        rotor = float(rng.uniform(0.5, 3.0))
        moment = rng.uniform(0.02, 0.03, 3)
        joint = kido.RevoluteJoint(f"hinge_{k}", axis, T_parent_joint=place, armature=rotor)
        parent = made.add_body(
            f"link_{k}", parent, joint, inertia=Inertia(1.0, (0.02, 0, -0.15), np.diag(moment))
        )
        body = body.add_body(name=f"link_{k}", pos=place)
        body.mass, body.ipos, body.inertia, body.explicitinertial = 1.0, (0.02, 0, -0.15), moment, True
        body.add_joint(name=f"hinge_{k}", type=mujoco.mjtJoint.mjJNT_HINGE, axis=axis, armature=rotor)
    return made, spec.compile()


@pytest.mark.parametrize("method", ["euler", "runge kutta"])
def test_a_chain_of_heavy_rotors_moves_as_in_mujoco(method: str) -> None:
    made, model = chain()
    data = mujoco.MjData(model)
    made.positions = data.qpos[:] = np.linspace(0.3, 0.9, 5)
    made.velocities = data.qvel[:] = np.linspace(-1.0, 1.0, 5)
    made.commands = data.qfrc_applied[:] = np.linspace(-2.0, 3.0, 5)
    world = World([made], time_step=1e-4 if method == "euler" else 1e-3)
    model.opt.timestep = world.time_step
    if method == "runge kutta":
        model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
        world.integrator = Integrator.RUNGE_KUTTA_4
    steps = round(1.0 / world.time_step)
    world.step(steps)
    mujoco.mj_step(model, data, steps)
    np.testing.assert_allclose(made.positions, data.qpos, atol=1e-9)
    np.testing.assert_allclose(made.velocities, data.qvel, atol=1e-9)
    assert np.abs(made.positions - np.linspace(0.3, 0.9, 5)).max() > 0.1


# ---- what stays


def spinning(seed: int) -> Skeleton:
    """A free humanoid whose joints, the root's apart, have armature, all moving."""
    made = gallery.humanoid(compound_joints=True)
    made.position_lower_limits, made.position_upper_limits = -np.inf, np.inf
    made.damping = made.spring_stiffness = made.coulomb_friction = 0.0
    rng = np.random.default_rng(seed)
    made.armature = [0.0] * 6 + list(rng.uniform(0.05, 0.5, made.num_dofs - 6))
    made.velocities = rng.uniform(-1.0, 1.0, made.num_dofs)
    for body in made.bodies:
        body.collidable = False
    return made


@pytest.mark.parametrize("root", [0.0, 0.6])
@pytest.mark.parametrize("integrator", [Integrator.IMPLICIT_MIDPOINT, Integrator.RUNGE_KUTTA_4])
def test_energy_stays(integrator: Integrator, root: float) -> None:
    """That of the rotors counts; on a free root, too."""
    made = spinning(1)
    made.joint(0).armature = root
    world = World([made], time_step=1e-3, integrator=integrator)
    before, bare = world.energy, world.energy - 0.5 * made.armature @ made.velocities**2
    drifts = []
    for _ in range(10):
        world.step(20)
        drifts.append(abs(world.energy - before))
    assert max(drifts) < 1e-5
    assert abs(world.energy - 0.5 * made.armature @ made.velocities**2 - bare) > 1e-2


def test_rotors_inside_leave_the_momentum_of_the_bodies_alone() -> None:
    made = spinning(2)
    world = World([made], gravity=WEIGHTLESS, integrator=Integrator.RUNGE_KUTTA_4)
    before = np.concatenate([made.angular_momentum(), made.linear_momentum()])
    world.step(200)
    after = np.concatenate([made.angular_momentum(), made.linear_momentum()])
    np.testing.assert_allclose(after, before, atol=1e-7)


def test_the_audit_knows_its_energy_and_its_forces() -> None:
    made = spinning(3)
    made.commands = np.random.default_rng(3).uniform(-3.0, 3.0, made.num_dofs)
    world = World([made], time_step=1e-4)
    world.step(50)
    audit = world.audit
    assert audit.kinetic_energy == pytest.approx(made.kinetic_energy, rel=1e-12)
    assert audit.kinetic_energy_gain == pytest.approx(audit.work.total, rel=1e-12)
    others = sum(abs(x) for name, x in dataclasses.asdict(audit.work).items() if name != "numerical")
    assert abs(audit.work.numerical) < 1e-2 * others
    np.testing.assert_allclose(audit.impulses.numerical, 0.0, atol=1e-5)


@pytest.mark.parametrize("actuator", [ActuatorType.ACCELERATION, ActuatorType.VELOCITY, ActuatorType.SERVO])
def test_actuators_tell_what_they_give_the_rotor(actuator: ActuatorType) -> None:
    """A mass of 3 kg and a rotor of 2 kg on a rail: 10 N for 2 m/s^2."""
    made = Skeleton("slider")
    joint = kido.PrismaticJoint("rail", (1.0, 0.0, 0.0), armature=2.0, actuator=actuator)
    made.add_body("mass", joint=joint, inertia=Inertia(3.0, (0, 0, 0), np.eye(3)))
    made.commands = [2.0 if actuator is ActuatorType.ACCELERATION else 2e-3]
    world = World([made])
    world.step()
    assert made.velocities[0] == pytest.approx(2e-3, rel=1e-9)
    assert world.joint_forces(made).actuators[0] == pytest.approx(10.0, rel=1e-9)


# ---- copies, edits, bundles


def bits(*skeletons: Skeleton) -> list[bytes]:
    return [s.positions.tobytes() + s.velocities.tobytes() for s in skeletons]


def flying(count: int, armature: Callable[[int], float]) -> list[Skeleton]:
    made = []
    for k in range(count):
        robot = spinning(k)
        robot.name = f"robot_{k}"
        robot.armature = [0.0] * 6 + [armature(k)] * (robot.num_dofs - 6)
        made.append(robot)
    return made


@pytest.mark.parametrize("armature", [lambda k: 0.3, lambda k: 0.1 * (k % 3)], ids=["same", "different"])
def test_trees_of_one_model_move_as_each_by_itself(armature: Callable[[int], float]) -> None:
    together = flying(11, armature)
    World(together).step(30)
    for robot, end in zip(flying(11, armature), bits(*together), strict=True):
        World([robot]).step(30)
        assert bits(robot) == [end]


def test_an_edit_during_a_simulation_acts_from_the_next_step_on() -> None:
    made = spinning(4)
    world = World([made])
    world.step(5)
    for armature in (0.0, 2.0, 0.4):
        made.joints[3].armature = armature
        expected = made.clone()
        expected.compute_forward_dynamics()
        world.step()
        scale = np.abs(expected.accelerations).max()
        np.testing.assert_allclose(made.accelerations, expected.accelerations, atol=1e-10 * scale)


def test_an_edit_of_a_rigid_body_makes_it_a_tree_and_back() -> None:
    box = falling_box()
    world = World([box])
    for armature in (0.0, 3.0, 0.0):
        box.armature = [0.0] * 5 + [armature]
        v = box.velocities[5]
        world.step()
        assert box.velocities[5] - v == pytest.approx(-9.81e-3 / (1.0 + armature), rel=1e-9)


def test_copies_of_a_world_and_rollouts_go_the_same_way() -> None:
    world = World([floor(-0.1), arm(False), falling_box()])
    world.step(20)
    twins = [world.clone(), pickle.loads(pickle.dumps(world))]
    commands = np.zeros((2, 50, sum(s.num_dofs for s in world.skeletons)))
    out = kido.rollout(world, commands)
    world.step(50)
    for twin in twins:
        twin.step(50)
        assert bits(*twin.skeletons) == bits(*world.skeletons)
    moving = np.concatenate([s.positions for s in world.skeletons])
    assert np.array_equal(out.positions[0, -1], moving) and np.array_equal(out.positions[1, -1], moving)


def test_a_joint_without_mass_moves_with_a_rotor() -> None:
    made = Skeleton("bare")
    made.add_body("body", joint=kido.RevoluteJoint("hinge", armature=0.5), inertia=None)
    made.commands = [1.0]
    World([made]).step(1000)
    assert made.velocities[0] == pytest.approx(2.0, rel=1e-9)
