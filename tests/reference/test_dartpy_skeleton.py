"""Skeletons against DART's: frames, Jacobians, dynamics with springs and actuators, wrenches, free joints.

What kido has otherwise on purpose is mapped or left out: the velocity of free joints, and commands that hold.
"""

from __future__ import annotations

import dartpy as dart
import numpy as np
import pytest
from _dart_skeleton import WORLD, DartTwin, isometry
from _random_trees import Array, assert_near, random_inertia, random_transform

import kido
from kido import Inertia

EXACT = 1e-12
SOLVED = 1e-9

OFFSET = np.array([0.3, -0.2, 0.5])
KINDS = (
    "WeldJoint",
    "RevoluteJoint",
    "PrismaticJoint",
    "ScrewJoint",
    "UniversalJoint",
    "EulerJoint",
    "BallJoint",
    "PlanarJoint",
    "TranslationalJoint",
    "FreeJoint",
)

every_seed = pytest.mark.parametrize("seed", range(3))


def joint(kind: str, rng: np.random.Generator) -> kido.Joint:
    """A joint with random axes and offsets."""
    made: kido.Joint = getattr(kido, kind)(
        T_parent_joint=random_transform(rng), T_child_joint=random_transform(rng)
    )
    for name in ("axis", "axis1", "axis2"):
        if hasattr(made, name) and kind != "PlanarJoint":
            setattr(made, name, rng.standard_normal(3))
    return made


def robot(seed: int, kinds: tuple[str, ...] = KINDS, *, springs: bool = False) -> kido.Skeleton:
    """A moving skeleton with branches and two trees."""
    rng = np.random.default_rng(seed)
    s = kido.Skeleton("robot", gravity=(1.0, -2.0, -9.0), time_step=0.01)
    for i, number in enumerate(rng.permutation(len(kinds))):
        parent = None if i in (0, len(kinds) - 2) else s.body(max(0, i - 1 - int(rng.integers(3))))
        s.add_body(f"body{i}", parent, joint(kinds[number], rng), inertia=random_inertia(rng))
    n = s.num_dofs
    s.positions, s.velocities, s.accelerations = rng.uniform(-1.0, 1.0, (3, n))
    if springs:
        s.spring_stiffness, s.damping = rng.uniform(10.0, 50.0, n), rng.uniform(1.0, 5.0, n)
        s.rest_positions = rng.uniform(-0.3, 0.3, n)
    return s


def plain(seed: int, *, springs: bool = True) -> kido.Skeleton:
    """A skeleton without free and ball joints, whose springs DART measures in coordinates."""
    return robot(
        seed, tuple(kind for kind in KINDS if kind not in ("FreeJoint", "BallJoint")), springs=springs
    )


def add_wrenches(twin: DartTwin, seed: int) -> None:
    """Random forces on every other body, in both libraries."""
    rng = np.random.default_rng(seed)
    for body in twin.kido.bodies[::2]:
        force, point = rng.uniform(-3.0, 3.0, (2, 3))
        body.add_external_force(force, point)
        twin.body(body).addExtForce(force, point)


# ---- kinematics


@every_seed
def test_frames_move_as_in_dart(seed: int) -> None:
    twin = DartTwin(robot(seed))
    for body in twin.kido.bodies:
        other = twin.body(body)
        assert_near(body.transform(), other.getWorldTransform().matrix(), EXACT)
        assert_near(body.spatial_velocity(), other.getSpatialVelocity(), EXACT)
        assert_near(body.spatial_acceleration(), other.getSpatialAcceleration(), EXACT)
        for name in ("velocity", "acceleration"):
            linear = getattr(other, f"getLinear{name.title()}")
            assert_near(getattr(body, f"linear_{name}")(), linear(), EXACT)
            assert_near(getattr(body, f"linear_{name}")(OFFSET), linear(OFFSET), EXACT)
            angular = getattr(other, f"getAngular{name.title()}")()
            assert_near(getattr(body, f"angular_{name}")(), angular, EXACT)


