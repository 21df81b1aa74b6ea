"""Torques that static equilibrium asks of joints: beside Pinocchio and Drake, and in problems."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from _effort import examples
from _posture_parts import integrated
from _posture_twins import JOINTS, Twins, random_urdf
from _tasked import pose
from numpy.testing import assert_allclose
from numpy.typing import NDArray

import kido
from kido.description import ActuatorType, Mimic
from kido.errors import ModelWarning
from kido.ik import PostureProblem, StaticEquilibriumConstraint, SupportContact
from kido.math import so3_exp

Array = NDArray[np.float64]
KINDS = (
    kido.FreeJoint,
    kido.BallJoint,
    kido.UniversalJoint,
    kido.PlanarJoint,
    kido.ScrewJoint,
    kido.EulerJoint,
    kido.PrismaticJoint,
    kido.RevoluteJoint,
)
SEEDS = range(examples(8))
STEP = 1e-6


def contacts_of(robot: kido.Skeleton, rng: np.random.Generator) -> tuple[list[int], Array, Array]:
    """Links, points of them (3, 3), and forces in the world (3, 3) [N]."""
    links = rng.choice(np.arange(1, JOINTS + 1), 3, replace=False)
    return links.tolist(), rng.normal(size=(3, 3)), 20.0 * rng.normal(size=(3, 3))


def constraint_on(robot: kido.Skeleton, links: list[int], points: Array) -> StaticEquilibriumConstraint:
    return StaticEquilibriumConstraint(
        [SupportContact(robot.body(f"l{k}"), p) for k, p in zip(links, points, strict=True)]
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_torques_are_those_of_drake_with_their_derivatives(seed: int) -> None:
    """Drake's gravity and Jacobians of points, with automatic derivatives."""
    from pydrake.autodiffutils import ExtractGradient, ExtractValue, InitializeAutoDiff
    from pydrake.multibody.tree import JacobianWrtVariable

    rng = np.random.default_rng(seed)
    t = Twins(rng)
    links, points, forces = contacts_of(t.robot, rng)
    constraint = constraint_on(t.robot, links, points)
    assert_allclose(constraint.bounds(t.robot).upper[-JOINTS:], 10.0)
    plant: Any = t.plant.ToAutoDiffXd()
    context = plant.CreateDefaultContext()
    x = InitializeAutoDiff(np.concatenate([t.theirs, forces.ravel()]))
    plant.SetPositions(context, x[:JOINTS].ravel())
    tau = -plant.CalcGravityGeneralizedForces(context)
    world = plant.world_frame()
    for k, (link, point) in enumerate(zip(links, points, strict=True)):
        J = plant.CalcJacobianTranslationalVelocity(
            context, JacobianWrtVariable.kV, plant.GetFrameByName(f"l{link}"), point, world, world
        )
        tau = tau - J.T @ x[JOINTS + 3 * k : JOINTS + 3 * k + 3].ravel()
    value, slope = ExtractValue(tau).ravel()[t.order], ExtractGradient(tau)[t.order]
    slope = np.hstack([slope[:, t.order], slope[:, JOINTS:]])
    assert_allclose(constraint.torques(t.robot, t.q, forces=forces), value, atol=1e-10)
    mine, J = (f(t.robot, t.q, forces=forces.ravel()) for f in (constraint.value, constraint.jacobian))
    assert_allclose(mine[-JOINTS:], value, atol=1e-10)
    assert_allclose(J[-JOINTS:, :JOINTS], slope[:, :JOINTS], atol=1e-9)
    assert_allclose(J[-JOINTS:, JOINTS:], slope[:, JOINTS:], atol=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("is_free", [False, True])
def test_torques_are_those_of_pinocchio(seed: int, is_free: bool) -> None:
    import pinocchio as pin

    rng = np.random.default_rng(seed)
    urdf = random_urdf(rng)
    root = pin.JointModelFreeFlyer() if is_free else None
    model = pin.buildModelFromXML(urdf, root) if is_free else pin.buildModelFromXML(urdf)
    data = model.createData()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        root_kind = "free" if is_free else "fixed"
        robot = kido.Skeleton.from_description(kido.io.read_urdf_string(urdf, root=root_kind))
    links, points, forces = contacts_of(robot, rng)
    q = rng.uniform(-1.0, 1.0, robot.num_dofs)
    theirs = np.empty(model.nq)
    for dof in robot.dofs[6:] if is_free else robot.dofs:
        theirs[model.joints[model.getJointId(dof.joint.name)].idx_q] = q[dof.index]
    if is_free:
        quaternion = pin.Quaternion(so3_exp(q[:3])).coeffs()
        theirs[:7] = np.concatenate([q[3:6], quaternion])
    pin.computeJointJacobians(model, data, theirs)
    pin.updateFramePlacements(model, data)
    tau = pin.rnea(model, data, theirs, np.zeros(model.nv), np.zeros(model.nv))
    for link, point, force in zip(links, points, forces, strict=True):
        frame = model.getFrameId(f"l{link}")
        J = pin.getFrameJacobian(model, data, frame, pin.LOCAL_WORLD_ALIGNED)
        arm = data.oMf[frame].rotation @ point
        tau -= J[:3].T @ force + J[3:].T @ np.cross(arm, force)
    expected = np.empty(robot.num_dofs)
    for dof in robot.dofs[6:] if is_free else robot.dofs:
        expected[dof.index] = tau[model.joints[model.getJointId(dof.joint.name)].idx_v]
    if is_free:
        expected[:3], expected[3:6] = tau[3:6], tau[:3]
    found = constraint_on(robot, links, points).torques(robot, q, forces=forces)
    assert_allclose(found, expected, atol=1e-10)


def by_differences(constraint: Any, robot: kido.Skeleton, q: Array, e: Array) -> Array:
    columns = []
    for i in range(len(q)):
        v = np.zeros(len(q))
        v[i] = STEP
        up = constraint.value(robot, integrated((robot,), q, v), forces=e)
        columns.append((up - constraint.value(robot, integrated((robot,), q, -v), forces=e)) / (2.0 * STEP))
    return np.stack(columns, axis=1)


@pytest.mark.parametrize("seed", SEEDS)
def test_derivatives_with_joints_of_all_kinds_and_springs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    robot = kido.Skeleton("all kinds")
    body = None
    for k, kind in enumerate(KINDS):
        joint = kind(f"j{k}")
        joint.T_parent_joint = pose(rng.normal(size=3), rng.normal(size=3))
        inertia = kido.Inertia(float(rng.uniform(0.5, 2.0)), rng.uniform(-0.3, 0.3, 3), np.eye(3))
        body = robot.add_body(f"b{k}", body, joint, inertia=inertia)
    count = robot.num_dofs
    robot.spring_stiffness = np.where([d.coordinate.is_additive for d in robot.dofs], 3.0, 0.0)
    robot.rest_positions = rng.normal(size=count)
    contacts = [SupportContact(body, rng.normal(size=3)) for body in robot.bodies[3::2]]
    constraint = StaticEquilibriumConstraint(contacts, torque_limits=1.0)
    q, e = rng.uniform(-1.0, 1.0, count), 50.0 * rng.normal(size=3 * len(contacts))
    J = constraint.jacobian(robot, q, forces=e)
    assert_allclose(J[:, :count], by_differences(constraint, robot, q, e), atol=1e-4)
    assert_allclose(constraint.torques(robot, q)[6:], energy_slope(robot, q)[6:], atol=1e-5)


def energy_slope(robot: kido.Skeleton, q: Array) -> Array:
    """Derivative of the potential energy by velocities: of gravity, and of springs."""

    def energy(x: Array) -> float:
        d = x - robot.rest_positions
        return float(
            -robot.mass * robot.gravity @ robot.tree.center_of_mass(x)
            + 0.5 * d @ (robot.spring_stiffness * d)
        )

    v = np.eye(len(q)) * STEP
    up, down = ([energy(integrated((robot,), q, sign * row)) for row in v] for sign in (1.0, -1.0))
    return np.asarray((np.array(up) - np.array(down)) / (2.0 * STEP))


# ---- in problems


def arm_with_a_load() -> tuple[kido.Skeleton, PostureProblem]:
    """An arm stretched out, which is to hold its tool in a box."""
    arm = kido.gallery.arm7()
    problem = PostureProblem(arm)
    problem.add_position_constraint(arm.bodies[-1], (0.45, -0.05, 0.3), (0.55, 0.05, 0.4))
    problem.add_posture_cost(np.full(7, 0.2))
    return arm, problem


def test_a_posture_is_found_whose_torques_are_within_limits() -> None:
    arm, problem = arm_with_a_load()
    free = problem.solve()
    assert free.success
    before = np.abs(arm.tree.inverse_dynamics(free.positions, np.zeros(7), np.zeros(7)))
    limits = np.full(7, np.inf)
    limits[[1, 3]] = 0.8 * before[[1, 3]]
    arm.force_lower_limits, arm.force_upper_limits = -limits, limits
    constraint = problem.add_static_equilibrium_constraint([])
    result = problem.solve()
    assert result.success, result
    torques = arm.tree.inverse_dynamics(result.positions, np.zeros(7), np.zeros(7))
    assert (np.abs(torques) <= limits + 1e-3).all()
    assert result.cost > free.cost
    assert_allclose(constraint.torques(arm, result.positions), torques, atol=1e-10)
    arm.force_upper_limits = arm.force_lower_limits = 0.0  # limits are those of the model when it is solved
    assert not problem.solve(max_starts=3).is_feasible


def test_the_joint_that_cannot_bear_its_torque_is_named() -> None:
    arm, problem = arm_with_a_load()
    problem.add_static_equilibrium_constraint([], torque_limits={arm.dofs[1]: 0.5, "joint_4": 0.5})
    result = problem.solve(max_starts=10)
    assert not result.is_feasible
    assert any("torque of joint_2 in [-0.5, 0.5] N m" in text for text in result.conflict), result
    assert any("torque of joint_" in one.text for one in result.violations), result
    assert not any(
        "joint_1 " in text for text in (*result.conflict, *(one.text for one in result.violations))
    )


def test_a_hand_on_a_table_takes_load_off_the_arm() -> None:
    arm, problem = arm_with_a_load()
    tool = arm.bodies[-1]
    alone = arm.tree.inverse_dynamics(problem.solve().positions, np.zeros(7), np.zeros(7))
    problem.add_static_equilibrium_constraint(
        [SupportContact(tool)], torque_limits={"joint_2": 0.1 * abs(alone[1])}
    )
    result = problem.solve()
    assert result.success, result
    force = result.forces[0]
    assert force[2] > 10.0
    arm.positions = result.positions
    J = tool.linear_jacobian()
    torques = arm.tree.inverse_dynamics(result.positions, np.zeros(7), np.zeros(7)) - J.T @ force
    assert abs(torques[1]) <= 0.1 * abs(alone[1]) + 1e-3


def test_a_humanoid_crouches_no_lower_than_its_knees_bear() -> None:
    robot = kido.gallery.humanoid()
    for name in ("left", "right"):
        robot.joint(f"{name}_knee").force_lower_limits = -14.0
        robot.joint(f"{name}_knee").force_upper_limits = 14.0
    corners = [(x, y, -0.08) for x in (-0.07, 0.13) for y in (-0.045, 0.045)]
    feet = [robot.body(name) for name in ("left_foot", "right_foot")]
    height = robot.body("torso").transform()[2, 3]
    found = {}
    for limits in (np.inf, None):
        problem = PostureProblem(robot)
        for foot in feet:
            T = foot.transform()
            problem.add_position_constraint(foot, T[:3, 3], T[:3, 3])
            problem.add_orientation_constraint(foot, rotation=T[:3, :3])
        problem.add_static_equilibrium_constraint(
            [SupportContact(foot, corner, friction=0.6) for foot in feet for corner in corners],
            torque_limits=limits,
        )
        problem.add_position_cost(robot.body("torso"), (0.0, 0.0, height - 0.3), np.diag([0.0, 0.0, 10.0]))
        problem.add_posture_cost(problem.positions, 0.01)
        result = problem.solve()
        assert result.success, result
        forces, start = np.zeros(robot.num_dofs), robot.positions
        robot.positions = result.positions
        for foot, corner, force in zip(
            [f for f in feet for _ in corners], corners * 2, result.forces, strict=True
        ):
            forces[[dof.index for dof in foot.dependent_dofs]] += foot.linear_jacobian(corner).T @ force
        robot.positions = start
        still = np.zeros(robot.num_dofs)
        torques = robot.tree.inverse_dynamics(result.positions, still, still) - forces
        assert_allclose(torques[:6], 0.0, atol=2e-3)
        found[limits] = np.abs(torques[[robot.dof(f"{side}_knee").index for side in ("left", "right")]])
        if limits is None:
            excess = np.maximum(torques - robot.force_upper_limits, robot.force_lower_limits - torques)[6:]
            assert excess.max() <= 1e-3
    assert found[np.inf].max() > 20.0


def test_what_is_broken_is_told_in_newtons_and_newton_metres() -> None:
    """Beside sums by hand: a lift of one body of 2 kg, on it a rod of 1 kg about y, on a contact."""
    robot = kido.Skeleton("lift")
    lift = robot.add_body(
        "lift", None, kido.PrismaticJoint("z", axis=(0.0, 0.0, 1.0)), inertia=kido.Inertia(2.0)
    )
    robot.add_body(
        "rod",
        lift,
        kido.RevoluteJoint("y", axis=(0.0, 1.0, 0.0)),
        inertia=kido.Inertia(1.0, (0.5, 0.0, 0.0), np.eye(3)),
    )
    problem = PostureProblem(robot)
    problem.add_static_equilibrium_constraint([], torque_limits={"z": 10.0, "y": 4.0})
    for angle in (0.0, 0.3):
        told = {one.unit: one for one in problem.violations([0.1, angle])}
        assert told.keys() == {"N", "N m"}
        assert_allclose(told["N"].amount, 3.0 * 9.81 - 10.0, atol=1e-9)
        assert_allclose(told["N m"].amount, 0.5 * 9.81 * np.cos(angle) - 4.0, atol=1e-9)
        assert str(told["N m"]).startswith(
            "static equilibrium of the skeleton, torque of y in [-4, 4] N m: by 0."
        )
        assert str(told["N m"]).endswith(" N m")
        assert "torque of z in [-10, 10] N: by 19.4 N" in str(told["N"])
        assert_allclose(told["N"].relative, told["N"].amount / (3.0 * 9.81))
    result = problem.solve()
    assert not result.is_feasible
    assert_allclose(result.violation, (3.0 * 9.81 - 10.0) / (3.0 * 9.81), atol=1e-6)


def test_forces_that_do_not_balance_a_free_body_are_told_in_newtons() -> None:
    robot = kido.Skeleton("box")
    body = robot.add_body("box", None, kido.FreeJoint("root"), inertia=kido.Inertia(3.0))
    problem = PostureProblem(robot)
    contacts = [SupportContact(body, (x, 0.0, 0.0), friction=0.5, min_normal_force=2.0) for x in (-0.1, 0.3)]
    constraint = problem.add_static_equilibrium_constraint(contacts)
    forces = np.array([[6.0, 0.0, 10.0], [0.0, 0.0, 1.0]])
    value = constraint.value(robot, forces=forces.ravel())
    moment = -(-0.1 * 10.0 + 0.3 * 1.0)  # about y: - x f_z
    assert_allclose(value, [6.0, 0.0, 11.0 - 3.0 * 9.81, 0.0, moment, 0.0, 10.0, -1.0, 1.0, 0.5], atol=1e-9)
    assert_allclose(constraint.bounds(robot).lower[6:], [2.0, 0.0, 2.0, 0.0])
    told = {one.unit: one.amount for one in problem.violations(forces=forces)}
    assert_allclose(told["N"], 3.0 * 9.81 - 11.0, atol=1e-9)
    assert_allclose(told["N m"], abs(moment), atol=1e-9)
    assert_allclose(constraint.violation(robot, forces=forces.ravel()), told["N"], atol=1e-9)
    J = constraint.jacobian(robot, forces=forces.ravel())
    assert_allclose(J[:3, -6:], np.hstack([np.eye(3)] * 2), atol=1e-12)
    assert_allclose(J[4, [-4, -1]], [0.1, -0.3], atol=1e-12)


def pendulum(**options: Any) -> kido.Skeleton:
    """Two bodies of 1 kg on rods of 1 m, about y."""
    robot = kido.Skeleton("pendulum")
    body = None
    for k in range(2):
        joint = kido.RevoluteJoint(f"j{k}", axis=(0.0, 1.0, 0.0))
        joint.T_parent_joint = pose(np.zeros(3), np.array([1.0 if k else 0.0, 0.0, 0.0]))
        body = robot.add_body(f"b{k}", body, joint, inertia=kido.Inertia(1.0, (1.0, 0.0, 0.0), np.eye(3)))
    return robot


def test_passive_joints_bear_nothing_and_locked_ones_anything() -> None:
    robot = pendulum()
    robot.joint("j1").actuator = ActuatorType.PASSIVE
    problem = PostureProblem(robot)
    problem.add_joint_limits("j0", 0.5, 0.6)
    problem.add_static_equilibrium_constraint([])
    result = problem.solve(np.array([0.5, 0.3]))
    assert result.success, result
    hangs = np.sin(result.positions.sum())  # the rod behind the passive joint is upright
    assert_allclose(abs(hangs), 1.0, atol=1e-5)
    robot.joint("j1").actuator = ActuatorType.LOCKED
    with pytest.raises(ValueError, match="free root or limits of torques"):
        problem.solve()
    robot.joint("j1").actuator = ActuatorType.FORCE
    robot.joint("j1").force_upper_limits, robot.joint("j1").force_lower_limits = 4.905, -4.905
    result = problem.solve(np.array([0.5, 0.3]))
    assert result.success, result
    assert abs(np.cos(result.positions.sum())) <= 0.5 + 1e-5


def test_leaders_bear_what_their_followers_have_to() -> None:
    robot = pendulum()
    robot.joint("j1").mimic = Mimic("j0", multiplier=-2.0)
    robot.joint("j1").actuator = ActuatorType.MIMIC
    robot.mimic_enforced = True
    constraint = StaticEquilibriumConstraint([], torque_limits={"j0": 1.0})
    q = np.array([0.4, -0.8])
    torques = robot.tree.inverse_dynamics(q, np.zeros(2), np.zeros(2))
    value = constraint.value(robot, q)
    assert_allclose(value, [torques[0] - 2.0 * torques[1]], atol=1e-12)
    with pytest.raises(ValueError, match="'j1' follows 'j0'"):
        PostureProblem(robot).add(StaticEquilibriumConstraint([], torque_limits={"j1": 1.0}))


def test_springs_help() -> None:
    robot = pendulum()
    robot.spring_stiffness, robot.rest_positions = [30.0, 0.0], [-0.7, 0.0]
    q = np.array([0.1, 0.2])
    expected = robot.tree.inverse_dynamics(q, np.zeros(2), np.zeros(2)) + np.array([30.0 * 0.8, 0.0])
    assert_allclose(StaticEquilibriumConstraint([]).torques(robot, q), expected, atol=1e-12)
    problem = PostureProblem(robot)
    problem.add_static_equilibrium_constraint([], torque_limits=1e-3)
    result = problem.solve(q)
    assert result.success, result
    robot.spring_stiffness = [0.0, 0.0]  # noticed by the next search
    assert problem.violations(result.positions)


def test_what_has_no_known_torque_is_refused() -> None:
    robot = kido.Skeleton("ball")
    body = robot.add_body(
        "b", None, kido.BallJoint("j"), inertia=kido.Inertia(1.0, (0.1, 0.0, 0.0), np.eye(3))
    )
    constraint = StaticEquilibriumConstraint([SupportContact(body)], torque_limits=1.0)
    PostureProblem(robot).add(constraint)
    robot.spring_stiffness = 1.0
    with pytest.raises(ValueError, match="springs of ball"):
        PostureProblem(robot).add(constraint)
    robot.spring_stiffness = 0.0
    body.gravity_mode = False
    with pytest.raises(ValueError, match="gravity on all bodies"):
        PostureProblem(robot).add(constraint)
    for bad in ("strong", np.nan):
        with pytest.raises((TypeError, ValueError), match="torque_limits"):
            StaticEquilibriumConstraint([], torque_limits=bad)