@every_seed
def test_frames_seen_from_moving_frames_move_as_in_dart(seed: int) -> None:
    twin = DartTwin(robot(seed))
    bodies = twin.kido.bodies
    for a, b, c in zip(bodies, bodies[3:] + bodies[:3], bodies[5:] + bodies[:5], strict=True):
        other, observer, axes = (twin.body(body) for body in (a, b, c))
        options = {"relative_to": b, "in_coordinates_of": c}
        assert_near(a.transform(**options), other.getTransform(observer, axes).matrix(), EXACT)
        for name in ("velocity", "acceleration"):
            spatial = getattr(other, f"getSpatial{name.title()}")(OFFSET, observer, axes)
            assert_near(getattr(a, f"spatial_{name}")(OFFSET, **options), spatial, EXACT)
            linear = getattr(other, f"getLinear{name.title()}")(OFFSET, observer, axes)
            assert_near(getattr(a, f"linear_{name}")(OFFSET, **options), linear, EXACT)
            angular = getattr(other, f"getAngular{name.title()}")(observer, axes)
            assert_near(getattr(a, f"angular_{name}")(**options), angular, EXACT)


@every_seed
def test_jacobians_are_those_of_dart(seed: int) -> None:
    twin = DartTwin(robot(seed))
    s, axes = twin.kido, twin.kido.body(2)
    for body in s.bodies:
        other = twin.body(body)
        expected = twin.columns(twin.dart.getJacobian(other, OFFSET))
        assert_near(s.jacobian(body, OFFSET), expected, EXACT)
        expected = twin.columns(twin.dart.getJacobian(other, OFFSET, twin.body(axes)))
        assert_near(s.jacobian(body, OFFSET, in_coordinates_of=axes), expected, EXACT)
        expected = twin.columns(twin.dart.getWorldJacobian(other, OFFSET))
        assert_near(s.jacobian(body, OFFSET, in_coordinates_of=kido.WORLD), expected, EXACT)
        expected = twin.columns(twin.dart.getLinearJacobian(other, OFFSET))
        assert_near(s.linear_jacobian(body, OFFSET), expected, EXACT)
        assert_near(s.angular_jacobian(body), twin.columns(twin.dart.getAngularJacobian(other)), EXACT)


@every_seed
def test_derivatives_of_jacobians_say_of_accelerations_what_those_of_dart_say(seed: int) -> None:
    """In body axes DART's derivatives are not elementwise; times the velocities they are the same."""
    twin = DartTwin(robot(seed))
    s, v = twin.kido, twin.kido.velocities
    for body in s.bodies:
        other = twin.body(body)
        J, dJ = twin.dart.getJacobian(other, OFFSET), twin.dart.getJacobianSpatialDeriv(other, OFFSET)
        expected = twin.derivative_columns(J, dJ) @ v
        assert_near(s.jacobian_spatial_derivative(body, OFFSET) @ v, expected, EXACT)
        J, dJ = twin.dart.getWorldJacobian(other, OFFSET), twin.dart.getJacobianClassicDeriv(other, OFFSET)
        assert_near(s.jacobian_classic_derivative(body, OFFSET), twin.derivative_columns(J, dJ), EXACT)
        J, dJ = twin.dart.getLinearJacobian(other, OFFSET), twin.dart.getLinearJacobianDeriv(other, OFFSET)
        assert_near(s.linear_jacobian_derivative(body, OFFSET), twin.derivative_columns(J, dJ), EXACT)
        J, dJ = twin.dart.getAngularJacobian(other), twin.dart.getAngularJacobianDeriv(other)
        assert_near(s.angular_jacobian_derivative(body), twin.derivative_columns(J, dJ), EXACT)


@every_seed
def test_the_center_of_mass_and_its_jacobians_are_those_of_dart(seed: int) -> None:
    twin = DartTwin(robot(seed))
    s, other = twin.kido, twin.dart
    observer, axes = s.body(3), s.body(5)
    options = {"relative_to": observer, "in_coordinates_of": axes}
    frames = twin.body(observer), twin.body(axes)
    assert_near(s.mass, other.getMass(), EXACT)
    assert_near(s.com(), other.getCOM(), EXACT)
    assert_near(s.com(relative_to=observer), other.getCOM(frames[0]), EXACT)
    for name in ("velocity", "acceleration"):
        for kind in ("linear", "spatial"):
            ask = getattr(other, f"getCOM{kind.title()}{name.title()}")
            assert_near(getattr(s, f"com_{kind}_{name}")(), ask(), EXACT)
            assert_near(getattr(s, f"com_{kind}_{name}")(**options), ask(*frames), EXACT)
    J, linear = other.getCOMJacobian(), other.getCOMLinearJacobian()
    assert_near(s.com_jacobian(), twin.columns(J), EXACT)
    assert_near(s.com_linear_jacobian(), twin.columns(linear), EXACT)
    dJ = twin.derivative_columns(J, other.getCOMJacobianSpatialDeriv())
    assert_near(s.com_jacobian_spatial_derivative() @ s.velocities, dJ @ s.velocities, EXACT)
    dJ = twin.derivative_columns(linear, other.getCOMLinearJacobianDeriv())
    assert_near(s.com_linear_jacobian_derivative(), dJ, EXACT)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("WeldJoint", "FreeJoint")])
def test_joints_have_the_jacobians_of_dart_and_their_derivatives(kind: str) -> None:
    twin = DartTwin(robot(5, ("RevoluteJoint", kind)))
    for ours in twin.kido.joints:
        other = twin.dart.getJoint(ours.name)
        shape = (6, ours.num_dofs)
        assert_near(ours.relative_jacobian, np.reshape(other.getRelativeJacobian(), shape), EXACT)
        rate = np.reshape(other.getRelativeJacobianTimeDeriv(), shape)
        assert_near(ours.relative_jacobian_time_derivative, rate, EXACT)
        assert_near(ours.relative_spatial_velocity, other.getRelativeSpatialVelocity(), EXACT)
        assert_near(ours.relative_spatial_acceleration, other.getRelativeSpatialAcceleration(), EXACT)


# ---- dynamics


@every_seed
@pytest.mark.parametrize("weightless", [False, True])
def test_the_equation_of_motion_is_that_of_dart(seed: int, weightless: bool) -> None:
    s = robot(seed)
    for body in s.bodies[1::3]:
        body.gravity_mode = not weightless
    twin = DartTwin(s)
    add_wrenches(twin, seed)
    assert_near(s.mass_matrix, twin.matrix(twin.dart.getMassMatrix()), SOLVED)
    assert_near(s.gravity_forces, twin.forces(twin.dart.getGravityForces()), SOLVED)
    # M (X a' + X' v') + C is what both have for the same a'.
    carried = s.mass_matrix @ twin.map_rate() @ twin.dart.getVelocities()
    assert_near(s.coriolis_forces + carried, twin.forces(twin.dart.getCoriolisForces()), SOLVED)
    expected = twin.forces(twin.dart.getCoriolisAndGravityForces())
    assert_near(s.coriolis_and_gravity_forces + carried, expected, SOLVED)
    assert_near(s.external_forces, twin.forces(twin.dart.getExternalForces()), SOLVED)
    assert_near(s.kinetic_energy, twin.dart.computeKineticEnergy(), SOLVED)


@every_seed
@pytest.mark.parametrize("weightless", [False, True])
def test_forward_and_inverse_dynamics_are_those_of_dart(seed: int, weightless: bool) -> None:
    s = robot(seed)
    for body in s.bodies[1::3]:
        body.gravity_mode = not weightless
    twin = DartTwin(s)
    add_wrenches(twin, seed)
    tau = np.random.default_rng(seed).uniform(-5.0, 5.0, s.num_dofs)
    s.compute_inverse_dynamics(with_external_forces=True)
    twin.dart.computeInverseDynamics(True, False, False)
    assert_near(s.forces, twin.forces(twin.dart.getForces()), SOLVED)
    for body in s.bodies:
        assert_near(s.transmitted_wrench(body), twin.body(body).getBodyForce(), SOLVED)
    s.commands = tau
    s.compute_forward_dynamics()
    twin.dart.setForces(twin.velocity_map().T @ tau)
    twin.dart.computeForwardDynamics()
    assert_near(s.accelerations, twin.accelerations(), SOLVED)
    for body in s.bodies:
        assert_near(s.transmitted_wrench(body), twin.body(body).getBodyForce(), 1e-8)


@every_seed
def test_springs_and_dampers_act_as_in_dart(seed: int) -> None:
    s = plain(seed)
    twin = DartTwin(s)
    add_wrenches(twin, seed)
    assert_near(s.augmented_mass_matrix, twin.dart.getAugMassMatrix(), SOLVED)
    # Where a tree branches, DART's getInvMassMatrix is not the inverse of its mass matrix.
    assert_near(s.inverse_mass_matrix, np.linalg.inv(twin.dart.getMassMatrix()), SOLVED)
    assert_near(s.potential_energy, twin.dart.computePotentialEnergy(), SOLVED)
    assert_near(s.lagrangian, twin.dart.computeLagrangian(), SOLVED)
    for external in (False, True):
        for dampers in (False, True):
            for springs in (False, True):
                s.compute_inverse_dynamics(
                    with_external_forces=external, with_damping_forces=dampers, with_spring_forces=springs
                )
                twin.dart.computeInverseDynamics(external, dampers, springs)
                assert_near(s.forces, twin.dart.getForces(), SOLVED)
    s.commands = np.random.default_rng(seed).uniform(-5.0, 5.0, s.num_dofs)
    twin.dart.setForces(s.commands)
    s.compute_forward_dynamics()
    twin.dart.computeForwardDynamics()
    assert_near(s.accelerations, twin.accelerations(), SOLVED)


@every_seed
@pytest.mark.parametrize("springs", [False, True])
def test_prescribed_motions_take_the_forces_that_they_take_in_dart(seed: int, springs: bool) -> None:
    """Locked joints are at rest before, for DART takes their velocity away without an acceleration."""
    s = plain(seed, springs=springs)
    rng = np.random.default_rng(seed)
    for body_joint, actuator in zip(
        s.joints, ("force", "velocity", "acceleration", "locked") * 2, strict=True
    ):
        body_joint.actuator = actuator
        if body_joint.actuator.takes_commands:
            body_joint.commands = rng.uniform(-2.0, 2.0, body_joint.num_dofs)
        else:
            body_joint.velocities = np.zeros(body_joint.num_dofs)
    twin = DartTwin(s)
    add_wrenches(twin, seed)
    for ours in s.joints:
        for i, command in enumerate(ours.commands):
            if ours.actuator.takes_commands:
                twin.dart.getJoint(ours.name).setCommand(i, command)
    s.compute_forward_dynamics()
    twin.dart.computeForwardDynamics()
    assert_near(s.accelerations, twin.accelerations(), SOLVED)
    assert_near(s.forces, twin.dart.getForces(), SOLVED)
    for body in s.bodies:
        assert_near(s.transmitted_wrench(body), twin.body(body).getBodyForce(), SOLVED)


@every_seed
def test_impulses_change_velocities_as_in_dart(seed: int) -> None:
    s = robot(seed)
    s.joint(2).actuator = "locked"
    s.joint(5).actuator = "velocity"
    twin = DartTwin(s)
    before = twin.dart.getVelocities()
    impulse = np.random.default_rng(seed).uniform(-1.0, 1.0, 6)
    body = s.bodies[-1]
    twin.body(body).setConstraintImpulse(impulse)
    twin.dart.setImpulseApplied(True)
    twin.dart.computeImpulseForwardDynamics()
    change = twin.velocity_map() @ (twin.dart.getVelocities() - before)
    assert_near(s.impulse_response(body, impulse), change, SOLVED)


@pytest.mark.parametrize("local_force", [False, True])
@pytest.mark.parametrize("local_offset", [False, True])
def test_external_forces_are_given_as_in_dart(local_force: bool, local_offset: bool) -> None:
    """DART tells them about the world's origin."""
    twin = DartTwin(robot(1))
    body = twin.kido.body(6)
    force, point = np.array([1.0, -2.0, 3.0]), np.array([0.3, 0.1, -0.2])
    axes = body if local_force else None
    body.add_external_force(force, point, in_coordinates_of=axes, offset_in_world=not local_offset)
    body.add_external_torque(force, in_coordinates_of=axes)
    twin.body(body).addExtForce(force, point, local_force, local_offset)
    twin.body(body).addExtTorque(force, local_force)
    got = body.external_force()
    got[:3] += np.cross(body.transform()[:3, 3], got[3:])
    assert_near(got, twin.body(body).getExternalForceGlobal(), EXACT)
    assert_near(twin.kido.external_forces, twin.forces(twin.dart.getExternalForces()), SOLVED)


@every_seed
def test_bodies_have_the_energies_and_momenta_of_dart(seed: int) -> None:
    twin = DartTwin(robot(seed))
    pivot = np.array([0.1, 0.2, 0.3])
    for body in twin.kido.bodies:
        other = twin.body(body)
        assert_near(body.kinetic_energy, other.computeKineticEnergy(), EXACT)
        assert_near(body.potential_energy, other.computePotentialEnergy(twin.kido.gravity), EXACT)
        assert_near(body.linear_momentum(in_coordinates_of=body), other.getLinearMomentum(), EXACT)
        about = body.transform() @ [*pivot, 1.0]
        got = body.angular_momentum(about[:3], in_coordinates_of=body)
        assert_near(got, other.getAngularMomentum(pivot), EXACT)


def test_a_weld_carries_in_dart_what_it_carries_here() -> None:
    s = kido.Skeleton("s")
    body = s.add_body("body", joint=kido.WeldJoint(), inertia=Inertia(3.0, (1.0, 0.0, 0.0), np.eye(3)))
    s.add_body("other", joint=kido.RevoluteJoint())
    twin = DartTwin(s)
    twin.dart.computeInverseDynamics()
    assert_near(twin.body(body).getBodyForce(), [0.0, -29.43, 0.0, 0.0, 0.0, 29.43], EXACT)
    assert_near(s.transmitted_wrench(body), twin.body(body).getBodyForce(), EXACT)


# ---- free joints


class Free:
    """A free body on a moving robot, and frames that move with it and beside it."""

    def __init__(self, seed: int) -> None:
        s = robot(seed, ("RevoluteJoint", "BallJoint", "UniversalJoint", "PrismaticJoint"))
        rng = np.random.default_rng(seed + 100)
        free = joint("FreeJoint", rng)
        s.add_body("floating", s.body("body1"), free, inertia=random_inertia(rng))
        n = s.num_dofs
        s.positions, s.velocities, s.accelerations = rng.uniform(-1.0, 1.0, (3, n))
        self.rng = rng
        self.body = s.body("floating")
        assert isinstance(free, kido.FreeJoint)
        self.joint = free
        self.twin = DartTwin(s)
        self.other = self.twin.dart.getJoint(free.name)

    def frames(self, name: str) -> tuple[kido.Frame | None, dart.dynamics.Frame]:
        """The same frame in both libraries."""
        s = self.twin.kido
        if name == "world":
            return None, WORLD
        if name == "robot":
            return s.body("body3"), self.twin.body(s.body("body3"))
        if name == "parent":
            return s.body("body1"), self.twin.body(s.body("body1"))
        T = random_transform(self.rng)
        V, A = self.rng.uniform(-1.0, 1.0, (2, 6))
        frame = kido.SimpleFrame("moving", s.body("body2"), T)
        frame.relative_spatial_velocity = V
        frame.relative_spatial_acceleration = A
        other = dart.dynamics.SimpleFrame(self.twin.body(s.body("body2")), "moving", isometry(T))
        other.setRelativeSpatialVelocity(V)
        other.setRelativeSpatialAcceleration(A)
        return frame, other

    def assert_same(self) -> None:
        body = self.twin.body(self.body)
        assert_near(self.body.transform(), body.getWorldTransform().matrix(), SOLVED)
        assert_near(self.body.spatial_velocity(), body.getSpatialVelocity(), SOLVED)
        assert_near(self.body.spatial_acceleration(), body.getSpatialAcceleration(), SOLVED)


OBSERVERS = ("world", "robot", "parent", "moving")

every_observer = pytest.mark.parametrize("observer", OBSERVERS)
every_axes = pytest.mark.parametrize("axes", OBSERVERS)


@every_seed
@every_observer
def test_a_free_body_is_put_anywhere_relative_to_any_frame(seed: int, observer: str) -> None:
    free = Free(seed)
    ours, theirs = free.frames(observer)
    T = random_transform(free.rng)
    free.joint.set_transform(T, relative_to=ours)
    free.other.setTransform(isometry(T), theirs)
    assert_near(free.body.transform(relative_to=ours), T, SOLVED)
    assert_near(free.body.transform(), free.twin.body(free.body).getWorldTransform().matrix(), SOLVED)


@every_seed
@every_observer
@every_axes
@pytest.mark.parametrize("kind", ["spatial", "linear", "angular"])
def test_a_free_body_gets_any_velocity_relative_to_any_frame(
    seed: int, observer: str, axes: str, kind: str
) -> None:
    free = Free(seed)
    ours, theirs = free.frames(observer)
    own_axes, their_axes = free.frames(axes)
    options = {"relative_to": ours, "in_coordinates_of": own_axes or kido.WORLD}
    V = free.rng.uniform(-1.0, 1.0, 6 if kind == "spatial" else 3)
    kept = {"linear": "angular", "angular": "linear"}.get(kind)
    before = None if kept is None else getattr(free.body, f"{kept}_velocity")(**options)
    getattr(free.joint, f"set_{kind}_velocity")(V, **options)
    assert_near(getattr(free.body, f"{kind}_velocity")(**options), V, SOLVED)
    if kept is not None:
        assert_near(getattr(free.body, f"{kept}_velocity")(**options), before, SOLVED)
    getattr(free.other, f"set{kind.title()}Velocity")(V, theirs, their_axes)
    assert_near(free.body.spatial_velocity(), free.twin.body(free.body).getSpatialVelocity(), SOLVED)


@every_seed
@every_observer
@every_axes
@pytest.mark.parametrize("kind", ["spatial", "linear", "angular"])
def test_a_free_body_gets_any_acceleration_relative_to_any_frame(
    seed: int, observer: str, axes: str, kind: str
) -> None:
    free = Free(seed)
    ours, theirs = free.frames(observer)
    own_axes, their_axes = free.frames(axes)
    options = {"relative_to": ours, "in_coordinates_of": own_axes or kido.WORLD}
    A = free.rng.uniform(-1.0, 1.0, 6 if kind == "spatial" else 3)
    kept = {"linear": "angular", "angular": "linear"}.get(kind)
    before = None if kept is None else getattr(free.body, f"{kept}_acceleration")(**options)
    getattr(free.joint, f"set_{kind}_acceleration")(A, **options)
    assert_near(getattr(free.body, f"{kind}_acceleration")(**options), A, SOLVED)
    if kept is not None:
        assert_near(getattr(free.body, f"{kept}_acceleration")(**options), before, SOLVED)
    getattr(free.other, f"set{kind.title()}Acceleration")(A, theirs, their_axes)
    free.assert_same()


def test_without_axes_a_spatial_velocity_is_in_the_bodys_and_a_linear_one_in_the_worlds() -> None:
    free = Free(0)
    V = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    free.joint.set_spatial_velocity(V)
    assert_near(free.body.spatial_velocity(), V, SOLVED)
    free.joint.set_linear_velocity(V[:3])
    assert_near(free.body.linear_velocity(), V[:3], SOLVED)
    free.joint.set_angular_velocity(V[3:])
    assert_near(free.body.angular_velocity(), V[3:], SOLVED)
    free.joint.set_spatial_acceleration(V)
    assert_near(free.body.spatial_acceleration(), V, SOLVED)
    free.joint.set_linear_acceleration(V[:3])
    assert_near(free.body.linear_acceleration(), V[:3], SOLVED)
    free.joint.set_angular_acceleration(V[3:])
    assert_near(free.body.angular_acceleration(), V[3:], SOLVED)


def test_a_free_joint_refuses_frames_that_move_with_it_and_what_is_none() -> None:
    free = Free(0)
    follower = kido.SimpleFrame("follower", free.body)
    before = free.twin.kido.positions, free.twin.kido.velocities
    for frame in (free.body, follower):
        with pytest.raises(kido.errors.FrameError, match="moves with 'floating'"):
            free.joint.set_transform(np.eye(4), relative_to=frame)
        with pytest.raises(kido.errors.FrameError, match="moves with 'floating'"):
            free.joint.set_linear_velocity(np.ones(3), relative_to=frame)
    for setter, values in (
        (free.joint.set_transform, np.eye(4)),
        (free.joint.set_angular_velocity, np.ones(3)),
    ):
        with pytest.raises(TypeError, match=r"^relative_to: expected a Frame, got str"):
            setter(values, relative_to="world")
    with pytest.raises(ValueError, match=r"^velocity: expected shape \(3,\)"):
        free.joint.set_linear_velocity(np.ones(2))
    with pytest.raises(ValueError, match=r"^acceleration: expected shape \(6,\)"):
        free.joint.set_spatial_acceleration(np.ones(3))
    for one, other in zip(before, (free.twin.kido.positions, free.twin.kido.velocities), strict=True):
        assert (one == other).all()


# ---- positions


def test_a_free_joints_velocity_gives_the_world_twist_where_dart_has_it() -> None:
    """In DART J v is the velocity itself, in world axes; kido's velocity is that twist in the body's axes."""
    s = kido.Skeleton("s")
    body = s.add_body("body", joint=kido.FreeJoint(positions=[0.3, -0.4, 0.5, 1.0, 2.0, 3.0]))
    twin = DartTwin(s)
    v = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    twin.dart.setVelocities(v)
    assert_near(twin.dart.getWorldJacobian(twin.body(body)) @ v, v, EXACT)
    s.velocities = twin.velocity_map() @ v
    assert_near([*body.angular_velocity(), *body.linear_velocity()], v, EXACT)
    assert_near(s.velocities, body.spatial_velocity(), EXACT)


def test_differences_of_rotations_are_in_child_axes_where_dart_has_free_bodies_in_the_parents() -> None:
    rng = np.random.default_rng(0)
    s = kido.Skeleton("s")
    s.add_body("ball", joint=kido.BallJoint())
    s.add_body("free", joint=kido.FreeJoint())
    other = DartTwin(s).dart
    start, end = rng.uniform(-1.0, 1.0, (2, 9))
    ours = s.position_differences(start, end)
    assert_near(ours[:3], other.getJoint(0).getPositionDifferences(end[:3], start[:3]), EXACT)
    theirs = other.getJoint(1).getPositionDifferences(end[3:], start[3:])
    R = kido.BallJoint.rotation_of(start[3:6])
    assert_near(R @ ours[3:6], theirs[:3], EXACT)


@pytest.mark.parametrize("name", ["RevoluteJoint", "ScrewJoint", "UniversalJoint", "EulerJoint"])
def test_positions_integrate_as_in_dart(name: str) -> None:
    twin = DartTwin(robot(3, ("BallJoint", name)))
    twin.kido.integrate_positions(0.1)
    twin.dart.integratePositions(0.1)
    assert_near(twin.kido.positions, twin.dart.getPositions(), EXACT)


def turn(axis: Array, angle: float) -> Array:
    return kido.math.so3_exp(np.asarray(axis) * angle)


def test_screws_universal_and_euler_joints_turn_in_the_order_of_dart() -> None:
    x, y, z = np.eye(3)
    s = kido.Skeleton("s")
    screw = s.add_body("screw", joint=kido.ScrewJoint(pitch=0.1, positions=np.pi))
    universal = s.add_body("universal", joint=kido.UniversalJoint(positions=[0.3, 0.4]))
    euler = s.add_body("euler", joint=kido.EulerJoint(positions=[0.3, 0.4, 0.5]))
    twin = DartTwin(s)
    assert_near(screw.transform()[:3, 3], [0.0, 0.0, 0.05], EXACT)
    assert_near(universal.transform()[:3, :3], turn(x, 0.3) @ turn(y, 0.4), EXACT)
    assert_near(euler.transform()[:3, :3], turn(x, 0.3) @ turn(y, 0.4) @ turn(z, 0.5), EXACT)
    for body in (screw, universal, euler):
        assert_near(body.transform(), twin.body(body).getWorldTransform().matrix(), EXACT)
